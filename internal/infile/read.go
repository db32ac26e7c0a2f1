package infile

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"irgl/internal/memory"
)

// Bounds say how much ReadAll may read.
type Bounds struct {
	// Size is a guess of the number of bytes, 0 or less for none. Memory for it
	// is taken at once, so it must come from something that exists, such as a
	// file's size, and not from a header.
	Size int64
	// Exact is the largest number of bytes that there can be, if a header says so;
	// otherwise 0, and compressed content is bounded by its compressed size.
	Exact int64
	// Packed returns the number of compressed bytes that were read so far; nil
	// if the content is not compressed.
	Packed func() int64
	// Memory is the number of bytes to read at most; 0 for what the process may use,
	// or a third of it where the size is not known before.
	Memory int64
	// Check, if not nil, is called with each piece of the content and its
	// offset, and ends the reading with an error.
	Check func(piece []byte, offset int64) error

	floor int64 // tests replace ratioFloor
}

// Content may be ratioFloor bytes long, or maxRatio times its compressed size.
const (
	maxRatio   = 200
	ratioFloor = 256 << 20
)

// A SizeError says that there is more content than may be read.
type SizeError struct{ Reason string }

func (e *SizeError) Error() string { return e.Reason }

// ReadAll reads r to its end, or until it exceeds the bounds, which is an error of
// type *SizeError. If it exceeds b.Exact, b.Exact+1 bytes are returned without an
// error, so that the caller can say what was expected.
func ReadAll(r io.Reader, b Bounds) ([]byte, error) {
	limit := b.Memory
	if limit == 0 {
		limit = memory.Limit()
		if b.Exact == 0 && (b.Size <= 0 || b.Packed != nil) {
			limit /= 3 // the pieces are joined at the end
		}
	}
	if b.Size > limit {
		return nil, &SizeError{fmt.Sprintf("it has %s: more than %s", memory.Format(b.Size), b.named(limit))}
	}
	buf := buffer{last: make([]byte, 0, max(b.Size, 64<<10)+1)}
	for {
		if len(buf.last) == cap(buf.last) {
			buf.grow(limit, b.Exact)
		}
		at := len(buf.last)
		k, err := r.Read(buf.last[at:min(cap(buf.last), at+blockSize)])
		buf.last = buf.last[:at+k]
		size := buf.before + int64(len(buf.last))
		if b.Check != nil && k > 0 {
			if err := b.Check(buf.last[at:], size-int64(k)); err != nil {
				return nil, err
			}
		}
		switch {
		case err == io.EOF:
			return buf.join(), nil
		case err != nil:
			return nil, err
		case b.Exact > 0 && size > b.Exact:
			return buf.join()[:b.Exact+1], nil
		case size > limit:
			return nil, &SizeError{"more than " + b.named(limit)}
		case b.Exact == 0 && b.Packed != nil && size > cmp.Or(b.floor, ratioFloor) && size/maxRatio > b.Packed():
			return nil, &SizeError{fmt.Sprintf("%s of compressed data unpack to more than %s: no text of a graph or mesh compresses like that", memory.Format(b.Packed()), memory.Format(size))}
		}
	}
}

// A buffer is content of unknown size in pieces, which are joined at the end: a slice
// that doubles would take three times its size for a while, in ever new places.
type buffer struct {
	pieces [][]byte
	before int64 // bytes in pieces
	last   []byte
}

// grow makes room. Once there is an eighth of the exact size, that is believed.
func (b *buffer) grow(limit, exact int64) {
	b.pieces, b.before = append(b.pieces, b.last), b.before+int64(len(b.last))
	if exact > 0 && b.before >= min(exact, limit)/8 {
		b.last = b.joined(max(min(exact, limit), b.before) + 64<<10)
		return
	}
	b.last = make([]byte, 0, min(b.before, 64<<20))
}

// join returns all of the content.
func (b *buffer) join() []byte {
	if len(b.pieces) == 0 {
		return b.last
	}
	size := b.before + int64(len(b.last))
	b.pieces = append(b.pieces, b.last)
	return b.joined(size)
}

// joined moves the pieces to a slice with a capacity.
func (b *buffer) joined(capacity int64) []byte {
	all := make([]byte, 0, capacity)
	for i, p := range b.pieces {
		all = append(all, p...)
		b.pieces[i] = nil
	}
	b.pieces, b.before = nil, 0
	return all
}

// named returns the limit with what it is.
func (b *Bounds) named(limit int64) string {
	if b.Memory != 0 {
		return memory.Format(limit) + ", the most that is read of such a file"
	}
	return memory.Format(limit) + ", which this process may use for it"
}

// maxText is the size of the largest file that ReadFile and its like read: programs, PTX and
// tuning files are smaller by far.
const maxText = 256 << 20

// ReadFile is os.ReadFile for a text, not compressed, which ends with ctx.
func ReadFile(ctx context.Context, path string) ([]byte, error) {
	f, err := Open(ctx, path)
	if err != nil {
		return nil, err
	}
	text, err := readText(f, f.Size())
	if err != nil {
		err = fmt.Errorf("read %s: %w", path, err)
	}
	return text, errors.Join(err, f.Close())
}

// ReadRegular is os.ReadFile for files that are read more than once or written back.
// A pipe or device, which need not end and cannot be read again, is an error.
func ReadRegular(path string) ([]byte, error) {
	st, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !st.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file, and it may be read several times: copy it to one", path)
	}
	return ReadFile(context.Background(), path)
}

// ReadText is ReadFile for standard input.
func ReadText(ctx context.Context, r io.Reader) ([]byte, error) {
	return readText(NewReader(ctx, r), -1)
}

func readText(r io.Reader, size int64) ([]byte, error) {
	text, err := ReadAll(r, Bounds{Size: size, Memory: maxText})
	return bytes.TrimPrefix(text, byteOrderMark), err
}
