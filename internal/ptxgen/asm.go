package ptxgen

import (
	"strings"

	"irgl/internal/ptx"
	"irgl/internal/source"
	"irgl/internal/ssa"
)

// asm emits inline PTX. The operands' registers are those of one instruction, which the
// coalescer takes to write its outputs before it reads its inputs: a template may have
// several instructions. Operands of 16 bits need registers of their own, since other values of
// that width are in registers of 32 bits. What inline PTX or a load hands to inline PTX stays in such a
// register: of the conversions to 32 bits and back ptxas keeps one.
func (g *fgen) asm(v *ssa.Value) {
	a, _ := v.Asm()
	results, tied, inputs := a.Results(), a.Tied(), a.Inputs()
	types := make([]ptx.Type, 0, len(results)+len(inputs))
	outs := make([]ptx.Operand, len(results))
	var after []minst
	for i, t := range results {
		types = append(types, asmClass(t).decl())
		value := g.asmResult(v, i)
		var r vreg
		if value != nil && t == ssa.I16 {
			r = g.short[value.ID]
		}
		if r == 0 {
			r = g.newReg(asmClass(t))
		}
		wanted := value != nil && g.demanded[value.ID]
		if wanted && t != ssa.I16 {
			r = g.dst(value)
		}
		outs[i] = reg(r)
		if tied[i] >= 0 {
			g.asmInput(r, v.Args[tied[i]])
		}
		if wanted && t == ssa.I16 {
			mark := len(g.group)
			g.def(value, "cvt.u32.u16", reg(r))
			after = append(after, g.group[mark:]...)
			g.group = g.group[:mark]
		}
	}
	args := []ptx.Operand{{Kind: ptx.KindVector, List: outs}}
	read := 0
	for _, k := range tied {
		if k >= 0 {
			read++
		}
	}
	for i, t := range inputs[read:] {
		x := v.Args[read+i]
		types = append(types, asmClass(t).decl())
		if t != ssa.I16 {
			args = append(args, g.reg(x))
			continue
		}
		args = append(args, reg(g.asmShort(x)))
	}
	operands := len(args) - 1
	for i, k := range tied {
		if k >= 0 {
			args = append(args, outs[i])
		}
	}
	g.inlined++
	in, err := ptx.ParseInline(a.Template, types, g.inlined)
	if err != nil {
		text := strings.ReplaceAll(source.Diagnostics(err).Diags[0].Message, "%$", "%")
		g.errorf(v, "%s", text)
		return
	}
	g.asmVersion = max(g.asmVersion, in.Need.Version)
	g.ins("asm", true, args...)
	g.group[len(g.group)-1].asm = &inline{body: in, inputs: operands}
	g.group = append(g.group, after...)
	for i, t := range results { // another value of the same output
		first := g.asmResult(v, i)
		for _, r := range g.asmResults[v] {
			switch {
			case r == first || r.Int != int64(i):
			case t == ssa.I16:
				if g.short[r.ID] != 0 {
					g.ins("mov.b16", true, reg(g.short[r.ID]), outs[i])
				}
				if g.demanded[r.ID] {
					g.def(r, "cvt.u32.u16", outs[i])
				}
			case g.demanded[r.ID]:
				g.copyTo(g.dst(r), reg(g.dst(first)))
			}
		}
	}
}

// asmShort returns a register with an input of 16 bits.
func (g *fgen) asmShort(x *ssa.Value) vreg {
	if r := g.root(x); r.Type == ssa.I16 && (r.Op == ssa.OpLoad || r.Op == ssa.OpAsmResult || r.Op.IsAsm()) {
		if g.short[r.ID] == 0 {
			g.short[r.ID] = g.newReg(cls16)
		}
		return g.short[r.ID]
	}
	r := g.newReg(cls16)
	g.asmInput(r, x)
	return r
}

