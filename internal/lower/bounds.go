package lower

import (
	"fmt"
	"slices"

	"irgl/internal/abi"
	"irgl/internal/analysis"
	"irgl/internal/check"
	"irgl/syntax"
)

// Bounds in the items of worklists. Who pops a node and goes through its edges
// waits for three latencies of memory one after another: for the item, for the
// bounds of the node's row, for the first edges. With [Options.Bounds] the item
// brings the bounds with it, in one load of 16 bytes:
//
//	n = WL.pop(i);              irgl_index n_first = 0; irgl_index n_end = 0;
//	                            int n = irgl_pop_node(in, graph.row, graph.nnodes, i, &n_first, &n_end);
//	ForAll (e In n.edges)       for (irgl_index e = n_first; e < n_end; e++)
//	n.degree                    (int)(n_end - n_first)
//	WL.push(e.dst)              irgl_push_node(out, graph.row, graph.nnodes, e_dst)
//
// Whoever pushes loads them, side by side with the atomic that reserves room: the
// reservation takes as long as they do, so that the round becomes shorter by a
// latency. In a queue of the block (coop.go) the nodes are without; each thread
// loads the bounds of those that it moves while one of them reserves the room. A
// speculative load beside that of the destination's property would come no
// earlier to an end that anybody waits for, and would read rows of all nodes that
// are looked at rather than of those that are pushed.
//
// What is legal. The graph does not change while kernels run, so that bounds are
// those of the node whenever they were loaded. Which lists hold nodes is not
// asked: to the number of an edge or an element bounds are added that nobody
// reads, and a number beyond the nodes gets an empty range. What the host puts
// into a list comes without bounds, and says so; who pops it loads them. A
// variable stands for its item where it is declared by the pop and never changed;
// of those that an inner ForAll is executed for by other threads these know the
// node alone, and load its row as ever.
//
// It applies to a program as a whole, where some kernel goes through the edges of
// what it pops: lists are shared by the kernels of a Pipe, and what one retries is
// popped by it again. It pays where a round is short and latency the limit, as in
// graphs of large diameter; it makes lists four times as large, and costs pushes
// two loads, so it loses where rounds are long. (Beyond the IrGL paper.)

// bounds are the variables with the ends of the row of a popped node.
type bounds struct{ first, end string }

// planBounds finds the variables that stand for items, and whether the program's
// lists have bounds.
func (l *lowerer) planBounds() {
	l.pops, l.popsInto = map[*check.Object]*syntax.CallExpr{}, map[*syntax.CallExpr]*check.Object{}
	for _, f := range l.info.Funcs {
		if f.Decl.Kind == syntax.KernelFunc && f.Decl.Body != nil && f.UsesWL {
			l.findPops(f)
		}
	}
	l.bounded = l.o.Bounds && len(l.pops) > 0
}

// findPops notes the variables of a kernel that are declared by a pop and never
// changed, and the edges of which are looked at.
func (l *lowerer) findPops(f *check.FuncInfo) {
	popped := map[*check.Object]*syntax.CallExpr{}
	declare := func(o *check.Object, init syntax.Expr) {
		if c := l.popCall(init); c != nil && o != nil && !o.Addressed && !o.Volatile && (o.Type == check.Node || o.Type == check.Int) {
			popped[o] = c
		}
	}
	known := true // no C text, which may change anything
	syntax.Inspect(f.Decl.Body, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CBlock:
			known = false
		case *syntax.Block:
			for _, s := range n.Stmts {
				switch s := s.(type) {
				case *syntax.VarDecls:
					for _, v := range s.Vars {
						if s.Attrs == 0 {
							declare(l.info.Defs[v.Name], v.Init)
						}
					}
				case *syntax.ExprStmt:
					if a, ok := s.X.(*syntax.AssignExpr); ok {
						declare(l.info.Declares[a], a.R)
					}
				}
			}
		}
		return true
	})
	if !known {
		return
	}
	l.dropChanged(f, popped)
	syntax.Inspect(f.Decl.Body, func(n syntax.Node) bool {
		if x, ok := n.(syntax.Expr); ok {
			if o := l.rowOf(x); o != nil && popped[o] != nil {
				l.popsInto[popped[o]] = o
				l.pops[o] = popped[o]
			}
		}
		return true
	})
}

