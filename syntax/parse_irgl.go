package syntax

import (
	"strings"

	"irgl/internal/source"
)

// The words of IrGL are names, not keywords, so that a C function may use
// them: each is recognised by what follows it.

// isIrGLWord reports whether the current name is a word of IrGL's statements
// that a name may follow.
func (p *parser) isIrGLWord() bool {
	switch p.tok.text {
	case "Iterate", "Invoke", "Pipe", "Retry", "Respawn", "Kernel", "Host", "Graph", "Mesh":
		return true
	}
	return false
}

// irglDecl parses a Graph, a Mesh, Names, a CBlock, a Kernel or a Host function.
func (p *parser) irglDecl() Decl {
	from := p.tok.pos()
	switch p.tok.text {
	case "Graph":
		return p.graphDecl()
	case "Mesh":
		return p.meshDecl()
	case "CBlock":
		return p.cBlock()
	case "Names":
		p.next()
		d := &NamesDecl{}
		d.Names = p.nameList("a name that the C text has")
		for _, n := range d.Names {
			p.declare(n, false)
		}
		p.endDecl("Names")
		d.Span = p.span(from)
		return d
	}
	f := &FuncDecl{Kind: KernelFunc}
	what := "a kernel's name"
	if p.isWord("Host") {
		f.Kind, what = HostFunc, "a host function's name"
	}
	p.next()
	if f.Kind == KernelFunc && p.is("__launch_bounds__") {
		f.Bounds = p.launchBounds()
	}
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
	p.members("graph", func() { p.member(&g.Requires, &g.Props, &g.Racy, false) })
	g.Span = p.span(from)
	return g
}

// meshDecl parses Mesh name { ... }.
func (p *parser) meshDecl() Decl {
	from := p.tok.pos()
	p.next()
	m := &MeshDecl{Name: p.ident("the mesh's name")}
	p.declare(m.Name, false)
	p.members("mesh", func() { p.member(&m.Requires, &m.Props, &m.Racy, true) })
	m.Span = p.span(from)
	return m
}

// nameList parses names with commas between them.
func (p *parser) nameList(what string) []*Ident {
	list := []*Ident{p.ident(what)}
	for p.got(",") {
		list = append(list, p.ident(what))
	}
	return list
}

// members parses the lines of a Graph or a Mesh in their braces.
func (p *parser) members(what string, line func()) {
	open := p.tok
	if !p.got("{") {
		p.missing("{", "after the "+what+"'s name")
		p.fail()
	}
	for p.tok.kind != tokEOF && !p.is("}") && !p.startsFunction() {
		start := p.i
		if !p.try(line) {
			p.syncStmt(start)
		}
		if p.i == start {
			p.next()
		}
	}
	p.closeBrace(open)
}

// member parses one line of a Graph or a Mesh.
func (p *parser) member(requires *[]*Ident, props *[]*PropDecl, racy *[]*RacyDecl, mesh bool) {
	from := p.tok.pos()
	switch {
	case p.got(";"):
	case p.gotWord("Requires"):
		*requires = append(*requires, p.nameList("a requirement, such as weights")...)
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
		*racy = append(*racy, r)
	default:
		*props = append(*props, p.property(from, mesh)...)
	}
}

