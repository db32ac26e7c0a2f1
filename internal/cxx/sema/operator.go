package sema

import (
	"irgl/internal/cpp"
	"irgl/internal/cxx/ast"
	"irgl/internal/cxx/hir"
	"irgl/internal/cxx/types"
)

// binaryOps are the operators that compute a value, and assignOps those that store it.
var (
	binaryOps = [...]hir.BinaryOp{
		cpp.Plus: hir.Add, cpp.Minus: hir.Sub, cpp.Star: hir.Mul, cpp.Slash: hir.Div, cpp.Percent: hir.Rem, cpp.Amp: hir.And,
		cpp.Pipe: hir.Or, cpp.Caret: hir.Xor, cpp.LessLess: hir.Shl, cpp.GreaterGreater: hir.Shr, cpp.EqualEqual: hir.Eq,
		cpp.NotEqual: hir.Ne, cpp.Less: hir.Lt, cpp.LessEqual: hir.Le, cpp.Greater: hir.Gt, cpp.GreaterEqual: hir.Ge,
		cpp.AmpAmp: hir.LogAnd, cpp.PipePipe: hir.LogOr,
	}
	assignOps = [...]hir.BinaryOp{
		cpp.PlusEqual: hir.Add, cpp.MinusEqual: hir.Sub, cpp.StarEqual: hir.Mul, cpp.SlashEqual: hir.Div,
		cpp.PercentEqual: hir.Rem, cpp.AmpEqual: hir.And, cpp.PipeEqual: hir.Or, cpp.CaretEqual: hir.Xor,
		cpp.LessLessEqual: hir.Shl, cpp.GreaterGreaterEqual: hir.Shr,
	}
)

// binaryOp returns the operation of an operator that computes a value; false for others.
func binaryOp(w cpp.Word) (op hir.BinaryOp, ok bool) {
	if int(w) < len(binaryOps) {
		op = binaryOps[w]
	}
	return op, op != hir.NoOp
}

// assignOp returns the operation of an assignment, NoOp for a plain one; false for other operators.
func assignOp(w cpp.Word) (op hir.BinaryOp, ok bool) {
	if int(w) < len(assignOps) {
		op = assignOps[w]
	}
	return op, op != hir.NoOp || w == cpp.Equal
}

// overloadable reports whether an operand lets an operator be a function.
func overloadable(x hir.Expr) bool {
	t := x.Type()
	return t.IsClass() || t.IsEnum()
}

// binary analyses x op y.
func (e *env) binary(x *ast.BinaryExpr) hir.Expr {
	a := e.expr(x.X)
	op, isAssign := assignOp(x.Op)
	if isAssign {
		if l, ok := x.Y.(*ast.InitList); ok && !isBad(a) && !a.Type().IsClass() {
			b := e.initList(a.Type().Unqualified(), e.listOf(l), true, "assignment")
			return e.assign(x.Span, a, op, b)
		}
	}
	b := e.expr(x.Y)
	if isBad(a) || isBad(b) {
		return e.bad(x)
	}
	if overloadable(a) || overloadable(b) {
		if x.Op != cpp.DotStar {
			if r := e.overloadedBinary(x, a, b); r != nil {
				return r
			}
		}
	}
	switch {
	case isAssign:
		return e.assign(x.Span, a, op, b)
	case x.Op == cpp.Comma:
		a, b = e.discard(a), e.single(b)
		if isBad(a) || isBad(b) {
			return e.bad(x)
		}
		return &hir.Comma{Info: hir.Info{Span: x.Span, T: b.Type(), Cat: b.Category()}, X: a, Y: b}
	case x.Op == cpp.DotStar, x.Op == cpp.ArrowStar:
		return e.memberPointerAccess(x, a, b)
	}
	op, _ = binaryOp(x.Op)
	return e.arithmetic(x.Span, op, a, b)
}

// overloadedBinary tries the functions of an operator; nil means the built-in one.
func (e *env) overloadedBinary(x *ast.BinaryExpr, a, b hir.Expr) hir.Expr {
	if x.Op == cpp.Equal {
		if r := e.copyPlain(x.Span, a, b); r != nil {
			return r
		}
	}
	return e.operatorCall(x.Span, x.Op.String(), x.Op, []hir.Expr{a, b}, x.X, x.Y)
}

