package ssagen

import (
	"strconv"
	"strings"

	"irgl/internal/check"
	"irgl/internal/ssa"
)

// Builtins of .cu files that are inline PTX, or that need no instruction.
func (t table) cuda() {
	t.add("__nanosleep", inlineOf(ssa.OpAsmVolatile, "r", "nanosleep.u32 %0;"))
	t.add("__brkpt", inlineOf(ssa.OpAsmSync, "", "brkpt;"))
	t.add("__globaltimer", func(c *bcall) *ssa.Value { return c.special("globaltimer", ssa.I64) })
	t.add("__prof_trigger", func(c *bcall) *ssa.Value {
		n := c.args[0]
		if n.Op != ssa.OpConst || n.Int < 0 || n.Int > 15 {
			c.errorf(c.e, codeBuiltin, "the counter of __prof_trigger must be a constant from 0 to 15")
			return nil
		}
		return c.inline(ssa.OpAsmVolatile, "", "pmevent "+strconv.FormatInt(n.Int, 10)+";")
	})
	for name, space := range map[string]ssa.Space{"__isGlobal": ssa.SpaceGlobal, "__isShared": ssa.SpaceShared, "__isConstant": ssa.SpaceConst, "__isLocal": ssa.SpaceLocal} {
		t.add(name, func(c *bcall) *ssa.Value {
			in := c.emit(ssa.OpInSpace, ssa.I1, c.args[0])
			in.Sym = space
			return c.emit(ssa.OpZExt, ssa.I32, in)
		})
	}
	for name, space := range map[string]ssa.Type{"global": ssa.PtrGlobal, "shared": ssa.PtrShared, "constant": ssa.PtrConst, "local": ssa.PtrLocal} {
		t.add("__cvta_generic_to_"+name, func(c *bcall) *ssa.Value {
			return c.emit(ssa.OpPtrToInt, ssa.I64, c.emit(ssa.OpSpaceCast, space, c.args[0]))
		})
		t.add("__cvta_"+name+"_to_generic", func(c *bcall) *ssa.Value {
			return c.emit(ssa.OpSpaceCast, ssa.Ptr, c.emit(ssa.OpIntToPtr, space, c.args[0]))
		})
	}
	t.add("__match_all_sync", func(c *bcall) *ssa.Value {
		v, bits, letter := c.asBits(c.args[1]), "b32", "r"
		if v.Type == ssa.I64 {
			bits, letter = "b64", "l"
		}
		text := "{ .reg .pred p; match.all.sync." + bits + " %0|p, %3, %2; selp.s32 %1, 1, 0, p; }"
		mask := c.inline(ssa.OpAsmSync, "=r,=r,r,"+letter, text, c.args[0], v)
		all := c.emit(ssa.OpAsmResult, ssa.I32, mask)
		all.Int = 1
		c.store(place{addr: c.args[2], typ: check.Int}, all)
		return mask
	})
	for _, op := range []string{"add", "min", "max", "and", "or", "xor"} {
		t.add("__reduce_"+op+"_sync", func(c *bcall) *ssa.Value {
			typ := "s32"
			switch {
			case op == "and" || op == "or" || op == "xor":
				typ = "b32"
			case c.unsignedArg(1):
				typ = "u32"
			}
			return c.inline(ssa.OpAsmSync, "=r,r,r", "redux.sync."+op+"."+typ+" %0, %2, %1;", c.args...)
		})
	}
	for _, half := range []string{"lo", "hi"} {
		t.add("__dp2a_"+half, func(c *bcall) *ssa.Value {
			if c.unsignedArg(0) {
				return c.native("dp2a."+half+".u32.u32", c.args...)
			}
			return c.native("dp2a."+half+".s32.s32", c.args...)
		})
	}
	t.add("umin ullmin", op2(ssa.OpUMin))
	t.add("umax ullmax", op2(ssa.OpUMax))
	t.add("llmin", op2(ssa.OpSMin))
	t.add("llmax", op2(ssa.OpSMax))
	t.add("__assume __builtin_assume", func(*bcall) *ssa.Value { return nil })
	t.add("__builtin_expect __builtin_assume_aligned", func(c *bcall) *ssa.Value { return c.args[0] })
	t.add("__builtin_unreachable", func(c *bcall) *ssa.Value { c.trap(); return nil })
}

// inline emits inline PTX.
func (g *fb) inline(op ssa.Op, operands, template string, args ...*ssa.Value) *ssa.Value {
	a := ssa.Asm{Operands: operands, Template: template}
	v := g.emit(op, append(a.Results(), ssa.Void)[0], args...)
	v.Sym = a
	return v
}

// inlineOf returns the emitter of inline PTX on the arguments unchanged.
func inlineOf(op ssa.Op, operands, template string) func(*bcall) *ssa.Value {
	return func(c *bcall) *ssa.Value { return c.inline(op, operands, template, c.args...) }
}

// elements returns the type of the elements of a scalar or of one of CUDA's vectors, and
// their number, 0 for a scalar.
func elements(t check.Type) (elem check.Type, n int) {
	if s, ok := t.(*check.Struct); ok {
		return s.Fields[0].Type, len(s.Fields)
	}
	return t, 0
}

