package gogen

import (
	"fmt"
	"math"
	"math/bits"

	"irgl/internal/builtin"
	"irgl/internal/check"
	"irgl/syntax"
)

// Which handles need no check. A value is proven in a domain (nodes, edges, points,
// elements) when it can only be the number of one that exists. The loop variables
// of ForAll are, as are the ends of edges, since graphs are validated before they
// run. A variable, parameter, function result, global or property is proven when
// every value that the program stores in it is; what WL.pop returns is proven when
// every item that the program pushes is. The analysis is flow-insensitive: it
// assumes that everything is proven, and withdraws what some store contradicts
// until nothing changes.
//
// Three facts are followed: that a value is the number of a node (edge, point,
// element) that exists; that it is such a number or negative, as -1 is for none,
// so that the check of a handle is that of its sign; and that it is neither
// negative nor beyond an int, as indices and counts are.

// A flow is a store of a value: from, or any number of a domain when from is nil.
type flow struct {
	to     *check.Object
	from   syntax.Expr
	with   *check.Object // an array whose elements are those of to
	domain domainSet     // without from and with: what is known of the value
}

// A domainSet is a set of facts: a bit for each domain in which a value is proven,
// one for each in which it is proven unless it is negative, and natural.
type domainSet uint16

const (
	// proven has the bits of domains.
	proven domainSet = 1<<syntax.NodeDomain | 1<<syntax.EdgeDomain | 1<<syntax.PointDomain | 1<<syntax.ElementDomain
	// orNegative has the bits of domains in which a value is proven, or is a
	// negative number of 32 bits.
	orNegative = proven << 8
	// natural says that a value is at least 0, and an int can hold it.
	natural domainSet = 1 << 15

	allDomains = proven | orNegative | natural
)

// setOf returns what is known of the numbers of a domain.
func setOf(d syntax.Domain) domainSet {
	if d == syntax.EdgeDomain {
		return provenIn(d) | provenIn(d)<<8
	}
	return provenIn(d) | provenIn(d)<<8 | natural
}

// provenIn returns the fact that a value is proven in d.
func provenIn(d syntax.Domain) domainSet { return 1 << d }

// bounds holds what is proven of a program.
type bounds struct {
	*generator
	proven map[*check.Object]domainSet // all domains where there is no entry
	flows  []flow
	items  *check.Object // stands for the items of worklists
	own    map[*check.Object]*check.FuncInfo
	atomic map[*syntax.UnaryExpr]bool // operands of CUDA's atomics
	pushed bool                       // the program pushes items

	demands map[*check.Object]syntax.Expr // parameters that calls check, and where they are accessed
	checked map[*syntax.Ident]bool        // uses of variables that have been checked
	steps   map[syntax.Expr]bool          // increments that cannot overflow
	below   map[*syntax.IndexExpr]bool    // n.edges[i] where i is less than the number of edges
	initial bool                          // worklists have items at first
	pointed []pointed
	lengths map[*check.Object]int64 // of pointer parameters
}

// domainOf returns the domain of handles of type t.
func domainOf(t check.Type) (syntax.Domain, bool) {
	switch t {
	case check.Node:
		return syntax.NodeDomain, true
	case check.Edge, check.InEdge:
		return syntax.EdgeDomain, true
	case check.Point:
		return syntax.PointDomain, true
	case check.Element:
		return syntax.ElementDomain, true
	}
	return 0, false
}

