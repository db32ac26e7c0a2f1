package analysis

import (
	"fmt"
	"slices"
	"strings"

	"irgl/internal/check"
	"irgl/syntax"
)

// This file finds out which inner ForAlls other threads can execute (IrGL
// paper, section 4.3).

// A Nest is one ForAll inside the outermost ForAll of a kernel.
type Nest struct {
	Loop    *syntax.ForAllStmt
	Outer   *syntax.ForAllStmt // the outermost one around it
	Within  *syntax.ForAllStmt // the next inner ForAll around it; nil when there is none
	Inner   []*Nest            // ForAlls inside it, which run serially when it is scheduled
	Head    *Node
	Refused []Reason // why other threads cannot execute its iterations; empty when they can

	// Closure is what an executing thread needs of the thread whose iteration
	// it is, beside the bounds of the range: outer locals that the body reads,
	// in order of first use. Those that all threads have are not among them.
	Closure []Capture
	// Guards are the ifs around the loop within the outer iteration, the outermost
	// first. A thread for which one does not hold brings no iterations.
	Guards []Guard
	// Serial are the serial loops around it within the outer iteration, all
	// uniform unless Refused says otherwise.
	Serial  []syntax.Stmt
	Reduces []*syntax.ReduceStmt // that end an inner iteration
	Gathers []*Gather            // locals of the outer iteration that it reduces to

	// Before and After are the nodes of the outer iteration that come before
	// the loop and after it. A node in both is in a loop with it.
	Before, After []*Node
	// Live are the locals of the outer iteration that are set before the loop
	// and used after it: the thread that owns the iteration keeps them.
	Live []*check.Object
	// Flow are the properties and globals by which the phases depend on each
	// other, so that a barrier is between them.
	Flow []Flow
	// Depends says that what follows the loop in the outer iteration may depend on
	// it through memory.
	Depends bool
	// NotLater says why its iterations cannot be put off until all iterations of
	// the outer loop are done but for this; empty when they can.
	NotLater []Reason
}

// A Capture is one local of a closure.
type Capture struct {
	Object *check.Object
	Type   check.Type
	Size   int64 // bytes
}

// A Guard is an if around a loop, and which arm leads to it.
type Guard struct {
	If   *syntax.IfStmt
	Else bool
}

// A Flow is an object that one phase of an outer iteration writes and a later
// one accesses, or the other way round.
type Flow struct {
	Object *check.Object
	// From and To are the phases: 0 before the loop, 1 the loop, 2 after it.
	From, To int
}

// OK reports whether the iterations can be executed by other threads, so that
// the outer iteration is split into what comes before, the loop, and what comes
// after.
func (n *Nest) OK() bool { return len(n.Refused) == 0 }

// Size returns the bytes of the closure, each local aligned by its type.
func (n *Nest) Size() int64 {
	var off int64
	for _, c := range n.Closure {
		a := c.Type.Align()
		off = (off+a-1)/a*a + c.Size
	}
	return off
}

// Nests returns the inner ForAlls of f in order of the text; a ForAll comes
// before those inside it.
func (f *Func) Nests() []*Nest {
	if f.done.nests {
		return f.nests
	}
	f.done.nests = true
	for _, n := range f.Graph.Nodes {
		s, ok := n.Stmt.(*syntax.ForAllStmt)
		if !ok || n.Kind != ForAll || s.Serial || !f.Dom.Has(n) {
			continue
		}
		outer := f.outermost(n)
		if outer == nil {
			continue
		}
		nest := &Nest{Loop: s, Outer: outer, Head: n}
		f.nests = append(f.nests, nest)
		f.surroundings(nest)
		f.gathers(nest)
		f.captures(nest)
		f.phases(nest)
		f.jumps(nest)
		f.later(nest)
	}
	for _, n := range f.nests {
		for _, m := range f.nests {
			if m.Within == n.Loop {
				n.Inner = append(n.Inner, m)
			}
		}
	}
	return f.nests
}

// Nest returns what is known of the inner ForAll s, or nil.
func (f *Func) Nest(s *syntax.ForAllStmt) *Nest {
	if f.nestOf == nil {
		f.nestOf = map[*syntax.ForAllStmt]*Nest{}
		for _, n := range f.Nests() {
			f.nestOf[n.Loop] = n
		}
	}
	return f.nestOf[s]
}

