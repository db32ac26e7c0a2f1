package gogen

import (
	"slices"
	"strings"

	"irgl/internal/builtin"
	"irgl/internal/check"
	"irgl/syntax"
)

// A node with very many edges would keep one worker busy while the others are done. Where
// a loop over edges ends the iteration, the kernel's body has a form for such nodes, in which
// the loop runs later, in parts:
//
//	t := rt.EdgesOf(row, n)
//	w.Split(t, func(w *rt.Worker, t rt.Range) {
//		out, end := w.Out, w.End
//		for e := t.Lo; e < t.Hi; e++ { ... }
//		w.Out = out
//	})
//
// Package rt knows which nodes these are. To ask in the body itself would be a call in its
// loop, before which Go's compiler puts all that the loop holds in memory: a search on a
// grid took a quarter longer.

// splitHub replaces the loop over the edges in row, whose lines are those from start on, by
// a call of rt that runs it in parts, if that may be.
func (f *fn) splitHub(s *syntax.ForAllStmt, row string, start int) {
	loop := f.out[start:]
	if !f.runsInParts(s) || leaves(loop) {
		return
	}
	text := strings.Join(loop, "\n")
	lines := []string{"w.Split(" + row + ", func(w *rt.Worker, " + row + " rt.Range) {"}
	lines = append(lines, needed(f.atBegin, text)...)
	if f.kernel.info.Pushes && !strings.Contains(text, "out == end") {
		lines = append(lines, "_ = end")
	}
	f.out = slices.Concat(f.out[:start], lines, loop, f.atEnd, []string{"})"})
	f.kernel.split = true
}

// runsInParts reports whether an iteration of the kernel's one outermost ForAll ends with s,
// a loop over edges that changes none of the kernel's other variables, uses none that changes
// behind the outermost ForAll, and writes what its other iterations may write with atomics only:
// an inner ForAll is serial, so that n.sum += e.weight is right otherwise.
func (f *fn) runsInParts(s *syntax.ForAllStmt) bool {
	k := f.kernel
	if k.depth != 2 || f.inlined != nil || s.Serial || !isRow(f.info.Types[s.Iter]) || !f.isLast(k.outer.Body, s) {
		return false
	}
	own := map[*check.Object]bool{f.info.Defs[s.Var]: true}
	for n := range syntax.Preorder(s.Body) {
		switch n := n.(type) {
		case *syntax.Ident:
			own[f.info.Defs[n]] = true
		case *syntax.AssignExpr:
			own[f.info.Declares[n]] = true
		}
	}
	var behind []syntax.Stmt
	for i, x := range k.info.Decl.Body.Stmts {
		if x == syntax.Stmt(k.outer) {
			behind = k.info.Decl.Body.Stmts[i+1:]
		}
	}
	edge := f.info.Defs[s.Var]
	if changes(f.info, edge, s.Body) {
		edge = nil
	}
	return f.writesApart(s.Body, edge, map[*check.FuncInfo]bool{}) && !contains(s.Body, func(n syntax.Node) bool {
		id, ok := n.(*syntax.Ident)
		if !ok {
			return false
		}
		o := f.info.Uses[id]
		return o != nil && !o.Global && !own[o] && (o.Kind == check.VarObj || o.Kind == check.ParamObj) &&
			(changes(f.info, o, s.Body) || slices.ContainsFunc(behind, func(x syntax.Stmt) bool { return changes(f.info, o, x) }))
	})
}

// writesApart reports whether body, that of a loop over edges, writes no place without an atomic
// but local variables, what is declared Racy, and properties of the loop's own edge, which is nil
// for none, as in the functions that it calls; seen are those that are looked at already.
func (g *generator) writesApart(body *syntax.Block, edge *check.Object, seen map[*check.FuncInfo]bool) bool {
	return !contains(body, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.AssignExpr:
			return !g.ownPlace(n.L, edge)
		case *syntax.PostfixExpr:
			return !g.ownPlace(n.X, edge)
		case *syntax.UnaryExpr:
			return (n.Op == "++" || n.Op == "--") && !g.ownPlace(n.X, edge)
		case *syntax.CallExpr:
			if b := builtinOf(g.info, n); b != nil {
				return b.Effects&builtin.Writes != 0
			}
			id, ok := syntax.Unparen(n.Fun).(*syntax.Ident)
			if !ok || g.info.Uses[id] == nil {
				return false
			}
			callee := g.info.Uses[id].Func
			if callee == nil || seen[callee] {
				return false
			}
			seen[callee] = true
			return !g.writesApart(callee.Decl.Body, nil, seen)
		}
		return false
	})
}

// ownPlace reports whether x, which is written, is a local variable, declared Racy, or a
// property of edge.
func (g *generator) ownPlace(x syntax.Expr, edge *check.Object) bool {
	switch x := syntax.Unparen(x).(type) {
	case *syntax.Ident:
		o := g.info.Uses[x]
		return o == nil || !o.Global || g.info.Racy[o.Name] != ""
	case *syntax.IndexExpr:
		_, isArray := g.info.Types[x.X].(*check.Array)
		if id, ok := syntax.Unparen(x.X).(*syntax.Ident); ok && g.info.Uses[id] != nil && g.info.Uses[id].Kind == check.ParamObj {
			return false // a pointer
		}
		return isArray && g.ownPlace(x.X, edge)
	case *syntax.MemberExpr:
		if o := g.info.Uses[x.Name]; o != nil && o.Kind == check.PropObj {
			id, _ := syntax.Unparen(x.X).(*syntax.Ident)
			return g.info.Racy[o.Name] != "" || edge != nil && id != nil && g.info.Uses[id] == edge
		}
		return !x.Arrow && g.ownPlace(x.X, edge)
	}
	return false
}

// isLast reports whether control comes to the end of body behind s.
func (g *generator) isLast(body syntax.Stmt, s *syntax.ForAllStmt) bool {
	switch x := body.(type) {
	case *syntax.Block:
		live := g.live(x)
		return len(live) > 0 && g.isLast(live[len(live)-1], s)
	case *syntax.IfStmt:
		if branch, ok := g.selected(x); ok {
			return branch != nil && g.isLast(branch, s)
		}
		return g.isLast(x.Then, s) || x.Else != nil && g.isLast(x.Else, s)
	}
	return body == syntax.Stmt(s)
}

// leaves reports whether the lines of a loop have a jump out of it.
func leaves(loop []string) bool {
	labels := map[string]bool{}
	for _, l := range loop {
		if name, ok := strings.CutPrefix(l, labelMark); ok {
			labels[name] = true
		}
	}
	return slices.ContainsFunc(loop, func(l string) bool {
		switch words := strings.Fields(l); {
		case len(words) == 0:
			return false
		case words[0] == "return":
			return true
		case len(words) == 2 && (words[0] == "continue" || words[0] == "break" || words[0] == "goto"):
			return !labels[words[1]]
		}
		return false
	})
}
