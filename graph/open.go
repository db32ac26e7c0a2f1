package graph

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// An Option changes how Open and Read work.
type Option func(*input)

// WithFormat says which format the input has, for content that more than one
// format fits (three numbers a line may be an edge list or METIS).
func WithFormat(f Format) Option { return func(in *input) { in.forced = f } }

// WithProgress has report called now and then with the number of bytes done
// and the number in all: bytes of the file as it is stored when it is
// compressed, bytes parsed when it is not. total is -1 when it is not known.
// Calls come from several goroutines, but one at a time and in ascending order.
func WithProgress(report func(done, total int64)) Option {
	return func(in *input) { in.report = report }
}

// An input is one graph being read: its content, all in memory, and what is
// needed to say where an error is.
type input struct {
	name   string
	data   []byte // the uncompressed content
	forced Format
	info   Info

	minChunk int // see chunks; tests make it small

	release func() error // undoes the mapping that data lies in
	mapped  bool         // data is a private mapping of the file

	report   func(done, total int64)
	reportMu sync.Mutex
	done     int64
	total    int64 // bytes that done counts up to; -1 when unknown
	packed   bool  // done counts stored bytes, not parsed ones
}

// Open reads the graph in the file at path: see the package comment for the
// formats. An uncompressed file is mapped; a Galois file then stays mapped, so
// the caller closes the graph when it is not needed any more, and must not
// truncate the file before.
//
// Errors about the content are of type *ReadError. When ctx is cancelled Open
// soon returns its error.
func Open(ctx context.Context, path string, opts ...Option) (*Graph, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("open graph: %w", err)
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("open graph: %w", err)
	}
	if st.IsDir() {
		return nil, fmt.Errorf("open graph: %s is a directory", path)
	}
	in := newInput(path, opts)
	in.total = -1
	if st.Mode().IsRegular() && st.Size() > 0 { // files of /proc have size 0 and content
		in.total = st.Size()
		if data, unmap, err := mapFile(f, st.Size()); err == nil {
			in.data, in.release, in.mapped = data, unmap, true
		}
	}
	if !in.mapped {
		return in.read(ctx, f)
	}
	if compression(in.data) == "" {
		return in.parse(ctx)
	}
	// The mapping is only the source of the decompression.
	stored, unmap := in.data, in.release
	in.data, in.release, in.mapped = nil, nil, false
	g, err := in.read(ctx, bytes.NewReader(stored))
	return g, errors.Join(err, unmap())
}

// Read reads a graph from r; name stands for it in messages. It does what Open
// does, but maps nothing.
func Read(ctx context.Context, name string, r io.Reader, opts ...Option) (*Graph, error) {
	in := newInput(name, opts)
	in.total = -1
	// The size of an input in memory is known, and saves growing the buffer.
	if s, ok := r.(interface{ Len() int }); ok { // bytes.Reader, strings.Reader, bytes.Buffer
		in.total = int64(s.Len())
	}
	return in.read(ctx, r)
}

// newInput applies the options.
func newInput(name string, opts []Option) *input {
	in := &input{name: name, minChunk: minChunk}
	for _, o := range opts {
		o(in)
	}
	return in
}

// compression tells from its first bytes how content is compressed.
func compression(head []byte) string {
	switch {
	case bytes.HasPrefix(head, []byte{0x1f, 0x8b}):
		return "gzip"
	case bytes.HasPrefix(head, []byte{0x28, 0xb5, 0x2f, 0xfd}):
		return "zstd"
	}
	return ""
}

