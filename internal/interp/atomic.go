package interp

import (
	"irgl/internal/check"
	"irgl/syntax"
)

// atomic compiles CUDA's read-modify-write functions. A single thread needs no
// atomicity: what is left is the arithmetic, and the old value as the result.
// The place comes first, then the operands.
func (c *compiler) atomic(e *syntax.CallExpr, name string, f *check.Func) val {
	if len(e.Args) != len(f.Params) || len(e.Args) < 2 {
		c.errorf(e, codeUnknown, "%s has other arguments", name)
		return undefined(f.Result, func() {})
	}
	target := c.atomicTarget(e.Args[0])
	prepare, p := target.pin()
	t := target.t
	arg := c.as(e.Args[1], t)
	if isFloat(t) {
		return prepared(prepare, c.atomicFloat(e, name, p, arg))
	}
	old, now := new(int64), new(int64)
	load := c.load(p).i
	store := c.store(p, intVal(t, func() int64 { return *now })).i
	if name == "atomicCAS" {
		set := c.as(e.Args[2], t).i
		return prepared(prepare, intVal(t, func() int64 {
			expect := arg.i()
			*now = set()
			v := load()
			if v == expect {
				store()
			}
			return v
		}))
	}
	update := atomicUpdates[name](t, intVal(t, func() int64 { return *old }), intVal(t, func() int64 { return *now }))
	return prepared(prepare, intVal(t, func() int64 {
		*now = arg.i()
		v := load()
		*old = v
		*now = update()
		store()
		return v
	}))
}

// atomicTarget returns the place that the pointer e points to; &place is that
// place itself.
func (c *compiler) atomicTarget(e syntax.Expr) place {
	if u, ok := syntax.Unparen(e).(*syntax.UnaryExpr); ok && u.Op == "&" {
		if p := c.place(u.X); p.mode != cellMode {
			return p
		}
	}
	return c.pointee(c.expr(e), 0, e)
}

// atomicUpdates make what computes the new value from the old one, x, and the
// operand, y. That of atomicCAS depends on a comparison and is nil.
var atomicUpdates = map[string]func(t check.Type, x, y val) func() int64{
	"atomicCAS":  nil,
	"atomicAdd":  func(t check.Type, x, y val) func() int64 { return intOp("+", t, x, y).i },
	"atomicSub":  func(t check.Type, x, y val) func() int64 { return intOp("-", t, x, y).i },
	"atomicAnd":  func(t check.Type, x, y val) func() int64 { return intOp("&", t, x, y).i },
	"atomicOr":   func(t check.Type, x, y val) func() int64 { return intOp("|", t, x, y).i },
	"atomicXor":  func(t check.Type, x, y val) func() int64 { return intOp("^", t, x, y).i },
	"atomicMin":  func(t check.Type, x, y val) func() int64 { return minMax(true, t, x, y).i },
	"atomicMax":  func(t check.Type, x, y val) func() int64 { return minMax(false, t, x, y).i },
	"atomicExch": func(_ check.Type, _, y val) func() int64 { return y.i },
	"atomicInc": func(_ check.Type, x, y val) func() int64 { // counts up to the operand, then starts again at 0
		return func() int64 {
			if x.i() >= y.i() {
				return 0
			}
			return x.i() + 1
		}
	},
	"atomicDec": func(_ check.Type, x, y val) func() int64 { // counts down to 0, then starts again at the operand
		return func() int64 {
			if x.i() == 0 || x.i() > y.i() {
				return y.i()
			}
			return x.i() - 1
		}
	},
}

// atomicFloat compiles the two functions that exist on floats. The sum is rounded
// to the type of the place.
func (c *compiler) atomicFloat(e *syntax.CallExpr, name string, p place, arg val) val {
	load, now := c.load(p).f, new(float64)
	store := c.store(p, floatVal(p.t, func() float64 { return *now })).f
	sum := floatOp("+", p.t, func() float64 { return *now }, arg.f).f
	switch name {
	case "atomicAdd":
		return floatVal(p.t, func() float64 {
			v := load()
			*now = v
			*now = sum()
			store()
			return v
		})
	case "atomicExch":
		return floatVal(p.t, func() float64 {
			*now = arg.f()
			v := load()
			store()
			return v
		})
	}
	c.errorf(e, codeUnknown, "the interpreter has no %s on %s", name, p.t)
	return arg
}
