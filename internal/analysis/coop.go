package analysis

import (
	"fmt"
	"slices"
	"strings"

	"irgl/internal/check"
	"irgl/internal/source"
	"irgl/syntax"
)

// This file finds the places where a kernel reserves room in something shared
// (a worklist, the mesh) or contributes to a reduction, and which levels of
// aggregation are legal there (IrGL paper, section 4.2.1).

// A SiteKind says what a [Site] does.
type SiteKind uint8

// The kinds of sites. Merge is Retry Merge, which pushes to the out list.
const (
	Push SiteKind = iota
	RetryItem
	RespawnItem
	MergeItem
	Reduction
	AddPoint
	AddElement
)

func (k SiteKind) String() string {
	return [...]string{"push", "retry", "respawn", "merge", "reduce", "add_point", "add_element"}[k]
}

// gives reports whether what the site makes is used at once, so that the doing
// cannot wait until all threads meet.
func (k SiteKind) gives() bool { return k == AddPoint || k == AddElement }

// A Site is one cooperative operation.
type Site struct {
	Kind SiteKind
	Node *Node
	Call *syntax.CallExpr // of WL.push and mesh.add_*; nil for statements
	// Loops are the loops around the site, the outermost first, and Count how
	// often it happens in a round of the innermost (or in a thread).
	Loops []syntax.Stmt
	Count Count
	// Thread, Warp and Block are the levels at which the site can be aggregated
	// with the program as it is; Scheduled is Block when the inner ForAlls in
	// Hypothesis are executed by scheduling loops. It equals Block when there
	// are none.
	Thread, Warp, Block, Scheduled Level
	Hypothesis                     []*syntax.ForAllStmt
}

// Syntax returns the node by which plans know the site: its call, or the statement Retry
// or Respawn.
func (s *Site) Syntax() syntax.Node {
	if s.Call != nil {
		return s.Call
	}
	return s.Node.Stmt
}

// A Method says where an aggregate goes.
type Method uint8

// The methods.
const (
	// AtSite: the aggregate takes the place of the operation.
	AtSite Method = iota
	// Before: room is reserved at the placement for all operations that follow,
	// as many as the product of Trips; with Pred for those of the threads that
	// take that edge, whose condition is evaluated first.
	Before
	// After: the operation is noted in locals and done at the placement.
	After
	// AtEnd: a reduction is gathered in a local until the thread ends.
	AtEnd
)

func (m Method) String() string { return [...]string{"at site", "before", "after", "at end"}[m] }

// A Level is whether, and how, a site can be aggregated at one level.
type Level struct {
	OK     bool
	Reason string // why not
	Method Method
	Edge   *Edge   // Before and After: where; nil with Node set
	Place  Place   // of Edge, in the tree
	Node   *Node   // AtSite: the site; Before with Pred: the branch, focal itself
	Pred   *Edge   // Before: the edge that leads to the site; nil when all threads do it
	Trips  []*Trip // Before: the loops that are reserved for at once, the outermost first
}

// Sites returns the cooperative sites of f that control reaches, in order of
// the text. In a plain function they are the additions to the mesh.
func (f *Func) Sites() []*Site {
	if f.done.sites {
		return f.sites
	}
	f.done.sites = true
	for i, n := range f.Graph.Nodes {
		if !f.Dom.Has(n) {
			continue
		}
		switch s := n.Stmt.(type) {
		case *syntax.RetryStmt:
			k := RetryItem
			if s.Respawn {
				k = RespawnItem
			} else if s.Merge {
				k = MergeItem
			}
			f.addSite(&Site{Kind: k, Node: n})
		case *syntax.ReduceStmt:
			f.addSite(&Site{Kind: Reduction, Node: n})
		}
		for _, c := range f.Effects[i].Calls {
			k, ok := f.siteOf(c)
			if !ok {
				continue
			}
			s := &Site{Kind: k, Node: n, Call: c.Expr}
			f.addSite(s)
		}
	}
	return f.sites
}

