package ssagen

import (
	"strings"

	"irgl/internal/check"
	"irgl/internal/ptx"
	"irgl/internal/source"
	"irgl/internal/ssa"
	"irgl/syntax"
)

// asm translates inline PTX. Outputs are places, evaluated before the inputs and stored
// to in order.
func (g *fb) asm(s *syntax.AsmStmt) {
	a := g.info.Asms[s]
	op, ok := g.asmOp(s, a)
	if !ok {
		return
	}
	var words []string
	var places []place
	var read, inputs []*ssa.Value
	for _, o := range a.Operands {
		word, t := string(o.Letter), ssa.AsmType(o.Letter)
		if !o.Write {
			words = append(words, word)
			inputs = append(inputs, g.asmInput(g.convertExpr(o.X, o.Type), t))
			continue
		}
		p := g.place(o.X)
		places = append(places, p)
		if o.Read {
			words = append(words, "+"+word)
			read = append(read, g.asmInput(g.load(p), t))
		} else {
			words = append(words, "="+word)
		}
	}
	g.pos = s.Pos()
	sym := ssa.Asm{Operands: strings.Join(words, ","), Template: a.Text}
	types := append(sym.Results(), ssa.Void)
	v := g.emit(op, types[0], append(read, inputs...)...)
	v.Sym = sym
	results := []*ssa.Value{v}
	for i := 1; i < len(places); i++ {
		r := g.emit(ssa.OpAsmResult, types[i], v)
		r.Int = int64(i)
		results = append(results, r)
	}
	for i, p := range places {
		r := results[i]
		if t := typeOf(p.typ); t.IsPtr() && !r.Type.IsPtr() {
			r = g.emit(ssa.OpIntToPtr, t, r)
		}
		g.store(p, r)
	}
}

// asmInput returns v in the type of its register: addresses are generic.
func (g *fb) asmInput(v *ssa.Value, t ssa.Type) *ssa.Value {
	switch {
	case v == nil || v.Type == ssa.Void:
		return g.undef(t)
	case v.Type.IsPtr():
		return g.emit(ssa.OpPtrToInt, ssa.I64, g.generic(v))
	case v.Type.IsInt() && v.Type != t:
		return g.resize(v, t, true)
	}
	return v
}

// asmOp verifies the template, and returns the operation with its effects: those that
// the program declares and those of its instructions.
func (g *fb) asmOp(s *syntax.AsmStmt, a *check.Asm) (op ssa.Op, ok bool) {
	if a == nil { // after an error
		return 0, false
	}
	var types []ptx.Type
	for _, o := range a.Operands {
		types = append(types, asmRegister(o.Letter))
	}
	in, err := ptx.ParseInline(a.Text, types, 0)
	if err != nil {
		for _, d := range source.Diagnostics(err).Diags {
			text := strings.ReplaceAll(d.Message, "%$", "%")
			g.errorf(s, codeAsm, "line %d of the template: %s [%s]", d.Pos.Line(), text, d.Code)
		}
		return 0, false
	}
	switch {
	case in.Sync:
		return ssa.OpAsmSync, true
	case in.Memory || a.Memory || in.Reads && a.Volatile:
		return ssa.OpAsmMemory, true
	case in.Reads:
		return ssa.OpAsmRead, true
	case a.Volatile || in.Carry:
		return ssa.OpAsmVolatile, true
	}
	return ssa.OpAsm, true
}

// asmRegister returns the type of the register of an operand with a constraint.
func asmRegister(letter byte) ptx.Type {
	switch letter {
	case 'h':
		return "b16"
	case 'l':
		return "b64"
	case 'f':
		return "f32"
	case 'd':
		return "f64"
	}
	return "b32"
}
