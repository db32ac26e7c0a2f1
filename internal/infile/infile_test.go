package infile

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"
)

// repeat is an endless reader.
type repeat struct {
	text string
	at   int
}

func (r *repeat) Read(p []byte) (int, error) {
	n := 0
	for n < len(p) {
		k := copy(p[n:], r.text[r.at:])
		n, r.at = n+k, (r.at+k)%len(r.text)
	}
	return n, nil
}

// silent is a reader whose reads never return.
type silent struct{}

func (silent) Read([]byte) (int, error) { select {} }

func zipped(text string) string {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	io.WriteString(z, text)
	z.Close()
	return b.String()
}

func TestReadAll(t *testing.T) {
	text := strings.Repeat("0123456789", 30_000)
	for _, b := range []Bounds{{}, {Size: 3}, {Size: int64(len(text))}, {Exact: int64(len(text))}, {Exact: 1 << 50}, {Memory: 1 << 20}} {
		got, err := ReadAll(strings.NewReader(text), b)
		if err != nil || string(got) != text {
			t.Errorf("%+v: %d bytes, %v", b, len(got), err)
		}
	}
	got, err := ReadAll(strings.NewReader(text), Bounds{Exact: 99})
	if err != nil || len(got) != 100 {
		t.Errorf("with 99 bytes promised: %d, %v", len(got), err)
	}
}

// Content without end is refused at the bound, whatever kind of bound it is.
func TestReadAllEndless(t *testing.T) {
	for _, b := range []Bounds{
		{Memory: 1 << 20},
		{Memory: 1 << 20, Exact: 1 << 40},
		{Memory: 1 << 20, Size: 1 << 21},
		{Packed: func() int64 { return 5000 }, floor: 1 << 20},
	} {
		_, err := ReadAll(&repeat{text: "0 1\n"}, b)
		if _, ok := errors.AsType[*SizeError](err); !ok {
			t.Errorf("%+v: %v, want a SizeError", b, err)
		}
	}
	_, err := ReadAll(&repeat{text: "0"}, Bounds{Memory: 1 << 20, Size: 1 << 21})
	if want := "it has 2 MiB: more than 1 MiB, the most that is read of such a file"; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	stop := errors.New("stop")
	_, err = ReadAll(&repeat{text: "0 1\n"}, Bounds{Check: func(piece []byte, offset int64) error {
		if offset > 1<<20 {
			return stop
		}
		return nil
	}})
	if err != stop {
		t.Errorf("with a check: %v", err)
	}
}

