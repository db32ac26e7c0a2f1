package gogen

import (
	"fmt"
	"math"
	"math/bits"
	"slices"

	"irgl/internal/builtin"
	"irgl/internal/check"
	"irgl/syntax"
)

// Which handles and indices need no check. Of every integer expression the analysis
// finds a [value]: the least and the greatest number that it can have, and the domains
// in which it is the number of a node, edge, point or element that exists, unless it is
// negative, as -1 is for none. The loop variables of ForAll are such numbers, as are
// the ends of edges, since graphs are validated before they run.
//
// Local variables are followed along the paths of their function (paths.go), with what
// conditions and earlier accesses say of them. A parameter, function result, global,
// property or array has one value: that of everything which the program stores in it,
// and WL.pop has that of every item which the program pushes. Those values begin as
// [never] and grow, until no store adds to one.

// A flow is a store of a value that the whole program sees.
type flow struct {
	to    *check.Object
	from  syntax.Expr
	with  *check.Object // an array whose elements are those of to
	value value         // without from and with
}

// A unit is a part of the program that is analysed as a whole: a function, or the initial
// values of properties and globals.
type unit struct {
	fn      *check.FuncInfo // nil for initial values
	initial []syntax.Expr
	flows   []flow // what it stores
	queued  bool
	passes  int
}

// A sharedVar is a variable that the whole program sees, or one that is not followed along
// paths.
type sharedVar struct {
	value
	grown   int             // how often
	readers []*unit         // units that read it
	reads   map[*unit]bool  // the same
	with    []*check.Object // what has the same elements
}

// bounds holds what is proven of a program.
type bounds struct {
	*generator
	shared map[*check.Object]*sharedVar
	values map[syntax.Expr]value // of expressions that are executed
	dead   map[syntax.Expr]bool  // expressions that no path leads to
	entry  map[nodeAt]value      // of variables that hold nodes, before a loop
	units  []*unit
	unit   *unit // whose stores are noted
	queue  []*unit

	items   *check.Object // stands for the items of worklists
	own     map[*check.Object]*check.FuncInfo
	atomic  map[*syntax.UnaryExpr]bool // operands of CUDA's atomics
	pushed  bool                       // the program pushes items
	initial bool                       // worklists have items at first

	demands map[*check.Object]syntax.Expr // parameters that calls check, and where they are accessed
	changed map[*check.Object]int         // how often the text changes a variable
	loose   map[*check.Object]bool        // local variables that are not followed along paths
	below   map[*syntax.IndexExpr]bool    // n.edges[i] where i is less than the number of edges
	pointed []pointed
	lengths map[*check.Object]int64 // of pointer parameters
	limits  []int64                 // numbers at which values probably end: constants, and the last indices of arrays
}

// A nodeAt is a variable that holds a node, and a loop.
type nodeAt struct {
	loop syntax.Node
	node *check.Object
}

// maxGrowth is how often the value of a shared variable grows by what is stored, before
// its bounds become those of its type.
const maxGrowth = 6

// maxPasses is how often a unit is analysed, before nothing is known of what it stores.
const maxPasses = 40

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
		generator: g, shared: map[*check.Object]*sharedVar{}, values: map[syntax.Expr]value{}, dead: map[syntax.Expr]bool{}, entry: map[nodeAt]value{},
		items: &check.Object{Name: "WL", Type: check.Int, Global: true}, own: map[*check.Object]*check.FuncInfo{}, atomic: map[*syntax.UnaryExpr]bool{},
		demands: map[*check.Object]syntax.Expr{}, changed: map[*check.Object]int{}, loose: map[*check.Object]bool{},
		below: map[*syntax.IndexExpr]bool{}, lengths: map[*check.Object]int64{},
	}
	b.begin(nil)
	for _, p := range g.info.Props {
		b.property(p)
	}
	for _, o := range g.info.Globals {
		d, _ := o.Decl.(*syntax.VarDecl)
		if d == nil || d.Init == nil {
			b.store(o, nil, value{}) // 0
		} else {
			b.store(o, d.Init, anything)
			b.unit.initial = append(b.unit.initial, d.Init)
		}
	}
	for _, o := range g.info.Entry.Params {
		b.unit.flows = append(b.unit.flows, flow{to: o, value: anything}) // the user's
	}
	for _, f := range g.info.Funcs {
		b.own[f.Object] = f
	}
	for _, f := range g.info.Funcs {
		b.changes(f.Decl.Body)
		b.findLimits(f.Decl.Body)
		b.demand(f)
	}
	for _, f := range g.info.Funcs {
		b.begin(f)
		b.findLoose(f)
		b.counts(f.Decl.Body)
		for n := range syntax.Preorder(f.Decl.Body) {
			b.node(f, n)
		}
		b.escapes(f.Decl.Body)
	}
	slices.Sort(b.limits)
	b.limits = slices.Compact(b.limits)
	b.findLengths()
	if !b.pushed {
		b.store(b.items, nil, anything)
	}
	b.solve()
	if _, ok := b.listed(); !ok && b.initial {
		// Items that only come from other items are of no known domain, and those
		// at first are not checked.
		b.grow(b.items, anything)
		b.solve()
	}
	return b
}

