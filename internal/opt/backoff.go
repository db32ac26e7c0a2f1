package opt

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"irgl/internal/abi"
	"irgl/internal/lower"
	"irgl/internal/pass"
	"irgl/internal/tree"
	"irgl/syntax"
)

// Backoff (IrGL paper, section 4.4, "Retry Backoff"). Items that exclude each other
// are tried in groups of one item a thread (Exclusive), or each thread tries one after
// another and puts off those whose locks others have (Atomic with Else and Retry).
// Neighbours in a list are mostly neighbours in what they change, so that consecutive items
// which are tried at the same time have many losers. There are two other distributions.
//
// Scattered, the default for Exclusive: those tried together come from all over the list,
// and with --backoff N at most one in N of them is tried at once:
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
// Blocked, as in the paper, with --backoff blocked-N: a thread tries N consecutive items or
// more one after another, so that those next to each other are not tried at the same time:
//
//	for (int i = irgl_thread(), i_end = irgl_size(in);    for (int i = irgl_chunk_at(irgl_size(in), 4, 0, irgl_thread()), i_end = irgl_chunk_at(irgl_size(in), 4, 0, irgl_thread() + 1);
//	     i < i_end; i += irgl_threads()) { ... }               i < i_end; i++) { ... }
//
// The serial tail: with --backoff-tail N one thread tries all items of a list of at most N.
// Beside it one thread works alone where a retry does not shorten the list (irgl_retry).
//
// What is legal. The items of a list have no order, irgl_scattered is a permutation
// of them, and every thread still executes a loop in groups equally often, so that all reach
// its barriers: i_step is the same for all threads, since all find the same list.
// The winners among conflicting items are others, which a program may not depend on. In a
// control kernel threads that do not work retry the items that they have by the same
// distribution (irgl_retry_scattered).
//
// It applies to loops in groups over a worklist that claim locks (Exclusive directly
// in the body of a ForAll over WL), wherever they are executed, and to the ForAlls over WL of
// kernels with Retry that each thread executes alone. It pays wherever conflicts are local,
// which is nearly always; docs/rationale.md has what it saves. It costs the loads of items
// that lie apart, and with a large N rounds that use few threads.

// warp is the number of threads in one.
const warp = 32

// backoff is the row backoff. It is one unit of work: the size of a launch, which is
// host code, depends on the kernel.
func backoff(w *Work, r *pass.Run) error {
	b := backoffPass{Run: r, spread: map[string]spread{}}
	for _, d := range w.file.Decls {
		if f, ok := d.(*syntax.FuncDecl); ok && f.Body != nil && onDevice(f) && param(f, isList) >= 0 {
			if of := w.ofFunc(f); of.wants(w, "backoff") {
				fn := w.kernelOf(f)
				b.kernel(f, of, fn != nil && fn.Retries)
			}
		}
	}
	if len(b.spread) == 0 {
		return nil
	}
	for _, d := range w.file.Decls {
		if f, ok := d.(*syntax.FuncDecl); ok && f.Body != nil && onDevice(f) {
			if s, calls := b.callsBody(f); calls {
				b.spread[f.Name.Name] = s
				b.retryAll(f, s)
			}
		}
	}
	for _, d := range w.file.Decls {
		if f, ok := d.(*syntax.FuncDecl); ok && f.Body != nil && !onDevice(f) {
			b.launch(f)
		}
	}
	return nil
}

// A spread is how the items of a list are distributed over threads.
type spread struct {
	blocked int // so many consecutive ones to a thread at least; 0: scattered
	few     int // scattered: one in so many is tried at once; up to 1, as many as there are threads
	tail    int // lists of up to so many items are tried by one thread
}

// spreadOf returns the distribution for a loop in groups, or for one in which each thread
// retries items; ok is false if that is the list's order.
func spreadOf(o *settings, groups bool) (s spread, ok bool) {
	s.tail = o.Backoff.Serial
	switch o.Backoff.Order {
	case lower.Consecutive:
		s.blocked = o.Backoff.N
	case lower.Scattered:
		s.few = o.Backoff.N
	case lower.AutoOrder:
		if !groups {
			s.blocked = 1
			return s, s.tail > 0
		}
	}
	return s, true
}

// String describes the distribution.
func (s spread) String() string {
	text := "items in a scattered order"
	switch {
	case s.blocked > 0:
		text = fmt.Sprintf("items in blocks, at least %d to a thread", s.blocked)
	case s.few > 1:
		text += fmt.Sprintf(", one in %d at once", s.few)
	}
	if s.tail > 0 {
		text += fmt.Sprintf("; up to %d by one thread", s.tail)
	}
	return text
}

