package ssa

// value checks v against the rules of its operation: arguments, types, fields.
func (c *verifier) value(v *Value) {
	if n := v.Op.NumArgs(); n >= 0 && len(v.Args) != n {
		c.errorf(v.Pos, CodeArgs, "%s: %s has %d arguments, not %d", v.LongString(), v.Op, len(v.Args), n)
		return
	}
	if v.Type >= numTypes || !opTable[v.Op].types(v) {
		c.errorf(v.Pos, CodeType, "%s: wrong types%s", v.LongString(), argTypes(v))
		return
	}
	c.fields(v)
	c.references(v)
	if v.Op == OpAlloca && v.Block != c.f.Blocks[0] {
		c.errorf(v.Pos, CodeAlloca, "%s is outside the entry", v.LongString())
	}
}

func argTypes(v *Value) string {
	s := ""
	for i, a := range v.Args {
		if i == 0 {
			s = " of arguments: "
		} else {
			s += ", "
		}
		s += a.Type.String()
	}
	return s
}

// fields checks that Int, Float, Sym and Mem hold what the operation needs and
// are zero where it needs nothing.
func (c *verifier) fields(v *Value) {
	kind := opTable[v.Op].field
	bad := ""
	switch {
	case v.Int != 0 && kind != fieldInt:
		bad = "Int"
	case v.Op == OpConst && v.Int != SignExtend(v.Type, v.Int):
		bad = "Int, which is not sign-extended from its type,"
	case v.Op == OpAlloca && v.Int <= 0:
		bad = "Int"
	case v.Float != 0 && kind != fieldFloat, kind == fieldFloat && !exactIn(v.Type, v.Float):
		bad = "Float"
	case !kind.holds(v.Sym):
		bad = "Sym"
	case v.Op == OpAlloca && (v.Mem.Volatile || v.Mem.ReadOnly || v.Mem.Copied):
		bad = "Mem"
	case v.Op == OpAlloca || v.Op.AccessesMemory():
		if !isPowerOfTwo(v.Mem.Align) {
			bad = "Mem.Align, which is not a power of two,"
		} else if v.Op != OpLoad && v.Mem.ReadOnly {
			bad = "Mem.ReadOnly"
		} else if v.Op != OpLoad && v.Op != OpStore && v.Mem.Copied {
			bad = "Mem.Copied"
		}
	case v.Mem != MemInfo{}:
		bad = "Mem"
	}
	if v.NoWrap && !v.Op.MayPromise() {
		bad = "NoWrap"
	}
	if bad != "" {
		c.errorf(v.Pos, CodeField, "%s: wrong %s in %s", v.LongString(), bad, v.Op)
	}
}

// references checks the parameter, global or function that v names.
func (c *verifier) references(v *Value) {
	switch v.Op {
	case OpParam:
		if v.Int < 0 || v.Int >= int64(len(c.f.Params)) {
			c.errorf(v.Pos, CodeReference, "%s: there is no such parameter", v.LongString())
		} else if want := c.f.Params[v.Int].Type; v.Type != want {
			c.errorf(v.Pos, CodeReference, "%s: the parameter has type %s", v.LongString(), want)
		}
	case OpGlobalAddr:
		if g := c.globals[v.Callee()]; g == nil {
			c.errorf(v.Pos, CodeReference, "%s: there is no such variable", v.LongString())
		} else if v.Type != g.Space {
			c.errorf(v.Pos, CodeReference, "%s: the variable is in %s", v.LongString(), g.Space)
		}
	case OpFuncAddr:
		if c.funcs[v.Callee()] == nil {
			c.errorf(v.Pos, CodeReference, "%s: there is no such function", v.LongString())
		}
	case OpCall:
		c.call(v)
	}
}

// call checks a call against its function. An aggregate goes by address, from
// whatever space the caller has it in.
func (c *verifier) call(v *Value) {
	f := c.funcs[v.Callee()]
	switch {
	case f == nil:
		c.errorf(v.Pos, CodeReference, "%s: there is no such function", v.LongString())
		return
	case f.Kernel:
		c.errorf(v.Pos, CodeReference, "%s: a kernel cannot be called", v.LongString())
		return
	case len(v.Args) != len(f.Params) || v.Type != f.Result:
		c.errorf(v.Pos, CodeReference, "%s: the function takes %d arguments and gives %s", v.LongString(), len(f.Params), f.Result)
		return
	}
	for i, a := range v.Args {
		want := f.Params[i].Type
		if a.Type != want && !(want == PtrParam && a.Type.IsPtr()) {
			c.errorf(v.Pos, CodeReference, "%s: argument %d has type %s, the parameter %s", v.LongString(), i, a.Type, want)
		}
	}
}