// explainPops says what the items that a kernel pops bring with them.
func (l *lowerer) explainPops(f *check.FuncInfo) []Choice {
	var out []Choice
	whole := !slices.ContainsFunc(slices.Collect(syntax.Preorder(f.Decl.Body)), func(n syntax.Node) bool { _, text := n.(*syntax.CBlock); return text })
	syntax.Inspect(f.Decl.Body, func(n syntax.Node) bool {
		x, ok := n.(syntax.Expr)
		if !ok || l.popCall(x) != x {
			return true
		}
		c := Choice{Depth: 1, Title: "pop", Pos: x.Pos(), State: "the item alone"}
		because := func(text string) { c.Why = append(c.Why, analysis.Reason{Pos: x.Pos(), Text: text}) }
		known := l.popsInto[l.popCall(x)] != nil
		switch {
		case known && l.bounded:
			c.State = "with the bounds of its edges"
		case known:
			c.State = "the item alone, can bring the bounds of its edges (--bounds)"
		case l.o.Bounds && !whole:
			because("the kernel has C text, which may change it")
		case l.o.Bounds:
			because("it declares no variable of which edges are looked at and which never changes")
		}
		if known || l.o.Bounds || l.o.Ahead {
			out = append(out, c)
		}
		return true
	})
	return out
}

// dropChanged takes out the variables that are assigned anew.
func (l *lowerer) dropChanged(f *check.FuncInfo, popped map[*check.Object]*syntax.CallExpr) {
	a := analysis.New(l.info, f)
	for i := range a.Graph.Nodes {
		for _, r := range a.Effects[i].Refs {
			if popped[r.Object] == nil || r.Mode&(analysis.Write|analysis.Escape) == 0 {
				continue
			}
			if id, ok := r.Expr.(*syntax.Ident); !ok || l.info.Defs[id] != r.Object {
				delete(popped, r.Object)
			}
		}
	}
}

// popCall returns the call WL.pop(i) that x is, or nil.
func (l *lowerer) popCall(x syntax.Expr) *syntax.CallExpr {
	if x == nil {
		return nil
	}
	c, ok := syntax.Unparen(x).(*syntax.CallExpr)
	if !ok {
		return nil
	}
	if m, ok := c.Fun.(*syntax.MemberExpr); ok && l.info.Types[m.X] == check.Worklist && m.Name.Name == "pop" {
		return c
	}
	return nil
}

// rowOf returns the variable whose row of out-edges x asks for: n in n.edges,
// n.degree, graph.edges(n) and graph.nodes(n).edges; or nil.
func (l *lowerer) rowOf(x syntax.Expr) *check.Object {
	switch x := syntax.Unparen(x).(type) {
	case *syntax.MemberExpr:
		if l.info.Types[x.X] == check.Node && (x.Name.Name == "edges" || x.Name.Name == "degree") && l.propertyOf(x) == nil {
			return l.nodeOf(x.X)
		}
	case *syntax.CallExpr:
		if m, ok := x.Fun.(*syntax.MemberExpr); ok && l.info.Types[m.X] == check.GraphType && m.Name.Name == "edges" && len(x.Args) == 1 {
			return l.nodeOf(x.Args[0])
		}
	}
	return nil
}

// nodeOf returns the variable whose value is the node x, or nil.
func (l *lowerer) nodeOf(x syntax.Expr) *check.Object {
	switch x := syntax.Unparen(x).(type) {
	case *syntax.Ident:
		return l.info.Uses[x]
	case *syntax.CallExpr:
		if m, ok := x.Fun.(*syntax.MemberExpr); ok && l.info.Types[m.X] == check.GraphType && m.Name.Name == "nodes" && len(x.Args) == 1 {
			return l.nodeOf(x.Args[0])
		}
	}
	return nil
}

