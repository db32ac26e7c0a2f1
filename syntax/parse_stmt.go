package syntax

import (
	"strconv"

	"irgl/internal/cpp"
)

// body parses the block of a function, in whose scope its parameters are.
func (p *parser) body() *Block {
	p.enter()
	defer p.leave()
	open := p.tok
	b := &Block{}
	if !p.got("{") {
		p.missing("{", "before the statements")
		p.fail()
	}
	for p.tok.Kind != cpp.EOF && !p.is("}") && !p.startsFunction() {
		p.stmtInto(&b.Stmts)
	}
	// A label needs a statement to label (C99, 6.8.1).
	if n := len(b.Stmts); n > 0 && isLabel(b.Stmts[n-1]) {
		end := b.Stmts[n-1].End()
		b.Stmts = append(b.Stmts, &EmptyStmt{Span{end, end}})
	}
	p.closeBrace(open)
	b.Span = p.span(open.Pos())
	return b
}

// blockStmt parses a block with a scope of its own.
func (p *parser) blockStmt() *Block {
	p.pushScope()
	b := p.body()
	p.popScope()
	return b
}

func isLabel(s Stmt) bool {
	switch s.(type) {
	case *LabelStmt, *CaseStmt:
		return true
	}
	return false
}

// stmtInto parses one statement, or skips text that is not a statement, and appends it.
func (p *parser) stmtInto(out *[]Stmt) {
	start := p.i
	if !p.try(func() { *out = append(*out, p.stmts()...) }) {
		p.syncStmt(start)
	}
	if p.i == start && p.tok.Kind != cpp.EOF && !p.is("}") {
		p.next()
	}
}

// substmt parses the statement that if, for and while govern. Labels and
// declarations of several nodes, which the tree has as statements of their
// own, come in a block.
func (p *parser) substmt() Stmt {
	if p.is("{") {
		return p.blockStmt()
	}
	if p.is("}") || p.tok.Kind == cpp.EOF {
		p.errorTok(CodeExpected, "expected a statement, found %s", describe(p.tok))
		return &EmptyStmt{p.span(p.tok.Pos())}
	}
	p.pushScope()
	defer p.popScope()
	from := p.tok.Pos()
	var list []Stmt
	for {
		p.stmtInto(&list)
		if n := len(list); n == 0 || !isLabel(list[n-1]) || p.is("}") || p.tok.Kind == cpp.EOF {
			break
		}
	}
	switch len(list) {
	case 0:
		return &EmptyStmt{p.span(from)}
	case 1:
		if !isLabel(list[0]) {
			return list[0]
		}
		list = append(list, &EmptyStmt{p.span(p.prevEnd)})
	}
	return &Block{p.span(from), list}
}

// stmts parses one statement; a typedef of several names gives several.
func (p *parser) stmts() []Stmt {
	p.enter()
	defer p.leave()
	if p.isAttribute(0) {
		var out []Stmt
		p.attributed("a statement", func() (made []Node) {
			out = p.stmts()
			for _, s := range out {
				made = append(made, s)
			}
			return made
		})
		return out
	}
	if p.isDeclStmt() {
		return p.declStmt()
	}
	if s := p.stmt(); s != nil {
		return []Stmt{s}
	}
	return nil
}

// isDeclStmt reports whether a declaration begins here and not an expression.
func (p *parser) isDeclStmt() bool {
	if p.tok.Kind == cpp.Keyword {
		return isDeclWord(p.tok.Text()) || isTypeWord(p.tok.Text()) && !p.isConversion()
	}
	if p.tok.Kind != cpp.Ident {
		return false
	}
	next := p.peek(1)
	sameLine := p.dialect == CUDA || !next.StartsLine()
	if p.isTypeName(p.tok) {
		switch {
		case next.Kind == cpp.Ident:
			return sameLine
		case next.Kind == cpp.Keyword:
			return isDeclWord(next.Text())
		case p.peekIs(1, "("):
			return p.peekIs(2, "*") && !p.isConversion()
		}
		return p.peekIs(1, "*") || p.peekIs(1, "&") || p.peekIs(1, "<")
	}
	// An unknown type: foo x; foo *x = ...; the declaration will say so.
	if next.Kind == cpp.Ident && sameLine {
		return !p.isIrGLWord()
	}
	if _, declared := p.lookup(p.tok.Text()); !declared && p.peekIs(1, "*") && p.peek(2).Kind == cpp.Ident {
		return p.peekIs(3, "=") || p.dialect == CUDA && p.peekIs(3, ";")
	}
	return false
}

