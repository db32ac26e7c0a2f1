// Package warm has a device's compiler work on texts before they are loaded, on
// several processors, for who is about to load many of them one after the other.
//
// A GPU's driver compiles PTX when it is loaded, which takes longer than to run it,
// on one processor while the others and the GPU wait. It keeps what it has made in a
// cache on disk, for all processes of a user. So a [Pool] hands the texts of the next
// candidates to a few processes, each with a context of its own, which load a text and
// let it go again:
//
//	p := warm.NewPool(8, func() (warm.Compiler, error) { return warm.Start("irgl", "jit") })
//	err := p.Compile(ctx, []warm.Text{{"bfs", ptx1}, {"bfs", ptx2}}) // returns when all are done
//	m, err := dev.Load("bfs", ptx1)                                  // from the cache
//
// The process at the other end is [Serve] on any device.
//
// Compile returns when all is done, and between calls the processes do nothing: times
// that are taken then are not disturbed. A process holds one module at a time. Nothing
// depends on it: a text that is refused, or a process that ends, leaves a text to be
// compiled by who loads it, who then sees the reason. The order of texts is that in
// which they are begun, and each is compiled once in the life of a pool. A pool whose
// processes keep ending gives up and says so.
package warm
