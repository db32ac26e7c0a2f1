package opt

import (
	"irgl/internal/analysis"
	"irgl/internal/plan"
	"irgl/syntax"
)

// Edge batching: a loop over edges begins several iterations at once. Their loads, which
// do not depend on each other, are all in flight before the first of them does anything
// else:
//
//	ForAll (e In n.edges) {                  [[batch(4)]] ForAll (e In n.edges) {
//	  if (e.dst.level == INF) { ... }          if (e.dst.level == INF) { ... }
//	}                                        }
//
// What is legal. The iterations of a ForAll come in no order, so nothing that
// one iteration does need be seen by another; only what it did itself may not be
// missed. Package analysis finds the loads before which the iteration writes
// nothing that they read. A property that the loop does write is loaded early
// only if it is declared Racy: such a read may be stale by the program's own
// word. Of one that is not declared so, a program without races gives no
// iteration what another writes, and an early load would find the same; it is
// left in place all the same, since one thread's own iterations are no race that
// a tool could report. The second of two edges to one node therefore sees the
// value from before the first, as it would if another thread had the first: bfs
// pushes the node twice, sssp asks the atomic, which decides. In a serial for,
// whose rounds come in order, nothing is loaded early that the loop writes.
//
// Refused are loops around other loops over ranges, and bodies with labels,
// static variables or C text. What an iteration may leave out is loaded early
// only where it lies beside other loads, such as a weight, or with eager: that
// cuts the chain of latencies further, but reads more, each from another place.
//
// It pays where latency is the limit: few threads with work, each of which would
// wait for destination and property of one edge after another. Where all
// processors are full of threads, it costs registers and gains nothing.
// (Beyond the IrGL paper.)

// batchLoops is the row batch.
func batchLoops(k *kernel) {
	for _, b := range k.f.Batches() {
		s := b.Loop
		o := k.at(s)
		if k.given(s, "batch") || o.Batch < 2 {
			continue
		}
		if why := k.unbatched(b, o.Eager); why != "" {
			k.Missed(s.Pos(), "its iterations come one by one: %s", why)
			continue
		}
		k.change(s, func(l *plan.Loop) { l.Batch, l.Eager = min(o.Batch, plan.MaxBatch), o.Eager })
		k.Applied(s.Pos(), "%d iterations begin at once", k.plan.Loops[s].Batch)
		k.Count("loops", 1)
	}
}

// unbatched returns why the iterations of a loop come one by one, or "".
func (k *kernel) unbatched(b *analysis.Batch, eager bool) string {
	if why := k.unbatchable(b); why != "" {
		return why
	}
	if len(k.f.EarlyLoads(b, eager)) == 0 {
		return "it loads nothing that can be loaded early for sure (--eager, Racy)"
	}
	return ""
}

// unbatchable returns why no iterations of a loop can begin at once, or "".
func (k *kernel) unbatchable(b *analysis.Batch) string {
	s := b.Loop
	switch {
	case !b.OK:
		return b.Why
	case !s.Serial && !k.inner(s):
		return "it is the outermost ForAll"
	case !copyable(s.Body):
		return "it contains a label"
	case loopsInside(s):
		return "a loop over a range is in it"
	}
	return ""
}

// inner reports whether a loop over a range is inside a ForAll.
func (k *kernel) inner(s *syntax.ForAllStmt) bool {
	for _, o := range k.f.Graph.Heads[s].Loops() {
		if o, ok := o.(*syntax.ForAllStmt); ok && !o.Serial {
			return true
		}
	}
	return false
}

// loopsInside reports whether a loop over a range is in the body of s.
func loopsInside(s *syntax.ForAllStmt) bool {
	found := false
	syntax.Inspect(s.Body, func(n syntax.Node) bool {
		_, ok := n.(*syntax.ForAllStmt)
		found = found || ok
		return !found
	})
	return found
}
