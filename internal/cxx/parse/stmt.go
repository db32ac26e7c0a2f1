package parse

import (
	"irgl/internal/cpp"
	"irgl/internal/cxx/ast"
)

// block reads { statements }. A statement that cannot be parsed is reported and left out.
func (p *parser) block() *ast.Block {
	b := p.slabs.blocks.New()
	from, open := p.pos(), p.i
	if p.w != cpp.LBrace {
		p.expected("'{'")
		return b
	}
	end := p.partner(open)
	if end < 0 {
		p.unclosedBrace(open)
		return b
	}
	if !p.enter() {
		return b
	}
	p.next()
	s := p.push(blockScope)
	p.stmts(b, end)
	p.pop(s)
	p.depth--
	if p.failed {
		return b
	}
	p.seek(end + 1)
	b.Span = p.since(from)
	return b
}

// stmts reads statements up to the token end.
func (p *parser) stmts(b *ast.Block, end int) {
	var buf [8]ast.Stmt
	list := buf[:0]
	for p.i < end {
		start, depth, scope := p.i, p.depth, p.scope
		s := p.stmt()
		if !p.failed && p.i == start {
			p.fail(CodeStatement, "expected statement")
		}
		if !p.failed {
			list = append(list, s)
			continue
		}
		if p.tent > 0 || p.failedAt >= end+1 && p.err != nil && p.err.Code == CodeDepth {
			break
		}
		deep := p.err != nil && p.err.Code == CodeDepth
		if d, ok := s.(*ast.DeclStmt); ok && p.err != nil && p.err == p.unended {
			list = append(list, d) // what it declares is known
		}
		p.report()
		p.depth, p.scope, p.noGT = depth, scope, false
		if deep {
			p.seek(end)
			break
		}
		p.seek(p.skipStmt(start, end))
	}
	b.Stmts = append(p.slabs.stmts.New(len(list)), list...)
}

// skipStmt returns the token after the statement that begins at from, not beyond end.
func (p *parser) skipStmt(from, end int) int {
	header := 0 // semicolons of a for whose parenthesis is never closed
	if p.toks[from].Word == cpp.KwFor && p.partner(from+1) < 0 {
		header = 2
	}
	for i := from; i < end; i++ {
		switch p.toks[i].Word {
		case cpp.LParen, cpp.LBracket:
			if p.partner(i) > 0 {
				i = p.partner(i)
			}
			continue
		case cpp.LBrace:
			if p.partner(i) > 0 {
				i = p.partner(i)
			}
			switch p.toks[i+1].Word {
			case cpp.Semi:
				i++
			case cpp.RParen, cpp.Comma:
				continue
			}
		case cpp.Semi:
			if header > 0 {
				header--
				continue
			}
		default:
			continue
		}
		if p.toks[i+1].Word != cpp.KwElse {
			return i + 1
		}
	}
	return end
}

// sub reads the statement that a loop or condition applies to.
func (p *parser) sub() ast.Stmt {
	if p.w == cpp.LBrace {
		return p.block()
	}
	if !p.enter() {
		return nil
	}
	s := p.push(blockScope)
	x := p.stmt()
	for !p.failed {
		switch x.(type) {
		case *ast.CaseStmt, *ast.LabelStmt:
			b := &ast.Block{Stmts: []ast.Stmt{x, p.stmt()}}
			b.Span = p.since(x.Pos())
			p.pop(s)
			p.depth--
			return b
		}
		break
	}
	p.pop(s)
	p.depth--
	return x
}

