package parse

import (
	"irgl/internal/cpp"
	"irgl/internal/cxx/ast"
)

// isDecl reports whether the statement or condition at the cursor is a declaration. What may be both
// is one, as the standard has it; names that are not known are types where two of them, or
// a * or & and a name, follow each other.
func (p *parser) isDecl() bool {
	if p.w == cpp.NoWord {
		return p.k == cpp.Ident && p.isDeclOfName()
	}
	if p.w == cpp.ColonColon {
		if w := p.word(1); w == cpp.KwNew || w == cpp.KwDelete {
			return false
		}
		return p.isDeclOfQualified()
	}
	if !is(p.w, startsSpec) {
		return false
	}
	switch p.w {
	case cpp.KwTypename, cpp.KwDecltype, cpp.KwTypeof:
		return p.tryDecl()
	case cpp.KwExtension:
		i := p.i
		for p.toks[i].Word == cpp.KwExtension {
			i++
		}
		return p.declAt(i)
	}
	if is(p.w, basicWord) || p.w == cpp.KwAuto {
		if w := p.word(1); w == cpp.LParen {
			return p.tryDecl()
		} else if w == cpp.LBrace {
			return false
		}
	}
	return true
}

// isDeclOfName decides for a statement that begins with an identifier.
func (p *parser) isDeclOfName() bool {
	t := p.tok()
	next := p.ahead(1)
	if next.Kind == cpp.Ident {
		return true
	}
	switch next.Word {
	case cpp.LParen:
		return !p.plainValue(t) && p.resolve(t).isType() && p.tryDecl()
	case cpp.Star, cpp.Amp, cpp.AmpAmp:
		if p.plainValue(t) {
			return false
		}
		r := p.resolve(t)
		return r.isType() || r.kind == 0 && p.pointerDecl(1)
	case cpp.Less, cpp.ColonColon:
		if next.Word == cpp.Less && p.plainValue(t) && p.identOf(t.Text(), t.Name).kinds&isFunc == 0 {
			return false
		}
		return p.isDeclOfQualified()
	case cpp.LBracket: // T [[attribute]] x
		return p.word(2) == cpp.LBracket && p.resolve(t).isType()
	}
	return is(next.Word, startsSpec) && next.Word != cpp.KwExtension
}

// isDeclOfQualified decides for a qualified name or template-id.
func (p *parser) isDeclOfQualified() bool {
	m := p.try()
	n, r := p.name(inExpr | mayDeclare)
	ok := !p.failed && n.Last.Kind == ast.Identifier && !r.isValue()
	call := false
	if ok {
		switch p.w {
		case cpp.Star, cpp.Amp, cpp.AmpAmp:
			ok = r.isType() || p.pointerDecl(0)
		case cpp.LParen:
			call = r.isType()
			ok = false
		default:
			ok = p.k == cpp.Ident || is(p.w, startsSpec) && p.w != cpp.KwExtension
		}
	} else if !p.failed && r.kind&isType != 0 && p.k == cpp.Ident {
		ok = true
	}
	p.undo(m)
	if call {
		return p.tryDecl()
	}
	return ok
}

// pointerDecl reports whether the * and & from n tokens ahead are followed by a name and by what may follow
// a declarator.
func (p *parser) pointerDecl(n int) bool {
	for {
		switch p.word(n) {
		case cpp.Star, cpp.Amp, cpp.AmpAmp:
			n++
			continue
		case cpp.KwConst, cpp.KwVolatile, cpp.KwRestrict:
			return true
		}
		break
	}
	if p.ahead(n).Kind != cpp.Ident {
		return false
	}
	switch p.word(n + 1) {
	case cpp.Equal, cpp.Semi, cpp.Comma, cpp.LBracket, cpp.Colon:
		return true
	case cpp.LParen:
		return p.word(n-1) != cpp.AmpAmp
	}
	return false
}

// tryDecl reads specifiers and a declarator for a decision.
func (p *parser) tryDecl() bool {
	m := p.try()
	s := p.declSpecs(inBlock)
	if s.typ == nil {
		p.fail(CodeType, "")
	}
	if !p.failed {
		d := declarator{inBlock: true}
		p.declarator(&d, s.typ, named)
		switch p.w {
		case cpp.Equal, cpp.Semi, cpp.Comma, cpp.LBrace, cpp.Colon, cpp.LParen:
			if d.name != nil && (len(d.name.Quals) > 0 || d.name.Last.Kind != ast.Identifier) {
				p.fail(CodeType, "")
			}
		default:
			p.fail(CodeType, "")
		}
	}
	return p.undo(m)
}
