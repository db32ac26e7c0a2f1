package ptxgen

import (
	"encoding/binary"
	"fmt"
	"strings"

	"irgl/internal/ptx"
	"irgl/internal/ssa"
)

// Generate returns the PTX of m, which must be valid ([ssa.Verify]). Kernels become
// visible entries. Other functions are local to the module, except recursive ones: ptxas
// (12.4 to 13.3), and with it the driver, crashes when all calls of such a function but
// its own are found to be unreachable. The order of globals and functions is kept. The
// same module and options always give the same text.
func Generate(m *ssa.Module, o Options) (*ptx.Module, error) {
	asked := o
	o, err := o.resolve()
	if err != nil {
		return nil, err
	}
	g := &generator{
		opts:    o,
		in:      m,
		out:     &ptx.Module{Version: o.Version, Target: o.Target, AddressSize: 64},
		calls:   ssa.NewCallGraph(m),
		names:   map[string]string{},
		globals: map[string]*ssa.Global{},
		files:   map[string]int{}, mnemonics: map[string][]string{},
	}
	if err := g.declareAll(); err != nil {
		return nil, err
	}
	for _, f := range m.Funcs {
		if len(f.Blocks) == 0 {
			continue
		}
		fn, err := g.function(f)
		if err != nil {
			return nil, fmt.Errorf("function %s: %w", f.Name, err)
		}
		g.out.Decls = append(g.out.Decls, fn)
	}
	g.out.Version = asked.versionFor(g.out, g.asmVersion)
	return g.out, nil
}

type generator struct {
	opts    Options
	in      *ssa.Module
	out     *ptx.Module
	calls   *ssa.CallGraph
	names   map[string]string // SSA name -> PTX name
	globals map[string]*ssa.Global
	files   map[string]int // index of each source file, from 1

	mnemonics map[string][]string // the parts of a dotted mnemonic

	asmVersion float64 // of PTX, that inline PTX needs
}

// file returns the index of a source file.
func (g *generator) file(name string) int {
	n := g.files[name]
	if n == 0 {
		n = len(g.files) + 1
		g.files[name] = n
		if path, ok := g.opts.Paths[name]; ok {
			name = path
		}
		g.out.Files = append(g.out.Files, ptx.FileName{Index: n, Name: name})
	}
	return n
}

// declareAll chooses names and declares globals, and those functions that are
// external or called before their definition.
func (g *generator) declareAll() error {
	used := map[string]bool{"vprintf": true}
	for _, f := range g.in.Funcs {
		if _, ok := g.names[f.Name]; ok {
			return fmt.Errorf("function %s is defined twice", f.Name)
		}
		g.rename(f.Name, used)
	}
	for _, v := range g.in.Globals {
		if _, ok := g.names[v.Name]; ok {
			return fmt.Errorf("global %s is defined twice", v.Name)
		}
		g.globals[v.Name] = v
		g.rename(v.Name, used)
	}
	early, printf := g.earlyCalls()
	inValues := g.referenced()
	for _, f := range g.in.Funcs {
		if inValues[f] {
			g.prototype(f)
		}
	}
	for _, v := range g.in.Globals {
		decl, err := g.global(v)
		if err != nil {
			return fmt.Errorf("global %s: %w", v.Name, err)
		}
		g.out.Decls = append(g.out.Decls, decl)
	}
	if printf {
		g.out.Decls = append(g.out.Decls, vprintf())
	}
	for _, f := range g.in.Funcs {
		if !inValues[f] && (early[f] || len(f.Blocks) == 0 && !f.Kernel) {
			g.prototype(f)
		}
	}
	return nil
}

// prototype declares f ahead of its definition, if it has one.
func (g *generator) prototype(f *ssa.Func) {
	proto := g.header(f)
	proto.Proto, proto.Directives = true, nil
	if len(f.Blocks) == 0 {
		proto.Linkage = "extern"
	}
	g.out.Decls = append(g.out.Decls, proto)
}

