package analysis

import (
	"slices"

	"irgl/internal/check"
	"irgl/syntax"
)

// This file counts executions: the iterations of a loop, and how often a node is
// executed in one of them.

// A Trip is the number of iterations of a loop, known when the loop begins: the
// size of Range, or for a C loop the values of Var from First up or down to
// Limit in steps of Step.
type Trip struct {
	Loop        syntax.Stmt
	Range       syntax.Expr // of a ForAll or a for over a range; else nil
	Var         *check.Object
	First       syntax.Expr
	Op          syntax.Op // <, <=, >, >=: goes on while Var Op Limit
	Limit, Step syntax.Expr
	Down        bool // Step is subtracted; Step nil is 1
}

// TripOf returns the trip count of loop s, or why it is not known when the loop
// begins: only a loop over a range, or a for that counts to a bound which the
// loop does not change, has one, and only without a jump out of it (IrGL paper,
// section 4.2.1).
func (f *Func) TripOf(s syntax.Stmt) (*Trip, string) {
	if r, ok := f.trip[s]; ok {
		return r.trip, r.reason
	}
	if f.trip == nil {
		f.trip = map[syntax.Stmt]tripResult{}
	}
	t, reason := f.tripOf(s)
	f.trip[s] = tripResult{t, reason}
	return t, reason
}

// A tripResult is what TripOf returns for a loop.
type tripResult struct {
	trip   *Trip
	reason string
}

func (f *Func) tripOf(s syntax.Stmt) (*Trip, string) {
	head := f.Graph.Heads[s]
	if head == nil {
		return nil, "it is no loop"
	}
	if n := f.earlyExit(s); n != nil {
		return nil, "the loop can end early, at " + at(n.Stmt)
	}
	switch s := s.(type) {
	case *syntax.ForAllStmt:
		return &Trip{Loop: s, Range: s.Iter}, ""
	case *syntax.ForStmt:
		return f.counted(s)
	}
	return nil, "the number of rounds is not known when the loop begins"
}

// earlyExit returns a node other than the head from which control leaves s.
func (f *Func) earlyExit(s syntax.Stmt) *Node {
	head := f.Graph.Heads[s]
	for _, n := range f.body(s) {
		if n == head || !f.Dom.Has(n) {
			continue
		}
		for _, e := range n.Succs {
			if e.To != head && !e.To.inside(s) && e.To.Kind != Do {
				return n
			}
		}
	}
	return nil
}

// counted returns the trip count of a for such as for (i = a; i < b; i += c).
func (f *Func) counted(s *syntax.ForStmt) (*Trip, string) {
	const odd = "it is no loop that counts from one value to another"
	t := &Trip{Loop: s}
	switch init := s.Init.(type) {
	case *syntax.VarDecls:
		v := init.Vars[len(init.Vars)-1]
		t.Var, t.First = f.Info.Defs[v.Name], v.Init
		if len(init.Vars) != 1 || v.Init == nil {
			return nil, odd
		}
	case *syntax.ExprStmt:
		a, ok := init.X.(*syntax.AssignExpr)
		if !ok || a.Op != "=" {
			return nil, odd
		}
		t.Var, t.First = f.localOf(a.L), a.R
	}
	cond, ok := syntax.Unparen(s.Cond).(*syntax.BinaryExpr)
	if !ok || t.Var == nil || f.localOf(cond.X) != t.Var || !slices.Contains([]syntax.Op{"<", "<=", ">", ">="}, cond.Op) {
		return nil, odd
	}
	t.Op, t.Limit = cond.Op, cond.Y
	switch p := syntax.Unparen(s.Post).(type) {
	case *syntax.PostfixExpr:
		if f.localOf(p.X) != t.Var {
			return nil, odd
		}
		t.Down = p.Op == "--"
	case *syntax.UnaryExpr:
		if f.localOf(p.X) != t.Var || p.Op != "++" && p.Op != "--" {
			return nil, odd
		}
		t.Down = p.Op == "--"
	case *syntax.AssignExpr:
		if f.localOf(p.L) != t.Var || p.Op != "+=" && p.Op != "-=" {
			return nil, odd
		}
		c := f.Info.Consts[p.R]
		if c == nil || c.Int <= 0 || !check.IsInteger(f.Info.Types[p.R]) {
			return nil, "its step is no positive constant"
		}
		t.Step, t.Down = p.R, p.Op == "-="
	default:
		return nil, odd
	}
	if t.Down != (t.Op == ">" || t.Op == ">=") || !check.IsInteger(t.Var.Type) {
		return nil, odd
	}
	if !f.steady(t.Limit, s) {
		return nil, "its bound " + line(t.Limit) + " can change in the loop"
	}
	if f.setsInside(t.Var, s, true) {
		return nil, "the loop sets " + t.Var.Name + " itself"
	}
	return t, ""
}

// localOf returns the local that e names, or nil.
func (f *Func) localOf(e syntax.Expr) *check.Object {
	id, ok := syntax.Unparen(e).(*syntax.Ident)
	if !ok || id == nil {
		return nil
	}
	o := f.Info.Uses[id]
	if o == nil {
		o = f.Info.Defs[id]
	}
	if IsLocal(o) {
		return o
	}
	return nil
}

