package analysis

import (
	"fmt"
	"slices"
	"strings"

	"irgl/internal/check"
	"irgl/syntax"
)

// This file finds the loads of a loop over edges that can be issued for several
// iterations at once, before any of them has a side effect. The iterations of a
// ForAll are independent, so only what its own iteration did before can forbid
// a load; those of a serial for come in order, so that nothing in the
// loop may write what is loaded.

// A LoadKind says what a [Load] reads.
type LoadKind uint8

// The kinds of loads. The address of an OuterProp does not depend on the edge,
// that of a Chain on another value loaded from memory.
const (
	LoadDst LoadKind = iota // e.dst
	LoadWeight
	EdgeProp  // e.p
	DstProp   // e.dst.p
	DstDegree // e.dst.degree: two row bounds
	OuterProp
	Chain
)

func (k LoadKind) String() string {
	return [...]string{"dst", "weight", "edge property", "property of dst", "degree of dst", "property of another", "chain"}[k]
}

// A Load is one place of a loop's body that reads memory.
type Load struct {
	Kind   LoadKind
	Expr   *syntax.MemberExpr
	Object *check.Object // the property; nil for dst, weight and degree
	Node   *Node
	// Maybe marks one that not every iteration reads. Reading it all the same
	// does no harm: its address is valid.
	Maybe  bool
	Reason string // why it cannot be issued early; empty when it can
}

// A Batch is what is known of one loop over edges.
type Batch struct {
	Loop  *syntax.ForAllStmt
	OK    bool
	Why   string // when not OK
	Loads []Load // in order; repeats of an early one left out
	// Sites are the pushes that one reservation for the batch can serve: those
	// directly in the loop that happen at most once an iteration.
	Sites []*Site
}

// Early returns the loads that can be issued for several iterations at once.
func (b *Batch) Early() []Load {
	var out []Load
	for _, l := range b.Loads {
		if l.Reason == "" {
			out = append(out, l)
		}
	}
	return out
}

// Deferrable returns the sites whose pushes can wait for the end of a batch: statements
// of their own in a ForAll that nothing jumps out of.
func (b *Batch) Deferrable() []*Site {
	if b.Loop.Serial || leaves(b.Loop.Body) {
		return nil
	}
	var out []*Site
	for _, x := range b.Sites {
		if x.Call != nil {
			if s, ok := x.Node.Stmt.(*syntax.ExprStmt); !ok || syntax.Unparen(s.X) != syntax.Expr(x.Call) {
				continue
			}
		}
		out = append(out, x)
	}
	return out
}

// leaves reports whether a jump may lead out of a body.
func leaves(body *syntax.Block) bool {
	found := false
	syntax.Inspect(body, func(n syntax.Node) bool {
		switch n.(type) {
		case *syntax.GotoStmt, *syntax.ReturnStmt:
			found = true
		}
		return !found
	})
	return found
}

// Batches returns the loops over edges of f inside a ForAll, in order of the
// text.
func (f *Func) Batches() []*Batch {
	if f.done.batches {
		return f.batches
	}
	f.done.batches = true
	in := &batching{sites: map[syntax.Stmt][]*Site{}, writes: map[*check.Object]int{}}
	for _, x := range f.Sites() {
		if n := len(x.Loops); n > 0 && x.Kind <= MergeItem && x.Count != Often {
			in.sites[x.Loops[n-1]] = append(in.sites[x.Loops[n-1]], x)
		}
	}
	for _, e := range f.Effects {
		for _, r := range e.Refs {
			if r.Mode&(Write|Escape) != 0 {
				in.writes[r.Object]++
			}
		}
	}
	for _, n := range f.Graph.Nodes {
		s, ok := n.Stmt.(*syntax.ForAllStmt)
		if !ok || n.Kind != ForAll || !f.Dom.Has(n) || !overEdges(f.Info.Types[s.Iter]) || f.Fn.Decl.Kind == syntax.HostFunc {
			continue
		}
		f.batches = append(f.batches, f.batch(s, in))
	}
	return f.batches
}