// findBounds analyses the program.
func (g *generator) findBounds() *bounds {
	b := &bounds{
		generator: g, proven: map[*check.Object]domainSet{}, items: &check.Object{Name: "WL", Type: check.Int},
		own: map[*check.Object]*check.FuncInfo{}, atomic: map[*syntax.UnaryExpr]bool{}, lengths: map[*check.Object]int64{},
		demands: map[*check.Object]syntax.Expr{}, checked: map[*syntax.Ident]bool{}, steps: map[syntax.Expr]bool{}, below: map[*syntax.IndexExpr]bool{},
	}
	for _, p := range g.info.Props {
		b.property(p)
	}
	for _, o := range g.info.Globals {
		d, _ := o.Decl.(*syntax.VarDecl)
		if d == nil || d.Init == nil {
			b.store(o, nil, 0)
		} else {
			b.store(o, d.Init, 0)
		}
	}
	for _, f := range g.info.Funcs {
		b.own[f.Object] = f
	}
	for _, f := range g.info.Funcs {
		b.demand(f)
	}
	for _, o := range g.info.Entry.Params {
		b.store(o, nil, 0) // the user's
	}
	for _, f := range g.info.Funcs {
		b.counts(f.Decl.Body)
		for n := range syntax.Preorder(f.Decl.Body) {
			b.node(f, n)
		}
		b.escapes(f.Decl.Body)
		b.available(f.Decl.Body)
	}
	b.findLengths()
	if !b.pushed {
		b.store(b.items, nil, 0)
	}
	b.solve()
	if _, ok := b.listed(); !ok && b.initial {
		// Items that only come from other items are of no known domain, and those
		// at first are not checked.
		b.store(b.items, nil, 0)
		b.solve()
	}
	return b
}

// solve withdraws what stores contradict, until nothing changes.
func (b *bounds) solve() {
	for changed := true; changed; {
		changed = false
		for _, s := range b.flows {
			if now := b.of(s.to) & b.stored(s); now != b.of(s.to) {
				b.proven[s.to], changed = now, true
			}
		}
	}
}

// listed returns the domain of which the items of worklists are proven handles;
// false for none.
func (b *bounds) listed() (syntax.Domain, bool) {
	s := b.of(b.items)
	s &= proven
	return syntax.Domain(bits.TrailingZeros16(uint16(s))), bits.OnesCount16(uint16(s)) == 1
}

func (b *bounds) of(o *check.Object) domainSet {
	if s, ok := b.proven[o]; ok {
		return s
	}
	return allDomains
}

// store notes a store to o; one without a value stores any number of a set of
// domains.
func (b *bounds) store(o *check.Object, from syntax.Expr, any domainSet) {
	if o != nil {
		b.flows = append(b.flows, flow{to: o, from: from, domain: any})
	}
}

// stored returns the domains in which what a flow stores is proven.
func (b *bounds) stored(s flow) domainSet {
	if s.with != nil {
		return b.of(s.with)
	}
	if s.from == nil {
		return s.domain
	}
	t := s.to.Type
	if s.to.Func != nil {
		t = s.to.Func.Type.Result
	}
	if e := elem(t); e != nil {
		t = e
	}
	return b.expr(s.from) & b.kept(t)
}

// kept returns the facts that a conversion to t keeps.
func (b *bounds) kept(t check.Type) domainSet {
	const edges = (1 | 1<<8) << syntax.EdgeDomain
	switch {
	case t == check.InEdge:
		return allDomains
	case !check.IsInteger(t) && !isHandle(t) || t.Size() < 4:
		return 0
	}
	kept := allDomains
	if t.Size() == 4 && !b.info.Needs.EdgeItems {
		kept &^= edges // there may be 2^31 edges and more
	}
	if check.IsUnsigned(t) {
		kept &^= orNegative
	}
	return kept
}

func isHandle(t check.Type) bool { _, ok := domainOf(t); return ok }

// property notes the initial values of a property.
func (b *bounds) property(p *check.Prop) {
	switch id, _ := p.Decl.Init.(*syntax.Ident); {
	case p.Builtin && p.Object.Name == "points":
		b.store(p.Object, nil, setOf(syntax.PointDomain)&orNegative) // rt checks the input
	case p.Builtin && p.Object.Name == "neighbors":
		b.store(p.Object, nil, setOf(syntax.ElementDomain)&orNegative)
	case p.Builtin:
		b.store(p.Object, nil, 0)
	case p.Decl.Init == nil:
		b.store(p.Object, nil, zeroOf(p.Of))
	case id != nil && id.Name == "id" && (b.info.Uses[id] == nil || b.info.Uses[id].Kind != check.ConstObj):
		b.store(p.Object, nil, setOf(p.Of)&b.kept(p.Object.Type))
	default:
		b.store(p.Object, p.Decl.Init, 0)
	}
}

