package opt

import (
	"fmt"
	"slices"
	"strings"

	"irgl/internal/abi"
	"irgl/internal/pass"
	"irgl/internal/tree"
	"irgl/syntax"
)

// Bounds in the items of worklists. A thread that pops a node and iterates over its
// edges waits for three latencies of memory one after another: for the item, for the
// bounds of the node's row, for the first edges. Here the item brings the bounds
// with it, in one load of 16 bytes:
//
//	int n = irgl_pop(in, i);             irgl_index n_first = 0; irgl_index n_end = 0;
//	                                     int n = irgl_pop_node(in, graph.row, graph.nnodes, i, &n_first, &n_end);
//	graph.row[n], graph.row[n + 1]       n_first, n_end
//	irgl_degree(graph, n)                (int)(n_end - n_first)
//	irgl_push(out, e_dst)                irgl_push_node(out, graph.row, graph.nnodes, e_dst)
//
// A push loads them beside the atomic that reserves room: the reservation takes as
// long as they do, so that the round becomes shorter by a latency. In a queue of the
// block the nodes are without; each thread loads the bounds of those that it moves
// while one of them reserves the room. A speculative load beside that of the
// destination's property would come no earlier to an end that a thread waits for, and
// would read rows of all nodes that are looked at rather than of those that are pushed.
//
// What is legal. The graph does not change while kernels run, so that bounds are
// those of the node whenever they were loaded. Which lists hold nodes is not
// asked: to the number of an edge or an element bounds are added that no thread
// reads, and a number beyond the nodes gets an empty range. What the host puts
// into a list comes without bounds, and says so; the thread that pops it loads them. A
// variable stands for its item where one pop gives it its only value, before its row
// is asked for, in a kernel without C text; threads that execute an inner ForAll for others have a copy of the
// node alone, and load its row.
//
// It applies to a program as a whole, where some kernel asks for the row of what it
// pops: lists are shared by the kernels of a Pipe, and what one retries is popped by
// it again. It pays where a round is short and latency the limit, as in graphs of
// large diameter; it makes lists four times as large, and costs pushes two loads, so
// it loses where rounds are long. (Beyond the IrGL paper.)

// nodeForms are the library's functions for lists whose items have bounds. Those
// that are true take the rows and the number of nodes behind the list.
var nodeForms = map[string]struct {
	name string
	rows bool
}{
	"irgl_push": {"irgl_push_node", true}, "irgl_push_each": {"irgl_push_node", true}, "irgl_push_warp": {"irgl_push_node_warp", true}, "irgl_put": {"irgl_put_node", true},
	"irgl_queue_put": {"irgl_queue_put_node", true}, "irgl_queue_push": {"irgl_queue_push_node", true}, "irgl_queue_flush": {"irgl_queue_flush_node", true},
	"irgl_retry_all": {"irgl_retry_nodes", false}, "irgl_retry_scattered": {"irgl_retry_nodes_scattered", false}, "irgl_retry_blocked": {"irgl_retry_nodes_blocked", false}, "irgl_pop": {"irgl_pop_id", false},
	"irgl_pipe_open": {"irgl_nodes_open", false}, "irgl_retry_open": {"irgl_nodes_retry_open", false},
}

// An item is a variable of a kernel that stands for what one pop gave it.
type item struct {
	decl       *syntax.VarDecl
	pop        *syntax.CallExpr
	first, end string
	asked      bool // its row is asked for
	late       bool // the variable is declared before the pop
}

// itemBounds is the row bounds.
func itemBounds(w *Work, r *pass.Run) error {
	var kernels []*boundsFunc
	bounded := false
	for _, d := range w.file.Decls {
		f, ok := d.(*syntax.FuncDecl)
		if !ok || f.Body == nil {
			continue
		}
		k := findItems(f, r)
		kernels = append(kernels, k)
		for _, x := range k.items {
			bounded = bounded || x.asked
		}
	}
	if !bounded {
		return nil
	}
	for _, k := range kernels {
		k.rewrite(r)
	}
	w.dropUnused("irgl_degree")
	return nil
}

