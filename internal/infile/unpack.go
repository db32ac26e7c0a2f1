package infile

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"sync/atomic"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// An Unpacked reads content that may be compressed.
type Unpacked struct {
	// Packing is "gzip", "zstd" or "" for content that is not compressed.
	Packing string

	content *bufio.Reader
	stored  counter
	close   func()
}

// headSize is how much Peek can return.
const headSize = 64 << 10

// Unpack returns a reader of the content of r, which it unpacks if its first bytes
// say that it is compressed. Then report, which may be nil, is called with the
// number of bytes read from r so far, now and then, by one goroutine at a time.
func Unpack(r io.Reader, report func(stored int64)) (*Unpacked, error) {
	u := &Unpacked{close: func() {}}
	u.stored.r = r
	raw := bufio.NewReaderSize(&u.stored, headSize)
	head, err := raw.Peek(4)
	if err != nil && err != io.EOF {
		return nil, err
	}
	u.content = raw
	switch {
	case bytes.HasPrefix(head, gzipMagic):
		u.stored.start(report)
		z, err := gzip.NewReader(raw)
		if err != nil {
			return nil, worded("gzip", err)
		}
		z.Multistream(false)
		u.Packing, u.content = "gzip", bufio.NewReaderSize(named{"gzip", &members{z, raw, &u.stored}}, headSize)
	case bytes.Equal(head, []byte{0x28, 0xb5, 0x2f, 0xfd}):
		u.stored.start(report)
		// The header of a frame may ask for a window of any size: bound it by
		// what the zstd program itself accepts without being told to.
		z, err := zstd.NewReader(raw, zstd.WithDecoderMaxWindow(128<<20), zstd.WithDecoderLowmem(true))
		if err != nil {
			return nil, worded("zstd", err)
		}
		u.Packing, u.content, u.close = "zstd", bufio.NewReaderSize(named{"zstd", z}, headSize), z.Close
	}
	if head, _ := u.content.Peek(len(byteOrderMark)); bytes.Equal(head, byteOrderMark) { // an error comes again with the first read
		_, _ = u.content.Discard(len(byteOrderMark)) // which were just seen
	}
	return u, nil
}

// gzipMagic begins each member of a gzip file.
var gzipMagic = []byte{0x1f, 0x8b}

// byteOrderMark is U+FEFF in UTF-8. Some editors put it before text, of which it is no
// part.
var byteOrderMark = []byte("\ufeff")

// Peek returns the first n bytes of the content, at most 64 KiB, or all of a
// shorter one, without reading them.
func (u *Unpacked) Peek(n int) ([]byte, error) {
	head, err := u.content.Peek(min(n, headSize))
	if err == io.EOF {
		err = nil
	}
	return head, err
}

// Read reads some of what is left of the content.
func (u *Unpacked) Read(p []byte) (int, error) { return u.content.Read(p) }

// Stored returns how many bytes of what is unpacked were read so far.
func (u *Unpacked) Stored() int64 { return u.stored.n.Load() }

// Close ends the unpacking; the reader below is left open.
func (u *Unpacked) Close() { u.close() }

// Bounds returns the bounds for content that is size bytes as it is stored, -1 if
// that is not known.
func (u *Unpacked) Bounds(size int64) Bounds {
	if u.Packing == "" {
		return Bounds{Size: size}
	}
	b := Bounds{Packed: u.stored.n.Load}
	if size > 0 && size <= math.MaxInt64/4 {
		b.Size = min(4*size, ratioFloor) // text of graphs compresses to about a quarter
	}
	return b
}

// A counter counts what is read. The decoder of zstd reads ahead on a goroutine.
type counter struct {
	r      io.Reader
	n      atomic.Int64
	report func(stored int64)
}

// start has the bytes reported from now on.
func (c *counter) start(report func(stored int64)) {
	c.report = report
	if n := c.n.Load(); report != nil && n > 0 {
		report(n)
	}
}

func (c *counter) Read(p []byte) (int, error) {
	k, err := c.r.Read(p)
	n := c.n.Add(int64(k))
	if c.report != nil && k > 0 {
		c.report(n)
	}
	return k, err
}

// members reads the members of a gzip file one after the other.
type members struct {
	z      *gzip.Reader
	raw    *bufio.Reader
	stored *counter
}

func (m *members) Read(p []byte) (int, error) {
	for {
		n, err := m.z.Read(p)
		if err != io.EOF || n > 0 {
			if err == io.EOF {
				err = nil // it comes again
			}
			return n, err
		}
		if err := m.next(); err != nil {
			return 0, err
		}
	}
}

// next begins the next member; io.EOF says that there is no other one. Zeros between
// members and after the last one are padding, as for gzip(1). It warns about anything
// else and ignores it. Here that is an error, since it may be the rest of a member
// whose header is damaged.
func (m *members) next() error {
	end := m.stored.n.Load() - int64(m.raw.Buffered())
	for {
		b, err := m.raw.ReadByte()
		if err != nil {
			return err
		}
		if b != 0 {
			break
		}
	}
	if err := m.raw.UnreadByte(); err != nil {
		return err
	}
	if head, err := m.raw.Peek(len(gzipMagic)); !bytes.Equal(head, gzipMagic) {
		if err != nil && err != io.EOF {
			return err
		}
		return fmt.Errorf("the compressed data ends at byte %d, and what follows is not compressed with gzip", end)
	}
	if err := m.z.Reset(m.raw); err != nil {
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		return err
	}
	m.z.Multistream(false)
	return nil
}

// named puts the name of the compression before its errors.
type named struct {
	name string
	r    io.Reader
}

func (n named) Read(p []byte) (int, error) {
	k, err := n.r.Read(p)
	if err != nil && err != io.EOF {
		err = worded(n.name, err)
	}
	return k, err
}

// worded returns an error of unpacking with the name of the compression, and says what
// the decoders' own errors leave unsaid.
func worded(name string, err error) error {
	if err == io.EOF { // within a header
		err = io.ErrUnexpectedEOF
	}
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("%s: the compressed data is cut off (%w)", name, err)
	case errors.Is(err, zstd.ErrMagicMismatch): // the first bytes of the file were right
		return fmt.Errorf("%s: what follows the compressed data is not compressed with zstd (%w)", name, err)
	case strings.HasPrefix(err.Error(), name+": "):
		return err
	}
	return fmt.Errorf("%s: %w", name, err)
}
