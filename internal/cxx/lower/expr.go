package lower

import (
	"irgl/internal/cxx/hir"
	"irgl/internal/cxx/types"
	"irgl/internal/tree"
	"irgl/syntax"
)

var unaryOps = [...]syntax.Op{hir.Neg: "-", hir.Compl: "~", hir.Not: "!"}

var binaryOps = [...]syntax.Op{
	hir.Add: "+", hir.Sub: "-", hir.Mul: "*", hir.Div: "/", hir.Rem: "%", hir.And: "&", hir.Or: "|", hir.Xor: "^",
	hir.Shl: "<<", hir.Shr: ">>", hir.Eq: "==", hir.Ne: "!=", hir.Lt: "<", hir.Le: "<=", hir.Gt: ">", hir.Ge: ">=",
	hir.LogAnd: "&&", hir.LogOr: "||",
}

// value returns a prvalue of scalar type, or of void.
func (l *lowerer) value(e hir.Expr) syntax.Expr {
	sp := at(e)
	switch e := e.(type) {
	case *hir.ConstExpr:
		return l.constant(sp, &e.Value, e.T)
	case *hir.Zero:
		return l.zeroScalar(sp, e.T)
	case *hir.Convert:
		return l.convert(e)
	case *hir.Unary:
		x := l.value(e.X)
		if e.Op == hir.Not {
			x = l.condition(e.X)
		}
		return &syntax.UnaryExpr{Span: sp, Op: unaryOps[e.Op], X: x}
	case *hir.Binary:
		return l.binary(e)
	case *hir.Cond:
		return l.cond(e)
	case *hir.Comma:
		x := l.effects(e.X)
		if l.mayHoist() && hasStmts(e.Y) {
			for _, x := range x {
				l.emit(tree.Do(x))
			}
			x = nil
		}
		return comma(append(x, l.value(e.Y))...)
	case *hir.Assign:
		return l.assign(e, e.X)
	case *hir.IncDec:
		return l.incDec(e, e.X)
	case *hir.AddrOf:
		return spanned(sp, l.addr(e.X))
	case *hir.MemberPtr:
		if e.Field == nil {
			return l.method(sp, e.Func, 0)
		}
		return tree.Number(sp, e.Field.Offset)
	case *hir.Call:
		return l.call(e, nil)
	case *hir.New:
		return l.newExpr(e)
	case *hir.Delete:
		return l.deleteExpr(e)
	case *hir.Launch:
		return l.launch(e)
	case *hir.Aggregate: // of a scalar: T{x}
		if len(e.Elems) == 1 {
			return l.converted(e.Elems[0], e.T)
		}
	case *hir.StmtExpr:
		return l.stmtExpr(e)
	}
	if e.Category() != hir.PRValue {
		return l.lvalue(e)
	}
	if e.Type().IsClass() {
		return l.classValue(e)
	}
	l.missing(e, "this expression")
	return tree.Number(sp, 0)
}

// byValue reports whether classValue returns the value of e without a temporary.
func (l *lowerer) byValue(e hir.Expr) bool {
	switch e := e.(type) {
	case *hir.Call:
		return !l.inMemory(e.T)
	case *hir.Copy:
		return true
	case *hir.Cond:
		return l.byValue(e.X) && l.byValue(e.Y)
	}
	return e.Category() != hir.PRValue
}

// classValue returns a prvalue of class type as a value of C.
func (l *lowerer) classValue(e hir.Expr) syntax.Expr {
	if e.Category() != hir.PRValue {
		return l.lvalue(e)
	}
	switch e := e.(type) {
	case *hir.Call:
		if !l.inMemory(e.T) {
			return l.call(e, nil)
		}
	case *hir.Copy:
		if e.To != nil {
			return l.copyTo(e, e.To)
		}
		return l.lvalue(e.X)
	case *hir.Cond:
		if l.byValue(e) {
			c := l.condition(e.C)
			var x, y syntax.Expr
			l.maybe(func() { x, y = l.classValue(e.X), l.classValue(e.Y) })
			return &syntax.CondExpr{Span: at(e), Cond: c, Then: x, Else: y}
		}
	case *hir.Convert:
		if e.Kind == hir.Qualify {
			return l.classValue(e.X)
		}
	}
	return l.spill(e)
}

