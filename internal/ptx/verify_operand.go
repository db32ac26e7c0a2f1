package ptx

import (
	"slices"
	"strings"
)

// An operandChecker checks the operands of one instruction whose form chose
// the types t and u.
type operandChecker struct {
	v    *verifier
	s    *scope
	in   *Inst
	t, u Type
}

// check checks operand o against one word of a form's args; see [formRow].
func (c *operandChecker) check(spec string, o Operand) {
	spec, dest := strings.CutPrefix(spec, "=")
	switch spec {
	case "M":
		c.memory(o, c.space())
	case "Ms":
		c.memory(o, string(Shared))
	case "Mg":
		c.memory(o, string(Global))
	case "M1", "M2", "M3", "M4":
		c.texel(o, int(spec[1]-'0'))
	case "L", "B":
		c.label(spec, o)
	case "I":
		if o.Kind != KindInt {
			c.shape(o, "an integer constant")
		}
	case "N":
		t := Type("u32")
		if d := c.s.lookup(o.Name); o.Kind == KindReg && d != nil && d.Type == "pred" {
			t = "pred"
		}
		c.value(o, t, false, false)
	case "p":
		c.paired(o, "pred")
	case "pp":
		if o.Kind != KindPair {
			c.shape(o, "a pair of predicates")
			return
		}
		c.paired(o, "pred")
	case "Tp", "b32p":
		t := c.typeOf(strings.TrimSuffix(spec, "p"))
		if o.Kind == KindPair {
			c.paired(o, t)
		} else {
			c.value(o, t, dest, false)
		}
	case "V":
		c.vector(o, dest)
	case "R", "S":
		// From and to bf16, bytes are in registers of bytes.
		narrow := c.t == "bf16" && c.u.Size() == 1 || c.u == "bf16" && c.t.Size() == 1
		t := c.t
		if spec == "S" {
			t = c.u
		}
		c.value(o, t, dest, !narrow)
	case "X":
		switch {
		case o.Kind == KindVector:
			c.pack(o, dest)
		case o.Kind == KindSym && !dest:
			c.address(o, c.t)
		default:
			c.value(o, c.t, dest, false)
		}
	case "A":
		if o.Kind == KindSym {
			c.address(o, c.t)
		} else {
			c.value(o, c.t, dest, false)
		}
	default:
		if n, t, ok := vectorSpec(spec); ok {
			c.values(o, n, c.typeOf(string(t)), dest)
			return
		}
		c.value(o, c.typeOf(spec), dest, false)
	}
}

func (c *operandChecker) typeOf(spec string) Type {
	switch spec {
	case "T":
		return c.t
	case "U":
		return c.u
	case "W":
		return map[Type]Type{"u16": "u32", "s16": "s32", "u32": "u64", "s32": "s64"}[c.t]
	}
	return Type(spec)
}

func (c *operandChecker) shape(o Operand, want string) {
	c.v.errorf(c.in.Pos, codeOperands, "%s is not %s", o, want)
}

// regType returns the type of a register operand, or "" after an error.
func (c *operandChecker) regType(name string, dest bool) Type {
	if t := SpecialType(name); t != "" {
		if dest {
			c.v.errorf(c.in.Pos, codeOperands, "%s cannot be written", name)
		}
		return t
	}
	d := c.s.lookup(name)
	switch {
	case d == nil:
		c.v.errorf(c.in.Pos, codeUndeclared, "register %s is not declared", name)
		return ""
	case d.Space != Reg:
		c.v.errorf(c.in.Pos, codeOperands, "%s is not a register", name)
		return ""
	}
	return d.Type
}

// value checks one register or constant of type t. With wider, a register
// may be larger than the type, as for loads, stores and conversions.
func (c *operandChecker) value(o Operand, t Type, dest, wider bool) {
	switch {
	case o.Kind == KindReg:
		r := c.regType(o.Name, dest)
		if r != "" && !fits(r, t, wider) {
			c.v.errorf(c.in.Pos, codeType, "%s of type %s does not fit type %s", o.Name, r, t)
		}
		if o.Not && (t != "pred" || dest) {
			c.shape(o, "a value")
		}
	case dest:
		if o.Kind != KindNone || c.in.Op != "atom" && c.in.Op != "mbarrier" && c.in.Op != "elect" {
			c.shape(o, "a register")
		}
	case o.Kind == KindInt:
		if isFloat(t) {
			c.v.errorf(c.in.Pos, codeType, "%s is not a constant of type %s", o, t)
		}
	case o.Kind == KindF32 || o.Kind == KindF64:
		if !isFloat(t) && !isBits(t) || isHalf(t) || o.Kind == KindF32 && t.Size() != 4 || o.Kind == KindF64 && t.Size() != 8 && t != "f32" {
			c.v.errorf(c.in.Pos, codeType, "%s is not a constant of type %s", o, t)
		}
	default:
		c.shape(o, "a register or constant")
	}
}