// referenced returns the functions whose addresses are in initial values of variables.
func (g *generator) referenced() map[*ssa.Func]bool {
	set := map[*ssa.Func]bool{}
	for _, v := range g.in.Globals {
		for _, r := range v.Refs {
			if f := g.calls.Func(r.Name); f != nil {
				set[f] = true
			}
		}
	}
	return set
}

// rename gives an SSA name its PTX name: dots, which PTX does not allow,
// become dollars; a number is appended if that name is taken.
func (g *generator) rename(name string, used map[string]bool) {
	base := strings.Map(func(r rune) rune {
		if r == '_' || r == '$' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return '$'
	}, name)
	if base == "" || base[0] >= '0' && base[0] <= '9' || base == "_" {
		base = "$" + base
	}
	s := base
	for i := 1; used[s]; i++ {
		s = fmt.Sprintf("%s$%d", base, i)
	}
	used[s] = true
	g.names[name] = s
}

// earlyCalls finds the functions that are called before they are defined, and
// whether there are calls of printf.
func (g *generator) earlyCalls() (early map[*ssa.Func]bool, printf bool) {
	early = map[*ssa.Func]bool{}
	defined := map[string]bool{}
	for _, f := range g.in.Funcs {
		defined[f.Name] = len(f.Blocks) > 0 // a function may call itself
		for _, b := range f.Blocks {
			for _, v := range b.Values {
				switch v.Op {
				case ssa.OpCall, ssa.OpFuncAddr:
					if c := g.calls.Func(v.Callee()); c != nil && !defined[c.Name] {
						early[c] = true
					}
				case ssa.OpPrintf:
					printf = true
				}
			}
		}
	}
	return early, printf
}

// vprintf is the device runtime's function behind printf.
func vprintf() *ptx.Func {
	return &ptx.Func{
		Linkage: "extern", Name: "vprintf", Proto: true,
		Results: []*ptx.Var{{Space: ptx.Param, Type: "b32", Name: "func_retval0"}},
		Params: []*ptx.Var{
			{Space: ptx.Param, Type: "b64", Name: "vprintf_param_0"},
			{Space: ptx.Param, Type: "b64", Name: "vprintf_param_1"},
		},
	}
}

// global declares one variable as an array of bytes.
func (g *generator) global(v *ssa.Global) (*ptx.Var, error) {
	out := &ptx.Var{
		Pos: v.Pos, Align: int(max(1, v.Align)), Type: "b8", Name: g.names[v.Name],
		Array: true, Dims: []int64{v.Size},
	}
	switch v.Space {
	case ssa.PtrGlobal:
		out.Space, out.Linkage = ptx.Global, "visible"
	case ssa.PtrConst:
		out.Space, out.Linkage = ptx.Const, "visible"
	case ssa.PtrShared:
		out.Space = ptx.Shared
		if v.Size == 0 { // dynamic shared memory: its size is given at launch
			out.Linkage, out.Dims = "extern", []int64{-1}
		}
		if v.Init != nil {
			return nil, fmt.Errorf("shared memory has no initialiser")
		}
	default:
		return nil, fmt.Errorf("no variable can be in %s", v.Space)
	}
	if g.opts.Linkage != nil && v.Space != ssa.PtrShared {
		if out.Linkage = g.opts.Linkage[v.Name]; out.Linkage == "extern" {
			if v.Size == 0 {
				out.Dims = []int64{-1}
			}
			return out, nil
		}
	}
	if v.Size == 0 && v.Space != ssa.PtrShared {
		out.Dims = []int64{1} // PTX has no empty arrays
	}
	if len(v.Refs) > 0 {
		return out, g.words(out, v)
	}
	n := len(v.Init)
	for n > 0 && v.Init[n-1] == 0 {
		n-- // bytes that are not given are zero
	}
	for _, b := range v.Init[:n] {
		out.Init = append(out.Init, ptx.I(int64(b)))
	}
	return out, nil
}