// refuse notes a reason why n cannot be scheduled.
func (n *Nest) refuse(at syntax.Node, format string, args ...any) {
	r := Reason{at.Pos(), fmt.Sprintf(format, args...)}
	if !slices.Contains(n.Refused, r) {
		n.Refused = append(n.Refused, r)
	}
}

// surroundings looks at what is around the loop, from the inside out.
func (f *Func) surroundings(n *Nest) {
	f.findStatic()
	for sc := n.Head.Scope; sc != nil && sc.Stmt != n.Outer; sc = sc.Outer {
		switch s := sc.Stmt.(type) {
		case *syntax.IfStmt:
			n.Guards = append([]Guard{{s, sc.Arm == Else}}, n.Guards...)
		case *syntax.ForAllStmt:
			if !s.Serial {
				if n.Within == nil {
					n.Within = s
				}
				continue
			}
			n.Serial = append([]syntax.Stmt{s}, n.Serial...)
		case syntax.Loop:
			n.Serial = append([]syntax.Stmt{s}, n.Serial...)
			if e := f.earlyExit(s); e != nil {
				n.refuse(e.Stmt, "a thread can leave the serial loop around it early")
			}
		case *syntax.SwitchStmt:
			n.refuse(s, "it is in a switch")
		case *syntax.AtomicStmt:
			if sc.Arm == Body {
				n.refuse(s, "it is in an Atomic, whose lock the thread holds")
			} else {
				n.refuse(s, "it is in the Else of an Atomic")
			}
		case *syntax.ExclusiveStmt:
			n.refuse(s, "it is in an Exclusive, of which not all threads are winners")
		}
	}
	if s := f.differ(n.Serial); s != nil {
		n.refuse(s, "it is in a serial loop that the threads of a block go through differently often")
	}
	if n.Within != nil {
		n.refuse(n.Within, "it is inside another inner ForAll, whose iterations any thread executes")
	}
}

// differ returns the first of some serial loops, each in the one before, that the
// threads of a block would go through differently often if all of them came to it,
// those for which an if around it does not hold and those without an iteration
// included; or nil. A for with counters of its own, which its head alone sets and
// asks for, is none.
func (f *Func) differ(loops []syntax.Stmt) syntax.Stmt {
	var counters []*check.Object
	defer func() {
		for _, o := range counters {
			f.known[o] = false
		}
	}()
	for _, s := range loops {
		if f.static[f.Graph.Heads[s].ID] {
			continue
		}
		c, ok := s.(*syntax.ForStmt)
		if !ok {
			return s
		}
		own := f.countersOf(c)
		for _, o := range own {
			if !f.known[o] {
				counters = append(counters, o)
				f.known[o] = true
			}
		}
		if len(own) == 0 || c.Cond == nil || !f.isUniform(c.Cond) || c.Post != nil && !f.isUniform(c.Post) || !f.startsAlike(c.Init) {
			return s
		}
	}
	return nil
}

// countersOf returns the variables that the first part of a for declares, if
// nothing but its last part changes them.
func (f *Func) countersOf(s *syntax.ForStmt) []*check.Object {
	var out []*check.Object
	switch init := s.Init.(type) {
	case *syntax.VarDecls:
		for _, v := range init.Vars {
			out = append(out, f.Info.Defs[v.Name])
		}
	case *syntax.ExprStmt:
		if a, ok := init.X.(*syntax.AssignExpr); ok && f.Info.Declares[a] != nil {
			out = append(out, f.Info.Declares[a])
		}
	}
	for i, n := range f.Graph.Nodes {
		if n.Stmt == syntax.Stmt(s) && n.Kind == Post || n.Scope != nil && n.Scope.Stmt == syntax.Stmt(s) && n.Scope.Arm == Init {
			continue
		}
		for _, r := range f.Effects[i].Refs {
			if r.Mode&(Write|Escape) != 0 && slices.Contains(out, r.Object) {
				return nil
			}
		}
	}
	return out
}

// startsAlike reports whether the first part of a for gives its counters values
// that all threads of a block share, and does nothing else.
func (f *Func) startsAlike(init syntax.Stmt) bool {
	switch init := init.(type) {
	case *syntax.VarDecls:
		return init.Attrs == 0 && !slices.ContainsFunc(init.Vars, func(v *syntax.VarDecl) bool { return v.Init == nil || !f.isUniform(v.Init) })
	case *syntax.ExprStmt:
		a, ok := init.X.(*syntax.AssignExpr)
		return ok && f.Info.Declares[a] != nil && f.isUniform(a.R)
	}
	return false
}

