package check

// This file checks operators. Comparisons and logic yield int, as in C99; in
// the C++ that nvcc compiles they yield bool, which promotes to the same int
// wherever arithmetic looks at it.

import (
	"strings"

	"irgl/internal/builtin"
	"irgl/syntax"
)

// unary checks a prefix operator.
func (c *checker) unary(e *syntax.UnaryExpr) operand {
	switch e.Op {
	case "++", "--":
		return c.incDec(e.X, e.Op)
	case "&":
		return c.address(e)
	case "*":
		return c.deref(e)
	}
	x := c.rvalue(e.X)
	if x.typ == Invalid {
		return invalidOperand
	}
	t := Decay(x.typ)
	ok := IsArithmetic(t)
	switch e.Op {
	case "!":
		ok = IsScalar(t)
	case "~":
		ok = IsInteger(t)
	}
	if !ok {
		c.errorf(e, codeOperand, "operator %s does not apply to %s", e.Op, describe(t))
		return invalidOperand
	}
	r := operand{typ: Promote(t), inf: x.inf && (e.Op == "-" || e.Op == "+")}
	if e.Op == "!" {
		if x.cv != nil {
			r.cv = foldUnary("!", x.cv, t)
		}
		r.typ = Int
		return r
	}
	if x.cv != nil {
		r.cv = foldUnary(e.Op, convertConst(x.cv, t, r.typ), r.typ)
	}
	return r
}

// address checks &x.
func (c *checker) address(e *syntax.UnaryExpr) operand {
	x := c.place(e.X)
	if x.typ == Invalid {
		return invalidOperand
	}
	if f, ok := x.typ.(*Func); ok {
		return operand{typ: &Pointer{Elem: f}}
	}
	if !x.lvalue && x.typ != String {
		c.errorf(e, codeNotLvalue, "%s has no address", describeExpr(e.X))
		return invalidOperand
	}
	if x.bits != nil {
		c.errorf(e, codeBits, "a bit-field has no address")
		return invalidOperand
	}
	if b, ok := x.typ.(Basic); ok && b >= Nodes && b <= Elements {
		c.errorf(e, codeNotLvalue, "%s has no address", describe(b))
		return invalidOperand
	}
	if x.root != nil && c.unevaluated == 0 {
		x.root.Addressed = true
		mode := useRead | useEscape
		if !x.ro {
			mode |= useWrite
		}
		c.mark(e.X, x.root, mode)
	}
	return operand{typ: &Pointer{Elem: x.typ, Const: x.ro, Volatile: x.vol}}
}

// deref checks *p. What p points to is not known, so a write through it is
// in no write set; the taking of the address was.
func (c *checker) deref(e *syntax.UnaryExpr) operand {
	x := c.rvalue(e.X)
	if x.typ == Invalid {
		return invalidOperand
	}
	p, ok := Decay(x.typ).(*Pointer)
	if !ok {
		if f, ok := x.typ.(*Func); ok {
			return operand{typ: f}
		}
		c.errorf(e, codeDeref, "%s is no pointer, * does not apply to it", describe(x.typ))
		return invalidOperand
	}
	if f, ok := p.Elem.(*Func); ok {
		return operand{typ: f}
	}
	if !c.pointsToObject(e, p, codeDeref) {
		return invalidOperand
	}
	return operand{typ: p.Elem, lvalue: true, ro: p.Const, vol: p.Volatile}
}

// modifiable reports whether x may be assigned to, with an error if not.
func (c *checker) modifiable(e syntax.Expr, x operand, verb string) bool {
	switch {
	case x.typ == Invalid:
		return false
	case !x.lvalue:
		c.errorf(e, codeNotLvalue, "%s cannot be %s: it is a value, not a place", describeExpr(e), verb)
		return false
	case x.ro:
		d := c.errorf(e, codeReadOnly, "%s cannot be %s: it is read-only", describeExpr(e), verb)
		if x.root != nil {
			noteDecl(d, x.root, "declared here")
		}
		return false
	case isArray(x.typ):
		c.errorf(e, codeNotLvalue, "%s cannot be %s: it is an array", describeExpr(e), verb)
		return false
	}
	return true
}

// describeExpr names an expression in a message: its text when it is a name
// or a path of names.
func describeExpr(e syntax.Expr) string {
	if s := pathText(e); s != "" {
		return s
	}
	return "this expression"
}

// pathText returns a name or a path such as e.dst.level as written, and ""
// for any other expression.
func pathText(e syntax.Expr) string {
	switch e := e.(type) {
	case *syntax.Ident:
		return nameOf(e)
	case *syntax.BasicLit:
		return e.Text
	case *syntax.ParenExpr:
		return pathText(e.X)
	case *syntax.MemberExpr:
		x := pathText(e.X)
		if x == "" || strings.Count(x, ".") > 4 {
			return ""
		}
		if e.Arrow {
			return x + "->" + nameOf(e.Name)
		}
		return x + "." + nameOf(e.Name)
	}
	return ""
}