// together returns the call that says how many scattered items are tried at once.
func (s spread) together(at syntax.Span, n syntax.Expr) syntax.Expr {
	if s.tail > 0 {
		return tree.Call(at, "irgl_together_tail", n, tree.Number(at, int64(max(s.few, 1))), tree.Number(at, int64(s.tail)))
	}
	return tree.Call(at, "irgl_together", n, tree.Number(at, int64(s.few)))
}

// A backoffPass is the row backoff at work.
type backoffPass struct {
	*pass.Run
	spread map[string]spread // of kernels, of bodies of kernels, and of functions that call those
}

// kernel distributes the items of the loops of a kernel. A loop is replaced and not
// changed, since it may have another place in the tree.
func (b *backoffPass) kernel(f *syntax.FuncDecl, o *settings, retries bool) {
	var names tree.Names
	tree.Rewriter{
		Enter: func(n syntax.Node) bool {
			_, expr := n.(syntax.Expr)
			return !expr
		},
		Stmt: func(st syntax.Stmt) []syntax.Stmt {
			loop, ok := st.(*syntax.ForStmt)
			if !ok {
				return []syntax.Stmt{st}
			}
			g := groupOf(loop)
			claims := g != nil && callsAny(loop.Body, "irgl_claim")
			s, ok := spreadOf(o, claims)
			switch {
			case claims && tree.CallOf(g.end.Init, "irgl_size") == nil:
				b.Missed(loop.Pos(), "its iterations are not scattered: they are not the items of a list")
				return []syntax.Stmt{st}
			case !claims && (!retries || !ok):
				return []syntax.Stmt{st}
			case !claims && !isStrided(loop):
				if overList(loop) {
					b.Missed(f.Pos(), "its items are tried in the order of the list: the threads of a block execute them together")
				}
				return []syntax.Stmt{st}
			}
			if names == nil {
				names = tree.NamesIn(f)
			}
			b.spread[f.Name.Name] = s
			b.Count("loops", 1)
			b.Applied(loop.Pos(), "%s", s)
			switch {
			case claims && s.blocked > 0:
				return []syntax.Stmt{g.block(s, names)}
			case claims:
				return []syntax.Stmt{g.scatter(s, names)}
			}
			return []syntax.Stmt{s.strided(loop, names)}
		},
	}.Rewrite(f.Body)
}

// overList reports whether a loop is over the items of a list.
func overList(loop *syntax.ForStmt) bool {
	d, ok := loop.Init.(*syntax.VarDecls)
	return ok && slices.ContainsFunc(d.Vars, func(v *syntax.VarDecl) bool { return v.Init != nil && tree.CallOf(v.Init, "irgl_size") != nil })
}

// isStrided reports whether a loop over a list gives each thread of the grid every item
// that lies a multiple of the grid's threads behind its first, as lowering writes it.
func isStrided(loop *syntax.ForStmt) bool {
	d, ok := loop.Init.(*syntax.VarDecls)
	if !ok || len(d.Vars) != 2 || !overList(loop) {
		return false
	}
	i, end := d.Vars[0].Name.Name, d.Vars[1].Name.Name
	step, ok := loop.Post.(*syntax.AssignExpr)
	return ok && syntax.String(d.Vars[0].Init) == "irgl_thread()" && syntax.String(loop.Cond) == i+" < "+end &&
		step.Op == "+=" && syntax.String(step.L) == i && syntax.String(step.R) == "irgl_threads()"
}