// A boundsFunc is a function at which the row bounds works.
type boundsFunc struct {
	*syntax.FuncDecl
	graph string // the parameter with the graph, or ""
	names tree.Names
	uses  *tree.Binding
	items map[syntax.Node]*item // by declaration
	safe  map[syntax.Expr]bool  // what asks for the row of a late item behind its pop
}

// findItems finds the variables of a function that stand for items.
func findItems(f *syntax.FuncDecl, r *pass.Run) *boundsFunc {
	k := &boundsFunc{FuncDecl: f, items: map[syntax.Node]*item{}, safe: map[syntax.Expr]bool{}}
	graphs := tree.ParamsOf(f, abi.GraphTag)
	if !onDevice(f) || len(graphs) == 0 {
		return k
	}
	k.graph = graphs[0].Name.Name
	if !callsAny(f, "irgl_pop") {
		return k
	}
	k.uses = tree.Resolve(f)
	values, changed := map[syntax.Node]int{}, map[syntax.Node]bool{}
	var copies []*syntax.VarDecl
	give := func(d syntax.Node, x syntax.Expr) {
		if c := tree.CallOf(unparen(x), "irgl_pop"); c != nil {
			v, _ := d.(*syntax.VarDecl)
			if v != nil && isInt(v.Type) {
				k.items[d] = &item{decl: v, pop: c, late: v.Init != x}
			}
			values[d]++
		} else if x != nil && !isZero(x) {
			changed[d] = true
		}
	}
	text := false
	for n := range syntax.Preorder(f.Body) {
		switch n := n.(type) {
		case *syntax.CBlock:
			text = true
		case *syntax.VarDecl:
			if k.uses.Of(n.Init) != nil {
				copies = append(copies, n)
			} else {
				give(n, n.Init)
			}
		case *syntax.AssignExpr:
			if d := k.uses.Of(n.L); d != nil && n.Op == "=" {
				give(d, n.R)
			} else if d != nil {
				changed[d] = true
			}
		case *syntax.UnaryExpr:
			if n.Op == "&" || n.Op == "++" || n.Op == "--" {
				changed[k.uses.Of(n.X)] = true
			}
		case *syntax.PostfixExpr:
			changed[k.uses.Of(n.X)] = true
		}
	}
	for d, it := range k.items {
		if text || changed[d] || values[d] != 1 || it.late && !k.guarded(it) {
			delete(k.items, d)
		}
	}
	for _, d := range copies {
		if it := k.items[k.uses.Of(d.Init)]; it != nil && !changed[d] && values[d] == 0 && isInt(d.Type) {
			k.items[d] = it
		}
	}
	for n := range syntax.Preorder(f.Body) {
		if x, ok := n.(syntax.Expr); ok {
			if it, _ := k.known(x); it != nil {
				it.asked = true
			}
		}
	}
	k.explain(text, r)
	for d, it := range k.items {
		if !it.asked {
			delete(k.items, d)
		}
	}
	return k
}

// guarded finds the places that ask for the row of an item declared before its pop
// and are sure to come after it; others load the row. They are sure to where both
// happen under one flag of the item's block that is never set again:
//
//	bool i_active = i < i_end;
//	int n = 0;
//	if (i_active) { n = irgl_pop(in, i); }
//	...
//	if (i_active) { ... graph.row[n] ... }
func (k *boundsFunc) guarded(it *item) bool {
	var flag syntax.Node
	then := map[syntax.Node][]syntax.Node{} // the flags under which a block is executed
	alone := map[syntax.Node]syntax.Node{}  // the one that is all of the condition
	var under [][]syntax.Node
	ok := true
	tree.Rewriter{
		Enter: func(n syntax.Node) bool {
			switch n := n.(type) {
			case *syntax.IfStmt:
				then[n.Then], alone[n.Then] = k.flags(n.Cond), k.uses.Of(n.Cond)
			case *syntax.Block:
				if under = append(under, then[n]); alone[n] != nil && poppedIn(n, it) {
					flag = alone[n]
				}
			case *syntax.AssignExpr:
				if d := k.uses.Of(n.L); d != nil && d == flag && syntax.String(n.R) != "false" {
					ok = false
				}
			case syntax.Expr:
				if x, _ := k.rowOf(n); x == it && flag != nil && slices.Contains(slices.Concat(under...), flag) {
					k.safe[n] = true
				}
			}
			return ok
		},
		Leave: func(n syntax.Node) {
			if _, block := n.(*syntax.Block); block {
				under = under[:len(under)-1]
			}
		},
	}.Rewrite(k.Body)
	return ok && flag != nil && k.together(it.decl, flag)
}

