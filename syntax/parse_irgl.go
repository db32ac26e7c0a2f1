package syntax

import "irgl/internal/source"

// The words of IrGL are names, not keywords, so that a C function may use
// them: each is recognised by what follows it.

// reserved are the statements of the papers that later versions will have.
var reserved = set("Exclusive", "SyncRunningThreads", "LocalBarrier")

// isIrGLWord reports whether the current name is a word of IrGL's statements
// that a name may follow.
func (p *parser) isIrGLWord() bool {
	switch p.tok.text {
	case "Iterate", "Invoke", "Pipe", "Retry", "Respawn", "Kernel", "Host", "Graph":
		return true
	}
	return false
}

// irglDecl parses a Graph, a Kernel or a Host function.
func (p *parser) irglDecl() Decl {
	if p.isWord("Graph") {
		return p.graphDecl()
	}
	from := p.tok.pos()
	f := &FuncDecl{Kind: KernelFunc}
	what := "a kernel's name"
	if p.isWord("Host") {
		f.Kind, what = HostFunc, "a host function's name"
	}
	p.next()
	f.Name = p.ident(what)
	p.declare(f.Name, false)
	p.pushScope()
	defer p.popScope()
	f.Params = p.irglParams(f.Kind)
	f.Body = p.body()
	f.Span = p.span(from)
	return f
}

// irglParams parses the parameters of a Kernel or a Host function; when they
// are malformed the rest of them is skipped, so that the body is still read.
func (p *parser) irglParams(kind FuncKind) []*Param {
	params := []*Param{}
	p.header("the name", func() {
		if p.is("void") && p.peekIs(1, ")") {
			p.next()
		}
		for !p.is(")") {
			params = append(params, p.irglParam(kind))
			if !p.is(")") {
				p.expect(",", "or `)` after a parameter")
			}
		}
	})
	for _, param := range params {
		p.declare(param.Name, false)
	}
	return params
}

func (p *parser) irglParam(kind FuncKind) *Param {
	from := p.tok.pos()
	param := &Param{}
	if kind == KernelFunc && p.tok.kind == tokIdent && (p.peekIs(1, ",") || p.peekIs(1, ")")) {
		param.Name = p.ident("a parameter")
		param.Span = p.span(from)
		return param
	}
	s := p.declSpecs(true)
	if s.base == nil {
		d := p.errorTok(CodeParam, "expected a parameter, found %s", p.tok.describe())
		if kind == HostFunc && p.tok.kind == tokIdent {
			d.Hint = "a host function's parameter needs a type"
		}
		p.fail()
	}
	p.noFunctionSpecs(s, "parameter")
	d := p.declarator(true)
	param.Type, param.Name = d.apply(p, s, s.base), d.name
	if p.got("=") {
		param.Default = p.assign()
		if kind == KernelFunc {
			p.cxxDefault(param.Default)
		}
	}
	param.Span = p.span(from)
	return param
}

// graphDecl parses Graph name { ... }.
func (p *parser) graphDecl() Decl {
	from := p.tok.pos()
	p.next()
	g := &GraphDecl{Name: p.ident("the graph's name")}
	p.declare(g.Name, false)
	open := p.tok
	if !p.got("{") {
		p.missing("{", "after the graph's name")
		p.fail()
	}
	for p.tok.kind != tokEOF && !p.is("}") && !p.startsFunction() {
		start := p.i
		if !p.try(func() { p.graphMember(g) }) {
			p.syncStmt(start)
		}
		if p.i == start {
			p.next()
		}
	}
	p.closeBrace(open)
	g.Span = p.span(from)
	return g
}

// graphMember parses one line of a Graph.
func (p *parser) graphMember(g *GraphDecl) {
	from := p.tok.pos()
	switch {
	case p.got(";"):
	case p.gotWord("Requires"):
		for {
			g.Requires = append(g.Requires, p.ident("a requirement, such as weights"))
			if !p.got(",") {
				break
			}
		}
		p.endDecl("Requires")
	case p.gotWord("Racy"):
		r := &RacyDecl{Name: p.ident("a property's name")}
		if p.tok.kind != tokString {
			p.errorTok(CodeExpected, "expected the reason in quotes, found %s", p.tok.describe()).Hint = `as in: Racy dist "every writer stores the same value";`
			p.fail()
		}
		reason, err := ParseString(p.literal().(*BasicLit).Text)
		if err == nil {
			r.Reason = reason
		}
		p.endDecl("Racy")
		r.Span = p.span(from)
		g.Racy = append(g.Racy, r)
	default:
		p.property(g, from)
	}
}

