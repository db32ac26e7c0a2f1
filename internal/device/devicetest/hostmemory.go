package devicetest

import (
	"context"
	"errors"
	syncatomic "sync/atomic"
	"testing"
	"unsafe"

	"irgl/internal/device"
)

// hostWords is page-locked memory as 32-bit words that the host and kernels read
// and write at the same time.
type hostWords struct {
	h     device.HostMemory
	words []uint32
}

func newHostWords(t *testing.T, h device.HostMemory, n int) *hostWords {
	t.Helper()
	b := h.Bytes()
	if len(b) != 4*n || h.Ptr() == 0 || h.Ptr()%4 != 0 {
		t.Fatalf("page-locked memory of %d bytes at %#x, want %d bytes", len(b), uint64(h.Ptr()), 4*n)
	}
	return &hostWords{h, unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(b))), n)}
}

func (h *hostWords) ptr() device.Ptr     { return h.h.Ptr() }
func (h *hostWords) set(i int, v uint32) { syncatomic.StoreUint32(&h.words[i], v) }
func (h *hostWords) get(i int) uint32    { return syncatomic.LoadUint32(&h.words[i]) }
func (h *hostWords) bytes() []byte       { return h.h.Bytes() }

// Kernels read and write page-locked memory, at any offset in it.
func testHostMemory(t *testing.T, d *tester) {
	move := d.kernel("streams.ptx", "move")
	const n = 1000
	h := d.hostMemory("h", 2*n)
	for i := range h.words {
		if h.words[i] != 0 {
			t.Fatalf("word %d of new page-locked memory is %#x", i, h.words[i])
		}
	}
	p := d.allocSize("p", 4*n)
	for i := range n {
		h.set(i, mix(i))
	}
	d.sync()
	d.launch(move, 8, 128, p, h.ptr(), uint32(n))
	d.launch(move, 8, 128, h.ptr()+4*n, p, uint32(n))
	d.sync()
	equal(t, "p", d.words(p, n), ramp(n, func(i int) uint32 { return mix(i) + 1 }))
	equal(t, "the host's", h.words[n:], ramp(n, func(i int) uint32 { return mix(i) + 2 }))

	// The device's own copies and fills take it, too.
	d.must(errors.Join(d.CopyIn(p, h.bytes()[:4*n]), d.CopyOut(h.bytes()[4*n:], p)))
	equal(t, "copied", h.words[n:], ramp(n, mix))

	// They do not read it later, as those of streams do.
	busy, x := d.kernel("grid.ptx", "busy"), d.allocSize("x", 8)
	d.launch(busy, 1, 1, x, uint64(2000))
	d.must(d.CopyIn(p, h.bytes()[:4]))
	h.set(0, 7)
	equal(t, "copied", d.words(p, 1), []uint32{mix(0)})

	empty, err := d.AllocHost("empty", 0)
	d.must(err)
	d.must(errors.Join(empty.Close(), h.h.Close(), h.h.Close()))
	if b := h.h.Bytes(); b != nil {
		t.Errorf("closed page-locked memory has %d bytes", len(b))
	}
	if _, err := d.AllocHost("huge", 1<<60); err == nil {
		t.Error("AllocHost of an exbibyte succeeded")
	}
}

func (d *tester) words(p device.Ptr, n int) []uint32 {
	d.t.Helper()
	got := make([]uint32, n)
	d.read(p, got)
	return got
}

// Copies from and to page-locked memory do not wait: they are queued behind a kernel
// that polls a flag which the host sets only afterwards.
func testAsyncCopies(t *testing.T, d *tester) {
	s := d.stream(device.StreamOptions{Name: "copies"})
	m := d.module("streams.ptx")
	await, move := d.kernelOf(m, "awaitsys"), d.kernelOf(m, "move")
	const n = 40000 // more than a copy that a device handles specially
	flag, in, out := d.hostMemory("flag", 1), d.hostMemory("in", n), d.hostMemory("out", n)
	p, q, seen := d.allocSize("p", 4*n), d.allocSize("q", 4*n), d.allocSize("seen", 4)
	d.sync()
	d.start(s, await, flag.ptr(), d.patience(), seen)
	d.must(s.CopyIn(p, in.bytes()))
	d.startGrid(s, move, (n+127)/128, 128, q, p, uint32(n))
	d.must(s.CopyOut(out.bytes(), q))
	// The contents are taken when the copy runs, not when it is queued.
	for i := range n {
		in.set(i, mix(i))
	}
	if idle, err := s.Idle(); err != nil || idle {
		t.Errorf("Idle = %v, %v before the flag is set", idle, err)
	}
	flag.set(0, 1)
	d.must(s.Sync(context.Background()))
	if got := d.words(seen, 1)[0]; got != 1 {
		t.Error("a copy of page-locked memory waited for the kernel before it")
	}
	equal(t, "out", out.words, ramp(n, func(i int) uint32 { return mix(i) + 1 }))

	// Ordinary memory: CopyIn has taken it, and CopyOut has filled it.
	src, dst := encode(ramp(n, mix)), make([]byte, 4*n)
	d.must(s.CopyIn(p, src))
	clear(src)
	d.startGrid(s, move, (n+127)/128, 128, q, p, uint32(n))
	d.must(s.CopyOut(dst, q))
	equal(t, "dst", dst, encode(ramp(n, func(i int) uint32 { return mix(i) + 1 })))

	// Memory that is page-locked in part is not.
	d.must(s.CopyOut(out.bytes()[:0], q))
	d.must(s.CopyOut(out.bytes()[4*(n-1):], p))
	d.must(s.Sync(context.Background()))
	if got := out.get(n - 1); got != mix(0) {
		t.Errorf("the last word is %#x, want %#x", got, mix(0))
	}
}