// isConversion reports whether T( begins a conversion used as a statement and
// not a declaration such as T (*f)(int).
func (p *parser) isConversion() bool {
	return p.peekIs(1, "(") && !(p.peekIs(2, "*") && p.peek(3).Kind == cpp.Ident && (p.peekIs(4, ")") || p.peekIs(4, "[")))
}

// declStmt parses a declaration in a function.
func (p *parser) declStmt() []Stmt {
	s := p.declSpecs(true)
	if s.base == nil {
		p.errorTok(CodeDecl, "expected a type in a declaration, found %s", describe(p.tok))
		p.fail()
	}
	var out []Stmt
	add := func(d Decl) { out = append(out, d.(Stmt)) }
	if p.is(";") {
		for _, d := range p.tagOnly(s) {
			add(d)
		}
		return out
	}
	if s.bounds != nil || s.cluster != nil {
		p.noFunctionSpecs(s, "variable")
	}
	p.declarators(s, false, add)
	return out
}

// stmt parses a statement that is not a declaration.
func (p *parser) stmt() Stmt {
	from := p.tok.Pos()
	switch {
	case p.is("{"):
		return p.blockStmt()
	case p.is(";"):
		p.next()
		return &EmptyStmt{p.span(from)}
	case p.tok.Kind == cpp.Unroll:
		return p.unrolled()
	case p.tok.Kind == cpp.Keyword:
		return p.keywordStmt()
	case p.tok.Kind == tokDefine:
		p.errorHint(CodeMisplaced, "move it out of the function", "a #define must be at file level")
		p.fail()
	case p.tok.Kind == cpp.Ident && p.peekIs(1, ":") && !p.peekIs(1, "::"):
		label := &LabelStmt{Name: p.ident("a label")}
		p.next()
		label.Span = p.span(from)
		return label
	case p.is(")") || p.is("]"):
		p.errorTok(CodeUnopened, "`%s` closes nothing", p.tok.Text())
		p.fail()
	}
	if p.tok.Kind == cpp.Ident {
		if s := p.irglStmt(); s != nil {
			return s
		}
	}
	return p.exprStmt()
}

// exprStmt parses an expression used as a statement.
func (p *parser) exprStmt() Stmt {
	x := p.expr()
	if a, ok := x.(*AssignExpr); ok && a.Op == "=" && p.dialect == IrGL {
		if id, ok := a.L.(*Ident); ok {
			if isType, declared := p.lookup(id.Name); !declared || isType {
				p.declare(id, false)
			}
		}
	}
	from := x.Pos()
	p.endStmt("an expression")
	return &ExprStmt{p.span(from), x}
}

// endStmt consumes the end of a statement: a semicolon, or in IrGL the end of
// the line.
func (p *parser) endStmt(what string) { p.endDecl(what) }

// keywordStmt parses a statement that a keyword begins.
func (p *parser) keywordStmt() Stmt {
	from := p.tok.Pos()
	switch word := p.tok.Text(); word {
	case "if":
		return p.ifStmt()
	case "for":
		return p.forStmt()
	case "while":
		p.next()
		s := &WhileStmt{Cond: p.condition("while")}
		s.Body = p.substmt()
		s.Span = p.span(from)
		return s
	case "do":
		return p.doStmt()
	case "switch":
		p.next()
		s := &SwitchStmt{X: p.condition("switch")}
		s.Body = p.blockStmt()
		s.Span = p.span(from)
		return s
	case "case", "default":
		p.next()
		s := &CaseStmt{}
		if word == "case" {
			s.Value = p.assign()
		}
		if !p.got(":") {
			p.missing(":", "after "+word)
			p.fail()
		}
		s.Span = p.span(from)
		return s
	case "return":
		p.next()
		s := &ReturnStmt{}
		if !p.is(";") && !p.is("}") && !(p.dialect == IrGL && p.tok.StartsLine()) {
			s.X = p.expr()
		}
		p.endStmt("return")
		s.Span = p.span(from)
		return s
	case "break", "continue":
		p.next()
		p.endStmt(word)
		if word == "break" {
			return &BreakStmt{p.span(from)}
		}
		return &ContinueStmt{p.span(from)}
	case "goto":
		return p.gotoStmt()
	case "else":
		p.errorTok(CodeExpected, "this else follows no if")
		p.next()
		return p.substmt()
	case "using", "namespace", "template", "class":
		var none []Decl
		p.cxxDecl(&none)
		return nil
	case "asm", "__asm__", "__asm":
		return p.asmStmt()
	case "try", "static_assert", "_Static_assert", "throw":
		p.refuse("`"+word+"`", "")
	}
	return p.exprStmt()
}