// boundsOf returns the variables with the ends of the row that x asks for, or nil
// where they are to be loaded.
func (l *lowerer) boundsOf(x syntax.Expr) *bounds {
	if !l.bounded || l.host || len(l.ends) == 0 {
		return nil
	}
	if o := l.rowOf(x); o != nil {
		return l.ends[o]
	}
	return nil
}

// declareBounds returns the declarations of the variables for the bounds of the
// items that a statement pops into what it declares.
func (l *lowerer) declareBounds(s syntax.Stmt) []syntax.Stmt {
	if !l.bounded || l.host {
		return nil
	}
	var out []syntax.Stmt
	for _, o := range l.declaredBy(s) {
		if !l.livesAcross(o) {
			out = append(out, l.boundsFor(at(s), o)...)
		}
	}
	return out
}

// edgesOnly reports whether all that is asked of the popped node o is what the edges
// are that ForAlls go through: then only its bounds are used behind the pop.
func (l *lowerer) edgesOnly(o *check.Object) bool {
	if !l.bounded || l.pops[o] == nil {
		return false
	}
	uses := 0
	for _, used := range l.info.Uses {
		if used == o {
			uses++
		}
	}
	for _, f := range l.info.Funcs {
		syntax.Inspect(f.Decl, func(n syntax.Node) bool {
			if s, ok := n.(*syntax.ForAllStmt); ok && l.rowOf(s.Iter) == o {
				uses--
			}
			return true
		})
	}
	return uses == 0
}

// boundsFor declares the variables for the bounds of o.
func (l *lowerer) boundsFor(s syntax.Span, o *check.Object) []syntax.Stmt {
	if !l.bounded || l.pops[o] == nil {
		return nil
	}
	b := &bounds{l.fresh(nameOf(o) + "_first"), l.fresh(nameOf(o) + "_end")}
	if l.ends == nil {
		l.ends = map[*check.Object]*bounds{}
	}
	l.ends[o] = b
	index := func(name string) syntax.Stmt { return variable(s, named(s, "irgl_index"), name, number(s, 0)) }
	return []syntax.Stmt{index(b.first), index(b.end)}
}

// pop lowers WL.pop(i).
func (l *lowerer) pop(x *syntax.CallExpr) syntax.Expr {
	s, in, i := x.Span, ident(x.Span, l.popped), l.expr(x.Args[0])
	args := []syntax.Expr{i}
	if !l.bounded {
		return call(s, "irgl_pop", append([]syntax.Expr{in}, args...)...)
	}
	if b := l.ends[l.popsInto[x]]; b != nil {
		args = append(append(l.listArgs(s, l.popped), args...), addr(ident(s, b.first)), addr(ident(s, b.end)))
		return call(s, "irgl_pop_node", args...)
	}
	return call(s, "irgl_pop_id", append([]syntax.Expr{in}, args...)...)
}

// itemForms are the library's functions for lists whose items have bounds.
var itemForms = map[string]string{
	"irgl_push": "irgl_push_node", "irgl_queue_put": "irgl_queue_put_node", "irgl_queue_push": "irgl_queue_push_node",
	"irgl_queue_flush": "irgl_queue_flush_node", "irgl_retry_all": "irgl_retry_nodes",
	"irgl_pipe_open": "irgl_nodes_open", "irgl_retry_open": "irgl_nodes_retry_open",
}

// listFunc returns the form of a function of the library for the program's lists.
func (l *lowerer) listFunc(name string) string {
	if form := itemForms[name]; l.bounded && form != "" {
		return form
	}
	return name
}

// listArgs returns the first arguments of a function that puts items into a list.
func (l *lowerer) listArgs(s syntax.Span, list string) []syntax.Expr {
	args := []syntax.Expr{ident(s, list)}
	if l.bounded {
		graph := ident(s, l.graph)
		args = append(args, member(graph, abi.Row), member(graph, abi.Nodes))
	}
	return args
}

// listText is listArgs as text.
func (l *lowerer) listText(list string) string {
	if l.bounded {
		return fmt.Sprintf("%s, %[2]s.row, %[2]s.nnodes", list, l.graph)
	}
	return list
}
