// Package prepare makes graphs fit what programs require on a device, where they are
// needed: it transposes, makes symmetric, sorts rows, and drops self-loops and repeats.
//
//	k, err := prepare.New(ctx, dev)
//	defer k.Close()
//	g, err := k.Upload(ctx, onHost)
//	in, err := k.Transpose(ctx, g)
//	back, err := k.Download(ctx, in)
//
// The results are those of package graph, bit for bit, whatever the order in which threads
// run: arcs are listed and sorted with a stable radix sort, by the other end and then by
// the node that they leave, eight bits at a time (Satish, Harris and Garland, Designing
// efficient sorting algorithms for manycore GPUs, IPDPS 2009). No thread waits for another
// one of its grid, and no row is one thread's work: hubs cost what their arcs cost. The
// kernels are in prepare.cu, in the compiler's CUDA dialect, and are compiled by it for the
// device.
//
// A sort by a node of b bits reads and writes the arcs b/8 times, rounded up. Device memory
// is taken for two lists of arcs, 12 bytes each with weights and 8 without, besides the
// graph and the result; a symmetric graph's lists have both directions.
//
// What is refused: real weights, and graphs whose list would have 2^32 arcs or about as
// many (see [MaxArcs]).
package prepare