// incDec checks ++ and --, prefix or postfix.
func (c *checker) incDec(e syntax.Expr, op syntax.Op) operand {
	x := c.place(e)
	if !c.modifiable(e, x, "changed") {
		return invalidOperand
	}
	c.write(e, x, useRead|useWrite)
	if p, ok := x.typ.(*Pointer); ok {
		if !c.pointsToObject(e, p, codeOperand) {
			return invalidOperand
		}
	} else if !IsArithmetic(x.typ) || x.typ == Bool && op == "--" {
		c.errorf(e, codeOperand, "operator %s does not apply to %s", op, describe(x.typ))
		return invalidOperand
	}
	return operand{typ: x.typ}
}

// binary checks x op y. When one side is INF and the other a float, INF is
// infinity.
func (c *checker) binary(e *syntax.BinaryExpr) operand {
	switch e.Op {
	case "&&", "||":
		return c.logical(e)
	case ",":
		c.rvalue(e.X)
		y := c.rvalue(e.Y)
		return operand{typ: y.typ}
	}
	x, y := c.rvalue(e.X), c.rvalue(e.Y)
	if x.typ == Invalid || y.typ == Invalid {
		return invalidOperand
	}
	c.adapt(e.X, &x, y.typ)
	c.adapt(e.Y, &y, x.typ)
	return c.operate(e, e.Op, x, y)
}

// logical checks && and ||. A left side that decides makes the whole constant
// even when the right side is not: that is never evaluated.
func (c *checker) logical(e *syntax.BinaryExpr) operand {
	x, y := c.condition(e.X), c.condition(e.Y)
	r := operand{typ: Int}
	if x.cv != nil {
		xv := truth(x.cv, x.typ)
		if y.cv != nil {
			yv := truth(y.cv, y.typ)
			r.cv = boolConst(xv && yv || e.Op == "||" && (xv || yv))
		} else if xv == (e.Op == "||") {
			r.cv = boolConst(xv)
		}
	}
	return r
}

// operate returns the result of x op y for an operator that evaluates both
// its operands; n is where an error is reported.
func (c *checker) operate(n syntax.Node, op syntax.Op, x, y operand) operand {
	xt, yt := Decay(x.typ), Decay(y.typ)
	if IsArithmetic(xt) && IsArithmetic(yt) {
		return c.arithmetic(n, op, x, y)
	}
	_, xp := xt.(*Pointer)
	_, yp := yt.(*Pointer)
	if xp || yp {
		if r, ok := c.pointerOp(n, op, x, y); ok {
			return r
		}
	}
	d := c.errorf(n, codeOperand, "operator %s does not apply to %s and %s", op, describe(xt), describe(yt))
	if f, ok := xt.(*Func); ok && f.Result != Void {
		d.Hint = "call it: add ( ) and its arguments"
	}
	return invalidOperand
}

// arithmetic checks an operator on numbers and computes it when both are
// constant. Shifts have the type of their left side alone (C99 6.5.7).
func (c *checker) arithmetic(n syntax.Node, op syntax.Op, x, y operand) operand {
	t := UsualArithmetic(x.typ, y.typ)
	result := t
	switch op {
	case "<<", ">>":
		t = Promote(x.typ)
		result = t
		fallthrough
	case "%", "&", "|", "^":
		if !IsInteger(x.typ) || !IsInteger(y.typ) {
			c.errorf(n, codeOperand, "operator %s needs integers, not %s and %s", op, x.typ, y.typ)
			return invalidOperand
		}
	case "<", ">", "<=", ">=", "==", "!=":
		result = Int
	}
	r := operand{typ: result}
	if y.cv != nil && x.cv == nil && (op == "/" || op == "%") && IsInteger(t) && y.cv.Int == 0 && c.unevaluated == 0 {
		c.warnf(n, codeConstOp, "division by zero")
	}
	if x.cv == nil || y.cv == nil {
		return r
	}
	xv, yv := convertConst(x.cv, x.typ, t), convertConst(y.cv, y.typ, t)
	if op == "<<" || op == ">>" {
		yv = y.cv
	}
	var problem constProblem
	r.cv, problem = foldBinary(op, xv, yv, t)
	if problem != "" && c.unevaluated == 0 {
		c.warnf(n, codeConstOp, "%s in a constant expression", problem)
	}
	return r
}

