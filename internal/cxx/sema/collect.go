package sema

import (
	"irgl/internal/cxx/ast"
	"irgl/internal/cxx/hir"
	"irgl/internal/cxx/parse"
	"irgl/internal/cxx/types"
	"irgl/internal/source"
)

// A collector finds what the kernels of a program reach: functions whose bodies it asks
// for, variables and classes, in the order of first use.
type collector struct {
	*checker
	p     *hir.Program
	queue []*function
	// generation is that of the function whose body is being walked.
	generation int32
	visitExpr  func(hir.Expr) // expr
	visitStmt  func(hir.Stmt) // stmt
}

// collect analyses the kernels and what they reach.
func (c *checker) collect(roots []*function) *hir.Program {
	k := &collector{checker: c, p: &hir.Program{Types: c.types, Host: c.opts.Host}}
	k.visitExpr, k.visitStmt = k.expr, k.stmt
	if c.opts.Host {
		k.initialised()
	}
	for _, f := range roots {
		k.function(f)
	}
	k.drain()
	if c.opts.Host {
		k.computeInitials(roots)
	}
	if !c.opts.Host {
		for _, v := range append(c.variables, c.exportedMembers()...) {
			k.ofHost(v)
		}
	}
	k.drain()
	return k.p
}

// analyseUnreached analyses the functions for the device that no kernel reaches, as nvcc
// does, and those that are instantiated explicitly. Other templates have no instance.
func (c *checker) analyseUnreached() {
	for _, f := range c.unreached {
		if sym := f.scope.get(f.name); sym != nil {
			if o, ok := sym.what.(*overloads); ok {
				c.resolveSet(o)
			}
		}
		if f.tmpl == nil && !f.bad && !c.stopped {
			c.hirFunc(f)
			c.analyseBody(f)
		}
	}
	for _, x := range c.explicits {
		for _, f := range c.instantiated(x) {
			if f.has(ast.Device) && !f.has(ast.Host) && !f.bad && !c.stopped && !c.opts.Embedded[f.at.Pos().File] {
				c.hirFunc(f)
				c.analyseBody(f)
			}
		}
	}
}

// drain analyses the functions that are used, and those that they use.
func (k *collector) drain() {
	for len(k.queue) > 0 && !k.stopped {
		f := k.queue[0]
		k.queue = k.queue[1:]
		k.body(f)
	}
}

// ofHost adds a variable that the program defines in device memory: host code may name it,
// whether or not a kernel does.
func (k *collector) ofHost(v *variable) {
	if spaceOf(v.specs) == hir.Local || spaceOf(v.specs) == hir.Shared || v.specs.Has(ast.Constexpr) || v.external && v.def == nil {
		return
	}
	if k.variableType(v).IsValid() && !v.failed {
		k.variable(v.hir)
	}
}

// function adds a function that is used.
func (k *collector) function(f *function) {
	h := k.hirFunc(f)
	if h.Used {
		return
	}
	h.Used = true
	if k.opts.Host && h.Kind == hir.Kernel && f.name != k.opts.Entry {
		k.p.Kernels = append(k.p.Kernels, h)
		return
	}
	if f.generation = k.generation; f.isInstance() {
		f.generation++
	}
	k.queue = append(k.queue, f)
}

// body analyses a function's body and walks it.
func (k *collector) body(f *function) {
	h := f.hir
	if k.generation = f.generation; k.generation > maxDepth { // instances whose bodies ask for ever new ones
		k.tooDeep(f.at)
		return
	}
	k.analyseBody(f)
	if h.Builtin != "" {
		return
	}
	if h.Trivial {
		return
	}
	k.attributes(f)
	if h.Body == nil && h.Kind == hir.Kernel { // launched, and defined in another file
		for _, p := range h.Params {
			k.typ(p.Type)
		}
		return
	}
	h.Linkage = k.linkage(f)
	if h.Body == nil {
		if k.opts.Host && k.machines(f) {
			return
		}
		if h.Linkage != hir.Internal && f.special == notSpecial { // of another file
			h.Linkage = hir.External
			k.declared(h)
			k.p.Funcs = append(k.p.Funcs, h)
			return
		}
		if !f.bad && k.diags.Errors() == 0 && f.special == notSpecial {
			k.undefined(f)
		}
		return
	}
	k.p.Funcs = append(k.p.Funcs, h)
	k.declared(h)
	k.stmt(h.Body)
}