// binary lowers an operator of two operands.
func (l *lowerer) binary(e *hir.Binary) syntax.Expr {
	sp := at(e)
	switch e.Op {
	case hir.LogAnd, hir.LogOr:
		x := l.condition(e.X)
		if l.mayHoist() && hasStmts(e.Y) {
			known := func() syntax.Expr { return integer(sp, map[bool]uint64{true: 1}[e.Op == hir.LogOr], types.Bool) }
			second := func() syntax.Expr { return l.value(e.Y) }
			if e.Op == hir.LogOr {
				return l.byBranch(sp, e.T, x, known, second)
			}
			return l.byBranch(sp, e.T, x, second, known)
		}
		var y syntax.Expr
		l.maybe(func() { y = l.condition(e.Y) })
		return &syntax.BinaryExpr{Span: sp, X: x, Op: binaryOps[e.Op], Y: y}
	case hir.Shl, hir.Shr:
		x := e.X
		if c := implicit(x); c != nil && l.prog.Types.Promote(c.Type().Underlying()) == x.Type() {
			x = c
		}
		return &syntax.BinaryExpr{Span: sp, X: l.value(x), Op: binaryOps[e.Op], Y: l.value(e.Y)}
	}
	if isMethod(e.X.Type()) {
		return l.compareMethods(e)
	}
	if e.X.Type().IsPointer() && e.Y.Type().IsInteger() {
		return &syntax.BinaryExpr{Span: sp, X: l.address(e.X), Op: binaryOps[e.Op], Y: l.offset(e.Y)}
	}
	x, y := e.X, e.Y
	if x.Type() == y.Type() && x.Type().IsArithmetic() {
		x, y = l.operands(x, y)
	}
	if l.divides(e.Op, y) && e.T.IsInteger() {
		return &syntax.BinaryExpr{Span: sp, X: l.address(x), Op: binaryOps[e.Op], Y: l.divisor(y)}
	}
	return &syntax.BinaryExpr{Span: sp, X: l.address(x), Op: binaryOps[e.Op], Y: l.address(y)}
}

// operands removes the conversions of arithmetic operands that C makes by itself.
func (l *lowerer) operands(x, y hir.Expr) (hir.Expr, hir.Expr) {
	want := x.Type().Unqualified()
	same := func(x, y hir.Expr) bool {
		return l.prog.Types.UsualArithmetic(x.Type().Underlying().Unqualified(), y.Type().Underlying().Unqualified()) == want
	}
	x0, y0 := implicit(x), implicit(y)
	switch {
	case x0 != nil && y0 != nil && same(x0, y0):
		return x0, y0
	case x0 != nil && same(x0, y):
		return x0, y
	case y0 != nil && same(x, y0):
		return x, y0
	}
	return x, y
}

// implicit returns the operand of an arithmetic conversion that C may make by itself, or nil.
func implicit(e hir.Expr) hir.Expr {
	c, ok := e.(*hir.Convert)
	if !ok {
		return nil
	}
	switch c.Kind {
	case hir.Integral, hir.IntToFloat, hir.Floating:
		if _, isConst := c.X.(*hir.ConstExpr); !isConst && c.X.Type().Underlying().IsArithmetic() {
			return c.X
		}
	}
	return nil
}

// converted returns the value of e where C converts it to type t: the outermost
// conversion is left out.
func (l *lowerer) converted(e hir.Expr, t types.Type) syntax.Expr {
	if c, ok := e.(*hir.Convert); ok && !t.Is(types.Bool) {
		switch c.Kind {
		case hir.Integral, hir.IntToFloat, hir.Floating, hir.FloatToInt:
			if _, isConst := c.X.(*hir.ConstExpr); !isConst && c.X.Type().Underlying().IsArithmetic() && c.T.Underlying().IsArithmetic() {
				return l.value(c.X)
			}
		}
	}
	return l.value(e)
}

// condition returns a value that C compares with zero.
func (l *lowerer) condition(e hir.Expr) syntax.Expr {
	if c, ok := e.(*hir.Convert); ok && c.Kind == hir.ToBool && !c.X.Type().Is(types.MemberPointer) && !isConst(c.X) {
		return l.condition(c.X)
	}
	return l.value(e)
}

func isConst(e hir.Expr) bool {
	_, ok := e.(*hir.ConstExpr)
	return ok
}

// cond lowers ?: of scalars or void.
func (l *lowerer) cond(e *hir.Cond) syntax.Expr {
	sp := at(e)
	if e.T.IsClass() {
		return l.classValue(e)
	}
	c := l.condition(e.C)
	if l.mayHoist() && !e.T.IsVoid() && (hasStmts(e.X) || hasStmts(e.Y)) {
		return l.byBranch(sp, e.T, c, func() syntax.Expr { return l.value(e.X) }, func() syntax.Expr { return l.value(e.Y) })
	}
	var x, y syntax.Expr
	l.maybe(func() {
		if e.T.IsVoid() {
			x, y = comma(append(l.effects(e.X), tree.Number(at(e.X), 0))...), comma(append(l.effects(e.Y), tree.Number(at(e.Y), 0))...)
			return
		}
		ex, ey := e.X, e.Y
		if e.T.IsArithmetic() {
			ex, ey = l.operands(ex, ey)
		}
		x, y = l.value(ex), l.value(ey)
	})
	return &syntax.CondExpr{Span: sp, Cond: c, Then: x, Else: y}
}

