package devicetest

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"irgl/internal/device"
)

func testInfo(t *testing.T, d *tester) {
	i := d.Info()
	if i.Kind == "" || i.Name == "" {
		t.Errorf("Info has no kind or name: %+v", i)
	}
	if i.WarpSize != 32 {
		t.Errorf("WarpSize = %d, want 32", i.WarpSize)
	}
	for _, f := range []struct {
		name     string
		got, min int64
	}{
		{"Multiprocessors", int64(i.Multiprocessors), 1},
		{"MaxThreadsPerBlock", int64(i.MaxThreadsPerBlock), 1024},
		{"MaxThreadsPerSM", int64(i.MaxThreadsPerSM), 1024},
		{"SharedMemoryPerBlock", int64(i.SharedMemoryPerBlock), 48 << 10},
		{"Memory", i.Memory, 1 << 26},
		{"compute capability", int64(10*i.Major + i.Minor), 75},
	} {
		if f.got < f.min {
			t.Errorf("%s = %d, want at least %d", f.name, f.got, f.min)
		}
	}
	if !strings.HasPrefix(i.Target(), "sm_") {
		t.Errorf("Target() = %q", i.Target())
	}
}

// Memory is aligned to 256, disjoint, and zero, also where freed memory that
// held something else is used again.
func testAllocZero(t *testing.T, d *tester) {
	sizes := []int64{1, 3, 4, 255, 256, 257, 4097, 1 << 20, 3<<20 + 5}
	type span struct {
		p    device.Ptr
		size int64
	}
	for round := range 3 {
		var spans []span
		for _, size := range sizes {
			p := d.allocSize("zero", size)
			if p == 0 || p%256 != 0 {
				t.Fatalf("round %d: Alloc(%d) = %#x, want a multiple of 256", round, size, uint64(p))
			}
			for _, s := range spans {
				if p < s.p+device.Ptr(s.size) && s.p < p+device.Ptr(size) {
					t.Fatalf("Alloc(%d) = %#x overlaps %#x of %d bytes", size, uint64(p), uint64(s.p), s.size)
				}
			}
			spans = append(spans, span{p, size})
			got := make([]byte, size)
			for i := range got {
				got[i] = 0xaa // CopyOut must overwrite all of it
			}
			if err := d.CopyOut(got, p); err != nil {
				t.Fatal(err)
			}
			if i := bytes.IndexFunc(got, func(r rune) bool { return r != 0 }); i >= 0 {
				t.Fatalf("round %d: byte %d of %d new ones is %#x, not zero", round, i, size, got[i])
			}
			if err := d.Fill(p, 0x5c, size); err != nil {
				t.Fatal(err)
			}
		}
		for _, s := range spans {
			if err := d.Free(s.p); err != nil {
				t.Fatalf("Free: %v", err)
			}
		}
	}
}

func testAllocErrors(t *testing.T, d *tester) {
	size := d.Info().Memory + 1<<20
	_, err := d.Alloc("huge", size)
	var oom *device.OutOfMemoryError
	if !errors.As(err, &oom) {
		t.Fatalf("Alloc of more than the memory: %v, want an OutOfMemoryError", err)
	}
	if oom.Name != "huge" || oom.Size != size || oom.Free > d.Info().Memory {
		t.Errorf("error is %+v, want name huge and size %d", *oom, size)
	}
	if _, err := d.Alloc("negative", -1); err == nil {
		t.Error("Alloc of -1 bytes succeeded")
	}
	// No bytes at all are a legal amount: empty graphs have no edges.
	p, err := d.Alloc("empty", 0)
	if err != nil {
		t.Fatalf("Alloc of 0 bytes: %v", err)
	}
	if err := d.Free(p); err != nil {
		t.Errorf("Free of 0 bytes: %v", err)
	}
	if err := d.Free(0); err != nil {
		t.Errorf("Free(0): %v, want nil", err)
	}
	p = d.allocSize("once", 64)
	if err := d.Free(p); err != nil {
		t.Fatal(err)
	}
	if err := d.Free(p); err == nil {
		t.Error("second Free of the same memory succeeded")
	}
	// The failures above leave the device usable.
	q := d.alloc("after", []uint32{1, 2, 3})
	got := make([]uint32, 3)
	d.read(q, got)
	equal(t, "after", got, []uint32{1, 2, 3})
}

func testCopies(t *testing.T, d *tester) {
	data := ramp(1000, func(i int) byte { return byte(mix(i)) })
	p := d.alloc("p", data)
	q := d.allocSize("q", 1000)
	for _, c := range []struct{ dst, src, n int }{
		{0, 0, 1000}, {0, 0, 0}, {7, 13, 1}, {1, 2, 501}, {999, 0, 1}, {256, 512, 256},
	} {
		want := make([]byte, 1000)
		if err := d.Fill(q, 0, 1000); err != nil {
			t.Fatal(err)
		}
		copy(want[c.dst:c.dst+c.n], data[c.src:])
		if err := d.Copy(q+device.Ptr(c.dst), p+device.Ptr(c.src), int64(c.n)); err != nil {
			t.Fatalf("Copy%v: %v", c, err)
		}
		got := make([]byte, 1000)
		d.read(q, got)
		equal(t, "copied", got, want)
		part := make([]byte, c.n)
		if err := d.CopyOut(part, p+device.Ptr(c.src)); err != nil {
			t.Fatalf("CopyOut of %d bytes: %v", c.n, err)
		}
		equal(t, "part", part, data[c.src:c.src+c.n])
	}
	// The source may be changed as soon as CopyIn returns.
	src := ramp(4096, func(i int) byte { return byte(i) })
	want := bytes.Clone(src)
	r := d.allocSize("r", 4096)
	if err := d.CopyIn(r, src); err != nil {
		t.Fatal(err)
	}
	clear(src)
	got := make([]byte, 4096)
	d.read(r, got)
	equal(t, "r", got, want)
}

