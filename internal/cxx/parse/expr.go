package parse

import (
	"irgl/internal/cpp"
	"irgl/internal/cxx/ast"
)

// expr reads an expression, which may have commas.
func (p *parser) expr() ast.Expr {
	x := p.assignment()
	for p.w == cpp.Comma && p.word(1) != cpp.Ellipsis && !p.failed {
		x = p.binaryWith(x, p.assignment)
	}
	return x
}

// binaryWith reads the operator at the cursor and, with f, its right operand.
func (p *parser) binaryWith(x ast.Expr, f func() ast.Expr) ast.Expr {
	b := p.slabs.binaries.New()
	from := p.pos()
	b.X, b.Op = x, p.w
	p.next()
	b.OpPos = p.since(from)
	b.Y = f()
	b.Span = p.spanFrom(x)
	return b
}

// spanFrom returns the span from where x begins to the end of what was read.
func (p *parser) spanFrom(x ast.Expr) ast.Span {
	if x == nil {
		return p.since(p.pos())
	}
	return ast.Range(x.Pos(), p.prevEnd())
}

// assignment reads an expression without commas.
func (p *parser) assignment() ast.Expr {
	if p.w == cpp.KwThrow {
		from := p.pos()
		p.next()
		t := &ast.ThrowExpr{}
		if p.w != cpp.Semi && p.w != cpp.RParen && p.w != cpp.Colon && p.w != cpp.Comma && p.enter() {
			t.X = p.assignment()
			p.depth--
		}
		t.Span = p.since(from)
		return t
	}
	x := p.binary(1)
	if p.w == cpp.Question && !p.failed {
		x = p.question(x)
	}
	if is(p.w, assignOp) && !p.failed && p.word(1) != cpp.Ellipsis {
		if !p.enter() {
			return x
		}
		x = p.binaryWith(x, p.initClause)
		p.depth--
	}
	return x
}

// conditional reads a constant expression: without assignments and commas.
func (p *parser) conditional() ast.Expr {
	x := p.binary(1)
	if p.w == cpp.Question && !p.failed {
		return p.question(x)
	}
	return x
}

// question reads ? a : b after the condition x.
func (p *parser) question(x ast.Expr) ast.Expr {
	if !p.enter() {
		return x
	}
	open := p.i
	p.next()
	c := p.slabs.conds.New()
	c.Cond = x
	if p.w != cpp.Colon {
		c.Then = p.inParens(p.expr)
	}
	p.closing(cpp.Colon, open)
	c.Else = p.assignment()
	c.Span = p.spanFrom(x)
	p.depth--
	return c
}

// binary reads operators that bind at least as closely as prec.
func (p *parser) binary(prec uint8) ast.Expr {
	x := p.unary()
	for {
		w := p.w
		q := precedence[w]
		if q < prec || q == 0 || p.noGT && (w == cpp.Greater || w == cpp.GreaterGreater) ||
			w == cpp.GreaterGreater && p.toks[p.i+1].Word == cpp.Greater || p.toks[p.i+1].Word == cpp.Ellipsis {
			return x
		}
		b := p.slabs.binaries.New()
		t := p.tok()
		b.X, b.Op = x, w
		b.OpPos = ast.Range(p.pos(), t.End())
		p.next()
		b.Y = p.binary(q + 1)
		if p.failed {
			return x
		}
		b.Span = p.spanFrom(x)
		x = b
	}
}

// unary reads prefix operators, casts and what they apply to.
func (p *parser) unary() ast.Expr {
	switch p.w {
	case cpp.NoWord:
		return p.postfix(p.primary())
	case cpp.Plus, cpp.Minus, cpp.Not, cpp.Tilde, cpp.Star, cpp.Amp, cpp.PlusPlus, cpp.MinusMinus, cpp.KwReal, cpp.KwImag:
		if !p.enter() {
			return nil
		}
		u := p.slabs.unaries.New()
		from := p.pos()
		u.Op = p.w
		p.next()
		u.X = p.unary()
		u.Span = p.since(from)
		p.depth--
		return u
	case cpp.AmpAmp:
		from := p.pos()
		p.next()
		id := p.ident()
		n := &ast.Name{Span: id.Span, Last: &ast.Segment{Span: id.Span, Ident: id.Name}}
		return &ast.UnaryExpr{Span: p.since(from), Op: cpp.AmpAmp, X: &ast.NameExpr{Span: id.Span, Name: n}}
	case cpp.LParen:
		if !p.enter() {
			return nil
		}
		x := p.parenthesis()
		p.depth--
		return x
	case cpp.KwSizeof, cpp.KwAlignof:
		return p.sizeof()
	case cpp.KwNoexcept:
		from := p.pos()
		p.next()
		open := p.i
		p.expect(cpp.LParen)
		x := &ast.NoexceptExpr{X: p.inParens(p.expr)}
		p.closing(cpp.RParen, open)
		x.Span = p.since(from)
		return x
	case cpp.KwNew:
		return p.newExpr(false)
	case cpp.KwDelete:
		return p.deleteExpr(false)
	case cpp.ColonColon:
		switch p.word(1) {
		case cpp.KwNew:
			p.next()
			return p.newExpr(true)
		case cpp.KwDelete:
			p.next()
			return p.deleteExpr(true)
		}
	case cpp.KwExtension:
		if !p.enter() {
			return nil
		}
		p.next()
		x := p.unary()
		p.depth--
		return x
	case cpp.KwCoAwait, cpp.KwCoYield:
		p.unsupported("coroutines are not supported")
		return nil
	}
	return p.postfix(p.primary())
}

