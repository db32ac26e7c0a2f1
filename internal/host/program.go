package host

import (
	"fmt"

	"irgl/internal/check"
	"irgl/internal/source"
	"irgl/syntax"
)

// An eval computes a scalar, or the address of an aggregate.
type eval func(m *machine) uint64

// A place computes the address of an object.
type place func(m *machine) uint64

// A Program is the compiled host functions of a CUDA tree. It holds no state
// of a run and may be used by several machines.
type Program struct {
	info    *check.Info
	funcs   map[string]*function
	globals map[*check.Object]int64 // offset in the global segment
	size    int64                   // of the global segment
	inits   []func(m *machine)
	diags   *source.List
	kernels []*kernelLayout // the kernels whose names are used as values
	queue   *childQueue     // of launches in device code that the host runs; nil without any
	// replaced are functions that the runtime implements.
	replaced map[string]func(m *machine, args []uint64) uint64
}

// A function is one compiled host function.
type function struct {
	info   *check.FuncInfo
	name   string
	params []slot
	result check.Type
	frame  int64 // bytes
	body   func(m *machine) signal
}

// A slot is a variable in a function's frame.
type slot struct {
	offset int64
	typ    check.Type
}

// Compile compiles the host functions of a checked CUDA tree.
func Compile(info *check.Info) (*Program, error) {
	var diags source.List
	p := &Program{
		info: info, funcs: map[string]*function{}, globals: map[*check.Object]int64{}, diags: &diags,
		replaced: map[string]func(*machine, []uint64) uint64{},
	}
	p.size = 8 // no object at offset 0 of the segment
	for _, obj := range info.Globals {
		if obj.Attrs&(syntax.Device|syntax.Constant|syntax.Managed|syntax.Shared) == 0 {
			p.place(obj)
		}
	}
	for _, f := range info.Funcs {
		if isHost(f.Decl.Attrs) {
			p.funcs[f.Decl.Name.Name] = &function{info: f, name: f.Decl.Name.Name, result: f.Type.Result}
		}
	}
	for _, f := range info.Funcs {
		if fn := p.funcs[f.Decl.Name.Name]; fn != nil && fn.info == f {
			p.compileFunc(fn)
		}
	}
	p.compileGlobals()
	if err := diags.Err(); err != nil {
		return nil, err
	}
	return p, nil
}

// place allocates a variable in the global segment and returns its address.
func (p *Program) place(obj *check.Object) uint64 {
	p.size = roundUp(p.size, obj.Type.Align())
	at := p.size
	p.globals[obj] = at
	p.size += obj.Type.Size()
	return address(globalSegment, at)
}

// isHost reports whether a function with these attributes runs on the host.
func isHost(a syntax.Attrs) bool {
	return a.Has(syntax.HostAttr) || a&(syntax.Global|syntax.Device) == 0
}

func roundUp(n, align int64) int64 { return (n + align - 1) / align * align }

// A frame is a function being compiled.
type frame struct {
	p    *Program
	fn   *function
	vars map[*check.Object]slot
	next int64 // first free offset of the frame
}

func (p *Program) compileFunc(fn *function) {
	f := &frame{p: p, fn: fn, vars: map[*check.Object]slot{}}
	for i, obj := range fn.info.Params {
		s := f.alloc(fn.info.Type.Params[i])
		fn.params = append(fn.params, s)
		if obj != nil {
			f.vars[obj] = s
		}
	}
	fn.body = f.block(fn.info.Decl.Body)
	fn.frame = roundUp(f.next, 16)
}

// alloc allocates a value of type t in the frame.
func (f *frame) alloc(t check.Type) slot {
	f.next = roundUp(f.next, t.Align())
	s := slot{f.next, t}
	f.next += t.Size()
	return s
}

// compileGlobals compiles the initialisers of host variables.
func (p *Program) compileGlobals() {
	f := &frame{p: p, fn: &function{}, vars: map[*check.Object]slot{}}
	for _, d := range p.info.File.Decls {
		vars, ok := d.(*syntax.VarDecls)
		if !ok {
			continue
		}
		for _, v := range vars.Vars {
			obj := p.info.Defs[v.Name]
			offset, host := p.globals[obj]
			if !host || v.Init == nil {
				continue
			}
			at := address(globalSegment, offset)
			p.inits = append(p.inits, f.initialise(func(*machine) uint64 { return at }, obj.Type, v.Init))
		}
	}
}

// global returns the address of a host variable by name.
func (p *Program) global(name string) (uint64, check.Type, error) {
	for obj, offset := range p.globals {
		if obj.Name == name && obj.Global {
			return address(globalSegment, offset), obj.Type, nil
		}
	}
	return 0, nil, fmt.Errorf("the program has no host variable %s", name)
}

// refuse reports a construct that host code must not use.
func (p *Program) refuse(n syntax.Node, code source.Code, format string, args ...any) {
	p.diags.Errorf(n.Pos(), n.End(), code, format, args...)
}

// call runs fn with the given argument values.
func (m *machine) call(n syntax.Node, fn *function, args []uint64) uint64 {
	if m.depth++; m.depth > 1000 {
		fail(n, &faultError{CodeDepth, fmt.Sprintf("recursion too deep: %d calls have not returned", m.depth-1)})
	}
	m.sites = append(m.sites, n)
	base := m.fp
	m.fp = m.top
	m.top += fn.frame
	if m.top > stackSize {
		fail(n, &faultError{CodeDepth, fmt.Sprintf("recursion too deep: %d calls have not returned, and their variables take more than %d bytes", m.depth-1, stackSize)})
	}
	clear(m.stack[m.fp:m.top])
	for i, s := range fn.params {
		b := m.stack[m.fp+s.offset : m.fp+s.offset+s.typ.Size()]
		if isAggregate(s.typ) {
			copy(b, m.bytes(n, args[i], s.typ.Size()))
		} else {
			encode(s.typ, b, args[i])
		}
	}
	m.result = 0
	fn.body(m)
	m.top = m.fp
	m.fp = base
	m.depth--
	m.sites = m.sites[:len(m.sites)-1]
	return m.result
}
