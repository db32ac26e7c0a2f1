package opt

import (
	"irgl/internal/analysis"
	"irgl/internal/check"
	"irgl/internal/source"
	"irgl/syntax"
)

// Control kernels that launch kernels (report, section 4.3: "our compiler also supports the use of CUDA
// Dynamic Parallelism when launching kernels from control kernels"):
//
//	[[outline(dp)]] Iterate BFS(graph, LEVEL) Initial [src] { LEVEL++; }
//
// One thread executes the host's code, and the kernels are launched as the host launches them, each with
// blocks of its own size. So most of what refuses a control kernel that calls its kernels does not
// matter: sizes in common, shared memory, writes inside of expressions, kernels that retry and do more than
// iterate over WL. What the host alone can do is refused as there. A thread cannot wait for a kernel that
// it launches, so that the control kernel ends with each launch and begins again behind it (package lower,
// resume.go). That needs invocations where a statement can be divided: as a statement, as what is
// assigned, or as an operand of !, && and || in a condition.

// launches reports whether the control kernel of a node is to launch its kernels.
func (w *Work) launches(o *analysis.Outline) bool {
	if w.given(o.Key(), "outline") { // the option gives way
		return w.plan.Nodes[o.Key()].Launches
	}
	return w.Options.Outline.Launches
}

// judgeLaunches refuses what a control kernel that launches kernels cannot execute, beside what no
// control kernel can.
func (w *Work) judgeLaunches(o *analysis.Outline, refuse func(at source.Pos, format string, args ...any)) {
	for _, a := range o.Accesses {
		if w.hostMemory(o, a) {
			refuse(a.Expr.Pos(), "%s is in the host's memory", a.Object.Name)
		}
	}
	w.judgeCalls(o, refuse)
	divided := divisible(o.Code())
	syntax.Inspect(o.Code(), func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.GotoStmt, *syntax.LabelStmt:
			refuse(n.Pos(), "a jump may lead past a launch")
		case *syntax.TypeDecl:
			refuse(n.Pos(), "it declares a type")
		case *syntax.VarDecls:
			if n.Attrs != 0 || n.Align != nil {
				refuse(n.Pos(), "it declares a variable that is not a plain one")
			}
		case *syntax.InvokeExpr:
			if !divided[n] {
				refuse(n.Pos(), "%s is invoked inside of an expression, and the control kernel ends there", n.Kernel.Name)
			}
		}
		return true
	})
}

// hostMemory reports whether a is an access to a variable that a control kernel can have no copy of.
func (w *Work) hostMemory(o *analysis.Outline, a analysis.Access) bool {
	_, scalar := a.Object.Type.(check.Basic)
	for _, h := range o.HostOnly {
		if h == a.Object {
			return !scalar || a.Object.Volatile || w.facts.OnDevice[a.Object]
		}
	}
	return false
}

// divisible returns the invocations in code that are where a statement can be divided.
func divisible(code syntax.Node) map[*syntax.InvokeExpr]bool {
	out := map[*syntax.InvokeExpr]bool{}
	var in func(x syntax.Expr)
	in = func(x syntax.Expr) {
		switch x := x.(type) {
		case *syntax.InvokeExpr:
			out[x] = true
		case *syntax.ParenExpr:
			in(x.X)
		case *syntax.CastExpr:
			in(x.X)
		case *syntax.UnaryExpr:
			if x.Op == "!" {
				in(x.X)
			}
		case *syntax.BinaryExpr:
			if x.Op == "&&" || x.Op == "||" {
				in(x.X)
				in(x.Y)
			}
		case *syntax.AssignExpr:
			if _, ok := syntax.Unparen(x.L).(*syntax.Ident); ok {
				in(x.R)
			}
		}
	}
	syntax.Inspect(code, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.ExprStmt:
			in(n.X)
		case *syntax.IfStmt:
			in(n.Cond)
		case *syntax.WhileStmt:
			in(n.Cond)
		case *syntax.ForStmt:
			in(n.Cond)
			in(n.Post)
		case *syntax.VarDecl:
			in(n.Init)
		case *syntax.IterateStmt:
			if n.Extra != nil {
				in(n.Extra.Cond)
			}
		}
		return true
	})
	return out
}
