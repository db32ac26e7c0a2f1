package parse

import (
	"irgl/internal/cpp"
	"irgl/internal/cxx/ast"
)

// attribute reads one attribute or qualifier with arguments; it returns false for none.
func (p *parser) attribute(a **ast.Attributes, flags *ast.Specs) bool {
	switch p.w {
	case cpp.KwAttribute:
		p.gnuAttribute(a, flags)
	case cpp.LBracket:
		if p.word(1) != cpp.LBracket {
			return false
		}
		p.stdAttribute(a, flags)
	case cpp.KwAlignas, cpp.KwAlign:
		p.next()
		p.align(at(a))
	case cpp.KwLaunchBounds:
		p.next()
		at(a).LaunchBounds = p.argsInParens()
	case cpp.KwClusterDims:
		p.next()
		at(a).Cluster = p.argsInParens()
	case cpp.KwMaxnreg, cpp.KwBlockSize:
		text := p.tok().Text()
		p.next()
		p.argsInParens()
		at(a).Others = append((*a).Others, text)
	case cpp.KwDeclspec:
		p.next()
		if p.w == cpp.LParen {
			p.skipParens()
		}
	default:
		return false
	}
	return !p.failed
}

// attributes reads all attributes at the cursor.
func (p *parser) attributes(a **ast.Attributes, flags *ast.Specs) {
	for !p.failed {
		if f := flagWords[p.w] && p.w != cpp.KwExtern && p.w != cpp.KwStatic && p.w != cpp.KwTypedef; f {
			*flags |= flagTable[p.w]
			p.next()
			continue
		}
		if !p.attribute(a, flags) {
			return
		}
	}
}

// at returns the attributes, making them where there are none.
func at(a **ast.Attributes) *ast.Attributes {
	if *a == nil {
		*a = &ast.Attributes{}
	}
	return *a
}

// argsInParens reads (a, b, ...).
func (p *parser) argsInParens() []ast.Expr {
	open := p.i
	if !p.expect(cpp.LParen) {
		return nil
	}
	list := p.exprList(cpp.RParen)
	p.closing(cpp.RParen, open)
	return list
}

// align reads the (expression) or (type) of alignas.
func (p *parser) align(a *ast.Attributes) {
	open := p.i
	if !p.expect(cpp.LParen) {
		return
	}
	if p.mayBeType() {
		m := p.try()
		t := p.typeID()
		known := p.typeRef.isType()
		if !p.failed && (p.w != cpp.RParen && p.w != cpp.Ellipsis || !known) {
			p.fail(CodeType, "")
		}
		if p.commit(m) {
			if p.accept(cpp.Ellipsis) {
				t = &ast.PackType{Span: ast.Range(t.Pos(), p.prevEnd()), Elem: t}
			}
			p.next()
			a.AlignTypes = append(a.AlignTypes, t)
			return
		}
	}
	a.Align = append(a.Align, p.inParens(p.conditional))
	p.accept(cpp.Ellipsis)
	p.closing(cpp.RParen, open)
}

// gnuAttribute reads __attribute__((...)).
func (p *parser) gnuAttribute(a **ast.Attributes, flags *ast.Specs) {
	p.next()
	open := p.i
	p.expect(cpp.LParen)
	inner := p.i
	p.expect(cpp.LParen)
	for !p.failed && p.w != cpp.RParen {
		if p.w != cpp.Comma {
			p.oneAttribute(a, flags)
		}
		if !p.accept(cpp.Comma) {
			break
		}
	}
	p.closing(cpp.RParen, inner)
	p.closing(cpp.RParen, open)
}

// stdAttribute reads [[...]].
func (p *parser) stdAttribute(a **ast.Attributes, flags *ast.Specs) {
	open := p.i
	p.next()
	inner := p.i
	p.next()
	if p.accept(cpp.KwUsing) {
		p.ident()
		p.expect(cpp.Colon)
	}
	for !p.failed && p.w != cpp.RBracket {
		if p.w != cpp.Comma {
			p.oneAttribute(a, flags)
			p.accept(cpp.Ellipsis)
		}
		if !p.accept(cpp.Comma) {
			break
		}
	}
	p.closing(cpp.RBracket, inner)
	p.closing(cpp.RBracket, open)
}

// oneAttribute reads one name with its arguments.
func (p *parser) oneAttribute(a **ast.Attributes, flags *ast.Specs) {
	t := p.tok()
	if !t.IsName() {
		p.fail(CodeName, "expected an attribute's name")
		return
	}
	name := t.Text()
	p.next()
	for p.w == cpp.ColonColon && p.ahead(1).IsName() {
		p.next()
		name = p.tok().Text()
		p.next()
	}
	for len(name) > 4 && name[:2] == "__" && name[len(name)-2:] == "__" {
		name = name[2 : len(name)-2]
	}
	switch name {
	case "aligned":
		if p.w == cpp.LParen {
			p.align(at(a))
			return
		}
		at(a).Align = append((*a).Align, &ast.Literal{Span: ast.Range(t.Pos(), t.End()), Text: "16"})
	case "packed":
		at(a).Packed = true
	case "no_unique_address":
		at(a).NoUnique = true
	case "global":
		*flags |= ast.Global
	case "device":
		*flags |= ast.Device
	case "host":
		*flags |= ast.Host
	case "shared":
		*flags |= ast.Shared
	case "constant":
		*flags |= ast.Constant
	case "managed":
		*flags |= ast.Managed
	case "always_inline", "forceinline":
		*flags |= ast.ForceInline
	case "noinline":
		*flags |= ast.NoInline
	case "noreturn":
		*flags |= ast.NoReturn
	case "launch_bounds":
		if p.w == cpp.LParen {
			at(a).LaunchBounds = p.argsInParens()
			return
		}
	case "irgl_builtin":
		at(a).Builtin = p.attributeText()
		return
	case "deprecated":
		at(a).Deprecated = "-"
		if s := p.attributeText(); s != "" {
			(*a).Deprecated = s
		}
		return
	default:
		at(a).Others = append((*a).Others, name)
	}
	if p.w == cpp.LParen {
		p.skipParens()
	}
}

// attributeText reads ("text"), "" for none.
func (p *parser) attributeText() string {
	if p.w != cpp.LParen {
		return ""
	}
	text := ""
	if t := p.ahead(1); t.Kind == cpp.String && len(t.Text()) >= 2 && t.Text()[0] == '"' {
		text = t.Text()[1 : len(t.Text())-1]
	}
	p.skipParens()
	return text
}
