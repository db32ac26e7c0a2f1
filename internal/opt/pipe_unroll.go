package opt

import (
	"strings"

	"irgl/internal/abi"
	"irgl/internal/pass"
	"irgl/internal/tree"
	"irgl/syntax"
)

// Pipe unrolling (IrGL paper, section 4.4): the rounds of an outlined Iterate or
// Pipe are written several times, with the condition of the loop between them.
//
//	while (irgl_wl.size > 0) {                           while (irgl_wl.size > 0) {
//	  irgl_call_BFS(graph, ...);                           { irgl_call_BFS(graph, ...); irgl_iterations++; LEVEL++; }
//	  irgl_iterations++;                                   if (!(irgl_wl.size > 0)) { break; }
//	  LEVEL++;                                             { irgl_call_BFS(graph, ...); irgl_iterations++; LEVEL++; }
//	}                                                    }
//
// The paper's compiler got the kernels inlined by it, which are always inlined
// here. What is left to gain: the lists and counters that rotate from round to
// round are renamed instead of moved, and code moves between rounds. It costs
// text, so registers and instruction cache; the tuner finds out which weighs more.
//
// A loop of rounds is one in a control kernel that counts irgl_iterations. The
// transformation is legal wherever the text of a round may be repeated: continue
// begins the next round, which is where the head of the loop leads, and break
// leaves the loop. Refused are bodies with labels, static variables or C text, and
// loops with rounds of their own in them, which are unrolled themselves. Where one
// block may execute rounds alone, that is decided once for all copies.

// unrollRounds is the number of rounds where no switch gives one.
const unrollRounds = 2

// unrollPipes is the row pipe-unroll.
func unrollPipes(w *Work, f *syntax.FuncDecl, r *pass.Run) {
	if !f.Attrs.Has(syntax.Global) || !strings.HasPrefix(f.Name.Name, abi.ControlPrefix) {
		return
	}
	n := w.Options.Unroll
	if n <= 1 {
		n = unrollRounds
	}
	tree.Rewriter{Leave: func(node syntax.Node) {
		loop, ok := node.(*syntax.WhileStmt)
		if !ok || roundsOf(loop) == nil {
			return
		}
		if why := repeatable(loop); why != "" {
			r.Missed(loop.Pos(), "it is not unrolled: %s", why)
			return
		}
		r.Applied(loop.Pos(), "%d rounds a pass", n)
		r.Count("rounds copied", n-1)
		repeatRound(loop, n)
	}}.Rewrite(f.Body)
}

// roundsOf returns the body of a loop of rounds, or nil.
func roundsOf(loop *syntax.WhileStmt) *syntax.Block {
	body, ok := loop.Body.(*syntax.Block)
	if !ok {
		return nil
	}
	for _, s := range body.Stmts {
		if s, ok := s.(*syntax.ExprStmt); ok {
			if x, ok := s.X.(*syntax.PostfixExpr); ok && x.Op == "++" && syntax.String(x.X) == abi.IterationsVar {
				return body
			}
		}
	}
	return nil
}

// repeatable returns why the text of a round cannot be repeated, or "".
func repeatable(loop *syntax.WhileStmt) (why string) {
	for n := range syntax.Preorder(loop.Body) {
		switch n := n.(type) {
		case *syntax.LabelStmt, *syntax.CBlock:
			return "it contains a label or C text"
		case *syntax.VarDecls:
			if n.Attrs != 0 {
				return "it contains a static variable"
			}
		case *syntax.WhileStmt:
			if invokes(n) {
				return "a loop in it has rounds of its own"
			}
		case *syntax.ForStmt:
			if invokes(n) {
				return "a loop in it has rounds of its own"
			}
		}
	}
	return ""
}

// invokes reports whether a kernel is called in n.
func invokes(n syntax.Node) bool {
	for n := range syntax.Preorder(n) {
		if c, ok := n.(*syntax.CallExpr); ok && (strings.HasPrefix(tree.Callee(c), abi.CallPrefix) || strings.HasPrefix(tree.Callee(c), abi.SplitPrefix)) {
			return true
		}
	}
	return false
}

// repeatRound writes n rounds in the body of a loop.
func repeatRound(loop *syntax.WhileStmt, n int) {
	body, s := loop.Body.(*syntax.Block), tree.At(loop)
	front := 0 // what decides which blocks execute the rounds
	for front < len(body.Stmts) {
		decide, ok := body.Stmts[front].(*syntax.IfStmt)
		if !ok || !tree.Mentions(decide.Cond, abi.BlocksVar) {
			break
		}
		front++
	}
	round := body.Stmts[front:]
	out := append(body.Stmts[:front:front], tree.Block(s, round...))
	for range n - 1 {
		c := tree.Clone(loop.Cond)
		empty := &syntax.UnaryExpr{Span: tree.At(c), Op: "!", X: &syntax.ParenExpr{Span: tree.At(c), X: c}}
		leave := &syntax.IfStmt{Span: s, Cond: empty, Then: tree.Block(s, &syntax.BreakStmt{Span: s})}
		out = append(out, leave, tree.Block(s, tree.Clones(round)...))
	}
	body.Stmts = out
}