// declared notes what the declaration of a function uses.
func (k *collector) declared(h *hir.Func) {
	k.typ(h.Result)
	if h.This != nil {
		k.typ(h.This.Type.Elem)
	}
	for _, p := range h.Params {
		k.typ(p.Type)
		k.call(p.Destroy)
	}
}

// attributes evaluates the launch bounds of a kernel, per instance.
func (k *collector) attributes(f *function) {
	a := f.attrs
	if a == nil {
		return
	}
	s := f.defIn
	if s == nil {
		s = f.scope
	}
	e := &env{checker: k.checker, scope: s, order: f.bodyOrder()}
	list := func(xs []ast.Expr, what string) []int64 {
		var out []int64
		for _, x := range xs {
			n, ok := e.intConstant(x, "'"+what+"' attribute requires an integer constant")
			if !ok {
				return nil
			}
			switch {
			case n < 0 && what == launchBounds: // as nvcc
				e.warnf(x, codeLaunchBounds, "a launch bound of %d has no effect", n)
				return nil
			case n < 0:
				e.errorf(x, codeLaunchBounds, "'%s' attribute requires a non-negative integral constant", what)
				return nil
			case n > maxBlock && what == launchBounds && len(out) == 0:
				e.warnf(x, codeLaunchBounds, "a block has at most %d threads, not %d", maxBlock, n)
				n = maxBlock
			}
			out = append(out, n)
		}
		return out
	}
	f.hir.Bounds = list(a.LaunchBounds, launchBounds)
	f.hir.Cluster = list(a.Cluster, "cluster_dims")
	if f.has(ast.Global) && len(a.Cluster) == 0 {
		f.hir.Cluster = nil
	}
}

// launchBounds is the name of an attribute, and maxBlock how many threads a block can have.
const (
	launchBounds = "launch_bounds"
	maxBlock     = 1024
)

func (k *collector) undefined(f *function) {
	if k.opts.Host {
		k.undefinedHost(f)
		return
	}
	d := k.errorf(f.at, codeUndefined, "function '%s' has no definition in this translation unit, which device code needs", k.fullName(f))
	d.Hint = k.undefinedHint()
}

// expr notes what an expression uses. The commonest are first; what is loaded has the type that it is
// loaded as, and the types of arithmetic, and those between its operands and it, have no other classes.
func (k *collector) expr(x hir.Expr) {
	for x != nil {
		switch y := x.(type) {
		case *hir.VarRef:
			if !y.Var.Used {
				k.variable(y.Var)
			}
			k.typ(y.T)
			return
		case *hir.Convert:
			if y.Kind != hir.Load {
				k.typ(y.T)
			}
			x = y.X
		case *hir.Binary:
			k.expr(y.X)
			x = y.Y
		case *hir.Deref:
			x = y.X
		case *hir.Field:
			k.typ(y.T)
			x = y.X
		case *hir.ConstExpr:
			k.typ(y.T)
			k.constant(&y.Value)
			return
		default:
			k.otherExpr(y)
			return
		}
	}
}

func (k *collector) otherExpr(x hir.Expr) {
	switch x := x.(type) {
	case *hir.Call:
		k.call(x.Func)
	case *hir.Launch:
		k.call(x.Func)
	case *hir.Aggregate:
		k.call(x.Rest)
	case *hir.Construct:
		k.call(x.Func)
	case *hir.FuncRef:
		k.call(x.Func)
		k.addressed(x)
	case *hir.MemberPtr:
		k.call(x.Func)
	case *hir.Materialize:
		k.call(x.Destroy)
	case *hir.Delete:
		k.call(x.Destroy)
		k.call(x.Free)
	case *hir.New:
		k.typ(x.Elem)
	}
	k.typ(x.Type())
	hir.Parts(x, k.visitExpr, k.visitStmt)
}

// stmt notes what a statement uses.
func (k *collector) stmt(s hir.Stmt) {
	switch s := s.(type) {
	case *hir.ExprStmt:
		k.expr(s.X)
		return
	case *hir.VarStmt:
		for _, v := range s.Vars {
			k.variable(v)
		}
	}
	hir.Parts(s, k.visitExpr, k.visitStmt)
}

