// Package infile reads files and pipes that are input. A cancelled context ends
// every call, also one that waits for the other end of a pipe, and the memory
// taken is bounded.
//
//	f, err := infile.Open(ctx, "graph.el.gz")      // waits for a writer if it is a pipe
//	u, err := infile.Unpack(f, nil)                // gzip and zstd, by the first bytes
//	data, err := infile.ReadAll(u, u.Bounds(f.Size()))
//
// The operating system gives no way to cancel open(2) and read(2): for anything but
// a regular file they run on a goroutine of their own, which a caller whose context
// ends leaves behind. Closing the file ends it where the system allows that.
//
// [Bounds] limit what [ReadAll] returns. By default that is the memory that the process
// may use, a third of it where the size is not known before, and 200 times the size of compressed text: text that says
// something does not compress better, and what compresses better is a trap or
// damaged. A format that states its size in a header sets an exact bound instead.
//
// Data that is cut off is an error, and so is what follows the compressed data, save
// zeros and further gzip members or zstd frames: it may be the damaged rest of the file.
//
// [Identify] names formats that nothing here reads, by their first bytes, with what
// to do about them.
package infile