// property parses Node int a = 1; and Output Edge float b;
func (p *parser) property(from source.Pos, mesh bool) []*PropDecl {
	output := p.gotWord("Output")
	of, other, all := NodeDomain, EdgeDomain, "Node, Edge, Requires or Racy"
	if mesh {
		of, other, all = PointDomain, ElementDomain, "Point, Element, Requires or Racy"
	}
	switch {
	case p.isWord(of.String()):
	case p.isWord(other.String()):
		of = other
	default:
		d := p.errorTok(CodeGraph, "expected %s, found %s", all, p.tok.describe())
		if p.startsType(p.tok) {
			d.Hint = of.String() + " " + p.tok.text + " ... declares one value per " + strings.ToLower(of.String())
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
	var props []*PropDecl
	for {
		d := p.declarator(true)
		prop := &PropDecl{Output: output, Of: of, Type: d.apply(p, s, s.base), Name: d.name}
		if p.got("=") {
			prop.Init = p.initializer()
		}
		prop.Span = p.span(from)
		props = append(props, prop)
		if !p.is(",") {
			break
		}
		p.next()
		from = p.tok.pos()
	}
	p.endDecl("a property")
	props[len(props)-1].To = p.prevEnd
	return props
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
	case word == "Exclusive" && p.peekIs(1, "("):
		return p.exclusive()
	case (word == "SyncRunningThreads" || word == "LocalBarrier") && (p.peekIs(1, "(") || p.peekIs(1, ";") || p.peekIs(1, "}") || next.startsLine()):
		return p.barrier()
	case word == "CBlock" && next.kind == tokString:
		return p.cBlock()
	}
	return nil
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
	s.Body, s.Else = p.bodyElse()
	s.Span = p.span(from)
	return s
}

// bodyElse parses the blocks of an Atomic or Exclusive; the second is nil when
// there is no Else.
func (p *parser) bodyElse() (body, other *Block) {
	body = p.blockStmt()
	if p.isWord("Else") && !p.peekIs(1, "=") {
		p.next()
		other = p.blockStmt()
	}
	return body, other
}

// exclusive parses Exclusive (object, size, array, ...) { ... } [Else { ... }],
// where array[low : high : step] may stand for a size and an array.
func (p *parser) exclusive() Stmt {
	from := p.tok.pos()
	p.next()
	s := &ExclusiveStmt{}
	p.header("Exclusive", func() {
		s.Object = p.assign()
		for p.got(",") {
			s.Locks = append(s.Locks, p.lockList())
		}
		if len(s.Locks) == 0 {
			p.errorTok(CodeExpected, "expected what to lock after the object, found %s", p.tok.describe()).Hint =
				"as in: Exclusive (mesh, size, array) { ... }"
			p.fail()
		}
	})
	if s.Object == nil {
		s.Object = &Ident{p.span(p.prevEnd), "_"}
	}
	s.Body, s.Else = p.bodyElse()
	s.Span = p.span(from)
	return s
}

// lockList parses a slice, or a size and an array.
func (p *parser) lockList() *SliceExpr {
	from := p.tok.pos()
	x := p.assign()
	if s, ok := x.(*SliceExpr); ok && (s.Low != nil || s.Step != nil) {
		return s
	} else if ok {
		s.Low = &BasicLit{s.Span, IntLit, "0"} // array[ : n] is one with its size otherwise
		return s
	}
	p.expect(",", "and the array after the number of its elements")
	s := &SliceExpr{High: x, X: p.assign()}
	s.Span = p.span(from)
	return s
}

// barrier parses SyncRunningThreads() and LocalBarrier(); the parentheses may
// be left out, as the paper's text does.
func (p *parser) barrier() Stmt {
	from, word := p.tok.pos(), p.tok.text
	p.next()
	if p.got("(") {
		p.expect(")", "after "+word+"(")
	}
	p.endStmt(word)
	return &BarrierStmt{p.span(from), word == "LocalBarrier"}
}

// cBlock parses CBlock "text" Reads (a, b) Writes (c).
func (p *parser) cBlock() *CBlock {
	from := p.tok.pos()
	p.next()
	b := &CBlock{}
	if text, err := ParseString(p.literal().(*BasicLit).Text); err == nil {
		b.Text = text
	}
	for _, part := range []struct {
		word string
		list *[]*Ident
	}{{"Reads", &b.Reads}, {"Writes", &b.Writes}} {
		if p.gotWord(part.word) {
			p.expect("(", "after "+part.word)
			if !p.is(")") {
				*part.list = p.nameList("the name of a property or variable")
			}
			p.expect(")", "after the names")
		}
	}
	p.endStmt("CBlock")
	b.Span = p.span(from)
	return b
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
	s := &RetryStmt{Respawn: word == "Respawn"}
	if next := p.peek(1); word == "Retry" && p.isWord("Merge") && !next.startsLine() && (next.kind == tokIdent || next.kind == tokNumber || next.text == "(") {
		s.Merge = true
		p.next()
	}
	s.Item = p.assign()
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

// initial parses Initial [a, b] [Size (n)], if it is there.
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
	if p.isWord("Size") && p.peekIs(1, "(") {
		p.next()
		w.Size = p.condition("Size")
	}
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
