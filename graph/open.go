package graph

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"

	"irgl/internal/infile"
	"irgl/internal/memory"
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

	// notMETIS says why what is taken for an edge list is not METIS, "" where its first
	// line says so.
	notMETIS string

	minChunk int // see chunks; tests make it small

	report   func(done, total int64)
	reportMu sync.Mutex
	done     int64
	total    int64 // bytes that done counts up to; -1 when unknown
	packed   bool  // done counts stored bytes, not parsed ones
}

// Open reads the graph in the file at path: see the package comment for the
// formats. The path may be that of a named pipe or of a device such as
// /dev/stdin. The graph does not depend on the file once Open has returned.
//
// Errors about the content are of type *ReadError. When ctx is cancelled Open
// soon returns its error, also when it waits for the other end of a pipe.
func Open(ctx context.Context, path string, opts ...Option) (*Graph, error) {
	f, err := infile.Open(ctx, path)
	if err != nil {
		return nil, fmt.Errorf("open graph: %w", err)
	}
	defer f.Close()
	return newInput(path, f.Size(), opts).read(ctx, f)
}

// Read reads a graph from r, as Open does from a file; messages call it name. When ctx is cancelled during a read from r that blocks, that read is
// left behind on a goroutine of its own.
func Read(ctx context.Context, name string, r io.Reader, opts ...Option) (*Graph, error) {
	size := int64(-1)
	// The size of an input in memory is known, and saves growing the buffer.
	if s, ok := r.(interface{ Len() int }); ok { // bytes.Reader, strings.Reader, bytes.Buffer
		size = int64(s.Len())
	}
	return newInput(name, size, opts).read(ctx, infile.NewReader(ctx, r))
}

// newInput applies the options. size is -1 if it is not known.
func newInput(name string, size int64, opts []Option) *input {
	in := &input{name: name, minChunk: minChunk, total: size}
	for _, o := range opts {
		o(in)
	}
	return in
}

// read brings all of r into memory, unpacked, and parses it.
func (in *input) read(ctx context.Context, r io.Reader) (*Graph, error) {
	if err := in.load(r); err != nil {
		if _, ok := errors.AsType[*ReadError](err); ok {
			return nil, err
		}
		return nil, fmt.Errorf("read %s: %w", in.name, err)
	}
	return in.parse(ctx)
}

// load sets in.data. The first bytes tell what the content is, before the rest is
// read: binary content that is no Galois graph ends the reading at once, a Galois
// header bounds it, and a zero byte ends the reading of text.
func (in *input) load(r io.Reader) error {
	stored := int64(0)
	u, err := infile.Unpack(r, func(n int64) {
		in.advance(n - stored)
		stored = n
	})
	if err != nil {
		return err
	}
	defer u.Close()
	in.info.Compression, in.packed = u.Packing, u.Packing != ""
	head, err := u.Peek(textHead)
	if err != nil {
		return err
	}
	b := u.Bounds(in.total)
	if in.forced == Galois1 || in.forced == Galois2 || in.forced == "" && galoisVersion(head) != "" {
		b.Exact = galoisSize(head)
	} else {
		if err := in.checkText(head, 0); err != nil {
			return err
		}
		b.Check = in.checkText
	}
	in.data, err = infile.ReadAll(u, b)
	if err == nil && in.total > 0 && !in.packed && u.Stored() < in.total {
		err = fmt.Errorf("the file has shrunk from %d to %d bytes while it was read", in.total, u.Stored())
	}
	return err
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

// parse finds the format of in.data and parses it.
func (in *input) parse(ctx context.Context) (*Graph, error) {
	in.info.Name = in.name
	in.info.Bytes = int64(len(in.data))
	if !in.packed {
		in.total = int64(len(in.data))
	}
	g, err := in.parseFormat(ctx)
	if err != nil {
		return nil, err
	}
	g.Info = in.info
	return g, nil
}

// arcBytes is the memory that an arc takes while text becomes a graph, at the most: its
// ends and weight as they are parsed, again as they are sorted, and in the graph.
const arcBytes = 12 + 16 + 8

// checkMemory refuses text whose arcs do not fit in the memory of the process, limit
// bytes. Where lines are arcs, their number is known before they are parsed.
func (in *input) checkMemory(f Format, limit int64) error {
	if f == Galois1 || f == Galois2 || f == METIS || int64(len(in.data)) < limit/(1+arcBytes/4) { // no line of an arc is shorter than four bytes
		return nil
	}
	lines := int64(bytes.Count(in.data, []byte{'\n'}))
	if need := int64(len(in.data)) + arcBytes*lines; need > limit {
		return fmt.Errorf("read %s: %d lines of edges need about %s of memory, and this process may use %s", in.name, lines, memory.Format(need), memory.Format(limit))
	}
	return nil
}

// parseFormat finds the format and calls its parser.
func (in *input) parseFormat(ctx context.Context) (*Graph, error) {
	f, err := in.detect(ctx)
	if err == nil {
		err = in.checkMemory(f, memory.Limit())
	}
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
		g, err := in.parseMETIS(ctx)
		if e, ok := errors.AsType[*ReadError](err); ok && in.forced == "" && !strings.Contains(e.Reason, "METIS") {
			e.Reason += " (its first line is that of a METIS file)"
		}
		return g, err
	case SNAP, EdgeList:
		g, err := in.parseEdgeList(ctx)
		if err == nil && f == EdgeList && in.namedMETIS() && in.asMETIS() != "" {
			in.note("taken for an edge list%s", in.asMETIS())
		}
		return g, err
	}
	return nil, fmt.Errorf("read %s: unknown format %q", in.name, f)
}
