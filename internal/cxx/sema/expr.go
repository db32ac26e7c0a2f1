package sema

import (
	"irgl/internal/cpp"
	"irgl/internal/cxx/ast"
	"irgl/internal/cxx/hir"
	"irgl/internal/cxx/types"
)

// expr analyses an expression. The result may be a glvalue, the name of functions, or a
// badExpr after an error; nothing has been loaded.
//
//irgl:flatswitch
func (e *env) expr(x ast.Expr) hir.Expr {
	switch x := x.(type) {
	case *ast.Literal:
		return e.literal(x)
	case *ast.NameExpr:
		return e.nameExpr(x)
	case *ast.ThisExpr:
		return e.thisExpr(x.Span)
	case *ast.ParenExpr:
		return e.paren(x)
	case *ast.UnaryExpr:
		if !e.deeperExpr(x) {
			return e.bad(x)
		}
		y := e.unary(x)
		e.recursion--
		return y
	case *ast.PostfixExpr:
		return e.postfix(x)
	case *ast.BinaryExpr:
		if !e.deeperExpr(x) {
			return e.bad(x)
		}
		y := e.binary(x)
		e.recursion--
		return y
	case *ast.CondExpr:
		return e.conditional(x)
	case *ast.CallExpr:
		if !e.deeperExpr(x) {
			return e.bad(x)
		}
		y := e.call(x)
		e.recursion--
		return y
	case *ast.LaunchExpr:
		return e.launch(x)
	case *ast.IndexExpr:
		return e.index(x)
	case *ast.MemberExpr:
		return e.memberExpr(x)
	case *ast.CastExpr:
		return e.cast(x)
	case *ast.NamedCastExpr:
		return e.namedCast(x)
	case *ast.ConstructExpr:
		return e.constructExpr(x)
	case *ast.InitList:
		return e.listOf(x)
	case *ast.LambdaExpr:
		return e.lambda(x)
	case *ast.SizeofExpr:
		return e.sizeof(x)
	case *ast.SizeofPackExpr:
		return e.sizeofPack(x)
	case *ast.NoexceptExpr:
		return e.noexcept(x)
	case *ast.NewExpr:
		return e.newExpr(x)
	case *ast.DeleteExpr:
		return e.deleteExpr(x)
	case *ast.ThrowExpr:
		return e.throw(x)
	case *ast.TypeidExpr:
		e.errorf(x, codeRefused, "cannot use 'typeid' in device code: there is no run-time type information on the device")
		return e.bad(x)
	case *ast.FoldExpr:
		return e.foldExpr(x)
	case *ast.PackExpansion:
		e.errorf(x, codePack, "pack expansion used outside of a list")
		return e.bad(x)
	case *ast.StmtExpr:
		return e.stmtExpr(x)
	case *ast.TraitExpr:
		return e.traitExpr(x)
	case *ast.OffsetofExpr:
		return e.offsetof(x)
	}
	return e.bad(x)
}

// deeperExpr counts an expression around those that are analysed next. It reports an error and
// false beyond the limit.
func (e *env) deeperExpr(x ast.Expr) bool {
	if e.stopped {
		return false
	}
	if e.recursion++; e.recursion > maxRecursion {
		e.recursion--
		e.errorf(x, codeDepth, "expressions and instances are nested too deeply")
		return false
	}
	return true
}

// value analyses an expression whose value is needed: a prvalue, or an object.
func (e *env) value(x ast.Expr) hir.Expr { return e.load(e.expr(x)) }

// exprs analyses a list in which packs are expanded.
func (e *env) exprs(list []ast.Expr) []hir.Expr {
	out := e.nodes.args.New(len(list))
	for _, x := range list {
		p, ok := x.(*ast.PackExpansion)
		if !ok {
			out = append(out, e.expr(x))
			continue
		}
		if !e.expand(p, func(e *env) { e.expr(p.X) }, func(e *env) { out = append(out, e.expr(p.X)) }) {
			out = append(out, e.bad(x))
		}
	}
	return out
}

func (e *env) paren(x *ast.ParenExpr) hir.Expr {
	y := e.expr(x.X)
	if k, ok := y.(*hir.ConstExpr); ok && k.Literal {
		return y
	}
	return y
}