// parenthesis reads what begins with a parenthesis: a cast, a fold, a statement as an
// expression, or an expression.
func (p *parser) parenthesis() ast.Expr {
	from, open := p.pos(), p.i
	if t := p.castType(); t != nil {
		c := p.slabs.casts.New()
		c.Type = t
		if p.w == cpp.LBrace {
			c.X = p.initList()
			c.Span = p.since(from)
			return p.postfix(c)
		}
		saved := p.noGT
		c.X = p.unary()
		p.noGT = saved
		c.Span = p.since(from)
		return c
	}
	if p.word(1) == cpp.LBrace {
		return p.postfix(p.stmtExpr())
	}
	saved := p.noGT
	p.noGT = false
	p.next()
	var x ast.Expr
	if p.w == cpp.Ellipsis { // (... op y)
		p.next()
		f := &ast.FoldExpr{Op: p.w}
		p.next()
		f.Y = p.unary()
		p.noGT = saved
		p.closing(cpp.RParen, open)
		f.Span = p.since(from)
		return p.postfix(f)
	}
	x = p.expr()
	if p.word(1) == cpp.Ellipsis && p.w != cpp.RParen && !p.failed { // (x op ...) and (x op ... op y)
		f := &ast.FoldExpr{Op: p.w, X: x}
		p.next()
		p.next()
		if p.w != cpp.RParen {
			if p.w != f.Op {
				p.expected("'" + f.Op.String() + "', the operator in front of '...'")
			}
			p.next()
			f.Y = p.unary()
		}
		x = f
	}
	p.noGT = saved
	p.closing(cpp.RParen, open)
	if f, ok := x.(*ast.FoldExpr); ok && !p.failed && !f.End().IsValid() {
		f.Span = p.since(from)
		return p.postfix(f)
	}
	e := p.slabs.parens.New()
	e.X, e.Span = x, p.since(from)
	return p.postfix(e)
}

// castType reads (T) if that is a cast's type; otherwise it moves nothing and returns nil.
func (p *parser) castType() ast.TypeExpr {
	t := p.ahead(1)
	switch {
	case t.Kind == cpp.Ident:
		switch w := p.word(2); w {
		case cpp.RParen:
			return p.castName(t)
		case cpp.ColonColon, cpp.Less:
		case cpp.Star, cpp.Amp, cpp.AmpAmp, cpp.KwConst, cpp.KwVolatile, cpp.LParen, cpp.LBracket:
			if p.plainValue(t) {
				return nil
			}
		default:
			if t := p.ahead(2); t.Kind != cpp.Ident || t.Text() != "__restrict" {
				return nil
			}
		}
	case t.Word == cpp.ColonColon:
	case is(t.Word, startsType):
	default:
		return nil
	}
	m := p.try()
	p.noGT = false
	p.next()
	typ := p.typeID()
	ok := !p.failed && p.w == cpp.RParen
	if ok {
		next := p.ahead(1)
		switch typ.(type) {
		case *ast.FuncType:
			ok = false
		case *ast.ArrayType:
			ok = next.Word == cpp.LBrace
		case *ast.NamedType:
			ok = p.castOperand(next, p.typeRef.isType())
		default:
			ok = p.castOperand(next, true)
		}
	}
	if !ok {
		p.fail(CodeType, "")
	}
	if !p.commit(m) {
		return nil
	}
	p.next()
	return typ
}

// castName decides for (name).
func (p *parser) castName(t *cpp.Token) ast.TypeExpr {
	if p.plainValue(t) {
		return nil
	}
	r := p.resolve(t)
	if r.isValue() || !p.castOperand(p.ahead(3), r.isType()) {
		return nil
	}
	p.next()
	x := p.slabs.types.New()
	x.typ.Name = &x.name
	p.fill(&x.name, &x.seg)
	x.typ.Span = x.name.Span
	p.next()
	return &x.typ
}

// afterParen returns the word after t, which is one or two tokens behind the name in parentheses at the cursor.
func (p *parser) afterParen(t *cpp.Token) cpp.Word {
	for i := p.i; i < p.i+4 && i+1 < len(p.toks); i++ {
		if &p.toks[i] == t {
			return p.toks[i+1].Word
		}
	}
	return cpp.NoWord
}

