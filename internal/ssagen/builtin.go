package ssagen

import (
	"strings"
	"sync"

	"irgl/internal/builtin"
	"irgl/internal/check"
	"irgl/internal/devlib"
	"irgl/internal/ssa"
	"irgl/syntax"
)

// A bcall is a call of a builtin with its arguments converted to the types
// of the form that check chose.
type bcall struct {
	*fb
	e    *syntax.CallExpr
	name string
	sig  *check.Func
	args []*ssa.Value
	typ  ssa.Type // of the result
	dst  *place   // of a struct result
	// scope is that of an atomic.
	scope ssa.Scope
}

// unsignedArg reports whether parameter i of the form is unsigned.
func (c *bcall) unsignedArg(i int) bool { return check.IsUnsigned(c.sig.Params[i]) }

// builtin translates a call of a builtin function.
func (g *fb) builtin(e *syntax.CallExpr, id *syntax.Ident, b *check.Builtin, dst *place) *ssa.Value {
	sig, ok := g.info.Types[id].(*check.Func)
	if !ok {
		sig = b.Sigs[0]
	}
	t := typeOf(sig.Result)
	switch b.Rule {
	case builtin.CtorCall:
		if dst == nil {
			dst = &place{addr: g.alloca(sig.Result), typ: sig.Result}
		}
		g.makeStruct(*dst, e.Args)
		return nil
	case builtin.PrintfCall:
		if b.Name == "printf" {
			return g.printf(e)
		}
	}
	if name := clusterRegisters[b.Name]; name != "" {
		if dst == nil {
			dst = &place{addr: g.alloca(sig.Result), typ: sig.Result}
		}
		g.readRegisters(*dst, check.Dim3(), name)
		return nil
	}
	if len(e.Args) > len(sig.Params) || len(e.Args) < len(sig.Params) {
		return g.unavailable(e, b.Name, t)
	}
	c := &bcall{fb: g, e: e, name: b.Name, sig: sig, typ: t, dst: dst}
	if access := hintOf(b.Name); access != "" {
		return c.hinted(access)
	}
	base, scope := baseOf(b)
	c.scope = scope
	if b.Rule == builtin.AtomicCall && isStruct(sig.Result) {
		return c.atomicVector()
	}
	if g.opts.FastMath {
		base = fastName(base, sig)
	}
	emit := emitter(base)
	if emit == nil && devlib.HasMath(libraryName(b.Name, sig)) {
		emit = (*bcall).libraryCall
	}
	if emit == nil {
		return g.unavailable(e, b.Name, t)
	}
	if b.Outdated {
		c.args = append(c.args, g.intConst(ssa.I32, -1)) // the mask
	}
	for i, a := range e.Args {
		if i == 0 && (b.Rule == builtin.AtomicCall || b.Name == "__ldg" || b.Name == "__nv_atomic_load_n") {
			c.args = append(c.args, g.addressArg(a))
			continue
		}
		v := g.convertExpr(a, sig.Params[i])
		if v == nil {
			v = g.undef(typeOf(sig.Params[i]))
		}
		c.args = append(c.args, v)
	}
	g.pos = e.Pos()
	v := emit(c)
	if t == ssa.Void {
		return nil
	}
	if v == nil {
		return g.undef(t)
	}
	return v
}

// baseOf returns the builtin that b is a variant of: without the scope of an atomic, with
// the mask that an outdated warp function lacks.
func baseOf(b *check.Builtin) (name string, scope ssa.Scope) {
	if b.Outdated {
		return b.Name + "_sync", ssa.ScopeDevice
	}
	if b.Rule == builtin.AtomicCall {
		if name, ok := strings.CutSuffix(b.Name, "_block"); ok {
			return name, ssa.ScopeBlock
		}
		if name, ok := strings.CutSuffix(b.Name, "_system"); ok {
			return name, ssa.ScopeSystem
		}
	}
	return b.Name, ssa.ScopeDevice
}

// unavailable reports a builtin that has no device code.
func (g *fb) unavailable(e *syntax.CallExpr, name string, t ssa.Type) *ssa.Value {
	g.errorf(e, codeBuiltin, "%s is not available in device code", name)
	return g.undef(t)
}

// A table translates builtins, by name.
type table map[string]func(*bcall) *ssa.Value

// The tables are built when a program first calls a builtin, and that of the
// intrinsics, three quarters of all, when it calls one of them.
var (
	commonEmitters    = sync.OnceValue(func() table { return tableOf(table.memory, table.maths, table.warps) })
	intrinsicEmitters = sync.OnceValue(func() table { return tableOf(table.directed, table.fast, table.bits, table.moreBits, table.cuda) })
)

func tableOf(fill ...func(table)) table {
	t := table{}
	for _, f := range fill {
		f(t)
	}
	return t
}

// emitter returns the function that translates the builtin called name, or nil.
func emitter(name string) func(*bcall) *ssa.Value {
	if emit := commonEmitters()[name]; emit != nil {
		return emit
	}
	return intrinsicEmitters()[name]
}

// add registers f for the builtins of the given names.
func (t table) add(names string, f func(*bcall) *ssa.Value) {
	for name := range strings.FieldsSeq(names) {
		t[name] = f
	}
}

// op1 and op2 emit an operation on the arguments unchanged.
func op1(op ssa.Op) func(*bcall) *ssa.Value {
	return func(c *bcall) *ssa.Value { return c.emit(op, c.typ, c.args[0]) }
}

