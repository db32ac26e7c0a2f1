package interp

import (
	"irgl/internal/check"
	"irgl/syntax"
)

// expr compiles e for its value; an array or string gives the pointer to its
// first element.
//
//irgl:flatswitch
//irgl:allnodes Expr except LaunchExpr SliceExpr SizeofExpr InitList
func (c *compiler) expr(e syntax.Expr) val {
	c.enter()
	defer c.leave()
	t := c.info.Types[e]
	if k := c.info.Consts[e]; k != nil && check.IsScalar(t) {
		if isFloat(t) {
			return floatConst(t, k.Float)
		}
		return intConst(t, k.Int)
	}
	switch e := e.(type) {
	case *syntax.ParenExpr:
		return c.expr(e.X)
	case *syntax.Ident:
		if v, ok := c.nameless(e); ok {
			return v
		}
		return c.value(c.place(e))
	case *syntax.BasicLit:
		return c.stringLit(e)
	case *syntax.UnaryExpr:
		return c.unary(e)
	case *syntax.PostfixExpr:
		return c.increment(e, e.X, e.Op, true)
	case *syntax.BinaryExpr:
		return c.binary(e)
	case *syntax.AssignExpr:
		return c.assign(e)
	case *syntax.CondExpr:
		return c.conditional(e)
	case *syntax.CallExpr:
		return c.call(e)
	case *syntax.InvokeExpr:
		return c.invoke(e)
	case *syntax.IndexExpr:
		if t := c.info.Types[e.X]; t == check.Edges || t == check.InEdges {
			return c.edgeOf(e)
		}
		return c.value(c.place(e))
	case *syntax.CompoundLit:
		return c.value(c.place(e))
	case *syntax.MemberExpr:
		if v, ok := c.handleMember(e); ok {
			return v
		}
		return c.value(c.place(e))
	case *syntax.CastExpr:
		return convert(c.expr(e.X), t)
	}
	c.errorf(e, codeUnknown, "this expression is not part of IrGL programs")
	return intConst(check.Int, 0)
}

// as compiles e for its value converted to type t.
func (c *compiler) as(e syntax.Expr, t check.Type) val { return convert(c.expr(e), t) }

// value reads a place; an array is the pointer to its first element.
func (c *compiler) value(p place) val {
	if a, ok := p.t.(*check.Array); ok {
		return c.address(p, &check.Pointer{Elem: a.Elem})
	}
	return c.load(p)
}

// nameless compiles names that stand for no place: the graph, the mesh and
// names of C text, whose value is never looked at, id and degree in an
// initialiser.
func (c *compiler) nameless(e *syntax.Ident) (val, bool) {
	o := c.info.Uses[e]
	if o == nil {
		o = c.info.Defs[e]
	}
	switch {
	case o == nil:
		c.errorf(e, codeUnknown, "%s has no meaning here", e.Name)
		return intConst(check.Int, 0), true
	case o.Kind == check.GraphObj || o.Kind == check.WorklistObj || o.Kind == check.ForeignObj:
		return intConst(o.Type, 0), true
	case o.Kind == check.ConstObj && o.Type == check.String:
		d, ok := o.Decl.(*syntax.DefineDecl)
		if !ok {
			break
		}
		return c.expr(d.Value), true
	case o.Kind == check.BuiltinObj && c.inits[e.Name] != nil:
		cell := c.inits[e.Name]
		return val{t: o.Type, i: func() int64 { return *cell }, cell: cell}, true
	case o.Kind == check.BuiltinObj: // stdout and stderr
		return intConst(o.Type, 0), true
	}
	return val{}, false
}

// stringLit places a string in memory, once for each literal.
func (c *compiler) stringLit(e *syntax.BasicLit) val {
	return c.address(c.stringPlace(e), &check.Pointer{Elem: check.Char, Const: true})
}

// stringPlace returns the array of characters that a literal is.
func (c *compiler) stringPlace(e *syntax.BasicLit) place {
	text, err := syntax.ParseString(e.Text)
	if err != nil || e.Kind != syntax.StringLit {
		c.errorf(e, codeUnknown, "this literal has no value")
	}
	s := c.strings[e]
	if s == nil {
		s = c.newSegment(int64(len(text))+1, e)
		copy(s.data, text)
		s.ro = true
		c.strings[e] = s
	}
	return place{mode: fixedMode, t: &check.Array{Elem: check.Char, Len: int64(len(text)) + 1}, seg: s, n: e}
}

