package eval

import (
	"irgl/internal/cxx/hir"
	"irgl/internal/cxx/types"
)

// call evaluates a call, whose result of class type is made in result.
func (m *machine) call(e *hir.Call, result *object) scalar {
	fn := e.Func
	if fn == nil {
		fn = m.scalar(e.Fun).fn
		if fn == nil {
			m.fail(e, "call through a null function pointer is not allowed in a constant expression")
		}
	}
	if fn.Builtin != "" {
		return m.builtin(e, fn)
	}
	args := e.Args
	if n := len(args) - 1; e.RightFirst && n >= 0 && n < len(fn.Params) {
		o := m.newObject(args[n], fn.Params[n].Type)
		m.initialize(o, args[n])
		args = append(args[:n:n], &evaluated{args[n], o})
	}
	var this *scalar
	if e.This != nil {
		s := m.scalar(e.This)
		if e.Func == nil && !s.p.isNull() { // the function may be a base's
			if b := baseIn(m.object(e, s.p), fn.Of); b != nil {
				s.p = to(b)
			}
		}
		m.pointee(e, s.p, "member call")
		this = &s
	}
	if result == nil && e.Category() == hir.PRValue && !e.T.IsVoid() && !e.T.IsScalar() {
		result = m.newObject(e, e.T)
	}
	return m.invoke(e, fn, this, args, result)
}

// baseIn returns the object of class c that o is or has as a base, or nil.
func baseIn(o *object, c *types.Class) *object {
	if o.typ.IsClass() && o.typ.Class == c {
		return o
	}
	for _, b := range o.bases {
		if found := baseIn(b, c); found != nil {
			return found
		}
	}
	return nil
}

// An evaluated argument is one that has initialised its parameter already.
type evaluated struct {
	hir.Expr
	object *object
}

// body returns the body of a function that may be called.
func (m *machine) body(at node, fn *hir.Func) *hir.Block {
	if !fn.Constexpr && !fn.Trivial {
		kind := "function"
		if fn.Constructor {
			kind = "constructor"
		}
		m.fail(at, "non-constexpr %s '%s' cannot be used in a constant expression", kind, fn.Name)
	}
	b := fn.Body
	if m.ctx.Body != nil {
		b = m.ctx.Body(fn)
	}
	if b == nil {
		m.fail(at, "undefined function '%s' cannot be used in a constant expression", fn.Name)
	}
	return b
}

// invoke calls a function with its object, if it is a member, and its arguments.
func (m *machine) invoke(e hir.Expr, fn *hir.Func, this *scalar, args []hir.Expr, result *object) scalar {
	b := m.body(e, fn)
	f := &frame{caller: m.frame, fn: fn, at: e, result: result}
	if this != nil && fn.This != nil {
		o := m.newObject(e, fn.This.Type)
		o.value, o.init = *this, true
		f.bind(fn.This, o)
	}
	for i, p := range fn.Params {
		if i >= len(args) {
			break
		}
		var o *object
		if done, ok := args[i].(*evaluated); ok {
			o = done.object
		} else {
			o = m.newObject(args[i], p.Type)
			m.initialize(o, args[i]) // in the caller's frame
		}
		f.bind(p, o)
		f.args = append(f.args, "")
		if p.Type.IsScalar() {
			f.args[i] = o.value.text(p.Type)
		} else {
			f.args[i] = "..."
		}
	}
	if len(args) > len(fn.Params) {
		m.fail(e, "variadic function '%s' cannot be used in a constant expression", fn.Name)
	}
	if m.depth == m.maxDepth {
		m.fail(e, "constexpr evaluation exceeded maximum depth of %d calls", m.maxDepth)
	}
	m.step(e)
	m.depth++
	m.frame = f
	ended := m.block(b.Stmts)
	f.leave(0)
	m.frame = f.caller
	m.depth--
	if ended != returns && !fn.Result.IsVoid() && fn.Result.IsValid() && !fn.Constructor && !fn.Destructor {
		m.fail(e, "control reached end of constexpr function")
	}
	return f.value
}

// construct initialises an object by a constructor.
func (m *machine) construct(e *hir.Construct, o *object) {
	if e.Zero {
		m.zero(e, o)
	}
	if e.Func == nil || e.Func.Trivial {
		if len(e.Args) > 0 {
			source := m.objectOf(e, e.Args[0])
			m.known(e, source)
			m.assign(e, o, source)
		}
		return
	}
	m.invoke(e, e.Func, &scalar{p: to(o)}, e.Args, nil)
}
