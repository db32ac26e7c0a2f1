// Package graph holds directed graphs in compressed sparse row (CSR) form, and
// everything that brings one into being: readers of the file formats in which
// graphs are published, seeded generators, and the transforms that programs
// ask for before they run.
//
// A [Graph] takes nodes 0..n-1 (32 bits) and arcs counted in 64 bits. The arcs
// of node v are those from RowStart[v] to RowStart[v+1]:
//
//	RowStart  0 2 3 3         node 0 -> 1 (weight 7), 0 -> 2 (weight 4)
//	Dst       1 2 0           node 1 -> 0 (weight 7)
//	Weight    7 4 7           node 2 has no arcs
//
// [Open] reads a file. The format is found in the content, never in the name:
//
//	Galois .gr, versions 1 and 2      binary CSR, the fastest
//	DIMACS shortest paths             p sp 3 1 / a 1 2 7
//	PACE treewidth                    p tw 3 1 / 1 2          (undirected)
//	SNAP and plain edge lists         # comment / 0 1 / 1 2 5 (space, tab, comma)
//	Matrix Market, coordinate         %%MatrixMarket matrix coordinate ...
//	METIS and DIMACS 10               3 2 / 2 / 1 3 / 2       (undirected)
//
// Compression with gzip or zstd is undone, whatever the file is called. Text is
// cut at line ends and parsed by all processors. Nodes keep the name that the
// file gives them: [Graph.ExternalID] and [Graph.Lookup] translate.
//
// The nodes of an edge list are the numbers that appear in it. A comment such as
// "# Nodes: 16" before the first edge promises more, which have no edges; Write puts
// one there. [Info] has notes on numbers that name no node, and [Graph.Losses] tells
// what a format does not hold.
//
// A graph remembers what is known about it: see [Graph.Validate],
// [Graph.IsSymmetric] and their like.
//
// [Generate] makes graphs from a text such as "rmat:20:8" or "road:512:512";
// the same text gives the same graph on every machine and with any number of
// processors. [Write] stores a graph in any of the formats.
//
// What is refused, always with the file and the line (or the byte, in a binary
// file): anything malformed, a header that promises more than the file can
// hold, an integer weight outside 32 bits, more than 2^31-1 nodes, text that
// compresses better than text does, and more than fits in memory. No input
// makes the package panic, or allocate more than a few megabytes and a small
// multiple of its uncompressed size.
package graph
