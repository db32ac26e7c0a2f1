// Package serve is the server of `irgl serve`: a process that holds devices for
// another one, its client, which speaks the protocol of docs/serve.md over two pipes
// and shares a piece of memory, the arena.
//
// [Serve] reads requests until the client closes its pipe:
//
//	→ {"id": 7, "do": "alloc", "device": 1, "name": "cudaMalloc #1", "size": 4096}
//	← {"id": 7, "ptr": 139637976727552}
//
// A message is four bytes of length and one CBOR map (message.go). The requests are
// begun in the order of their arrival, by one goroutine (server.go); those that wait
// for a device go on in goroutines of their own, and hold back the later requests of
// their queue alone. Handles are numbers that the client chooses (handles.go). The
// operations are rows of a table (ops.go), each with a struct of its arguments; an
// argument that the struct does not have is refused. What they do to a device are the
// methods of package device, for the emulator and for GPUs.
//
// Graphs, programs and runs are package engine's (ops_graph.go, ops_program.go,
// ops_run.go, ops_tune.go). Each is made by a request that waits; the object of its
// handle is there at once, and whoever needs it waits for it (objects.go). Executables
// and devices are kept between runs (engines.go), which use them by turns.
//
// The arena is mapped by both sides (arena.go). Ranges of it are page-locked memory,
// which kernels address by the client's addresses, room for copies, arrays of graphs, and
// results (arrays.go).
//
// Nothing of a request is trusted: lengths, ranges, handles and kinds are checked, and
// a client that does not keep to the protocol gets an error of kind "protocol" before
// the server ends. Only arrays that the client shares are used as they are: it promises
// to leave them alone.
package serve