// assign lowers an assignment to x, which is e.X or stands for it.
func (l *lowerer) assign(e *hir.Assign, x hir.Expr) syntax.Expr {
	sp := at(e)
	if f, ok := x.(*hir.Field); ok && f.Field.Width >= 0 {
		return l.assignBits(e, f)
	}
	if choosesBits(x) {
		return l.assignChosen(e, x)
	}
	if isUnaligned(x) {
		return l.assignUnaligned(e, x)
	}
	if e.Op == hir.NoOp {
		return &syntax.AssignExpr{Span: sp, L: l.lvalue(x), Op: "=", R: l.converted(e.Y, x.Type())}
	}
	if x.Type().Is(types.Bool) {
		right, first := l.early(x, e.Y)
		place, set := l.once(x)
		v := &syntax.BinaryExpr{Span: sp, X: place(), Op: binaryOps[e.Op], Y: right}
		do := &syntax.AssignExpr{Span: sp, L: place(), Op: "=", R: &syntax.BinaryExpr{Span: sp, X: v, Op: "!=", Y: tree.Number(sp, 0)}}
		return comma(append(append(first, set...), do)...)
	}
	y := e.Y
	if c := implicit(y); c != nil && y.Type().IsArithmetic() && x.Type().Underlying().IsArithmetic() && e.Op != hir.Shl && e.Op != hir.Shr {
		if l.prog.Types.UsualArithmetic(x.Type().Underlying().Unqualified(), c.Type().Underlying().Unqualified()) == e.Computed.Unqualified() {
			y = c
		}
	}
	var right syntax.Expr
	switch {
	case x.Type().IsPointer():
		right = l.offset(e.Y)
	case l.divides(e.Op, y) && e.Computed.IsInteger():
		right = l.divisor(y)
	default:
		right = l.value(y)
	}
	return &syntax.AssignExpr{Span: sp, L: l.lvalue(x), Op: binaryOps[e.Op] + "=", R: right}
}

// incDec lowers ++ and --.
func (l *lowerer) incDec(e *hir.IncDec, x hir.Expr) syntax.Expr {
	sp := at(e)
	op := syntax.Op("++")
	if e.Dec {
		op = "--"
	}
	if f, ok := x.(*hir.Field); ok && f.Field.Width >= 0 {
		return l.incDecBits(e, f)
	}
	if choosesBits(x) {
		return l.chosen(x, func(x hir.Expr) syntax.Expr { return l.incDec(e, x) })
	}
	if isUnaligned(x) {
		return l.incDecUnaligned(e, x)
	}
	if e.Postfix {
		return &syntax.PostfixExpr{Span: sp, X: l.lvalue(x), Op: op}
	}
	return &syntax.UnaryExpr{Span: sp, Op: op, X: l.lvalue(x)}
}

// copyTo assigns the bytes of an object.
func (l *lowerer) copyTo(e *hir.Copy, to hir.Expr) syntax.Expr {
	sp := at(e)
	if t := to.Type(); t.IsClass() && t.Class.Empty {
		return comma(append(append(l.effects(e.X), l.effects(to)...), tree.Number(sp, 0))...)
	}
	if t := to.Type(); t.IsArray() {
		return tree.Call(sp, "memcpy", l.addr(to), l.addr(e.X), tree.Number(sp, t.Size()))
	}
	return &syntax.AssignExpr{Span: sp, L: l.lvalue(to), Op: "=", R: l.classValue(e.X)}
}

// discarded returns what is evaluated of an expression whose value is not used.
func discarded(e hir.Expr) hir.Expr {
	for {
		c, ok := e.(*hir.Convert)
		if !ok || c.Kind == hir.Load && c.X.Type().IsVolatile() {
			return e
		}
		e = c.X
	}
}

