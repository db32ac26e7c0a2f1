package gogen

import (
	"slices"
	"strings"

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
	for _, l := range f.atBegin {
		// Only what is added up is used at the end, too.
		if name, _, ok := strings.Cut(l, " := (*["); !ok || strings.Contains(text, name) {
			lines = append(lines, l)
		}
	}
	if f.kernel.info.Pushes && !strings.Contains(text, "out == end") {
		lines = append(lines, "_ = end")
	}
	f.out = slices.Concat(f.out[:start], lines, loop, f.atEnd, []string{"})"})
	f.kernel.split = true
}

// runsInParts reports whether an iteration of the kernel's one outermost ForAll ends with s,
// a loop over edges that changes none of the kernel's other variables.
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
	return !contains(s.Body, func(n syntax.Node) bool {
		id, ok := n.(*syntax.Ident)
		if !ok {
			return false
		}
		o := f.info.Uses[id]
		return o != nil && !o.Global && !own[o] && (o.Kind == check.VarObj || o.Kind == check.ParamObj) && changes(f.info, o, s.Body)
	})
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