// arithmetic is a built-in operator of two operands.
func (e *env) arithmetic(at ast.Span, op hir.BinaryOp, a, b hir.Expr) hir.Expr {
	if op == hir.LogAnd || op == hir.LogOr {
		a, b = e.toBool(a), e.toBool(b)
		if isBad(a) || isBad(b) {
			return e.bad(at)
		}
		return e.nodes.binary(at, e.basic(types.Bool), op, a, b)
	}
	if op >= hir.Eq && op <= hir.Ge {
		a, b = e.targetOf(a, b), e.targetOf(b, a)
	}
	a, b = e.load(a), e.load(b)
	if isBad(a) || isBad(b) {
		return e.bad(at)
	}
	if x := e.sameOperands(at, op, a, b); x != nil {
		return x
	}
	ta, tb := a.Type(), b.Type()
	na, nb := ta.IsArithmetic() || ta.IsIntegerOrEnum(), tb.IsArithmetic() || tb.IsIntegerOrEnum()
	switch {
	case op == hir.Shl || op == hir.Shr:
		if ta.IsIntegerOrEnum() && tb.IsIntegerOrEnum() {
			a, b = e.promote(a), e.promote(b)
			e.checkShift(at, a, b)
			return &hir.Binary{Info: rvalueInfo(at, a.Type()), Op: op, X: a, Y: b}
		}
	case op >= hir.Eq && op <= hir.Ge:
		x := e.comparison(at, op, a, b)
		e.checkUnsigned(at, op, x)
		return x
	case op == hir.Add && ta.IsPointer() && tb.IsIntegerOrEnum(), op == hir.Sub && ta.IsPointer() && tb.IsIntegerOrEnum():
		return e.pointerArith(at, op, a, b)
	case op == hir.Add && tb.IsPointer() && ta.IsIntegerOrEnum():
		return e.pointerArith(at, op, b, a)
	case op == hir.Sub && ta.IsPointer() && tb.IsPointer():
		if ta.Elem.Unqualified() == tb.Elem.Unqualified() {
			if !e.sized(ta.Elem, at, "arithmetic on a pointer to an incomplete type") {
				return e.bad(at)
			}
			return &hir.Binary{Info: rvalueInfo(at, e.basic(types.Long)), Op: op, X: a, Y: b}
		}
	case na && nb:
		if (op == hir.Rem || op == hir.And || op == hir.Or || op == hir.Xor) && (ta.IsFloat() || tb.IsFloat()) {
			break
		}
		t := e.usual(unloaded(a), unloaded(b))
		if e.refusesLongDouble(at, t) {
			return e.bad(at)
		}
		if (op == hir.Div || op == hir.Rem) && t.IsInteger() {
			e.checkDivisor(at, op, b)
		}
		return e.nodes.binary(at, t, op, e.scalar(a, t), e.scalar(b, t))
	}
	e.errorf(at, codeOperands, "invalid operands to binary expression ('%s' and '%s')", ta, tb)
	return e.bad(at)
}

// unloaded returns the bit-field that a value was read from, whose width the promotions
// look at, and other values as they are.
func unloaded(x hir.Expr) hir.Expr {
	if l, ok := x.(*hir.Convert); ok && l.Kind == hir.Load {
		if f := bitField(l.X); f != nil {
			return &hir.Field{Info: hir.Info{Span: spanOf(x), T: x.Type()}, X: f.X, Field: f.Field}
		}
	}
	return x
}

func (e *env) refusesLongDouble(at ast.Span, t types.Type) bool {
	if t.Is(types.LongDouble) && !e.unevaluated {
		e.errorf(at, codeRefused, "'long double' is not supported in device code")
		return true
	}
	return false
}

func (e *env) checkShift(at ast.Span, a, b hir.Expr) {
	k, ok := b.(*hir.ConstExpr)
	if !ok || e.unevaluated {
		return
	}
	n := int64(k.Value.Int)
	switch {
	case b.Type().IsSigned() && n < 0:
		e.warnf(at, codeShift, "shift count is negative")
	case n >= int64(a.Type().Width()):
		e.warnf(at, codeShift, "shift count >= width of type")
	}
}

func (e *env) checkDivisor(at ast.Span, op hir.BinaryOp, b hir.Expr) {
	if k, ok := b.(*hir.ConstExpr); ok && k.Value.Int == 0 && b.Type().IsInteger() && !e.unevaluated {
		what := "division"
		if op == hir.Rem {
			what = "remainder"
		}
		e.warnf(at, codeDivision, "%s by zero is undefined", what)
	}
}

