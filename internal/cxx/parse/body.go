package parse

import (
	"irgl/internal/cpp"
	"irgl/internal/cxx/ast"
)

// body skips a function's body, which is read when it is asked for, in the scopes as they are now.
func (p *parser) body(f *ast.FuncType, kind ast.FuncKind) *ast.Body {
	start := p.i
	from := p.pos()
	p.accept(cpp.KwTry)
	if p.w == cpp.Colon {
		p.skipInits()
	}
	if p.w != cpp.LBrace {
		p.expected("'{'")
		return nil
	}
	open := p.i
	end := p.partner(open)
	if end < 0 {
		p.unclosedBrace(open)
		return nil
	}
	p.seek(end + 1)
	for p.w == cpp.KwCatch && p.word(1) == cpp.LParen {
		p.next()
		p.skipParens()
		if p.w != cpp.LBrace {
			p.expected("'{'")
			return nil
		}
		p.skipParens()
	}
	x := p.slabs.bodies.New()
	b := &x.reader
	*b = hostBody{bodyReader{p, start, f, p.retain(), p.class}, open, end}
	x.body = ast.Body{
		Span:   p.since(from),
		Tokens: p.toks[start : end+1],
		Reader: b,
		First:  start,
		Host:   b,
	}
	return &x.body
}

// skipInits moves past member initialisers, to the brace of the body.
func (p *parser) skipInits() {
	p.next()
	for angles := 0; !p.failed; {
		switch p.w {
		case cpp.Less:
			angles++
		case cpp.Greater:
			angles--
		case cpp.GreaterGreater:
			angles -= 2
		case cpp.LParen, cpp.LBrace:
			after := p.w == cpp.LBrace && p.i > 0 && !p.toks[p.i-1].IsName() && !isGreater(p.toks[p.i-1].Word)
			if after {
				return
			}
			p.skipParens()
			if angles > 0 {
				continue
			}
			p.accept(cpp.Ellipsis)
			if p.w == cpp.LBrace || !p.accept(cpp.Comma) {
				return
			}
			continue
		case cpp.Semi, cpp.RBrace:
			p.expected("'{' or ','")
			return
		}
		if p.k == cpp.EOF {
			p.expected("'{' or ','")
			return
		}
		p.next()
	}
}

// A state is what reading a body later saves and restores.
type state struct {
	cursor
	scope    *scope
	class    *classContext
	depth    int
	tent     int
	noGT     bool
	inBody   bool
	linkageC bool
	failed   bool
}

func (p *parser) save() state {
	return state{p.cursor, p.scope, p.class, p.depth, p.tent, p.noGT, p.inBody, p.linkageC, p.failed}
}

func (p *parser) restore(s state) {
	p.cursor, p.scope, p.class, p.depth, p.tent, p.noGT, p.inBody, p.linkageC, p.failed = s.cursor, s.scope, s.class, s.depth, s.tent, s.noGT, s.inBody, s.linkageC, s.failed
}

// openBody opens the scope of a function's parameters for reading its body.
func (p *parser) openBody(start int, f *ast.FuncType, outer *scope, class *classContext) *scope {
	p.seek(start)
	p.scope, p.class = outer, class
	p.depth, p.tent, p.noGT, p.inBody, p.linkageC, p.failed = 0, 0, false, true, false, false
	s := p.push(blockScope)
	s.retained = true
	for _, x := range f.Params {
		if x.Name != nil {
			p.declareIdent(s, p.identOf(x.Name.Name, x.Name.Number), isValue, nil)
		}
	}
	return s
}

// A bodyReader reads a body that begins at the token start, in the scopes as they were there.
type bodyReader struct {
	p     *parser
	start int
	f     *ast.FuncType
	scope *scope
	class *classContext
}

// Read implements [ast.BodyReader].
func (b *bodyReader) Read() *ast.BodyTree { return b.p.readBody(b.start, b.f, b.scope, b.class) }

// Pass implements [ast.BodyReader]: the tree of a lambda lasts.
func (b *bodyReader) Pass(body *ast.Body, use func(t *ast.BodyTree, passes bool)) {
	use(body.Tree(), false)
}

