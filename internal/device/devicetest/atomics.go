package devicetest

import (
	"cmp"
	"slices"
	"testing"
)

// Threads of the kernels in atomics.ptx.
const atomicBlocks, atomicThreads = 8, 96
const atomicCount = atomicBlocks * atomicThreads

func testAtomics(t *testing.T, d *tester) {
	u32 := func(i int) uint32 { return mix(i) }
	u64 := func(i int) uint64 { return uint64(mix(i))<<32 | uint64(mix(i+1000)) }
	atomic(t, d, "add_u32", 5, u32, func(a, b uint32) uint32 { return a + b })
	atomic(t, d, "min_u32", 1<<31, u32, func(a, b uint32) uint32 { return min(a, b) })
	atomic(t, d, "max_s32", -100, func(i int) int32 { return int32(mix(i)) }, func(a, b int32) int32 { return max(a, b) })
	atomic(t, d, "or_b32", 1, func(i int) uint32 { return 1 << (mix(i) % 30) }, func(a, b uint32) uint32 { return a | b })
	atomic(t, d, "and_b32", ^uint32(0), func(i int) uint32 { return ^(1 << (mix(i) % 30)) }, func(a, b uint32) uint32 { return a & b })
	atomic(t, d, "xor_b32", 77, u32, func(a, b uint32) uint32 { return a ^ b })
	atomic(t, d, "add_u64", 1<<63, u64, func(a, b uint64) uint64 { return a + b })
	atomic(t, d, "min_u64", 1<<63, u64, func(a, b uint64) uint64 { return min(a, b) })
	atomic(t, d, "max_s64", -5, func(i int) int64 { return int64(u64(i)) }, func(a, b int64) int64 { return max(a, b) })
	atomic(t, d, "or_b64", 1<<40, func(i int) uint64 { return 1 << (mix(i) % 60) }, func(a, b uint64) uint64 { return a | b })
	// Floating-point sums of small integers are exact in any order.
	atomic(t, d, "add_f32", 0.5, func(i int) float32 { return float32(i % 50) }, func(a, b float32) float32 { return a + b })
	atomic(t, d, "add_f64", 0.25, func(i int) float64 { return float64(mix(i)) }, func(a, b float64) float64 { return a + b })
	exchange(t, d, "exch_b32", func(i int) uint32 { return uint32(i + 1) })
	exchange(t, d, "exch_b64", func(i int) uint64 { return uint64(i+1) << 33 })
}

// run launches an atomics kernel and returns the cell's last value and the
// old values that the threads saw.
func runAtomic[T any](d *tester, name string, init T, in []T) (cell T, old []T) {
	d.t.Helper()
	p := d.alloc("cell", []T{init})
	q := d.alloc("in", in)
	r := d.alloc("old", in)
	d.launch(d.kernel("atomics.ptx", name), atomicBlocks, atomicThreads, p, q, r)
	last := make([]T, 1)
	d.read(p, last)
	old = make([]T, len(in))
	d.read(r, old)
	return last[0], old
}

// atomic tests a commutative op. Whatever the order of the threads was, the
// old values fit together: from every value that the cell had, each thread
// that saw it leads to the next. So the values seen and the last one are, as
// multisets, the first one and the results of all threads.
func atomic[T cmp.Ordered](t *testing.T, d *tester, name string, init T, in func(int) T, op func(a, b T) T) {
	t.Helper()
	values := ramp(atomicCount, in)
	cell, old := runAtomic(d, name, init, values)
	want := init
	after := []T{init}
	for i, v := range values {
		want = op(want, v)
		after = append(after, op(old[i], v))
	}
	if cell != want {
		t.Errorf("%s: cell = %v, want %v", name, cell, want)
	}
	before := append(old, cell)
	slices.Sort(before)
	slices.Sort(after)
	equal(t, name+": values before and after, sorted", before, after)
}

// exchange tests atom.exch: each value but the last is seen exactly once.
func exchange[T cmp.Ordered](t *testing.T, d *tester, name string, in func(int) T) {
	t.Helper()
	values := ramp(atomicCount, in)
	var zero T
	cell, old := runAtomic(d, name, zero, values)
	seen := append(old, cell)
	want := append(values, zero)
	slices.Sort(seen)
	slices.Sort(want)
	equal(t, name+": values seen, sorted", seen, want)
}

func testRed(t *testing.T, d *tester) {
	cells := d.alloc("cells", []uint64{0, 0, 0, ^uint64(0), 0, 0})
	d.launch(d.kernel("atomics.ptx", "red"), atomicBlocks, atomicThreads, cells)
	const n = atomicCount
	const sum = n * (n + 1) / 2
	got := make([]uint64, 6)
	d.read(cells, got)
	equal(t, "cells", got, []uint64{n<<32 | sum, 1023, sum, 1, bits64(sum), uint64(f32bits(sum))})
}

// testCAS tests loops around compare-and-swap, and claims with one winner.
func testCAS(t *testing.T, d *tester) {
	in := ramp(atomicCount, func(i int) uint32 { return mix(i) >> 1 })
	cell := d.alloc("cell", []uint32{17})
	wins := d.allocSize("wins", 4)
	m := d.module("atomics.ptx")
	d.launch(d.kernelOf(m, "cas_max"), atomicBlocks, atomicThreads, cell, d.alloc("in", in), wins)
	got := make([]uint32, 1)
	d.read(cell, got)
	equal(t, "maximum", got, []uint32{slices.Max(in)})
	d.read(wins, got)
	if got[0] < 1 || got[0] > atomicCount {
		t.Errorf("%d threads stored a maximum, want 1 to %d", got[0], atomicCount)
	}

	const cells = 50
	claims := d.allocSize("claims", 8*cells)
	won := d.allocSize("won", 4*atomicCount)
	d.launch(d.kernelOf(m, "cas_u64"), atomicBlocks, atomicThreads, claims, won, uint32(cells))
	owner := make([]uint64, cells)
	d.read(claims, owner)
	want := make([]uint32, atomicCount)
	for i, o := range owner {
		if o < 1 || o > atomicCount {
			t.Fatalf("claims[%d] = %d, want a thread's number plus one", i, o)
		}
		want[o-1]++
	}
	count := make([]uint32, atomicCount)
	d.read(won, count)
	equal(t, "won", count, want)
}

func testSharedHistogram(t *testing.T, d *tester) {
	const blocks = 9
	in := ramp(256*blocks, mix)
	out := d.allocSize("out", 64)
	d.launch(d.kernel("atomics.ptx", "shared_hist"), blocks, 256, d.alloc("in", in), out)
	want := make([]uint32, 16)
	for _, v := range in {
		want[v%16]++
	}
	got := make([]uint32, 16)
	d.read(out, got)
	equal(t, "histogram", got, want)
}