// flags returns the variables that hold where a condition does: x, y of x && y.
func (k *boundsFunc) flags(cond syntax.Expr) []syntax.Node {
	if x, ok := syntax.Unparen(cond).(*syntax.BinaryExpr); ok && x.Op == "&&" {
		return append(k.flags(x.X), k.flags(x.Y)...)
	}
	if d := k.uses.Of(cond); d != nil {
		return []syntax.Node{d}
	}
	return nil
}

// poppedIn reports whether a block pops an item by a statement of its own, before
// which nothing leaves the block or names the item.
func poppedIn(b *syntax.Block, it *item) bool {
	for _, s := range b.Stmts {
		if x, ok := s.(*syntax.ExprStmt); ok {
			if a, ok := x.X.(*syntax.AssignExpr); ok && unparen(a.R) == syntax.Node(it.pop) {
				return true
			}
		}
		if tree.Mentions(s, it.decl.Name.Name) {
			return false
		}
		for n := range syntax.Preorder(s) {
			switch n.(type) {
			case *syntax.GotoStmt, *syntax.BreakStmt, *syntax.ContinueStmt, *syntax.ReturnStmt, *syntax.LabelStmt:
				return false
			}
		}
	}
	return false
}

// together reports whether one block declares two variables.
func (k *boundsFunc) together(a, b syntax.Node) bool {
	for n := range syntax.Preorder(k.Body) {
		block, ok := n.(*syntax.Block)
		if !ok {
			continue
		}
		found := 0
		for _, s := range block.Stmts {
			if d, ok := s.(*syntax.VarDecls); ok {
				for _, v := range d.Vars {
					if v == a || v == b {
						found++
					}
				}
			}
		}
		if found > 0 {
			return found == 2
		}
	}
	return false
}

// explain remarks on each pop of a function.
func (k *boundsFunc) explain(text bool, r *pass.Run) {
	if !r.Remarks() {
		return
	}
	with := map[*syntax.CallExpr]bool{}
	for _, it := range k.items {
		with[it.pop] = it.asked
	}
	for _, c := range tree.Calls(k.Body, "irgl_pop") {
		switch {
		case with[c]:
			r.Applied(c.Pos(), "with the bounds of its edges")
		case text:
			r.Missed(c.Pos(), "the kernel has C text, which may change it")
		default:
			r.Missed(c.Pos(), "it declares no variable of which edges are looked at and which never changes")
		}
	}
}

func unparen(x syntax.Expr) syntax.Node {
	if x == nil {
		return nil
	}
	return syntax.Unparen(x)
}

func isInt(t syntax.TypeExpr) bool {
	b, ok := t.(*syntax.BasicType)
	return ok && b.Name == "int"
}

// rowOf returns the item whose row x asks for, and what of it: graph.row[n],
// graph.row[n + 1] or irgl_degree(graph, n).
func (k *boundsFunc) rowOf(x syntax.Expr) (*item, string) {
	if c := tree.CallOf(x, "irgl_degree"); c != nil {
		return k.items[k.uses.Of(c.Args[1])], "degree"
	}
	at, ok := x.(*syntax.IndexExpr)
	if !ok {
		return nil, ""
	}
	m, ok := at.X.(*syntax.MemberExpr)
	if !ok || m.Name.Name != abi.Row || syntax.String(m.X) != k.graph {
		return nil, ""
	}
	if next, ok := syntax.Unparen(at.Index).(*syntax.BinaryExpr); ok && next.Op == "+" && syntax.String(next.Y) == "1" {
		return k.items[k.uses.Of(next.X)], "end"
	}
	return k.items[k.uses.Of(at.Index)], "first"
}

// known is rowOf where the bounds of the item are known.
func (k *boundsFunc) known(x syntax.Expr) (*item, string) {
	it, what := k.rowOf(x)
	if it != nil && it.late && !k.safe[x] {
		return nil, ""
	}
	return it, what
}