// readBody reads a body that begins at the token start.
func (p *parser) readBody(start int, f *ast.FuncType, outer *scope, class *classContext) *ast.BodyTree {
	saved := p.save()
	defer p.restore(saved)
	p.openBody(start, f, outer, class)
	t := p.slabs.trees.New()
	try := p.accept(cpp.KwTry)
	if p.w == cpp.Colon {
		t.Inits = p.memberInits()
	}
	if !p.failed {
		from := p.pos()
		t.Block = p.block()
		if try && !p.failed {
			b := &ast.TryStmt{Span: p.since(from), Body: t.Block}
			t.Block = &ast.Block{Span: b.Span, Stmts: []ast.Stmt{b}}
		}
	}
	if t.Block == nil {
		t.Block = &ast.Block{}
	}
	if p.failed {
		p.report()
	}
	return t
}

// pass reads a body for one use. Its nodes are taken back then if the body declares automatic
// variables alone and no other body is in use; others keep their trees.
func (p *parser) pass(b *ast.Body, use func(t *ast.BodyTree, passes bool)) {
	if p.busy {
		use(b.Tree(), false)
		return
	}
	p.slabs, p.busy, p.lasts = &p.passing, true, false
	t := b.Reader.Read()
	p.slabs = &p.lasting
	if p.lasts {
		p.passing, p.busy = slabs{}, false
		b.Keep(t)
		use(t, false)
		return
	}
	use(t, true)
	p.passing.reset()
	p.busy = false
}

// memberInits reads : a(1), b{2}
func (p *parser) memberInits() []*ast.MemberInit {
	var list []*ast.MemberInit
	p.next()
	for !p.failed {
		x := &ast.MemberInit{}
		from := p.pos()
		x.Name, _ = p.name(inType)
		if p.w != cpp.LParen && p.w != cpp.LBrace && !p.failed {
			p.expected("'(' or '{'")
			break
		}
		x.Init = p.initializer()
		x.Pack = p.accept(cpp.Ellipsis)
		x.Span = p.since(from)
		list = append(list, x)
		if !p.accept(cpp.Comma) {
			break
		}
	}
	return list
}

// launches returns the launches in the body between the braces open and end, without reading the
// rest of it. Arguments that cannot be parsed are left out, silently.
func (p *parser) launches(open, end int, f *ast.FuncType, outer *scope, class *classContext) []*ast.LaunchExpr {
	var list []*ast.LaunchExpr
	for i := open + 1; i < end; i++ {
		if w := p.toks[i].Word; w != cpp.TripleLess && (w != cpp.LessLess || p.toks[i+1].Word != cpp.Less) {
			continue
		}
		if x := p.launchAt(p.launchName(open, i), i, f, outer, class); x != nil {
			list = append(list, x)
		}
	}
	return list
}

// launchName returns the token that begins the name in front of <<<.
func (p *parser) launchName(open, at int) int {
	i := at
	for i > open+1 {
		t := &p.toks[i-1]
		switch {
		case t.Kind == cpp.Ident || t.Word == cpp.ColonColon || t.Word == cpp.KwTemplate:
			if t.Kind == cpp.Ident && p.toks[i].Kind == cpp.Ident {
				return i
			}
			i--
		case isGreater(t.Word) && (i == at || p.toks[i].Word == cpp.ColonColon):
			if i = p.argsBefore(open, i); i <= open {
				return at
			}
		default:
			return i
		}
	}
	return i
}

// argsBefore returns the < that the > before the token i closes, or open for none.
func (p *parser) argsBefore(open, i int) int {
	angles, parens := 0, 0
	for i--; i > open; i-- {
		n := 0
		switch p.toks[i].Word {
		case cpp.RParen:
			parens++
		case cpp.LParen:
			parens--
		case cpp.Greater:
			n = 1
		case cpp.GreaterGreater:
			n = 2
		case cpp.TripleGreater:
			n = 3
		case cpp.Less:
			n = -1
		case cpp.Semi, cpp.LBrace, cpp.RBrace:
			return open
		}
		if parens == 0 {
			if angles += n; angles <= 0 {
				return i
			}
		}
	}
	return open
}

// launchAt parses the launch whose name begins at the token start.
func (p *parser) launchAt(start, at int, f *ast.FuncType, outer *scope, class *classContext) *ast.LaunchExpr {
	if start >= at {
		return nil
	}
	saved := p.save()
	defer p.restore(saved)
	s := p.openBody(start, f, outer, class)
	p.tent = 1
	defer func() { p.tent = 0; p.pop(s) }()
	from := p.pos()
	n, _ := p.name(inExpr | generous)
	if p.failed || p.i != at {
		return nil
	}
	fun := &ast.NameExpr{Span: n.Span, Name: n}
	if x, ok := p.launch(fun, from).(*ast.LaunchExpr); ok && !p.failed {
		x.Token = start
		return x
	}
	return &ast.LaunchExpr{Span: n.Span, Fun: fun, Token: start}
}
