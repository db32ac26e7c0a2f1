package parse

import (
	"strings"

	"irgl/internal/cpp"
	"irgl/internal/cxx/ast"
	"irgl/internal/source"
)

// primary reads an operand without postfix operators.
func (p *parser) primary() ast.Expr {
	t := p.tok()
	switch p.k {
	case cpp.Ident:
		return p.nameOperand()
	case cpp.Number:
		return p.literal(numberKind(t.Text()))
	case cpp.Char:
		return p.literal(ast.CharLit)
	case cpp.String:
		return p.stringLiteral()
	}
	from := p.pos()
	switch w := p.w; w {
	case cpp.KwTrue, cpp.KwFalse:
		return p.literal(ast.BoolLit)
	case cpp.KwNullptr, cpp.KwNull:
		return p.literal(ast.NullptrLit)
	case cpp.KwThis:
		p.next()
		return &ast.ThisExpr{Span: p.since(from)}
	case cpp.ColonColon, cpp.KwOperator:
		return p.nameOperand()
	case cpp.LParen:
		return p.parenthesis()
	case cpp.LBracket:
		return p.lambda()
	case cpp.KwConstCast, cpp.KwDynamicCast, cpp.KwReinterpretCast, cpp.KwStaticCast:
		return p.namedCast()
	case cpp.KwTypeid:
		p.next()
		if p.w == cpp.LParen {
			p.skipParens()
		}
		return &ast.TypeidExpr{Span: p.since(from)}
	case cpp.KwTypename, cpp.KwDecltype, cpp.KwTypeof:
		return p.typeOperand()
	case cpp.KwBuiltinOffsetof:
		return p.offsetof()
	case cpp.KwBuiltinBitCast:
		return p.bitCast()
	case cpp.KwBuiltinAddressof:
		n := p.keywordName(t)
		return &ast.NameExpr{Span: n.Span, Name: n}
	case cpp.KwBuiltinTypesCompatibleP:
		p.next()
		return &ast.TraitExpr{Trait: t.Text(), Args: p.traitTypes(), Span: p.since(from)}
	case cpp.KwBuiltinVaArg, cpp.KwBuiltinChooseExpr, cpp.KwBuiltinConvertvector:
		p.unsupported("'" + t.Text() + "' is not supported")
		return nil
	default:
		switch {
		case cpp.FirstTrait <= w && w <= cpp.LastTrait:
			p.next()
			x := &ast.TraitExpr{Trait: t.Text(), Args: p.traitTypes()}
			x.Span = p.since(from)
			return x
		case is(w, basicWord):
			return p.typeOperand()
		}
	}
	p.fail(CodeExpression, "expected expression")
	return nil
}

// keywordName returns a keyword, which names a function of the compiler, as a name.
func (p *parser) keywordName(t *cpp.Token) *ast.Name {
	x := p.slabs.plain.New()
	p.fill(&x.name, &x.seg)
	return &x.name
}

// literal reads a literal of one token.
func (p *parser) literal(k ast.LitKind) ast.Expr {
	t := p.tok()
	l := p.slabs.literals.New()
	l.Span, l.Kind, l.Text = ast.Range(t.Pos(), t.End()), k, t.Text()
	p.next()
	return l
}

// numberKind tells integers from floating-point numbers.
func numberKind(s string) ast.LitKind {
	hex := len(s) > 1 && s[0] == '0' && s[1]|' ' == 'x'
	for i := range len(s) {
		switch c := s[i] | ' '; {
		case s[i] == '.', c == 'p' && hex, c == 'e' && !hex:
			return ast.FloatLit
		case c == '_' || s[i] == '_': // a literal operator's suffix
			return ast.IntLit
		}
	}
	return ast.IntLit
}

// stringLiteral reads a string, or several that are joined.
func (p *parser) stringLiteral() *ast.Literal {
	from := p.pos()
	l := &ast.Literal{Kind: ast.StringLit, Text: p.tok().Text()}
	p.next()
	for p.k == cpp.String {
		if l.Parts == nil {
			l.Parts = []string{l.Text}
		}
		l.Parts = append(l.Parts, p.tok().Text())
		p.next()
	}
	if l.Parts != nil {
		l.Text = strings.Join(l.Parts, " ")
	}
	l.Span = p.since(from)
	return l
}

