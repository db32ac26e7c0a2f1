package ssagen

import (
	"fmt"

	"irgl/internal/check"
	"irgl/internal/source"
	"irgl/internal/ssa"
	"irgl/syntax"
)

// Options steers the translation.
type Options struct {
	// NoReadOnly does not mark loads through const __restrict__ parameters
	// read-only, so that they do not use ld.global.nc.
	NoReadOnly bool
	// Undefined marks signed sums, differences and products as not overflowing, and
	// quotients as having a non-zero divisor (ssa.Op.MayPromise), as in C. The library's
	// operations are not marked: it relies on wrapping integers.
	Undefined bool
	// FastMath takes the fast intrinsics for functions of floats that have one: __sinf for sinf.
	FastMath bool
	// MaxLocal bounds the local memory of one variable; 0 stands for [check.MaxLocal].
	MaxLocal int64
	// External lets functions and variables that are declared extern be of other modules.
	External bool
	// MaxParams bounds the bytes of a kernel's parameters; 0 does not.
	MaxParams int64
}

// MaxShared bounds the shared memory of a block whose size is known at compile time: ptxas
// refuses more, and launches ask for more as dynamic memory.
const MaxShared = 48 << 10

// MaxConstant bounds the variables in constant memory of a module.
const MaxConstant = 64 << 10

// ReportShared reports a kernel at a position that has too much shared memory together with the functions
// that it calls.
func ReportShared(diags *source.List, at source.Pos, kernel string, bytes int64) {
	diags.Errorf(at, source.Pos{}, codeTooLarge, "the shared arrays of %s and of the functions that it calls take %d bytes; a block's static shared memory has %d",
		kernel, bytes, MaxShared).Hint = "declare one as extern __shared__, and give its size in the launch"
}

// maxLocal bounds the local memory of one variable.
func (o *Options) maxLocal() int64 {
	if o.MaxLocal > 0 {
		return o.MaxLocal
	}
	return check.MaxLocal
}

// Build translates the device functions and variables of a checked file, in
// source order. It adds an error to diags for each construct that it cannot
// translate; the module is valid ([ssa.Verify]) in any case, with an
// undefined value in that place.
func Build(info *check.Info, diags *source.List, o Options) *ssa.Module {
	b := newBuilder(info, diags, o, &ssa.Module{})
	b.build()
	b.link()
	return b.mod
}

// newBuilder returns a builder of a file that adds to mod.
func newBuilder(info *check.Info, diags *source.List, o Options, mod *ssa.Module) *builder {
	return &builder{
		info: info, diags: diags, opts: o, mod: mod,
		vars: map[*check.Object]*ssa.Global{}, strings: map[string]*ssa.Global{}, used: map[string]bool{},
		funcs: map[string]*check.FuncInfo{}, needed: map[string]bool{},
	}
}

// build translates the variables and functions of the file.
func (b *builder) build() {
	info := b.info
	for _, f := range info.Funcs {
		b.used[b.symbol(f.Decl.Name.Name)] = true
		if f.Device && f.Decl.Body != nil && f.Decl.Kind == syntax.PlainFunc {
			b.funcs[f.Decl.Name.Name] = f
		}
	}
	if b.opts.External {
		b.externals()
	}
	for _, o := range info.Globals {
		if space := spaceOf(o.Attrs); space != ssa.Void {
			b.fileVar(o, space)
		}
	}
	for _, f := range info.Funcs {
		if b.funcs[f.Decl.Name.Name] == f {
			b.function(f)
		}
	}
}

// externals declares the functions and kernels of other modules.
func (b *builder) externals() {
	for _, d := range b.info.File.Decls {
		d, ok := d.(*syntax.FuncDecl)
		if !ok || d.Body != nil || !d.Attrs.Has(syntax.Extern) || d.Attrs&(syntax.Device|syntax.Global) == 0 {
			continue
		}
		o := b.info.Defs[d.Name]
		if o == nil || o.Func == nil || o.Func.Decl.Body != nil || b.funcs[o.Name] != nil {
			continue
		}
		b.funcs[o.Name] = o.Func
		b.used[b.symbol(o.Name)] = true
		params, _ := parameters(o.Func.Type)
		b.mod.Funcs = append(b.mod.Funcs, &ssa.Func{Pos: d.Name.Pos(), Name: b.symbol(o.Name), Kernel: d.Attrs.Has(syntax.Global), Params: params, Result: typeOf(o.Func.Type.Result)})
	}
}

// A builder translates one file.
type builder struct {
	info    *check.Info
	diags   *source.List
	opts    Options
	mod     *ssa.Module
	vars    map[*check.Object]*ssa.Global
	strings map[string]*ssa.Global // by content
	used    map[string]bool        // names at module level

	constants int64                      // bytes of constant memory that are taken
	funcs     map[string]*check.FuncInfo // that have device code in this file

	needed    map[string]bool // functions of the library that are called
	needs     []string        // the same in order
	isLibrary bool            // this is the library itself
}

// errorf reports an error about the whole of n.
func (b *builder) errorf(n syntax.Node, code source.Code, format string, args ...any) *source.Diagnostic {
	return b.diags.Errorf(n.Pos(), n.End(), code, format, args...)
}

// spaceOf returns the space of a variable with the given qualifiers, Void for
// a host variable.
func spaceOf(a syntax.Attrs) ssa.Type {
	switch {
	case a.Has(syntax.Shared):
		return ssa.PtrShared
	case a.Has(syntax.Constant):
		return ssa.PtrConst
	case a&(syntax.Device|syntax.Managed) != 0:
		return ssa.PtrGlobal
	}
	return ssa.Void
}