// nameExpr resolves a name that is used as an expression.
func (e *env) nameExpr(x *ast.NameExpr) hir.Expr {
	n := x.Name
	if v := e.localNamed(n); v != nil {
		return e.useVariable(v, x.Span)
	}
	if r := e.functionName(x); r != nil {
		return r
	}
	q := e.qualifier(n)
	if q.bad || q.typ.Dependent() {
		return e.bad(x)
	}
	f := e.find(q, n, anything)
	return e.foundExpr(x, q, &f)
}

// foundExpr is nameExpr for a name that has been looked up.
func (e *env) foundExpr(x *ast.NameExpr, q qualifier, f *finding) hir.Expr {
	n := x.Name
	if n.Last.Kind == ast.ConversionName || n.Last.Kind == ast.DestructorName {
		f = &finding{}
	}
	if !f.found() {
		if f.class == nil {
			e.undeclared(n, q, f, "")
		}
		return e.bad(x)
	}
	if f.ambiguous[0] != nil {
		e.ambiguousMember(x, n.Last.Ident, f)
		return e.bad(x)
	}
	if e.ambiguousName(n, f) {
		return e.bad(x)
	}
	e.checkAccess(f, nil, n)
	return e.objectExpr(f, q, n, x.Span)
}

// objectExpr returns the expression that a found object is.
//
//irgl:flatswitch
func (e *env) objectExpr(f *finding, q qualifier, n *ast.Name, at ast.Span) hir.Expr {
	switch o := f.obj.(type) {
	case *variable:
		return e.useVariable(o, at)
	case *enumConst:
		return e.useEnumerator(o, at)
	case *overloads:
		return e.overloadSet(f, q, n, nil)
	case *field:
		return e.implicitMember(o, f.class, q, at)
	case *binding:
		return e.useBinding(o, at)
	case *packVar:
		i, ok := e.packIndex(len(o.vars), &ast.Ident{Name: n.Last.Ident}, at)
		if !ok {
			return e.bad(at)
		}
		return e.useVariable(o.vars[i], at)
	case *bound:
		return e.boundValue(o, n, at)
	case *template:
		if o.kind == varTemplate {
			return e.variableTemplate(o, n, at)
		}
	case *opaque:
		e.reportOpaque(at, o)
		return e.bad(at)
	}
	if isTypeLike(f.obj) {
		if isNamespace(f.obj) {
			e.errorf(at, codeNotValue, "unexpected namespace name '%s': expected expression", n.Last.Ident)
		} else {
			e.errorf(at, codeNotValue, "'%s' does not refer to a value", n.Last.Ident)
		}
	}
	return e.bad(at)
}

// boundValue returns the value that a parameter of a template has.
func (e *env) boundValue(b *bound, n *ast.Name, at ast.Span) hir.Expr {
	arg, ok := e.element(b, at)
	if !ok {
		return e.bad(at)
	}
	switch arg.Kind {
	case types.ValueArg:
		return e.argValue(arg, at)
	case types.DependentValue:
		return e.bad(at)
	}
	e.errorf(at, codeNotValue, "'%s' does not refer to a value", n.Last.Ident)
	return e.bad(at)
}

// argValue returns the value of a template's argument.
func (e *env) argValue(arg types.Arg, at ast.Span) hir.Expr {
	t := arg.Type
	switch en := arg.Value.Entity.(type) {
	case *hir.Var:
		x := e.ref(en, at)
		if t.IsRef() {
			return x
		}
		if en.Type.IsArray() {
			return &hir.Convert{Info: rvalueInfo(at, t), Kind: hir.Decay, X: x}
		}
		return &hir.AddrOf{Info: rvalueInfo(at, t), X: x}
	case *hir.Func:
		x := &hir.FuncRef{Info: hir.Info{Span: at, T: functionOf(en).typ, Cat: hir.LValue}, Func: en}
		switch {
		case t.IsRef():
			return x
		case t.Is(types.MemberPointer):
			return &hir.MemberPtr{Info: rvalueInfo(at, t), Func: en}
		}
		return &hir.Convert{Info: rvalueInfo(at, t), Kind: hir.FuncDecay, X: x}
	case *types.Field:
		own := e.types.MemberPointer(e.types.Class(en.Class), t.Elem)
		return e.convertTo(&hir.MemberPtr{Info: rvalueInfo(at, own), Field: en}, t, "template argument")
	}
	if t.IsPointer() || t.Is(types.MemberPointer) && arg.Value.Int == 0 {
		return e.scalar(&hir.ConstExpr{Info: rvalueInfo(at, e.basic(types.Nullptr)), Value: hir.Const{Type: e.basic(types.Nullptr)}}, t)
	}
	return e.intConst(arg.Value.Int, t.Unqualified(), at)
}

