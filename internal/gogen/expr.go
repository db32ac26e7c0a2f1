package gogen

import (
	"fmt"
	"strings"

	"irgl/internal/check"
	"irgl/syntax"
)

// A val is an expression in Go.
type val struct {
	s    string
	prec int // of Go's operators: 7 for an operand, 6 unary, 5 to 1 binary
	t    check.Type
	// cond says that s is a Go bool, which stands for C's 0 or 1 of type t.
	cond bool
	// untyped says that s is a constant that takes its type from its context.
	untyped bool
	c       *check.Const // its value, when constant
}

const (
	precOperand = 7
	precUnary   = 6
	precMul     = 5
	precAdd     = 4
	precCompare = 3
	precAnd     = 2
	precOr      = 1
)

// at returns v's text for a place that needs at least that precedence.
func (v val) at(prec int) string {
	if v.prec < prec {
		return "(" + v.s + ")"
	}
	return v.s
}

func (f *fn) constant(c *check.Const, t check.Type) val {
	s, untyped := f.literal(c, t)
	v := val{s: s, prec: precOperand, t: t, untyped: untyped, c: c}
	if strings.HasPrefix(s, "-") {
		v.prec = precUnary
	}
	return v
}

// typed returns v so that Go gives it its own type even without a context.
func (f *fn) typed(v val) val {
	if v.untyped {
		if _, ptr := v.t.(*check.Pointer); ptr {
			v.s = "unsafe.Pointer(nil)"
		} else {
			v.s = f.goType(v.t, f.node) + "(" + v.s + ")"
		}
		v.prec, v.untyped = precOperand, false
	}
	return v
}

// expr translates e for its value. Side effects that Go has no expressions for
// are emitted as statements before.
//
//irgl:allnodes Expr except LaunchExpr SliceExpr SizeofExpr InitList
func (f *fn) expr(e syntax.Expr) val {
	t := check.Decay(f.info.Types[e])
	if c := f.info.Consts[e]; c != nil {
		if _, ptr := t.(*check.Pointer); ptr && c.Int != 0 {
			f.errorf(e, codeIntPointer, "generated Go cannot make a pointer of an integer")
		}
		return f.constant(c, t)
	}
	switch e := e.(type) {
	case *syntax.ParenExpr:
		return f.expr(e.X)
	case *syntax.BasicLit:
		if e.Kind == syntax.StringLit {
			return val{s: "unsafe.Pointer(unsafe.StringData(" + goString(e.Text, "\x00") + "))", prec: precOperand, t: t}
		}
	case *syntax.Ident:
		if v, ok := f.propInitName(e); ok {
			return v
		}
		return f.load(f.place(e))
	case *syntax.IndexExpr:
		if isRow(f.info.Types[e.X]) {
			return f.nthEdge(e)
		}
		return f.load(f.place(e))
	case *syntax.CompoundLit:
		return f.load(f.place(e))
	case *syntax.MemberExpr:
		if v, ok := f.handleMember(e); ok {
			return v
		}
		return f.load(f.place(e))
	case *syntax.UnaryExpr:
		return f.unary(e, t)
	case *syntax.PostfixExpr:
		return f.incDec(e.X, e.Op, false, true)
	case *syntax.BinaryExpr:
		return f.binary(e)
	case *syntax.AssignExpr:
		return f.assign(e, true)
	case *syntax.CondExpr:
		return f.ternary(e, t)
	case *syntax.CallExpr:
		return f.accessing(e)
	case *syntax.InvokeExpr:
		return f.invoke(e)
	case *syntax.CastExpr:
		return f.convert(f.expr(e.X), check.Decay(f.info.Named[e.Type]), e)
	}
	f.errorf(e, codeUnknown, "generated Go has no such expression")
	return val{s: "0", prec: precOperand, t: check.Int, untyped: true}
}

// exprTo translates e and converts it to t, as assignment and calls do.
func (f *fn) exprTo(e syntax.Expr, t check.Type) val { return f.convert(f.expr(e), t, e) }