// pointerArith is p + i or p - i.
func (e *env) pointerArith(at ast.Span, op hir.BinaryOp, p, i hir.Expr) hir.Expr {
	t := p.Type().Elem
	if t.IsVoid() || t.IsFunc() {
		e.errorf(at, codeOperands, "arithmetic on a pointer to %s", map[bool]string{true: "void", false: "a function type"}[t.IsVoid()])
		return e.bad(at)
	}
	if !e.sized(t, at, "arithmetic on a pointer to an incomplete type") {
		return e.bad(at)
	}
	return &hir.Binary{Info: rvalueInfo(at, p.Type().Unqualified()), Op: op, X: p, Y: e.promote(i)}
}

// targetOf resolves the name of an overloaded function that is compared with a pointer.
func (e *env) targetOf(a, b hir.Expr) hir.Expr {
	if o, ok := a.(*overloadExpr); ok {
		if t := e.types.Decayed(b.Type()); t.IsPointer() && t.Elem.IsFunc() {
			return e.resolveAddress(o, t)
		}
	}
	return a
}

// comparison is a built-in comparison of prvalues.
func (e *env) comparison(at ast.Span, op hir.BinaryOp, a, b hir.Expr) hir.Expr {
	x, y := a.Type().Unqualified(), b.Type().Unqualified()
	result := func(t types.Type) hir.Expr {
		return e.nodes.binary(at, e.basic(types.Bool), op, e.scalar(a, t), e.scalar(b, t))
	}
	ordered := op != hir.Eq && op != hir.Ne
	switch {
	case x.IsEnum() && x == y:
		e.resolveEnum(enumOf(x))
		if x.Enum.Scoped {
			return result(x)
		}
		return result(e.usual(a, b))
	case (x.IsArithmetic() || x.IsIntegerOrEnum()) && (y.IsArithmetic() || y.IsIntegerOrEnum()):
		t := e.usual(unloaded(a), unloaded(b))
		if e.refusesLongDouble(at, t) {
			return e.bad(at)
		}
		return result(t)
	case x.Is(types.Nullptr) && y.Is(types.Nullptr) && !ordered:
		return e.intConst(map[bool]uint64{true: 1}[op == hir.Eq], e.basic(types.Bool), at)
	case x.IsPointer() || y.IsPointer():
		if ordered && (isNull(a) || isNull(b)) && !(x.Is(types.Nullptr) || y.Is(types.Nullptr)) {
			break
		}
		if t := e.commonType(a, b); t.IsValid() && t.IsPointer() {
			return result(t)
		}
		if x.IsPointer() && y.IsPointer() {
			e.errorf(at, codeOperands, "comparison of distinct pointer types ('%s' and '%s')", x, y)
			return e.bad(at)
		}
		if x.IsIntegerOrEnum() || y.IsIntegerOrEnum() {
			e.errorf(at, codeOperands, "comparison between pointer and integer ('%s' and '%s')", x, y)
			return e.bad(at)
		}
	case x.Is(types.MemberPointer) || y.Is(types.MemberPointer):
		if t := e.commonType(a, b); t.IsValid() && !ordered {
			return result(t)
		}
	}
	e.errorf(at, codeOperands, "invalid operands to binary expression ('%s' and '%s')", x, y)
	return e.bad(at)
}

// assign is a built-in assignment.
func (e *env) assign(at ast.Span, a hir.Expr, op hir.BinaryOp, b hir.Expr) hir.Expr {
	a = e.single(a)
	if isBad(a) || isBad(b) || !e.assignable(at, a) {
		return e.bad(at)
	}
	t := a.Type().Unqualified()
	if t.IsArray() {
		e.errorf(at, codeAssign, "array type '%s' is not assignable", t)
		return e.bad(at)
	}
	if op == hir.NoOp {
		b = e.convertTo(b, t, "assignment")
		if isBad(b) {
			return b
		}
		return e.nodes.assign(at, a, hir.NoOp, b, t)
	}
	b = e.load(b)
	if isBad(b) {
		return b
	}
	tb := b.Type()
	switch {
	case t.IsPointer() && (op == hir.Add || op == hir.Sub) && tb.IsIntegerOrEnum():
		if x := e.pointerArith(at, op, e.load(a), b); isBad(x) {
			return x
		}
		return e.nodes.assign(at, a, op, e.promote(b), t)
	case op == hir.Shl || op == hir.Shr:
		if t.IsInteger() && tb.IsIntegerOrEnum() {
			return e.nodes.assign(at, a, op, e.promote(b), e.promotes(a, t))
		}
	case t.IsArithmetic() && (tb.IsArithmetic() || tb.IsIntegerOrEnum()):
		if (op == hir.Rem || op == hir.And || op == hir.Or || op == hir.Xor) && (t.IsFloat() || tb.IsFloat()) {
			break
		}
		c := e.usual(a, unloaded(b))
		if e.refusesLongDouble(at, c) {
			return e.bad(at)
		}
		if (op == hir.Div || op == hir.Rem) && c.IsInteger() {
			e.checkDivisor(at, op, b)
		}
		return e.nodes.assign(at, a, op, e.scalar(b, c), c)
	}
	e.errorf(at, codeOperands, "invalid operands to binary expression ('%s' and '%s')", a.Type(), tb)
	return e.bad(at)
}

