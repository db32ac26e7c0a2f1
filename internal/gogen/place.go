package gogen

import (
	"fmt"
	"strconv"
	"strings"

	"irgl/internal/check"
	"irgl/syntax"
)

// A place is an lvalue in Go: an operand s, or, when ptr is set, what the Go
// pointer ptr points to.
type place struct {
	s   string
	ptr string
	t   check.Type
	obj *check.Object // of a variable
	// racy says that other threads may access the place at the same time, as the
	// program declares.
	racy bool
}

// text returns the place as Go writes it.
func (p place) text() string {
	if p.ptr != "" {
		return "*" + p.ptr
	}
	return p.s
}

// base returns an operand that members and indices may follow: Go follows a
// pointer by itself.
func (p place) base() string {
	if p.ptr != "" {
		return p.ptr
	}
	return p.s
}

// pointer returns the place's address as a pointer of its Go type.
func (p place) pointer() string {
	if p.ptr != "" {
		return p.ptr
	}
	return "&" + p.s
}

// isRacy reports whether accesses of o, a property or global, may race: where several
// threads run and the program declares it.
func (f *fn) isRacy(o *check.Object) bool {
	_, declared := f.info.Racy[o.Name]
	return declared && f.host == nil && (f.kernel == nil || !f.kernel.solo) && (check.IsArithmetic(o.Type) || isHandle(o.Type))
}

// store emits the store of a value.
func (f *fn) store(p place, value string) {
	if p.racy {
		f.emit("rt.Store(%s, %s)", p.pointer(), value)
		return
	}
	f.emit("%s = %s", p.text(), value)
}

// address returns the place's address as an unsafe.Pointer.
func (p place) address() string {
	if p.ptr != "" {
		if inner, ok := strings.CutPrefix(p.ptr, "(*"); ok {
			// (*T)(x): x is the unsafe.Pointer it was made from.
			if i := strings.Index(inner, ")("); i >= 0 && !strings.Contains(inner[:i], "(") && strings.HasSuffix(inner, ")") {
				return inner[i+2 : len(inner)-1]
			}
		}
		return "unsafe.Pointer(" + p.ptr + ")"
	}
	return "unsafe.Pointer(&" + p.s + ")"
}

// load returns the value at p; an array becomes a pointer to its start.
func (f *fn) load(p place) val {
	if p.obj != nil {
		f.used[p.obj] = true
	}
	if a, ok := p.t.(*check.Array); ok {
		return val{s: p.address(), prec: precOperand, t: &check.Pointer{Elem: a.Elem}}
	}
	if p.racy {
		return val{s: "rt.Load(" + p.pointer() + ")", prec: precOperand, t: p.t}
	}
	prec := precOperand
	if p.ptr != "" {
		prec = precUnary
	}
	return val{s: p.text(), prec: prec, t: p.t}
}

// address translates &x.
func (f *fn) address(x syntax.Expr, t check.Type) val {
	x = syntax.Unparen(x)
	switch y := x.(type) {
	case *syntax.UnaryExpr:
		if y.Op == "*" { // &*p is p, even where *p does not exist
			return f.convert(f.expr(y.X), t, y)
		}
	case *syntax.IndexExpr: // &a[i] is a + i, which may be the end of a
		access := x == f.accessed
		base, i := f.pair(y.X, y.Index)
		if a, ok := f.info.Types[y.X].(*check.Array); ok {
			i = f.inArray(y, i, a, access)
		} else if n := f.lengthOf(y.X); n > 0 {
			i = f.inLength(y, i, n, access)
		}
		v := f.pointerOp(y, "+", base, i)
		v.t = t
		return v
	case *syntax.BasicLit:
		v := f.expr(y)
		v.t = t
		return v
	}
	p := f.place(x)
	if p.obj != nil {
		f.used[p.obj] = true
	}
	if p.t == check.Node || p.t == check.Edge {
		// A handle is an integer in memory too.
		return val{s: p.address(), prec: precOperand, t: t}
	}
	return val{s: p.address(), prec: precOperand, t: t}
}

// inArray returns the index i of e, checked against the array's length. access says
// that the element is accessed rather than pointed to: it must not be the end.
func (f *fn) inArray(e *syntax.IndexExpr, i val, a *check.Array, access bool) val {
	if i.c != nil {
		if i.c.Int < 0 || i.c.Int > a.Len || access && i.c.Int == a.Len {
			f.errorf(e.Index, codeIndex, "the index %d is outside %s", i.c.Int, a)
		}
		return i
	}
	return f.inLength(e, i, a.Len, access)
}