// EarlyLoads returns what the iterations of a batched loop begin with. What an iteration
// may leave out is loaded only where it lies beside other loads, or with eager: that cuts
// the chain of latencies further, but reads more, each from another place. A property that
// the loop writes is loaded early only if it is declared Racy.
func (f *Func) EarlyLoads(b *Batch, eager bool) []Load {
	var out []Load
	for _, x := range b.Early() {
		far := x.Kind == DstProp || x.Kind == DstDegree || x.Kind == OuterProp
		racy := x.Object == nil || f.Info.Racy[x.Object.Name] != ""
		switch {
		case x.Maybe && far && !(eager && (racy || !slices.Contains(f.Fn.Writes, x.Object))):
			continue // perhaps in vain, and each from another place
		case !racy && f.writtenIn(b.Loop, x):
			continue
		}
		out = append(out, x)
	}
	return out
}

// writtenIn reports whether the loop may write what x loads.
func (f *Func) writtenIn(s *syntax.ForAllStmt, x Load) bool {
	for i, n := range f.Graph.Nodes {
		if !n.Within(s) {
			continue
		}
		for _, r := range f.Effects[i].Refs {
			if r.Mode&(Write|Escape) != 0 && (r.Object == x.Object || r.Object == nil) {
				return true
			}
		}
	}
	return false
}

// overEdges reports whether t is a range of edges.
func overEdges(t check.Type) bool {
	return t == check.Edges || t == check.AllEdges || t == check.InEdges
}

// A batching is what the loops of a function share.
type batching struct {
	sites  map[syntax.Stmt][]*Site // by the innermost loop around them
	writes map[*check.Object]int   // how many references write it or take its address
}

// batch analyses one loop.
func (f *Func) batch(s *syntax.ForAllStmt, in *batching) *Batch {
	b := &Batch{Loop: s}
	edge := f.Info.Defs[s.Var]
	known := f.destinations(s, edge, in)
	for _, n := range f.body(s) {
		if !f.Dom.Has(n) || f.innermostRange(n) != s {
			continue
		}
		if n.Kind == Atomic {
			continue // its lock is changed, not loaded
		}
		for _, x := range n.Exprs {
			f.loads(b, n, x, edge, known)
		}
	}
	b.Sites = in.sites[s]
	b.OK = slices.ContainsFunc(b.Loads, func(l Load) bool { return l.Reason == "" })
	if !b.OK {
		b.Why = "it loads nothing that can be issued early"
	}
	return b
}

// innermostRange returns the innermost loop around n.
func (f *Func) innermostRange(n *Node) syntax.Stmt {
	loops := n.Loops()
	if len(loops) == 0 {
		return nil
	}
	return loops[len(loops)-1]
}

// destinations returns the locals of the body of s that hold the destination of
// the edge and nothing else, like v after: node v = e.dst.
func (f *Func) destinations(s *syntax.ForAllStmt, edge *check.Object, in *batching) map[*check.Object]bool {
	out := map[*check.Object]bool{}
	for _, n := range f.body(s) {
		for _, r := range f.Effects[n.ID].Refs {
			o := r.Object
			if IsLocal(o) && r.Mode&(Write|Escape) != 0 && in.writes[o] == 1 && f.declaredAt(r) && f.givesDst(n, o, edge) {
				out[o] = true
			}
		}
	}
	return out
}

// givesDst reports whether node n declares o with the value e.dst.
func (f *Func) givesDst(n *Node, o, edge *check.Object) bool {
	for _, x := range n.Exprs {
		switch x := x.(type) {
		case *syntax.VarDecl:
			if f.Info.Defs[x.Name] == o {
				return x.Init != nil && f.isDst(x.Init, edge)
			}
		case *syntax.AssignExpr:
			return f.Info.Declares[x] == o && f.isDst(x.R, edge)
		}
	}
	return false
}

// isDst reports whether x is e.dst, or the other end of an element of in_edges.
func (f *Func) isDst(x syntax.Expr, edge *check.Object) bool {
	m, ok := syntax.Unparen(x).(*syntax.MemberExpr)
	return ok && m.Name.Name == farEnd(edge) && f.names(m.X, edge)
}