func (p *parser) gotoStmt() Stmt {
	from := p.tok.Pos()
	p.next()
	if p.tok.Kind != cpp.Ident {
		p.errorTok(CodeLabel, "expected a label after goto, found %s", describe(p.tok))
		p.fail()
	}
	s := &GotoStmt{Name: p.ident("a label")}
	p.endStmt("goto")
	s.Span = p.span(from)
	return s
}

// condition parses (x) after a keyword. When x is malformed it is skipped, so
// that the statement it governs is still read.
func (p *parser) condition(word string) (x Expr) {
	p.header(word, func() { x = p.expr() })
	if x == nil {
		x = &Ident{p.span(p.prevEnd), "_"}
	}
	return x
}

// header parses the bracket after a keyword, with inner for its content.
func (p *parser) header(word string, inner func()) {
	if !p.got("(") {
		p.missing("(", "after "+word)
		p.fail()
	}
	if !p.try(func() { inner(); p.expect(")", "after the head of "+word) }) {
		p.syncParen()
	}
}

func (p *parser) ifStmt() Stmt {
	from := p.tok.Pos()
	p.next()
	if p.is("constexpr") {
		p.errorHint(CodeCxx, "write if", "`if constexpr` is C++; this compiler takes C99 with CUDA's qualifiers")
		p.next()
	}
	s := &IfStmt{Cond: p.condition("if")}
	s.Then = p.substmt()
	if word := p.tok; p.got("else") {
		s.ElseWord = Span{word.Pos(), word.End()}
		s.Else = p.substmt()
	}
	s.Span = p.span(from)
	return s
}

func (p *parser) doStmt() Stmt {
	from := p.tok.Pos()
	p.next()
	s := &WhileStmt{Do: true, Body: p.substmt()}
	if !p.got("while") {
		p.missing("while", "after the body of do")
		p.fail()
	}
	s.Cond = p.condition("while")
	p.endStmt("do ... while")
	s.Span = p.span(from)
	return s
}

// forStmt parses C's for, and IrGL's for (x In iter).
func (p *parser) forStmt() Stmt {
	if p.dialect == IrGL && p.peekIs(1, "(") && p.peek(2).Kind == cpp.Ident && p.peek(3).Kind == cpp.Ident && p.peek(3).Text() == "In" {
		return p.forAll(true)
	}
	from := p.tok.Pos()
	p.next()
	p.pushScope()
	defer p.popScope()
	s := &ForStmt{}
	p.header("for", func() { p.forHead(s) })
	s.Body = p.substmt()
	s.Span = p.span(from)
	return s
}

func (p *parser) forHead(s *ForStmt) {
	switch {
	case p.got(";"):
	case p.isDeclStmt():
		list := p.declStmt()
		if len(list) == 0 { // reported, as in for (int;;)
			break
		}
		vars, ok := list[0].(*VarDecls)
		if !ok || len(list) != 1 {
			p.errorAt(list[0].Pos(), list[0].End(), CodeUnsupported, "a type cannot be declared in the head of for")
			p.fail()
		}
		for _, v := range vars.Vars {
			if p.is(":") {
				p.errorAt(v.Pos(), v.End(), CodeCxx, "a for over a range is C++")
			}
		}
		s.Init = vars
	default:
		x := p.expr()
		if a, ok := x.(*AssignExpr); ok && p.dialect == IrGL {
			if id, ok := a.L.(*Ident); ok {
				if _, declared := p.lookup(id.Name); !declared {
					p.declare(id, false)
				}
			}
		}
		p.expect(";", "after the first part of for")
		s.Init = &ExprStmt{p.span(x.Pos()), x}
	}
	if !p.is(";") {
		s.Cond = p.expr()
	}
	p.expect(";", "after the condition of for")
	if !p.is(")") {
		s.Post = p.expr()
	}
}

// unrolled parses #pragma unroll and the loop it is for.
func (p *parser) unrolled() Stmt {
	t := p.tok
	p.next()
	n := -1
	if t.Text() != "" {
		v, err := strconv.Atoi(t.Text())
		if err != nil || v < 1 {
			p.diags.Warnf(t.Pos(), t.End(), cpp.CodePragma, "the count of #pragma unroll is not a positive number; it is ignored")
		} else {
			n = v
		}
	}
	if !p.is("for") {
		p.diags.Warnf(t.Pos(), t.End(), cpp.CodePragma, "no for loop follows this #pragma unroll; it is ignored")
		return nil
	}
	s := p.forStmt()
	if f, ok := s.(*ForStmt); ok {
		f.Unroll, f.Pragma = n, Span{t.Pos(), t.End()}
	}
	return s
}