// nameOperand reads a name, and what makes an object where it is a type's.
func (p *parser) nameOperand() ast.Expr {
	if p.k == cpp.Ident {
		t := p.tok()
		switch w := p.word(1); w {
		case cpp.ColonColon, cpp.Less:
		case cpp.LParen:
			if p.plainValue(t) {
				return p.plainExpr()
			}
			if t.Text() == "offsetof" {
				return p.offsetof()
			}
			if p.resolve(t).isType() {
				return p.typeOperand()
			}
			if t.Text() == "va_arg" {
				return p.vaArg()
			}
			return p.plainExpr()
		case cpp.LBrace:
			if !p.plainValue(t) && !p.resolve(t).isValue() {
				return p.typeOperand()
			}
			return p.plainExpr()
		default:
			return p.plainExpr()
		}
	}
	from := p.pos()
	n, r := p.name(inExpr)
	x := p.slabs.uses.New()
	x.Span, x.Name = n.Span, n
	if p.failed || n.Last.Kind != ast.Identifier {
		return x
	}
	switch {
	case p.w == cpp.LBrace && !r.isValue(), p.w == cpp.LParen && r.isType():
		return p.construct(&ast.NamedType{Span: n.Span, Name: n}, from)
	}
	return x
}

// plainExpr reads an identifier as an expression.
func (p *parser) plainExpr() ast.Expr {
	x := p.slabs.names.New()
	x.expr.Name = &x.name
	p.fill(&x.name, &x.seg)
	x.expr.Span = x.name.Span
	return &x.expr
}

// typeOperand reads T(args) and T{args}.
func (p *parser) typeOperand() ast.Expr {
	from := p.pos()
	var t ast.TypeExpr
	switch {
	case p.k == cpp.Ident:
		n, _ := p.name(inType)
		t = &ast.NamedType{Span: n.Span, Name: n}
	case p.w == cpp.KwDecltype:
		at := p.cursor
		t = p.decltype()
		if p.w == cpp.ColonColon && !p.failed {
			p.cursor = at
			n, _ := p.name(inExpr)
			if p.w != cpp.LBrace {
				return &ast.NameExpr{Span: n.Span, Name: n}
			}
			t = &ast.NamedType{Span: n.Span, Name: n}
		}
	default:
		s := p.declSpecs(typeOnly)
		t = s.typ
	}
	if p.w != cpp.LParen && p.w != cpp.LBrace && !p.failed {
		p.expected("'(' for function-style cast or type construction")
		return nil
	}
	return p.construct(t, from)
}

// construct reads (args) or {args} after a type.
func (p *parser) construct(t ast.TypeExpr, from source.Pos) ast.Expr {
	x := &ast.ConstructExpr{Type: t}
	if p.w == cpp.LBrace {
		x.Brace = p.initList()
	} else {
		x.Args = p.argsInParens()
	}
	x.Span = p.since(from)
	return x
}

// namedCast reads static_cast<T>(x) and its like.
func (p *parser) namedCast() ast.Expr {
	from := p.pos()
	c := &ast.NamedCastExpr{Kind: p.w}
	p.next()
	p.expect(cpp.Less)
	saved := p.noGT
	p.noGT = true
	c.Type = p.typeID()
	p.noGT = saved
	if !p.greater() {
		p.expected("'>'")
	}
	open := p.i
	p.expect(cpp.LParen)
	c.X = p.inParens(p.expr)
	p.closing(cpp.RParen, open)
	c.Span = p.since(from)
	return c
}

// bitCast reads __builtin_bit_cast(T, x).
func (p *parser) bitCast() ast.Expr {
	from := p.pos()
	c := &ast.NamedCastExpr{Kind: p.w}
	p.next()
	open := p.i
	p.expect(cpp.LParen)
	c.Type = p.typeID()
	p.expect(cpp.Comma)
	c.X = p.inParens(p.assignment)
	p.closing(cpp.RParen, open)
	c.Span = p.since(from)
	return c
}