// stmt reads one statement; a label is one of its own.
func (p *parser) stmt() ast.Stmt {
	from := p.pos()
	switch p.k {
	case cpp.Unroll:
		return p.unrolled()
	case cpp.Pack:
		p.packPragma()
		return &ast.EmptyStmt{Span: p.since(from)}
	}
	switch p.w {
	case cpp.NoWord:
		if p.k == cpp.Ident && p.word(1) == cpp.Colon {
			l := &ast.LabelStmt{Name: p.ident()}
			p.next()
			l.Span = p.since(from)
			return l
		}
	case cpp.LBrace:
		return p.block()
	case cpp.Semi:
		p.next()
		return &ast.EmptyStmt{Span: p.since(from)}
	case cpp.KwIf:
		return p.ifStmt()
	case cpp.KwFor:
		return p.forStmt(nil)
	case cpp.KwWhile:
		return p.whileStmt(nil)
	case cpp.KwDo:
		return p.doStmt(nil)
	case cpp.KwSwitch:
		return p.switchStmt()
	case cpp.KwTry:
		return p.tryStmt()
	case cpp.KwAsm:
		return p.asm()
	case cpp.KwUsing, cpp.KwStaticAssert, cpp.KwNamespace:
		p.lasts = true
		d := p.slabs.decls.New()
		d.Decls = p.declaration(nil, inBlock)
		d.Span = p.since(from)
		return d
	case cpp.KwTemplate:
		p.fail(CodeStatement, "templates cannot be declared in a function")
		return nil
	case cpp.KwElse:
		p.fail(CodeStatement, "'else' without a previous 'if'")
		return nil
	case cpp.KwCatch:
		p.fail(CodeStatement, "'catch' without a previous 'try'")
		return nil
	case cpp.LBracket:
		if p.word(1) == cpp.LBracket && p.partner(p.i) > 0 {
			after := p.partner(p.i) + 1
			if saved := p.cursor; !p.declAt(after) {
				p.seek(after)
				return p.again()
			} else {
				p.cursor = saved
				return p.declStmt()
			}
		}
	case cpp.KwExtension:
		if !p.declAt(p.i + 1) {
			break
		}
	case cpp.KwAttribute: // fallthrough, for instance
		if p.word(1) == cpp.LParen && p.partner(p.i+1) > 0 && p.toks[p.partner(p.i+1)+1].Word == cpp.Semi {
			p.next()
			p.skipParens()
			return p.again()
		}
	case cpp.KwCase, cpp.KwDefault, cpp.KwReturn, cpp.KwBreak, cpp.KwContinue, cpp.KwGoto, cpp.KwCoReturn:
		return p.jump()
	}
	if p.isDecl() {
		return p.declStmt()
	}
	e := p.slabs.exprs.New()
	e.X = p.expr()
	p.expectSemi("expression")
	e.Span = p.since(from)
	return e
}

// declAt reports whether a declaration begins at token i.
func (p *parser) declAt(i int) bool {
	saved := p.cursor
	p.seek(i)
	ok := p.isDecl()
	p.cursor = saved
	return ok
}

// declStmt reads a declaration in a function.
func (p *parser) declStmt() ast.Stmt {
	d := p.slabs.decls.New()
	from := p.pos()
	d.Decls = p.simple(nil, inBlock)
	d.Span = p.since(from)
	return d
}

// jump reads case, default, return, break, continue and goto.
func (p *parser) jump() ast.Stmt {
	from, w := p.pos(), p.w
	p.next()
	switch w {
	case cpp.KwCase:
		c := &ast.CaseStmt{Value: p.conditional()}
		if p.accept(cpp.Ellipsis) {
			c.To = p.conditional()
		}
		p.expect(cpp.Colon)
		c.Span = p.since(from)
		return c
	case cpp.KwDefault:
		p.expect(cpp.Colon)
		return &ast.CaseStmt{Span: p.since(from)}
	case cpp.KwReturn:
		r := p.slabs.returns.New()
		if p.w != cpp.Semi {
			r.X = p.returned()
		}
		p.expectSemi("return statement")
		r.Span = p.since(from)
		return r
	case cpp.KwBreak:
		p.expectSemi("break statement")
		return &ast.BreakStmt{Span: p.since(from)}
	case cpp.KwContinue:
		p.expectSemi("continue statement")
		return &ast.ContinueStmt{Span: p.since(from)}
	case cpp.KwGoto:
		g := &ast.GotoStmt{Name: p.ident()}
		p.expectSemi("goto statement")
		g.Span = p.since(from)
		return g
	}
	p.unsupported("coroutines are not supported")
	return nil
}

// returned reads the value of a return statement.
func (p *parser) returned() ast.Expr {
	if p.w == cpp.LBrace {
		return p.initList()
	}
	return p.expr()
}

