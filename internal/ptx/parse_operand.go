package ptx

import (
	"slices"

	"irgl/internal/source"
)

var spaces = []string{"reg", "param", "global", "shared", "local", "const"}

// varHead reads ".space .align n .type .ptr ..." before a declarator.
func (p *parser) varHead(pos source.Pos, link string) *Var {
	v := &Var{Pos: pos, Linkage: link}
	if p.tok.kind != tokDot || !slices.Contains(spaces, p.tok.text) {
		if p.tok.kind == tokDot {
			p.errorf(codeDirective, "directive .%s is not supported", p.tok.text)
			panic(syntaxError{})
		}
		p.fail("a state space")
	}
	v.Space = Space(p.tok.text)
	p.next()
	v.Managed = v.Space == Global && p.managed()
	v.Align = p.align()
	if p.tok.kind != tokDot || Type(p.tok.text).Size() == 0 && p.tok.text != "pred" {
		p.fail("a type")
	}
	v.Type = Type(p.tok.text)
	p.next()
	if a := p.align(); a != 0 {
		v.Align = a
	}
	if p.isDot("ptr") {
		p.next()
		v.Ptr = true
		if p.tok.kind == tokDot && slices.Contains(spaces, p.tok.text) {
			v.PtrSpace = Space(p.tok.text)
			p.next()
		}
		v.PtrAlign = p.align()
	}
	return v
}

// managed reads ".attribute(.managed)", if it is there.
func (p *parser) managed() bool {
	if !p.isDot("attribute") {
		return false
	}
	p.next()
	p.expect("(")
	if !p.isDot("managed") {
		p.fail(".managed")
	}
	p.next()
	p.expect(")")
	return true
}

func (p *parser) align() int {
	if !p.isDot("align") {
		return 0
	}
	p.next()
	return p.count("an alignment")
}

// declarator reads a name and its range or dimensions into v.
func (p *parser) declarator(v *Var) {
	v.Name = p.name("a name")
	if p.accept("<") {
		v.Range = p.count("a number of registers")
		if v.Range == 0 {
			p.fail("a range of at least one register")
		}
		p.expect(">")
	}
	for p.accept("[") {
		v.Array = true
		if p.accept("]") {
			v.Dims = append(v.Dims, -1)
			continue
		}
		n := p.integer()
		if n < 0 {
			p.fail("an array size")
		}
		v.Dims = append(v.Dims, n)
		p.expect("]")
	}
	if v.Space == Reg && v.Range == 0 {
		p.regs[len(p.regs)-1][v.Name] = true
	}
}

// variables reads one declaration statement, which may declare several.
func (p *parser) variables(pos source.Pos, link string) []*Var {
	head := p.varHead(pos, link)
	var list []*Var
	for {
		v := *head
		v.Pos = p.pos()
		p.declarator(&v)
		if p.is("=") {
			if v.Space != Global && v.Space != Const {
				p.errorf(codeInitialise, "a .%s variable has no initial value", v.Space)
				panic(syntaxError{})
			}
			p.next()
			p.initializer(&v, 0)
		}
		list = append(list, &v)
		if !p.accept(",") {
			break
		}
	}
	p.expect(";")
	return list
}

// initializer appends the values of a possibly nested list to v.Init. An
// inner list is taken to be full, as compilers print it.
func (p *parser) initializer(v *Var, depth int) {
	if depth > maxDepth {
		p.errorf(codeDepth, "lists are nested more than %d deep", maxDepth)
		panic(bailout{})
	}
	if !p.accept("{") {
		if depth == 0 && v.Array {
			p.fail(`"{"`)
		}
		v.Init = append(v.Init, p.initial())
		return
	}
	if !v.Array {
		p.fail("a value")
	}
	for !p.is("}") {
		p.initializer(v, depth+1)
		if !p.accept(",") {
			break
		}
	}
	p.expect("}")
}