// captures finds what the body uses of locals declared around it.
func (f *Func) captures(n *Nest) {
	own := map[*check.Object]bool{f.Info.Defs[n.Loop.Var]: true}
	for i, m := range f.Graph.Nodes {
		if !m.Within(n.Loop) {
			continue
		}
		for _, r := range f.Effects[i].Refs {
			if r.Object != nil && r.Mode&(Declare|Write) != 0 && f.declaredAt(r) {
				own[r.Object] = true
			}
		}
	}
	seen := map[*check.Object]bool{}
	for i, m := range f.Graph.Nodes {
		if !m.inside(n.Loop) {
			continue
		}
		if m.Kind == Barrier || m.Kind == Exclusive {
			n.refuse(m.Stmt, "its iterations wait for each other")
		}
		if r, ok := m.Stmt.(*syntax.ReduceStmt); ok {
			n.Reduces = append(n.Reduces, r)
		}
		for _, r := range f.Effects[i].Refs {
			o := r.Object
			if o == nil || !IsLocal(o) || own[o] || n.gathersTo(o) {
				continue
			}
			f.capture(n, r, seen)
		}
	}
}

// declaredAt reports whether r is where its local is declared.
func (f *Func) declaredAt(r Ref) bool {
	id, ok := r.Expr.(*syntax.Ident)
	return ok && f.Info.Defs[id] == r.Object
}

// capture notes the use r of an outer local.
func (f *Func) capture(n *Nest, r Ref, seen map[*check.Object]bool) {
	o := r.Object
	_, pointer := o.Type.(*check.Pointer)
	switch {
	case r.Mode&Escape != 0:
		n.refuse(r.Expr, "the address of %s, a local of the outer iteration, is taken in it", o.Name)
	case r.Mode&Write != 0:
		n.refuse(r.Expr, "it assigns %s, a local of the outer iteration", o.Name)
	case pointer && f.pointsToLocal(o):
		n.refuse(r.Expr, "%s may point to locals of the thread", o.Name)
	case o.Volatile:
		n.refuse(r.Expr, "%s is volatile", o.Name)
	}
	if seen[o] || f.everywhere(o) {
		return
	}
	seen[o] = true
	if o.Attrs.Has(syntax.Shared) { // whose elements: that of the thread with this number
		n.Closure = append(n.Closure, Capture{o, check.Int, check.Int.Size()})
		return
	}
	n.Closure = append(n.Closure, Capture{o, o.Type, o.Type.Size()})
}

// everywhere reports whether all threads have the same value in o: it is a
// parameter or a local of the kernel that is declared outside of every ForAll.
func (f *Func) everywhere(o *check.Object) bool {
	if o.Kind == check.ParamObj {
		for _, e := range f.Effects {
			for _, r := range e.Refs {
				if r.Object == o && r.Mode&(Write|Escape) != 0 {
					return false
				}
			}
		}
		return true
	}
	if !f.known[o] {
		return false
	}
	for i, n := range f.Graph.Nodes {
		for _, r := range f.Effects[i].Refs {
			if r.Object == o && r.Mode&Write != 0 && f.outermost(n) != nil {
				return false
			}
		}
	}
	return true
}

// pointsToLocal reports whether pointer o can point to a local variable: it is
// given anything but the address of a property or a global.
func (f *Func) pointsToLocal(o *check.Object) bool {
	given := false
	for i, n := range f.Graph.Nodes {
		for _, r := range f.Effects[i].Refs {
			if r.Object != o || r.Mode&(Write|Escape) == 0 || r.Mode&Declare != 0 {
				continue
			}
			given = true
			if r.Mode&Escape != 0 || !f.givesShared(n, o) {
				return true
			}
		}
	}
	return !given
}

// givesShared reports whether node n gives pointer o the address of memory that
// all threads share, and nothing else.
func (f *Func) givesShared(n *Node, o *check.Object) bool {
	ok := false
	for _, r := range f.Effects[n.ID].Refs {
		if r.Mode&Escape != 0 {
			if !isShared(r.Object) {
				return false
			}
			ok = true
		}
		if r.Object != nil && r.Object != o && IsLocal(r.Object) && r.Mode&Read != 0 {
			if _, p := r.Object.Type.(*check.Pointer); p {
				return false
			}
		}
	}
	for _, c := range f.Effects[n.ID].Calls {
		if _, p := f.Info.Types[c.Expr].(*check.Pointer); p {
			return false
		}
	}
	return ok || f.onlySteps(n, o)
}

