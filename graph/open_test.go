package graph

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"time"
)

// endless repeats a text for ever, and counts how much was read.
type endless struct {
	text string
	read int
}

func (e *endless) Read(p []byte) (int, error) {
	n := 0
	for n < len(p) {
		k := copy(p[n:], e.text[e.read%len(e.text):])
		n, e.read = n+k, e.read+k
	}
	return n, nil
}

// member returns a member of a gzip file, which may have many.
func member(text string) string {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	io.WriteString(z, text)
	z.Close()
	return b.String()
}

// Content that is no graph is recognised from its beginning: an input that never
// ends is refused, compressed or not, and little of it is read.
func TestReadEndless(t *testing.T) {
	zeros := strings.Repeat("\x00", 1<<20)
	galois := "\x01" + strings.Repeat("\x00", 31) // no nodes and no arcs
	for _, c := range []struct{ text, want string }{
		{member(member("0 1\n")), "x: byte 0: data compressed twice, the inner time with gzip, not a graph: unpack it once first (gzip -d or zstd -d)"},
		{"\x00", "x: byte 0: binary content, but not a Galois graph of version 1 or 2"},
		{member(zeros), "x: byte 0: binary content, but not a Galois graph of version 1 or 2"},
		{member("0 1\n" + zeros), "x: byte 4: binary content, but not a Galois graph of version 1 or 2"},
		{member(strings.Repeat("0 1\n", 1000) + zeros), "x: byte 4000: a zero byte in text: the file is damaged, or no text"},
		{galois, "x: byte 32: 16 bytes after the end of the graph"},
		{member(galois + zeros), "x: byte 32: 16 bytes after the end of the graph"},
	} {
		r := &endless{text: c.text}
		_, err := Read(context.Background(), "x", r)
		if err == nil || err.Error() != c.want || r.read > 5<<20 {
			t.Errorf("%.20q...: %v after %d bytes, want %s", c.text, err, r.read, c.want)
		}
	}
}

// Other formats are named, with what to do.
func TestReadForeign(t *testing.T) {
	ecl := "\x02\x00\x00\x00" + "\x01\x00\x00\x00" + "\x00\x00\x00\x00" + "\x01\x00\x00\x00" + "\x01\x00\x00\x00" + "\x01\x00\x00\x00"
	for _, c := range []struct{ name, text, want string }{
		{"a.el.xz", "\xfd7zXZ\x00\x00\x04", "a.el.xz: byte 0: data compressed with xz, not a graph: unpack it first (xz -d), or compress it with gzip or zstd"},
		{"a.zip", "PK\x03\x04\x00\x00", "a.zip: byte 0: a zip archive, not a graph: unpack it first (unzip)"},
		{"a", ecl, "a: byte 0: a graph in ECL's binary format (.egr), which is not read: convert it to Galois .gr or to an edge list"},
		{"a.egr.gz", member(ecl), "a.egr.gz: byte 0: a graph in ECL's binary format (.egr), which is not read: convert it to Galois .gr or to an edge list"},
		{"a", ecl + "\x00", "a: byte 1: binary content, but not a Galois graph of version 1 or 2"},
		{"a", "\x7fELF", "a: byte 0: a program, not a graph"},
	} {
		_, err := Read(context.Background(), c.name, strings.NewReader(c.text))
		if err == nil || err.Error() != c.want {
			t.Errorf("%q: %v, want %s", c.text, err, c.want)
		}
	}
}

// A reader that blocks does not outlast the context.
func TestReadCancelled(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Millisecond)
	defer cancel()
	r, w := io.Pipe()
	defer w.Close()
	go io.WriteString(w, "0 1\n")
	if _, err := Read(ctx, "x", r); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
}

// A file that becomes shorter while it is read is no graph of what is left.
func TestReadShrunk(t *testing.T) {
	_, err := newInput("x", 100, nil).read(context.Background(), strings.NewReader("0 1\n"))
	if want := "read x: the file has shrunk from 100 to 4 bytes while it was read"; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

// Text whose arcs do not fit in memory is refused before they are parsed.
func TestCheckMemory(t *testing.T) {
	in := &input{name: "x", data: bytes.Repeat([]byte("0 1\n"), 1000)}
	for limit, fits := range map[int64]bool{4000: false, 39999: false, 40000: true, 1 << 40: true} {
		if err := in.checkMemory(EdgeList, limit); (err == nil) != fits {
			t.Errorf("with %d bytes: %v", limit, err)
		}
	}
	if err := in.checkMemory(METIS, 1); err != nil {
		t.Error(err)
	}
}
