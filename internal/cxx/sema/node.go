package sema

import (
	"irgl/internal/cxx/ast"
	"irgl/internal/cxx/hir"
	"irgl/internal/cxx/types"
)

// Expressions that only exist while their context is not known, beside those of hir.
type (
	// A badExpr stands for an expression with an error that was reported, or for one that
	// depends on a parameter.
	badExpr struct{ hir.Info }

	// A stubExpr is a value of a type and category and nothing else: for asking whether
	// it converts.
	stubExpr struct{ hir.Info }

	// A listExpr is {...}, with what its names see.
	listExpr struct {
		hir.Info
		list *ast.InitList
		env  env
		// elems are the analysed elements, when their types have been asked for.
		elems []hir.Expr
	}

	// An overloadExpr is the name of functions, of which a call or a target type chooses
	// one.
	overloadExpr struct {
		hir.Info
		name    *ast.Name
		funcs   []*function
		object  hir.Expr // of a member: what it is called on; nil for an unqualified name
		targs   []types.Arg
		hasArgs bool
		qualified,
		adl bool // a call looks in the namespaces of its arguments too
		addr  bool // &f
		class *class
		// through is the class of the object if one is written: this->f, x.f.
		through *class
		using   []*using // that named functions of bases in class
		opaque  *opaque
		whole   *overloads // a set whose functions are all among funcs; nil for none
		// operands are the arguments of the call as they are written; nil where they are not
		// known.
		operands []ast.Expr
	}
)

// nodes are the blocks of the common nodes.
type nodes struct {
	refs     ast.Slab[hir.VarRef]
	converts ast.Slab[hir.Convert]
	consts   ast.Slab[hir.ConstExpr]
	binaries ast.Slab[hir.Binary]
	derefs   ast.Slab[hir.Deref]
	fields   ast.Slab[hir.Field]
	calls    ast.Slab[hir.Call]
	assigns  ast.Slab[hir.Assign]
	exprs    ast.Slab[hir.ExprStmt]
	locals   ast.Slab[local]
	scopes   ast.Slab[scope]
	classes  ast.Slab[classNode]
	members  ast.Slab[memberNode]
	bodies   ast.Slab[bodyNode]
	blocks   ast.Slab[hir.Block]
	sets     ast.Slab[overloadExpr]
	addrs    ast.Slab[hir.AddrOf]
	ifs      ast.Slab[hir.If]
	loops    ast.Slab[hir.Loop]
	returns  ast.Slab[hir.Return]
	steps    ast.Slab[hir.IncDec]
	conds    ast.Slab[hir.Cond]
	unaries  ast.Slab[hir.Unary]
	decls    ast.Slab[hir.Func]
	params   ast.Lists[hir.Var]
	refsTo   ast.Lists[*hir.Var]
	named    ast.Slab[overloads]
	entities ast.Slab[function]
	symbols  ast.Lists[symbol]
	stmts    ast.Lists[hir.Stmt]
	args     ast.Lists[hir.Expr]
	funcs    ast.Lists[*function]
	vars     ast.Lists[variable]
	passing  ast.Lists[variable] // of the body that passes
	free     []*scope            // of blocks that are over, of bodies that pass
	envs     []*env              // that are over
	types    []types.Type        // room for those of parameters; nil while it is in use
	// Room for what belongs to the arguments of a call; nil while it is in use.
	spaces     []*namespace
	associates []*class
}

// A classNode is a class with what each has.
type classNode struct {
	k     class
	t     types.Class
	scope scope
}

// A memberNode is a data member.
type memberNode struct {
	f field
	t types.Field
}

// A bodyNode is the body of a function that is analysed.
type bodyNode struct {
	body  body
	scope scope // of the parameters
	block hir.Block
}

// automatic is the [hir.Var.Decl] of automatic variables, of which the analysis needs no more.
type automatic struct{}

// variable returns a variable of a body. Those that are not automatic last.
func (n *nodes) variable(b *body, s ast.Specs) *variable {
	if s&(memory|ast.Static) != 0 {
		return &n.vars.New(1)[:1][0]
	}
	return &n.variables(b, 1)[0]
}

// variables returns automatic variables of a body.
func (n *nodes) variables(b *body, count int) []variable {
	if b.passes {
		return n.passing.New(count)[:count]
	}
	return n.vars.New(count)[:count]
}

