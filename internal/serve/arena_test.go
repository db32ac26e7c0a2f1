//go:build unix

package serve

import (
	"bytes"
	"os"
	"runtime"
	"testing"

	"golang.org/x/sys/unix"
)

// TestIdleRanges: what is freed is lent again, cleared where it must be; nobody has it in
// the meantime, and there is not too much of it.
func TestIdleRanges(t *testing.T) {
	const size = 1 << 30
	released := int64(0)
	a := &arena{data: make([]byte, size), file: counting{&released}, size: size}
	lend := func(f func(string, int64) (span, error), n int64) span {
		t.Helper()
		s, err := f("test", n)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	any := func(name string, n int64) (span, error) { return a.lend(name, n, nil, nil) }
	first := lend(a.alloc, 10000)
	if first.size() != 12288 || !bytes.Equal(a.data[first.at:first.end], make([]byte, first.size())) {
		t.Errorf("%v is not zero", first)
	}
	copy(a.data[first.at:], "something")
	a.free(first)
	if _, err := a.bytes(first.at, 1); err == nil {
		t.Error("bytes of a freed range are given")
	}
	if s := lend(any, 5000); s != first {
		t.Errorf("%v is lent, and %v was idle", s, first)
	}
	if b, err := a.bytes(first.at, 9); err != nil || string(b) != "something" {
		t.Errorf("%q: %v", b, err)
	}
	a.free(first)
	if s := lend(a.alloc, 9000); s != first || !bytes.Equal(a.data[s.at:s.at+9000], make([]byte, 9000)) {
		t.Errorf("%v is not %v, or not zero", s, first)
	}
	a.free(first)
	if s := lend(any, 100); s == first {
		t.Error("a range three times as large is lent")
	}
	large := lend(any, maxIdle+1)
	a.free(large)
	if a.kept > maxIdle || released < maxIdle {
		t.Errorf("%d bytes are idle, %d were released", a.kept, released)
	}
	var many []span
	for range 2 * maxIdleSpans {
		many = append(many, lend(any, 1))
	}
	for _, s := range many {
		a.free(s)
	}
	if len(a.idle) > maxIdleSpans {
		t.Errorf("%d ranges are idle", len(a.idle))
	}
	lend(any, size-1<<20) // what is idle makes way
}

// A counting backing counts what is released.
type counting struct{ released *int64 }

func (counting) resize(int64) error                { return nil }
func (counting) reserve(int64, int64) error        { return nil }
func (counting) write(int64, []byte) (bool, error) { return false, nil }
func (c counting) release(_, size int64)           { *c.released += size }
func (counting) close() error                      { return nil }

// TestLend: parts are where they should be, whichever way the system has of finding memory for them, and in memory that was used before.
func TestLend(t *testing.T) {
	const size = 64 << 20
	parts := [][]byte{bytes.Repeat([]byte("small"), 100), bytes.Repeat([]byte("large"), 1<<20), nil, []byte("last")}
	var l lender
	for _, b := range parts {
		l.add(b)
	}
	for _, processors := range []int{1, 2, 4} {
		f, err := os.CreateTemp(t.TempDir(), "arena")
		if err != nil {
			t.Fatal(err)
		}
		before := runtime.GOMAXPROCS(processors)
		defer runtime.GOMAXPROCS(before)
		own, err := unix.Dup(int(f.Fd()))
		if err != nil {
			t.Fatal(err)
		}
		f.Close()
		a, err := openArena(uintptr(own), size)
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			s, err := l.fill(a, "test")
			if err != nil {
				t.Fatal(err)
			}
			for i, b := range parts {
				if got := a.data[s.at+l.starts[i]:][:len(b)]; !bytes.Equal(got, b) {
					t.Errorf("%d processors: part %d is wrong", processors, i)
				}
			}
			clear(a.data[s.at:s.end])
			a.free(s)
		}
		if err := a.close(); err != nil {
			t.Error(err)
		}
	}
}
