// Package suite has the sixteen benchmarks of KLAP's evaluation (section IV, Table I) as CUDA
// sources of our own, with their host code, and what a driver needs to build and run them.
//
// A benchmark is one source in two forms. The plain form launches kernels in kernels; the
// form without dynamic parallelism (-DNO_DP) is its rival, written as fast as a simple program
// can be: queues and warps in one cooperative launch, single-pass scans. What both do for a body, an arc, a
// node or a tile is one function where it can be, so that the forms differ by what launches force: a kernel
// for each round, and another one for the work that is nested in it. -DSTREAM=N says into which stream the plain form
// launches: 0 the block's NULL stream, 1 one made for the launch, 2 fire and forget, 3 the tail launch. Only that
// goes deeper than 24 launches, which the large data sets of promotion need.
//
//	b := suite.Find("sssp")
//	path, err := b.Write(dir)                       // sssp.cu, and the headers that it includes
//	flags := suite.Flags(suite.Plain, suite.Forget) // -DSTREAM=2
//	args := b.Arguments(suite.Large, input)         // --size large --input rmat12.sym.gr
//
// All programs take the same arguments, --size, --input, --repeat, --seed, --pending and --round, and print
//
//	time: 0.1230 ms
//	launches: 4097
//	check: ok
//
// The time is the median of the repetitions, between events around the kernels; buffers are
// reset outside of it. launches counts those of one repetition, by the host and in kernels.
// Some programs know the latter only with -DCOUNT, which adds an atomic to each launch; without
// it they print "host launches". What a transformation makes of launches does not change
// the number. The check shares no code with the kernels: it is a sequential algorithm, or
// verifies properties that make the result right. Where it fails the exit status is 1.
//
// Two more forms are for measurements. -DPARTS, built with --parts=partsOff, prints what the longest launch of the host
// takes, and what it takes while parts are switched off (package klap, instrument.go):
//
//	round: 2
//	part 0: 0.1020 ms
//	part 1: 0.0810 ms
//
// -DOCCUPANCY, built with --residency=warpTime, prints the warps that were resident, of those that the device can hold:
//
//	occupancy: 12.3456 %
//
// In kernels of promotion the call of klap_overlap, an empty function, is the boundary that
// section III-C lets programmers annotate.
package suite