// node notes the stores that n itself does.
func (b *bounds) node(f *check.FuncInfo, n syntax.Node) {
	switch n := n.(type) {
	case *syntax.VarDecl:
		b.variable(b.info.Defs[n.Name], n.Init)
	case *syntax.AssignExpr:
		switch o := b.info.Declares[n]; {
		case o != nil:
			b.store(o, n.R, 0)
		case n.Op == "=":
			b.store(b.storage(n.L), n.R, 0)
		default:
			b.store(b.storage(n.L), nil, 0)
		}
	case *syntax.PostfixExpr:
		b.step(n, n.X)
	case *syntax.UnaryExpr:
		if n.Op == "++" || n.Op == "--" || n.Op == "&" && !b.atomic[n] {
			b.step(n, n.X)
		}
	case *syntax.CallExpr:
		b.call(n)
	case *syntax.RetryStmt:
		b.push(n.Item)
	case *syntax.ReturnStmt:
		if n.X != nil {
			b.store(f.Object, n.X, 0)
		}
	case *syntax.ForAllStmt:
		b.loop(n)
	case *syntax.AtomicStmt:
		b.store(b.storage(n.Lock), nil, 0)
	case *syntax.InvokeExpr:
		b.invocation(n.Kernel, n.Args)
	case *syntax.IterateStmt:
		b.invocation(n.Kernel, n.Args)
	case *syntax.WorklistInit:
		b.initial = b.initial || len(n.Items) > 0
		for _, x := range n.Items {
			if !b.checkedInitially(x) {
				b.store(b.items, nil, 0)
			}
		}
	}
}

// storage returns the variable or property that x names, or nil; for an element of
// an array, the array. Members of structs are never proven.
func (b *bounds) storage(x syntax.Expr) *check.Object {
	switch x := syntax.Unparen(x).(type) {
	case *syntax.Ident:
		if o := b.info.Uses[x]; o != nil {
			return o
		}
		return b.info.Defs[x]
	case *syntax.MemberExpr:
		if o := b.info.Uses[x.Name]; o != nil && o.Kind == check.PropObj {
			return o
		}
	case *syntax.IndexExpr:
		return b.array(x.X)
	}
	return nil
}

// loop notes the values of a loop variable.
func (b *bounds) loop(s *syntax.ForAllStmt) {
	any := domainSet(0)
	switch b.info.Types[s.Iter] {
	case check.Nodes:
		any = setOf(syntax.NodeDomain)
	case check.Edges, check.InEdges, check.AllEdges:
		any = setOf(syntax.EdgeDomain)
	case check.Points:
		any = setOf(syntax.PointDomain)
	case check.Elements:
		any = setOf(syntax.ElementDomain)
	case check.Ints:
		// range(graph.nnodes) runs over the nodes.
		low, high := check.RangeBounds(s.Iter)
		if m, ok := syntax.Unparen(high).(*syntax.MemberExpr); ok && low == nil && m.Name.Name == "nnodes" && b.info.Types[m.X] == check.GraphType {
			any = setOf(syntax.NodeDomain)
		}
	}
	b.store(b.info.Defs[s.Var], nil, any)
}

func (b *bounds) invocation(kernel *syntax.Ident, args []syntax.Expr) {
	if o := b.info.Uses[kernel]; o != nil && o.Func != nil {
		b.arguments(o.Func, args)
	}
}

func (b *bounds) arguments(f *check.FuncInfo, args []syntax.Expr) {
	for i, a := range args {
		if i < len(f.Params) {
			if _, ok := check.Decay(f.Type.Params[i]).(*check.Pointer); ok && f.Params[i] != nil {
				b.sameElements(f.Params[i], a)
				b.pointed = append(b.pointed, pointed{f.Params[i], a})
				continue
			}
			b.store(f.Params[i], a, 0)
		}
	}
}