func TestUnpack(t *testing.T) {
	text := strings.Repeat("a line\n", 100_000)
	var zst bytes.Buffer
	z, err := zstd.NewWriter(&zst)
	if err != nil {
		t.Fatal(err)
	}
	io.WriteString(z, text)
	z.Close()
	for packing, stored := range map[string]string{"": text, "gzip": zipped(text), "zstd": zst.String()} {
		last := int64(0)
		u, err := Unpack(strings.NewReader(stored), func(n int64) { last = n })
		if err != nil {
			t.Fatal(err)
		}
		head, err := u.Peek(6)
		if u.Packing != packing || string(head) != "a line" || err != nil {
			t.Errorf("%q: %q starts with %q, %v", packing, u.Packing, head, err)
		}
		got, err := ReadAll(u, u.Bounds(int64(len(stored))))
		if string(got) != text || err != nil {
			t.Errorf("%s: %d bytes, %v", packing, len(got), err)
		}
		if packing != "" && last != int64(len(stored)) {
			t.Errorf("%s: %d of %d bytes reported", packing, last, len(stored))
		}
		u.Close()
		if packing == "" {
			continue
		}
		u, err = Unpack(strings.NewReader(stored[:len(stored)*2/3]), nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := ReadAll(u, Bounds{}); err == nil || !strings.HasPrefix(err.Error(), packing+": ") {
			t.Errorf("%s, cut: %v", packing, err)
		}
		u.Close()
	}
	// A gzip file may have many members, and so need not end.
	u, err := Unpack(&repeat{text: zipped(strings.Repeat("0", 1<<20))}, nil)
	if err != nil {
		t.Fatal(err)
	}
	b := u.Bounds(-1)
	b.floor = 2 << 20
	if _, err := ReadAll(u, b); err == nil || !strings.Contains(err.Error(), "compressed data unpack to more than") {
		t.Errorf("an endless gzip file: %v", err)
	}
}

// What follows compressed data is another member, padding, or an error in words.
func TestUnpackEnds(t *testing.T) {
	one, two := zipped("0 1\n"), zipped("1 2\n")
	frame := func(text string) string {
		var b bytes.Buffer
		z, err := zstd.NewWriter(&b)
		if err != nil {
			t.Fatal(err)
		}
		io.WriteString(z, text)
		z.Close()
		return b.String()
	}
	// Cut anywhere, a member whose header names the file is cut off.
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	z.Name, z.Comment, z.Extra = "g.el", "a graph", []byte("more")
	io.WriteString(z, "0 1\n")
	z.Close()
	for n := len(gzipMagic); n < b.Len(); n++ {
		for _, before := range []string{"", one} {
			u, err := Unpack(strings.NewReader(before+b.String()[:n]), nil)
			if err == nil {
				_, err = ReadAll(u, Bounds{})
				u.Close()
			}
			if want := "gzip: the compressed data is cut off (unexpected EOF)"; err == nil || err.Error() != want {
				t.Errorf("%d of %d bytes behind %d: %v", n, b.Len(), len(before), err)
			}
		}
	}
	for _, c := range []struct{ name, stored, want, err string }{
		{"two members", one + two, "0 1\n1 2\n", ""},
		{"padding", one + strings.Repeat("\x00", 1000), "0 1\n", ""},
		{"padding between", one + "\x00\x00" + two, "0 1\n1 2\n", ""},
		{"an empty member", one + zipped("") + two, "0 1\n1 2\n", ""},
		{"text", one + "xxxxx", "", fmt.Sprintf("gzip: the compressed data ends at byte %d, and what follows is not compressed with gzip", len(one))},
		{"one byte", one + two + "x", "", fmt.Sprintf("gzip: the compressed data ends at byte %d, and what follows is not compressed with gzip", len(one+two))},
		{"cut in the data", one[:15], "", "gzip: the compressed data is cut off (unexpected EOF)"},
		{"cut in the first header", one[:5], "", "gzip: the compressed data is cut off (unexpected EOF)"},
		{"cut in the second header", one + two[:5], "", "gzip: the compressed data is cut off (unexpected EOF)"},
		{"a wrong sum", one[:len(one)-8] + "xxxx" + one[len(one)-4:], "", "gzip: invalid checksum"},
		{"two frames", frame("0 1\n") + frame("1 2\n"), "0 1\n1 2\n", ""},
		{"text after a frame", frame("0 1\n") + "xxxxx", "", "zstd: what follows the compressed data is not compressed with zstd (invalid input: magic number mismatch)"},
		{"a frame that is cut", frame("0 1\n")[:9], "", "zstd: the compressed data is cut off (unexpected EOF)"},
	} {
		u, err := Unpack(strings.NewReader(c.stored), nil)
		var got []byte
		if err == nil {
			got, err = ReadAll(u, Bounds{})
			u.Close()
		}
		if c.err == "" && (err != nil || string(got) != c.want) || c.err != "" && (err == nil || err.Error() != c.err) {
			t.Errorf("%s: %q, %v", c.name, got, err)
		}
	}
}

// A reader that blocks ends with its context.
func TestNewReaderCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	r := NewReader(ctx, io.MultiReader(strings.NewReader("x"), silent{}))
	first := make([]byte, 1)
	if _, err := io.ReadFull(r, first); err != nil || first[0] != 'x' {
		t.Errorf("%q, %v", first, err)
	}
	time.AfterFunc(10*time.Millisecond, cancel)
	if got, err := io.ReadAll(r); len(got) > 0 || !errors.Is(err, context.Canceled) {
		t.Errorf("%q, %v", got, err)
	}
	for _, r := range []io.Reader{strings.NewReader("abc"), io.LimitReader(strings.NewReader("abc"), 9)} {
		if got, err := io.ReadAll(NewReader(context.Background(), r)); string(got) != "abc" || err != nil {
			t.Errorf("%q, %v", got, err)
		}
		if _, err := io.ReadAll(NewReader(ctx, r)); !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled before: %v", err)
		}
	}
}

func TestReadFile(t *testing.T) {
	ctx := context.Background()
	path := filepath.Join(t.TempDir(), "a")
	if err := os.WriteFile(path, []byte("text"), 0o666); err != nil {
		t.Fatal(err)
	}
	if text, err := ReadFile(ctx, path); string(text) != "text" || err != nil {
		t.Errorf("%q, %v", text, err)
	}
	if _, err := ReadFile(ctx, path+"x"); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
	if _, err := ReadFile(ctx, filepath.Dir(path)); err == nil || !strings.Contains(err.Error(), "is a directory") {
		t.Error(err)
	}
	if err := os.Truncate(path, maxText+1); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadFile(ctx, path); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("a huge text: %v", err)
	}
	if text, err := ReadText(ctx, strings.NewReader("text")); string(text) != "text" || err != nil {
		t.Errorf("%q, %v", text, err)
	}
}

func TestIdentify(t *testing.T) {
	for head, want := range map[string]string{
		"\xfd7zXZ\x00\x00": "xz", "BZh91AY": "bzip2", "PK\x03\x04": "zip", "\x89HDF\r\n\x1a\n": "HDF5",
		"<!DOCTYPE html>": "web page", strings.Repeat("x", 257) + "ustar": "tar",
	} {
		if name, _, ok := Identify([]byte(head)); !ok || !strings.Contains(name, want) {
			t.Errorf("%.10q is %q", head, name)
		}
	}
	for _, head := range []string{"", "0 1\n", "# SNAP", "%%MatrixMarket", "p sp 3 1", "\x01\x00\x00\x00\x00\x00\x00\x00"} {
		if name, _, ok := Identify([]byte(head)); ok {
			t.Errorf("%q is %s", head, name)
		}
	}
}