func isFloat(t Type) bool { return t[0] == 'f' || strings.HasPrefix(string(t), "bf") }

// isBits reports whether t is a type of untyped bits.
func isBits(t Type) bool { return t[0] == 'b' && t[1] != 'f' }

// isHalf reports whether t is a 16-bit float or a pair of them.
func isHalf(t Type) bool { return isFloat(t) && t != "f32" && t != "f64" }

// fits reports whether a register of type r can hold a value of type t.
func fits(r, t Type, wider bool) bool {
	if r == "pred" || t == "pred" {
		return r == t
	}
	if wider && r.Size() > t.Size() && !isFloat(r) && !isFloat(t) {
		return true
	}
	if wider && r.Size() > t.Size() && t != "f64" {
		return isBits(r)
	}
	switch {
	case r.Size() != t.Size():
		return false
	case isHalf(t) || isHalf(r):
		return r == t || isBits(r) || isBits(t)
	case isBits(r) || isBits(t):
		return true
	}
	return isFloat(r) == isFloat(t)
}

// paired checks "a" or "a|b", with b a predicate and a of type t.
func (c *operandChecker) paired(o Operand, t Type) {
	if o.Kind != KindPair {
		c.value(o, t, true, false)
		return
	}
	if len(o.List) != 2 {
		c.shape(o, "a pair")
		return
	}
	for i, e := range o.List {
		if e.Kind == KindNone {
			continue
		}
		c.value(e, t, true, false)
		if i == 0 {
			t = "pred"
		}
	}
}

// vector checks the data operand of a load or store against .v2 and .v4.
func (c *operandChecker) vector(o Operand, dest bool) {
	n := 1
	switch {
	case slices.Contains(c.in.Mods, "v2"):
		n = 2
	case slices.Contains(c.in.Mods, "v4"):
		n = 4
	}
	if n == 1 && o.Kind != KindVector {
		c.value(o, c.t, dest, true)
		return
	}
	if n*c.t.Size() > 16 {
		c.v.errorf(c.in.Pos, codeModifier, "a vector is at most 16 bytes")
		return
	}
	if o.Kind != KindVector || len(o.List) != n {
		c.shape(o, "a vector of the instruction's length")
		return
	}
	for _, e := range o.List {
		if dest && e.Kind == KindNone {
			continue
		}
		c.value(e, c.t, dest, true)
	}
}

// pack checks the vector side of a mov that packs or unpacks.
func (c *operandChecker) pack(o Operand, dest bool) {
	other := 1
	if !dest {
		other = 0
	}
	if c.t[0] != 'b' || c.in.Args[other].Kind == KindVector || len(o.List) != 2 && len(o.List) != 4 {
		c.shape(o, "an operand of this form")
		return
	}
	part := Type(map[int]string{8: "b8", 16: "b16", 32: "b32"}[c.t.Size()*8/len(o.List)])
	if part == "" {
		c.shape(o, "a vector of 8-bit, 16-bit or 32-bit parts")
		return
	}
	for _, e := range o.List {
		if dest && e.Kind == KindNone {
			continue
		}
		c.value(e, part, dest, false)
	}
}

// address checks a symbol whose address is taken.
func (c *operandChecker) address(o Operand, t Type) {
	if d := c.s.lookup(o.Name); d == nil && c.v.top.funcs[o.Name] == nil {
		c.v.errorf(c.in.Pos, codeUndeclared, "%s is not declared", o.Name)
	} else if isFloat(t) || t == "pred" || t.Size() < 4 {
		c.v.errorf(c.in.Pos, codeType, "an address does not fit type %s", t)
	}
}

func (c *operandChecker) label(spec string, o Operand) {
	if o.Kind != KindSym || o.Int != 0 {
		c.shape(o, "a label")
		return
	}
	for s := c.s; s != nil; s = s.outer {
		if s.labels[o.Name] {
			isTable := s.tables[o.Name] != nil
			if isTable != (spec == "B") || s.protos[o.Name] != nil {
				c.shape(o, map[string]string{"L": "a label of code", "B": "a .branchtargets label"}[spec])
			}
			return
		}
	}
	c.v.errorf(c.in.Pos, codeNoLabel, "there is no label %s", o.Name)
}

// space returns the state space that the modifiers name, or "".
func (c *operandChecker) space() string {
	space := ""
	for _, m := range c.in.Mods {
		if m, _, _ = strings.Cut(m, "::"); slices.Contains(spaces, m) {
			space = m
		}
	}
	return space
}

