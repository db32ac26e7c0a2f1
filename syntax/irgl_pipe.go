package syntax

import "irgl/internal/cpp"

// The statements of IrGL that share worklists among invocations of kernels.

// An IterateStmt invokes Kernel until its worklist is empty, or, with
// Cond, while or until the reduction of its ReduceAndReturn holds:
//
//	Iterate BFS(graph, LEVEL) Initial [src] { LEVEL++; }
//	Iterate While Any relax(graph) { rounds++; }
type IterateStmt struct {
	Span
	Cond    TermCond
	Aggr    Aggr
	Kernel  *Ident
	Args    []Expr
	Initial *WorklistInit // nil for none
	Extra   *ExtraCond    // nil for none
	Body    *Block        // run after each invocation; nil for none
}

func (*IterateStmt) stmt() {}

func (n *IterateStmt) visit(p places) {
	one(p, &n.Kernel)
	p.exprs(n.Args)
	one(p, &n.Initial)
	one(p, &n.Extra)
	one(p, &n.Body)
}

// LoopBody returns the block that is executed after each invocation, or nil.
func (n *IterateStmt) LoopBody() Stmt {
	if n.Body == nil {
		return nil
	}
	return n.Body
}

// iterate parses Iterate [While|Until Any|All] K(args) [Initial [...]]
// [And|Or (cond)] [{...}].
func (p *parser) iterate() Stmt {
	from := p.tok.Pos()
	p.next()
	s := &IterateStmt{}
	if (p.isWord("While") || p.isWord("Until")) && !p.peekIs(1, "(") {
		s.Cond = While
		if p.isWord("Until") {
			s.Cond = Until
		}
		p.next()
		if s.Aggr = aggrs[p.tok.Text()]; s.Aggr == NoAggr || p.tok.Kind != cpp.Ident {
			p.errorTok(CodeExpected, "expected Any or All, found %s", describe(p.tok))
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

func (n *IterateStmt) printTo(p *printer) {
	p.str("Iterate ")
	switch n.Cond {
	case While:
		p.str("While " + n.Aggr.String() + " ")
	case Until:
		p.str("Until " + n.Aggr.String() + " ")
	}
	p.str(n.Kernel.Name)
	p.args(n.Args)
	if n.Initial != nil {
		p.str(" ")
		p.initial(n.Initial)
		p.trimSpace()
	}
	if n.Extra != nil {
		if n.Extra.Or {
			p.str(" Or (")
		} else {
			p.str(" And (")
		}
		p.expr(n.Extra.Cond, precComma)
		p.str(")")
	}
	if n.Body == nil {
		p.str(";")
		return
	}
	p.str(" ")
	p.block(n.Body)
}

// A TermCond is how an Iterate's reduction ends it.
type TermCond uint8

const (
	NoCond TermCond = iota
	While           // again while the reduction is true
	Until           // again until it is true
)

// An Aggr is the reduction of a kernel's ReduceAndReturn values.
type Aggr uint8

const (
	NoAggr Aggr = iota
	Any
	All
)

func (a Aggr) String() string { return [...]string{"", "Any", "All"}[a] }

// An ExtraCond is And (Cond) or Or (Cond): the loop goes on while the
// worklist has items and, or or, Cond holds (report, section 4.2).
type ExtraCond struct {
	Span
	Or   bool
	Cond Expr
}

func (n *ExtraCond) visit(p places) { p.expr(&n.Cond) }

// extraCond parses And (cond) or Or (cond), if it is there.
func (p *parser) extraCond() *ExtraCond {
	if !p.isWord("And") && !p.isWord("Or") || !p.peekIs(1, "(") {
		return nil
	}
	if _, declared := p.lookup(p.tok.Text()); declared {
		return nil
	}
	from, word := p.tok.Pos(), p.tok.Text()
	p.next()
	x := &ExtraCond{Or: word == "Or", Cond: p.condition(word)}
	x.Span = p.span(from)
	return x
}

// A PipeStmt shares worklists among the invocations in Body, once or until
// the worklist is empty.
type PipeStmt struct {
	Span
	Once    bool
	Initial *WorklistInit // nil for none
	Body    *Block
}

func (*PipeStmt) stmt()            {}
func (n *PipeStmt) visit(p places) { one(p, &n.Initial); one(p, &n.Body) }

// LoopBody returns the block of the pipe, which Pipe Once executes once.
func (n *PipeStmt) LoopBody() Stmt { return n.Body }

// pipe parses Pipe [Once] [Initial [...]] { ... }.
func (p *parser) pipe() Stmt {
	from := p.tok.Pos()
	p.next()
	s := &PipeStmt{Once: p.gotWord("Once")}
	s.Initial = p.initial()
	s.Body = p.blockStmt()
	s.Span = p.span(from)
	return s
}

func (n *PipeStmt) printTo(p *printer) {
	p.str("Pipe ")
	if n.Once {
		p.str("Once ")
	}
	p.initial(n.Initial)
	p.block(n.Body)
}

// A WorklistInit is Initial [a, b, c] Size (n). An item may be a slice of an
// array, which stands for its elements.
type WorklistInit struct {
	Span
	Items []Expr
	Size  Expr // items for which the lists have room at first; nil when not given
}

func (n *WorklistInit) visit(p places) { p.exprs(n.Items); p.expr(&n.Size) }

// initial parses Initial [a, b] [Size (n)], if it is there.
func (p *parser) initial() *WorklistInit {
	if !p.isWord("Initial") || !p.peekIs(1, "[") {
		if p.isWord("Initial") && p.peekIs(1, "(") {
			p.errorHint(CodeExpected, "write Initial [a, b]", "the items of Initial stand in square brackets")
			p.fail()
		}
		return nil
	}
	from := p.tok.Pos()
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

// initial prints Initial [a, b] Size (n) and a blank.
func (p *printer) initial(w *WorklistInit) {
	if w == nil {
		return
	}
	p.str("Initial [")
	p.exprList(w.Items)
	p.str("] ")
	if w.Size != nil {
		p.str("Size (")
		p.expr(w.Size, precComma)
		p.str(") ")
	}
}
