package opt

import (
	"fmt"
	"slices"

	"irgl/internal/devlib"
	"irgl/internal/pass"
	"irgl/internal/plan"
	"irgl/internal/tree"
	"irgl/syntax"
)

// Gathering of reductions, a part of cooperative conversion (IrGL paper, section
// 4.2). Any and All of a kernel are one word for all threads. A thread keeps what it
// finds, and contributes once, by itself or with the others of its warp or of its block:
//
//	for (int n = irgl_thread(); ...) {           bool found = false;
//	  irgl_any(reduced, graph.a[n] > 0);         for (int n = irgl_thread(); ...) {
//	}                                              if (graph.a[n] > 0) { found = true; }
//	                                             }
//	                                             irgl_any_warp(reduced, found);
//
// What is legal. The value is read behind a barrier of the grid or the end of the
// kernel, so a contribution may wait until then: it is made behind the last loop that
// has one, and before any barrier of the grid that all threads execute. What is
// contributed behind that barrier (the tiles that the grid shares, with np=gr) stays
// where it is. All threads have to come to the place: no thread may return before it
// or jump over it, and C text may do either.
//
// It pays where many threads contribute, since even the reads that keep most of them
// from the atomic are of one address. With coop=block it costs a barrier of the block.

// gatherLevels are the library's names for the levels of plans.
var gatherLevels = [...]devlib.Level{plan.Thread: devlib.Thread, plan.Warp: devlib.Warp, plan.Block: devlib.ThreadBlock}

// gatherReductions is the row gather.
func gatherReductions(w *Work, f *syntax.FuncDecl, r *pass.Run) {
	of := w.ofFunc(f)
	if !onDevice(f) || !of.wants(w, "gather") || !callsAny(f.Body, "irgl_any", "irgl_all") {
		return
	}
	if !w.own {
		f.Body = tree.Clone(f.Body)
	}
	g := gathering{Run: r, level: gatherLevels[of.coop()]}
	g.find(&f.Body.Stmts)
	if g.last == nil {
		return
	}
	if why := leavesEarly(g.line); why != "" {
		for _, c := range append(tree.Calls(f.Body, "irgl_any"), tree.Calls(f.Body, "irgl_all")...) {
			r.Missed(c.Pos(), "%s", why)
		}
		return
	}
	g.rewrite(f)
}

// A gathering is the row gather at work on a function.
type gathering struct {
	*pass.Run
	level devlib.Level
	line  []syntax.Stmt    // the statements that every thread executes, in order
	some  []syntax.Stmt    // those of them with contributions that can wait
	done  bool             // a barrier of the grid is behind those
	first *syntax.CallExpr // the first contribution
	last  *[]syntax.Stmt   // the list with the last statement of some
}

// find goes through the statements that every thread executes: those of the body, and
// of blocks in it.
func (g *gathering) find(list *[]syntax.Stmt) {
	for _, s := range *list {
		if b, ok := s.(*syntax.Block); ok {
			g.find(&b.Stmts)
			continue
		}
		g.line = append(g.line, s)
		if tree.CallOf(s, "irgl_grid_barrier") != nil {
			g.done = g.last != nil
		}
		c := contribution(s)
		if _, alone := s.(*syntax.ExprStmt); c == nil || alone {
			continue
		}
		if g.done {
			g.Missed(c.Pos(), "a barrier of the grid comes before it")
			continue
		}
		g.some, g.last = append(g.some, s), list
		if g.first == nil {
			g.first = c
		}
	}
}

// contribution returns the first contribution in n, or nil.
func contribution(n syntax.Node) *syntax.CallExpr {
	for n := range syntax.Preorder(n) {
		if c, ok := n.(*syntax.CallExpr); ok && (tree.Callee(c) == "irgl_any" || tree.Callee(c) == "irgl_all") {
			return c
		}
	}
	return nil
}

// leavesEarly returns why a thread may not come to a statement of line, or "": but for
// a return at the end of the body, and jumps within one of them.
func leavesEarly(line []syntax.Stmt) string {
	for i, s := range line {
		labels, jumps := map[string]bool{}, []string(nil)
		for n := range syntax.Preorder(s) {
			switch n := n.(type) {
			case *syntax.ReturnStmt:
				if i < len(line)-1 || n != s {
					return "a thread can leave the kernel early"
				}
			case *syntax.LabelStmt:
				labels[n.Name.Name] = true
			case *syntax.GotoStmt:
				jumps = append(jumps, n.Name.Name)
			}
		}
		for _, to := range jumps {
			if !labels[to] {
				return "a thread can jump over its end"
			}
		}
	}
	return ""
}

// rewrite gathers the contributions of a function.
func (g *gathering) rewrite(f *syntax.FuncDecl) {
	fun := tree.Callee(g.first)
	found := tree.NamesIn(f).Fresh("found")
	together := fun
	if g.level != devlib.Thread {
		var err error
		if together, err = devlib.Method(g.level, fun); err != nil {
			panic(err) // the library is part of the binary
		}
	}
	for _, st := range g.some {
		tree.Rewriter{Stmt: func(s syntax.Stmt) []syntax.Stmt {
			c := tree.CallOf(s, fun)
			if c == nil {
				return []syntax.Stmt{s}
			}
			g.Count("contributions", 1)
			g.Applied(c.Pos(), "gathered, once a %s", plan.Level(slices.Index(gatherLevels[:], g.level)))
			at, value := tree.At(s), c.Args[1]
			if fun == "irgl_all" {
				value = &syntax.UnaryExpr{Span: at, Op: "!", X: tree.Paren(value)}
			}
			set := tree.Do(tree.Assign(tree.Ident(at, found), "=", tree.Ident(at, "true")))
			return []syntax.Stmt{&syntax.IfStmt{Span: at, Cond: value, Then: tree.Block(at, set)}}
		}}.Rewrite(st)
	}
	not := ""
	if fun == "irgl_all" {
		not = "!"
	}
	contribute := fmt.Sprintf("%s(%s, %s%s);\n", together, syntax.String(g.first.Args[0]), not, found)
	behind := slices.Index(*g.last, g.some[len(g.some)-1]) + 1
	*g.last = slices.Insert(*g.last, behind, tree.Template(contribute)...)
	at := slices.IndexFunc(f.Body.Stmts, func(s syntax.Stmt) bool { return tree.Mentions(s, found) })
	f.Body.Stmts = slices.Insert(f.Body.Stmts, at, tree.Template("bool "+found+" = false;\n")...)
}
