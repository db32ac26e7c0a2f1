package opt

import (
	"strconv"
	"strings"

	"irgl/internal/abi"
	"irgl/internal/pass"
	"irgl/internal/tree"
	"irgl/syntax"
)

// Backoff (IrGL paper, section 4.4, "Retry Backoff"). Items that exclude each other
// are tried in groups of one item a thread. Neighbours in a list are mostly
// neighbours in what they change, so a group of consecutive items has many losers.
// Here the items of a group come from all over the list, and with --backoff N at most
// one in N of them is tried at once:
//
//	for (long i_base = 0, i_end = irgl_size(in);          for (long i_base = 0, i_end = irgl_size(in), i_step = irgl_together(i_end, 4);
//	     i_base < i_end; i_base += irgl_threads()) {           i_base < i_end; i_base += i_step) {
//	  bool i_active = i_base + irgl_thread() < i_end;       bool i_active = irgl_place() < i_step && i_base + irgl_place() < i_end;
//	  int i = (int)(i_base + irgl_thread());                int i = irgl_scattered(i_base + irgl_place(), i_end);
//	  ... irgl_claim(graph.node_locks, l[at]); ...          ... irgl_claim(graph.node_locks, l[at]); ...
//	}                                                     }
//
// irgl_place counts warps first, so that few items have a warp each. For that the
// launch needs as many warps as there are items, and has them:
//
//	irgl_blocks(irgl_wl->size, 256)                       irgl_blocks(irgl_wl->size, 8)
//
// What is legal. The items of a list have no order, irgl_scattered is a permutation
// of them, and every thread still executes the loop equally often, so that all reach
// its barriers: i_step is the same for all threads, since all find the same list.
// The winners among conflicting items are others, which a program may not depend on.
//
// It applies to loops in groups over a worklist that claim locks (Exclusive directly
// in the body of a ForAll over WL), wherever they are executed: the launches of a
// kernel are those that ask how many of its blocks are resident, and a control kernel
// has its own number of blocks. It pays wherever conflicts are local, which is nearly
// always; docs/rationale.md has a model of what it gains. It costs the loads of items
// that lie apart, and with a large N rounds that use few threads.

// warp is the number of threads in one.
const warp = 32

// backoff is the row backoff. It is one unit of work: the size of a launch, which is
// host code, depends on the kernel.
func backoff(w *Work, r *pass.Run) error {
	b := backoffPass{Run: r, scattered: map[string]bool{}}
	for _, d := range w.file.Decls {
		if f, ok := d.(*syntax.FuncDecl); ok && f.Body != nil && onDevice(f) && param(f, isList) >= 0 {
			if of := w.ofFunc(f); of.wants(w, "backoff") {
				b.few = of.Backoff
				b.kernel(f)
			}
		}
	}
	if len(b.scattered) == 0 {
		return nil
	}
	for _, d := range w.file.Decls {
		if f, ok := d.(*syntax.FuncDecl); ok && f.Body != nil && f.Attrs.Has(syntax.Global) && b.callsBody(f) {
			b.scattered[f.Name.Name] = true
		}
	}
	for _, d := range w.file.Decls {
		if f, ok := d.(*syntax.FuncDecl); ok && f.Body != nil && !onDevice(f) {
			b.launch(f)
		}
	}
	return nil
}

// A backoffPass is the row backoff at work.
type backoffPass struct {
	*pass.Run
	few       int             // one in so many items is tried at once; up to 1, as many as there are threads
	scattered map[string]bool // kernels, and bodies of kernels, that scatter their items
}

// kernel scatters the items of the loops of a kernel. A loop is replaced and not
// changed, since it may have another place in the tree.
func (b *backoffPass) kernel(f *syntax.FuncDecl) {
	var names tree.Names
	tree.Rewriter{
		Enter: func(n syntax.Node) bool {
			_, expr := n.(syntax.Expr)
			return !expr
		},
		Stmt: func(s syntax.Stmt) []syntax.Stmt {
			loop, ok := s.(*syntax.ForStmt)
			if !ok {
				return []syntax.Stmt{s}
			}
			g := groupOf(loop)
			if g == nil || !callsAny(loop.Body, "irgl_claim") {
				return []syntax.Stmt{s}
			}
			if tree.CallOf(g.end.Init, "irgl_size") == nil {
				b.Missed(loop.Pos(), "its iterations are not scattered: they are not the items of a list")
				return []syntax.Stmt{s}
			}
			if names == nil && b.few > 1 {
				names = tree.NamesIn(f)
			}
			b.scattered[f.Name.Name] = true
			b.Count("loops", 1)
			if b.few > 1 {
				b.Applied(loop.Pos(), "items in a scattered order, one in %d at once", b.few)
			} else {
				b.Applied(loop.Pos(), "items in a scattered order")
			}
			return []syntax.Stmt{g.scatter(b.few, names)}
		},
	}.Rewrite(f.Body)
}

// A groups is a loop that runs in groups of one iteration a thread, as lowering
// writes it.
type groups struct {
	loop      *syntax.ForStmt
	body      *syntax.Block
	base, end *syntax.VarDecl
	// What the body declares first, where it uses it: the variable that says whether
	// the thread has an iteration, and the iteration.
	active, item *syntax.VarDecl
}

