package klap

import (
	"slices"

	"irgl/internal/check"
	"irgl/internal/tree"
	"irgl/syntax"
)

// Uniform arguments (KLAP, section II-C).
//
// What all threads of a group pass alike needs no array: it is a parameter of the aggregated kernel. An
// expression is uniform if it is made of constants, warpSize, parameters that the kernel never assigns,
// gridDim and blockDim, blockIdx where the group is in one block, and variables that are
// initialised by such and never assigned. The thread that launches evaluates it at the kernel's end.
//
// In an aggregated kernel the parameters of a block are those of the launch that it is of. They are uniform in the
// block, but in the grid only if they are parameters of the aggregated kernel in turn. So the
// analysis begins with all parameters of all children, and takes away those of which a launch
// passes something else, until nothing changes.

// A child is a kernel with an aggregated form.
type child struct {
	fn    *check.FuncInfo
	sites []*site
	// uniform says which parameters are passed as scalars.
	uniform []bool
	// gridDims and blockDims are 1 if all launches have integers there, and 3 otherwise.
	gridDims, blockDims int
	// block says that the block's size is one integer and uniform; shared what dynamic shared memory the
	// launches have.
	block  bool
	shared sharedKind
	// chained says that a launch may be in a chain.
	chained bool
	// thread is the kernel whose threads lanes do one by one: fn, or what fn is a coarsened copy of; nil if none does.
	thread *check.FuncInfo
	// flat says that the aggregated kernel is flattened, and whole why not.
	flat  bool
	whole string
	// member is one of parameter of, whose value is how many threads of a launch do something; "" for none.
	member string
	of     int
	// divided says that a grid of another size may do its launches: that behind a parent.
	divided bool
	// loads are those of a thread, one after the other, if warps do launches of few threads; 0 if they do not.
	loads int
	// most is the most threads that a block of an aggregated launch has.
	most int64
}

type sharedKind uint8

const (
	noShared sharedKind = iota
	uniformShared
	varyingShared
)

// children returns the kernels that aggregated launches launch, in the order of the text.
func (p *Program) children(list []*site) []*child {
	var out []*child
	for _, f := range p.info.Funcs {
		c := &child{fn: f, gridDims: 1, blockDims: 1}
		for _, s := range list {
			if s.reason == "" && s.child == f {
				c.sites = append(c.sites, s)
				c.gridDims = max(c.gridDims, p.dims(s.launch.Grid))
				c.blockDims = max(c.blockDims, p.dims(s.launch.Block))
			}
		}
		if len(c.sites) == 0 {
			continue
		}
		c.most = p.most(c)
		// A chain has no place for what its launches share.
		chained := slices.ContainsFunc(c.sites, func(s *site) bool { return s.chained })
		c.chained = chained
		for range f.Params {
			c.uniform = append(c.uniform, !chained)
		}
		c.block, c.shared = c.blockDims == 1 && !chained, uniformShared
		if chained {
			c.shared = varyingShared
		}
		out = append(out, c)
	}
	for changed := true; changed; {
		changed = false
		for _, c := range out {
			changed = p.narrow(c, out) || changed
		}
	}
	return out
}

// dims returns the dimensions that a configuration may have.
func (p *Program) dims(x syntax.Expr) int {
	if check.IsInteger(p.info.Types[x]) {
		return 1
	}
	return 3
}

// narrow takes away what some launch does not pass alike, and reports whether that is more than before.
func (p *Program) narrow(c *child, all []*child) bool {
	changed := false
	is := func(s *site, x syntax.Expr) bool { return p.uniformAt(s, x, all) != nil }
	none := true
	for _, s := range c.sites {
		for i := range c.uniform {
			if c.uniform[i] && !is(s, s.launch.Args[i]) {
				c.uniform[i], changed = false, true
			}
		}
		if c.block && !is(s, s.launch.Block) {
			c.block, changed = false, true
		}
		if x := s.launch.Shared; x != nil && (p.info.Consts[x] == nil || p.info.Consts[x].Int != 0) {
			none = false
			if c.shared != varyingShared && !is(s, x) {
				c.shared, changed = varyingShared, true
			}
		}
	}
	if none {
		c.shared = noShared
	}
	return changed
}

// uniformAt returns an expression of the same value as x at the end of the kernel of a launch, if all threads of
// the group have that; else nil.
func (p *Program) uniformAt(s *site, x syntax.Expr, all []*child) syntax.Expr {
	u := &uniformity{p: p, assigned: p.assigned(s.fn), fn: s.fn, wide: p.o.Granularity >= Multiblock}
	for _, c := range all {
		if c.fn == s.fn {
			u.child = c
		}
	}
	return u.of(x)
}

