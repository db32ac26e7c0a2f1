package syntax

import "strconv"

// block prints { statements }.
func (p *printer) block(b *Block) {
	p.str("{")
	p.braces(b.Pos(), b.End(), len(b.Stmts), func(i int) Span { return p.spanOf(b.Stmts[i]) }, func(i int) { p.stmt(b.Stmts[i]) })
}

// spanOf returns the span of what is printed for n: with the attributes before it
// and, of an unrolled loop, with the #pragma.
func (p *printer) spanOf(n Node) Span {
	if list := p.attributes[n]; len(list) > 0 && list[0].From.IsValid() {
		return Span{list[0].From, n.End()}
	}
	if s, ok := n.(*ForStmt); ok && s.Pragma.From.Before(s.From) {
		return Span{s.Pragma.From, s.To}
	}
	return Span{n.Pos(), n.End()}
}

// stmt prints one statement without the end of its line.
//
//irgl:allnodes CStmt
func (p *printer) stmt(s Stmt) {
	p.attributesOf(s)
	switch s := s.(type) {
	case *Block:
		p.block(s)
	case *VarDecls:
		p.varDecls(s)
		p.str(";")
	case *TypeDecl:
		p.typeDecl(s)
	case *ExprStmt:
		p.expr(s.X, precComma)
		p.str(";")
	case *EmptyStmt:
		p.str(";")
	case *IfStmt:
		p.ifStmt(s)
	case *ForStmt:
		p.forStmt(s)
	case *WhileStmt:
		p.whileStmt(s)
	case *SwitchStmt:
		p.str("switch (")
		p.expr(s.X, precComma)
		p.str(") ")
		p.block(s.Body)
	case *CaseStmt:
		p.outdent()
		if s.Value == nil {
			p.str("default:")
		} else {
			p.str("case ")
			p.expr(s.Value, precAssign)
			p.str(":")
		}
	case *LabelStmt:
		p.outdent()
		p.str(s.Name.Name + ":")
	case *GotoStmt:
		p.str("goto " + s.Name.Name + ";")
	case *BreakStmt:
		p.str("break;")
	case *ContinueStmt:
		p.str("continue;")
	case *ReturnStmt:
		p.str("return")
		if s.X != nil {
			p.str(" ")
			p.expr(s.X, precComma)
		}
		p.str(";")
	case *AsmStmt:
		p.asmStmt(s)
	case *CBlock:
		p.cBlock(s)
	case IrGLStmt:
		s.printTo(p)
	}
}

// substmt prints the statement that a head governs: a block on the same line,
// another statement on the next. It reports whether it was a block.
func (p *printer) substmt(s Stmt, braced bool) bool {
	if b, ok := s.(*Block); ok {
		p.str(" ")
		p.stmt(b)
		return true
	}
	if braced {
		p.str(" ")
		p.block(&Block{Span{}, []Stmt{s}})
		return true
	}
	p.indent++
	p.tight = true
	p.item(p.spanOf(s), func() { p.stmt(s) })
	p.indent--
	return false
}

func (p *printer) ifStmt(s *IfStmt) {
	p.str("if (")
	p.expr(s.Cond, precComma)
	p.str(")")
	p.mark(s.Cond.End())
	if s.Else == nil {
		p.substmt(s.Then, false)
		return
	}
	// Without braces the else would go to an if inside.
	if p.substmt(s.Then, endsOpen(s.Then)) {
		p.str(" else")
	} else {
		p.begin(s.ElseWord.From, false)
		p.str("else")
	}
	p.mark(s.ElseWord.To)
	if next, ok := s.Else.(*IfStmt); ok {
		p.str(" ")
		p.stmt(next)
		return
	}
	p.substmt(s.Else, false)
}

// endsOpen reports whether an else after s would belong to an if inside s.
func endsOpen(s Stmt) bool {
	for {
		switch x := s.(type) {
		case *IfStmt:
			if x.Else == nil {
				return true
			}
			s = x.Else
		case Loop:
			if w, ok := x.(*WhileStmt); ok && w.Do {
				return false
			}
			s = x.LoopBody()
		default:
			return false
		}
	}
}

func (p *printer) forStmt(s *ForStmt) {
	if s.Unroll != 0 {
		p.str("#pragma unroll")
		if s.Unroll > 0 {
			p.str(" " + strconv.Itoa(s.Unroll))
		}
		p.mark(s.Pragma.To)
		p.begin(s.From, false)
	}
	p.str("for (")
	switch init := s.Init.(type) {
	case *VarDecls:
		p.varDecls(init)
		p.mark(init.End())
	case *ExprStmt:
		p.expr(init.X, precComma)
		p.mark(init.End())
	}
	p.str(";")
	if s.Cond != nil {
		p.str(" ")
		p.expr(s.Cond, precComma)
		p.mark(s.Cond.End())
	}
	p.str(";")
	if s.Post != nil {
		p.str(" ")
		p.expr(s.Post, precComma)
		p.mark(s.Post.End())
	}
	p.str(")")
	p.substmt(s.Body, false)
}

func (p *printer) whileStmt(s *WhileStmt) {
	if !s.Do {
		p.str("while (")
		p.expr(s.Cond, precComma)
		p.str(")")
		p.mark(s.Cond.End())
		p.substmt(s.Body, false)
		return
	}
	p.str("do")
	if p.substmt(s.Body, false) {
		p.str(" while (")
	} else {
		p.begin(s.Cond.Pos(), false)
		p.str("while (")
	}
	p.expr(s.Cond, precComma)
	p.str(");")
}