// read brings all of r into memory, decompressed, and parses it.
func (in *input) read(ctx context.Context, r io.Reader) (*Graph, error) {
	src := &countingReader{ctx: ctx, in: in, r: r}
	head := make([]byte, 4)
	k, err := io.ReadFull(src, head)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return nil, fmt.Errorf("read %s: %w", in.name, err)
	}
	var content io.Reader = io.MultiReader(bytes.NewReader(head[:k]), src)
	guess := in.total // how much memory to start with: any growth doubles it
	in.info.Compression = compression(head[:k])
	in.packed = in.info.Compression != ""
	switch in.info.Compression {
	case "gzip":
		z, err := gzip.NewReader(content)
		if err != nil {
			return nil, fmt.Errorf("read %s: gzip: %w", in.name, err)
		}
		content, guess = z, 4*guess
	case "zstd":
		// The frame's header may ask for a window of any size: bound it by
		// what the zstd program itself accepts without being told to.
		z, err := zstd.NewReader(content, zstd.WithDecoderMaxWindow(128<<20), zstd.WithDecoderLowmem(true))
		if err != nil {
			return nil, fmt.Errorf("read %s: zstd: %w", in.name, err)
		}
		defer z.Close()
		content, guess = z, 4*guess
	}
	in.data, err = readAll(content, guess)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", in.name, err)
	}
	return in.parse(ctx)
}

// readAll is io.ReadAll with a first guess of the size, and fewer copies: it
// doubles the buffer where io.ReadAll, made for small inputs, adds a quarter.
func readAll(r io.Reader, guess int64) ([]byte, error) {
	buf := make([]byte, 0, max(guess, 64<<10)+1)
	for {
		k, err := r.Read(buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+k]
		if err == io.EOF {
			return buf, nil
		}
		if err != nil {
			return nil, err
		}
		if len(buf) == cap(buf) {
			bigger := make([]byte, len(buf), 2*cap(buf))
			copy(bigger, buf)
			buf = bigger
		}
	}
}

// A countingReader reports progress and stops when the context does.
type countingReader struct {
	ctx context.Context
	in  *input
	r   io.Reader
}

// Read reads at most 4 MiB at a time, so that progress and cancellation are
// seen often enough.
func (c *countingReader) Read(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	if len(p) > 4<<20 {
		p = p[:4<<20]
	}
	k, err := c.r.Read(p)
	if c.in.packed {
		c.in.advance(int64(k))
	}
	return k, err
}

// advance counts k more bytes as done.
func (in *input) advance(k int64) {
	if in.report == nil || k == 0 {
		return
	}
	in.reportMu.Lock()
	defer in.reportMu.Unlock()
	in.done += k
	if in.total >= 0 {
		in.done = min(in.done, in.total)
	}
	in.report(in.done, in.total)
}

// advanceParsed counts k more bytes as parsed.
func (in *input) advanceParsed(k int) {
	if !in.packed {
		in.advance(int64(k))
	}
}

// parse finds the format of in.data and parses it. On return the mapping, if
// there is one, belongs to the graph or is gone.
func (in *input) parse(ctx context.Context) (*Graph, error) {
	in.info.Name = in.name
	in.info.Bytes = int64(len(in.data))
	if !in.packed {
		in.total = int64(len(in.data))
	}
	g, err := in.parseFormat(ctx)
	if err == nil {
		g.Info = in.info
		g.release, g.Info.Mapped = in.release, in.mapped
	}
	if err != nil || in.info.Format != Galois1 && in.info.Format != Galois2 {
		// Text is copied out of the mapping by parsing it.
		if in.release != nil {
			err = errors.Join(err, in.release())
		}
		if g != nil {
			g.release, g.Info.Mapped = nil, false
		}
	}
	if err != nil {
		return nil, err
	}
	return g, nil
}

// parseFormat finds the format and calls its parser.
func (in *input) parseFormat(ctx context.Context) (*Graph, error) {
	f, err := in.detect(ctx)
	if err != nil {
		return nil, err
	}
	in.info.Format = f
	switch f {
	case Galois1, Galois2:
		return in.parseGalois(ctx)
	case DIMACS:
		return in.parseDIMACS(ctx)
	case PACE:
		return in.parsePACE(ctx)
	case MatrixMarket:
		return in.parseMatrixMarket(ctx)
	case METIS:
		return in.parseMETIS(ctx)
	case SNAP, EdgeList:
		return in.parseEdgeList(ctx)
	}
	return nil, fmt.Errorf("read %s: unknown format %q", in.name, f)
}
