// Package prepare makes graphs in the memory of a device fit what programs require: it
// transposes, makes symmetric, sorts rows, drops self-loops and repeats, and finds out what
// the choice of switches depends on. [Kit.Fit] does what run.Prepare and run.ViewsOf do on the
// host:
//
//	ptx, err := prepare.Compile(ctx, dev.Info().Target())
//	k, err := prepare.New(dev, ptx)
//	defer k.Close()
//	f, err := k.Fit(ctx, g, info.Requires, info.Needs) // g was copied to the device
//	...                                                // f.Graph, f.In, f.Src
//	err = k.FreeFitted(f, g)
//
// Graphs stay on the device: nothing but their sizes and a few facts is copied back. Who has
// copied the arrays of g owns them (package host's Store); what Fit makes belongs to its
// caller, and shares arrays with g where that fits already. Package engine decides what is
// prepared where.
//
// The results are those of package graph, bit for bit, whatever the order in which threads
// run: arcs are listed and sorted with a stable radix sort, by the other end and then by
// the node that they leave, eight bits at a time (Satish, Harris and Garland, Designing
// efficient sorting algorithms for manycore GPUs, IPDPS 2009). No thread waits for another
// one of its grid, and no row is one thread's work: hubs cost what their arcs cost. The
// kernels are in prepare.cu, in the compiler's CUDA dialect, and are compiled by it for the
// device.
//
// A sort by a node of b bits reads and writes the arcs b/8 times, rounded up. Temporary memory
// is that of two lists of arcs, 12 bytes each with weights and 8 without, of which the result
// is a part where no arc is dropped; a symmetric graph's lists have both directions. It is
// freed before a function returns, after errors and cancelled contexts, too.
//
// What is refused, by an [UnsupportedError]: graphs whose list would have 2^32 arcs or about
// as many (see [MaxArcs]). Real weights are the host's to convert, and to refuse.
package prepare