func (e *env) useEnumerator(o *enumConst, at ast.Span) hir.Expr {
	t := e.types.Enum(o.enum.t)
	e.resolveEnum(o.enum)
	if o.enum.state == active { // inside of its own definition
		e.resolveEnumerator(o)
		return e.intConst(o.value, o.typ, at)
	}
	return &hir.ConstExpr{Info: rvalueInfo(at, t), Value: hir.Const{Type: t, Int: o.value}}
}

// overloadSet returns the functions that a name means, with its template arguments.
func (e *env) overloadSet(f *finding, q qualifier, n *ast.Name, object hir.Expr) hir.Expr {
	o := e.nodes.sets.New()
	o.Span, o.T, o.Cat, o.name, o.object, o.class = n.Span, e.basic(types.Overload), hir.LValue, n, object, f.class
	o.using, o.qualified = f.using, !q.none()
	if object != nil {
		o.through = classOfType(object.Type())
	}
	o.addFound(e, f.obj)
	for _, x := range f.more {
		o.addFound(e, x)
	}
	if n.Last.HasArgs {
		args, ok := e.rawArgs(n.Last.Args)
		if !ok {
			return e.bad(n)
		}
		o.targs, o.hasArgs = args, true
		if dependentArgs(args) {
			return e.bad(n)
		}
	}
	o.adl = !o.qualified && f.class == nil && object == nil && !e.local(f)
	if f.class != nil && object == nil {
		if this := e.thisFor(f.class, n.Span); this != nil {
			o.object = e.asNamed(this, q)
		}
	}
	return o
}

// addFound adds the functions that a name means of those found.
func (o *overloadExpr) addFound(e *env, x object) {
	switch set := x.(type) {
	case *overloads:
		e.resolveSet(set)
		first := len(o.funcs) == 0
		if first {
			o.funcs = e.nodes.funcs.New(len(set.funcs))
		}
		for _, fn := range set.funcs {
			switch {
			case fn.friend || e.order > 0 && fn.class == nil && fn.order > e.order: // a complete class has all its members
			case first: // those of one scope are different
				o.funcs = append(o.funcs, fn)
			default:
				o.addFunc(e.checker, fn)
			}
		}
		if first && len(o.funcs) == len(set.funcs) {
			o.whole = set
		}
	case *opaque:
		o.opaque = set
	}
}

// local reports whether functions were found in a block.
func (e *env) local(f *finding) bool {
	set, ok := f.obj.(*overloads)
	return ok && set.scope.kind == blockScope
}

// addFunc adds a function, unless it is there or a using-declaration brings it into a class
// that has a function of its parameters itself ([namespace.udecl]/15).
func (o *overloadExpr) addFunc(c *checker, f *function) {
	for _, g := range o.funcs {
		if g == f || g.class != nil && f.class != nil && g.class.basePath(f.class) != nil && c.hides(g, f) {
			return
		}
	}
	o.funcs = append(o.funcs, f)
}

// thisFor returns *this for a member of class k, or nil where there is none.
func (e *env) thisFor(k *class, at ast.Span) hir.Expr {
	this := e.currentThis(at)
	if this == nil {
		return nil
	}
	t := this.Type().Elem
	own := classOfType(t)
	if own != k && own.basePath(k) == nil && k.basePath(own) == nil {
		return nil
	}
	return &hir.Deref{Info: hir.Info{Span: at, T: t, Cat: hir.LValue}, X: this}
}

