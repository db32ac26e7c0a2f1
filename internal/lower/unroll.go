package lower

import (
	"fmt"

	"irgl/internal/analysis"
	"irgl/syntax"
)

// Pipe unrolling (IrGL paper, section 4.4): the rounds of an outlined Iterate or
// Pipe stand in the text several times, with the condition between them.
//
//	while (irgl_wl.size > 0) {
//	  { irgl_call_BFS(graph, ...); ... LEVEL++; }
//	  if (!(irgl_wl.size > 0)) { break; }
//	  { irgl_call_BFS(graph, ...); ... LEVEL++; }
//	}
//
// The paper's compiler got the kernels inlined by it, which are always inlined
// here. What is left to gain: the lists and counters that change places from round
// to round are renamed instead of moved, and code moves between rounds. It costs
// text, so registers and instruction cache; the tuner finds out which weighs more.
//
// Legal wherever the text of a round may stand twice: continue begins the next
// round, which is where the head of the loop leads, and break leaves the loop.
// Refused are bodies with labels or C text, and those with rounds of their own,
// which are unrolled themselves. Where one block may go through rounds alone
// (scope.go) that is decided once for all copies.

// maxUnroll is how often a round may stand in the text.
const maxUnroll = 16

// planUnroll decides whether the rounds of a node of an outline tree stand several
// times in the text of region r.
func (l *lowerer) planUnroll(r *region, o *analysis.Outline) (note string, why []analysis.Reason) {
	if l.o.Unroll <= 1 || !isRounds(o.Stmt) {
		return "", nil
	}
	for _, c := range o.Children {
		if loops(c) && c.Stmt != nil {
			why = append(why, analysis.Reason{Pos: c.Stmt.Pos(), Text: "it is not unrolled: " + c.Title() + " in it has rounds of its own"})
			return "", why
		}
	}
	if !copyable(o.Stmt) {
		return "", []analysis.Reason{{Pos: o.Stmt.Pos(), Text: "it is not unrolled: it contains a label, a static variable or C text"}}
	}
	r.copies[o.Stmt] = l.o.Unroll
	return fmt.Sprintf("%d rounds a pass", l.o.Unroll), nil
}

// copies returns the rounds that stand in the body of a loop: as many as were
// planned, each made by round, with a way out of the loop between them.
func (l *lowerer) copies(s syntax.Stmt, cond func() syntax.Expr, round func() []syntax.Stmt) []syntax.Stmt {
	if l.region == nil || l.region.copies[s] == 0 {
		return round()
	}
	out := []syntax.Stmt{block(at(s), round()...)}
	for range l.region.copies[s] - 1 {
		c := cond()
		empty := &syntax.UnaryExpr{Span: at(c), Op: "!", X: &syntax.ParenExpr{Span: at(c), X: c}}
		leave := &syntax.IfStmt{Span: at(s), Cond: empty, Then: block(at(s), &syntax.BreakStmt{Span: at(s)})}
		out = append(out, leave, block(at(s), round()...))
	}
	return out
}
