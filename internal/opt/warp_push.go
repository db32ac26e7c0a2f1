package opt

import (
	"slices"

	"irgl/internal/check"
	"irgl/internal/devlib"
	"irgl/internal/pass"
	"irgl/internal/tree"
	"irgl/syntax"
)

// Cooperative conversion of pushes at warp level (IrGL paper, section 4.2). The
// counter of a list is one address, and its atomics run one after another. The lanes
// of a warp that push together add to it once:
//
//	irgl_push(out, e_dst);        irgl_push_warp(out, e_dst);
//
// Which function does that for the threads of a warp, once for each, is said by the
// annotation @once(irgl_push) in the device library (Listing 8).
//
// What is legal. Which lanes push together is found out at the push, by __activemask,
// and only these are brought together again: so a push may be in divergent code, in a
// loop whose rounds differ, or in a kernel of one thread. The items of a list have no
// order, and no program sees the place of one.
//
// So are the reservations that a batch of iterations makes for what it pushes, one a
// thread:
//
//	at = irgl_reserve(out, n);    at = irgl_reserve_warp(out, n);
//
// Pushes of statements with the attribute each are calls of irgl_push_each, and stay.
// Pushes to room that is reserved in front of a loop and to queues of a block have other
// functions: the rows reserve and queue decide about these in front of lowering.
//
// It pays where many lanes push; where one lane does, it costs the vote.

// pushesTogether reports whether pushes of a function are to be converted: those of a kernel
// if they are in some part of it, whose others have an atomic each (see ownAtomics).
func (w *Work) pushesTogether(f *syntax.FuncDecl) bool {
	if k := w.kernelOf(f); k != nil {
		return w.pushesTogetherIn(k)
	}
	return w.everywhere["warp-push"]
}

func (w *Work) pushesTogetherIn(fn *check.FuncInfo) bool {
	return slices.ContainsFunc(w.settingsOf(fn).all, func(s *settings) bool { return s.wants(w, "warp-push") })
}

// warpPushes is the row warp-push. A call is changed in place; a node that has two
// places in the tree needs the change in both.
func warpPushes(w *Work, r *pass.Run) error {
	const push = "irgl_push"
	together, err := devlib.Method(devlib.Once, push)
	if err != nil {
		return err
	}
	each, err := devlib.Method(devlib.Thread, push)
	if err != nil {
		return err
	}
	warp, err := devlib.Method(devlib.Warp, push)
	if err != nil {
		return err
	}
	return perFunc(func(w *Work, f *syntax.FuncDecl, r *pass.Run) {
		if !onDevice(f) || !w.pushesTogether(f) {
			return
		}
		for _, c := range tree.Calls(f.Body, push) {
			c.Fun = tree.Ident(tree.At(c.Fun), together)
			r.Count("pushes", 1)
		}
		for _, c := range tree.Calls(f.Body, each) {
			c.Fun = tree.Ident(tree.At(c.Fun), warp)
			r.Count("reservations", 1)
		}
	})(w, r)
}