// currentThis returns the value of this, or nil.
func (e *env) currentThis(at ast.Span) hir.Expr {
	if e.this != nil {
		return e.load(e.ref(e.this, at))
	}
	b := e.body
	if b == nil {
		return nil
	}
	if b.closure != nil {
		return e.capturedThis(at)
	}
	if b.hir.This != nil {
		return e.load(e.ref(b.hir.This, at))
	}
	return nil
}

func (e *env) thisExpr(at ast.Span) hir.Expr {
	x := e.currentThis(at)
	if x == nil {
		e.errorf(at, codeThis, "invalid use of 'this' outside of a non-static member function")
		return e.bad(at)
	}
	return x
}

// implicitMember returns a field that is named alone: this->field.
func (e *env) implicitMember(f *field, k *class, q qualifier, at ast.Span) hir.Expr {
	obj := e.thisFor(k, at)
	if obj == nil {
		if e.unevaluated {
			return &hir.Field{Info: hir.Info{Span: at, T: f.t.Type.Unref(), Cat: hir.LValue}, X: &stubExpr{hir.Info{Span: at, T: e.types.Class(k.t), Cat: hir.LValue}}, Field: f.t}
		}
		e.errorf(at, codeThis, "invalid use of non-static data member '%s'", f.t.Name)
		return e.bad(at)
	}
	return e.fieldOf(e.asNamed(obj, q), f, at)
}

// fieldOf returns a field of an object.
func (e *env) fieldOf(obj hir.Expr, f *field, at ast.Span) hir.Expr {
	if e.refuseVirtual(classOfType(obj.Type()), at) {
		return e.bad(at)
	}
	if k := classOfType(obj.Type()); k != nil && k != f.class {
		if k.basePath(f.class) == nil {
			e.errorf(at, codeNoMember, "field '%s' is not a member of '%s'", f.t.Name, obj.Type())
			return e.bad(at)
		}
		obj = e.toBase(obj, e.types.Qualify(e.types.Class(f.class.t), obj.Type().CV))
	}
	for _, p := range f.path {
		obj = &hir.Field{Info: hir.Info{Span: at, T: e.types.Qualify(p.Type, obj.Type().CV), Cat: obj.Category()}, X: obj, Field: p}
	}
	if !f.t.Type.IsValid() {
		return e.bad(at)
	}
	t := f.t.Type
	cat := obj.Category()
	if cat == hir.PRValue {
		cat = hir.XValue
		obj = e.materialize(obj)
	}
	if t.IsRef() {
		t, cat = t.Elem, hir.LValue
	} else {
		cv := obj.Type().CV
		if f.t.Mutable {
			cv &^= types.Const
		}
		t = e.types.Qualify(t, cv)
	}
	m := e.nodes.fields.New()
	m.Span, m.T, m.Cat, m.X, m.Field = at, t, cat, obj, f.t
	return m
}

// isLoadOfPure reports whether x is the value of an object or a constant, which may be read twice.
func isLoadOfPure(x hir.Expr) bool {
	switch x := x.(type) {
	case *hir.ConstExpr:
		return true
	case *hir.Convert:
		return isPure(x.X) || isLoadOfPure(x.X)
	}
	return false
}

// conditional analyses c ? a : b.
func (e *env) conditional(x *ast.CondExpr) hir.Expr {
	if x.Then == nil {
		c := e.load(e.expr(x.Cond))
		b := e.expr(x.Else)
		if isBad(c) || isBad(b) {
			return e.bad(x)
		}
		if !isPure(c) && !isLoadOfPure(c) {
			e.errorf(x, codeRefused, "'?:' without a second operand is not supported where the first has effects: name its value")
			return e.bad(x)
		}
		return e.chosen(x.Span, e.toBool(c), c, b)
	}
	c := e.toBool(e.expr(x.Cond))
	a, b := e.operand(x.Then), e.operand(x.Else)
	if isBad(c) || isBad(a) || isBad(b) {
		return e.bad(x)
	}
	return e.chosen(x.Span, c, a, b)
}

// operand analyses an expression that may be a throw.
func (e *env) operand(x ast.Expr) hir.Expr { return e.single(e.expr(x)) }

