package analysis

import (
	"irgl/internal/check"
	"irgl/syntax"
)

// This file makes the graph of a function's body.

// A dangling is an edge whose target is still to come.
type dangling struct {
	from *Node
	kind EdgeKind
}

// A frame is a loop or switch around a statement, with the jumps that leave it
// or go on to its next iteration.
type frame struct {
	stmt          syntax.Stmt
	isSwitch      bool
	parallel      bool // a ForAll whose iterations ReduceAndReturn ends
	breaks, conts []dangling
}

// A builder makes one graph.
type builder struct {
	info   *check.Info
	fn     *check.FuncInfo
	g      *Graph
	scope  *Scope
	at     []dangling // the ends of what has been built
	frames []*frame
	exits  []dangling
	labels map[string]*Node
	gotos  []goTo
	cases  []*Node // the heads of the switches around the statement
}

// A goTo is a goto whose label may come later.
type goTo struct {
	from *Node
	name string
}

// build returns the graph of fn.
func build(info *check.Info, fn *check.FuncInfo) *Graph {
	b := &builder{
		info: info, fn: fn, labels: map[string]*Node{},
		g: &Graph{Heads: map[syntax.Stmt]*Node{}, Joins: map[syntax.Stmt]*Node{}},
	}
	b.node(Start, nil)
	if fn.Decl.Body != nil {
		b.stmts(fn.Decl.Body)
	}
	b.at = append(b.at, b.exits...)
	b.node(Exit, nil)
	for _, j := range b.gotos {
		if to := b.labels[j.name]; to != nil {
			b.edge(dangling{j.from, Next}, to)
		}
	}
	return b.g
}

// edge adds an edge.
func (b *builder) edge(d dangling, to *Node) {
	e := &Edge{ID: len(b.g.Edges), From: d.from, To: to, Kind: d.kind}
	b.g.Edges = append(b.g.Edges, e)
	d.from.Succs = append(d.from.Succs, e)
	to.Preds = append(to.Preds, e)
}

// node adds a node behind what has been built and goes on from it.
func (b *builder) node(k Kind, s syntax.Stmt, exprs ...syntax.Node) *Node {
	n := &Node{ID: len(b.g.Nodes), Kind: k, Stmt: s, Scope: b.scope}
	for _, x := range exprs {
		if x != nil {
			n.Exprs = append(n.Exprs, x)
		}
	}
	b.g.Nodes = append(b.g.Nodes, n)
	for _, d := range b.at {
		b.edge(d, n)
	}
	b.at = []dangling{{n, Next}}
	if s != nil {
		switch k {
		case Join:
			b.g.Joins[s] = n
		case Post, Do, Initial, Invoke:
		default:
			b.g.Heads[s] = n
		}
	}
	return n
}

// within builds a part of s.
func (b *builder) within(s syntax.Stmt, arm Arm, part func()) {
	b.scope = &Scope{Stmt: s, Arm: arm, Outer: b.scope}
	part()
	b.scope = b.scope.Outer
}

// loop builds the body of a loop or switch and returns its frame.
func (b *builder) loop(f *frame, body func()) *frame {
	b.frames = append(b.frames, f)
	b.within(f.stmt, Body, body)
	b.frames = b.frames[:len(b.frames)-1]
	return f
}

// stmts builds the statements of a block, which may be nil.
func (b *builder) stmts(list *syntax.Block) {
	if list == nil {
		return
	}
	for _, s := range list.Stmts {
		b.stmt(s)
	}
}