// initial reads one initial value: a number, symbol+offset or
// generic(symbol)+offset.
func (p *parser) initial() Operand {
	if p.tok.kind != tokIdent {
		return p.constant()
	}
	o := Sym(p.name("a symbol"))
	if o.Name == "generic" && p.accept("(") {
		o = Operand{Kind: KindSym, Name: p.name("a symbol"), Not: true}
		p.expect(")")
	}
	o.Int = p.offset()
	return o
}

// offset reads "+8", "+-8", "-8" or nothing.
func (p *parser) offset() int64 {
	switch {
	case p.accept("+"):
		return p.integer()
	case p.is("-"):
		return p.integer()
	}
	return 0
}

// constant reads a number with an optional sign.
func (p *parser) constant() Operand {
	neg := p.accept("-")
	t := p.tok
	var o Operand
	switch t.kind {
	case tokInt:
		o = I(int64(t.val))
		if neg {
			o.Int = -o.Int
		}
	case tokF32:
		o = Operand{Kind: KindF32, Bits: t.val}
		if neg {
			o.Bits ^= 1 << 31
		}
	case tokF64:
		o = Operand{Kind: KindF64, Bits: t.val}
		if neg {
			o.Bits ^= 1 << 63
		}
	default:
		p.fail("an operand")
	}
	p.next()
	return o
}

// inst reads a guard and the instruction after it.
func (p *parser) inst(pos source.Pos) *Inst {
	in := &Inst{Pos: pos}
	p.expect("@")
	in.GuardNot = p.accept("!")
	in.Guard = p.name("a predicate")
	in.Op = p.name("an instruction")
	return p.instRest(in)
}

// instRest reads modifiers and operands after the opcode.
func (p *parser) instRest(in *Inst) *Inst {
	for p.tok.kind == tokDot {
		in.Mods = append(in.Mods, p.tok.text)
		p.next()
	}
	if !p.is(";") {
		in.Args = append(in.Args, p.operand())
		for p.accept(",") {
			in.Args = append(in.Args, p.operand())
		}
	}
	p.expect(";")
	return in
}

// operand reads one operand, with "a|b" pairs.
func (p *parser) operand() Operand {
	o := p.single()
	if p.accept("|") {
		return Operand{Kind: KindPair, List: []Operand{o, p.single()}}
	}
	return o
}

func (p *parser) single() Operand {
	switch {
	case p.accept("!"):
		o := p.named(p.name("a predicate"))
		if o.Kind != KindReg {
			p.fail("a predicate before it")
		}
		o.Not = true
		return o
	case p.accept("["):
		return p.memory()
	case p.accept("{"):
		return Operand{Kind: KindVector, List: p.elements("}")}
	case p.accept("("):
		return Operand{Kind: KindList, List: p.elements(")")}
	case p.tok.kind == tokIdent:
		o := p.named(p.name("an operand"))
		if o.Kind == KindSym {
			o.Int = p.offset()
		}
		return o
	}
	return p.constant()
}

// named tells registers from symbols.
func (p *parser) named(name string) Operand {
	switch {
	case name == "_":
		return Operand{Kind: KindNone}
	case name == "WARP_SZ":
		return I(32)
	case name[0] == '%':
		return R(name)
	}
	for i := len(p.regs) - 1; i >= 0; i-- {
		if p.regs[i][name] {
			return R(name)
		}
	}
	return Sym(name)
}

// elements reads a list of registers, symbols and constants up to end.
func (p *parser) elements(end string) []Operand {
	list := []Operand{}
	for !p.is(end) {
		if p.tok.kind == tokIdent {
			list = append(list, p.named(p.name("an operand")))
		} else {
			list = append(list, p.constant())
		}
		if !p.accept(",") {
			break
		}
	}
	p.expect(end)
	return list
}

func (p *parser) memory() Operand {
	o := Operand{Kind: KindMem}
	if p.tok.kind == tokIdent {
		o.Name = p.name("an address")
		o.Int = p.offset()
	} else {
		o.Int = p.integer()
	}
	for p.accept(",") { // coordinates of a texel, a sampler, a barrier
		if p.is("[") || p.is("(") {
			p.fail("a value or a vector")
		}
		o.List = append(o.List, p.single())
	}
	p.expect("]")
	return o
}