// readOnlyLoad loads a scalar, or the elements of a vector into dst.
func (c *bcall) readOnlyLoad() *ssa.Value {
	t := c.sig.Result
	elem, n := elements(t)
	if n == 0 {
		return c.load(place{addr: c.args[0], typ: t, readOnly: true})
	}
	from, to := place{addr: c.args[0], typ: t}, c.structResult()
	for i := range int64(n) {
		off := i * elem.Size()
		v := c.load(place{addr: c.offset(from.addr, off), typ: elem, readOnly: true, align: from.part(off)})
		c.store(place{addr: c.offset(to.addr, off), typ: elem, align: to.part(off)}, v)
	}
	return nil
}

// structResult returns the place of a struct result.
func (c *bcall) structResult() place {
	if c.dst == nil {
		c.dst = &place{addr: c.alloca(c.sig.Result), typ: c.sig.Result}
	}
	return *c.dst
}

// hintOf returns the access that a builtin with a cache hint makes, "ld.global.cg", or "".
func hintOf(name string) string {
	switch op, ok := strings.CutPrefix(name, "__ld"); {
	case ok && strings.Contains(" ca cg cs lu cv ", " "+op+" "):
		return "ld.global." + op
	}
	switch op, ok := strings.CutPrefix(name, "__st"); {
	case ok && strings.Contains(" wb cg cs wt ", " "+op+" "):
		return "st.global." + op
	}
	return ""
}

// hintType returns the constraint of the register and the type of the access of an element.
func hintType(t ssa.Type) (letter, access string) {
	switch t {
	case ssa.I8:
		return "r", "u8"
	case ssa.I16:
		return "r", "u16"
	case ssa.I64:
		return "l", "u64"
	case ssa.F32:
		return "f", "f32"
	case ssa.F64:
		return "d", "f64"
	}
	return "r", "u32"
}

// hinted emits a load or store with a cache hint. It is inline PTX, as in CUDA's own
// headers: a load with a hint about L1 is no substitute for one without.
func (c *bcall) hinted(access string) *ssa.Value {
	t := c.sig.Params[0].(*check.Pointer).Elem
	elem, n := elements(t)
	addr := c.addressArg(c.e.Args[0])
	size, et := elem.Size(), typeOf(elem)
	letter, suffix := hintType(et)
	var stored []*ssa.Value
	if len(c.e.Args) > 1 {
		if n == 0 {
			stored = []*ssa.Value{c.asmInput(c.convertExpr(c.e.Args[1], t), ssa.AsmType(letter[0]))}
		} else {
			from := c.aggregate(c.e.Args[1], t)
			for i := range int64(n) {
				v := c.load(place{addr: c.offset(from.addr, i*size), typ: elem, align: from.part(i * size)})
				stored = append(stored, c.asmInput(v, ssa.AsmType(letter[0])))
			}
		}
	}
	c.pos = c.e.Pos()
	suffix = "." + suffix
	if n > 0 {
		suffix = ".v" + strconv.Itoa(n) + suffix
	}
	at := c.emit(ssa.OpPtrToInt, ssa.I64, c.generic(addr))
	if stored != nil {
		value := hintOperands(1, n)
		words := "l" + strings.Repeat(","+letter, max(1, n))
		return c.inline(ssa.OpAsmMemory, words, access+suffix+" [%0], "+value+";", append([]*ssa.Value{at}, stored...)...)
	}
	words := strings.Repeat("="+letter+",", max(1, n)) + "l"
	op := ssa.OpAsmRead
	if strings.HasSuffix(access, ".cv") {
		op = ssa.OpAsmMemory // it sees what others write: neither merged nor moved
	}
	v := c.inline(op, words, access+suffix+" "+hintOperands(0, n)+", [%"+strconv.Itoa(max(1, n))+"];", at)
	if n == 0 {
		return c.narrowed(v, et)
	}
	to := c.structResult()
	for i := range int64(n) {
		r := v
		if i > 0 {
			r = c.emit(ssa.OpAsmResult, v.Type, v)
			r.Int = i
		}
		c.store(place{addr: c.offset(to.addr, i*size), typ: elem, align: to.part(i * size)}, c.narrowed(r, et))
	}
	return nil
}

// narrowed truncates an integer to the type of a narrow element.
func (c *bcall) narrowed(v *ssa.Value, t ssa.Type) *ssa.Value {
	if t == ssa.I8 || t == ssa.I16 {
		return c.emit(ssa.OpTrunc, t, v)
	}
	return v
}

// hintOperands returns the operand of a scalar, or the vector of n operands from first on.
func hintOperands(first, n int) string {
	if n == 0 {
		return "%" + strconv.Itoa(first)
	}
	var list []string
	for i := range n {
		list = append(list, "%"+strconv.Itoa(first+i))
	}
	return "{" + strings.Join(list, ", ") + "}"
}

// atomicVector adds the elements of a vector, each in an atomic operation of its own.
func (c *bcall) atomicVector() *ssa.Value {
	t := c.sig.Result
	elem, n := elements(t)
	addr := c.addressArg(c.e.Args[0])
	from, to := c.aggregate(c.e.Args[1], t), c.structResult()
	c.pos = c.e.Pos()
	for i := range int64(n) {
		off := i * elem.Size()
		c.args, c.typ = []*ssa.Value{c.offset(addr, off)}, typeOf(elem)
		v := c.load(place{addr: c.offset(from.addr, off), typ: elem, align: from.part(off)})
		c.store(place{addr: c.offset(to.addr, off), typ: elem, align: to.part(off)}, c.atomic(ssa.OpAtomicFAdd, v))
	}
	return nil
}