// blockScope opens the scope of a block.
func (n *nodes) blockScope(parent *scope, b *body) (s *scope) {
	if last := len(n.free) - 1; last >= 0 {
		s, n.free = n.free[last], n.free[:last]
	} else {
		s = n.scopes.New()
	}
	s.kind, s.parent, s.body = blockScope, parent, b
	return s
}

// done gives back what env returned.
func (n *nodes) done(e *env) { n.envs = append(n.envs, e) }

// env returns a copy of e, for a block or another part that is over when done is called.
func (n *nodes) env(e *env) *env {
	last := len(n.envs) - 1
	if last < 0 {
		sub := *e
		return &sub
	}
	sub := n.envs[last]
	n.envs = n.envs[:last]
	*sub = *e
	return sub
}

// close ends the scope of a block. That of a body that passes is used for another block.
func (n *nodes) close(s *scope) {
	if s.body.passes {
		clear(s.list)
		*s = scope{list: s.list[:0]}
		n.free = append(n.free, s)
	}
}

// A local is a variable of a block with its declaration.
type local struct {
	hir  hir.Var
	stmt hir.VarStmt
	list [1]*hir.Var // of stmt
}

func (n *nodes) convert(at ast.Span, t types.Type, k hir.Conversion, x hir.Expr) hir.Expr {
	c := n.converts.New()
	c.Span, c.T, c.Kind, c.X = at, t, k, x
	return c
}

func (n *nodes) binary(at ast.Span, t types.Type, op hir.BinaryOp, x, y hir.Expr) hir.Expr {
	b := n.binaries.New()
	b.Span, b.T, b.Op, b.X, b.Y = at, t, op, x, y
	return b
}

func (n *nodes) deref(at ast.Span, t types.Type, c hir.Category, x hir.Expr) hir.Expr {
	d := n.derefs.New()
	d.Span, d.T, d.Cat, d.X = at, t, c, x
	return d
}

func (n *nodes) assign(at ast.Span, x hir.Expr, op hir.BinaryOp, y hir.Expr, computed types.Type) hir.Expr {
	a := n.assigns.New()
	a.Span, a.T, a.Cat, a.X, a.Op, a.Y, a.Computed = at, x.Type(), hir.LValue, x, op, y, computed
	return a
}

func (n *nodes) constant(at ast.Span, t types.Type) *hir.ConstExpr {
	k := n.consts.New()
	k.Span, k.T, k.Value.Type = at, t, t
	return k
}

func (e *env) bad(at ast.Node) hir.Expr {
	return &badExpr{hir.Info{Span: spanOf(at)}}
}

func isBad(x hir.Expr) bool {
	_, ok := x.(*badExpr)
	return ok || x == nil
}

func anyBad(list []hir.Expr) bool {
	for _, x := range list {
		if isBad(x) {
			return true
		}
		if l, ok := x.(*listExpr); ok && l.elems == nil {
			continue
		}
	}
	return false
}

func (e *env) basic(k types.Kind) types.Type { return e.types.Basic(k) }

// rvalueInfo is the type and category of a prvalue.
func rvalueInfo(at ast.Span, t types.Type) hir.Info { return hir.Info{Span: at, T: t} }

// ref returns a use of a variable as an lvalue.
func (e *env) ref(v *hir.Var, at ast.Span) hir.Expr {
	r := e.nodes.refs.New()
	r.Span, r.T, r.Cat, r.Var = at, v.Type.Unref(), hir.LValue, v
	return r
}

// intConst returns a constant of an integer type.
func (e *env) intConst(v uint64, t types.Type, at ast.Span) hir.Expr {
	k := e.nodes.constant(at, t)
	k.Value.Int = t.Truncate(v)
	return k
}