// onlySteps reports whether node n moves pointer o without giving it another
// object: p++, p += k.
func (f *Func) onlySteps(n *Node, o *check.Object) bool {
	for _, r := range f.Effects[n.ID].Refs {
		if r.Object == o && r.Mode&Write != 0 && r.Mode&Read == 0 {
			return false
		}
	}
	return true
}

// phases finds what comes before and after the loop in the outer iteration.
func (f *Func) phases(n *Nest) {
	g := f.Graph
	outer := f.split.node(g.Heads[n.Outer])
	mask := func(seen []bool) []*Node {
		var out []*Node
		for _, m := range g.Nodes {
			if m.inside(n.Outer) && !m.Within(n.Loop) && seen[f.split.node(m)] && m.Kind != Join {
				out = append(out, m)
			}
		}
		return out
	}
	var leave []int32
	for _, e := range n.Head.Succs {
		if e.Kind == False {
			leave = append(leave, f.split.edge(e))
		}
	}
	n.After = mask(f.reach(leave, outer))
	n.Before = mask(f.reachBack(f.split.node(n.Head), outer))
	writes := func(list []*Node) (reads, writes map[*check.Object]bool) {
		reads, writes = map[*check.Object]bool{}, map[*check.Object]bool{}
		for _, m := range list {
			for _, r := range f.Effects[m.ID].Refs {
				if r.Object == nil {
					continue
				}
				if r.Mode&(Read|Escape) != 0 {
					reads[r.Object] = true
				}
				if r.Mode&(Write|Escape) != 0 {
					writes[r.Object] = true
				}
			}
		}
		return reads, writes
	}
	var inner []*Node
	for _, m := range g.Nodes {
		if m.inside(n.Loop) {
			inner = append(inner, m)
		}
	}
	var r, w [3]map[*check.Object]bool
	for i, list := range [][]*Node{n.Before, inner, n.After} {
		r[i], w[i] = writes(list)
	}
	for _, o := range f.shared() {
		for _, p := range [][2]int{{0, 1}, {1, 2}} {
			if w[p[0]][o] && (r[p[1]][o] || w[p[1]][o]) || r[p[0]][o] && w[p[1]][o] {
				n.Flow = append(n.Flow, Flow{o, p[0], p[1]})
			}
		}
	}
	for _, o := range f.locals() {
		if (w[0][o] || o == f.Info.Defs[n.Outer.Var]) && r[2][o] {
			n.Live = append(n.Live, o)
		}
	}
}

// reachBack returns from where control can come to v without passing through
// avoid, by number in the split graph.
func (f *Func) reachBack(v, avoid int32) []bool { return f.spread(v, avoid, f.split.d.preds) }

// shared returns the properties and globals that f accesses, in order of first
// access; locals the locals.
func (f *Func) shared() []*check.Object { return f.objects(isShared) }
func (f *Func) locals() []*check.Object { return f.objects(IsLocal) }

func (f *Func) objects(want func(*check.Object) bool) []*check.Object {
	var out []*check.Object
	seen := map[*check.Object]bool{}
	for _, e := range f.Effects {
		for _, r := range e.Refs {
			if r.Object != nil && want(r.Object) && !seen[r.Object] {
				seen[r.Object] = true
				out = append(out, r.Object)
			}
		}
	}
	return out
}

// jumps refuses gotos of the outer iteration, which would jump between phases.
func (f *Func) jumps(n *Nest) {
	for _, m := range f.Graph.Nodes {
		g, ok := m.Stmt.(*syntax.GotoStmt)
		if !ok || !m.inside(n.Outer) {
			continue
		}
		for _, e := range m.Succs {
			if m.inside(n.Loop) != e.To.inside(n.Loop) {
				n.refuse(g, "goto %s jumps into or out of it", g.Name.Name)
			} else if f.iteration(m) == n.Outer {
				n.refuse(g, "goto %s jumps about in the outer iteration, which has to be split", g.Name.Name)
			}
		}
	}
}

// iteration returns the innermost parallel ForAll around m, or nil.
func (f *Func) iteration(m *Node) *syntax.ForAllStmt {
	loops := m.Loops()
	for i := len(loops) - 1; i >= 0; i-- {
		if s, ok := loops[i].(*syntax.ForAllStmt); ok && !s.Serial {
			return s
		}
	}
	return nil
}