// effects returns expressions with the effects of e, whose value is not used: none if
// it has no effects.
func (l *lowerer) effects(e hir.Expr) []syntax.Expr {
	e = discarded(e)
	if l.repeatable(e) && !e.Type().IsVolatile() {
		return nil
	}
	switch e := e.(type) {
	case *hir.Comma:
		return append(l.effects(e.X), l.effects(e.Y)...)
	case *hir.Call:
		if !l.inMemory(e.T) {
			return []syntax.Expr{l.call(e, nil)}
		}
	case *hir.Materialize:
		x := l.materialize(e)
		if b, ok := x.(*syntax.BinaryExpr); ok && b.Op == "," {
			return []syntax.Expr{b.X}
		}
		return nil
	case *hir.Assign:
		return []syntax.Expr{withoutBits(e.X, l.assign(e, e.X))}
	case *hir.IncDec:
		return []syntax.Expr{withoutBits(e.X, l.incDec(e, e.X))}
	case *hir.Copy:
		if e.To == nil {
			return l.effects(e.X)
		}
		if t := e.To.Type(); t.IsClass() && t.Class.Empty {
			return append(l.effects(e.X), l.effects(e.To)...)
		}
		return []syntax.Expr{l.copyTo(e, e.To)}
	case *hir.Field:
		return l.effects(e.X)
	case *hir.Cond:
		if e.Category() != hir.PRValue { // neither is read, and bit-fields have no address
			return []syntax.Expr{l.effectOf(e)}
		}
	case *hir.Zero, *hir.FuncRef, *hir.StringExpr:
		return nil
	case *hir.StmtExpr:
		l.emit(l.block(withValue(e)))
		return nil
	}
	if e.Type().IsClass() && e.Category() == hir.PRValue {
		return l.effects(&hir.Materialize{Info: hir.Info{Span: spanOf(e), T: e.Type().Unqualified(), Cat: hir.XValue}, X: e})
	}
	return []syntax.Expr{l.value(e)}
}

// effectOf returns the effects of a glvalue that is one of two.
func (l *lowerer) effectOf(e *hir.Cond) syntax.Expr {
	sp := at(e)
	c := l.condition(e.C)
	var x, y syntax.Expr
	l.maybe(func() { x, y = l.effect(e.X), l.effect(e.Y) })
	void := func(x syntax.Expr) syntax.Expr { return tree.Cast(sp, tree.Basic(sp, "void"), x) }
	return &syntax.CondExpr{Span: sp, Cond: c, Then: void(x), Else: void(y)}
}

// effect is effects as one expression.
func (l *lowerer) effect(e hir.Expr) syntax.Expr {
	list := l.effects(e)
	if len(list) == 0 {
		return tree.Number(at(e), 0)
	}
	return comma(list...)
}

// hasStmts reports whether a part of e needs statements in front of what contains it: a
// statement expression, or new or delete of an array that a loop initialises or destroys.
func hasStmts(e hir.Expr) bool {
	found := false
	hir.Walk(e, func(n any) {
		switch n := n.(type) {
		case *hir.StmtExpr:
			found = true
		case *hir.New:
			found = found || n.Count != nil && n.Whole == nil && n.Init != nil || !wholeByExpr(n)
		case *hir.Delete:
			found = found || n.Array && n.Destroy != nil && !n.Destroy.Trivial
		}
	})
	return found
}

// mayHoist reports whether statements can be in front of the present expression.
func (l *lowerer) mayHoist() bool {
	return l.fn.full != nil && l.fn.full.stmts && l.fn.full.conditional == 0
}

// byBranch evaluates c ? x : y into a variable by an if, so that statements in x and y
// are executed only where they are evaluated. y may be nil: the variable is as c then.
func (l *lowerer) byBranch(sp syntax.Span, t types.Type, c syntax.Expr, x, y func() syntax.Expr) syntax.Expr {
	name := l.temporary(sp, t)
	set := func(f func() syntax.Expr) *syntax.Block {
		return tree.Block(sp, l.collect(func() { l.emit(tree.Do(tree.Assign(tree.Ident(sp, name), "=", f()))) })...)
	}
	out := &syntax.IfStmt{Span: sp, Cond: c, Then: set(x), Else: set(y)}
	l.emit(out)
	return tree.Ident(sp, name)
}

// stmtExpr lowers GNU's ({ ... }) where its statements can be in front of the
// expression.
func (l *lowerer) stmtExpr(e *hir.StmtExpr) syntax.Expr {
	if !l.mayHoist() || e.Value == nil {
		l.errorf(e, codeStmt, "a statement expression is not supported here in device code").Hint = "move its statements in front of the expression"
		return tree.Number(at(e), 0)
	}
	sp := at(e)
	name := l.temporary(sp, e.T)
	b := &hir.Block{Span: e.Span, Stmts: e.Body}
	outer := l.fn.full
	l.emit(&syntax.Block{Span: sp, Stmts: l.collect(func() {
		l.scope(b, func() {
			l.list(b)
			l.fullExpr(func() { l.emit(tree.Do(tree.Assign(tree.Ident(sp, name), "=", l.converted(e.Value, e.T)))) })
		})
	})})
	l.fn.full = outer
	return tree.Ident(sp, name)
}