// siteOf returns what kind of site a call is.
func (f *Func) siteOf(c Call) (SiteKind, bool) {
	m, ok := syntax.Unparen(c.Expr.Fun).(*syntax.MemberExpr)
	if !ok {
		return 0, false
	}
	switch base := f.Info.Types[m.X]; {
	case base == check.Worklist && c.Method == "push":
		return Push, true
	case base == check.MeshType && c.Method == "add_point":
		return AddPoint, true
	case base == check.MeshType && c.Method == "add_element":
		return AddElement, true
	}
	return 0, false
}

// addSite completes s and keeps it.
func (f *Func) addSite(s *Site) {
	s.Loops = s.Node.Loops()
	var inner syntax.Stmt
	if len(s.Loops) > 0 {
		inner = s.Loops[len(s.Loops)-1]
	}
	s.Count = f.perRound(f.split.node(s.Node), inner)
	if s.Count == Once && f.maybe(s) {
		s.Count = AtMostOnce
	}
	f.levels(s)
	f.sites = append(f.sites, s)
}

// maybe reports whether the site's own expression can leave it out.
func (f *Func) maybe(s *Site) bool {
	for _, c := range f.Effects[s.Node.ID].Calls {
		if c.Expr == s.Call {
			return c.Maybe
		}
	}
	return false
}

// levels decides the legal levels of s.
func (f *Func) levels(s *Site) {
	if s.Kind == Reduction {
		all := Level{OK: true, Method: AtEnd, Node: f.Graph.Exit()}
		s.Thread, s.Warp, s.Block, s.Scheduled = all, all, all, all
		if !f.Fn.OuterFA {
			s.Block = Level{Reason: "one thread runs this kernel"}
			s.Scheduled = s.Block
		}
		return
	}
	s.Thread = f.threadLevel(s)
	s.Warp = Level{OK: true, Method: AtSite, Node: s.Node}
	switch {
	case f.Fn.Decl.Kind != syntax.KernelFunc:
		s.Block = Level{Reason: "it is in a function that kernels call, not in a kernel"}
		s.Scheduled = s.Block
		return
	case !f.Fn.OuterFA:
		s.Block = Level{Reason: "one thread runs this kernel"}
		s.Scheduled = s.Block
		return
	}
	s.Block = f.blockLevel(s, f.focal(nil))
	s.Scheduled = s.Block
	for _, l := range s.Loops {
		if l, ok := l.(*syntax.ForAllStmt); ok && !l.Serial {
			if nest := f.Nest(l); nest != nil && nest.OK() {
				s.Hypothesis = append(s.Hypothesis, l)
				break // what is inside a scheduled loop runs serially in it
			}
		}
	}
	if len(s.Hypothesis) > 0 {
		s.Scheduled = f.blockLevel(s, f.focal(s.Hypothesis[0]))
	}
}

// threadLevel decides whether one reservation can serve a loop: the trip count
// is known before and every round has exactly one operation.
func (f *Func) threadLevel(s *Site) Level {
	if len(s.Loops) == 0 {
		return Level{Reason: "there is no loop around it"}
	}
	trips, why := f.trips(s)
	if len(trips) == 0 {
		return Level{Reason: why}
	}
	return f.onEdge(Before, f.entry(f.Graph.Heads[trips[0].Loop]), trips)
}

// onEdge returns the level with an aggregate on e.
func (f *Func) onEdge(m Method, e *Edge, trips []*Trip) Level {
	l := Level{OK: true, Method: m, Edge: e, Trips: trips}
	l.Place, _ = f.PlaceOf(e)
	return l
}