// op2 is op1 for two arguments.
func op2(op ssa.Op) func(*bcall) *ssa.Value {
	return func(c *bcall) *ssa.Value { return c.emit(op, c.typ, c.args[0], c.args[1]) }
}

// Atomics, memory operations and barriers. They modify the pointee of their
// first argument, whose pointer keeps its declared space.
func (t table) memory() {
	t.add("atomicAdd", func(c *bcall) *ssa.Value {
		if c.typ.IsFloat() {
			return c.atomic(ssa.OpAtomicFAdd, c.args[1])
		}
		return c.atomic(ssa.OpAtomicAdd, c.args[1])
	})
	t.add("atomicSub", func(c *bcall) *ssa.Value {
		return c.atomic(ssa.OpAtomicAdd, c.negate(c.args[1]))
	})
	t.add("atomicMin", signed(ssa.OpAtomicSMin, ssa.OpAtomicUMin))
	t.add("atomicMax", signed(ssa.OpAtomicSMax, ssa.OpAtomicUMax))
	for name, op := range map[string]ssa.Op{
		"atomicExch": ssa.OpAtomicExch, "atomicAnd": ssa.OpAtomicAnd, "atomicOr": ssa.OpAtomicOr, "atomicXor": ssa.OpAtomicXor,
		"atomicInc": ssa.OpAtomicInc, "atomicDec": ssa.OpAtomicDec,
	} {
		t.add(name, func(c *bcall) *ssa.Value { return c.atomic(op, c.args[1]) })
	}
	t.add("atomicCAS", func(c *bcall) *ssa.Value { return c.atomic(ssa.OpAtomicCAS, c.args[1], c.args[2]) })
	t.add("__ldg", (*bcall).readOnlyLoad)
	t.add("__trap", func(c *bcall) *ssa.Value { c.trap(); return nil })
	t.add("assert", func(c *bcall) *ssa.Value {
		fail, done := c.newBlock(), c.newBlock()
		c.branch(c.args[0], done, fail)
		c.setBlock(fail)
		c.assertFail()
		c.trap()
		c.setBlock(done)
		return nil
	})
	t.add("clock64 clock", func(c *bcall) *ssa.Value { return c.special("clock64", ssa.I64) })
	t.add("malloc", func(c *bcall) *ssa.Value { return c.runtimeCall("malloc", ssa.Ptr, c.args...) })
	t.add("free", func(c *bcall) *ssa.Value { return c.runtimeCall("free", ssa.Void, c.args...) })
	t.add("memset", func(c *bcall) *ssa.Value { return c.memset() })
	t.add("memcpy", func(c *bcall) *ssa.Value { return c.memcpy() })
}

// signed picks between the signed and the unsigned form of an atomic.
func signed(s, u ssa.Op) func(*bcall) *ssa.Value {
	return func(c *bcall) *ssa.Value {
		if check.IsUnsigned(c.sig.Result) {
			return c.atomic(u, c.args[1])
		}
		return c.atomic(s, c.args[1])
	}
}

// negate returns -v: there is no atomic subtraction, and adding -v wraps correctly.
func (c *bcall) negate(v *ssa.Value) *ssa.Value {
	if v.Op == ssa.OpConst {
		return c.intConst(v.Type, -v.Int)
	}
	return c.emit(ssa.OpNeg, v.Type, v)
}

// atomic emits an atomic operation on the first argument.
func (c *bcall) atomic(op ssa.Op, args ...*ssa.Value) *ssa.Value {
	addr := c.args[0]
	if addr.Type == ssa.PtrConst || addr.Type == ssa.PtrParam {
		return c.undef(c.typ) // rejected by check
	}
	v := c.emit(op, c.typ, append([]*ssa.Value{addr}, args...)...)
	v.Mem.Align = int64(c.typ.Size())
	if c.scope != ssa.ScopeDevice {
		v.Sym = c.scope
	}
	return v
}

// runtimeCall calls a function of the device's runtime, which the driver provides.
func (g *fb) runtimeCall(name string, result ssa.Type, args ...*ssa.Value) *ssa.Value {
	if g.mod.Func(name) == nil {
		f := &ssa.Func{Name: name, Result: result}
		for _, a := range args {
			f.Params = append(f.Params, ssa.NewParam("", a.Type))
		}
		g.mod.Funcs = append(g.mod.Funcs, f)
	}
	v := g.emit(ssa.OpCall, result, args...)
	v.Sym = ssa.Name(name)
	return v
}

// memset emits a loop over bytes: the address may have any alignment; later
// passes widen the stores where they can.
func (c *bcall) memset() *ssa.Value {
	b := c.resize(c.args[1], ssa.I8, true)
	c.countTo(c.args[2], func(i *ssa.Value) {
		s := c.emit(ssa.OpStore, ssa.Void, c.emit(ssa.OpPtrAdd, c.args[0].Type, c.args[0], i), b)
		s.Mem.Align = 1
	})
	return c.args[0]
}

// memcpy emits a loop over bytes, like memset.
func (c *bcall) memcpy() *ssa.Value {
	c.countTo(c.args[2], func(i *ssa.Value) {
		at := func(p *ssa.Value) *ssa.Value { return c.emit(ssa.OpPtrAdd, p.Type, p, i) }
		c.copyWord(place{addr: c.args[0]}, place{addr: c.args[1]}, ssa.I8, at)
	})
	return c.args[0]
}
