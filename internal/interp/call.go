package interp

import (
	"irgl/internal/check"
	"irgl/syntax"
)

// maxDepth bounds the sum of the depths of the functions that call each other:
// each level of closures takes some hundred bytes of Go's stack.
const maxDepth = 1 << 19

// call compiles a call of a method, a function of the program or a builtin.
func (c *compiler) call(e *syntax.CallExpr) val {
	switch fun := syntax.Unparen(e.Fun).(type) {
	case *syntax.MemberExpr:
		if v, ok := c.method(e, fun); ok {
			return v
		}
	case *syntax.Ident:
		o := c.info.Uses[fun]
		switch {
		case o == nil:
		case o.Kind == check.FuncObj:
			return c.callFunction(e, c.function(o.Func))
		case o.Kind == check.TypeObj:
			return c.construct(e, o.Type)
		case o.Kind == check.BuiltinObj:
			return c.builtin(e, fun, o)
		}
	}
	// Only null can be the value of a pointer to a function: nothing in IrGL
	// takes a function's address.
	steps := []val{toVoid(c.expr(e.Fun))}
	for _, a := range e.Args {
		steps = append(steps, toVoid(c.expr(a)))
	}
	m := c.machine
	fail := func() {
		for _, s := range steps {
			s.i()
		}
		m.fail(e, codeCallNull, "this pointer to a function is null")
	}
	return undefined(c.info.Types[e], fail)
}

// undefined returns a value of type t whose computation does not end.
func undefined(t check.Type, fail func()) val {
	switch {
	case isStruct(t):
		return val{t: t, s: func() []byte { fail(); return nil }}
	case isFloat(t):
		return floatVal(t, func() float64 { fail(); return 0 })
	}
	return intVal(t, func() int64 { fail(); return 0 })
}

// construct compiles T(x) for a type's name.
func (c *compiler) construct(e *syntax.CallExpr, t check.Type) val {
	if len(e.Args) != 1 {
		c.errorf(e, codeUnknown, "this cannot be made from %d values", len(e.Args))
		return intConst(check.Int, 0)
	}
	return c.as(e.Args[0], t)
}

// callFunction compiles a call: evaluate all arguments, set the parameters, run
// the body. The arguments wait in variables of the call, because evaluating a
// later one may call the same function.
func (c *compiler) callFunction(e *syntax.CallExpr, fn *function) val {
	pass := c.passArgs(fn, e.Args)
	run := c.enterFunction(e, fn, pass)
	switch t := fn.info.Type.Result; {
	case t == check.Void:
		return intVal(t, func() int64 { run(); return 0 })
	case isStruct(t):
		// The result must outlive the next call.
		copied := c.newSegment(t.Size(), e).data
		result := fn.result.seg.data
		return val{t: t, s: func() []byte { run(); copy(copied, result); return copied }}
	case isFloat(t):
		p := fn.result.fcell
		return floatVal(t, func() float64 { *p = 0; run(); return *p })
	default:
		p := fn.result.cell
		return intVal(t, func() int64 { *p = 0; run(); return *p })
	}
}

// enterFunction returns what runs fn after pass has set its parameters. It
// watches over the depth of the stack.
func (c *compiler) enterFunction(e syntax.Node, fn *function, pass func()) func() {
	m := c.machine
	if !fn.info.Recursive {
		return func() {
			m.tick(1)
			pass()
			fn.body()
		}
	}
	return func() {
		m.tick(1)
		cost := fn.depth + 50
		if m.depth += cost; m.depth > maxDepth {
			m.fail(e, codeDeep, "recursion too deep: calls of %s have not returned", fn.info.Object.Name)
		}
		restore := fn.save()
		pass()
		fn.body()
		restore()
		m.depth -= cost
	}
}

// passArgs returns what evaluates the arguments and sets fn's parameters.
func (c *compiler) passArgs(fn *function, args []syntax.Expr) func() {
	eval, set := c.evalArgs(fn, args)
	return func() { eval(); set() }
}

// evalArgs returns what evaluates the arguments and what then sets fn's
// parameters to them, as often as it is called.
func (c *compiler) evalArgs(fn *function, args []syntax.Expr) (eval, set func()) {
	var evals, sets []func()
	for i, p := range fn.params {
		if i >= len(args) || p.t == check.GraphType {
			continue
		}
		v := c.as(args[i], p.t)
		switch {
		case v.konst:
			sets = append(sets, effect(c.store(p, v)))
		case v.s != nil:
			wait := make([]byte, p.t.Size())
			evals = append(evals, func() { copy(wait, v.s()) })
			sets = append(sets, effect(c.store(p, val{t: p.t, s: func() []byte { return wait }})))
		case v.f != nil:
			wait := new(float64)
			evals = append(evals, func() { *wait = v.f() })
			sets = append(sets, effect(c.store(p, floatVal(p.t, func() float64 { return *wait }))))
		default:
			wait := new(int64)
			evals = append(evals, func() { *wait = v.i() })
			sets = append(sets, effect(c.store(p, intVal(p.t, func() int64 { return *wait }))))
		}
	}
	all := func(list []func()) func() {
		return func() {
			for _, f := range list {
				f()
			}
		}
	}
	return all(evals), all(sets)
}

// method compiles graph.nodes(i), graph.edges(n), WL.pop(i) and WL.push(x), and
// the mesh's methods.
func (c *compiler) method(e *syntax.CallExpr, fun *syntax.MemberExpr) (val, bool) {
	base, ok := c.info.Types[fun.X].(check.Basic)
	if ok && base == check.MeshType {
		return c.meshMethod(e, fun.Name.Name)
	}
	if !ok || base != check.GraphType && base != check.Worklist || len(e.Args) != 1 {
		return val{}, false
	}
	m := c.machine
	arg := c.as(e.Args[0], check.Int)
	i := arg.i
	switch fun.Name.Name {
	case "nodes":
		return convert(arg, check.Node), true
	case "edges":
		return intVal(check.Edges, i), true
	case "pop":
		return intVal(check.Node, func() int64 {
			x := i()
			if m.wl == nil || uint64(x) >= uint64(len(m.wl.in)) {
				m.badPop(e, x)
			}
			return int64(m.wl.in[x])
		}), true
	case "push":
		return intVal(check.Void, func() int64 {
			x := i()
			m.push(int32(x), e)
			return 0
		}), true
	}
	return val{}, false
}