// push notes an item that the program pushes or retries.
func (b *bounds) push(x syntax.Expr) {
	b.pushed = true
	b.store(b.items, x, 0)
}

// checkedInitially reports whether an initial item of a worklist is checked, if
// need be, when the list is made: a handle, or a constant that could be one. In a
// list of proven items there is nothing else.
func (b *bounds) checkedInitially(x syntax.Expr) bool {
	if c := b.info.Consts[x]; c != nil {
		return c.Int >= 0
	}
	return isHandle(b.info.Types[x]) && !isSlice(x)
}

// call notes the stores of a call.
func (b *bounds) call(e *syntax.CallExpr) {
	if m, ok := syntax.Unparen(e.Fun).(*syntax.MemberExpr); ok {
		if b.info.Types[m.X] == check.Worklist && m.Name.Name == "push" {
			b.push(e.Args[0])
		}
		if b.info.Types[m.X] == check.MeshType && m.Name.Name == "add_element" {
			for _, a := range e.Args {
				b.store(b.info.PropOf("points").Object, a, 0)
			}
		}
		return
	}
	if x := builtinOf(b.info, e); x != nil && x.Rule == builtin.AtomicCall && len(e.Args) > 1 {
		b.atomicCall(e, x.Name)
		return
	}
	if id, ok := syntax.Unparen(e.Fun).(*syntax.Ident); ok {
		if o := b.info.Uses[id]; o != nil && o.Kind == check.FuncObj && o.Func != nil {
			b.arguments(o.Func, e.Args)
		}
	}
}

// atomicCall notes what one of CUDA's atomics stores.
func (b *bounds) atomicCall(e *syntax.CallExpr, name string) {
	u, ok := syntax.Unparen(e.Args[0]).(*syntax.UnaryExpr)
	if !ok || u.Op != "&" {
		return // through a pointer: what it points to is not proven
	}
	b.atomic[u] = true
	o := b.storage(u.X)
	switch name {
	case "atomicMin", "atomicMax", "atomicExch":
		b.store(o, e.Args[1], 0)
	case "atomicCAS":
		b.store(o, e.Args[2], 0)
	default:
		b.store(o, nil, 0)
	}
}

// expr returns the domains in which the value of e is proven.
func (b *bounds) expr(e syntax.Expr) domainSet {
	if c := b.info.Consts[e]; c != nil && check.IsInteger(b.info.Types[e]) {
		switch {
		case c.Int >= 0 && c.Int <= math.MaxInt32:
			return natural
		case c.Int < 0 && c.Int >= math.MinInt32 && !check.IsUnsigned(b.info.Types[e]):
			return orNegative
		}
		return 0
	}
	switch e := e.(type) {
	case *syntax.ParenExpr:
		return b.expr(e.X)
	case *syntax.Ident:
		o := b.storage(e)
		if o == nil || o.Kind != check.VarObj && o.Kind != check.ParamObj || o.Addressed && !o.Global || !isScalarInt(o.Type) {
			return 0
		}
		if d, ok := domainOf(o.Type); ok && (b.checked[e] || b.demands[o] != nil) {
			return b.of(o) | setOf(d)
		}
		return b.of(o)
	case *syntax.MemberExpr:
		return b.member(e)
	case *syntax.IndexExpr:
		if isRow(b.info.Types[e.X]) {
			return setOf(syntax.EdgeDomain) // checked where it is evaluated
		}
		if o := b.array(e.X); o != nil && isScalarInt(elem(o.Type)) {
			return b.of(o)
		}
	case *syntax.CastExpr:
		return b.expr(e.X) & b.kept(b.info.Named[e.Type])
	case *syntax.CondExpr:
		return b.expr(e.Then) & b.expr(e.Else) & b.kept(b.info.Types[e])
	case *syntax.BinaryExpr:
		switch e.Op {
		case ",":
			return b.expr(e.Y)
		case "%":
			if c := b.info.Consts[e.Y]; c != nil && c.Int > 0 && c.Int <= math.MaxInt32 && b.expr(e.X)&natural != 0 {
				return natural
			}
		case "/":
			if c := b.info.Consts[e.Y]; c != nil && c.Int > 0 {
				return b.expr(e.X) & natural
			}
		}
	case *syntax.AssignExpr:
		if e.Op == "=" {
			return b.expr(e.R) & b.kept(b.info.Types[e])
		}
	case *syntax.CallExpr:
		return b.result(e)
	}
	return 0
}

