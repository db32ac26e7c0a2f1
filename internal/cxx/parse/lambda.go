package parse

import (
	"irgl/internal/cpp"
	"irgl/internal/cxx/ast"
)

// lambda reads [captures] <template> specs (params) specs -> T { body }.
func (p *parser) lambda() ast.Expr {
	from := p.pos()
	p.lasts = true
	l := &ast.LambdaExpr{Token: p.i}
	if !p.enter() {
		return l
	}
	saved, savedGT := p.scope, p.noGT
	p.noGT = false
	p.captures(l)
	if p.w == cpp.Less {
		s := p.push(templateScope)
		s.retained = true
		l.Template = p.templateParams(s)
	}
	var d declarator
	p.lambdaSpecs(l, &d)
	s := p.push(blockScope)
	s.retained = true
	for _, c := range l.Captures {
		if c.Init != nil && c.Name != nil {
			p.declare(s, c.Name.Name, isValue, nil)
		}
	}
	l.Type = &ast.FuncType{}
	if p.w == cpp.LParen && !p.failed {
		l.Type, _ = p.lambdaParams(&d, s)
	}
	p.lambdaSpecs(l, &d)
	if p.w == cpp.Arrow {
		p.next()
		l.Type.Result, l.Type.Trailing = p.typeID(), true
	}
	l.Specs |= d.flags
	if p.w != cpp.LBrace {
		if !p.failed {
			p.expected("body of lambda expression")
		}
	} else {
		l.Body = p.lambdaBody(l.Type)
	}
	if !p.failed {
		p.scope, p.noGT = saved, savedGT
		p.depth--
	}
	l.Span = p.since(from)
	return l
}

// lambdaParams reads (params) and the qualifiers after them.
func (p *parser) lambdaParams(d *declarator, s *scope) (*ast.FuncType, bool) {
	var result ast.TypeExpr
	f, ok := p.function(d, result).(*ast.FuncType)
	if !ok {
		f = &ast.FuncType{}
	}
	for _, x := range f.Params {
		if x.Name != nil {
			p.declare(s, x.Name.Name, isValue, nil)
		}
	}
	return f, ok
}

// lambdaSpecs reads mutable, constexpr, CUDA's qualifiers and attributes.
func (p *parser) lambdaSpecs(l *ast.LambdaExpr, d *declarator) {
	for !p.failed {
		switch p.w {
		case cpp.KwMutable:
			l.Specs |= ast.Mutable
			p.next()
			continue
		case cpp.KwNoexcept:
			if l.Type == nil {
				l.Type = &ast.FuncType{}
			}
			p.noexcept(l.Type)
			continue
		case cpp.KwStatic:
			p.next()
			continue
		}
		if flagWords[p.w] {
			l.Specs |= flagTable[p.w]
			p.next()
			continue
		}
		if !p.attribute(&d.attrs, &d.flags) {
			return
		}
	}
}

// lambdaBody reads the body at once; in a tentative text it is skipped and read later.
func (p *parser) lambdaBody(f *ast.FuncType) *ast.Body {
	start := p.i
	end := p.partner(start)
	if end < 0 {
		p.unclosedBrace(start)
		return nil
	}
	b := &ast.Body{Tokens: p.toks[start : end+1]}
	if p.tent > 0 {
		from := p.pos()
		scope, class := p.retain(), p.class
		p.seek(end + 1)
		b.Span = p.since(from)
		b.Reader = &bodyReader{p, start, f, scope, class}
		return b
	}
	t := &ast.BodyTree{Block: p.block()}
	b.Span = t.Block.Span
	b.Keep(t)
	return b
}

// captures reads [=, &x, y = 1, this].
func (p *parser) captures(l *ast.LambdaExpr) {
	open := p.i
	p.next()
	for p.w != cpp.RBracket && !p.failed {
		first := len(l.Captures) == 0 && l.Default == ast.NoDefault
		switch {
		case p.w == cpp.Equal && first:
			l.Default = ast.ByCopy
			p.next()
		case p.w == cpp.Amp && first && (p.word(1) == cpp.Comma || p.word(1) == cpp.RBracket):
			l.Default = ast.ByRef
			p.next()
		default:
			l.Captures = append(l.Captures, p.capture())
		}
		if !p.accept(cpp.Comma) {
			break
		}
	}
	p.closing(cpp.RBracket, open)
}

// capture reads one capture.
func (p *parser) capture() *ast.Capture {
	c := &ast.Capture{}
	from := p.pos()
	switch {
	case p.w == cpp.KwThis:
		c.This = true
		p.next()
	case p.w == cpp.Star && p.word(1) == cpp.KwThis:
		c.This, c.Star = true, true
		p.next()
		p.next()
	default:
		c.Ref = p.accept(cpp.Amp)
		c.Pack = p.accept(cpp.Ellipsis)
		c.Name = p.ident()
		c.Init = p.initializer()
		if p.accept(cpp.Ellipsis) {
			c.Pack = true
		}
	}
	c.Span = p.since(from)
	return c
}