// inLength returns the index i of e, checked against a length.
func (f *fn) inLength(e *syntax.IndexExpr, i val, n int64, access bool) val {
	if i.c != nil && i.c.Int >= 0 && i.c.Int < n || f.bounds.valueOf(e.Index).below(n) || !access && f.bounds.valueOf(e.Index).below(n+1) {
		return i
	}
	if i.cond {
		i = f.convert(i, check.Int, e)
	}
	name := "rt.End"
	if access {
		name = "rt.Index"
	}
	i = f.typed(i)
	i.s, i.prec, i.c = fmt.Sprintf("%s(%s, %d, %d)", name, i.s, n, f.at(e)), precOperand, nil
	return i
}

// place translates an lvalue.
func (f *fn) place(e syntax.Expr) place {
	t := f.info.Types[e]
	switch e := e.(type) {
	case *syntax.ParenExpr:
		return f.place(e.X)
	case *syntax.Ident:
		return f.identPlace(e)
	case *syntax.UnaryExpr:
		if e.Op == "*" {
			return f.deref(f.expr(e.X), t, e)
		}
	case *syntax.IndexExpr:
		return f.indexPlace(e, t)
	case *syntax.MemberExpr:
		return f.memberPlace(e, t)
	case *syntax.CompoundLit:
		t := f.info.Named[e.Type]
		name := f.unique("lit")
		f.declareZero(name, f.goType(t, e))
		p := place{s: name, t: t}
		f.initialise(p, e.Init)
		return p
	}
	// Not an lvalue, as in f(x).member: its value in a variable.
	v := f.save(f.expr(e))
	return place{s: v.s, t: v.t}
}

// deref returns the place of type t that v points to.
func (f *fn) deref(v val, t check.Type, n syntax.Node) place {
	if p, ok := v.t.(*check.Pointer); ok && p.Volatile {
		f.errorf(n, codeVolatile, "generated Go has no volatile accesses")
	}
	return place{ptr: "(*" + f.goType(t, n) + ")(" + f.typed(v).s + ")", t: t}
}

func (f *fn) identPlace(e *syntax.Ident) place {
	o := f.info.Uses[e]
	if o == nil {
		o = f.info.Defs[e]
	}
	if o == nil || o.Kind != check.VarObj && o.Kind != check.ParamObj {
		f.errorf(e, codeUnknown, "generated Go has no %s", e.Name)
		return place{s: "_", t: check.Int}
	}
	if o.Volatile {
		f.errorf(e, codeVolatile, "generated Go has no volatile variables")
	}
	if o.Global {
		if own := f.owned[o]; own != "" {
			return place{ptr: own, t: o.Type}
		}
		f.touch(o)
		return place{s: "s." + f.globals[o], t: o.Type, racy: f.isRacy(o)}
	}
	name, ok := f.names[o]
	if !ok {
		f.errorf(e, codeUnknown, "%s is not a variable that generated Go knows", e.Name)
	}
	return place{s: name, t: o.Type, obj: o}
}

func (f *fn) indexPlace(e *syntax.IndexExpr, t check.Type) place {
	a, isArray := f.info.Types[e.X].(*check.Array)
	if !isArray {
		base, i := f.pair(e.X, e.Index)
		if n := f.lengthOf(e.X); n > 0 {
			i = f.inLength(e, i, n, true)
		}
		return f.deref(f.pointerOp(e, "+", base, i), t, e)
	}
	base := f.place(e.X)
	if base.obj != nil {
		f.used[base.obj] = true
	}
	i := f.inArray(e, f.expr(e.Index), a, true)
	if base.ptr != "" {
		return place{s: base.ptr + "[" + i.s + "]", t: t}
	}
	return place{s: base.s + "[" + i.s + "]", t: t}
}

func (f *fn) memberPlace(e *syntax.MemberExpr, t check.Type) place {
	if o := f.info.Uses[e.Name]; o != nil && o.Kind == check.PropObj {
		return f.propPlace(e, o)
	}
	if e.Arrow {
		v := f.expr(e.X)
		p, _ := v.t.(*check.Pointer)
		if p == nil {
			f.errorf(e, codeUnknown, "generated Go has no such member")
			return place{s: "_", t: t}
		}
		return place{s: f.deref(v, p.Elem, e).base() + "." + fieldName(e.Name.Name), t: t}
	}
	base := f.place(e.X)
	if base.obj != nil {
		f.used[base.obj] = true
	}
	return place{s: base.base() + "." + fieldName(e.Name.Name), t: t}
}

