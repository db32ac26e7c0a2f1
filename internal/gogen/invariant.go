package gogen

import (
	"slices"

	"irgl/internal/check"
	"irgl/syntax"
)

// Go's compiler moves nothing out of loops. A floating division whose operands are the same
// in all iterations of a kernel, as in
//
//	(1 - damping) / graph.nnodes + damping * n.sum
//
// is done once a chunk, at the start of the kernel's body: it takes as long as reading and
// writing what such an iteration does.

// invariant returns the variable that holds the value of e, if e is a floating expression
// with a division that is the same in all iterations.
func (f *fn) invariant(e *syntax.BinaryExpr) (val, bool) {
	k := f.kernel
	t := check.Decay(f.info.Types[e])
	if k == nil || k.depth == 0 || k.info.Syncs || !check.IsFloat(t) || !f.fixed(e) || !contains(e, func(n syntax.Node) bool {
		b, ok := n.(*syntax.BinaryExpr)
		return ok && b.Op == "/" && check.IsFloat(f.info.Types[b])
	}) {
		return val{}, false
	}
	x, y := f.pair(e.X, e.Y)
	text := f.operate(e, e.Op, x, y).s
	name := f.invariants[text]
	if name == "" {
		name = f.unique("fixed")
		f.invariants[text] = name
		f.early = append(f.early, name+" := "+text)
	}
	return val{s: name, prec: precOperand, t: t}, true
}

// fixed reports whether the arithmetic expression x consists of constants, of parameters
// that the kernel does not change, and of the graph's size.
func (f *fn) fixed(x syntax.Expr) bool {
	if f.info.Consts[x] != nil {
		return true
	}
	switch x := syntax.Unparen(x).(type) {
	case *syntax.BinaryExpr:
		switch x.Op {
		case "+", "-", "*", "/":
			return check.IsFloat(f.info.Types[x]) && f.fixed(x.X) && f.fixed(x.Y)
		}
	case *syntax.Ident:
		o := f.info.Uses[x]
		return o != nil && check.IsArithmetic(o.Type) && slices.Contains(f.kernel.info.Params, o) && !changes(f.info, o, f.kernel.info.Decl.Body)
	case *syntax.MemberExpr:
		return f.info.Types[x.X] == check.GraphType && (x.Name.Name == "nnodes" || x.Name.Name == "nedges")
	}
	return false
}