// findLimits notes numbers at which values probably end.
func (b *bounds) findLimits(body syntax.Node) {
	for n := range syntax.Preorder(body) {
		x, ok := n.(syntax.Expr)
		if !ok {
			continue
		}
		if c := b.info.Consts[x]; c != nil && check.IsInteger(b.info.Types[x]) && c.Int > math.MinInt64 && c.Int < math.MaxInt64 {
			b.limits = append(b.limits, c.Int-1, c.Int, c.Int+1)
		}
		if a, ok := b.info.Types[x].(*check.Array); ok {
			b.limits = append(b.limits, a.Len-1, a.Len)
		}
	}
}

// begin begins a unit.
func (b *bounds) begin(f *check.FuncInfo) {
	b.unit = &unit{fn: f}
	b.units = append(b.units, b.unit)
}

// solve analyses the units until no value grows. Callers come before what they call,
// which the text has in the opposite order.
func (b *bounds) solve() {
	if b.queue == nil {
		for _, u := range b.units {
			b.enqueue(u)
		}
		slices.Reverse(b.queue)
	}
	for len(b.queue) > 0 {
		u := b.queue[0]
		b.queue, u.queued = b.queue[1:], false
		u.passes++
		b.analyse(u)
		for _, s := range u.flows {
			if u.passes > maxPasses && s.from != nil {
				b.grow(s.to, anything)
			} else {
				b.flow(s)
			}
		}
	}
}

func (b *bounds) enqueue(u *unit) {
	if !u.queued {
		b.queue, u.queued = append(b.queue, u), true
	}
}

// flow does a store of the unit that has been analysed.
func (b *bounds) flow(s flow) {
	switch {
	case s.with != nil:
		b.link(s.with, s.to)
	case s.from == nil:
		b.grow(s.to, s.value)
	default:
		if v, ok := b.values[s.from]; ok {
			b.grow(s.to, v)
		} else if !b.dead[s.from] {
			b.grow(s.to, anything)
		}
	}
}

// link notes that what is stored in an array is stored in another.
func (b *bounds) link(from, to *check.Object) {
	x := b.sharedOf(from)
	if !slices.Contains(x.with, to) {
		x.with = append(x.with, to)
		b.grow(to, x.value)
	}
}

// grow adds v to the value of o, and has those analysed again that have read it.
func (b *bounds) grow(o *check.Object, v value) {
	x, t := b.sharedOf(o), contentsOf(o)
	next := join(x.value, converted(v, t))
	if next == x.value {
		return
	}
	switch x.grown++; {
	case x.grown > 2*maxGrowth:
		next = widened(x.value, next, nil, t)
	case x.grown > maxGrowth:
		next = widened(x.value, next, b.limits, t)
	}
	x.value = next
	for _, u := range x.readers {
		b.enqueue(u)
	}
	for _, to := range x.with {
		b.grow(to, x.value)
	}
}

// sharedOf returns the entry of o.
func (b *bounds) sharedOf(o *check.Object) *sharedVar {
	x := b.shared[o]
	if x == nil {
		x = &sharedVar{value: never, reads: map[*unit]bool{}}
		b.shared[o] = x
	}
	return x
}