// load returns the value of a scalar glvalue, decaying arrays and functions; class
// objects and prvalues stay.
func (e *env) load(x hir.Expr) hir.Expr {
	if r, ok := x.(*hir.VarRef); ok && r.Var.Const == nil && r.Cat != hir.PRValue && r.T.IsScalar() { // as most are
		return e.nodes.convert(r.Span, r.T.Unqualified(), hir.Load, r)
	}
	x = e.single(x)
	if isBad(x) || x.Category() == hir.PRValue && !x.Type().IsArray() {
		return x
	}
	t := x.Type()
	at := x.At()
	switch {
	case t.IsArray():
		if x.Category() == hir.PRValue {
			x = e.materialize(x)
		}
		return e.nodes.convert(at, e.types.Pointer(t.Elem), hir.Decay, x)
	case t.IsFunc():
		return &hir.Convert{Info: rvalueInfo(at, e.types.Pointer(t)), Kind: hir.FuncDecay, X: x}
	case t.IsClass():
		return x
	}
	if k := e.knownValue(x); k != nil {
		return &hir.ConstExpr{Info: rvalueInfo(at, t.Unqualified()), Value: *k}
	}
	if c, ok := x.(*hir.Comma); ok && e.knownValue(c.Y) != nil { // a static member of an object
		return &hir.Comma{Info: rvalueInfo(at, t.Unqualified()), X: c.X, Y: e.load(c.Y)}
	}
	if c, ok := x.(*hir.Cond); ok && e.choosesKnown(c) { // the operands are read, and no objects ([basic.def.odr]/4)
		return &hir.Cond{Info: rvalueInfo(at, t.Unqualified()), C: c.C, X: e.load(c.X), Y: e.load(c.Y)}
	}
	return e.nodes.convert(at, t.Unqualified(), hir.Load, x)
}

// choosesKnown reports whether an operand that c may choose is a constant variable.
func (e *env) choosesKnown(c *hir.Cond) bool {
	for _, x := range [...]hir.Expr{c.X, c.Y} {
		if inner, ok := x.(*hir.Cond); ok && e.choosesKnown(inner) || e.knownValue(x) != nil {
			return true
		}
	}
	return false
}

// knownValue returns the constant that a scalar variable usable in constant expressions
// has.
func (e *env) knownValue(x hir.Expr) *hir.Const {
	r, ok := x.(*hir.VarRef)
	if !ok || r.Var.Const == nil || !r.Var.Type.IsScalar() || r.Var.Type.IsVolatile() {
		return nil
	}
	k := r.Var.Const
	if k.Base != nil || k.String != nil || k.Type.Node == nil {
		return nil
	}
	return k
}

// single resolves the name of one function to it; other expressions stay.
func (e *env) single(x hir.Expr) hir.Expr {
	switch o := x.(type) {
	case *overloadExpr:
		if f := e.only(o); f != nil {
			return e.useFunction(o, f)
		}
		if o.object != nil {
			e.errorf(o, codeMethodValue, "reference to non-static member function must be called")
		} else {
			e.errorf(o, codeOverloadContext, "reference to overloaded function could not be resolved; did you mean to call it?")
		}
		return e.bad(x)
	case *listExpr:
		e.errorf(o, codeList, "initializer list cannot be used here")
		return e.bad(x)
	}
	return x
}

// only returns the function that an overload set can only mean, or nil.
func (e *env) only(o *overloadExpr) *function {
	if len(o.funcs) != 1 {
		return nil
	}
	f := o.funcs[0]
	if f.tmpl != nil {
		if !o.hasArgs {
			return nil
		}
		f = e.explicitInstance(f, o.targs)
	}
	if f != nil && f.isMember() && !o.addr {
		return nil
	}
	return f
}

// useFunction returns a function that was chosen as an expression: an lvalue, or a
// pointer to a member.
func (e *env) useFunction(o *overloadExpr, f *function) hir.Expr {
	e.resolveResult(f)
	if f.deleted {
		e.reportDeleted(o, f)
		return e.bad(o)
	}
	e.checkCallee(spanOf(o), f)
	h := e.hirFunc(f)
	if f.isMember() && o.addr {
		t := e.types.MemberPointer(e.types.Class(f.class.t), f.typ)
		return &hir.MemberPtr{Info: rvalueInfo(o.Span, t), Func: h}
	}
	ref := &hir.FuncRef{Info: hir.Info{Span: o.Span, T: f.typ, Cat: hir.LValue}, Func: h}
	if o.addr {
		return &hir.Convert{Info: rvalueInfo(o.Span, e.types.Pointer(f.typ)), Kind: hir.FuncDecay, X: ref}
	}
	return ref
}

// materialize makes a temporary object of a prvalue; glvalues stay.
func (e *env) materialize(x hir.Expr) hir.Expr {
	if isBad(x) || x.Category() != hir.PRValue || x.Type().IsVoid() {
		return x
	}
	m := &hir.Materialize{Info: hir.Info{Span: spanOf(x), T: x.Type(), Cat: hir.XValue}, X: x}
	m.Destroy = e.destructorOf(x.Type(), spanOf(x))
	return m
}