// farEnd returns the member of the variable of a loop over edges that is the
// other end than the node whose edges they are.
func farEnd(edge *check.Object) string {
	if edge.Type == check.InEdge {
		return "src"
	}
	return "dst"
}

// names reports whether x is the variable o.
func (f *Func) names(x syntax.Expr, o *check.Object) bool {
	id, ok := syntax.Unparen(x).(*syntax.Ident)
	return ok && f.Info.Uses[id] == o
}

// loads notes the loads of x, a part of node n.
func (f *Func) loads(b *Batch, n *Node, x syntax.Node, edge *check.Object, known map[*check.Object]bool) {
	maybe := f.perRound(f.split.node(n), b.Loop) != Once
	f.visitReads(x, maybe, func(m *syntax.MemberExpr, maybe bool) {
		l, ok := f.load(m, b.Loop, edge, known)
		if !ok {
			return
		}
		l.Node, l.Maybe = n, maybe
		if l.Reason == "" {
			l.Reason = f.blocked(b.Loop, n, l)
		}
		same := func(p Load) bool {
			return p.Kind == l.Kind && p.Object == l.Object && p.Reason == "" && p.Expr.Name.Name == l.Expr.Name.Name
		}
		if l.Kind <= DstDegree && l.Reason == "" && slices.ContainsFunc(b.Loads, same) {
			return
		}
		b.Loads = append(b.Loads, l)
	})
}

// visitReads calls f for the members that x reads as values, bases first.
func (f *Func) visitReads(x syntax.Node, maybe bool, visit func(*syntax.MemberExpr, bool)) {
	switch x := x.(type) {
	case *syntax.AssignExpr:
		f.visitReads(x.R, maybe, visit)
		f.visitPlace(x.L, x.Op != "=", maybe, visit)
	case *syntax.PostfixExpr:
		f.visitPlace(x.X, true, maybe, visit)
	case *syntax.UnaryExpr:
		f.visitPlace(x.X, x.Op != "&", maybe, visit)
	case *syntax.MemberExpr:
		f.visitPlace(x, true, maybe, visit)
	case *syntax.BinaryExpr:
		f.visitReads(x.X, maybe, visit)
		f.visitReads(x.Y, maybe || x.Op == "&&" || x.Op == "||", visit)
	case *syntax.CondExpr:
		f.visitReads(x.Cond, maybe, visit)
		f.visitReads(x.Then, true, visit)
		f.visitReads(x.Else, true, visit)
	case *syntax.SizeofExpr, nil:
	case syntax.Expr, *syntax.VarDecl, *syntax.SliceExpr, *syntax.InitElem:
		// The children of other nodes are all evaluated.
		syntax.Inspect(x, func(c syntax.Node) bool {
			if c == x {
				return true
			}
			switch c.(type) {
			case syntax.Expr, *syntax.InitElem:
				f.visitReads(c, maybe, visit)
			}
			return false
		})
	}
}

// visitPlace is visitReads for a place that is read itself only if read is set.
func (f *Func) visitPlace(x syntax.Expr, read, maybe bool, visit func(*syntax.MemberExpr, bool)) {
	switch m := syntax.Unparen(x).(type) {
	case *syntax.MemberExpr:
		f.visitReads(m.X, maybe, visit)
		if read {
			visit(m, maybe)
		}
	case *syntax.IndexExpr:
		f.visitReads(m.Index, maybe, visit)
		f.visitPlace(m.X, read, maybe, visit)
	case *syntax.Ident:
	default:
		f.visitReads(m, maybe, visit)
	}
}