// rewrite gives the lists that a function pops from and pushes to items with bounds.
func (k *boundsFunc) rewrite(r *pass.Run) {
	k.names = tree.NamesIn(k.FuncDecl)
	byPop, byDecl := map[*syntax.CallExpr]*item{}, map[*syntax.VarDecl]*item{}
	for _, it := range k.items {
		byPop[it.pop], byDecl[it.decl] = it, it
	}
	taken := map[syntax.Node][]string{}
	var blocks []syntax.Node
	tree.Rewriter{
		Enter: func(n syntax.Node) bool {
			if b, ok := n.(*syntax.Block); ok {
				blocks = append(blocks, n)
				taken[n] = k.prefetch(b)
			}
			if d, ok := n.(*syntax.VarDecls); ok {
				for _, v := range d.Vars {
					if it := byDecl[v]; it != nil {
						it.first, it.end = k.names.Fresh(v.Name.Name+"_first"), k.names.Fresh(v.Name.Name+"_end")
						at := blocks[len(blocks)-1]
						taken[at] = append(taken[at], it.first, it.end)
					}
				}
			}
			return true
		},
		Leave: func(n syntax.Node) {
			switch n := n.(type) {
			case *syntax.Block:
				blocks = blocks[:len(blocks)-1]
				k.names.Free(taken[n]...)
			case *syntax.CallExpr:
				k.call(n, byPop[n], r)
			}
		},
		Expr: func(x syntax.Expr) syntax.Expr {
			if len(k.items) == 0 {
				return x
			}
			it, what := k.known(x)
			if it == nil {
				return x
			}
			s := tree.At(x)
			first, end := tree.Ident(s, it.first), tree.Ident(s, it.end)
			switch what {
			case "first":
				return first
			case "end":
				return end
			}
			return tree.Paren(tree.Cast(s, tree.Basic(s, "int"), tree.Binary(end, "-", first)))
		},
		Stmt: func(s syntax.Stmt) []syntax.Stmt { return k.declare(s, byDecl) },
	}.Rewrite(k.Body)
	for _, it := range byPop {
		if it.late {
			k.sink(it)
		}
	}
}

// sink moves the declaration of an item to its pop, where that is the only place
// left that names it:
//
//	int n = 0;                                         if (i_active) {
//	if (i_active) { n = irgl_pop_node(in, ...); }        int n = irgl_pop_node(in, ...); }
func (k *boundsFunc) sink(it *item) {
	uses := tree.Resolve(k.FuncDecl)
	named := 0
	for n := range syntax.Preorder(k.Body) {
		if id, ok := n.(*syntax.Ident); ok && uses.Of(id) == syntax.Node(it.decl) {
			named++
		}
	}
	if named != 1 {
		return
	}
	tree.Rewriter{Stmt: func(s syntax.Stmt) []syntax.Stmt {
		switch s := s.(type) {
		case *syntax.VarDecls:
			if len(s.Vars) == 1 && s.Vars[0] == it.decl && it.decl.Init != it.pop {
				return nil
			}
		case *syntax.ExprStmt:
			if a, ok := s.X.(*syntax.AssignExpr); ok && uses.Of(a.L) == syntax.Node(it.decl) {
				return []syntax.Stmt{tree.Variable(tree.At(s), it.decl.Type, it.decl.Name.Name, a.R)}
			}
		}
		return []syntax.Stmt{s}
	}}.Rewrite(k.Body)
}

// declare returns a statement with the variables for the bounds of the items that it
// declares: in front of it where it pops them, and behind it where that comes later.
func (k *boundsFunc) declare(s syntax.Stmt, items map[*syntax.VarDecl]*item) []syntax.Stmt {
	if loop, ok := s.(*syntax.ForStmt); ok {
		settleEnd(loop)
	}
	d, ok := s.(*syntax.VarDecls)
	if !ok {
		return []syntax.Stmt{s}
	}
	var before, after []syntax.Stmt
	for _, v := range d.Vars {
		if it := items[v]; it != nil {
			at := tree.At(s)
			for _, name := range []string{it.first, it.end} {
				zero := tree.Variable(at, tree.Named(at, "irgl_index"), name, tree.Number(at, 0))
				if v.Init != nil && callsAny(v.Init, "irgl_pop_node") {
					before = append(before, zero)
				} else {
					after = append(after, zero)
				}
			}
		}
	}
	return slices.Concat(before, []syntax.Stmt{s}, after)
}

