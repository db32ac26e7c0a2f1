// Package simt emulates a small GPU: it runs PTX text warp by warp on the CPU,
// and is the oracle for the compiler's output where there is no GPU.
//
// [Open] returns a [device.Device] that also counts ([device.KernelCounting]) and
// looks for faults ([device.Checking]):
//
//	dev := simt.Open(simt.Checked())
//	mod, err := dev.Load("bfs", ptxText)
//	...
//	err = dev.Sync(ctx)
//	for _, r := range dev.Reports() {
//		fmt.Println(r) // race in kernel BFS: block (0,0,0) thread (3,0,0) writes level+12 at ...
//	}
//
// A text is parsed and verified by package ptx and then decoded once: registers
// become slots of a warp's register file, labels become indices, and every
// instruction a Go function that runs it for the lanes of a mask. Loading
// refuses instructions that package ptx does not know and calls of functions
// without a body, save vprintf, malloc, free and __assertfail.
//
// Execution follows the independent thread scheduling of GPUs since compute
// capability 7.0. A divergent branch splits a warp; the splits run in turns
// and meet again at the branch's immediate post-dominator. A split that waits
// there is let go on when the others poll, so that locks among the lanes of a
// warp make progress. Instructions with a member mask wait for its lanes. As
// many blocks as [device.Kernel.Occupancy] says are resident at once and run
// in turns, so that barriers of the grid work, those of a cluster all together or
// not at all (cluster.go); a warp that polls the same value
// over and over looks once a turn. All of it is on one goroutine and
// follows from [Options.Seed]: the same seed gives the same run, other seeds
// other orders of blocks, warps and atomics and other points of interruption.
//
// Found always: accesses outside of any variable, to freed memory, through
// null pointers, misaligned, or writing constants; barriers that part of a
// warp does not reach, or of a cluster in the wrong order of halves; a bra.uni at which a warp splits; deadlocks; stack overflow. They end the launch with a
// [Fault]. Found when asked for, and the run goes on: races (see raceState for
// what is missed) and reads of registers, shared and local memory that was
// never written. Global memory counts as written, since Alloc clears it.
//
// Arithmetic is exact where PTX defines it: f32 and f64 with every rounding
// mode, .ftz and .sat. The approximate functions are computed in double
// precision and rounded once, which is better than any GPU does: what is within
// a bound here may miss it there by the one or two units that ex2, lg2, rcp and
// rsqrt may be off. Time is counted in warp instructions.
package simt