// castOperand reports whether t may begin what a cast applies to; known says that what is in
// the parentheses is a type.
func (p *parser) castOperand(t *cpp.Token, known bool) bool {
	if t.Word == cpp.LParen && p.afterParen(t) == cpp.RParen {
		return false // (f)()
	}
	if beginsExpr(t) {
		return known || t.Word != cpp.PlusPlus && t.Word != cpp.MinusMinus
	}
	if !known {
		return t.Word == cpp.LBrace
	}
	switch t.Word {
	case cpp.Plus, cpp.Minus, cpp.Star, cpp.Amp, cpp.AmpAmp, cpp.LBrace, cpp.LBracket:
		return true
	}
	return false
}

// stmtExpr reads GNU's ({ ... }).
func (p *parser) stmtExpr() ast.Expr {
	from, open := p.pos(), p.i
	if p.tent > 0 { // not to be read for a decision
		p.skipParens()
		return &ast.StmtExpr{Span: p.since(from), Body: &ast.Block{}}
	}
	saved := p.noGT
	p.noGT = false
	p.next()
	b := p.block()
	p.noGT = saved
	p.closing(cpp.RParen, open)
	return &ast.StmtExpr{Span: p.since(from), Body: b}
}

// sizeof reads sizeof and alignof.
func (p *parser) sizeof() ast.Expr {
	from := p.pos()
	s := &ast.SizeofExpr{Align: p.w == cpp.KwAlignof}
	p.next()
	if p.w == cpp.Ellipsis {
		p.next()
		open := p.i
		p.expect(cpp.LParen)
		x := &ast.SizeofPackExpr{Name: p.ident()}
		p.closing(cpp.RParen, open)
		x.Span = p.since(from)
		return x
	}
	if p.w == cpp.LParen {
		m := p.try()
		p.next()
		if p.mayBeType() {
			p.noGT = false
			s.Type = p.typeID()
			if p.w != cpp.RParen {
				p.fail(CodeType, "")
			} else {
				p.next()
			}
		} else {
			p.fail(CodeType, "")
		}
		if !p.failed && !p.typeRef.isType() {
			switch p.w {
			case cpp.Dot, cpp.Arrow, cpp.LBracket, cpp.LParen, cpp.PlusPlus, cpp.MinusMinus:
				p.fail(CodeType, "")
			}
			switch t := s.Type.(type) {
			case *ast.NamedType:
				if !t.Typename {
					s.Ambiguous = true
					s.X = &ast.NameExpr{Span: t.Span, Name: t.Name}
				}
			case *ast.FuncType, *ast.ArrayType: // f(x), a[i]
				p.fail(CodeType, "")
			}
		}
		if p.commit(m) {
			s.Span = p.since(from)
			return s
		}
		s.Type, s.Ambiguous = nil, false
	}
	if !p.enter() {
		return s
	}
	s.X = p.unary()
	p.depth--
	s.Span = p.since(from)
	return s
}

// newExpr reads new.
func (p *parser) newExpr(global bool) ast.Expr {
	from := p.pos()
	n := &ast.NewExpr{Global: global}
	p.next()
	if p.w == cpp.LParen {
		if n.Type = p.newType(); n.Type == nil {
			n.Place = p.argsInParens()
			if p.w == cpp.LParen {
				n.Type = p.newType()
			}
		}
	}
	if n.Type == nil && !p.failed {
		s := p.declSpecs(typeOnly)
		if s.typ == nil && !p.failed {
			p.fail(CodeType, "expected a type")
		}
		d := declarator{pack: true}
		n.Type = p.newArray(p.pointers(&d, s.typ))
	}
	if p.w == cpp.LParen || p.w == cpp.LBrace {
		n.Init = p.initializer()
	}
	n.Span = p.since(from)
	return n
}

// newType reads (T) in a new expression, or nothing.
func (p *parser) newType() ast.TypeExpr {
	m := p.try()
	p.next()
	var t ast.TypeExpr
	if !p.mayBeType() {
		p.fail(CodeType, "")
	} else {
		t = p.typeID()
		if p.w != cpp.RParen || !p.typeRef.isType() {
			p.fail(CodeType, "")
		} else {
			p.next()
		}
	}
	if p.k == cpp.Ident || is(p.w, startsType) {
		p.fail(CodeType, "") // new (place) T
	}
	if !p.commit(m) {
		return nil
	}
	return t
}

// newArray reads the [n] of a new expression; they apply to t.
func (p *parser) newArray(t ast.TypeExpr) ast.TypeExpr {
	if p.w != cpp.LBracket || p.failed || !p.enter() {
		return t
	}
	from, open := p.pos(), p.i
	a := &ast.ArrayType{}
	p.next()
	if p.w != cpp.RBracket {
		a.Len = p.inParens(p.expr)
	}
	p.closing(cpp.RBracket, open)
	a.Span = p.since(from)
	a.Elem = p.newArray(t)
	p.depth--
	return a
}

// deleteExpr reads delete.
func (p *parser) deleteExpr(global bool) ast.Expr {
	from := p.pos()
	d := &ast.DeleteExpr{Global: global}
	p.next()
	if p.w == cpp.LBracket && p.word(1) == cpp.RBracket {
		p.next()
		p.next()
		d.Array = true
	}
	if !p.enter() {
		return d
	}
	d.X = p.unary()
	p.depth--
	d.Span = p.since(from)
	return d
}
