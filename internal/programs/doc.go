// Package programs holds the bundled IrGL programs and, for each, an answer
// computed independently in Go.
//
// The programs are text files that read as a tutorial, from breadth-first
// search to spanning forests under locks; [Text] returns one. [Verify] compares
// the result of a run on any device with a sequential algorithm that shares
// nothing with the compiler: Dijkstra's for shortest paths, a queue for levels,
// union-find for components, power iteration for PageRank, Kruskal's for
// spanning forests, marks for triangles. Of independent sets there are many, so
// one is checked by what makes it a maximal one:
//
//	err := programs.Verify(ctx, "bfs", in, res)
//	// bfs: level of node 7 is 4, want 3 (and 12 more nodes differ)
//
// Verify checks the whole result, node by node, not a sum. It refuses programs
// it has no reference for with [ErrNoReference].
package programs