// texel checks the address of a texture or surface and n coordinates: [%rd1, {%r1, %r2}].
func (c *operandChecker) texel(o Operand, n int) {
	if o.Kind != KindMem || o.Int != 0 || len(o.List) != 1 {
		c.shape(o, "an object and its coordinates")
		return
	}
	if c.value(R(o.Name), "u64", false, false); o.Name == "" || SpecialType(o.Name) != "" {
		c.shape(o, "an object in a register")
		return
	}
	c.values(o.List[0], n, "b32", false)
}

// memory checks an address operand in a state space: base, class and, for parameters, bounds.
func (c *operandChecker) memory(o Operand, space string) {
	if o.Kind != KindMem || len(o.List) > 0 {
		c.shape(o, "memory")
		return
	}
	if o.Name == "" {
		return
	}
	if t := SpecialType(o.Name); t != "" {
		c.shape(o, "memory")
		return
	}
	d := c.s.lookup(o.Name)
	switch {
	case d == nil:
		c.v.errorf(c.in.Pos, codeUndeclared, "%s is not declared", o.Name)
	case d.Space == Reg:
		ok := !isFloat(d.Type) && d.Type != "pred" && (d.Type.Size() == 8 || d.Type.Size() == 4 && space != "" && space != "global")
		if !ok {
			c.v.errorf(c.in.Pos, codeType, "%s of type %s is not an address", o.Name, d.Type)
		}
	case space != "" && space != string(d.Space):
		c.v.errorf(c.in.Pos, codeOperands, "%s is in .%s", o.Name, d.Space)
	case d.Space == Param:
		n := int64(1)
		if slices.Contains(c.in.Mods, "v2") {
			n = 2
		} else if slices.Contains(c.in.Mods, "v4") {
			n = 4
		}
		size, _ := d.ByteSize()
		if o.Int < 0 || o.Int > size || o.Int+n*int64(c.t.Size()) > size {
			c.v.errorf(c.in.Pos, codeParamBounds, "bytes %d to %d are outside of %s, which has %d", o.Int, o.Int+n*int64(c.t.Size())-1, o.Name, size)
		}
	}
}

// call checks a call's shape: (results), function, (arguments), prototype.
func (v *verifier) call(s *scope, in *Inst) {
	args := in.Args
	c := &operandChecker{v: v, s: s, in: in}
	var results, params []Operand
	if len(args) > 0 && args[0].Kind == KindList {
		results, args = args[0].List, args[1:]
	}
	if len(args) == 0 {
		v.errorf(in.Pos, codeOperands, "the call names no function")
		return
	}
	callee := args[0]
	args = args[1:]
	if len(args) > 0 && args[0].Kind == KindList {
		params, args = args[0].List, args[1:]
	}
	var wantResults, wantParams []*Var
	switch {
	case callee.Kind == KindSym && len(args) == 0:
		f := v.top.funcs[callee.Name]
		if f == nil {
			v.errorf(in.Pos, codeUndeclared, "function %s is not declared", callee.Name)
			return
		}
		if f.Entry {
			v.errorf(in.Pos, codeCall, "%s is an entry", callee.Name)
			return
		}
		wantResults, wantParams = f.Results, f.Params
	case callee.Kind == KindReg && len(args) == 1 && args[0].Kind == KindSym:
		c.value(callee, "b64", false, false)
		p := s.proto(args[0].Name)
		if p == nil {
			v.errorf(in.Pos, codeUndeclared, "prototype %s is not declared", args[0].Name)
			return
		}
		wantResults, wantParams = p.Results, p.Params
	default:
		v.errorf(in.Pos, codeOperands, "the call has no such form")
		return
	}
	c.actuals(results, wantResults, true)
	c.actuals(params, wantParams, false)
}

func (s *scope) proto(name string) *CallPrototype {
	for ; s != nil; s = s.outer {
		if p := s.protos[name]; p != nil {
			return p
		}
	}
	return nil
}

// actuals checks the values or results of a call against the declarations.
func (c *operandChecker) actuals(list []Operand, want []*Var, dest bool) {
	if len(list) != len(want) {
		c.v.errorf(c.in.Pos, codeCall, "%d values are given where %d are declared", len(list), len(want))
		return
	}
	for i, o := range list {
		w := want[i]
		if o.Kind != KindSym {
			if dest && o.Kind == KindNone {
				continue
			}
			c.value(o, w.Type, dest, w.Space == Param)
			continue
		}
		d := c.s.lookup(o.Name)
		if d == nil || d.Space != Param || o.Int != 0 {
			c.v.errorf(c.in.Pos, codeCall, "%s is not a .param variable", o)
			continue
		}
		have, _ := d.ByteSize()
		need, _ := w.ByteSize()
		if have != need {
			c.v.errorf(c.in.Pos, codeCall, "%s has %d bytes where %d are declared", o, have, need)
		}
	}
}