// unique returns name, or name with a number if it is taken.
func (b *builder) unique(name string) string {
	s := name
	for i := 1; b.used[s]; i++ {
		s = fmt.Sprintf("%s.%d", name, i)
	}
	b.used[s] = true
	return s
}

// fileVar adds a variable of the file.
func (b *builder) fileVar(o *check.Object, space ssa.Type) {
	d, ok := o.Decl.(*syntax.VarDecl)
	if !ok {
		return
	}
	b.addVar(o, d, space, b.symbol(o.Name))
}

// addVar adds a variable with static storage under the given name. All
// declarations of a dynamic shared array of one name are one variable.
func (b *builder) addVar(o *check.Object, d *syntax.VarDecl, space ssa.Type, name string) *ssa.Global {
	if o.Attrs.Has(syntax.Managed) {
		return b.managedVar(o, d, space, name)
	}
	g := &ssa.Global{Pos: d.Pos(), Space: space, Const: o.ReadOnly && !o.Volatile, Size: o.Type.Size(), Align: max(o.Type.Align(), o.Align)}
	for g.Align < 16 && 2*g.Align <= g.Size { // for vector accesses, as with allocas
		g.Align *= 2
	}
	if space == ssa.PtrShared && (o.Attrs.Has(syntax.Extern) || g.Size == 0) {
		g.Size, g.Align = 0, max(16, g.Align)
		if old := b.mod.Global(o.Name); old != nil && old.Space == space && old.Size == 0 {
			old.Align = max(old.Align, g.Align)
			b.vars[o] = old
			return old
		}
		name = o.Name
	}
	if space == ssa.PtrShared && g.Size > MaxShared {
		b.diags.Errorf(d.Pos(), d.End(), codeTooLarge, "%s takes %d bytes; a block's static shared memory has %d", o.Type, g.Size, MaxShared).Hint =
			"declare it as extern __shared__, and give its size in the launch"
		g.Size = 1
	}
	if space == ssa.PtrConst && !o.Attrs.Has(syntax.Extern) {
		b.constant(o, d, g)
	}
	g.Name = b.unique(name)
	if d.Init != nil && space != ssa.PtrShared { // check refuses it for shared memory
		b.vars[o] = g // it may name itself
		b.staticInit(g, d.Init, o.Type)
	}
	b.vars[o] = g
	b.mod.Globals = append(b.mod.Globals, g)
	return g
}

// constant counts a variable in constant memory.
func (b *builder) constant(o *check.Object, d *syntax.VarDecl, g *ssa.Global) {
	before := b.constants
	b.constants = (before+g.Align-1)/g.Align*g.Align + g.Size
	if before <= MaxConstant && b.constants > MaxConstant {
		b.diags.Errorf(d.Pos(), d.End(), codeTooLarge, "the __constant__ variables up to %s take %d bytes; constant memory has %d", o.Name, b.constants, MaxConstant).Hint =
			"declare it __device__, with const: loads of what no kernel writes are cached"
	}
}

// managedVar adds the variable that holds the address of a managed variable, which the
// runtime of the program stores: the memory is the host's, too, and the host has its value
// at the start.
func (b *builder) managedVar(o *check.Object, d *syntax.VarDecl, space ssa.Type, name string) *ssa.Global {
	const pointer = 8
	g := &ssa.Global{Name: b.unique(name), Pos: d.Pos(), Space: space, Size: pointer, Align: pointer}
	b.vars[o] = g
	b.mod.Globals = append(b.mod.Globals, g)
	return g
}

// stringVar returns the variable that holds a string and its terminating zero.
func (b *builder) stringVar(s string) *ssa.Global {
	g := b.strings[s]
	if g == nil {
		g = &ssa.Global{Name: b.unique("str"), Space: ssa.PtrGlobal, Size: int64(len(s)) + 1, Align: 1, Init: append([]byte(s), 0)}
		b.strings[s] = g
		b.mod.Globals = append(b.mod.Globals, g)
	}
	return g
}

// alignString aligns the variable of a string that is converted to a pointer of type t, as
// one to wide characters is.
func (b *builder) alignString(e syntax.Expr, t check.Type) {
	lit, ok := syntax.Unparen(e).(*syntax.BasicLit)
	p, isPtr := t.(*check.Pointer)
	if !ok || lit.Kind != syntax.StringLit || !isPtr || p.Elem == check.Void {
		return
	}
	if n := p.Elem.Align(); n > 1 {
		s, _ := syntax.ParseString(lit.Text) // already parsed by check
		g := b.stringVar(s)
		g.Align = max(g.Align, n)
	}
}

// typeOf returns the SSA type of a scalar C type; Void for any other.
func typeOf(t check.Type) ssa.Type {
	switch t := t.(type) {
	case check.Basic:
		switch t {
		case check.Bool:
			return ssa.I1
		case check.Char, check.SChar, check.UChar:
			return ssa.I8
		case check.Short, check.UShort:
			return ssa.I16
		case check.Int, check.UInt, check.Node:
			return ssa.I32
		case check.Long, check.ULong, check.LongLong, check.ULongLong, check.Edge:
			return ssa.I64
		case check.Float:
			return ssa.F32
		case check.Double:
			return ssa.F64
		case check.String:
			return ssa.Ptr
		}
	case *check.Pointer, *check.Array, *check.Func:
		return ssa.Ptr
	}
	return ssa.Void
}

// isAggregate reports whether values of t exist in memory only.
func isAggregate(t check.Type) bool {
	switch t.(type) {
	case *check.Struct, *check.Array:
		return true
	}
	return false
}

func isArray(t check.Type) bool {
	_, ok := t.(*check.Array)
	return ok
}

// isStruct reports whether t is a struct or union: an aggregate that is
// assigned, passed and returned by value, unlike an array.
func isStruct(t check.Type) bool {
	_, ok := t.(*check.Struct)
	return ok
}