func (k *collector) call(h *hir.Func) {
	if h == nil {
		return
	}
	if f := functionOf(h); f != nil {
		k.function(f)
	}
}

// variable adds a variable that is used.
func (k *collector) variable(h *hir.Var) {
	if h.Used {
		return
	}
	h.Used = true
	k.typ(h.Type)
	k.call(h.Destroy)
	v, _ := h.Decl.(*variable)
	if v == nil || h.Builtin != "" {
		return
	}
	if v.owner != nil {
		if h.Static || h.Space != hir.Local {
			h.Linkage, _ = k.variableLinkage(v)
			k.p.Vars = append(k.p.Vars, h)
		}
		k.constant(h.Value)
		return
	}
	k.define(v, h)
	h.Linkage, h.Extern = k.variableLinkage(v)
	k.p.Vars = append(k.p.Vars, h)
	k.constant(h.Value)
}

// define analyses the initialiser of a variable that is not local.
func (k *collector) define(v *variable, h *hir.Var) {
	if h.Space == hir.Local {
		h.Space = hir.Device // a constant of the host whose address is needed
	}
	if h.Value == nil {
		k.staticInit(v, k.initEnv(v))
	}
}

// constant adds what the value of a variable refers to.
func (k *collector) constant(c *hir.Const) {
	if c == nil {
		return
	}
	switch b := c.Base.(type) {
	case *hir.Var:
		k.variable(b)
	case *hir.Func:
		k.call(b)
	}
	for _, list := range [...][]*hir.Const{c.Bases, c.Fields, c.Elems} {
		for _, x := range list {
			k.constant(x)
		}
	}
}

// typ adds the classes that a type consists of, those inside of others first.
func (k *collector) typ(t types.Type) {
	if !t.IsArithmetic() && !t.IsVoid() {
		k.compound(t)
	}
}

// compound is typ for a type that may have classes in it.
func (k *collector) compound(t types.Type) {
	for t.IsRef() || t.IsArray() || t.IsPointer() {
		t = t.Elem
	}
	if t.IsEnum() {
		if x, ok := t.Enum.Decl.(*enum); ok {
			k.resolveEnum(x) // its type is needed where none of its enumerators is
		}
		return
	}
	if !t.IsClass() {
		return
	}
	c := t.Class
	d := classOfType(t)
	if d.collected || !c.Complete {
		return
	}
	d.collected = true
	for i := range c.Bases {
		k.typ(k.types.Class(c.Bases[i].Class))
	}
	for _, f := range c.Fields {
		k.typ(f.Type)
	}
	k.p.Classes = append(k.p.Classes, c)
}

// parseName returns the name that a text is, or nil.
func parseName(text string) *ast.Name {
	var diags source.List
	n := parse.Name(text, &diags)
	if diags.Errors() > 0 {
		return nil
	}
	return n
}

// named returns the instance of a template kernel that a text names, such as
// reduce<float, 256>.
func (c *checker) named(text string) *function {
	n := parseName(text)
	if n == nil {
		c.errorf(ast.Span{}, codeInstance, "the name of an instance is malformed: %s", text)
		return nil
	}
	e := &env{checker: c, scope: c.global.scope}
	var found *function
	why := c.try(func() {
		q := e.qualifier(n)
		if q.bad {
			return
		}
		f := e.member(q, segmentKey(n.Last), anything, n)
		if !f.found() {
			e.undeclared(n, q, &f, "")
			return
		}
		o, ok := e.overloadSet(&f, q, n, nil).(*overloadExpr)
		if !ok {
			return
		}
		for _, g := range o.funcs {
			if g.tmpl != nil && g.has(ast.Global) {
				if h := e.explicitInstance(g, o.targs); h != nil {
					found = h
				}
			} else if g.has(ast.Global) && !o.hasArgs {
				found = g
			}
		}
	})
	if found == nil {
		d := c.errorf(ast.Span{}, codeInstance, "no kernel is the instance '%s'", text)
		if why != nil {
			d.Notes = append(d.Notes, source.Diagnostic{Severity: source.Note, Message: why.Message})
		}
	}
	return found
}