// offsetof reads offsetof(T, member).
func (p *parser) offsetof() ast.Expr {
	from := p.pos()
	p.next()
	open := p.i
	p.expect(cpp.LParen)
	o := &ast.OffsetofExpr{Type: p.typeID()}
	p.expect(cpp.Comma)
	at := p.pos()
	if p.k != cpp.Ident {
		p.fail(CodeName, "expected identifier")
		return o
	}
	n := p.plain()
	o.Member = p.postfix(&ast.MemberExpr{Span: p.since(at), Name: n})
	p.closing(cpp.RParen, open)
	o.Span = p.since(from)
	return o
}

// postfix reads the postfix operators of x.
func (p *parser) postfix(x ast.Expr) ast.Expr {
	for !p.failed {
		switch p.w {
		case cpp.LBracket:
			open := p.i
			e := p.slabs.indexes.New()
			p.next()
			saved := p.noGT
			p.noGT = false
			if !p.enter() {
				return x
			}
			e.X, e.Index = x, p.initExpr()
			p.depth--
			p.noGT = saved
			if !p.closing(cpp.RBracket, open) {
				return x
			}
			e.Span = p.spanFrom(x)
			x = e
		case cpp.LParen:
			open := p.i
			e := p.slabs.calls.New()
			p.next()
			e.Fun, e.Args = x, p.exprList(cpp.RParen)
			if !p.closing(cpp.RParen, open) {
				return x
			}
			e.Span = p.spanFrom(x)
			x = e
		case cpp.Dot, cpp.Arrow:
			x = p.memberOf(x)
		case cpp.PlusPlus, cpp.MinusMinus:
			e := &ast.PostfixExpr{X: x, Op: p.w}
			p.next()
			e.Span = p.spanFrom(x)
			x = e
		case cpp.TripleLess:
			x = p.launch(x, x.Pos())
		case cpp.LessLess:
			if p.word(1) != cpp.Less { // << < is nvcc's <<<
				return x
			}
			x = p.launch(x, x.Pos())
		default:
			return x
		}
	}
	return x
}

// initExpr reads what is in brackets.
func (p *parser) initExpr() ast.Expr {
	if p.w == cpp.LBrace {
		return p.initList()
	}
	return p.expr()
}

// memberOf reads .name or ->name after x.
func (p *parser) memberOf(x ast.Expr) ast.Expr {
	arrow := p.w == cpp.Arrow
	p.next()
	if p.k == cpp.Ident {
		if w := p.word(1); w != cpp.Less && w != cpp.ColonColon {
			e := p.slabs.members.New()
			e.expr.X, e.expr.Arrow, e.expr.Name = x, arrow, &e.name
			p.fill(&e.name, &e.seg)
			e.expr.Span = ast.Range(x.Pos(), e.name.End())
			return &e.expr
		}
	}
	e := &ast.MemberExpr{X: x, Arrow: arrow}
	e.Name, _ = p.name(inMember)
	e.Span = p.spanFrom(x)
	return e
}

// launch reads <<<config>>>(args) after fun.
func (p *parser) launch(fun ast.Expr, from source.Pos) ast.Expr {
	l := &ast.LaunchExpr{Fun: fun}
	open := p.i
	if p.accept(cpp.LessLess); p.w == cpp.Less || p.w == cpp.TripleLess {
		p.next()
	}
	if !p.enter() {
		return l
	}
	saved := p.noGT
	p.noGT = false // >> is an operator, >>> and >> > are not
	for !p.failed {
		l.Config = append(l.Config, p.initClause())
		if !p.accept(cpp.Comma) {
			break
		}
	}
	p.noGT = saved
	p.depth--
	if p.failed {
		return l
	}
	for n := 0; n < 3; n++ {
		if !p.greater() {
			d := p.expected("'>>>'")
			t := &p.toks[open]
			d.Notes = append(d.Notes, source.Diagnostic{Severity: source.Note, Pos: t.Pos(), End: t.End(), Message: "to match this '<<<'"})
			return l
		}
	}
	if len(l.Config) == 1 { // blocks of one thread
		l.Config = append(l.Config, &ast.Literal{Span: ast.Range(l.Config[0].Pos(), l.Config[0].End()), Text: "1"})
	}
	if n := len(l.Config); n < 2 || n > 4 {
		p.failAt(open, CodeLaunch, "a launch has a grid, a block, and perhaps the bytes of shared memory and a stream").Hint = "write kernel<<<grid, block>>>(arguments)"
		return l
	}
	l.Args = p.argsInParens()
	l.Span = p.since(from)
	return l
}