// words makes out, which has addresses in its initial value, an array of words.
func (g *generator) words(out *ptx.Var, v *ssa.Global) error {
	n := (v.Size + 7) / 8
	out.Type, out.Dims, out.Align = "u64", []int64{n}, max(8, out.Align)
	init := make([]byte, 8*n)
	copy(init, v.Init)
	refs := v.Refs
	for i := range n {
		o := ptx.I(int64(binary.LittleEndian.Uint64(init[8*i:])))
		if len(refs) > 0 && refs[0].Offset == 8*i {
			o = ptx.Operand{Kind: ptx.KindSym, Name: g.names[refs[0].Name], Int: refs[0].Add}
			if o.Name == "" {
				return fmt.Errorf("there is no %s", refs[0].Name)
			}
			// The address of a function is generic as it is.
			o.Not = g.globals[refs[0].Name] != nil
			refs = refs[1:]
		}
		out.Init = append(out.Init, o)
	}
	return nil
}

// header returns f's name, parameters and directives without a body.
func (g *generator) header(f *ssa.Func) *ptx.Func {
	name := g.names[f.Name]
	out := &ptx.Func{Pos: f.Pos, Name: name, Entry: f.Kernel}
	if f.Kernel || g.calls.Recursive(f) {
		out.Linkage = "visible"
	}
	if l, ok := g.opts.Linkage[f.Name]; ok {
		out.Linkage = l
	}
	if f.Kernel {
		if f.MaxThreads == 0 && g.opts.MaxRegisters > 0 {
			out.Directives = append(out.Directives, ptx.Directive{Name: "maxnreg", Args: []int64{int64(g.opts.MaxRegisters)}})
		}
		if f.MaxThreads > 0 {
			out.Directives = append(out.Directives, ptx.Directive{Name: "maxntid", Args: []int64{int64(f.MaxThreads)}})
			if f.MinBlocks > 0 {
				out.Directives = append(out.Directives, ptx.Directive{Name: "minnctapersm", Args: []int64{int64(f.MinBlocks)}})
			}
		}
		if n := f.Cluster; n != [3]int{} {
			// Explicit: the kernel runs in clusters even if the launch does not specify them.
			out.Directives = append(out.Directives, ptx.Directive{Name: "explicitcluster"},
				ptx.Directive{Name: "reqnctapercluster", Args: []int64{int64(n[0]), int64(n[1]), int64(n[2])}})
		}
	} else if f.Result != ssa.Void {
		out.Results = []*ptx.Var{{Space: ptx.Param, Type: argType(f.Result), Name: "func_retval0"}}
	}
	for i, p := range f.Params {
		v := &ptx.Var{Space: ptx.Param, Name: fmt.Sprintf("%s_param_%d", name, i)}
		switch {
		case p.Type == ssa.PtrParam:
			aggregate(v, p)
		case f.Kernel:
			v.Type = memType(p.Type)
		default:
			v.Type = argType(p.Type)
		}
		out.Params = append(out.Params, v)
	}
	return out
}

// aggregate makes v an aggregate parameter, as in the CUDA ABI.
func aggregate(v *ptx.Var, p *ssa.Param) {
	v.Align, v.Type, v.Array, v.Dims = int(max(1, p.Align)), "b8", true, []int64{max(1, p.Size)}
}

// argType is the type of a scalar parameter or result of a device function: 32
// bits for narrower types, as in the CUDA ABI.
func argType(t ssa.Type) ptx.Type {
	if t.Size() == 8 {
		return "b64"
	}
	return "b32"
}

// memType is the type under which a value of type t is loaded and stored.
func memType(t ssa.Type) ptx.Type {
	switch t {
	case ssa.I1, ssa.I8:
		return "u8"
	case ssa.I16:
		return "u16"
	case ssa.I32:
		return "u32"
	case ssa.F32:
		return "f32"
	case ssa.F64:
		return "f64"
	}
	return "u64"
}