// propPlace translates v.prop and e.prop, of nodes, edges, points and elements.
func (f *fn) propPlace(e *syntax.MemberExpr, o *check.Object) place {
	base := f.propBase(o)
	goType := f.goType(o.Type, e)
	if f.info.Types[e.X] == check.Edge {
		i := f.edgeOf(e.X)
		return place{ptr: fmt.Sprintf("rt.AtEdge[%s](%s, %s)", goType, base, i), t: o.Type, racy: f.isRacy(o)}
	}
	i := f.handleOf(e.X)
	return place{ptr: fmt.Sprintf("rt.At[%s](%s, %s)", goType, base, i), t: o.Type, racy: f.isRacy(o)}
}

// nodeOf returns the number of a node, checked unless it is proven to exist.
func (f *fn) nodeOf(x syntax.Expr) string {
	return f.nodeIs(x, f.expr(x))
}

// nodeIs is nodeOf of x whose value is v.
func (f *fn) nodeIs(x syntax.Expr, v val) string {
	v = f.convert(v, check.Node, x)
	if f.exists(x, syntax.NodeDomain) {
		return v.s
	}
	return f.inDomain(syntax.NodeDomain, v.s, x)
}

// handleOf returns the number of a node, a point or an element, checked unless it
// is proven to exist.
func (f *fn) handleOf(x syntax.Expr) string {
	v := f.expr(x)
	if d, ok := domainOf(f.info.Types[x]); ok && !f.exists(x, d) {
		return f.inDomain(d, v.s, x)
	}
	return v.s
}

// inDomain returns the Go expression that checks a handle of a domain.
func (f *fn) inDomain(d syntax.Domain, handle string, x syntax.Expr) string {
	return f.checkedAt(d, handle, x, x)
}

// checkedAt returns the Go expression that checks the handle that x is; n is the place
// of the fault.
func (f *fn) checkedAt(d syntax.Domain, handle string, x, n syntax.Expr) string {
	if f.bounds.valueOf(x).existsOrNegative(d) {
		return fmt.Sprintf("rt.Some%s(%s, %d)", [...]string{"Node", "Edge", "Point", "Element"}[d], handle, f.at(n))
	}
	switch d {
	case syntax.EdgeDomain:
		return fmt.Sprintf("rt.Edge(%s, %s, %d)", handle, f.hold("s.r.Arcs", "arcs"), f.at(n))
	case syntax.PointDomain:
		return fmt.Sprintf("s.r.Point(%s, %d)", handle, f.at(n))
	case syntax.ElementDomain:
		return fmt.Sprintf("s.r.Element(%s, %d)", handle, f.at(n))
	}
	return fmt.Sprintf("rt.Node(%s, %s, %d)", handle, f.hold("s.r.Nodes", "nodes"), f.at(n))
}