// contentsOf returns the type of the values that o holds: of the elements of an array, of
// the result of a function.
func contentsOf(o *check.Object) check.Type {
	t := o.Type
	if o.Func != nil {
		t = o.Func.Type.Result
	}
	if e := elem(t); e != nil {
		return e
	}
	return t
}

// listed returns the domain of which the items of worklists are proven handles;
// false for none.
func (b *bounds) listed() (syntax.Domain, bool) {
	v := b.sharedOf(b.items).value
	if v.never() || v.lo < 0 || bits.OnesCount8(uint8(v.of)) != 1 {
		return 0, false
	}
	return syntax.Domain(bits.TrailingZeros8(uint8(v.of))), true
}

// of returns what is known of o now, which the unit reads.
func (b *bounds) of(o *check.Object) value {
	x := b.sharedOf(o)
	if b.unit != nil && !x.reads[b.unit] {
		x.reads[b.unit] = true
		x.readers = append(x.readers, b.unit)
	}
	return x.value
}

// store notes a store to o: of the value of from, or without that of v.
func (b *bounds) store(o *check.Object, from syntax.Expr, v value) {
	if o != nil && !b.followed(o) {
		b.unit.flows = append(b.unit.flows, flow{to: o, from: from, value: v})
	}
}

// followed reports whether o is a variable or parameter that is followed along the paths
// of its function.
func (b *bounds) followed(o *check.Object) bool {
	return (o.Kind == check.VarObj || o.Kind == check.ParamObj) && !o.Global && !o.Addressed && !b.loose[o] && isScalarInt(o.Type)
}

func isHandle(t check.Type) bool { _, ok := domainOf(t); return ok }