// cond translates e as a Go bool.
func (f *fn) cond(e syntax.Expr) val { return f.truth(f.expr(e)) }

func (f *fn) truth(v val) val {
	switch {
	case v.cond:
		return v
	case v.c != nil:
		is := v.c.Int != 0
		if check.IsFloat(v.t) {
			is = v.c.Float != 0
		}
		return val{s: fmt.Sprint(is), prec: precOperand, t: check.Int, cond: true, c: v.c}
	}
	zero := "0"
	if _, ptr := v.t.(*check.Pointer); ptr {
		zero = "nil"
	}
	return val{s: v.at(precAdd) + " != " + zero, prec: precCompare, t: check.Int, cond: true}
}

func not(v val) val {
	v.c = nil
	v.s, v.prec = "!"+v.at(precUnary), precUnary
	return v
}

// pair translates two operands in C's order: what the second needs to do before
// must not change the first.
func (f *fn) pair(x, y syntax.Expr) (val, val) {
	xv := f.expr(x)
	mark := len(f.out)
	yv := f.expr(y)
	if len(f.out) > mark {
		xv = f.spillAt(mark, xv)
	}
	return xv, yv
}

// spillAt saves v in a variable before line mark of the output.
func (f *fn) spillAt(mark int, v val) val {
	if v.c != nil || v.s == "" {
		return v
	}
	rest := append([]string(nil), f.out[mark:]...)
	f.out = f.out[:mark]
	v = f.save(v)
	f.out = append(f.out, rest...)
	return v
}

// save puts v in a new variable.
func (f *fn) save(v val) val {
	v = f.typed(v)
	name := f.unique("t")
	goType := "bool"
	if !v.cond {
		goType = f.goType(v.t, f.node)
	}
	f.define(name, goType, v.s)
	v.s, v.prec, v.c = name, precOperand, nil
	return v
}

// define emits the declaration of a new variable with a value; what is hoisted
// out of the way of gotos is only assigned here.
func (f *fn) define(name, goType, value string) {
	if f.hoist {
		f.top = append(f.top, "var "+name+" "+goType)
		f.emit("%s = %s", name, value)
		return
	}
	f.emit("%s := %s", name, value)
}

// declareZero emits the declaration of a variable without a value.
func (f *fn) declareZero(name, goType string) {
	if f.hoist {
		f.top = append(f.top, "var "+name+" "+goType)
		return
	}
	f.emit("var %s %s", name, goType)
}

func (f *fn) unary(e *syntax.UnaryExpr, t check.Type) val {
	switch e.Op {
	case "++", "--":
		return f.incDec(e.X, e.Op, true, true)
	case "&":
		return f.address(e.X, t)
	case "*":
		return f.load(f.place(e))
	case "!":
		return not(f.cond(e.X))
	}
	v := f.exprTo(e.X, t)
	switch e.Op {
	case "-":
		return val{s: "-" + f.typed(v).at(precOperand), prec: precUnary, t: t}
	case "~":
		return val{s: "^" + f.typed(v).at(precOperand), prec: precUnary, t: t}
	}
	return v
}

func (f *fn) binary(e *syntax.BinaryExpr) val {
	switch e.Op {
	case ",":
		f.effect(e.X)
		return f.expr(e.Y)
	case "&&", "||":
		return f.logical(e)
	}
	if v, ok := f.invariant(e); ok {
		return v
	}
	x, y := f.pair(e.X, e.Y)
	return f.operate(e, e.Op, x, y)
}

// logical translates && and ||, whose second operand is only evaluated when
// it counts.
func (f *fn) logical(e *syntax.BinaryExpr) val {
	x := f.cond(e.X)
	mark := len(f.out)
	y := f.cond(e.Y)
	prec := precAnd
	if e.Op == "||" {
		prec = precOr
	}
	if len(f.out) == mark {
		return val{s: x.at(prec) + " " + string(e.Op) + " " + y.at(prec+1), prec: prec, t: check.Int, cond: true}
	}
	rest := append([]string(nil), f.out[mark:]...)
	f.out = f.out[:mark]
	x.c = nil
	t := f.save(x)
	test := t.s
	if e.Op == "||" {
		test = "!" + t.s
	}
	f.emit("if %s {", test)
	f.out = append(f.out, rest...)
	f.emit("%s = %s", t.s, y.s)
	f.emit("}")
	return t
}

