package analysis

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"irgl/internal/check"
	"irgl/syntax"
)

// This file finds the atomics of a kernel on counters that all threads share:
//
//	graph.nodes(atomicAdd(&waiting, 1)).list = n;
//	atomicAdd(&lost[to], change);
//
// A counter is one address, so that its atomics run one after another, whoever
// does them. It is a global variable, an element of a global array or a member of
// a struct; threads that do it together must mean the same one, so that indices
// are the same for all threads of the kernel and as long as it runs.
//
// A sum of integers whose old value is used can be shared by the threads that come
// to it together: they add once, and each takes its place. What is added for its
// effect alone can be gathered, as a reduction is, until the thread ends. Nobody
// may see that it comes late: the kernel does nothing else with the counter. Of an
// array it may read and write other elements, if they can be told apart: constants,
// and what is added to one value, also modulo a constant:
//
//	int from = round % 3; int to = (round + 1) % 3;
//	double spread = lost[from];  ...  atomicAdd(&lost[to], change);

// A Counter is one call of an atomic function on something global.
type Counter struct {
	Node   *Node
	Call   *syntax.CallExpr
	Object *check.Object // the variable or array
	Place  syntax.Expr   // the counter: Object, or a part of it
	Type   check.Type    // of the counter
	Op     string        // Add, Min, Max, And, Or or Xor; Add also for atomicSub
	Same   bool          // all threads have the same operand
	// NotShared and NotGathered say why threads that come to it together cannot
	// do it at once, and why it cannot wait until the thread ends.
	NotShared, NotGathered []Reason
}

// Tally names what is gathered for a counter: its atomics of one operation on the same
// place have it in common.
func (c *Counter) Tally() string { return c.Op + " " + syntax.String(c.Place) }

// Counters returns the atomics of a kernel on globals that control reaches, in
// order of the text, by the operations that can be done in any order.
func (f *Func) Counters() []*Counter {
	if f.Fn.Decl.Kind != syntax.KernelFunc {
		return nil
	}
	if !f.done.counters {
		f.counters, f.done.counters = f.findCounters(), true
	}
	return f.counters
}

func (f *Func) findCounters() []*Counter {
	var out []*Counter
	for i, n := range f.Graph.Nodes {
		if !f.Dom.Has(n) {
			continue
		}
		for _, call := range f.Effects[i].Calls {
			place, op := atomicOp(f.Info, call.Expr)
			if place == nil {
				continue
			}
			o, t := globalOf(f.Info, place), f.Info.Types[place]
			if o != nil && check.IsArithmetic(t) && t.Size() >= 4 {
				out = append(out, &Counter{Node: n, Call: call.Expr, Object: o, Place: place, Type: t, Op: op, Same: f.fixed(call.Expr.Args[1])})
			}
		}
	}
	if len(out) == 0 {
		return nil
	}
	waits := f.waits()
	for _, c := range out {
		c.NotShared = f.notShared(c)
		if c.NotGathered = f.notGathered(c); c.isAlone() {
			c.NotGathered = append(c.NotGathered, waits...)
		}
	}
	return out
}

// globalOf returns the global that a place is, or is a part of; nil for what a
// pointer points to, a property or a local.
func globalOf(info *check.Info, place syntax.Expr) *check.Object {
	switch e := syntax.Unparen(place).(type) {
	case *syntax.Ident:
		if o := info.Uses[e]; o != nil && o.Kind == check.VarObj && o.Global {
			return o
		}
	case *syntax.IndexExpr:
		if _, array := info.Types[e.X].(*check.Array); array {
			return globalOf(info, e.X)
		}
	case *syntax.MemberExpr:
		if s, ok := info.Types[e.X].(*check.Struct); ok && !s.Union && !e.Arrow {
			return globalOf(info, e.X)
		}
	}
	return nil
}

// isAlone reports whether the call is a statement, which drops the old value.
func (c *Counter) isAlone() bool {
	s, ok := c.Node.Stmt.(*syntax.ExprStmt)
	return ok && c.Node.Kind == Plain && syntax.Unparen(s.X) == syntax.Expr(c.Call)
}

// varies returns why a counter is not the same one for all threads, or nil.
func (f *Func) varies(c *Counter) []Reason {
	switch {
	case !f.Fn.OuterFA:
		return []Reason{{c.Call.Pos(), "one thread runs this kernel"}}
	case c.Object.Volatile:
		return []Reason{{c.Place.Pos(), c.Object.Name + " is volatile"}}
	}
	for e := syntax.Unparen(c.Place); ; {
		switch x := e.(type) {
		case *syntax.IndexExpr:
			if !f.fixed(x.Index) {
				return []Reason{{x.Index.Pos(), "each thread may have another " + syntax.String(x.Index)}}
			}
			e = syntax.Unparen(x.X)
		case *syntax.MemberExpr:
			e = syntax.Unparen(x.X)
		default:
			return nil
		}
	}
}