// strided returns such a loop with its items distributed otherwise.
func (s spread) strided(loop *syntax.ForStmt, names tree.Names) syntax.Stmt {
	d := loop.Init.(*syntax.VarDecls)
	i, size := d.Vars[0], d.Vars[1]
	at, out := tree.At(loop), *loop
	id := func(name string) *syntax.Ident { return tree.Ident(at, name) }
	if s.blocked > 0 {
		chunk := func(thread syntax.Expr) syntax.Expr {
			return tree.Call(at, "irgl_chunk_at", tree.Clone(size.Init), tree.Number(at, int64(s.blocked)), tree.Number(at, int64(s.tail)), thread)
		}
		thread := tree.Call(at, "irgl_thread")
		first, end := *i, *size
		first.Init, end.Init = chunk(thread), chunk(tree.Binary(tree.Clone(thread), "+", tree.Number(at, 1)))
		head := *d
		head.Vars = []*syntax.VarDecl{&first, &end}
		out.Init, out.Post = &head, &syntax.PostfixExpr{Span: at, X: id(i.Name.Name), Op: "++"}
		return &out
	}
	place := names.Fresh(i.Name.Name + "_place")
	long := func(name string, init syntax.Expr) *syntax.VarDecl {
		return &syntax.VarDecl{Span: at, Type: tree.Basic(at, "long"), Name: id(name), Init: init}
	}
	end := size.Name.Name
	head := *d
	head.Vars = []*syntax.VarDecl{long(place, tree.Call(at, "irgl_place")), long(end, size.Init)}
	out.Cond, out.Post = tree.Binary(id(place), "<", id(end)), tree.Assign(id(place), "+=", tree.Call(at, "irgl_threads"))
	if s.few > 1 || s.tail > 0 {
		step := names.Fresh(i.Name.Name + "_step")
		head.Vars = append(head.Vars, long(step, s.together(at, id(end))))
		out.Cond = tree.Binary(out.Cond, "&&", tree.Binary(tree.Call(at, "irgl_place"), "<", id(step)))
		out.Post = tree.Assign(id(place), "+=", id(step))
	}
	item := *i
	item.Init = tree.Call(at, "irgl_scattered", id(place), id(end))
	declared := &syntax.VarDecls{Span: d.Span, Vars: []*syntax.VarDecl{&item}}
	body := tree.Block(tree.At(loop.Body), declared)
	if inner, ok := loop.Body.(*syntax.Block); ok {
		body.Stmts = append(body.Stmts, inner.Stmts...)
	} else {
		body.Stmts = append(body.Stmts, loop.Body)
	}
	out.Init, out.Body = &head, body
	return &out
}

// A groupedLoop is a loop that runs in groups of one iteration a thread, as lowering
// writes it.
type groupedLoop struct {
	loop      *syntax.ForStmt
	body      *syntax.Block
	base, end *syntax.VarDecl
	// What the body declares first, where it uses it: the variable that says whether
	// the thread has an iteration, and the iteration.
	active, item *syntax.VarDecl
}

