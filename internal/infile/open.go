package infile

import (
	"context"
	"fmt"
	"io"
	"os"
)

// A File is an open file or pipe. Its reads end when the context of Open does.
type File struct {
	f    *os.File
	r    io.Reader
	size int64
}

// Open opens the file at path to read it. For a named pipe it waits for a writer,
// but no longer than ctx. A directory is an error.
func Open(ctx context.Context, path string) (*File, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	f, err := openFile(ctx, path)
	if err != nil {
		return nil, err
	}
	st, err := f.Stat()
	if err == nil && st.IsDir() {
		err = fmt.Errorf("%s is a directory", path)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	size := int64(-1)
	if st.Mode().IsRegular() && st.Size() > 0 { // files of /proc have size 0 and content
		size = st.Size()
	}
	return &File{f: f, r: NewReader(ctx, f), size: size}, nil
}

// openFile is os.Open, on a goroutine of its own if the path is no regular file.
func openFile(ctx context.Context, path string) (*os.File, error) {
	st, err := os.Stat(path)
	if err != nil {
		return nil, Plain(err)
	}
	if st.Mode().IsRegular() || st.IsDir() {
		return os.Open(path)
	}
	type opened struct {
		f   *os.File
		err error
	}
	result := make(chan opened)
	go func() {
		f, err := os.Open(path)
		select {
		case result <- opened{f, err}:
		case <-ctx.Done():
			f.Close() // a nil file only returns an error
		}
	}()
	select {
	case o := <-result:
		return o.f, o.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Read reads some of what is left.
func (f *File) Read(p []byte) (int, error) { return f.r.Read(p) }

// Close closes the file.
func (f *File) Close() error { return f.f.Close() }

// Size returns the number of bytes in a regular file, -1 for anything else.
func (f *File) Size() int64 { return f.size }

// blockSize is how much is read at a time, so that progress and cancellation are
// seen often enough.
const blockSize = 4 << 20

// NewReader returns a reader of r that fails with the context's error once ctx is
// done. A read that blocks is left behind, unless r is a regular file or in memory,
// where reads do not block.
func NewReader(ctx context.Context, r io.Reader) io.Reader {
	if f, ok := r.(*os.File); ok {
		if st, err := f.Stat(); err == nil && st.Mode().IsRegular() {
			return &promptReader{ctx, r}
		}
	}
	if _, ok := r.(interface{ Len() int }); ok { // bytes.Reader, strings.Reader, bytes.Buffer
		return &promptReader{ctx, r}
	}
	return &patientReader{ctx: ctx, r: r}
}

// A promptReader reads from what does not block.
type promptReader struct {
	ctx context.Context
	r   io.Reader
}

func (p *promptReader) Read(b []byte) (int, error) {
	if err := p.ctx.Err(); err != nil {
		return 0, err
	}
	return p.r.Read(b[:min(len(b), blockSize)])
}

// A patientReader reads from what may block: each read runs on a goroutine, into a
// buffer that the caller never sees before the read has returned.
type patientReader struct {
	ctx  context.Context
	r    io.Reader
	buf  []byte
	rest []byte // of buf, not yet returned
	err  error
}

func (p *patientReader) Read(b []byte) (int, error) {
	if len(p.rest) == 0 && p.err == nil && len(b) > 0 {
		p.fill()
	}
	if err := p.ctx.Err(); err != nil {
		return 0, err
	}
	n := copy(b, p.rest)
	p.rest = p.rest[n:]
	if n == 0 {
		return 0, p.err
	}
	return n, nil
}

// fill reads once.
func (p *patientReader) fill() {
	if p.buf == nil {
		p.buf = make([]byte, 64<<10) // the size of a pipe on Linux
	}
	type result struct {
		n   int
		err error
	}
	done := make(chan result, 1)
	go func() {
		n, err := p.r.Read(p.buf)
		done <- result{n, err}
	}()
	select {
	case r := <-done:
		p.rest, p.err = p.buf[:r.n], r.err
	case <-p.ctx.Done():
		p.err = p.ctx.Err() // the buffer belongs to the read that is still blocked
	}
}