// notShared returns why the threads that come to a counter together cannot add
// at once.
func (f *Func) notShared(c *Counter) []Reason {
	why := f.varies(c)
	switch {
	case c.Op != "Add":
		why = append(why, Reason{c.Call.Pos(), "only sums give each thread a place"})
	case !check.IsInteger(c.Type):
		why = append(why, Reason{c.Call.Pos(), "places are whole numbers"})
	}
	return why
}

// notGathered returns what it is about a counter that keeps what a thread adds to
// it from waiting until the thread ends.
func (f *Func) notGathered(c *Counter) []Reason {
	if !c.isAlone() {
		return []Reason{{c.Call.Pos(), "its old value is used"}}
	}
	why := f.varies(c)
	if len(why) == 0 && !f.seenAtEnd(c.Place) {
		why = append(why, Reason{c.Place.Pos(), "its index is not known at the end of the kernel"})
	}
	if at := f.otherUse(c); at != nil {
		why = append(why, Reason{at.Pos(), "the kernel uses " + c.Object.Name + " here, too"})
	}
	return why
}

// waits returns what it is about the kernel that does the same.
func (f *Func) waits() []Reason {
	var why []Reason
	for _, n := range f.Graph.Nodes {
		switch s, _ := n.Stmt.(*syntax.RetryStmt); {
		case n.Kind == Barrier || n.Kind == Exclusive:
			why = append(why, Reason{n.Stmt.Pos(), "the threads wait for each other here"})
		case s != nil && f.Fn.Retries && !s.Respawn:
			why = append(why, Reason{n.Stmt.Pos(), "with many conflicts one thread of a warp may run the kernel alone"})
		}
	}
	if id := f.foreign(f.Fn, map[*check.FuncInfo]bool{}); id != nil {
		why = append(why, Reason{id.Pos(), id.Name + " is C text, which may use anything"})
	}
	return why
}

// seenAtEnd reports whether all locals in x are declared where the end of the
// kernel sees them: they are parameters, or of the outermost block.
func (f *Func) seenAtEnd(x syntax.Expr) bool {
	seen := map[*check.Object]bool{}
	for _, p := range f.Fn.Params {
		seen[p] = true
	}
	for _, s := range f.Fn.Decl.Body.Stmts {
		switch s := s.(type) {
		case *syntax.VarDecls:
			for _, v := range s.Vars {
				seen[f.Info.Defs[v.Name]] = true
			}
		case *syntax.ExprStmt:
			for a, ok := s.X.(*syntax.AssignExpr); ok; a, ok = a.R.(*syntax.AssignExpr) {
				seen[f.Info.Declares[a]] = true
			}
		}
	}
	ok := true
	syntax.Inspect(x, func(n syntax.Node) bool {
		if id, is := n.(*syntax.Ident); is && IsLocal(f.Info.Uses[id]) {
			ok = ok && seen[f.Info.Uses[id]]
		}
		return ok
	})
	return ok
}

// foreign returns a name of C text that fn uses, itself or through what it calls.
func (f *Func) foreign(fn *check.FuncInfo, done map[*check.FuncInfo]bool) *syntax.Ident {
	if done[fn] || fn.Decl.Body == nil {
		return nil
	}
	done[fn] = true
	var found *syntax.Ident
	syntax.Inspect(fn.Decl.Body, func(n syntax.Node) bool {
		if id, ok := n.(*syntax.Ident); ok && found == nil {
			if o := f.Info.Uses[id]; o != nil && o.Kind == check.ForeignObj {
				found = id
			}
		}
		return found == nil
	})
	for _, g := range fn.Calls {
		if found == nil {
			found = f.foreign(g, done)
		}
	}
	return found
}

// otherUse returns a use of the counter in the kernel, or in a function it calls,
// that is not by the same operation for its effect; nil for none. Elements that
// are another one for sure do not count.
func (f *Func) otherUse(c *Counter) syntax.Node {
	for _, u := range f.otherUses(c.Object, c.Op) {
		if u.place == nil || !f.apart(c.Place, u.place) {
			return u.at
		}
	}
	return nil
}

