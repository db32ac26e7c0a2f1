package opt

import (
	"irgl/internal/ssa"
	"irgl/internal/ssa/analysis"
)

// This file computes trip counts by symbolic execution: it evaluates, iteration by
// iteration, the values that determine them, which begin as constants and are updated
// by constant operations, such as j >>= 1 or i += step. It also knows the values of
// the variables of enclosing loops in each of their iterations, and so the trip counts
// of inner loops that depend on them.
//
// Of a pointer that walks over an object, as in for (p = a; p != a + 4; p++) and in loops over
// a range, it knows the distance from where it began. Tests compare it with others of the same root.

// A stepper computes values that are constant in an iteration. phis holds the
// values, in this iteration, of the header phis of the enclosing loops.
type stepper struct {
	loops *analysis.Loops
	phis  map[*ssa.Value]int64      // of a pointer: the offset from its root, in bytes
	roots map[*ssa.Value]*ssa.Value // of the pointers in phis
	memo  map[*ssa.Value]stepped    // results since phis changed
}

type stepped struct {
	n  int64
	ok bool
}

// maxDepth bounds the depth of the expression that is evaluated for a value.
const maxDepth = 4 * maxRounds

func newStepper(loops *analysis.Loops) *stepper {
	return &stepper{loops: loops, phis: make(map[*ssa.Value]int64), roots: make(map[*ssa.Value]*ssa.Value), memo: make(map[*ssa.Value]stepped)}
}

// eval returns the value of v in this iteration.
func (s *stepper) eval(v *ssa.Value) (int64, bool) { return s.at(v, 0) }

func (s *stepper) at(v *ssa.Value, depth int) (int64, bool) {
	switch {
	case v.Op == ssa.OpConst:
		return v.Int, true
	case v.Op == ssa.OpPhi:
		n, ok := s.phis[v]
		return n, ok
	case depth > maxDepth:
		return 0, false
	case v.Op.IsIntCompare() && v.Args[0].Type.IsPtr():
		return s.compare(v, depth)
	case !folds(v):
		return 0, false
	}
	if m, ok := s.memo[v]; ok {
		return m.n, m.ok
	}
	var m stepped
	var args [3]int64
	m.ok = true
	for i, a := range v.Args {
		if args[i], m.ok = s.at(a, depth+1); !m.ok {
			break
		}
	}
	if m.ok {
		switch {
		case v.Op == ssa.OpSelect && args[0]&1 != 0:
			m.n = args[1]
		case v.Op == ssa.OpSelect:
			m.n = args[2]
		case len(v.Args) == 1:
			m.n, m.ok = foldUnary(v.Op, v.Args[0].Type, args[0])
		default:
			m.n, m.ok = foldInt(v.Op, v.Args[0].Type, args[0], args[1])
		}
		m.n = ssa.SignExtend(v.Type, m.n)
	}
	s.memo[v] = m
	return m.n, m.ok
}

// compare returns the value of a comparison of two pointers into one object. Their order is that of
// their offsets, since an object does not wrap around the end of memory.
func (s *stepper) compare(v *ssa.Value, depth int) (int64, bool) {
	x, y := v.Args[0], v.Args[1]
	if s.root(x) != s.root(y) {
		return 0, false
	}
	m, ok := s.offset(x, depth+1)
	n, ok2 := s.offset(y, depth+1)
	if !ok || !ok2 {
		return 0, false
	}
	op := v.Op
	if op.IsUnsignedOrder() {
		op = op.Signed()
	}
	return foldInt(op, ssa.I64, m, n)
}

// root returns the pointer that v is an offset from.
func (s *stepper) root(v *ssa.Value) *ssa.Value {
	for v.Op == ssa.OpPtrAdd || v.Op == ssa.OpSpaceCast {
		v = v.Args[0]
	}
	if r := s.roots[v]; r != nil {
		return r
	}
	return v
}

// offset returns the distance of a pointer from its root in this iteration.
func (s *stepper) offset(v *ssa.Value, depth int) (int64, bool) {
	switch v.Op {
	case ssa.OpPtrAdd:
		if depth > maxDepth {
			return 0, false
		}
		m, ok := s.offset(v.Args[0], depth+1)
		n, ok2 := s.at(v.Args[1], depth+1)
		return m + n, ok && ok2
	case ssa.OpSpaceCast:
		return s.offset(v.Args[0], depth)
	}
	return s.phis[v], true
}

