package interp

import (
	"irgl/internal/check"
	"irgl/syntax"
)

// assign compiles L = R, L op= R and IrGL's declaring first assignment. The
// value is evaluated before the place, but in L op= R, where the place comes
// first and is computed once.
func (c *compiler) assign(e *syntax.AssignExpr) val {
	if o := c.info.Declares[e]; o != nil {
		r := c.as(e.R, o.Type)
		return c.store(c.storage(o, e.L), r)
	}
	p := c.place(e.L)
	if e.Op == "=" {
		return c.store(p, c.as(e.R, p.t))
	}
	prepare, q := p.pin()
	sum := c.operate(e, e.Op[:len(e.Op)-1], c.load(q), c.expr(e.R))
	return prepared(prepare, c.store(q, convert(sum, p.t)))
}

// prepared runs prepare, which may be nil, before v.
func prepared(prepare func(), v val) val {
	if prepare == nil {
		return v
	}
	return sequence(func() int64 { prepare(); return 0 }, v)
}

// increment compiles ++ and --; postfix gives the value from before.
func (c *compiler) increment(e, operand syntax.Expr, op syntax.Op, postfix bool) val {
	p := c.place(operand)
	one := intConst(check.Int, 1)
	if p.t == check.Int && p.mode == cellMode && p.set == nil {
		return incrementCell(p.cell, op, postfix)
	}
	prepare, q := p.pin()
	if !postfix {
		sum := c.operate(e, op[:1], c.load(q), one)
		return prepared(prepare, c.store(q, convert(sum, p.t)))
	}
	old := c.load(q)
	if isFloat(p.t) {
		was := new(float64)
		store := c.store(q, convert(c.operate(e, op[:1], floatVal(p.t, func() float64 { return *was }), one), p.t)).f
		return prepared(prepare, floatVal(p.t, func() float64 {
			v := old.f()
			*was = v
			store()
			return v
		}))
	}
	was := new(int64)
	store := c.store(q, convert(c.operate(e, op[:1], intVal(p.t, func() int64 { return *was }), one), p.t)).i
	return prepared(prepare, intVal(p.t, func() int64 {
		v := old.i()
		*was = v
		store()
		return v
	}))
}

// incrementCell is increment for an int variable.
func incrementCell(p *int64, op syntax.Op, postfix bool) val {
	by := int64(1)
	if op == "--" {
		by = -1
	}
	if postfix {
		return intVal(check.Int, func() int64 {
			v := *p
			*p = int64(int32(v + by))
			return v
		})
	}
	return intVal(check.Int, func() int64 {
		*p = int64(int32(*p + by))
		return *p
	})
}

// initialise compiles the initial value of a variable at p.
func (c *compiler) initialise(p place, init syntax.Expr) func() {
	list, isList := init.(*syntax.InitList)
	switch {
	case init == nil:
		return c.clear(p)
	case isList:
		return c.initList(p, list)
	case isArray(p.t):
		return c.initString(p, init)
	}
	v := c.store(p, c.as(init, p.t))
	return effect(v)
}

// isArray reports whether t is an array; of the arrays only those of characters
// are initialised by something else than a list.
func isArray(t check.Type) bool { _, ok := t.(*check.Array); return ok }

// effect returns v as something to do.
func effect(v val) func() {
	i := toVoid(v).i
	return func() { i() }
}

// clear makes a declared variable new again: zeros in memory, so that runs are
// alike, and no value in a variable outside it.
func (c *compiler) clear(p place) func() {
	if p.mode == cellMode {
		set := p.set
		if set == nil {
			return func() {}
		}
		return func() { *set = false }
	}
	b := c.bytes(p, true)
	return func() { clear(b()) }
}

// initList compiles the slots that check has made of an initialiser list. What
// no slot covers is zero.
func (c *compiler) initList(p place, list *syntax.InitList) func() {
	slots := c.info.Inits[list]
	if p.mode == cellMode {
		if len(slots) == 0 {
			zero := convert(intConst(check.Int, 0), p.t)
			return effect(c.store(p, zero))
		}
		return effect(c.store(p, c.as(slots[0].Value, p.t)))
	}
	var steps []func()
	for _, s := range slots {
		part := p.field(s.Type, s.Offset, s.Value)
		steps = append(steps, c.initialise(part, s.Value))
	}
	b := c.bytes(p, true)
	return func() {
		clear(b())
		for _, step := range steps {
			step()
		}
	}
}

// initString copies a string literal into an array of characters.
func (c *compiler) initString(p place, init syntax.Expr) func() {
	lit, ok := syntax.Unparen(init).(*syntax.BasicLit)
	if !ok {
		c.errorf(init, codeUnknown, "an array cannot be initialised by this")
		return func() {}
	}
	text := c.stringPlace(lit)
	b := c.bytes(p, true)
	return func() {
		to := b()
		clear(to[copy(to, text.seg.data):])
	}
}

// compoundLit compiles (T){...}: an object of its own, set anew each time.
func (c *compiler) compoundLit(e *syntax.CompoundLit) place {
	t := c.info.Types[e]
	p := place{mode: fixedMode, t: t, seg: c.newSegment(t.Size(), e), n: e}
	if c.fn != nil {
		c.fn.locals = append(c.fn.locals, p)
	}
	set, base := c.initialise(p, e.Init), p.seg.base
	return place{mode: ptrMode, t: t, n: e, ptr: func() int64 { set(); return base }}
}