// chosen makes a conditional expression of operands (C++17, 8.16).
func (e *env) chosen(at ast.Span, c, a, b hir.Expr) hir.Expr {
	cond := func(t types.Type, cat hir.Category, a, b hir.Expr) hir.Expr {
		if isBad(a) || isBad(b) {
			return e.bad(at)
		}
		x := e.nodes.conds.New()
		*x = hir.Cond{Info: hir.Info{Span: at, T: t, Cat: cat}, C: c, X: a, Y: b}
		return x
	}
	at1, bt := a.Type(), b.Type()
	if at1.IsVoid() != bt.IsVoid() { // a throw has the type of the other operand
		if isThrow(a) && !bt.IsVoid() {
			a = e.thrown(a, b)
		} else if isThrow(b) {
			b = e.thrown(b, a)
		}
		at1, bt = a.Type(), b.Type()
	}
	if at1.IsVoid() || bt.IsVoid() {
		if !at1.IsVoid() || !bt.IsVoid() {
			e.errorf(at, codeOperands, "left operand to ? is '%s', but right operand is of type '%s'", at1, bt)
			return e.bad(at)
		}
		return cond(at1, hir.PRValue, a, b)
	}
	if at1 == bt && a.Category() == b.Category() && a.Category() != hir.PRValue && !isBitField(a) && !isBitField(b) {
		return cond(at1, a.Category(), a, b)
	}
	if e.types.Unqualify(at1) == e.types.Unqualify(bt) && a.Category() == b.Category() && a.Category() != hir.PRValue {
		t := e.types.Qualify(at1, bt.Qualifiers())
		return cond(t, a.Category(), e.requalify(a, t), e.requalify(b, t))
	}
	if at1.IsClass() || bt.IsClass() {
		return e.chosenClass(at, a, b, cond)
	}
	a, b = e.load(a), e.load(b)
	if isBad(a) || isBad(b) {
		return e.bad(at)
	}
	t := e.commonType(a, b)
	if !t.IsValid() {
		e.errorf(at, codeOperands, "incompatible operand types ('%s' and '%s')", a.Type(), b.Type())
		return e.bad(at)
	}
	return cond(t, hir.PRValue, e.scalar(a, t), e.scalar(b, t))
}

// commonType returns the type that the operands of ?: or a comparison are converted to;
// they are prvalues of scalars.
func (e *env) commonType(a, b hir.Expr) types.Type {
	x, y := a.Type().Unqualified(), b.Type().Unqualified()
	ax, ay := x.IsArithmetic() || x.IsIntegerOrEnum(), y.IsArithmetic() || y.IsIntegerOrEnum()
	switch {
	case x == y:
		return x
	case ax && ay:
		return e.usual(a, b)
	case (x.IsPointer() || x.Is(types.MemberPointer)) && isNull(b):
		return x
	case (y.IsPointer() || y.Is(types.MemberPointer)) && isNull(a):
		return y
	case x.IsPointer() && y.IsPointer():
		return e.compositePointer(x, y)
	case x.Is(types.MemberPointer) && y.Is(types.MemberPointer):
		el := x.Elem
		if e.sameFunc(el, y.Elem) {
			el = y.Elem
		} else if el != y.Elem && !e.sameFunc(y.Elem, el) {
			break
		}
		switch {
		case x.Of == y.Of || e.derives(x.Of, y.Of):
			return e.types.MemberPointer(x.Of, el)
		case e.derives(y.Of, x.Of):
			return e.types.MemberPointer(y.Of, el)
		}
	}
	return types.Type{}
}

// usual returns the type of the usual arithmetic conversions.
func (e *env) usual(a, b hir.Expr) types.Type {
	x, y := a.Type().Unqualified(), b.Type().Unqualified()
	if x.IsFloat() || y.IsFloat() {
		if x == y {
			return x
		}
		return e.types.UsualArithmetic(x, y)
	}
	return e.types.UsualArithmetic(e.promotes(a, x), e.promotes(b, y))
}

