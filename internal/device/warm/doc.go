// Package warm compiles PTX texts in parallel before they are loaded, for callers that
// are about to load many of them one after the other.
//
// A GPU's driver compiles PTX when it is loaded, which takes longer than running it,
// on one core while the other cores and the GPU wait. It keeps compiled code in a
// cache on disk, for all processes of a user. So a [Pool] hands the texts of the next
// candidates to a few processes, each with a context of its own, which load a text and
// unload it again:
//
//	p := warm.NewPool(8, func() (warm.Compiler, error) { return warm.Start("irgl", "jit") })
//	err := p.Compile(ctx, []warm.Text{{"bfs", ptx1}, {"bfs", ptx2}}) // returns when all are done
//	m, err := dev.Load("bfs", ptx1)                                  // from the cache
//
// The process at the other end is [Serve] on any device.
//
// Compile returns when all texts are compiled, and the processes are idle between calls:
// measurements made then are not disturbed. A process holds one module at a time. The
// pool is only an optimisation: if a text is refused, or a process exits, the caller's
// own load compiles the text, and reports the reason. Texts are started in the order given,
// and each is compiled once in the life of a pool. A pool whose processes keep exiting
// gives up and says so.
package warm