// load says what m loads; ok is false for what is no load.
func (f *Func) load(m *syntax.MemberExpr, loop *syntax.ForAllStmt, edge *check.Object, known map[*check.Object]bool) (l Load, ok bool) {
	o := f.Info.Uses[m.Name]
	if o == nil || m.Arrow {
		return l, false
	}
	l.Expr = m
	id, _ := syntax.Unparen(m.X).(*syntax.Ident)
	toDst := f.isDst(m.X, edge) || id != nil && known[f.Info.Uses[id]]
	toEdge := f.names(m.X, edge)
	if o.Kind != check.PropObj {
		switch {
		case toEdge && o.Name == farEnd(edge):
			l.Kind = LoadDst
		case toEdge && o.Name == "weight":
			l.Kind = LoadWeight
		case toDst && (o.Name == "degree" || o.Name == "in_degree"):
			l.Kind = DstDegree
		default:
			return l, false
		}
		return l, true
	}
	l.Object = o
	switch {
	case toEdge:
		l.Kind = EdgeProp
	case toDst:
		l.Kind = DstProp
	case f.steady(m.X, loop):
		l.Kind = OuterProp
	default:
		l.Kind, l.Reason = Chain, "its address is computed from what the iteration loads first"
	}
	if _, array := o.Type.(*check.Array); array && l.Reason == "" {
		l.Reason = "it is an array"
	}
	if o.Volatile {
		l.Reason = "it is volatile"
	}
	return l, true
}

// blocked says why load l at node n cannot be issued before the side effects
// of the iteration, or of the iterations before; or "".
func (f *Func) blocked(loop *syntax.ForAllStmt, n *Node, l Load) string {
	if l.Object == nil {
		return "" // the graph does not change
	}
	for _, r := range f.Effects[n.ID].Refs {
		if r.Expr == syntax.Node(l.Expr) && r.Mode&Write != 0 {
			return "it is read and written at once"
		}
	}
	before := &before{f: f, n: n, s: loop}
	again := f.perRound(f.split.node(n), loop) == Often
	for _, m := range f.rounds(loop).writersOf(f, loop, l.Object) {
		f.steps++
		if !loop.Serial && !before.has(m) {
			continue
		}
		if m.Kind == Atomic {
			return "the lock at " + at(m.Stmt) + " is taken before it"
		}
		for _, r := range f.Effects[m.ID].Refs {
			if !r.mayWrite(l.Object) {
				continue
			}
			if m == n && !loop.Serial && !again && !f.earlier(n, r, l) {
				continue
			}
			if loop.Serial {
				return "an earlier iteration may write it, at " + at(r.Expr)
			}
			return "the iteration may write it before, at " + at(r.Expr)
		}
	}
	return ""
}

// mayWrite reports whether the access may write the property or global o.
func (r Ref) mayWrite(o *check.Object) bool {
	return r.Mode&Write != 0 && (r.Object == nil || r.Object == o) && !IsLocal(r.Object)
}

func mayWrite(e *Effects, o *check.Object) bool {
	return slices.ContainsFunc(e.Refs, func(r Ref) bool { return r.mayWrite(o) })
}

// earlier reports whether access w of node n comes before the load l.
func (f *Func) earlier(n *Node, w Ref, l Load) bool {
	for _, r := range f.Effects[n.ID].Refs {
		if r.Expr == syntax.Node(l.Expr) {
			return false
		}
		if r.Expr == w.Expr && r.Mode == w.Mode {
			return true
		}
	}
	return false
}

// String prints the batch, for goldens.
func (b *Batch) String() string {
	var s strings.Builder
	word := "ForAll"
	if b.Loop.Serial {
		word = "for"
	}
	fmt.Fprintf(&s, "%s over edges at %s: ", word, at(b.Loop))
	if b.OK {
		s.WriteString("batch\n")
	} else {
		fmt.Fprintf(&s, "no: %s\n", b.Why)
	}
	for _, l := range b.Loads {
		when := "always"
		if l.Maybe {
			when = "maybe"
		}
		fmt.Fprintf(&s, "  %s %s, %s: %s", at(l.Expr), line(l.Expr), l.Kind, when)
		if l.Reason != "" {
			s.WriteString(", no: " + l.Reason)
		}
		s.WriteByte('\n')
	}
	for _, x := range b.Sites {
		fmt.Fprintf(&s, "  %s at %s: %s\n", x.Kind, place(x.Pos()), x.Count)
	}
	return s.String()
}