// assignable reports whether a can be changed, after an error if it cannot.
func (e *env) assignable(at ast.Span, a hir.Expr) bool {
	switch {
	case a.Category() != hir.LValue || a.Type().IsFunc():
		e.errorf(at, codeNotLvalue, "expression is not assignable")
		return false
	case a.Type().IsConst():
		if v, ok := a.(*hir.VarRef); ok {
			if v.Var.Builtin != "" {
				e.errorf(at, codeConst, "cannot assign to variable '%s' with const-qualified type '%s'", v.Var.Name, a.Type())
				return false
			}
			d := e.errorf(at, codeConst, "cannot assign to variable '%s' with const-qualified type '%s'", v.Var.Name, a.Type())
			e.note(d, v.Var.Span, "variable '"+v.Var.Name+"' declared const here")
			return false
		}
		if f, ok := a.(*hir.Field); ok {
			e.errorf(at, codeConst, "cannot assign to non-static data member '%s' with const-qualified type '%s'", f.Field.Name, a.Type())
			return false
		}
		e.errorf(at, codeConst, "read-only variable is not assignable")
		return false
	}
	return true
}

// unary analyses a prefix operator.
func (e *env) unary(x *ast.UnaryExpr) hir.Expr {
	if x.Op == cpp.Amp {
		return e.addressOf(x)
	}
	a := e.expr(x.X)
	if isBad(a) {
		return e.bad(x)
	}
	if overloadable(a) {
		if r := e.operatorCall(x.Span, x.Op.String(), x.Op, []hir.Expr{a}, x.X); r != nil {
			return r
		}
	}
	return e.builtinUnary(x.Span, x.Op, a)
}

func (e *env) builtinUnary(at ast.Span, op cpp.Word, a hir.Expr) hir.Expr {
	switch op {
	case cpp.PlusPlus, cpp.MinusMinus:
		return e.incDec(at, a, op == cpp.MinusMinus, false)
	case cpp.Not:
		a = e.toBool(a)
		if isBad(a) {
			return a
		}
		return &hir.Unary{Info: rvalueInfo(at, e.basic(types.Bool)), Op: hir.Not, X: a}
	}
	a = e.load(a)
	if isBad(a) {
		return a
	}
	t := a.Type()
	switch {
	case op == cpp.Star:
		return e.dereference(at, a)
	case op == cpp.Plus && (t.IsArithmetic() || t.IsIntegerOrEnum()):
		p := e.promote(a)
		if k, ok := p.(*hir.ConstExpr); ok && k.Literal {
			p = e.intConst(k.Value.Int, k.T, at)
		}
		return p
	case op == cpp.Plus && t.IsPointer():
		return a
	case op == cpp.Minus && (t.IsArithmetic() || t.IsIntegerOrEnum()):
		a = e.promote(a)
		if e.refusesLongDouble(at, a.Type()) {
			return e.bad(at)
		}
		x := e.nodes.unaries.New()
		*x = hir.Unary{Info: rvalueInfo(at, a.Type().Unqualified()), Op: hir.Neg, X: a}
		return x
	case op == cpp.Tilde && t.IsIntegerOrEnum():
		a = e.promote(a)
		return &hir.Unary{Info: rvalueInfo(at, a.Type().Unqualified()), Op: hir.Compl, X: a}
	}
	e.errorf(at, codeOperands, "invalid argument type '%s' to unary expression", t)
	return e.bad(at)
}

// dereference is *p.
func (e *env) dereference(at ast.Span, a hir.Expr) hir.Expr {
	t := a.Type()
	if !t.IsPointer() {
		e.errorf(at, codeOperands, "indirection requires pointer operand ('%s' invalid)", t)
		return e.bad(at)
	}
	if t.Elem.IsVoid() {
		e.errorf(at, codeOperands, "indirection not permitted on operand of type '%s'", t)
		return e.bad(at)
	}
	return e.nodes.deref(at, t.Elem, hir.LValue, a)
}

