// Package simt emulates small GPUs: it runs PTX text warp by warp on the CPU,
// and is the oracle for the compiler's output where there is no GPU.
//
// [Open] returns a [device.Device] that also counts ([device.KernelCounting]) and
// looks for faults ([device.Checking]); [OpenSystem] returns several, which are
// peers:
//
//	dev := simt.Open(simt.Checked())
//	mod, err := dev.Load("bfs.ptx", ptxText)
//	...
//	err = dev.Sync(ctx)
//	for _, r := range dev.Reports() {
//		fmt.Println(r) // race on property level of node 4 (kernel BFS): thread 3 of block 0 writes at bfs.irgl:7:9, ...
//	}
//
// A text is parsed and verified by package ptx and then decoded once: registers
// become slots of a warp's register file, labels become indices, and every
// instruction a Go function that executes it for the lanes of a mask: the commonest as loops over lanes
// (kernels.go), or as vector instructions where the CPU has them (vector.go); loads and stores for all lanes at once where
// there is nothing to report (exec_together.go, races_together.go); straight-line code without looking at guards and
// reconvergence between its instructions (straight.go);
// and reads of registers that every path has written without a check (definite.go). Loading
// refuses instructions that package ptx does not know and calls of functions
// without a body, save vprintf, malloc, free and __assertfail.
//
// Execution follows the independent thread scheduling of GPUs since compute
// capability 7.0. A divergent branch splits a warp; the splits take turns
// and reconverge at the branch's immediate post-dominator. A split that waits
// there is released when the others poll, so that locks among the lanes of a
// warp make progress. Instructions with a member mask wait for its lanes. As
// many blocks as [device.Kernel.Occupancy] says are resident at once and take
// turns, so that barriers of the grid work; the blocks of a cluster become resident
// together (cluster.go). A warp that polls the same value over and over reads it
// once a turn.
//
// Streams are queues (stream.go). Nothing runs in the background: a call that waits
// executes the work of all streams of all devices that were opened together
// (system.go), until what it waits for is done: by turns on its own goroutine, but for launches of many blocks
// that turn out to be independent of each other, which several goroutines execute in groups of blocks (parallel.go). Launches that
// nothing orders overlap: they share the multiprocessors (residency.go), and their
// warps take turns. A wait whose context ends gives up the work that it waited for.
// The interleaving follows from [Options.Seed] and the order of the calls: the same
// seed gives the same run, other seeds other orders of launches, blocks, warps and
// atomics and other points of preemption. The number of goroutines makes no difference.
//
// Found always: accesses outside of any variable, also where they lead to another shared
// or local variable than the one that the address was computed from (within.go), to freed memory, to a device that
// is no enabled peer, through null pointers, misaligned, or writing constants;
// barriers that part of a warp does not reach, or of a cluster in the wrong order of
// halves; a bra.uni at which a warp diverges; deadlocks; stack overflow. They end the
// launch with a [Fault]. Warps of a block that complete a barrier at different places in
// the source are reported, and run on. Found on request, while the run continues: races, also
// between launches and copies of several streams and devices (see raceState for
// what orders accesses and what is missed), and reads of registers, shared and local
// memory that was never written. Global memory counts as written, since Alloc clears
// it, but for what [Device.Unwritten] names. Also on request, a launch ends where the code of a position in the source accesses
// an allocation or variable of global memory that it may not (restrict.go). Reports name elements of memory ([Device.Describe]) and, where the text has
// .loc lines, positions in the source (place.go).
//
// Arithmetic is exact where PTX defines it: f32 and f64 with every rounding
// mode, .ftz and .sat. The approximate functions are computed in double
// precision and rounded once, which is better than any GPU does: what is within
// a bound here may miss it there by the one or two units that ex2, lg2, rcp and
// rsqrt may be off. Time is counted in warp instructions.
package simt