// condition reads an expression or the declaration of a variable that is tested.
func (p *parser) condition() ast.Condition {
	if !p.isDecl() {
		return ast.Condition{X: p.expr()}
	}
	from := p.pos()
	s := p.declSpecs(inBlock)
	x := &declarator{}
	if s.typ == nil && !p.failed {
		p.fail(CodeType, "expected a type")
	}
	if p.failed {
		return ast.Condition{}
	}
	x.typ = p.declarator(x, s.typ, named)
	p.lasts = p.lasts || len(x.bindings) > 0
	v := &ast.VarDecl{Specs: s.flags, Name: x.name, Type: x.typ, Bindings: x.bindings}
	p.declareName(x.name, isValue, nil)
	if v.Init = p.initializer(); v.Init == nil && !p.failed {
		p.expected("'=' and an initialiser, for a variable declared in a condition")
	}
	v.Span = p.since(from)
	return ast.Condition{Var: v}
}

// initStmt reads the statement before the semicolon of if (init; condition), if there is one before the
// token end.
func (p *parser) initStmt(end int) ast.Stmt {
	for i := p.i; i < end; i++ {
		switch p.toks[i].Word {
		case cpp.LParen, cpp.LBracket, cpp.LBrace:
			if p.partner(i) > 0 {
				i = p.partner(i)
			}
		case cpp.Semi:
			return p.stmt()
		}
	}
	return nil
}

// header moves past a statement's parenthesis and returns where it closes.
func (p *parser) header(what string) (open, end int) {
	open = p.i
	if p.w != cpp.LParen {
		p.expected("'(' after '" + what + "'")
		return open, open
	}
	end = p.partner(open)
	if end < 0 {
		end = open
	}
	p.next()
	return open, end
}

// ifStmt reads if and its else; a chain of else if is read in a loop.
func (p *parser) ifStmt() ast.Stmt {
	var first, last *ast.IfStmt
	s := p.push(blockScope)
	for !p.failed {
		x := p.slabs.ifs.New()
		from := p.pos()
		p.next()
		x.Constexpr = p.accept(cpp.KwConstexpr)
		open, end := p.header("if")
		x.Init = p.initStmt(end)
		if !p.failed {
			x.Cond = p.condition()
		}
		p.closing(cpp.RParen, open)
		if p.failed {
			return x
		}
		x.Then = p.sub()
		x.Span = p.since(from)
		if first == nil {
			first = x
		} else {
			last.Else = x
		}
		last = x
		if p.w != cpp.KwElse || p.failed {
			break
		}
		p.next()
		if p.w != cpp.KwIf {
			x.Else = p.sub()
			x.Span = p.since(from)
			break
		}
	}
	p.pop(s)
	if first != nil {
		first.Span = p.since(first.Pos())
	}
	return first
}

// switchStmt reads switch.
func (p *parser) switchStmt() ast.Stmt {
	x := &ast.SwitchStmt{}
	from := p.pos()
	s := p.push(blockScope)
	p.next()
	open, end := p.header("switch")
	x.Init = p.initStmt(end)
	if !p.failed {
		x.Cond = p.condition()
	}
	p.closing(cpp.RParen, open)
	if p.failed {
		return x
	}
	x.Body = p.sub()
	p.pop(s)
	x.Span = p.since(from)
	return x
}

// whileStmt reads while.
func (p *parser) whileStmt(u *ast.Unroll) ast.Stmt {
	x := &ast.WhileStmt{Unroll: u}
	from := p.pos()
	s := p.push(blockScope)
	p.next()
	open, _ := p.header("while")
	if !p.failed {
		x.Cond = p.condition()
	}
	p.closing(cpp.RParen, open)
	if p.failed {
		return x
	}
	x.Body = p.sub()
	p.pop(s)
	x.Span = p.since(from)
	return x
}

// doStmt reads do ... while.
func (p *parser) doStmt(u *ast.Unroll) ast.Stmt {
	x := &ast.DoStmt{Unroll: u}
	from := p.pos()
	p.next()
	x.Body = p.sub()
	if p.w != cpp.KwWhile {
		p.expected("'while' in do/while loop")
		return x
	}
	p.next()
	open, _ := p.header("while")
	if !p.failed {
		x.Cond = p.expr()
	}
	p.closing(cpp.RParen, open)
	p.expectSemi("do/while statement")
	x.Span = p.since(from)
	return x
}