// A use is a reference to a global: its name, or a call of a function that uses it.
type use struct {
	at    syntax.Node
	place syntax.Expr // the whole place that the name belongs to, if it is not the name alone
	adds  string      // the operation by which a statement changes the place for its effect, or ""
}

// A usage names a global and an operation.
type usage struct {
	object *check.Object
	op     string
}

// otherUses returns the references to o that are not by statements which change it
// by the operation, in order.
func (f *Func) otherUses(o *check.Object, op string) []use {
	if f.uses == nil {
		f.uses = f.findUses()
		f.others = map[usage][]use{}
	}
	key := usage{o, op}
	others, ok := f.others[key]
	if !ok {
		for _, u := range f.uses[o] {
			f.steps++
			if u.adds != op {
				others = append(others, u)
			}
		}
		f.others[key] = others
	}
	return others
}

// findUses returns the references to each global in the kernel.
func (f *Func) findUses() map[*check.Object][]use {
	places := f.places()
	uses := map[*check.Object][]use{}
	for i, n := range f.Graph.Nodes {
		for _, r := range f.Effects[i].Refs {
			if r.Object == nil || IsLocal(r.Object) {
				continue
			}
			u := use{at: r.Expr}
			if id, ok := r.Expr.(*syntax.Ident); ok {
				u.place, u.adds = places[id], f.adds(n, id)
			}
			uses[r.Object] = append(uses[r.Object], u)
		}
	}
	return uses
}

// adds returns the operation by which node n, if it is a statement that is there
// for it, changes the named counter, whatever its index is; or "".
func (f *Func) adds(n *Node, id *syntax.Ident) string {
	s, ok := n.Stmt.(*syntax.ExprStmt)
	if !ok || n.Kind != Plain {
		return ""
	}
	call, ok := syntax.Unparen(s.X).(*syntax.CallExpr)
	if !ok {
		return ""
	}
	place, op := atomicOp(f.Info, call)
	if place == nil || rootOf(place) != id {
		return ""
	}
	return op
}

// rootOf returns the name that a place begins with, or nil.
func rootOf(place syntax.Expr) *syntax.Ident {
	for {
		switch e := syntax.Unparen(place).(type) {
		case *syntax.Ident:
			return e
		case *syntax.IndexExpr:
			place = e.X
		case *syntax.MemberExpr:
			place = e.X
		default:
			return nil
		}
	}
}

// places returns the whole place that each name of a global in the kernel belongs to.
func (f *Func) places() map[*syntax.Ident]syntax.Expr {
	out := map[*syntax.Ident]syntax.Expr{}
	syntax.Inspect(f.Fn.Decl.Body, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.IndexExpr, *syntax.MemberExpr:
			place := n.(syntax.Expr)
			if root := rootOf(place); root != nil && globalOf(f.Info, place) != nil && out[root] == nil { // those around it come first
				out[root] = place
			}
		}
		return true
	})
	return out
}

// apart reports whether two places of one variable are different ones for sure.
func (f *Func) apart(a, b syntax.Expr) bool {
	pa, pb := parts(a), parts(b)
	for i := range min(len(pa), len(pb)) {
		switch x := pa[i].(type) {
		case *syntax.IndexExpr:
			y, ok := pb[i].(*syntax.IndexExpr)
			if ok && f.residue(x.Index).differs(f.residue(y.Index)) {
				return true
			}
		case *syntax.MemberExpr:
			y, ok := pb[i].(*syntax.MemberExpr)
			if ok && x.Name.Name != y.Name.Name { // of a struct: a union has no counters
				return true
			}
		}
	}
	return false
}

// parts returns the indexing and member expressions of a place, from its name on.
func parts(place syntax.Expr) []syntax.Expr {
	var out []syntax.Expr
	for {
		switch e := syntax.Unparen(place).(type) {
		case *syntax.IndexExpr:
			out, place = append(out, e), e.X
		case *syntax.MemberExpr:
			out, place = append(out, e), e.X
		default:
			slices.Reverse(out)
			return out
		}
	}
}

// A residue is an index that is add more than the value of a local or parameter,
// which is the same all the time; with mod, the remainder of that.
type residue struct {
	known bool
	base  *check.Object // nil for 0
	add   int64
	mod   int64 // 0 for none
}