// exprList reads expressions up to the bracket end, which stays.
func (p *parser) exprList(end cpp.Word) []ast.Expr {
	if p.w == end || !p.enter() {
		return nil
	}
	saved := p.noGT
	p.noGT = false
	var buf [4]ast.Expr
	list := buf[:0]
	for !p.failed {
		x := p.initClause()
		if p.w == cpp.Ellipsis && !p.failed {
			p.next()
			x = &ast.PackExpansion{Span: p.spanFrom(x), X: x}
		}
		list = append(list, x)
		if !p.accept(cpp.Comma) {
			break
		}
	}
	p.noGT = saved
	p.depth--
	return append(p.slabs.args.New(len(list)), list...)
}

// initClause reads an expression without commas, or {list}.
func (p *parser) initClause() ast.Expr {
	if p.w == cpp.LBrace {
		return p.initList()
	}
	return p.assignment()
}

// initList reads {a, .b = c, [2] = d}.
func (p *parser) initList() *ast.InitList {
	l := &ast.InitList{}
	from, open := p.pos(), p.i
	if !p.enter() {
		return l
	}
	saved := p.noGT
	p.noGT = false
	p.next()
	for p.w != cpp.RBrace && !p.failed {
		l.Elems = append(l.Elems, p.initElem())
		if !p.accept(cpp.Comma) {
			break
		}
	}
	p.noGT = saved
	p.depth--
	p.closing(cpp.RBrace, open)
	l.Span = p.since(from)
	return l
}

// initElem reads one element of an initialiser list.
func (p *parser) initElem() *ast.InitElem {
	e := &ast.InitElem{}
	from := p.pos()
	switch {
	case p.w == cpp.Dot && p.ahead(1).Kind == cpp.Ident:
		p.next()
		e.Field = p.ident()
		if p.w != cpp.LBrace {
			p.expect(cpp.Equal)
		}
	case p.k == cpp.Ident && p.word(1) == cpp.Colon:
		e.Field = p.ident()
		p.next()
	case p.w == cpp.LBracket && p.isDesignator():
		p.next()
		e.Index = p.conditional()
		p.expect(cpp.RBracket)
		p.expect(cpp.Equal)
	}
	e.Value = p.initClause()
	if p.w == cpp.Ellipsis {
		p.next()
		e.Value = &ast.PackExpansion{Span: p.spanFrom(e.Value), X: e.Value}
	}
	e.Span = p.since(from)
	return e
}

// isDesignator reports whether [n] at the cursor is followed by =, and is not a lambda.
func (p *parser) isDesignator() bool {
	end := p.partner(p.i)
	return end > 0 && p.toks[end+1].Word == cpp.Equal
}

// vaArg reads va_arg(list, T) as a call of a function with the list: there are no lists.
func (p *parser) vaArg() ast.Expr {
	from := p.pos()
	name := p.keywordName(p.tok())
	p.expect(cpp.LParen)
	x := &ast.CallExpr{Fun: &ast.NameExpr{Span: name.Span, Name: name}, Args: []ast.Expr{p.assignment()}}
	if p.accept(cpp.Comma) {
		p.typeID()
	}
	p.expect(cpp.RParen)
	x.Span = p.since(from)
	return x
}