func (f *fn) ternary(e *syntax.CondExpr, t check.Type) val {
	c := f.cond(e.Cond)
	void := t == check.Void
	name := ""
	if !void {
		name = f.unique("t")
		f.declareZero(name, f.goType(t, e))
	}
	branch := func(x syntax.Expr) {
		if void {
			f.effect(x)
			return
		}
		f.emit("%s = %s", name, f.exprTo(x, t).s)
	}
	f.emit("if %s {", c.s)
	branch(e.Then)
	f.emit("} else {")
	branch(e.Else)
	f.emit("}")
	return val{s: name, prec: precOperand, t: t}
}

// comparisons lists the operators with a bool for a result in Go.
var comparisons = map[syntax.Op]bool{"<": true, ">": true, "<=": true, ">=": true, "==": true, "!=": true}

// operate translates x op y for an operator that evaluates both operands.
func (f *fn) operate(n syntax.Node, op syntax.Op, x, y val) val {
	if _, ptr := x.t.(*check.Pointer); ptr {
		return f.pointerOp(n, op, x, y)
	}
	if _, ptr := y.t.(*check.Pointer); ptr {
		return f.pointerOp(n, op, x, y)
	}
	if op == "<<" || op == ">>" {
		return f.shift(n, op, x, y)
	}
	t := check.UsualArithmetic(x.t, y.t)
	x, y = f.convert(x, t, n), f.convert(y, t, n)
	if x.c != nil && y.c != nil {
		// Both are constants, but the whole is none: division by zero. Go would
		// compute it when compiling, and refuse.
		x = f.typed(x)
		x = val{s: "rt.V(" + x.s + ")", prec: precOperand, t: t}
	}
	if comparisons[op] {
		return val{s: x.at(precAdd) + " " + string(op) + " " + y.at(precAdd), prec: precCompare, t: check.Int, cond: true}
	}
	switch {
	case (op == "/" || op == "%") && !check.IsFloat(t):
		return f.divide(op, x, y, t)
	case op == "*" && check.IsFloat(t):
		// The conversion forbids to fuse the product with a sum.
		return val{s: f.goType(t, n) + "(" + x.at(precMul) + " * " + y.at(precUnary) + ")", prec: precOperand, t: t}
	}
	prec := precMul
	if op == "+" || op == "-" || op == "|" || op == "^" {
		prec = precAdd
	}
	return val{s: x.at(prec) + " " + string(op) + " " + y.at(prec+1), prec: prec, t: t}
}

// divide translates a division of integers: Go's own when the divisor is known
// not to be zero.
func (f *fn) divide(op syntax.Op, x, y val, t check.Type) val {
	if y.c != nil && y.c.Int == 1 { // WARP_SIZE
		if op == "/" {
			return x
		}
		if !strings.Contains(x.s, "(") { // without a call
			if x.c == nil {
				f.emit("_ = %s", x.s) // Go has no variables without a use
			}
			return f.constant(&check.Const{}, t)
		}
	}
	if y.c != nil && y.c.Int != 0 {
		return val{s: x.at(precMul) + " " + string(op) + " " + y.at(precUnary), prec: precMul, t: t}
	}
	name := "Div"
	if op == "%" {
		name = "Rem"
	}
	return val{s: fmt.Sprintf("rt.%s(%s, %s)", name, f.typed(x).s, f.typed(y).s), prec: precOperand, t: t}
}

// shift translates << and >>: the count is an unsigned 32-bit number, and Go
// gives 0 or the sign for a large one.
func (f *fn) shift(n syntax.Node, op syntax.Op, x, y val) val {
	t := check.Promote(x.t)
	x = f.typed(f.convert(x, t, n))
	y = f.convert(y, check.UInt, n)
	if x.c != nil {
		x = val{s: "rt.V(" + x.s + ")", prec: precOperand, t: t}
	}
	return val{s: x.at(precMul) + " " + string(op) + " " + y.at(precUnary), prec: precMul, t: t}
}