type uniformity struct {
	p        *Program
	fn       *check.FuncInfo
	assigned map[*check.Object]bool
	wide     bool   // a group has several blocks
	child    *child // of the function, if it has an aggregated form
}

// of returns a copy of x that can be evaluated at the kernel's end, or nil if x is not uniform.
func (u *uniformity) of(x syntax.Expr) syntax.Expr {
	sp := tree.At(x)
	switch x := x.(type) {
	case *syntax.BasicLit:
		if x.Kind != syntax.StringLit {
			return tree.Clone(x)
		}
	case *syntax.ParenExpr:
		if y := u.of(x.X); y != nil {
			return &syntax.ParenExpr{Span: sp, X: y}
		}
	case *syntax.UnaryExpr:
		switch x.Op {
		case "+", "-", "!", "~":
			if y := u.of(x.X); y != nil {
				return &syntax.UnaryExpr{Span: sp, Op: x.Op, X: y}
			}
		}
	case *syntax.BinaryExpr:
		if x.Op == "," || (x.Op == "/" || x.Op == "%") && u.zero(x.Y) {
			return nil
		}
		if l, r := u.of(x.X), u.of(x.Y); l != nil && r != nil {
			return &syntax.BinaryExpr{Span: sp, X: l, Op: x.Op, Y: r}
		}
	case *syntax.CastExpr:
		if y := u.of(x.X); y != nil {
			return &syntax.CastExpr{Span: sp, Type: tree.Clone(x.Type), X: y}
		}
	case *syntax.SizeofExpr:
		return tree.Clone(x)
	case *syntax.MemberExpr:
		if x.Arrow {
			return nil
		}
		if y := u.of(x.X); y != nil {
			return &syntax.MemberExpr{Span: sp, X: y, Name: tree.Clone(x.Name)}
		}
	case *syntax.Ident:
		return u.ident(x)
	}
	return nil
}

// zero reports whether a divisor may be zero.
func (u *uniformity) zero(x syntax.Expr) bool {
	c := u.p.info.Consts[x]
	return c == nil || c.Int == 0 && c.Float == 0
}

func (u *uniformity) ident(id *syntax.Ident) syntax.Expr {
	o := u.p.info.Uses[id]
	if o == nil || o.Volatile {
		return nil
	}
	kernel := isKernel(u.fn)
	switch o.Kind {
	case check.ConstObj:
		if o.Global {
			return tree.Clone(id)
		}
	case check.BuiltinObj:
		if o.Name == "warpSize" {
			return tree.Clone(id)
		}
		// The grid and the block of a launch are those of its blocks alone.
		inside := !u.wide || u.child == nil
		if kernel && inside && (o.Name == "gridDim" || o.Name == "blockDim" || o.Name == "blockIdx" && !u.wide) {
			return tree.Clone(id)
		}
	case check.ParamObj:
		if !kernel || u.assigned[o] {
			return nil
		}
		for i, q := range u.fn.Params {
			if q == o && (!u.wide || u.child == nil || u.child.uniform[i]) {
				return tree.Clone(id)
			}
		}
	case check.VarObj:
		v, ok := o.Decl.(*syntax.VarDecl)
		if o.Global || !ok || u.assigned[o] || v.Init == nil || o.Attrs != 0 || !check.IsArithmetic(o.Type) && !isPointer(o.Type) {
			return nil
		}
		if y := u.of(v.Init); y != nil {
			return &syntax.ParenExpr{Span: tree.At(id), X: tree.Cast(tree.At(id), argument(v.Type), y)}
		}
	}
	return nil
}

func isPointer(t check.Type) bool {
	_, ok := t.(*check.Pointer)
	return ok
}

// most returns the most threads that a block of a child may have: by its launch bounds, or by its launches if
// all have constants.
func (p *Program) most(c *child) int64 {
	bound, largest := int64(1024), int64(1)
	if list := c.fn.Decl.Bounds; len(list) > 0 {
		if v := p.info.Consts[list[0]]; v != nil && v.Int > 0 {
			bound = min(bound, v.Int)
		}
	}
	for _, s := range c.sites {
		v := p.info.Consts[s.launch.Block]
		if v == nil || v.Int < 1 {
			return bound
		}
		largest = max(largest, v.Int)
	}
	return min(bound, largest)
}