// unary compiles prefix operators. The integer ones compute in the promoted type
// of their operand.
func (c *compiler) unary(e *syntax.UnaryExpr) val {
	switch e.Op {
	case "++", "--":
		return c.increment(e, e.X, e.Op, false)
	case "&":
		if lit, ok := syntax.Unparen(e.X).(*syntax.BasicLit); ok {
			return c.stringLit(lit)
		}
		return c.address(c.place(e.X), c.info.Types[e])
	case "*":
		return c.value(c.place(e))
	case "!":
		b := c.cond(e.X)
		return ofCond(check.Int, func() bool { return !b() })
	}
	x := c.expr(e.X)
	t := check.Promote(x.t)
	x = convert(x, t)
	i, f := x.i, x.f
	switch {
	case e.Op == "+":
		return x
	case e.Op == "-" && f != nil:
		return floatVal(t, func() float64 { return -f() })
	case e.Op == "-":
		return intVal(t, truncate(func() int64 { return -i() }, t))
	}
	return intVal(t, truncate(func() int64 { return ^i() }, t))
}

// cond compiles a condition.
func (c *compiler) cond(e syntax.Expr) func() bool {
	c.enter()
	defer c.leave()
	e = syntax.Unparen(e)
	if c.info.Consts[e] == nil {
		switch e := e.(type) {
		case *syntax.UnaryExpr:
			if e.Op == "!" {
				b := c.cond(e.X)
				return func() bool { return !b() }
			}
		case *syntax.BinaryExpr:
			switch e.Op {
			case "&&":
				x, y := c.cond(e.X), c.cond(e.Y)
				return func() bool { return x() && y() }
			case "||":
				x, y := c.cond(e.X), c.cond(e.Y)
				return func() bool { return x() || y() }
			case "<", ">", "<=", ">=", "==", "!=":
				return c.comparison(e)
			}
		}
	}
	return truth(c.expr(e))
}

// conditional compiles ?:, whose value has the common type of both sides even
// when only one of them is evaluated.
func (c *compiler) conditional(e *syntax.CondExpr) val {
	t := check.Decay(c.info.Types[e])
	q, x, y := c.cond(e.Cond), c.as(e.Then, t), c.as(e.Else, t)
	switch {
	case x.s != nil && y.s != nil:
		return val{t: t, s: func() []byte {
			if q() {
				return x.s()
			}
			return y.s()
		}}
	case isFloat(t):
		return floatVal(t, func() float64 {
			if q() {
				return x.f()
			}
			return y.f()
		})
	}
	return intVal(t, func() int64 {
		if q() {
			return x.i()
		}
		return y.i()
	})
}

// binary compiles X op Y.
func (c *compiler) binary(e *syntax.BinaryExpr) val {
	switch e.Op {
	case ",":
		x, y := toVoid(c.expr(e.X)).i, c.expr(e.Y)
		return sequence(x, y)
	case "&&", "||", "<", ">", "<=", ">=", "==", "!=":
		return ofCond(check.Int, c.cond(e))
	}
	return c.operate(e, e.Op, c.expr(e.X), c.expr(e.Y))
}

// sequence evaluates first before v.
func sequence(first func() int64, v val) val {
	switch {
	case v.s != nil:
		return val{t: v.t, s: func() []byte { first(); return v.s() }}
	case v.f != nil:
		return floatVal(v.t, func() float64 { first(); return v.f() })
	}
	return intVal(v.t, func() int64 { first(); return v.i() })
}

// operate compiles x op y for the operators that compute.
func (c *compiler) operate(n syntax.Node, op syntax.Op, x, y val) val {
	if isPointer(x.t) || isPointer(y.t) {
		return c.pointerOp(n, op, x, y)
	}
	if op == "<<" || op == ">>" {
		t := check.Promote(x.t)
		return shift(op, t, convert(x, t), y)
	}
	t := check.UsualArithmetic(x.t, y.t)
	x, y = convert(x, t), convert(y, t)
	if isFloat(t) {
		return floatOp(op, t, x.f, y.f)
	}
	if t == check.Invalid {
		c.errorf(n, codeUnknown, "operator %s does not apply here", op)
		return intConst(check.Int, 0)
	}
	return intOp(op, t, x, y)
}

// pointerOp compiles pointer + integer, integer + pointer, pointer - integer
// and pointer - pointer.
func (c *compiler) pointerOp(n syntax.Node, op syntax.Op, x, y val) val {
	if !isPointer(x.t) {
		x, y = y, x
	}
	size := max(1, x.t.(*check.Pointer).Elem.Size())
	m, p, i := c.machine, x.i, y.i
	switch {
	case op == "-" && isPointer(y.t):
		return intVal(check.Long, func() int64 { return (p() - i()) / size })
	case op == "-":
		return intVal(x.t, func() int64 { return m.moved(p(), -i(), size, n) })
	case op == "+" && i != nil:
		return intVal(x.t, func() int64 { return m.moved(p(), i(), size, n) })
	}
	c.errorf(n, codeUnknown, "operator %s does not apply to pointers", op)
	return intConst(x.t, 0)
}