// trips returns the loops around s, outermost first, all of whose operations
// can be counted before the outermost of them begins; or why the innermost
// cannot.
func (f *Func) trips(s *Site) ([]*Trip, string) {
	var out []*Trip
	unit, why := s.Node, ""
	count := s.Count
	for i := len(s.Loops) - 1; i >= 0; i-- {
		l := s.Loops[i]
		if i < len(s.Loops)-1 {
			count = f.entries(unit, l)
		}
		if count != Once {
			if count == AtMostOnce {
				why = "not every round of the loop at " + at(l) + " comes to it"
			} else {
				why = "a round of the loop at " + at(l) + " can come to it several times"
			}
			break
		}
		t, no := f.TripOf(l)
		if t == nil {
			why = "the loop at " + at(l) + ": " + no
			break
		}
		// What inner loops count must not depend on the rounds of this one.
		if k := slices.IndexFunc(out, func(in *Trip) bool { return !f.tripSteady(in, l) }); k >= 0 {
			why = "the trip count of the loop at " + at(out[k].Loop) + " is another in each round of the one at " + at(l)
			break
		}
		out = append([]*Trip{t}, out...)
		unit = f.Graph.Heads[l]
	}
	return out, why
}

// tripSteady reports whether an inner trip count is the same in all rounds of l.
func (f *Func) tripSteady(t *Trip, l syntax.Stmt) bool {
	if t.Range != nil {
		return f.steady(t.Range, l)
	}
	return f.steady(t.First, l) && f.steady(t.Limit, l)
}

// entry returns the one edge from outside into a loop's head, or nil.
func (f *Func) entry(head *Node) *Edge {
	var in *Edge
	for _, e := range head.Preds {
		if e.From.inside(head.Stmt) || !f.Dom.Has(e.From) {
			continue
		}
		if in != nil {
			return nil
		}
		in = e
	}
	return in
}

// entries returns how often the loop with the given head begins in a round of l.
func (f *Func) entries(head *Node, l syntax.Stmt) Count {
	in := f.entry(head)
	if in == nil {
		return Often
	}
	return f.perRound(f.split.edge(in), l)
}

// blockLevel looks for a place where all threads of a block meet that can serve
// s: one before loops whose operations can be counted, the site itself, a place
// after it, and last a branch that decides whether it happens.
func (f *Func) blockLevel(s *Site, p *Focal) Level {
	if l := f.placeBefore(s, p); l.OK {
		return l
	}
	if p.Has(s.Node) && len(s.Node.Succs) == 1 && !f.maybe(s) {
		return Level{OK: true, Method: AtSite, Node: s.Node}
	}
	if !s.Kind.gives() {
		if e := f.placeAfter(s, p); e != nil {
			return f.onEdge(After, e, nil)
		}
	}
	if l := f.placeAtBranch(s, p); l.OK {
		return l
	}
	return Level{Reason: f.whyNoBlock(s, p)}
}

// focal returns the focal points when loop is scheduled, or with nil those of
// the program as it is.
func (f *Func) focal(loop *syntax.ForAllStmt) *Focal {
	if p := f.points[loop]; p != nil {
		return p
	}
	var list []*syntax.ForAllStmt
	if loop != nil {
		list = append(list, loop)
	}
	p := f.FocalPoints(f.Uniform(list...))
	if f.points == nil {
		f.points = map[*syntax.ForAllStmt]*Focal{}
	}
	f.points[loop] = p
	return p
}

// placeAfter returns the first edge after s on which a barrier can be placed, if
// the thread passes it before it comes to s again. No later edge can serve where
// that one does not: a cycle through s that avoids an edge which all paths from s
// pass avoids those behind it, too.
func (f *Func) placeAfter(s *Site, p *Focal) *Edge {
	if s.Node.Kind == Post {
		return nil // there is no place between the step of a for and its condition
	}
	e := p.firstPlace(s.Node)
	if e == nil || p.again(s.Node, e) {
		return nil
	}
	return e
}

// placeBefore looks for a place before the loops that s happens in exactly once
// a round, whose operations can all be counted there.
func (f *Func) placeBefore(s *Site, p *Focal) Level {
	trips, _ := f.trips(s)
	// The widest reservation is the one with the fewest barriers, but the
	// reservation must not pass the outermost ForAll, whose rounds are strided.
	for i := range trips {
		if l, ok := trips[i].Loop.(*syntax.ForAllStmt); ok && f.isOutermost(l) {
			continue
		}
		in := f.entry(f.Graph.Heads[trips[i].Loop])
		if in != nil && p.Edge(in) {
			return f.onEdge(Before, in, trips[i:])
		}
	}
	return Level{}
}