func (f *fn) pointerOp(n syntax.Node, op syntax.Op, x, y val) val {
	px, xIsPtr := x.t.(*check.Pointer)
	py, yIsPtr := y.t.(*check.Pointer)
	switch {
	case comparisons[op]:
		t := x.t
		if !xIsPtr {
			t = y.t
		}
		x, y = f.convert(x, t, n), f.convert(y, t, n)
		format := "%s %s %s"
		if op != "==" && op != "!=" {
			format = "uintptr(%s) %s uintptr(%s)"
		} else if x.c != nil {
			x, y = y, x
			if x.c != nil {
				x = f.typed(x)
			}
		}
		return val{s: fmt.Sprintf(format, x.at(precAdd), op, y.at(precAdd)), prec: precCompare, t: check.Int, cond: true}
	case xIsPtr && yIsPtr:
		return val{s: fmt.Sprintf("rt.PtrDiff(%s, %s, %d)", f.typed(x).s, f.typed(y).s, max(1, px.Elem.Size())), prec: precOperand, t: check.Long}
	case yIsPtr:
		return f.offset(y, x, py.Elem.Size(), 1)
	case op == "-":
		return f.offset(x, y, px.Elem.Size(), -1)
	}
	return f.offset(x, y, px.Elem.Size(), 1)
}

// offset translates p + sign*i elements of that size.
func (f *fn) offset(p, i val, size, sign int64) val {
	if i.c != nil {
		return val{s: fmt.Sprintf("unsafe.Add(%s, %d)", f.typed(p).s, i.c.Int*size*sign), prec: precOperand, t: p.t}
	}
	s := i.s
	if i.cond {
		i = f.convert(i, check.Int, f.node)
		s = i.s
	}
	if i.t != check.Long && i.t != check.LongLong {
		s = "int64(" + s + ")"
	} else {
		s = i.at(precMul)
	}
	if size*sign != 1 {
		s += fmt.Sprintf("*%d", size*sign)
	}
	return val{s: fmt.Sprintf("unsafe.Add(%s, %s)", f.typed(p).s, s), prec: precOperand, t: p.t}
}

// convert translates the conversion of v to type t.
func (f *fn) convert(v val, t check.Type, n syntax.Node) val {
	_, toPtr := t.(*check.Pointer)
	_, fromPtr := v.t.(*check.Pointer)
	switch {
	case t == check.Void:
		return val{s: v.s, prec: v.prec, t: t}
	case toPtr && fromPtr:
		v.t = t
		return v
	case toPtr:
		if v.c == nil || v.c.Int != 0 {
			f.errorf(n, codeIntPointer, "generated Go cannot make a pointer of an integer")
		}
		return f.constant(&check.Const{}, t)
	case v.c != nil && !v.cond:
		return f.constant(convertConst(v.c, v.t, t), t)
	case fromPtr && t == check.Bool:
		return f.convert(f.truth(v), t, n)
	case fromPtr:
		return val{s: f.goType(t, n) + "(uintptr(" + v.s + "))", prec: precOperand, t: t}
	case v.cond:
		if !check.IsArithmetic(t) {
			t = check.Int
		}
		return val{s: "rt.B[" + f.goType(t, n) + "](" + v.s + ")", prec: precOperand, t: t}
	case !check.IsArithmetic(t) || !check.IsArithmetic(v.t):
		return v // structs, ranges: the same type
	case t == check.Bool && v.t != check.Bool:
		return f.convert(f.truth(v), t, n)
	}
	from, to := f.goType(v.t, n), f.goType(t, n)
	switch {
	case from == to:
		v.t = t
		return v
	case check.IsFloat(v.t) && !check.IsFloat(t):
		return val{s: "rt.ToInt[" + to + "](" + v.s + ")", prec: precOperand, t: t}
	}
	return val{s: to + "(" + v.s + ")", prec: precOperand, t: t}
}