// property notes the initial values of a property.
func (b *bounds) property(p *check.Prop) {
	switch id, _ := p.Decl.Init.(*syntax.Ident); {
	case p.Builtin && p.Object.Name == "points":
		b.store(p.Object, nil, b.orNone(syntax.PointDomain)) // rt checks the input
	case p.Builtin && p.Object.Name == "neighbors":
		b.store(p.Object, nil, b.orNone(syntax.ElementDomain))
	case p.Builtin:
		b.store(p.Object, nil, anything)
	case p.Decl.Init == nil, b.info.Consts[p.Decl.Init] != nil && *b.info.Consts[p.Decl.Init] == check.Const{}:
		b.store(p.Object, nil, zeroOf(p.Of))
	case id != nil && id.Name == "id" && (b.info.Uses[id] == nil || b.info.Uses[id].Kind != check.ConstObj):
		b.store(p.Object, nil, b.numbersOf(p.Of))
	default:
		b.store(p.Object, p.Decl.Init, anything)
		b.unit.initial = append(b.unit.initial, p.Decl.Init)
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
			b.store(o, n.R, anything)
		case n.Op == "=":
			b.store(b.storage(n.L), n.R, anything)
		default:
			b.store(b.storage(n.L), nil, anything)
		}
	case *syntax.PostfixExpr:
		b.store(b.storage(n.X), nil, anything)
	case *syntax.UnaryExpr:
		if n.Op == "++" || n.Op == "--" || n.Op == "&" && !b.atomic[n] {
			b.store(b.storage(n.X), nil, anything)
		}
	case *syntax.CallExpr:
		b.call(n)
	case *syntax.RetryStmt:
		b.push(n.Item)
	case *syntax.ReturnStmt:
		if n.X != nil {
			b.store(f.Object, n.X, anything)
		}
	case *syntax.ForAllStmt:
		b.store(b.info.Defs[n.Var], nil, b.iterated(n, nil))
	case *syntax.AtomicStmt:
		b.store(b.storage(n.Lock), nil, anything)
	case *syntax.InvokeExpr:
		b.invocation(n.Kernel, n.Args)
	case *syntax.IterateStmt:
		b.invocation(n.Kernel, n.Args)
	case *syntax.WorklistInit:
		b.initial = b.initial || len(n.Items) > 0
		for _, x := range n.Items {
			if b.checkedInitially(x) {
				v := value{0, math.MaxInt32 - 1, allDomains}
				if d, ok := domainOf(b.info.Types[x]); ok {
					v.of = 1 << d
				}
				b.store(b.items, nil, v)
			} else {
				b.store(b.items, nil, anything)
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

// iterated returns the value of a loop's variable. The path, nil for none, interprets the
// bounds of a range of integers.
func (b *bounds) iterated(s *syntax.ForAllStmt, p *path) value {
	switch b.info.Types[s.Iter] {
	case check.Nodes:
		return b.numbersOf(syntax.NodeDomain)
	case check.Edges, check.InEdges, check.AllEdges:
		return b.numbersOf(syntax.EdgeDomain)
	case check.Points:
		return b.numbersOf(syntax.PointDomain)
	case check.Elements:
		return b.numbersOf(syntax.ElementDomain)
	case check.Ints:
		low, high := check.RangeBounds(s.Iter)
		if high == nil {
			break
		}
		v, _ := limited("<", valuesOf(check.Int), valuesOf(check.Int))
		if low == nil {
			v.lo = 0
		} else if p != nil {
			v.lo = max(v.lo, converted(p.full(low), check.Int).lo)
		}
		if p != nil {
			v, _ = limited("<", v, converted(p.full(high), check.Int))
		}
		v.of |= b.limitOf(high)
		if v.never() {
			return never
		}
		return v
	}
	return anything
}

// limitOf returns the domains in which numbers below x exist, unless they are negative:
// x is no more than the size of the domain.
func (b *bounds) limitOf(x syntax.Expr) domainSet {
	switch x := syntax.Unparen(x).(type) {
	case *syntax.MemberExpr:
		if o := b.info.Uses[x.Name]; o != nil && o.Kind == check.BuiltinObj && isWorld(b.info.Types[x.X]) {
			return map[string]domainSet{
				"nnodes": 1 << syntax.NodeDomain, "nedges": 1 << syntax.EdgeDomain, "npoints": 1 << syntax.PointDomain, "nelements": 1 << syntax.ElementDomain,
			}[x.Name.Name]
		}
	case *syntax.CallExpr:
		if x2 := builtinOf(b.info, x); x2 != nil && x2.Name == "min" && b.info.Types[x] == check.Int {
			return b.limitOf(x.Args[0]) | b.limitOf(x.Args[1])
		}
	}
	return 0
}

func (b *bounds) invocation(kernel *syntax.Ident, args []syntax.Expr) {
	if o := b.info.Uses[kernel]; o != nil && o.Func != nil {
		b.arguments(o.Func, args)
	}
}

func (b *bounds) arguments(f *check.FuncInfo, args []syntax.Expr) {
	for i, a := range args {
		if i >= len(f.Params) || f.Params[i] == nil {
			continue
		}
		if _, ok := check.Decay(f.Type.Params[i]).(*check.Pointer); ok {
			b.sameElements(f.Params[i], a)
			b.pointed = append(b.pointed, pointed{f.Params[i], a})
			continue
		}
		b.unit.flows = append(b.unit.flows, flow{to: f.Params[i], from: a})
	}
}

// push notes an item that the program pushes or retries.
func (b *bounds) push(x syntax.Expr) {
	b.pushed = true
	b.store(b.items, x, anything)
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
				b.store(b.info.PropOf("points").Object, a, anything)
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
		b.store(o, e.Args[1], anything)
	case "atomicCAS":
		b.store(o, e.Args[2], anything)
	default:
		b.store(o, nil, anything)
	}
}

func isScalarInt(t check.Type) bool { return check.IsInteger(t) || isHandle(t) }

// valueOf returns what is known of x wherever it is evaluated.
func (b *bounds) valueOf(x syntax.Expr) value {
	if v, ok := b.values[x]; ok {
		return v
	}
	return anything
}

// exists reports whether x is proven to be a number of what exists in d.
func (b *bounds) exists(x syntax.Expr, d syntax.Domain) bool { return b.valueOf(x).exists(d) }

// nodeBefore reports whether the variable o holds a node that exists before a loop.
func (b *bounds) nodeBefore(loop syntax.Node, o *check.Object) bool {
	v, ok := b.entry[nodeAt{loop, o}]
	if !ok && !b.followed(o) {
		v, ok = b.of(o), true
	}
	return ok && v.exists(syntax.NodeDomain)
}

// needs reports whether handle x of type t must be checked.
func (b *bounds) needs(x syntax.Expr, t check.Type) bool {
	d, ok := domainOf(t)
	return ok && !b.exists(x, d)
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
