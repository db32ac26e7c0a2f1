package parse

import (
	"irgl/internal/cpp"
	"irgl/internal/cxx/ast"
	"irgl/internal/source"
)

// template reads a template, an explicit specialisation or an explicit instantiation.
func (p *parser) template(c context, from source.Pos) ast.Decl {
	p.next()
	if p.w != cpp.Less {
		d := &ast.InstantiationDecl{}
		if list := p.simple(nil, c); len(list) > 0 {
			d.Decl = list[0]
		} else if !p.failed {
			p.fail(CodeTemplate, "expected a declaration to instantiate")
		}
		d.Span = p.since(from)
		return d
	}
	if !p.enter() {
		return nil
	}
	d := &ast.TemplateDecl{}
	s := p.push(templateScope)
	s.retained = true
	d.Params = p.templateParams(s)
	s.explicit = len(d.Params) == 0
	if p.w == cpp.KwRequires || p.k == cpp.Ident && p.tok().Text() == "requires" && p.ahead(1).Word != cpp.ColonColon {
		p.unsupported("constraints are a C++20 feature, which is not supported")
	}
	if !p.failed {
		if list := p.declaration(nil, c); len(list) == 1 {
			d.Decl = list[0]
		} else if !p.failed {
			p.fail(CodeTemplate, "a template declares one entity")
		}
	}
	p.scope = s.parent
	p.depth--
	d.Span = p.since(from)
	return d
}

// templateParams reads <parameters> and declares them in s.
func (p *parser) templateParams(s *scope) []*ast.TemplateParam {
	open := p.i
	if !p.expect(cpp.Less) || !p.enter() {
		return nil
	}
	saved := p.noGT
	p.noGT = true
	var list []*ast.TemplateParam
	for !isGreater(p.w) && !p.failed {
		x := p.templateParam()
		list = append(list, x)
		if x.Name != nil {
			k := isValue
			switch x.Kind {
			case ast.TypeParam:
				k = isType | isParam
			case ast.TemplateTemplateParam:
				k = isType | isTemplate | isParam
			}
			p.declare(s, x.Name.Name, k, nil)
		}
		if !p.accept(cpp.Comma) {
			break
		}
	}
	p.noGT = saved
	p.depth--
	if !p.greater() && !p.failed {
		d := p.expected("',' or '>' in template-parameter-list")
		t := &p.toks[open]
		d.Notes = append(d.Notes, source.Diagnostic{Severity: source.Note, Pos: t.Pos(), End: t.End(), Message: "to match this '<'"})
	}
	return list
}

// templateParam reads one parameter of a template.
func (p *parser) templateParam() *ast.TemplateParam {
	x := &ast.TemplateParam{}
	from := p.pos()
	switch {
	case p.w == cpp.KwTemplate:
		x.Kind = ast.TemplateTemplateParam
		p.next()
		inner := p.push(templateScope)
		inner.retained = true
		x.Params = p.templateParams(inner)
		p.scope = inner.parent
		if p.w != cpp.KwTypename && p.w != cpp.KwClass {
			p.fail(CodeTemplate, "template template parameter requires 'class' or 'typename' after the parameter list")
			return x
		}
		p.next()
		p.paramName(x)
		if p.accept(cpp.Equal) {
			at := p.pos()
			n, _ := p.name(inExpr)
			t := &ast.NamedType{Span: n.Span, Name: n}
			x.Default = &ast.TemplateArg{Type: t, Span: p.since(at)}
		}
	case (p.w == cpp.KwTypename || p.w == cpp.KwClass) && p.isTypeParam():
		x.Kind = ast.TypeParam
		p.next()
		p.paramName(x)
		if p.accept(cpp.Equal) {
			at := p.pos()
			t := p.typeID()
			x.Default = &ast.TemplateArg{Type: t, Span: p.since(at)}
		}
	case p.isConcept():
		p.unsupported("concepts are a C++20 feature, which is not supported")
		return x
	default:
		x.Kind = ast.ValueParam
		s := p.declSpecs(inParam)
		if s.typ == nil {
			if !p.failed {
				p.fail(CodeTemplate, "expected template parameter")
			}
			return x
		}
		var d declarator
		x.Type = p.declarator(&d, s.typ, either)
		x.Pack = d.pack
		x.Name = d.param
		if p.accept(cpp.Equal) {
			at := p.pos()
			e := p.conditional()
			x.Default = &ast.TemplateArg{Expr: e, Span: p.since(at)}
		}
	}
	x.Span = p.since(from)
	return x
}

// paramName reads the ... and the name of a type's or template's parameter.
func (p *parser) paramName(x *ast.TemplateParam) {
	x.Pack = p.accept(cpp.Ellipsis)
	if p.k == cpp.Ident {
		x.Name = p.ident()
	}
}

// isTypeParam reports whether typename or class at the cursor begins a type parameter, and not
// the type of a value, as in typename T::type x.
func (p *parser) isTypeParam() bool {
	n := 1
	if p.word(n) == cpp.Ellipsis {
		return true
	}
	if p.ahead(n).Kind == cpp.Ident {
		n++
	}
	w := p.word(n)
	return w == cpp.Comma || w == cpp.Equal || isGreater(w)
}

// concept notes the name of a concept.
func (p *parser) concept() {
	if t := p.ahead(1); t.Kind == cpp.Ident {
		if p.concepts == nil {
			p.concepts = map[string]bool{}
		}
		p.concepts[t.Text()] = true
	}
}

// isConcept reports whether a type is constrained here by the name of a concept.
func (p *parser) isConcept() bool {
	return p.concepts != nil && p.k == cpp.Ident && p.concepts[p.tok().Text()]
}
