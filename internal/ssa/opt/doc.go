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
// Passes may rely on what ssa.Verify checks. They must preserve the semantics that
// package ssa documents for each operation, per thread: results, memory, and the
// order of accesses, barriers and warp operations. The last are never made
// conditional on anything else. They are cloned only where the copies are the
// iterations of a loop that all threads execute together (unrolling), or a
// function's body with everything around them (inlining): no two threads that
// synchronise at the original reach different copies. Otherwise the order of values
// within a block has no meaning, and no pass depends on it.
//
// A pass keeps no facts for the next one: its slices indexed by value number
// are scratch memory ([ssa.Scratch]), released after each function.
//
// Before and after constfold:
//
//	v2 = mul i32 v0, v1      v2 = shl i32 v0, v3     (v1 = const i32 8, v3 = const i32 3)
//
// The package refuses nothing: input that ssa.Verify accepts is optimised, and
// a failure of a pass is a pass.InternalError.
package opt