// String prints the nest, for goldens.
func (n *Nest) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s at %s in %s", n.Head, at(n.Loop), at(n.Outer))
	if n.Within != nil {
		fmt.Fprintf(&b, " within %s", at(n.Within))
	}
	if n.OK() {
		b.WriteString(": any thread\n")
	} else {
		b.WriteString(": serial\n")
	}
	for _, r := range n.Refused {
		fmt.Fprintf(&b, "  no: %s\n", r)
	}
	if len(n.Closure) > 0 {
		fmt.Fprintf(&b, "  closure of %d bytes:", n.Size())
		for i, c := range n.Closure {
			b.WriteString([...]string{" ", ", "}[min(i, 1)] + c.Type.String() + " " + c.Object.Name)
		}
		b.WriteByte('\n')
	}
	for _, g := range n.Guards {
		fmt.Fprintf(&b, "  guard %s %s\n", at(g.If), [...]string{"if", "else"}[bit(g.Else)])
	}
	for _, s := range n.Serial {
		fmt.Fprintf(&b, "  serial loop %s\n", at(s))
	}
	for _, r := range n.Reduces {
		fmt.Fprintf(&b, "  reduces at %s\n", at(r))
	}
	for _, g := range n.Gathers {
		fmt.Fprintf(&b, "  gathers %s by %s\n", g.Object.Name, g.Op)
	}
	b.WriteString("  before " + set(n.Before) + " after " + set(n.After))
	for i, o := range n.Live {
		b.WriteString([...]string{" live ", ", "}[min(i, 1)] + o.Name)
	}
	b.WriteByte('\n')
	phase := [...]string{"before", "loop", "after"}
	for _, w := range n.Flow {
		fmt.Fprintf(&b, "  %s: %s -> %s\n", w.Object.Name, phase[w.From], phase[w.To])
	}
	return b.String()
}

// Cache returns a __shared__ array of the outer iteration that the loop uses, or nil.
func (n *Nest) Cache() *check.Object {
	for _, c := range n.Closure {
		if c.Object.Attrs.Has(syntax.Shared) {
			return c.Object
		}
	}
	return nil
}

// later finds out whether the loop can be put off to the end of the kernel,
// where all threads of the grid share its iterations. The iterations of the
// outer loop are independent, so that only what its own iteration does behind it
// can depend on it; and nothing of the kernel may come behind the outer loop.
func (f *Func) later(n *Nest) {
	refuse := func(at syntax.Node, format string, args ...any) {
		r := Reason{at.Pos(), fmt.Sprintf(format, args...)}
		if !slices.Contains(n.NotLater, r) {
			n.NotLater = append(n.NotLater, r)
		}
	}
	body := f.Fn.Decl.Body.Stmts
	switch {
	case body[len(body)-1] != syntax.Stmt(n.Outer):
		refuse(n.Outer, "the outer loop is not the end of the kernel")
	case f.Fn.Retries:
		refuse(n.Outer, "the kernel retries items, in fewer threads")
	case len(f.Fn.Adds) > 0:
		refuse(n.Outer, "the kernel adds to the mesh")
	}
	for _, m := range f.Graph.Nodes {
		switch s := m.Stmt.(type) {
		case *syntax.ReturnStmt:
			refuse(s, "a thread can leave the kernel early")
		case *syntax.ReduceStmt:
			if !m.inside(n.Outer) {
				refuse(s, "a thread can leave the kernel early")
			}
		}
	}
	for _, w := range n.Flow {
		if w.From == 1 {
			n.Depends = true
			refuse(n.Loop, "what follows it in the outer iteration depends on it by %s", w.Object.Name)
		}
	}
	if o := n.Cache(); o != nil {
		refuse(n.Loop, "it uses %s, which is in the shared memory of the block", o.Name)
	}
	for _, g := range n.Gathers {
		refuse(g.Calls[0], "it gathers %s, which is the outer iteration's", g.Object.Name)
	}
	unknown := func(r Ref) bool { return r.Object == nil }
	known := func(r Ref) bool { return r.Object == nil || isShared(r.Object) }
	inner := false
	for i, m := range f.Graph.Nodes {
		inner = inner || m.Within(n.Loop) && slices.ContainsFunc(f.Effects[i].Refs, unknown)
	}
	for _, m := range n.After {
		refs := f.Effects[m.ID].Refs
		if slices.ContainsFunc(refs, unknown) || inner && slices.ContainsFunc(refs, known) {
			n.Depends = true
			refuse(n.Loop, "what follows it in the outer iteration may depend on it through a pointer")
		}
	}
}

// bit returns 1 for true.
func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}