// placeAtBranch looks for a branch to which all threads of a block come and
// which decides whether a known number of operations follows.
func (f *Func) placeAtBranch(s *Site, p *Focal) Level {
	if f.maybe(s) {
		return Level{}
	}
	trips, _ := f.trips(s)
	for i := 0; i <= len(trips); i++ {
		unit := s.Node
		if i < len(trips) {
			unit = f.Graph.Heads[trips[i].Loop]
		}
		if b := f.decides(unit, i < len(trips)); b != nil && p.Has(b.From) && b.From.Kind != Atomic {
			return Level{OK: true, Method: Before, Node: b.From, Pred: b, Trips: trips[i:]}
		}
	}
	return Level{}
}

// decides returns the edge of a branch such that unit, a node or the loop with
// that head, is executed exactly once whenever control takes the edge and not
// otherwise; or nil.
func (f *Func) decides(unit *Node, isLoop bool) *Edge {
	sc := unit.Scope
	if sc == nil || sc.Arm == Init {
		return nil
	}
	head := f.Graph.Heads[sc.Stmt]
	join := f.Graph.Joins[sc.Stmt]
	if head == nil || join == nil || head.Kind != If && head.Kind != Exclusive {
		return nil
	}
	for _, e := range head.Succs {
		if (e.Kind == True) != (sc.Arm != Else) {
			continue
		}
		v := f.split.node(unit)
		if isLoop {
			in := f.entry(unit)
			if in == nil {
				return nil
			}
			v = f.split.edge(in)
		}
		if f.count(v, []int32{f.split.edge(e)}, join) == Once {
			return e
		}
	}
	return nil
}

// whyNoBlock says why no place was found.
func (f *Func) whyNoBlock(s *Site, p *Focal) string {
	for i := len(s.Loops) - 1; i >= 0; i-- {
		head := f.Graph.Heads[s.Loops[i]]
		if len(head.Succs) > 1 && !p.u.Has(head) {
			return "the threads of a block go through the loop at " + at(head.Stmt) + " differently often, and meet nowhere in it"
		}
	}
	cause := p.Cause(s.Node)
	if cause == nil {
		return "the threads of a block meet nowhere near it"
	}
	where := fmt.Sprintf("whether a thread comes to it is decided by each for itself, at %s", at(cause.Stmt))
	if s.Kind.gives() {
		return where + ", and what it makes is used at once"
	}
	return where + ", and they meet nowhere before it comes again"
}

// String prints the level in one line.
func (l Level) String() string {
	if !l.OK {
		return "no: " + l.Reason
	}
	var b strings.Builder
	b.WriteString(l.Method.String())
	switch {
	case l.Edge != nil:
		fmt.Fprintf(&b, " %s->%s (%s)", l.Edge.From.Name(), l.Edge.To.Name(), l.Place)
	case l.Pred != nil:
		fmt.Fprintf(&b, " %s for %s->%s", l.Node.Name(), l.Pred.From.Name(), l.Pred.To.Name())
	}
	for i, t := range l.Trips {
		b.WriteString([...]string{" rounds of ", ", "}[min(i, 1)] + at(t.Loop))
	}
	return b.String()
}

// Pos returns the place of the site.
func (s *Site) Pos() source.Pos {
	if s.Call != nil {
		return s.Call.Pos()
	}
	return s.Node.Stmt.Pos()
}

// String prints the site, a line each for the levels.
func (s *Site) String() string {
	var b strings.Builder
	var loops []string
	for _, l := range s.Loops {
		loops = append(loops, at(l))
	}
	fmt.Fprintf(&b, "%s at %s, %s in each round of [%s]\n", s.Kind, place(s.Pos()), s.Count, strings.Join(loops, " "))
	fmt.Fprintf(&b, "  thread %s\n  warp %s\n  block %s\n", s.Thread, s.Warp, s.Block)
	if len(s.Hypothesis) > 0 {
		fmt.Fprintf(&b, "  block, %s scheduled: %s\n", at(s.Hypothesis[0]), s.Scheduled)
	}
	return b.String()
}