// settleEnd removes the variable of a loop's head that is a copy of another one.
func settleEnd(loop *syntax.ForStmt) {
	d, ok := loop.Init.(*syntax.VarDecls)
	if !ok || len(d.Vars) != 2 {
		return
	}
	end := d.Vars[1]
	known, ok := end.Init.(*syntax.Ident)
	test, ok2 := loop.Cond.(*syntax.BinaryExpr)
	if !ok || !ok2 || test.Op != "<" || syntax.String(test.Y) != end.Name.Name || tree.Mentions(loop.Body, end.Name.Name) || !strings.HasSuffix(known.Name, "_end") {
		return
	}
	test.Y = tree.Ident(tree.At(test.Y), known.Name)
	d.Vars = d.Vars[:1]
}

// call makes a call one of the function for items with bounds; it is the item that
// the call pops, or nil.
func (k *boundsFunc) call(c *syntax.CallExpr, it *item, r *pass.Run) {
	s, name := tree.At(c), tree.Callee(c)
	rows := func() []syntax.Expr {
		return []syntax.Expr{tree.Member(tree.Ident(s, k.graph), abi.Row), tree.Member(tree.Ident(s, k.graph), abi.Nodes)}
	}
	if it != nil {
		c.Fun = tree.Ident(s, "irgl_pop_node")
		c.Args = append(slices.Insert(c.Args, 1, rows()...), tree.Addr(tree.Ident(s, it.first)), tree.Addr(tree.Ident(s, it.end)))
		r.Count("pops", 1)
		return
	}
	form, ok := nodeForms[name]
	if !ok {
		return
	}
	c.Fun = tree.Ident(s, form.name)
	if form.rows {
		c.Args = slices.Insert(c.Args, 1, rows()...)
	}
}

// prefetch has the pushes of a batch load the bounds in front of the reservation:
//
//	int at = irgl_reserve(out, __popc(bits));
//	if ((bits & 1) != 0) { irgl_put(out, at, 0, item); }
//
// It returns the names that are taken in the block.
func (k *boundsFunc) prefetch(b *syntax.Block) (names []string) {
	if len(b.Stmts) < 2 || k.graph == "" {
		return nil
	}
	d, ok := b.Stmts[0].(*syntax.VarDecls)
	if !ok || len(d.Vars) != 1 {
		return nil
	}
	c, ok := d.Vars[0].Init.(*syntax.CallExpr)
	if !ok || !strings.HasPrefix(tree.Callee(c), "irgl_reserve") || len(c.Args) != 2 || tree.CallOf(c.Args[1], "__popc") == nil {
		return nil
	}
	var loads []syntax.Stmt
	for i, s := range b.Stmts[1:] {
		test, ok := s.(*syntax.IfStmt)
		if !ok {
			continue
		}
		then, ok := test.Then.(*syntax.Block)
		if !ok || len(then.Stmts) != 1 {
			continue
		}
		put := tree.CallOf(then.Stmts[0], "irgl_put")
		if put == nil {
			continue
		}
		node := k.names.Fresh(fmt.Sprintf("%s_node_%d", syntax.String(put.Args[0]), i))
		names = append(names, node)
		loads = append(loads, tree.Template(fmt.Sprintf("struct irgl_item %[1]s;\nif (%[2]s) { %[1]s = irgl_item_of(%[3]s.row, %[3]s.nnodes, %[4]s); }\n",
			node, syntax.String(test.Cond), k.graph, syntax.String(put.Args[3])))...)
		put.Fun, put.Args[3] = tree.Ident(tree.At(put), "irgl_put_item"), tree.Ident(tree.At(put), node)
	}
	b.Stmts = append(loads, b.Stmts...)
	return names
}

// dropUnused removes a function of the program that nothing calls any more.
func (w *Work) dropUnused(name string) {
	if !callsAny(w.file, name) {
		w.file.Decls = slices.DeleteFunc(w.file.Decls, func(d syntax.Decl) bool {
			f, ok := d.(*syntax.FuncDecl)
			return ok && f.Name.Name == name
		})
	}
}