// compositePointer returns the type to which two pointers convert.
func (e *env) compositePointer(x, y types.Type) types.Type {
	a, b := x.Elem, y.Elem
	cv := a.CV | b.CV
	switch {
	case a.Unqualified() == b.Unqualified():
		return e.types.Pointer(e.types.Qualify(a, cv))
	case a.IsFunc() && e.sameFunc(a, b): // b is a without noexcept
		return y
	case b.IsFunc() && e.sameFunc(b, a):
		return x
	case a.IsVoid() || b.IsVoid():
		if a.IsFunc() || b.IsFunc() {
			return types.Type{}
		}
		return e.types.Pointer(e.types.Qualify(e.basic(types.Void), cv))
	case e.derives(a.Unqualified(), b.Unqualified()):
		return e.types.Pointer(e.types.Qualify(b, cv))
	case e.derives(b.Unqualified(), a.Unqualified()):
		return e.types.Pointer(e.types.Qualify(a, cv))
	}
	if ok, _ := e.qualifies(x, y); ok {
		return y
	}
	if ok, _ := e.qualifies(y, x); ok {
		return x
	}
	return types.Type{}
}

// index analyses x[i].
func (e *env) index(x *ast.IndexExpr) hir.Expr {
	a, i := e.expr(x.X), e.expr(x.Index)
	if isBad(a) || isBad(i) {
		return e.bad(x)
	}
	if a.Type().IsClass() || i.Type().IsClass() {
		return e.operatorCall(x.Span, "[]", cpp.LBracket, []hir.Expr{a, i})
	}
	return e.subscript(x.Span, a, i)
}

// subscript is the built-in x[i].
func (e *env) subscript(at ast.Span, a, i hir.Expr) hir.Expr {
	cat := hir.LValue
	if a.Type().IsArray() && a.Category() != hir.LValue {
		cat = hir.XValue
	}
	a, i = e.load(a), e.load(i)
	if isBad(a) || isBad(i) {
		return e.bad(at)
	}
	if !a.Type().IsPointer() {
		a, i = i, a
		cat = hir.LValue
	}
	if !a.Type().IsPointer() {
		e.errorf(at, codeOperands, "subscripted value is not an array or pointer")
		return e.bad(at)
	}
	if !i.Type().IsIntegerOrEnum() {
		e.errorf(i, codeOperands, "array subscript is not an integer")
		return e.bad(at)
	}
	t := a.Type().Elem
	if !e.requireComplete(t, at, "subscript of pointer to incomplete type") {
		return e.bad(at)
	}
	return e.nodes.deref(at, t, cat, e.nodes.binary(at, a.Type(), hir.Add, a, e.promote(i)))
}

// promote performs the integral promotions.
func (e *env) promote(x hir.Expr) hir.Expr {
	if isBad(x) || !x.Type().IsIntegerOrEnum() || x.Type() == e.basic(types.Int) {
		return x
	}
	return e.scalar(x, e.promotes(loaded(x), x.Type().Unqualified()))
}

func (e *env) stmtExpr(x *ast.StmtExpr) hir.Expr {
	if e.body == nil {
		e.errorf(x, codeContext, "statement expression not allowed at file scope")
		return e.bad(x)
	}
	s := &hir.StmtExpr{Info: rvalueInfo(x.Span, e.basic(types.Void))}
	sub := *e
	sub.scope = newScope(blockScope, e.scope)
	sub.scope.body = e.body
	saved := e.body.stmts
	e.body.stmts = &s.Body
	n := len(x.Body.Stmts)
	for i, st := range x.Body.Stmts {
		if last, ok := st.(*ast.ExprStmt); ok && i == n-1 {
			v := sub.load(sub.expr(last.X))
			if isBad(v) {
				e.body.stmts = saved
				return e.bad(x)
			}
			if v.Type().IsClass() && v.Category() != hir.PRValue {
				v = sub.copyObject(v, v.Type())
			}
			if v.Type().IsVoid() {
				s.Body = append(s.Body, &hir.ExprStmt{Span: last.Span, X: v})
			} else {
				s.Value, s.T = v, v.Type().Unqualified()
			}
			continue
		}
		sub.statement(st)
	}
	e.body.stmts = saved
	return s
}