// forStmt reads both forms of for.
func (p *parser) forStmt(u *ast.Unroll) ast.Stmt {
	from := p.pos()
	s := p.push(blockScope)
	p.next()
	open, end := p.header("for")
	if p.failed {
		return nil
	}
	if p.isRangeFor(end) {
		x := p.rangeFor(open, end, u)
		if p.failed {
			return x
		}
		p.pop(s)
		x.Span = p.since(from)
		return x
	}
	x := p.slabs.fors.New()
	x.Unroll = u
	x.Init = p.stmt()
	if p.w != cpp.Semi && !p.failed {
		x.Cond = p.condition()
	}
	p.expectSemi("the condition of 'for'")
	if p.w != cpp.RParen && !p.failed {
		x.Post = p.expr()
	}
	p.closing(cpp.RParen, open)
	if p.failed {
		return x
	}
	x.Body = p.sub()
	p.pop(s)
	x.Span = p.since(from)
	return x
}

// isRangeFor reports whether the header up to the token end has a : of its own.
func (p *parser) isRangeFor(end int) bool {
	semis, questions := 0, 0
	for i := p.i; i < end; i++ {
		switch p.toks[i].Word {
		case cpp.LParen, cpp.LBracket, cpp.LBrace:
			if p.partner(i) > 0 {
				i = p.partner(i)
			}
		case cpp.Semi:
			if semis++; semis > 1 {
				return false
			}
		case cpp.Question:
			questions++
		case cpp.Colon:
			if questions--; questions < 0 {
				return true
			}
		}
	}
	return false
}

// rangeFor reads for (init; T x : range).
func (p *parser) rangeFor(open, end int, u *ast.Unroll) *ast.RangeForStmt {
	x := &ast.RangeForStmt{Unroll: u}
	x.Init = p.initStmt(end)
	from := p.pos()
	sp := p.declSpecs(inBlock)
	if sp.typ == nil && !p.failed {
		p.fail(CodeType, "expected a type")
	}
	if p.failed {
		return x
	}
	d := &declarator{}
	d.typ = p.declarator(d, sp.typ, named)
	p.lasts = p.lasts || len(d.bindings) > 0
	x.Var = &ast.VarDecl{Span: p.since(from), Specs: sp.flags, Name: d.name, Type: d.typ, Bindings: d.bindings}
	p.expect(cpp.Colon)
	if !p.failed {
		x.Range = p.initClause()
	}
	p.closing(cpp.RParen, open)
	if p.failed {
		return x
	}
	p.declareName(d.name, isValue, nil)
	for _, b := range d.bindings {
		p.declare(p.holder(), b.Name, isValue, nil)
	}
	x.Body = p.sub()
	return x
}

// unrolled reads a loop behind #pragma unroll.
func (p *parser) unrolled() ast.Stmt {
	u := p.unroll()
	switch p.w {
	case cpp.KwFor:
		return p.forStmt(u)
	case cpp.KwWhile:
		return p.whileStmt(u)
	case cpp.KwDo:
		return p.doStmt(u)
	}
	if p.w == cpp.RBrace {
		return &ast.EmptyStmt{Span: u.Span}
	}
	return p.again()
}

// again reads the statement behind attributes or a pragma.
func (p *parser) again() ast.Stmt {
	if !p.enter() {
		return nil
	}
	s := p.stmt()
	p.depth--
	return s
}

// unroll reads #pragma unroll, whose count is the token's text or follows in parentheses.
func (p *parser) unroll() *ast.Unroll {
	t := p.tok()
	u := &ast.Unroll{Span: ast.Range(t.Pos(), t.End())}
	p.next()
	switch t.Text() {
	case "":
	case "(":
		open := p.i
		p.expect(cpp.LParen)
		u.Count = p.inParens(p.expr)
		p.closing(cpp.RParen, open)
	default:
		u.Count = &ast.Literal{Span: u.Span, Text: t.Text()}
	}
	return u
}

// tryStmt reads try; its handlers are skipped.
func (p *parser) tryStmt() ast.Stmt {
	x := &ast.TryStmt{}
	from := p.pos()
	p.next()
	x.Body = p.block()
	for p.w == cpp.KwCatch && !p.failed {
		p.next()
		if p.w == cpp.LParen {
			p.skipParens()
		}
		if p.w == cpp.LBrace {
			p.skipParens()
		}
	}
	x.Span = p.since(from)
	return x
}