// differs reports whether two indices never are the same. Remainders of numbers
// that are not congruent are different, whatever the signs. But sums of ints wrap:
// where just one does, its remainder is no index unless it is 0.
func (r residue) differs(s residue) bool {
	if !r.known || !s.known || r.base != s.base || r.mod != s.mod {
		return false
	}
	apart := r.add - s.add
	if r.mod == 0 {
		return apart%(1<<32) != 0
	}
	apart = max(apart, -apart)
	if apart%r.mod == 0 || apart > 1024 { // rounds are told apart by small numbers
		return false
	}
	for last := int64(math.MaxInt32); last > math.MaxInt32-apart; last-- {
		if last%r.mod == 0 && (last+apart-1<<32)%r.mod == 0 {
			return false
		}
	}
	return true
}

// residue returns what is known of an index.
func (f *Func) residue(e syntax.Expr) residue {
	e = syntax.Unparen(e)
	if c := f.Info.Consts[e]; c != nil && check.IsInteger(f.Info.Types[e]) {
		return residue{known: true, add: c.Int}
	}
	if f.Info.Types[e] != check.Int || !f.fixed(e) {
		return residue{}
	}
	switch e := e.(type) {
	case *syntax.Ident:
		o := f.Info.Uses[e]
		if !IsLocal(o) || o.Type != check.Int {
			return residue{}
		}
		if from := f.fixedLocals()[o]; from != nil && f.Info.Types[from] == check.Int {
			if r := f.residue(from); r.known {
				return r
			}
		}
		return residue{known: true, base: o}
	case *syntax.BinaryExpr:
		x, y := f.residue(e.X), f.residue(e.Y)
		if !x.known || !y.known || x.mod != 0 || y.mod != 0 {
			return residue{}
		}
		switch {
		case e.Op == "%" && y.base == nil && y.add > 0:
			x.mod = y.add
			return x
		case e.Op == "+" && y.base == nil:
			x.add += y.add
			return x
		case e.Op == "+" && x.base == nil:
			y.add += x.add
			return y
		case e.Op == "-" && y.base == nil:
			x.add -= y.add
			return x
		}
	}
	return residue{}
}

// fixed reports whether x has one value, for all threads and as long as the
// kernel runs. Uniform alone is not enough: the counter of a loop is uniform, but
// lanes that come together need not be in the same round.
func (f *Func) fixed(x syntax.Expr) bool {
	f.findStatic()
	if !f.isUniform(x) {
		return false
	}
	ok := true
	syntax.Inspect(x, func(n syntax.Node) bool {
		if id, is := n.(*syntax.Ident); is && IsLocal(f.Info.Uses[id]) {
			_, once := f.fixedLocals()[f.Info.Uses[id]]
			ok = ok && once
		}
		return ok
	})
	return ok
}

// fixedLocals returns the locals that have one value: parameters that nothing
// changes, with nil, and what is declared with a fixed value and not changed, with
// that.
func (f *Func) fixedLocals() map[*check.Object]syntax.Expr {
	if f.fixedVars != nil {
		return f.fixedVars
	}
	f.fixedVars = map[*check.Object]syntax.Expr{}
	writes := map[*check.Object]int{}
	for _, e := range f.Effects {
		for _, r := range e.Refs {
			if IsLocal(r.Object) && r.Mode&(Write|Declare|Escape) != 0 {
				writes[r.Object]++
			}
		}
	}
	for _, p := range f.Fn.Params {
		if IsLocal(p) && writes[p] == 0 && !p.Volatile {
			f.fixedVars[p] = nil
		}
	}
	declare := func(o *check.Object, init syntax.Expr) {
		// In order of the text: what is declared later is not known yet.
		if o != nil && init != nil && IsLocal(o) && writes[o] == 1 && !o.Volatile && f.fixed(init) {
			f.fixedVars[o] = init
		}
	}
	syntax.Inspect(f.Fn.Decl.Body, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.VarDecl:
			declare(f.Info.Defs[n.Name], n.Init)
		case *syntax.AssignExpr:
			declare(f.Info.Declares[n], n.R)
		}
		return true
	})
	return f.fixedVars
}

// String describes the counter in lines, for goldens.
func (c *Counter) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s at %s of %s", c.Op, place(c.Call.Pos()), syntax.String(c.Place))
	if c.Same {
		b.WriteString(", as much by each")
	}
	b.WriteString("\n")
	for _, level := range []struct {
		name string
		why  []Reason
	}{{"shared", c.NotShared}, {"gathered", c.NotGathered}} {
		if len(level.why) == 0 {
			fmt.Fprintf(&b, "  %s\n", level.name)
		}
		for _, r := range level.why {
			fmt.Fprintf(&b, "  not %s, %s: %s\n", level.name, place(r.Pos), r.Text)
		}
	}
	return b.String()
}
