// Package opt holds the scalar passes over ssa: one file a pass, opened by an
// essay that says what the pass does, when it pays and what it will not do.
//
// [Passes] is the list in the order of the run, with the constraints on that
// order and their reasons; [Run] runs it over a module in place. Each pass has
// a switch and counters, can be verified and printed after, and can be left
// out: a module stays correct, only slower, under every choice of passes.
//
//	report, err := opt.Run(m, opt.Options{
//		Switch:     map[string]bool{"gvn": false},
//		PrintAfter: []string{"mem2reg"},
//		Out:        os.Stderr,
//	})
//	fmt.Print(report.Stats.String()) // "mem2reg promoted 3" and so on
//
// What passes may rely on is ssa.Verify; what they must keep is what the
// operations' comments in package ssa say, for one thread: results, memory, and
// the order of accesses, barriers and warp operations. The last are not moved
// to other conditions, and cloned where the copies stand in for the iterations of a
// loop that all threads run together (unrolling), or for a function's body with
// all that is around them (inlining): no two threads that met at the original
// are led to different copies. The order of values within a block means nothing
// beyond that, and no pass depends on it.
//
// A pass keeps nothing of what it found for the next one: their lists by number
// are scratch memory ([ssa.Scratch]), taken back when the pass leaves the
// function.
//
// Before and after constfold:
//
//	v2 = mul i32 v0, v1      v2 = shl i32 v0, v3     (v1 = const i32 8, v3 = const i32 3)
//
// The package refuses nothing: input that ssa.Verify accepts is optimised, and
// a fault of a pass is a pass.InternalError.
package opt