// handleMember translates the members of handles, the graph, the mesh and the
// worklist that are values.
func (f *fn) handleMember(e *syntax.MemberExpr) (val, bool) {
	base, _ := f.info.Types[e.X].(check.Basic)
	if o := f.info.Uses[e.Name]; o == nil || o.Kind != check.BuiltinObj {
		return val{}, false
	}
	operand := func(t check.Type, format string, args ...any) (val, bool) {
		return val{s: fmt.Sprintf(format, args...), prec: precOperand, t: t}, true
	}
	key := strconv.Itoa(int(base)) + e.Name.Name
	switch key {
	case handleKey(check.Node, "id"), handleKey(check.Point, "id"), handleKey(check.Element, "id"):
		v := f.expr(e.X)
		v.t = check.Int
		return v, true
	case handleKey(check.Node, "degree"):
		return f.degree("row", e.X), true
	case handleKey(check.Node, "edges"):
		return f.edges("row", e.X, check.Edges), true
	case handleKey(check.Node, "in_degree"):
		return f.degree("inRow", e.X), true
	case handleKey(check.Node, "in_edges"):
		return f.edges("inRow", e.X, check.InEdges), true
	case handleKey(check.Edge, "src"):
		v, _ := operand(check.Node, "*rt.AtEdge[int32](%s, %s)", f.array("src"), f.edgeOf(e.X))
		v.prec = precUnary
		return v, true
	case handleKey(check.InEdge, "weight"):
		v, _ := operand(check.Int, "*rt.AtEdge[int32](%s, %s)", f.array("inWeight"), f.edgeOf(e.X))
		v.prec = precUnary
		return v, true
	case handleKey(check.Edge, "dst"), handleKey(check.InEdge, "src"):
		array := "dst"
		if base == check.InEdge {
			array = "inDst"
		}
		if id, ok := syntax.Unparen(e.X).(*syntax.Ident); ok {
			if name := f.dstOf[f.origin(f.info.Uses[id])]; name != "" {
				return operand(check.Node, "%s", name)
			}
		}
		v, _ := operand(check.Node, "*rt.AtEdge[int32](%s, %s)", f.array(array), f.edgeOf(e.X))
		v.prec = precUnary
		return v, true
	case handleKey(check.Edge, "weight"):
		v, _ := operand(check.Int, "*rt.AtEdge[int32](%s, %s)", f.array("weight"), f.edgeOf(e.X))
		v.prec = precUnary
		return v, true
	case handleKey(check.Edge, "id"):
		v := f.expr(e.X)
		v.t = check.Long
		return v, true
	case handleKey(check.GraphType, "nnodes"):
		return operand(check.Int, "%s", f.hold("s.r.Nodes", "nodes"))
	case handleKey(check.GraphType, "nedges"):
		return operand(check.Long, "%s", f.hold("s.r.Arcs", "arcs"))
	case handleKey(check.GraphType, "edges"):
		return operand(check.AllEdges, "rt.Range{Hi: s.r.Arcs}")
	case handleKey(check.GraphType, "nodes"):
		return operand(check.Nodes, "rt.Range{Hi: int64(s.r.Nodes)}")
	case handleKey(check.MeshType, "npoints"):
		return operand(check.Int, "%s", f.hold("s.r.Points", "npoints"))
	case handleKey(check.MeshType, "nelements"):
		return operand(check.Int, "%s", f.hold("s.r.Elements", "nelements"))
	case handleKey(check.MeshType, "points"):
		return operand(check.Points, "rt.Range{Hi: int64(s.r.Points)}")
	case handleKey(check.MeshType, "elements"):
		return operand(check.Elements, "rt.Range{Hi: int64(s.r.Elements)}")
	case handleKey(check.Worklist, "size"):
		if f.kernel == nil && f.host != nil {
			return operand(check.Int, "%s.Size()", f.host.wl)
		}
		return operand(check.Int, "wl.Size()")
	}
	return val{}, false
}

func handleKey(b check.Basic, name string) string { return strconv.Itoa(int(b)) + name }

func (f *fn) edgeOf(x syntax.Expr) string {
	v := f.convert(f.expr(x), check.Edge, x)
	if f.exists(x, syntax.EdgeDomain) {
		return v.s
	}
	return f.inDomain(syntax.EdgeDomain, v.s, x)
}

// initialise emits the stores of an initialiser list into p, which is zero.
func (f *fn) initialise(p place, list *syntax.InitList) {
	if p.obj != nil {
		f.used[p.obj] = true
	}
	for _, slot := range f.info.Inits[list] {
		at := p.address()
		if slot.Offset != 0 {
			at = fmt.Sprintf("unsafe.Add(%s, %d)", at, slot.Offset)
		}
		if a, ok := slot.Type.(*check.Array); ok {
			f.copyString(at, slot.Value, a)
			continue
		}
		v := f.exprTo(slot.Value, slot.Type)
		f.emit("*(*%s)(%s) = %s", f.goType(slot.Type, slot.Value), at, v.s)
	}
}

// copyString emits the copy of a string literal into an array of char.
func (f *fn) copyString(at string, x syntax.Expr, a *check.Array) {
	lit, ok := syntax.Unparen(x).(*syntax.BasicLit)
	if !ok {
		f.errorf(x, codeUnknown, "generated Go cannot initialise an array like this")
		return
	}
	f.emit("copy(unsafe.Slice((*byte)(%s), %d), %s)", at, a.Len, goString(lit.Text, "\x00"))
}

// goString returns a C string literal, with more appended, as a Go one.
func goString(text, more string) string {
	s, _ := syntax.ParseString(text)
	return strconv.Quote(s + more)
}
