package ssa

import (
	"strconv"
)

// body = newline { block } "}" .
//
// Lines outside the form are reported and passed over, so that one run shows
// the errors of many lines; a missing "}" ends the function at the next one.
func (p *parser) body() {
	var b *Block
	open := false // whether b still needs its terminator
	for p.tok.kind != '}' && p.tok.kind != tokEOF {
		if p.got(tokNewline) {
			continue
		}
		if p.tok.kind == tokWord && p.text() == "func" {
			p.fail(CodeSyntax, "want } before the next function")
		}
		p.line(func() {
			if p.tok.kind == tokWord && p.text()[0] == 'b' && p.isLabel() {
				if open {
					p.fail(CodeSyntax, "%s does not end in jump, if, ret or trap", b)
				}
				b = p.label()
				open = true
				return
			}
			if !open {
				p.fail(CodeSyntax, "want a block's label, not %s", p.describe())
			}
			open = !p.instruction(b)
		})
	}
	if open {
		p.fail(CodeSyntax, "%s does not end in jump, if, ret or trap", b)
	}
	p.expect('}')
	p.finish()
}

// isLabel reports whether a ":" follows the present word.
func (p *parser) isLabel() bool {
	ahead := p.scan
	return ahead.next().kind == ':'
}

// label = block ":" [ "<-" block { "," block } ] [ "unroll" int ] .
func (p *parser) label() *Block {
	t := p.tok
	b := p.blockRef()
	if b.Func != nil {
		p.errorAt(t, CodeDuplicate, "%s is defined twice", b)
		panic(bailout{})
	}
	b.Func = p.f
	p.mention[b] = t
	p.f.Blocks = append(p.f.Blocks, b)
	p.expect(':')
	if p.got(tokArrow) {
		p.preds[b] = []*Block{p.blockRef()}
		for p.got(',') {
			p.preds[b] = append(p.preds[b], p.blockRef())
		}
	}
	if p.gotWord("unroll") {
		n := p.integer()
		if n != int64(int32(n)) {
			p.fail(CodeNumber, "%d is not an unroll factor", n)
		}
		b.Unroll = int(n)
	}
	return b
}

// instruction reads a value or the block's end and reports whether it was the
// end.
func (p *parser) instruction(b *Block) bool {
	if p.tok.kind != tokWord {
		p.fail(CodeSyntax, "want an operation, not %s", p.describe())
	}
	switch p.text() {
	case "jump":
		p.advance()
		b.Kind = BlockJump
		b.Succs = []*Block{p.blockRef()}
	case "if":
		p.advance()
		b.Kind = BlockIf
		b.Ctrl = p.valueRef()
		p.expect(',')
		b.Succs = []*Block{p.blockRef()}
		p.expect(',')
		b.Succs = append(b.Succs, p.blockRef())
	case "ret":
		p.advance()
		b.Kind = BlockRet
		if p.tok.kind == tokWord && p.text() != "uniform" {
			b.Ctrl = p.valueRef()
		}
	case "trap":
		p.advance()
		b.Kind = BlockTrap
	default:
		p.value(b)
		return false
	}
	b.Uniform = p.gotWord("uniform")
	return true
}

// value = [ name "=" ] op [ type ] [ field ] [ args ] { flag } .
// The type is there when the name is.
func (p *parser) value(b *Block) {
	pos := p.file.Pos(p.tok.start)
	v := &Value{}
	hasResult := false
	if p.text()[0] == 'v' && p.isResult() {
		t := p.tok
		v = p.valueRef()
		if v.Op != OpInvalid {
			p.errorAt(t, CodeDuplicate, "%s is defined twice", v)
			panic(bailout{})
		}
		hasResult = true
		p.expect('=')
	}
	op, ok := opByName()[p.text()]
	if p.tok.kind == tokWord && !ok {
		p.fail(CodeUnknown, "unknown operation %q", p.text())
	}
	p.expect(tokWord)
	// A value whose line has an error further on counts as defined, so that
	// its uses bring no errors of their own.
	v.Op, v.Pos, v.Block = op, pos, b
	b.Values = append(b.Values, v)
	if hasResult {
		v.Type = p.typ()
		if v.Type == Void {
			p.fail(CodeSyntax, "a value without a result has no name")
		}
	}
	p.fieldAndArgs(v)
	p.flags(v)
}

// isResult reports whether a "=" follows the present word.
func (p *parser) isResult() bool {
	ahead := p.scan
	return ahead.next().kind == '='
}

func (p *parser) fieldAndArgs(v *Value) {
	field := opTable[v.Op].field
	switch field {
	case fieldInt:
		switch {
		case v.Type == I1 && p.gotWord("true"):
			v.Int = -1
		case v.Type == I1 && p.gotWord("false"):
			v.Int = 0
		default:
			v.Int = p.integer()
		}
	case fieldFloat:
		v.Float = p.float()
	case fieldName:
		p.expect('@')
		v.Sym = Name(p.word())
	}
	if v.Op == OpCall {
		p.expect('(')
		for p.tok.kind != ')' {
			if len(v.Args) > 0 {
				p.expect(',')
			}
			v.Args = append(v.Args, p.valueRef())
		}
		p.expect(')')
	} else if v.Op.NumArgs() != 0 && p.tok.kind == tokWord {
		v.Args = append(v.Args, p.valueRef())
		for p.got(',') {
			v.Args = append(v.Args, p.valueRef())
		}
	}
	if want := v.Op.NumArgs(); want >= 0 && len(v.Args) != want {
		p.fail(CodeSyntax, "%s takes %d arguments, not %d", v.Op, want, len(v.Args))
	}
	if field.quoted() && (field != fieldScope || p.tok.kind == tokString) {
		s, err := strconv.Unquote(p.text())
		if p.tok.kind == tokString && err != nil {
			p.fail(CodeSyntax, "bad string %s", p.text())
		}
		sym, ok := field.word(s)
		if p.tok.kind == tokString && !ok {
			p.fail(CodeUnknown, "%s knows no %q", v.Op, s)
		}
		p.expect(tokString)
		v.Sym = sym
	}
}

// flags = [ "nsw" | "nz" ] [ "align" int ] [ "volatile" ] [ "readonly" ] [ "copied" ] .
func (p *parser) flags(v *Value) {
	v.NoWrap = p.gotWord(v.Op.promise())
	if !v.Op.AccessesMemory() && v.Op != OpAlloca {
		return
	}
	p.expectWord("align")
	v.Mem.Align = p.integer()
	v.Mem.Volatile = p.gotWord("volatile")
	v.Mem.ReadOnly = p.gotWord("readonly")
	v.Mem.Copied = p.gotWord("copied")
}