// setsInside reports whether the rounds of loop s set o, with their step unless
// besides is given, or may do so through a pointer.
func (f *Func) setsInside(o *check.Object, s syntax.Stmt, besides bool) bool {
	if o.Addressed {
		return true
	}
	if !besides {
		return f.rounds(s).sets(f, s)[o]
	}
	for _, n := range append([]*Node{f.Graph.Heads[s]}, f.body(s)...) {
		if n.Kind == Post && n.Stmt == s {
			continue
		}
		for _, r := range f.Effects[n.ID].Refs {
			if r.Object == o && r.Mode&(Write|Escape) != 0 {
				return true
			}
		}
	}
	return false
}

// steady reports whether e has the same value whenever loop s evaluates it, and
// evaluating it has no effect. Memory that any thread of the kernel writes is
// not steady.
func (f *Func) steady(e syntax.Expr, s syntax.Stmt) bool {
	if f.Info.Consts[e] != nil {
		return true
	}
	switch e := e.(type) {
	case *syntax.BasicLit, *syntax.SizeofExpr:
		return true
	case *syntax.ParenExpr:
		return f.steady(e.X, s)
	case *syntax.UnaryExpr:
		return (e.Op == "-" || e.Op == "+" || e.Op == "~" || e.Op == "!") && f.steady(e.X, s)
	case *syntax.BinaryExpr:
		return f.steady(e.X, s) && f.steady(e.Y, s)
	case *syntax.CondExpr:
		return f.steady(e.Cond, s) && f.steady(e.Then, s) && f.steady(e.Else, s)
	case *syntax.CastExpr:
		return f.steady(e.X, s)
	case *syntax.MemberExpr:
		o := f.Info.Uses[e.Name]
		if e.Arrow || o == nil || !f.steady(e.X, s) {
			return false
		}
		return o.Kind == check.BuiltinObj || isShared(o) && !o.Volatile && !slices.Contains(f.Fn.Writes, o)
	case *syntax.Ident:
		o := f.Info.Uses[e]
		switch {
		case o == nil:
			return false
		case IsLocal(o):
			return !f.setsInside(o, s, false) && !o.Volatile
		case isShared(o):
			return !o.Volatile && !slices.Contains(f.Fn.Writes, o)
		}
		return o.Kind != check.FuncObj
	case *syntax.CallExpr:
		fun, ok := syntax.Unparen(e.Fun).(*syntax.MemberExpr)
		if !ok || len(e.Args) != 1 {
			return false
		}
		switch fun.Name.Name {
		case "nodes", "edges", "points", "elements", "pop":
			return f.steady(fun.X, s) && f.steady(e.Args[0], s)
		}
	}
	return false
}

// reach returns what control comes to from the given places without passing
// through avoid, all by number in the split graph. The places themselves are
// reached.
func (f *Func) reach(from []int32, avoid int32) []bool {
	f.walks++
	seen := make([]bool, len(f.split.d.succs))
	work := slices.Clone(from)
	for len(work) > 0 {
		v := work[len(work)-1]
		work = work[:len(work)-1]
		if seen[v] || f.isWait(v) {
			continue
		}
		f.steps++
		seen[v] = true
		if v != avoid {
			work = append(work, f.split.d.succs[v]...)
		}
	}
	return seen
}

// comesTo reports whether control can come from the given places, themselves
// included, to one that wanted accepts, without leaving avoid.
func (f *Func) comesTo(from []int32, avoid int32, wanted func(int32) bool) bool {
	q := f.search.begin(len(f.split.d.succs))
	work := append(f.search.work[:0], from...)
	defer func() { f.search.work = work }()
	for len(work) > 0 {
		v := work[len(work)-1]
		work = work[:len(work)-1]
		if f.search.seen[v] == q || f.isWait(v) {
			continue
		}
		f.steps++
		if wanted(v) {
			return true
		}
		f.search.seen[v] = q
		if v != avoid {
			work = append(work, f.split.d.succs[v]...)
		}
	}
	return false
}

// A search is the memory of comesTo, which many short walks share.
type search struct {
	seen []int32 // by number in the split graph: the last walk that was there
	last int32
	work []int32
}

// begin returns the number of a new walk over n places.
func (s *search) begin(n int) int32 {
	if s.seen == nil {
		s.seen = make([]int32, n)
	}
	s.last++
	return s.last
}

// isWait reports whether v is an edge that no thread takes.
func (f *Func) isWait(v int32) bool {
	k, ok := f.split.isEdge(v)
	return ok && f.Graph.Edges[k].Kind == Wait
}

// A Count is how often something happens in a round of a loop.
type Count uint8

// The counts.
const (
	AtMostOnce Count = iota
	Once
	Often // any number of times
)

func (c Count) String() string { return [...]string{"0 or 1", "1", "any number"}[c] }

// count returns how often v is executed from when control is at one of the
// places in from until it comes to stop, leaves the loop that stop is the head
// of, or ends. Places are numbers in the split graph.
func (f *Func) count(v int32, from []int32, stop *Node) Count {
	end, exit := f.split.node(stop), f.split.node(f.Graph.Exit())
	if f.comesTo(f.split.d.succs[v], end, func(x int32) bool { return x == v }) {
		return Often
	}
	skipped := f.comesTo(from, v, func(x int32) bool {
		if x == end || x == exit {
			return true
		}
		// A jump out of the loop.
		return x != v && int(x) < f.split.nodes-1 && stop.Stmt != nil && isLoop(stop.Stmt) && !f.Graph.Nodes[x].Within(stop.Stmt)
	})
	if skipped {
		return AtMostOnce
	}
	return Once
}

// at returns the place of a node of the tree as "line:column".
func at(n syntax.Node) string {
	if n == nil {
		return "-"
	}
	return place(n.Pos())
}
