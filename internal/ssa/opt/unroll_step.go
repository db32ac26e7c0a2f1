package opt

import (
	"irgl/internal/ssa"
	"irgl/internal/ssa/analysis"
)

// This file unrolls loops by a factor whose threads synchronise: those with barriers and warp
// operations.
//
//	for (i = begin; i < end; i += 256) {        // begin and end: of the block
//	  x = i < n ? in[i] : 0;
//	  __syncthreads(); ...; __syncthreads();
//	}
//
// All threads that enter the loop must execute the same copies. So the trip count is a
// constant, or the branch of the test does not diverge: what it depends on is the same in all threads of a
// block (analysis.Vary knows no value that is so in warps only). Then copies of volatile accesses and fences
// follow each other as their iterations did, too.
//
// It pays where the assembler moves loads in front of the barriers of the iteration before, as it does with those of
// global memory that the kernel does not write: two iterations are then in flight (SHOC's scan, with as many
// instructions an iteration, took 1.22 times nvcc's time, which unrolls it). Others gain the test and the increment only, and are
// unrolled if the source asks for it.

// maxInStep is the number of operations that the copies of such a loop may have together.
const maxInStep = 320

// notInStep returns why a loop may not be unrolled by a factor whose threads synchronise: "" if all threads
// execute the same iterations, and its operations may be copied then.
func (u *unroller) notInStep(loops *analysis.Loops, t *analysis.Trip) string {
	const (
		whole  = "it has a barrier, a fence, a call or another operation that is copied by full unrolling only"
		differ = "it synchronises threads, and its trip count may differ between them"
	)
	if !t.Only || t.Exit != t.Loop.Header {
		return whole
	}
	for _, b := range t.Loop.Blocks {
		for _, v := range b.Values {
			switch {
			case v.Op == ssa.OpCall || v.Op == ssa.OpCallPtr || v.Op == ssa.OpPrintf || v.Op == ssa.OpAlloca:
				return whole
			case b == t.Loop.Header && (v.Op.Effects()&(ssa.Syncs|ssa.Volatile) != 0 || v.Mem.Volatile): // executed once more for each loop
				return whole
			}
		}
	}
	if t.Count >= 0 {
		return ""
	}
	if u.variance == nil {
		u.variance = analysis.VaryWith(u.f, analysis.Dominators(u.f), loops, analysis.Uses(u.f))
	}
	if u.variance.Divergent(t.Exit) {
		return differ
	}
	return ""
}

// partInStep is inPart for a loop whose threads execute the same iterations.
func (u *unroller) partInStep(loops *analysis.Loops, t *analysis.Trip, body int) (int, string) {
	const few = 2
	switch asked := t.Loop.Header.Unroll; {
	case asked == -1:
		return 0, "it synchronises threads, and its trip count is not known or too large"
	case asked > 0 && min(asked, maxPart)*body > maxWholeAsked:
		return 0, u.text("%d iterations of %d operations exceed the limit of %d", min(asked, maxPart), body, maxWholeAsked)
	case asked > 0:
		return min(asked, maxPart), ""
	case t.Count >= 0:
		return 0, "it synchronises threads"
	case few*body > maxInStep || u.size+few*body > maxUnrolled:
		return 0, u.text("two iterations of %d operations exceed the limit of %d", body, maxInStep)
	}
	switch registers := u.readOnlyRegisters(loops, t.Loop); {
	case registers == 0:
		return 0, "it synchronises threads, and has no loads of global memory that the kernel does not write"
	case registers > u.estimate(loops).Room(t.Loop.Blocks...):
		return 0, u.text("the loads of two iterations exceed the limit of %d registers", analysis.RegisterLimit(u.f))
	}
	return few, ""
}

// readOnlyRegisters returns the registers of the loads of l of global memory that the kernel does not write.
func (u *unroller) readOnlyRegisters(loops *analysis.Loops, l *analysis.Loop) (n int32) {
	for _, v := range analysis.ReadOnly(u.f, u.aliasesOf()) {
		if loops.Contains(l, v.Block) {
			n += analysis.RegistersOf(v.Type)
		}
	}
	return n
}