func isScalarInt(t check.Type) bool { return check.IsInteger(t) || isHandle(t) }

// member returns the domains in which a member's value is proven.
func (b *bounds) member(e *syntax.MemberExpr) domainSet {
	o := b.info.Uses[e.Name]
	switch {
	case o == nil:
		return 0
	case o.Kind == check.PropObj && isScalarInt(o.Type):
		return b.of(o)
	case o.Kind != check.BuiltinObj:
		return 0
	}
	switch t := b.info.Types[e.X]; {
	case isHandle(t) && e.Name.Name == "id":
		return b.expr(e.X)
	case (t == check.Edge || t == check.InEdge) && (e.Name.Name == "dst" || e.Name.Name == "src"):
		return setOf(syntax.NodeDomain)
	case t == check.Node && (e.Name.Name == "degree" || e.Name.Name == "in_degree"):
		return natural
	}
	return 0
}

// result returns the domains in which a call's value is proven.
func (b *bounds) result(e *syntax.CallExpr) domainSet {
	if m, ok := syntax.Unparen(e.Fun).(*syntax.MemberExpr); ok {
		base := b.info.Types[m.X]
		switch {
		case base == check.Worklist && m.Name.Name == "pop":
			return b.of(b.items)
		case base == check.MeshType && m.Name.Name == "add_point":
			return setOf(syntax.PointDomain)
		case base == check.MeshType && m.Name.Name == "add_element":
			return setOf(syntax.ElementDomain)
		case (base == check.GraphType || base == check.MeshType) && isHandle(b.info.Types[e]):
			return b.expr(e.Args[0]) & b.kept(b.info.Types[e])
		}
		return 0
	}
	if x := builtinOf(b.info, e); x != nil {
		switch {
		case x.Name == "min" || x.Name == "max":
			return b.expr(e.Args[0]) & b.expr(e.Args[1]) & b.kept(b.info.Types[e])
		case x.Rule == builtin.AtomicCall:
			// The value from before.
			if u, ok := syntax.Unparen(e.Args[0]).(*syntax.UnaryExpr); ok && u.Op == "&" {
				if o := b.storage(u.X); o != nil && isScalarInt(o.Type) {
					return b.of(o)
				}
			}
		}
		return 0
	}
	id, ok := syntax.Unparen(e.Fun).(*syntax.Ident)
	if !ok || b.info.Uses[id] == nil {
		return 0
	}
	switch o := b.info.Uses[id]; {
	case o.Kind == check.TypeObj && len(e.Args) == 1:
		return b.expr(e.Args[0]) & b.kept(o.Type)
	case o.Kind == check.FuncObj && o.Func != nil && b.own[o] != nil:
		return b.of(o) & b.kept(o.Func.Type.Result)
	}
	return 0
}

// needs reports whether handle x of type t must be checked.
func (b *bounds) needs(x syntax.Expr, t check.Type) bool {
	d, ok := domainOf(t)
	return ok && b.expr(x)&provenIn(d) == 0
}

// A span is a range of the program's text.
type span struct{ from, to int }

// at returns the index of n's range among the places of faults.
func (g *generator) at(n syntax.Node) int {
	p := span{int(n.Pos().Offset), int(n.End().Offset)}
	if i, ok := g.placeOf[p]; ok {
		return i
	}
	i := len(g.places)
	if g.placeOf == nil {
		g.placeOf = map[span]int{}
	}
	g.placeOf[p] = i
	g.places = append(g.places, fmt.Sprintf("{From: %d, To: %d}, // %d:%d", p.from, p.to, n.Pos().Line(), n.Pos().Column()))
	return i
}