// groupOf returns a loop as one that runs in groups of the grid's threads, or nil.
// Nothing else in its body may depend on where a group begins.
func groupOf(loop *syntax.ForStmt) *groupedLoop {
	d, ok := loop.Init.(*syntax.VarDecls)
	body, block := loop.Body.(*syntax.Block)
	if !ok || !block || len(d.Vars) != 2 {
		return nil
	}
	g := &groupedLoop{loop: loop, body: body, base: d.Vars[0], end: d.Vars[1]}
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
func (g *groupedLoop) scatter(s spread, names tree.Names) syntax.Stmt {
	at := tree.At(g.base)
	id := func(d *syntax.VarDecl) *syntax.Ident { return tree.Ident(at, d.Name.Name) }
	place := func() syntax.Expr { return tree.Call(at, "irgl_place") }
	mine := func() syntax.Expr { return tree.Binary(id(g.base), "+", place()) }
	out, head := *g.loop, *g.loop.Init.(*syntax.VarDecls)
	active := tree.Binary(mine(), "<", id(g.end))
	if s.few > 1 || s.tail > 0 {
		step := g.also(&head, "_step", s.together(at, id(g.end)), names)
		out.Post = tree.Assign(id(g.base), "+=", tree.Ident(at, step))
		active = tree.Binary(tree.Binary(place(), "<", tree.Ident(at, step)), "&&", active)
	}
	out.Init, out.Body = &head, g.redeclare(active, tree.Call(at, "irgl_scattered", mine(), id(g.end)))
	return &out
}

// block returns the loop with its items distributed in blocks: in each round a thread has the
// next of its own.
func (g *groupedLoop) block(s spread, names tree.Names) syntax.Stmt {
	at := tree.At(g.base)
	id := func(d *syntax.VarDecl) *syntax.Ident { return tree.Ident(at, d.Name.Name) }
	out, head := *g.loop, *g.loop.Init.(*syntax.VarDecls)
	rounds := g.also(&head, "_rounds", tree.Call(at, "irgl_chunk", id(g.end), tree.Number(at, int64(s.blocked)), tree.Number(at, int64(s.tail))), names)
	mine := func() syntax.Expr {
		return tree.Binary(id(g.base), "+", tree.Binary(tree.Call(at, "irgl_thread"), "*", tree.Ident(at, rounds)))
	}
	out.Cond = tree.Binary(id(g.base), "<", tree.Ident(at, rounds))
	out.Post = &syntax.PostfixExpr{Span: at, X: id(g.base), Op: "++"}
	item := &syntax.CastExpr{Span: at, Type: tree.Basic(at, "int"), X: tree.Paren(mine())}
	out.Init, out.Body = &head, g.redeclare(tree.Binary(mine(), "<", id(g.end)), item)
	return &out
}

// also adds a variable to the head of the loop and returns its name.
func (g *groupedLoop) also(head *syntax.VarDecls, suffix string, init syntax.Expr, names tree.Names) string {
	at := tree.At(g.base)
	name := names.Fresh(strings.TrimSuffix(strings.TrimRight(g.base.Name.Name, "_"), "_base") + suffix)
	head.Vars = append(head.Vars[:2:2], &syntax.VarDecl{Span: at, Type: tree.Basic(at, "long"), Name: tree.Ident(at, name), Init: init})
	return name
}

// redeclare returns the body with other values for the variables that say whether the thread
// has an iteration, and which.
func (g *groupedLoop) redeclare(active, item syntax.Expr) *syntax.Block {
	body := *g.body
	body.Stmts = nil
	for _, st := range g.body.Stmts {
		if d, ok := st.(*syntax.VarDecls); ok && len(d.Vars) == 1 {
			switch d.Vars[0] {
			case g.active:
				st = redeclared(d, active)
			case g.item:
				st = redeclared(d, item)
			}
		}
		body.Stmts = append(body.Stmts, st)
	}
	return &body
}

// redeclared returns the declaration of one variable with another initialiser.
func redeclared(d *syntax.VarDecls, init syntax.Expr) *syntax.VarDecls {
	out, v := *d, *d.Vars[0]
	v.Init, out.Vars = init, []*syntax.VarDecl{&v}
	return &out
}

// callsBody returns how the items are distributed in a body of a kernel that a function calls.
func (b *backoffPass) callsBody(f *syntax.FuncDecl) (s spread, ok bool) {
	for n := range syntax.Preorder(f.Body) {
		if c, is := n.(*syntax.CallExpr); is && strings.HasPrefix(tree.Callee(c), abi.BodyPrefix) {
			if s, ok = b.spread[tree.Callee(c)]; ok {
				return s, true
			}
		}
	}
	return s, false
}

// retryAll has the threads that do not work in a control kernel retry the items that they
// have by a distribution.
func (b *backoffPass) retryAll(f *syntax.FuncDecl, s spread) {
	for _, c := range tree.Calls(f.Body, "irgl_retry_all") {
		at := tree.At(c)
		name, n := "irgl_retry_scattered", max(s.few, 1)
		if s.blocked > 0 {
			name, n = "irgl_retry_blocked", s.blocked
		}
		c.Fun = tree.Ident(at, name)
		c.Args = append(c.Args[:1:1], tree.Number(at, int64(n)), tree.Number(at, int64(s.tail)))
	}
}

// launch gives the launches of a host function as many threads as their kernel's distribution
// takes: scattered, a warp for each item; in blocks, one for as many as it has at least.
func (b *backoffPass) launch(f *syntax.FuncDecl) {
	s, ok := b.launches(f)
	if !ok {
		return
	}
	for _, c := range tree.Calls(f.Body, "irgl_blocks") {
		n, ok := c.Args[1].(*syntax.BasicLit)
		if !ok || !strings.HasSuffix(syntax.String(c.Args[0]), "->size") {
			continue
		}
		if threads, err := strconv.Atoi(n.Text); err == nil {
			items := max(1, threads/warp)
			if s.blocked > 0 {
				items = threads * s.blocked
			}
			c.Args[1] = tree.Number(tree.At(n), int64(items))
			b.Count("launches", 1)
		}
	}
}

// launches returns how the items are distributed in the kernel that a host function launches.
func (b *backoffPass) launches(f *syntax.FuncDecl) (s spread, ok bool) {
	for n := range syntax.Preorder(f.Body) {
		var kernel syntax.Expr
		switch n := n.(type) {
		case *syntax.LaunchExpr:
			kernel = n.Fun
		case *syntax.CallExpr:
			if tree.Callee(n) == "irgl_resident" {
				if k, ok := n.Args[0].(*syntax.CastExpr); ok {
					kernel = syntax.Unparen(k.X)
				}
			}
		}
		if id, is := kernel.(*syntax.Ident); is {
			if s, ok = b.spread[id.Name]; ok {
				return s, true
			}
		}
	}
	return s, false
}
