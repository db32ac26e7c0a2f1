package parse

import (
	"irgl/internal/cpp"
	"irgl/internal/cxx/ast"
	"irgl/internal/source"
)

// typeID reads the name of a type, which may have an abstract declarator.
func (p *parser) typeID() ast.TypeExpr {
	if !p.enter() {
		return nil
	}
	s := p.declSpecs(typeOnly)
	if p.failed {
		return nil
	}
	if s.typ == nil {
		p.fail(CodeType, "expected a type")
		return nil
	}
	d := declarator{pack: true} // the ... after it is the list's
	t := s.typ
	if p.w != cpp.NoWord || p.k == cpp.Ident {
		t = p.declarator(&d, t, abstract)
	}
	p.depth--
	p.typeRef = s.ref
	return t
}

// conversionType reads the type of a conversion function's name: without ( ) and [ ].
func (p *parser) conversionType() ast.TypeExpr {
	s := p.declSpecs(typeOnly)
	if s.typ == nil {
		p.fail(CodeType, "expected a type")
		return nil
	}
	d := declarator{pack: true}
	return p.pointers(&d, s.typ)
}

// decltype reads decltype(x).
func (p *parser) decltype() ast.TypeExpr {
	from := p.pos()
	p.next()
	open := p.i
	p.expect(cpp.LParen)
	if p.w == cpp.KwAuto && p.word(1) == cpp.RParen {
		p.next()
		p.next()
		return &ast.AutoType{Span: p.since(from), Decltype: true}
	}
	x := p.inParens(p.expr)
	p.closing(cpp.RParen, open)
	return &ast.DecltypeType{Span: p.since(from), X: x}
}

// typeof reads GNU's typeof(x) and typeof(T).
func (p *parser) typeof() ast.TypeExpr {
	from := p.pos()
	p.next()
	open := p.i
	p.expect(cpp.LParen)
	if p.mayBeType() {
		m := p.try()
		t := p.typeID()
		if !p.failed && p.w != cpp.RParen {
			p.fail(CodeType, "")
		}
		if p.commit(m) {
			p.next()
			return t
		}
	}
	x := p.inParens(p.expr)
	p.closing(cpp.RParen, open)
	return &ast.DecltypeType{Span: p.since(from), X: x, Typeof: true}
}

// inParens reads with f what is in parentheses, where > is an operator.
func (p *parser) inParens(f func() ast.Expr) ast.Expr {
	if !p.enter() {
		return nil
	}
	saved := p.noGT
	p.noGT = false
	x := f()
	p.noGT = saved
	p.depth--
	return x
}

// traitTypes reads (T, U...) of a built-in trait.
func (p *parser) traitTypes() []ast.TypeExpr {
	open := p.i
	var list []ast.TypeExpr
	p.expect(cpp.LParen)
	for !p.failed {
		t := p.typeID()
		if p.w == cpp.Ellipsis {
			p.next()
			t = &ast.PackType{Span: ast.Range(t.Pos(), p.prevEnd()), Elem: t}
		}
		list = append(list, t)
		if !p.accept(cpp.Comma) {
			break
		}
	}
	p.closing(cpp.RParen, open)
	return list
}

// qualify returns t with qualifiers.
func (p *parser) qualify(t ast.TypeExpr, cv ast.CV, at ast.Span) ast.TypeExpr {
	if cv == 0 || t == nil {
		return t
	}
	q := p.slabs.quals.New()
	q.Span, q.CV, q.Elem = at, cv, t
	return q
}

// A basics collects the words of a built-in type.
type basics struct {
	word                     cpp.Word
	long                     uint8
	short, signed, unsigned  bool
	complex, any, conflicted bool
}

// add adds one word.
func (b *basics) add(w cpp.Word) {
	b.any = true
	switch w {
	case cpp.KwSigned:
		b.conflicted = b.conflicted || b.unsigned
		b.signed = true
	case cpp.KwUnsigned:
		b.conflicted = b.conflicted || b.signed
		b.unsigned = true
	case cpp.KwShort:
		b.conflicted = b.conflicted || b.long > 0 || b.short
		b.short = true
	case cpp.KwLong:
		b.long++
		b.conflicted = b.conflicted || b.short || b.long > 2
	case cpp.KwComplex:
		b.complex = true
	default:
		b.conflicted = b.conflicted || b.word != cpp.NoWord
		b.word = w
	}
}

// basicName returns the type that is one word, or "".
func basicName(w cpp.Word) string {
	switch w {
	case cpp.KwVoid:
		return "void"
	case cpp.KwBool:
		return "bool"
	case cpp.KwFloat:
		return "float"
	case cpp.KwWcharT:
		return "wchar_t"
	case cpp.KwChar8T:
		return "char8_t"
	case cpp.KwChar16T:
		return "char16_t"
	case cpp.KwChar32T:
		return "char32_t"
	case cpp.KwFloat128:
		return "__float128"
	case cpp.KwFloat16:
		return "_Float16"
	}
	return ""
}

// name returns the canonical spelling, "" for words that do not go together.
func (b *basics) name() ast.Basic {
	if b.conflicted {
		return ""
	}
	sized := b.short || b.long > 0
	switch b.word {
	case cpp.NoWord, cpp.KwInt:
		switch {
		case b.complex && b.word == cpp.NoWord && !sized:
			return "_Complex double"
		case b.short:
			return b.integer("unsigned short")
		case b.long == 1:
			return b.integer("unsigned long")
		case b.long == 2:
			return b.integer("unsigned long long")
		}
		return b.integer("unsigned int")
	case cpp.KwChar:
		if sized {
			return ""
		}
		if b.signed {
			return "signed char"
		}
		return b.integer("unsigned char")
	case cpp.KwInt128:
		if sized {
			return ""
		}
		return b.integer("unsigned __int128")
	case cpp.KwDouble:
		if b.short || b.long > 1 || b.signed || b.unsigned {
			return ""
		}
		name := "double"
		if b.long == 1 {
			name = "long double"
		}
		if b.complex {
			name = "_Complex " + name
		}
		return ast.Basic(name)
	}
	if sized || b.signed || b.unsigned {
		return ""
	}
	name := basicName(b.word)
	if b.complex {
		name = "_Complex " + name
	}
	return ast.Basic(name)
}

// integer returns an integer type: unsigned, or the signed type of that name.
func (b *basics) integer(unsigned ast.Basic) ast.Basic {
	if b.unsigned {
		return unsigned
	}
	return unsigned[len("unsigned "):]
}

// basicType returns the type of the words read since from.
func (p *parser) basicType(b *basics, at ast.Span) ast.TypeExpr {
	name := b.name()
	if name == "" {
		p.failSpan(at, CodeSpecifiers, "these type specifiers cannot be combined")
		return nil
	}
	t := p.slabs.basics.New()
	t.Span, t.Name = at, name
	return t
}

// failSpan is fail at a place that was read before.
func (p *parser) failSpan(at ast.Span, code source.Code, message string) *source.Diagnostic {
	d := p.fail(code, message)
	if d.Pos.IsValid() {
		d.Pos, d.End = at.Pos(), at.End()
	}
	return d
}