// groupOf returns a loop as one that runs in groups of the grid's threads, or nil.
// Nothing else in its body may depend on where a group begins.
func groupOf(loop *syntax.ForStmt) *groups {
	d, ok := loop.Init.(*syntax.VarDecls)
	body, block := loop.Body.(*syntax.Block)
	if !ok || !block || len(d.Vars) != 2 {
		return nil
	}
	g := &groups{loop: loop, body: body, base: d.Vars[0], end: d.Vars[1]}
	base, end := g.base.Name.Name, g.end.Name.Name
	step, ok := loop.Post.(*syntax.AssignExpr)
	if !ok || step.Op != "+=" || tree.CallOf(step.R, "irgl_threads") == nil || syntax.String(step.L) != base ||
		syntax.String(loop.Cond) != base+" < "+end {
		return nil
	}
	mine := base + " + irgl_thread()"
	for _, s := range body.Stmts[:min(2, len(body.Stmts))] {
		d, ok := s.(*syntax.VarDecls)
		if !ok || len(d.Vars) != 1 || d.Vars[0].Init == nil {
			break
		}
		switch v := d.Vars[0]; syntax.String(v.Init) {
		case mine + " < " + end:
			g.active = v
		case mine, "(int)(" + mine + ")":
			g.item = v
		}
	}
	known := 0
	for _, v := range []*syntax.VarDecl{g.active, g.item} {
		if v != nil {
			known++
		}
	}
	if known == 0 || uses(body, base) != known {
		return nil
	}
	return g
}

// uses returns how often n names name.
func uses(n syntax.Node, name string) (times int) {
	for n := range syntax.Preorder(n) {
		if id, ok := n.(*syntax.Ident); ok && id.Name == name {
			times++
		}
	}
	return times
}

// scatter returns the loop with its items in a scattered order.
func (g *groups) scatter(few int, names tree.Names) syntax.Stmt {
	s := tree.At(g.base)
	id := func(d *syntax.VarDecl) *syntax.Ident { return tree.Ident(s, d.Name.Name) }
	place := func() syntax.Expr { return tree.Call(s, "irgl_place") }
	mine := func() syntax.Expr { return tree.Binary(id(g.base), "+", place()) }
	out, head := *g.loop, *g.loop.Init.(*syntax.VarDecls)
	var active []syntax.Expr
	if few > 1 {
		step := names.Fresh(strings.TrimSuffix(strings.TrimRight(g.base.Name.Name, "_"), "_base") + "_step")
		together := tree.Call(s, "irgl_together", id(g.end), tree.Number(s, int64(few)))
		head.Vars = append(head.Vars[:2:2], &syntax.VarDecl{Span: s, Type: tree.Basic(s, "long"), Name: tree.Ident(s, step), Init: together})
		out.Post = tree.Assign(id(g.base), "+=", tree.Ident(s, step))
		active = append(active, tree.Binary(place(), "<", tree.Ident(s, step)))
	}
	active = append(active, tree.Binary(mine(), "<", id(g.end)))
	body := *g.body
	body.Stmts = nil
	for _, st := range g.body.Stmts {
		if d, ok := st.(*syntax.VarDecls); ok && len(d.Vars) == 1 {
			switch v := d.Vars[0]; v {
			case g.active:
				is := active[0]
				for _, x := range active[1:] {
					is = tree.Binary(is, "&&", x)
				}
				st = redeclared(d, is)
			case g.item:
				st = redeclared(d, tree.Call(s, "irgl_scattered", mine(), id(g.end)))
			}
		}
		body.Stmts = append(body.Stmts, st)
	}
	out.Init, out.Body = &head, &body
	return &out
}

// redeclared returns the declaration of one variable with another initialiser.
func redeclared(d *syntax.VarDecls, init syntax.Expr) *syntax.VarDecls {
	out, v := *d, *d.Vars[0]
	v.Init, out.Vars = init, []*syntax.VarDecl{&v}
	return &out
}

// callsBody reports whether a kernel calls a function that scatters its items.
func (b *backoffPass) callsBody(f *syntax.FuncDecl) bool {
	for n := range syntax.Preorder(f.Body) {
		if c, ok := n.(*syntax.CallExpr); ok && strings.HasPrefix(tree.Callee(c), abi.BodyPrefix) && b.scattered[tree.Callee(c)] {
			return true
		}
	}
	return false
}

// launch gives the launches of a host function a warp for each item, where their
// kernel scatters its items.
func (b *backoffPass) launch(f *syntax.FuncDecl) {
	if !b.launches(f) {
		return
	}
	for _, c := range tree.Calls(f.Body, "irgl_blocks") {
		n, ok := c.Args[1].(*syntax.BasicLit)
		if !ok || !strings.HasSuffix(syntax.String(c.Args[0]), "->size") {
			continue
		}
		if threads, err := strconv.Atoi(n.Text); err == nil {
			c.Args[1] = tree.Number(tree.At(n), int64(max(1, threads/warp)))
			b.Count("launches", 1)
		}
	}
}

// launches reports whether a host function launches a kernel that scatters its items.
func (b *backoffPass) launches(f *syntax.FuncDecl) bool {
	for _, c := range tree.Calls(f.Body, "irgl_resident") {
		if k, ok := c.Args[0].(*syntax.CastExpr); ok {
			if id, ok := syntax.Unparen(k.X).(*syntax.Ident); ok && b.scattered[id.Name] {
				return true
			}
		}
	}
	return false
}