// argument returns the value of a phi whose argument is a, and for a pointer also its root.
func (s *stepper) argument(phi, a *ssa.Value) (n int64, root *ssa.Value, ok bool) {
	switch {
	case phi.Type.IsPtr():
		n, ok = s.offset(a, 0)
		return n, s.root(a), ok
	case phi.Type.IsInt() || phi.Type == ssa.I1:
		n, ok = s.eval(a)
	}
	return n, nil, ok
}

// folds reports whether v is an integer operation whose result is constant if
// its arguments are.
func folds(v *ssa.Value) bool {
	if !v.Type.IsInt() && v.Type != ssa.I1 || len(v.Args) == 0 || len(v.Args) > 3 || !v.Op.Pure() {
		return false
	}
	for _, a := range v.Args {
		if !a.Type.IsInt() && a.Type != ssa.I1 {
			return false
		}
	}
	return v.Op == ssa.OpSelect || len(v.Args) < 3
}

// A walk is a loop whose iterations a stepper evaluates.
type walk struct {
	l    *analysis.Loop
	phis []*ssa.Value // those that are constant in each iteration
	back int          // the index of the latch among the header's predecessors
	exit *ssa.Block   // the block whose branch is evaluated in each iteration: the header or the latch
	stay int          // the index among the exit's successors of the one in l
}

// enter begins the first iteration of l, which has one latch and one entry.
func (s *stepper) enter(l *analysis.Loop) *walk {
	h := l.Header
	if len(l.Latches) != 1 || len(h.Preds) != 2 {
		return nil
	}
	w := &walk{l: l, back: h.PredIndex(l.Latches[0])}
	init := make(map[*ssa.Value]int64)
	for _, phi := range h.Phis() {
		if n, root, ok := s.argument(phi, phi.Args[1-w.back]); ok {
			init[phi] = n
			w.phis = append(w.phis, phi)
			if root != nil {
				s.roots[phi] = root
			}
		}
	}
	s.set(init)
	// A phi that is a constant in the first iteration only is removed; others may
	// depend on it.
	for changed := true; changed; {
		changed = false
		kept := w.phis[:0]
		for _, phi := range w.phis {
			if _, root, ok := s.argument(phi, phi.Args[w.back]); ok && root == s.roots[phi] {
				kept = append(kept, phi)
			} else {
				s.forget(phi)
				changed = true
			}
		}
		w.phis = kept
		clear(s.memo)
	}
	for _, b := range []*ssa.Block{h, l.Latches[0]} {
		if b.Kind != ssa.BlockIf || s.loops.Contains(l, b.Succs[0]) == s.loops.Contains(l, b.Succs[1]) {
			continue
		}
		if _, ok := s.eval(b.Ctrl); ok {
			w.exit = b
			if !s.loops.Contains(l, b.Succs[0]) {
				w.stay = 1
			}
			return w
		}
	}
	s.leave(w)
	return nil
}

// set changes phis.
func (s *stepper) set(to map[*ssa.Value]int64) {
	for v, n := range to {
		s.phis[v] = n
	}
	clear(s.memo)
}

// leave forgets the values of w's loop.
func (s *stepper) leave(w *walk) {
	for _, phi := range w.phis {
		s.forget(phi)
	}
	clear(s.memo)
}

func (s *stepper) forget(phi *ssa.Value) {
	delete(s.phis, phi)
	delete(s.roots, phi)
}

// stays reports whether the current iteration continues after the test; ok is
// false if that is unknown.
func (s *stepper) stays(w *walk) (goes, ok bool) {
	n, ok := s.eval(w.exit.Ctrl)
	return (n&1 != 0) == (w.stay == 0), ok
}

// next begins the next iteration.
func (s *stepper) next(w *walk) bool {
	to := make(map[*ssa.Value]int64, len(w.phis))
	for _, phi := range w.phis {
		n, root, ok := s.argument(phi, phi.Args[w.back])
		if !ok || root != s.roots[phi] {
			return false
		}
		to[phi] = n
	}
	s.set(to)
	return true
}

// countRounds returns a trip for l with only its exit and its count, which is
// at most limit, or nil.
func countRounds(loops *analysis.Loops, l *analysis.Loop, limit int) *analysis.Trip {
	s := newStepper(loops)
	w := s.enter(l)
	if w == nil {
		return nil
	}
	for n := range limit + 1 {
		goes, ok := s.stays(w)
		if !ok {
			return nil
		}
		if !goes {
			return &analysis.Trip{Loop: l, Exit: w.exit, Count: int64(n), Only: len(l.Exits) == 1}
		}
		if !s.next(w) {
			return nil
		}
	}
	return nil
}