// property parses Node int a = 1; and Output Edge float b;
func (p *parser) property(g *GraphDecl, from source.Pos) {
	output := p.gotWord("Output")
	edge := p.isWord("Edge")
	if !edge && !p.isWord("Node") {
		d := p.errorTok(CodeGraph, "expected Node, Edge, Requires or Racy, found %s", p.tok.describe())
		if p.startsType(p.tok) {
			d.Hint = "Node " + p.tok.text + " ... declares one value per node"
		}
		p.fail()
	}
	p.next()
	s := p.declSpecs(true)
	if s.base == nil {
		p.errorTok(CodeDecl, "expected a property's type, found %s", p.tok.describe())
		p.fail()
	}
	p.noFunctionSpecs(s, "property")
	for {
		d := p.declarator(true)
		prop := &PropDecl{Output: output, Edge: edge, Type: d.apply(p, s, s.base), Name: d.name}
		if p.got("=") {
			prop.Init = p.initializer()
		}
		prop.Span = p.span(from)
		g.Props = append(g.Props, prop)
		if !p.is(",") {
			break
		}
		p.next()
		from = p.tok.pos()
	}
	p.endDecl("a property")
	g.Props[len(g.Props)-1].To = p.prevEnd
}

// define parses #define NAME value, as directives prepared it.
func (p *parser) define() Decl {
	from := p.tok.pos()
	p.next()
	d := &DefineDecl{Name: p.ident("a name after #define")}
	p.declare(d.Name, false)
	d.Value = p.expr()
	if p.tok.kind != tokLineEnd {
		p.errorTok(CodeMalformed, "expected the end of the line after #define, found %s", p.tok.describe())
		p.fail()
	}
	d.Span = p.span(from)
	p.next()
	return d
}

// irglStmt parses a statement that a word of IrGL begins, or returns nil and
// consumes nothing.
func (p *parser) irglStmt() Stmt {
	next := p.peek(1)
	name := next.kind == tokIdent
	word := p.tok.text
	if p.dialect == CUDA {
		if word == "ForAll" && p.peekIs(1, "(") && p.peek(3).text == "In" || word == "Iterate" && name || word == "Pipe" && p.peekIs(1, "{") {
			p.errorTok(CodeDialect, "%s is a statement of .irgl files", word)
			p.fail()
		}
		return nil
	}
	if _, declared := p.lookup(word); declared {
		return nil
	}
	switch {
	case word == "ForAll" && p.peekIs(1, "("):
		return p.forAll(false)
	case word == "ReduceAndReturn" && p.peekIs(1, "("):
		from := p.tok.pos()
		p.next()
		s := &ReduceStmt{Value: p.condition(word)}
		p.endStmt(word)
		s.Span = p.span(from)
		return s
	case word == "Iterate" && name:
		return p.iterate()
	case word == "Pipe" && (name || p.peekIs(1, "{")):
		return p.pipe()
	case word == "Atomic" && p.peekIs(1, "("):
		return p.atomic()
	case (word == "Retry" || word == "Respawn") && (name || next.kind == tokNumber || p.peekIs(1, "(") || p.peekIs(1, ";") || p.peekIs(1, "}") || next.startsLine()):
		return p.retry()
	case reserved[word] && (name || p.peekIs(1, "(") || p.peekIs(1, ";") || next.startsLine()):
		return p.reservedStmt()
	}
	return nil
}

// reservedStmt reports a statement of a later version and skips it, with the
// blocks it has.
func (p *parser) reservedStmt() Stmt {
	from, word := p.tok.pos(), p.tok.text
	p.errorTok(CodeReserved, "%s is not part of this version", word)
	p.next()
	if p.is("(") {
		p.args()
	}
	if !p.is("{") {
		p.endStmt(word)
		return &EmptyStmt{p.span(from)}
	}
	b := p.blockStmt()
	if p.isWord("Else") || p.is("else") {
		p.next()
		p.blockStmt()
	}
	return b
}