// asmNeed returns the oldest version and target that have the instructions of inline PTX.
func asmNeed(a ssa.Asm) ptx.Need {
	var types []ptx.Type
	for _, t := range a.Results() {
		types = append(types, asmClass(t).decl())
	}
	read := 0
	for _, k := range a.Tied() {
		if k >= 0 {
			read++
		}
	}
	for _, t := range a.Inputs()[read:] {
		types = append(types, asmClass(t).decl())
	}
	in, err := ptx.ParseInline(a.Template, types, 0)
	if err != nil {
		return ptx.Need{} // reported when the instruction is emitted
	}
	return in.Need
}

// asmInput emits the copy of an argument to the register of an operand.
func (g *fgen) asmInput(r vreg, x *ssa.Value) {
	if g.classes[r] != cls16 {
		g.copyTo(r, g.op(x))
		return
	}
	if o := g.op(x); o.Kind == ptx.KindReg {
		g.ins("cvt.u16.u32", true, reg(r), o)
	} else {
		g.ins("mov.u16", true, reg(r), ptx.I(o.Int&0xffff))
	}
}

// asmResult returns the value that is output i of v, or nil.
func (g *fgen) asmResult(v *ssa.Value, i int) *ssa.Value {
	if i == 0 {
		return v
	}
	for _, r := range g.asmResults[v] {
		if r.Int == int64(i) && (g.demanded[r.ID] || g.short[r.ID] != 0) {
			return r
		}
	}
	return nil
}

// asmClass returns the class of the register of an operand.
func asmClass(t ssa.Type) class {
	if t == ssa.I16 {
		return cls16
	}
	return classOf(t)
}

func (c class) decl() ptx.Type { return classInfo[c].decl }

// An inline is the template of inline PTX. The arguments of its instruction are the
// vector of outputs, then the inputs, then the outputs that are read.
type inline struct {
	body   *ptx.Inline
	inputs int
}

// scanAsm is scan for inline PTX. Its outputs interfere with each other and with its inputs.
func (c *coalescer) scanAsm(in *minst, live *numbers, record bool) {
	var outs []int32
	for _, o := range in.inst.Args[0].List {
		if n := c.number[vreg(o.Bits)]; n >= 0 {
			outs = append(outs, n)
		}
	}
	for _, o := range in.inst.Args[1 : 1+in.asm.inputs] {
		if n := c.number[vreg(o.Bits)]; n >= 0 {
			c.enter(n, live)
		}
	}
	if record {
		for i, n := range outs {
			c.record(in, n, live)
			for _, m := range outs[:i] {
				if m != n {
					c.conflict(m, n)
				}
			}
		}
	}
	for _, n := range outs {
		live.remove(n)
	}
	in.uses(func(r vreg) {
		if n := c.number[r]; n >= 0 {
			c.enter(n, live)
		}
	})
}

// asm returns the statements of inline PTX with the names of the operands' registers.
func (l *layouter) asm(in *minst) []ptx.Stmt {
	names := map[string]string{}
	operands := append(append([]ptx.Operand(nil), in.inst.Args[0].List...), in.inst.Args[1:1+in.asm.inputs]...)
	for i, o := range operands {
		names[ptx.InlineOperand(i)] = l.name(vreg(o.Bits))
	}
	body := in.asm.body.Body
	nameOperands(body, names)
	if in.asm.body.Scoped {
		return []ptx.Stmt{&ptx.Scope{Body: body}}
	}
	return body
}

// nameOperands replaces the names of operands in instructions.
func nameOperands(body []ptx.Stmt, names map[string]string) {
	var rename func(list []ptx.Operand)
	rename = func(list []ptx.Operand) {
		for i := range list {
			if n := names[list[i].Name]; n != "" {
				list[i].Name = n
			}
			rename(list[i].List)
		}
	}
	for _, s := range body {
		switch s := s.(type) {
		case *ptx.Scope:
			nameOperands(s.Body, names)
		case *ptx.Inst:
			rename(s.Args)
		}
	}
}