// stmt builds one statement; a case a kind.
//
//irgl:flatswitch
//irgl:allnodes Stmt except TypeDecl EmptyStmt AsmStmt
func (b *builder) stmt(s syntax.Stmt) {
	switch s := s.(type) {
	case *syntax.Block:
		b.stmts(s)
	case *syntax.VarDecls:
		var vars []syntax.Node
		for _, v := range s.Vars {
			vars = append(vars, v)
		}
		b.node(Plain, s, vars...)
	case *syntax.ExprStmt:
		b.node(Plain, s, s.X)
	case *syntax.CBlock:
		b.node(Text, s)
	case *syntax.RetryStmt:
		b.node(Retry, s, s.Item)
	case *syntax.BarrierStmt:
		n := b.node(Barrier, s)
		if s.Cond != nil {
			n.Exprs = append(n.Exprs, s.Cond)
		}
	case *syntax.LabelStmt:
		b.labels[s.Name.Name] = b.node(Label, s)
	case *syntax.CaseStmt:
		n := b.node(Case, s)
		if len(b.cases) > 0 {
			b.edge(dangling{b.cases[len(b.cases)-1], Taken}, n)
		}
	case *syntax.IfStmt:
		b.ifStmt(s)
	case *syntax.ForStmt:
		b.forStmt(s)
	case *syntax.WhileStmt:
		b.whileStmt(s)
	case *syntax.SwitchStmt:
		b.switchStmt(s)
	case *syntax.ForAllStmt:
		b.forAll(s)
	case *syntax.AtomicStmt:
		head := b.node(Atomic, s, s.Lock)
		b.arms(head, s, Body, s.Body, s.Else)
		if s.Else == nil {
			for _, e := range head.Succs {
				if e.Kind == False {
					e.Kind = Wait
				}
			}
		}
	case *syntax.ExclusiveStmt:
		head := b.node(Exclusive, s, s.Object)
		for _, l := range s.Locks {
			head.Exprs = append(head.Exprs, l)
		}
		b.arms(head, s, Body, s.Body, s.Else)
	case *syntax.ReturnStmt, *syntax.BreakStmt, *syntax.ContinueStmt, *syntax.GotoStmt, *syntax.ReduceStmt:
		b.jump(s)
	case *syntax.IterateStmt:
		b.iterate(s)
	case *syntax.PipeStmt:
		b.pipe(s)
	}
}

// arms builds the two arms of a branch and their join.
func (b *builder) arms(head *Node, s syntax.Stmt, arm Arm, yes, no syntax.Stmt) {
	b.at = []dangling{{head, True}}
	b.within(s, arm, func() { b.stmt(yes) })
	ends := b.at
	b.at = []dangling{{head, False}}
	if block, ok := no.(*syntax.Block); no != nil && !(ok && block == nil) {
		b.within(s, Else, func() { b.stmt(no) })
	}
	b.at = append(ends, b.at...)
	b.node(Join, s)
}

func (b *builder) ifStmt(s *syntax.IfStmt) {
	b.arms(b.node(If, s, s.Cond), s, Then, s.Then, s.Else)
}

// always reports whether a condition is a constant that holds.
func (b *builder) always(cond syntax.Expr) bool {
	if cond == nil {
		return true
	}
	c := b.info.Consts[cond]
	return c != nil && (c.Int != 0 || c.Float != 0)
}

// leave goes on behind a loop, where its breaks lead: to a node of its own when
// there are any, so that the next loop has one entry.
func (b *builder) leave(f *frame) {
	if len(f.breaks) > 0 {
		b.at = append(b.at, f.breaks...)
		b.node(Join, f.stmt)
	}
}

// round ends the round of a loop that has no step of its own: where continue
// leads, in a node of its own when there is any, so that the rounds have one end.
func (b *builder) round(f *frame) {
	if len(f.conts) > 0 {
		b.at = append(b.at, f.conts...)
		b.within(f.stmt, Body, func() { b.node(Post, f.stmt) })
	}
}

// closeLoop goes back to top and on behind the loop.
func (b *builder) closeLoop(f *frame, top, head *Node, cond syntax.Expr) {
	for _, d := range b.at {
		b.edge(d, top)
	}
	b.at = nil
	if !b.always(cond) {
		b.at = append(b.at, dangling{head, False})
	}
	b.leave(f)
}

func (b *builder) forStmt(s *syntax.ForStmt) {
	if s.Init != nil {
		b.within(s, Init, func() { b.stmt(s.Init) })
	}
	head := b.node(Loop, s, s.Cond)
	b.at = []dangling{{head, True}}
	f := b.loop(&frame{stmt: s}, func() { b.stmt(s.Body) })
	b.at = append(b.at, f.conts...)
	if s.Post != nil {
		b.within(s, Body, func() { b.node(Post, s, s.Post) })
	}
	b.closeLoop(f, head, head, s.Cond)
}

func (b *builder) whileStmt(s *syntax.WhileStmt) {
	if !s.Do {
		head := b.node(Loop, s, s.Cond)
		b.at = []dangling{{head, True}}
		f := b.loop(&frame{stmt: s}, func() { b.stmt(s.Body) })
		b.round(f)
		b.closeLoop(f, head, head, s.Cond)
		return
	}
	top := b.node(Do, s)
	f := b.loop(&frame{stmt: s}, func() { b.stmt(s.Body) })
	b.at = append(b.at, f.conts...)
	head := b.node(Loop, s, s.Cond)
	b.at = []dangling{{head, True}}
	b.closeLoop(f, top, head, s.Cond)
}

