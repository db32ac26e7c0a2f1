package lower

import (
	"fmt"
	"slices"
	"strings"

	"irgl/internal/abi"
	"irgl/internal/check"
	"irgl/syntax"
)

// A Mesh is part of struct irgl_graph: how many points and elements it has when
// a kernel starts, how many its arrays have room for, and the arrays. On the
// host the counts are variables of the device library, which change as kernels
// add; each launch puts them into its copy of the struct.

// A domainNames says how the lowered program calls what belongs to a domain.
type domainNames struct {
	count string // field of struct irgl_graph: how many there are
	room  string // field that says how many elements the arrays have
	locks string // field of the locks of Exclusive
	init  string // kernel that initialises the properties
	add   string // device function that adds one; "" where none does
}

var domains = [...]domainNames{
	syntax.NodeDomain:    {abi.Nodes, abi.Nodes, abi.NodeLocks, "irgl_init_nodes", ""},
	syntax.EdgeDomain:    {abi.Edges, abi.Edges, "", "irgl_init_edges", ""},
	syntax.PointDomain:   {abi.Points, abi.PointRoom, abi.PointLocks, "irgl_init_points", "irgl_add_point"},
	syntax.ElementDomain: {abi.Elements, abi.ElementRoom, abi.ElementLocks, "irgl_init_elements", "irgl_add_element"},
}

// isWorld reports whether t is the type of the graph or the mesh, which are one
// parameter in the lowered program.
func isWorld(t check.Type) bool { return t == check.GraphType || t == check.MeshType }

// count returns the number of elements of a domain: on the device as of the
// start of the invocation.
func (l *lowerer) count(s syntax.Span, d syntax.Domain) syntax.Expr {
	switch {
	case l.host && d == syntax.PointDomain:
		return ident(s, abi.PointsVar)
	case l.host && d == syntax.ElementDomain:
		return ident(s, abi.ElementsVar)
	}
	return member(ident(s, l.graph), domains[d].count)
}

// adds reports whether some kernel adds to the domain.
func (l *lowerer) adds(d syntax.Domain) bool {
	return slices.ContainsFunc(l.info.Funcs, func(f *check.FuncInfo) bool { return slices.Contains(f.Adds, d) })
}

// meshFields returns the fields of struct irgl_graph that a Mesh and Exclusive
// need besides the properties.
func (l *lowerer) meshFields() string {
	var b strings.Builder
	if l.info.Mesh != nil {
		b.WriteString("  int npoints;\n  int nelements;\n  int point_room;\n  int element_room;\n  int *mesh_count;\n")
	}
	for d, n := range domains {
		locked := func(f *check.FuncInfo) bool { return slices.Contains(f.Locks, syntax.Domain(d)) }
		if slices.ContainsFunc(l.info.Funcs, locked) {
			fmt.Fprintf(&b, "  int *%s;\n", n.locks)
		}
	}
	return b.String()
}

// addFuncs writes the device functions that add a point or an element. One
// beyond the room is counted, so that the host sees how much room there has to
// be, and becomes the spare element that every array has at its end: the run
// begins again, so what happens to it does not matter. The lanes of a warp that
// add together share an atomic: all of a program's additions go to one counter.
func (l *lowerer) addFuncs() {
	l.function = function{}
	const body = `static __device__ int %[1]s(struct %[2]s %[3]s, %[4]s) {
  int id = irgl_add_same(&%[3]s.mesh_count[%[5]d], 1);
  if ((unsigned int)id >= (unsigned int)%[3]s.%[6]s) {
    id = %[3]s.%[6]s;
  }
%[7]s%[8]s  return id;
}
`
	g := l.textGraph
	if d := syntax.PointDomain; l.adds(d) {
		set := fmt.Sprintf("  %[1]s.x[id] = x;\n  %[1]s.y[id] = y;\n", g)
		l.text(body, domains[d].add, abi.GraphTag, g, "double x, double y", 0, domains[d].room, set, l.initText(d, "  "))
	}
	if d := syntax.ElementDomain; l.adds(d) {
		var set strings.Builder
		for i, corner := range []string{"a", "b", "c"} {
			fmt.Fprintf(&set, "  %s.points[id][%d] = %s;\n", g, i, corner)
		}
		for i := range 3 {
			fmt.Fprintf(&set, "  %s.neighbors[id][%d] = -1;\n", g, i)
		}
		fmt.Fprintf(&set, "  %s.deleted[id] = false;\n", g)
		l.text(body, domains[d].add, abi.GraphTag, g, "int a, int b, int c", 1, domains[d].room, set.String(), l.initText(d, "  "))
	}
}

// initText returns the statements that give the program's own properties of the
// element number id their initial values; "" if there are none.
func (l *lowerer) initText(d syntax.Domain, indent string) string {
	var b strings.Builder
	for _, p := range l.info.Props {
		if p.Of != d || p.Builtin {
			continue
		}
		place, in, init := l.textGraph+"."+FieldName(p.Object.Name)+"[id]", indent, "0"
		if p.Decl.Init != nil {
			init = syntax.String(l.expr(p.Decl.Init))
		}
		loops := 0
		for t := p.Object.Type; ; loops++ {
			a, ok := t.(*check.Array)
			if !ok {
				break
			}
			k := fmt.Sprintf("k%d", loops)
			fmt.Fprintf(&b, "%[1]sfor (int %[2]s = 0; %[2]s < %[3]d; %[2]s++) {\n", in, k, a.Len)
			place, in, t = place+"["+k+"]", in+"  ", a.Elem
		}
		fmt.Fprintf(&b, "%s%s = %s;\n", in, place, init)
		for ; loops > 0; loops-- {
			in = in[2:]
			b.WriteString(in + "}\n")
		}
	}
	return b.String()
}

// meshCall lowers a call of a method of the mesh.
func (l *lowerer) meshCall(x *syntax.CallExpr, name string) syntax.Expr {
	switch name {
	case "add_point", "add_element":
		args := append([]syntax.Expr{ident(x.Span, l.graph)}, l.exprs(x.Args)...)
		return call(x.Span, "irgl_"+name, args...)
	}
	return l.numbered(x)
}

// numbered lowers graph.nodes(i) and its like to the number.
func (l *lowerer) numbered(x *syntax.CallExpr) syntax.Expr {
	arg := l.expr(x.Args[0])
	switch l.info.Types[x.Args[0]] {
	case check.Int, check.Node, check.Point, check.Element:
	default:
		arg = cast(x.Span, basic(x.Span, "int"), arg)
	}
	return paren(arg)
}