// forAll parses ForAll (x In iter) { ... }, and the serial form with for.
func (p *parser) forAll(serial bool) Stmt {
	from := p.tok.pos()
	word := p.tok.text
	p.next()
	s := &ForAllStmt{Serial: serial}
	p.header(word, func() {
		s.Var = p.ident("a variable")
		if !p.gotWord("In") {
			p.errorTok(CodeExpected, "expected In after the variable of %s, found %s", word, p.tok.describe())
			p.fail()
		}
		s.Iter = p.expr()
	})
	if s.Var == nil {
		s.Var = &Ident{p.span(p.prevEnd), "_"}
	}
	if s.Iter == nil {
		s.Iter = &Ident{p.span(p.prevEnd), "_"}
	}
	p.pushScope()
	p.declare(s.Var, false)
	s.Body = p.body()
	p.popScope()
	s.Span = p.span(from)
	return s
}

// atomic parses Atomic (lock) { ... } [Else { ... }]. C's else is none of it:
// that one belongs to an if around the statement.
func (p *parser) atomic() Stmt {
	from := p.tok.pos()
	p.next()
	s := &AtomicStmt{Lock: p.condition("Atomic")}
	s.Body = p.blockStmt()
	if p.isWord("Else") && !p.peekIs(1, "=") {
		p.next()
		s.Else = p.blockStmt()
	}
	s.Span = p.span(from)
	return s
}

// retry parses Retry item and Respawn item.
func (p *parser) retry() Stmt {
	from, word := p.tok.pos(), p.tok.text
	if item := p.peek(1); p.peekIs(1, ";") || p.peekIs(1, "}") || item.startsLine() {
		p.errorAt(from, p.tok.end(), CodeExpected, "expected an item after %s", word)
		p.next()
		p.endStmt(word)
		return &EmptyStmt{p.span(from)}
	}
	p.next()
	s := &RetryStmt{Respawn: word == "Respawn", Item: p.assign()}
	p.endStmt(word)
	s.Span = p.span(from)
	return s
}

// iterate parses Iterate [While|Until Any|All] K(args) [Initial [...]]
// [And|Or (cond)] [{...}].
func (p *parser) iterate() Stmt {
	from := p.tok.pos()
	p.next()
	s := &IterateStmt{}
	if (p.isWord("While") || p.isWord("Until")) && !p.peekIs(1, "(") {
		s.Cond = While
		if p.isWord("Until") {
			s.Cond = Until
		}
		p.next()
		if s.Aggr = aggrs[p.tok.text]; s.Aggr == NoAggr || p.tok.kind != tokIdent {
			p.errorTok(CodeExpected, "expected Any or All, found %s", p.tok.describe())
			p.fail()
		}
		p.next()
	}
	s.Kernel = p.ident("a kernel's name")
	s.Args = p.args()
	s.Initial = p.initial()
	s.Extra = p.extraCond()
	if p.is("{") {
		s.Body = p.blockStmt()
	} else {
		p.endStmt("Iterate")
	}
	s.Span = p.span(from)
	return s
}

// extraCond parses And (cond) or Or (cond), if it is there.
func (p *parser) extraCond() *ExtraCond {
	if !p.isWord("And") && !p.isWord("Or") || !p.peekIs(1, "(") {
		return nil
	}
	if _, declared := p.lookup(p.tok.text); declared {
		return nil
	}
	from, word := p.tok.pos(), p.tok.text
	p.next()
	x := &ExtraCond{Or: word == "Or", Cond: p.condition(word)}
	x.Span = p.span(from)
	return x
}

// initial parses Initial [a, b], if it is there.
func (p *parser) initial() *WorklistInit {
	if !p.isWord("Initial") || !p.peekIs(1, "[") {
		if p.isWord("Initial") && p.peekIs(1, "(") {
			p.errorHint(CodeExpected, "write Initial [a, b]", "the items of Initial stand in square brackets")
			p.fail()
		}
		return nil
	}
	from := p.tok.pos()
	p.next()
	p.next()
	w := &WorklistInit{}
	for !p.is("]") {
		w.Items = append(w.Items, p.assign())
		if !p.is("]") {
			p.expect(",", "or `]` after an item")
		}
	}
	p.next()
	w.Span = p.span(from)
	return w
}

// pipe parses Pipe [Once] [Initial [...]] { ... }.
func (p *parser) pipe() Stmt {
	from := p.tok.pos()
	p.next()
	s := &PipeStmt{Once: p.gotWord("Once")}
	s.Initial = p.initial()
	s.Body = p.blockStmt()
	s.Span = p.span(from)
	return s
}