// pointerOp checks operators that take pointers.
func (c *checker) pointerOp(n syntax.Node, op syntax.Op, x, y operand) (operand, bool) {
	xt, yt := decayed(x.typ), decayed(y.typ)
	p, xp := xt.(*Pointer)
	q, yp := yt.(*Pointer)
	switch op {
	case "+":
		if xp && IsInteger(yt) {
			return c.offset(n, p), true
		}
		if yp && IsInteger(xt) {
			return c.offset(n, q), true
		}
	case "-":
		if xp && IsInteger(yt) {
			return c.offset(n, p), true
		}
		if xp && yp && Identical(p.Elem, q.Elem) {
			r := c.offset(n, p)
			if r.typ != Invalid {
				r.typ = Long
			}
			return r, true
		}
	case "==", "!=", "<", ">", "<=", ">=":
		equality := op == "==" || op == "!="
		switch {
		case xp && yp && (Identical(p.Elem, q.Elem) || equality && (p.Elem == Void || q.Elem == Void)):
			return operand{typ: Int}, true
		case xp && equality && isNullConst(y), yp && equality && isNullConst(x):
			return operand{typ: Int}, true
		}
	}
	return operand{}, false
}

// offset returns the result of adding an integer to a pointer.
func (c *checker) offset(n syntax.Node, p *Pointer) operand {
	if !c.pointsToObject(n, p, codeOperand) {
		return invalidOperand
	}
	return operand{typ: p}
}

// assign checks L op R. A first assignment in IrGL declares its left side
// where declares is set: as a statement, or the right side of one.
func (c *checker) assign(e *syntax.AssignExpr, declares bool) operand {
	if id, ok := e.L.(*syntax.Ident); ok && declares && e.Op == "=" && c.irgl && c.undeclared(id) {
		return c.firstAssign(e, id)
	}
	var y operand
	if r, ok := e.R.(*syntax.AssignExpr); ok && declares && r != nil && c.enter(r) {
		y = c.assign(r, true)
		c.info.Types[r] = y.typ
		c.leave()
	} else {
		y = c.rvalue(e.R)
	}
	if id, ok := e.L.(*syntax.Ident); ok && c.irgl && e.Op == "=" && id != nil && id.Name != "" && c.lookup(id.Name) == nil && id.Name != "WL" {
		c.errorf(id, codeUndeclared, "%s is not declared", id.Name).Hint = "a first assignment declares only as a statement of its own"
		return invalidOperand
	}
	x := c.place(e.L)
	if !c.modifiable(e.L, x, "assigned to") {
		return invalidOperand
	}
	if e.Op == "=" {
		c.write(e.L, x, useWrite)
		if y.typ != Invalid {
			c.convertible(e.R, &y, x.typ, "the value assigned to "+describeExpr(e.L))
		}
		return operand{typ: x.typ}
	}
	c.write(e.L, x, useRead|useWrite)
	if y.typ == Invalid {
		return invalidOperand
	}
	c.adapt(e.R, &y, x.typ)
	x.cv = nil // the place changes: its value is not a constant to fold with
	r := c.operate(e, e.Op[:len(e.Op)-1], x, y)
	if r.typ != Invalid && !(IsArithmetic(x.typ) && IsArithmetic(r.typ)) && !Identical(r.typ, x.typ) {
		c.errorf(e, codeOperand, "operator %s does not apply to %s and %s", e.Op, describe(x.typ), describe(y.typ))
	}
	return operand{typ: x.typ}
}

// undeclared reports whether assigning to id declares it: nothing in the file
// has the name, and builtins give way except the graph's own words.
func (c *checker) undeclared(id *syntax.Ident) bool {
	if id == nil || id.Name == "" || id.Name == "WL" {
		return false
	}
	o := c.lookup(id.Name)
	if o == nil {
		return true
	}
	b := LookupBuiltin(o.Name)
	return b != nil && b.obj == o && b.Kind == builtin.Func && b.LowLevel == ""
}

// firstAssign declares id with the type of the value.
func (c *checker) firstAssign(e *syntax.AssignExpr, id *syntax.Ident) operand {
	var y operand
	if r, ok := e.R.(*syntax.AssignExpr); ok && r != nil && c.enter(r) {
		y = c.assign(r, true)
		c.info.Types[r] = y.typ
		c.leave()
	} else {
		y = c.rvalue(e.R)
	}
	t := Decay(y.typ)
	if b, ok := t.(Basic); !ok || !isHandleType(b) {
		t = Promote(t)
	}
	if b, ok := t.(Basic); ok && (b == Void || b >= GraphType) {
		c.errorf(e, codeBadType, "%s cannot be declared as %s", id.Name, describe(b))
		t = Invalid
	}
	if f, ok := t.(*Func); ok {
		c.errorf(e, codeBadType, "%s cannot be declared as %s", id.Name, describe(f))
		t = Invalid
	}
	o := &Object{Kind: VarObj, Name: id.Name, Type: t, Decl: e}
	c.declare(id, o)
	c.setAddressed(o)
	c.info.Declares[e] = o
	c.info.Types[id] = t
	return operand{typ: t}
}
