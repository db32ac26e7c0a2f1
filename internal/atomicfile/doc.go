// Package atomicfile writes files that appear complete or not at all.
//
//	err := atomicfile.Write(ctx, "out.ptx", func(w io.Writer) error {
//		_, err := w.Write(text)
//		return err
//	})
//
// The text goes to a new file, which gets the name at the path when all is written. So
// an error, a signal or a full disk leaves what was there before, and a program that
// reads the file meanwhile sees the old one. On Linux the new file has no name until
// then (O_TMPFILE), and nothing is left even when the process is killed; file systems
// without such files get one named .irgl-NAME.*.tmp beside the path.
//
// [WriteCompressed] does the same, and compresses with gzip or zstd if the path ends in
// .gz or .zst.
//
// A file that is replaced keeps its permissions, and a symbolic link goes on to
// point at it. What is not a regular file, such as a pipe or a terminal, is
// written to directly; waiting for the reader of a pipe ends with the context. A
// directory is refused.
package atomicfile