func (b *builder) forAll(s *syntax.ForAllStmt) {
	head := b.node(ForAll, s, s.Iter)
	b.at = []dangling{{head, True}}
	parallel := !s.Serial && b.fn.Decl.Kind == syntax.KernelFunc
	f := b.loop(&frame{stmt: s, parallel: parallel}, func() { b.stmts(s.Body) })
	b.round(f)
	for _, d := range b.at {
		b.edge(d, head)
	}
	b.at = []dangling{{head, False}}
	b.leave(f)
}

func (b *builder) switchStmt(s *syntax.SwitchStmt) {
	head := b.node(Switch, s, s.X)
	b.cases = append(b.cases, head)
	b.at = nil
	f := b.loop(&frame{stmt: s, isSwitch: true}, func() { b.stmts(s.Body) })
	b.cases = b.cases[:len(b.cases)-1]
	b.at = append(b.at, f.breaks...)
	other := true
	for _, e := range head.Succs {
		if c, ok := e.To.Stmt.(*syntax.CaseStmt); ok && c.Value == nil {
			other = false
		}
	}
	if other {
		b.at = append(b.at, dangling{head, False})
	}
	b.node(Join, s)
}

// jump builds a statement after which control does not go on.
func (b *builder) jump(s syntax.Stmt) {
	var n *Node
	switch s := s.(type) {
	case *syntax.ReturnStmt:
		n = b.node(Jump, s)
		if s.X != nil {
			n.Exprs = append(n.Exprs, s.X)
		}
	case *syntax.ReduceStmt:
		n = b.node(Reduce, s, s.Value)
	case *syntax.GotoStmt:
		n = b.node(Jump, s)
		b.gotos = append(b.gotos, goTo{n, s.Name.Name})
	default:
		n = b.node(Jump, s)
	}
	b.at = nil
	end := dangling{n, Next}
	for i := len(b.frames) - 1; i >= 0; i-- {
		f := b.frames[i]
		switch s.(type) {
		case *syntax.BreakStmt:
			f.breaks = append(f.breaks, end)
			return
		case *syntax.ContinueStmt:
			if !f.isSwitch {
				f.conts = append(f.conts, end)
				return
			}
		case *syntax.ReduceStmt:
			if f.parallel {
				f.conts = append(f.conts, end)
				return
			}
		}
	}
	if _, ok := s.(*syntax.GotoStmt); !ok {
		b.exits = append(b.exits, end)
	}
}

// initial builds the evaluation of a worklist's first items.
func (b *builder) initial(s syntax.Stmt, w *syntax.WorklistInit) {
	if w == nil {
		return
	}
	n := b.node(Initial, s)
	for _, x := range w.Items {
		n.Exprs = append(n.Exprs, x)
	}
	if w.Size != nil {
		n.Exprs = append(n.Exprs, w.Size)
	}
}

func (b *builder) iterate(s *syntax.IterateStmt) {
	b.within(s, Init, func() { b.initial(s, s.Initial) })
	head := b.node(Iterate, s)
	if s.Extra != nil {
		head.Exprs = append(head.Exprs, s.Extra.Cond)
	}
	b.at = []dangling{{head, True}}
	f := b.loop(&frame{stmt: s}, func() {
		n := b.node(Invoke, s)
		for _, a := range s.Args {
			n.Exprs = append(n.Exprs, a)
		}
		b.stmts(s.Body)
	})
	b.round(f)
	for _, d := range b.at {
		b.edge(d, head)
	}
	b.at = []dangling{{head, False}}
	b.leave(f)
}

func (b *builder) pipe(s *syntax.PipeStmt) {
	b.within(s, Init, func() { b.initial(s, s.Initial) })
	head := b.node(Pipe, s)
	if !s.Once {
		b.at = []dangling{{head, True}}
	}
	f := b.loop(&frame{stmt: s}, func() { b.stmts(s.Body) })
	if s.Once {
		b.at = append(append(b.at, f.conts...), f.breaks...)
		b.node(Join, s)
		return
	}
	b.round(f)
	for _, d := range b.at {
		b.edge(d, head)
	}
	b.at = []dangling{{head, False}}
	b.leave(f)
}