// Sizes around the chunk sizes of copies that go through a staging buffer.
func testCopyLarge(t *testing.T, d *tester) {
	const most = 24<<20 + 12345
	data := ramp(most, func(i int) byte { return byte(i) ^ byte(i>>9) ^ byte(i>>19) })
	p := d.allocSize("p", most)
	got := make([]byte, most)
	for _, n := range []int{64 << 10, 64<<10 + 1, 1<<20 - 1, 4 << 20, 4<<20 + 1, 8<<20 + 3, 16 << 20, most} {
		if err := d.Fill(p, 0xee, most); err != nil {
			t.Fatal(err)
		}
		if err := d.CopyIn(p, data[:n]); err != nil {
			t.Fatal(err)
		}
		clear(got)
		if err := d.CopyOut(got, p); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got[:n], data[:n]) {
			t.Fatalf("%d bytes came back changed", n)
		}
		if n < most && (got[n] != 0xee || got[most-1] != 0xee) {
			t.Fatalf("CopyIn of %d bytes wrote past its end", n)
		}
	}
}

// A copy that is not within one allocation is refused and changes
// nothing; the device stays usable.
func testCopyErrors(t *testing.T, d *tester) {
	p := d.alloc("p", make([]byte, 1000))
	buf := make([]byte, 2000)
	if err := d.CopyIn(p, buf); err == nil {
		t.Error("CopyIn past the end succeeded")
	}
	if err := d.CopyOut(buf, p); err == nil {
		t.Error("CopyOut past the end succeeded")
	}
	if err := d.CopyOut(buf[:4], 0); err == nil {
		t.Error("CopyOut from the null pointer succeeded")
	}
	if err := d.Fill(p+500, 1, 501); err == nil {
		t.Error("Fill past the end succeeded")
	}
	if err := d.Copy(p, p+900, 200); err == nil {
		t.Error("Copy from past the end succeeded")
	}
	if err := d.Copy(p+100, p, -1); err == nil {
		t.Error("Copy of -1 bytes succeeded")
	}
	got := make([]byte, 1000)
	d.read(p, got)
	equal(t, "p", got, make([]byte, 1000))
}

// Fill is in order with launches before and after it.
func testFill(t *testing.T, d *tester) {
	const n = 1000
	p := d.alloc("x", ramp(n, func(i int) uint32 { return uint32(i) }))
	k := d.kernel("vector.ptx", "stride")
	d.launch(k, 2, 64, p, uint64(n))
	if err := d.Fill(p+4*100, 0xff, 4*200); err != nil {
		t.Fatal(err)
	}
	d.launch(k, 3, 96, p, uint64(n))
	if err := d.Fill(p+4*900, 0x11, 3); err != nil {
		t.Fatal(err)
	}
	if err := d.Fill(p, 9, 0); err != nil {
		t.Errorf("Fill of no bytes: %v", err)
	}
	want := ramp(n, func(i int) uint32 {
		x := uint32(4 * i)
		if i >= 100 && i < 300 {
			x = 0xffffffff
		}
		x = 3*x + uint32(i)
		if i == 900 {
			x = x&0xff000000 | 0x111111
		}
		return x
	})
	got := make([]uint32, n)
	d.read(p, got)
	equal(t, "x", got, want)
}

func testGlobals(t *testing.T, d *tester) {
	m := d.module("globals.ptx")
	table, size, err := m.Global("table")
	if err != nil || size != 16 {
		t.Fatalf("Global(table) = size %d, %v; want 16", size, err)
	}
	got := make([]uint32, 4)
	d.read(table, got)
	equal(t, "table", got, []uint32{10, 20, 30, 40})

	out := d.allocSize("out", 16)
	k := d.kernelOf(m, "lookup")
	d.launch(k, 1, 4, out)
	d.read(out, got)
	equal(t, "lookup", got, []uint32{10, 20, 30, 40})
	d.read(table, got)
	equal(t, "table after lookup", got, []uint32{11, 21, 31, 41})
	if err := d.CopyIn(table+4, encode([]uint32{7, 8})); err != nil {
		t.Fatal(err)
	}
	d.launch(k, 1, 4, out)
	d.read(out, got)
	equal(t, "lookup after CopyIn", got, []uint32{11, 7, 8, 41})

	zeroes, size, err := m.Global("zeroes")
	if err != nil || size != 40 {
		t.Fatalf("Global(zeroes) = size %d, %v; want 40", size, err)
	}
	words := make([]uint64, 5)
	d.read(zeroes, words)
	equal(t, "zeroes", words, make([]uint64, 5))
	d.launch(d.kernelOf(m, "scalars"), 1, 1, out)
	var s [4]uint32
	d.read(out, s[:])
	three := bits64(3)
	equal(t, "scalars", s[:], []uint32{uint32(three), uint32(three >> 32), 'g', 0x1122})
	d.read(zeroes, words)
	equal(t, "zeroes after scalars", words, []uint64{0, 0, 0, 0, 0x1122334455667788})
	text, size, err := m.Global("text")
	if err != nil || size != 6 {
		t.Fatalf("Global(text) = size %d, %v; want 6", size, err)
	}
	line := make([]byte, 6)
	d.read(text, line)
	equal(t, "text", line, []byte("irgl\n\x00"))

	if _, _, err := m.Global("absent"); err == nil || !strings.Contains(err.Error(), "absent") {
		t.Errorf("Global(absent): %v, want an error with the name", err)
	}
}