// incDec is ++, -- before or after a scalar.
func (e *env) incDec(at ast.Span, a hir.Expr, dec, post bool) hir.Expr {
	a = e.single(a)
	if isBad(a) {
		return a
	}
	t := a.Type()
	what := "increment"
	if dec {
		what = "decrement"
	}
	switch {
	case !t.IsArithmetic() && !t.IsPointer() || dec && t.Is(types.Bool):
		e.errorf(at, codeOperands, "cannot %s value of type '%s'", what, t)
		return e.bad(at)
	case t.Is(types.Bool):
		e.errorf(at, codeOperands, "ISO C++17 does not allow incrementing expression of type bool")
		return e.bad(at)
	case t.IsPointer() && !e.sized(t.Elem, at, "arithmetic on a pointer to an incomplete type"):
		return e.bad(at)
	case !e.assignable(at, a):
		return e.bad(at)
	}
	x := e.nodes.steps.New()
	*x = hir.IncDec{Info: hir.Info{Span: at, T: t, Cat: hir.LValue}, X: a, Dec: dec, Postfix: post}
	if post {
		x.T, x.Cat = t.Unqualified(), hir.PRValue
	}
	return x
}

// postfix analyses x++ and x--.
func (e *env) postfix(x *ast.PostfixExpr) hir.Expr {
	a := e.expr(x.X)
	if isBad(a) {
		return e.bad(x)
	}
	if overloadable(a) {
		zero := e.intConst(0, e.basic(types.Int), x.Span)
		if r := e.operatorCall(x.Span, x.Op.String(), x.Op, []hir.Expr{a, zero}, x.X); r != nil {
			return r
		}
	}
	return e.incDec(x.Span, a, x.Op == cpp.MinusMinus, true)
}

// addressOf analyses &x.
func (e *env) addressOf(x *ast.UnaryExpr) hir.Expr {
	if n, ok := x.X.(*ast.NameExpr); ok && qualified(n.Name) {
		if r := e.addressOfMember(x, n.Name); r != nil {
			return r
		}
	}
	a := e.expr(x.X)
	if isBad(a) {
		return e.bad(x)
	}
	if o, ok := a.(*overloadExpr); ok {
		o.addr = true
		o.Span = x.Span
		o.Cat = hir.PRValue
		if f := e.only(o); f != nil {
			return e.useFunction(o, f)
		}
		return o
	}
	if e.unit.OverloadsAmp && overloadable(a) {
		if r := e.operatorCall(x.Span, "&", cpp.Amp, []hir.Expr{a}, x.X); r != nil {
			return r
		}
	}
	return e.address(x.Span, a)
}

// address is the built-in &.
func (e *env) address(at ast.Span, a hir.Expr) hir.Expr {
	if a.Category() != hir.LValue {
		e.errorf(at, codeNotLvalue, "cannot take the address of an rvalue of type '%s'", a.Type())
		return e.bad(at)
	}
	if isBitField(a) {
		e.errorf(at, codeNotLvalue, "address of bit-field requested")
		return e.bad(at)
	}
	x := e.nodes.addrs.New()
	x.Span, x.T, x.X = at, e.types.Pointer(a.Type()), a
	return x
}

// addressOfMember is &C::m of a non-static member, or nil for other names.
func (e *env) addressOfMember(x *ast.UnaryExpr, n *ast.Name) hir.Expr {
	q := e.qualifier(n)
	if q.bad {
		return e.bad(x)
	}
	if !q.typ.IsClass() {
		return nil
	}
	f := e.member(q, segmentKey(n.Last), anything, n)
	fd, ok := f.obj.(*field)
	if !ok {
		return nil
	}
	e.checkAccess(&f, classOfType(q.typ), n)
	if fd.t.Width >= 0 || len(fd.path) > 0 {
		e.errorf(x, codeNotLvalue, "address of bit-field or member of an anonymous union requested")
		return e.bad(x)
	}
	t := e.types.MemberPointer(e.types.Class(fd.class.t), fd.t.Type)
	return &hir.MemberPtr{Info: rvalueInfo(x.Span, t), Field: fd.t}
}

// discard analyses the value of an expression statement, which is not used.
func (e *env) discard(x hir.Expr) hir.Expr {
	x = e.single(x)
	if isBad(x) || x.Type().IsVoid() {
		return x
	}
	if x.Category() == hir.PRValue && x.Type().IsClass() {
		x = e.materialize(x)
	}
	return x
}
