package devicetest

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"irgl/internal/device"
)

func testVectorAdd(t *testing.T, d *tester) {
	k := d.kernel("vector.ptx", "vadd")
	for _, n := range []int{1, 31, 32, 33, 1000, 4096} {
		a := d.alloc("a", ramp(n, f32))
		b := d.alloc("b", ramp(n, func(i int) float32 { return 0.5 * float32(mix(i)%1000) }))
		c := d.alloc("c", ramp(n+1, func(i int) float32 { return -1 }))
		d.launch(k, uint32(n+127)/128, 128, a, b, c, uint32(n))
		got := make([]float32, n+1)
		d.read(c, got)
		want := ramp(n+1, func(i int) float32 { return float32(i) + 0.5*float32(mix(i)%1000) })
		want[n] = -1 // the element after the last is untouched
		equal(t, fmt.Sprintf("sum of %d", n), got, want)
	}
}

func testGridStride(t *testing.T, d *tester) {
	k := d.kernel("vector.ptx", "stride")
	const n = 10007
	for _, l := range []struct{ grid, block uint32 }{{1, 1}, {1, 1024}, {7, 33}, {132, 128}, {1000, 32}} {
		x := d.alloc("x", ramp(n, func(i int) uint32 { return mix(i) }))
		d.launch(k, l.grid, l.block, x, uint64(n))
		got := make([]uint32, n)
		d.read(x, got)
		equal(t, fmt.Sprintf("%dx%d", l.grid, l.block), got, ramp(n, func(i int) uint32 { return 3*mix(i) + uint32(i) }))
		if err := d.Free(x); err != nil {
			t.Fatal(err)
		}
	}
}

// Blocks and threads in three dimensions; zero components count as one.
func testCoordinates(t *testing.T, d *tester) {
	k := d.kernel("vector.ptx", "coords")
	for _, l := range []device.Launch{
		{Grid: device.Dim3{X: 3, Y: 2, Z: 4}, Block: device.Dim3{X: 5, Y: 3, Z: 7}},
		{Grid: device.Dim3{X: 1, Y: 15}, Block: device.Dim3{Y: 40}},
		{Grid: device.Dim3{Z: 9}, Block: device.Dim3{X: 200, Y: 1, Z: 3}},
		{},
	} {
		g, b := l.Grid.Norm(), l.Block.Norm()
		var want []uint32
		for i := range uint32(g.Count()) {
			cx, cy, cz := i%g.X, i/g.X%g.Y, i/g.X/g.Y
			for j := range uint32(b.Count()) {
				x, y, z := j%b.X, j/b.X%b.Y, j/b.X/b.Y
				want = append(want, cx|cy<<4|cz<<8|x<<12|y<<20|z<<26)
			}
		}
		out := d.allocSize("out", int64(4*len(want)))
		d.launchWith(k, l, out)
		got := make([]uint32, len(want))
		d.read(out, got)
		equal(t, fmt.Sprintf("grid %v block %v", g, b), got, want)
	}
}

func testParams(t *testing.T, d *tester) {
	m := d.module("params.ptx")
	k := d.kernelOf(m, "params")
	out := d.allocSize("out", 96)
	structure := []byte{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24}
	args := []any{
		uint8(0xf1), uint16(0xabcd), int8(-2), uint64(0x0123456789abcdef), uint32(0xdeadbeef),
		math.Pi, float32(-1.5), structure, uint8(0x80), out,
	}
	if n := len(pack(args...)); n != 80 {
		t.Fatalf("parameter block of %d bytes, want 80", n)
	}
	if n := k.Info().ParamsLength; n != 0 && n != 80 {
		t.Errorf("ParamsLength = %d, want 80 or 0 (not known)", n)
	}
	d.launch(k, 1, 1, args...)
	got := make([]uint64, 12)
	d.read(out, got)
	equal(t, "params", got, []uint64{
		0xf1, 0xabcd, math.MaxUint64 - 1, 0x0123456789abcdef, 0xdeadbeef,
		math.Float64bits(math.Pi), uint64(math.Float32bits(-1.5)),
		0x0807060504030201, 0x0c0b0a09, 0x100f, 0x1817161514131211, 0x80,
	})

	// A kernel without parameters, launched with nil and with an empty block.
	k = d.kernelOf(m, "noparams")
	count, _, err := m.Global("noparams_count")
	if err != nil {
		t.Fatal(err)
	}
	d.launch(k, 3, 5)
	if err := d.Launch(k, device.Launch{Grid: device.Dim3{X: 2}, Block: device.Dim3{X: 2}, Params: []byte{}}); err != nil {
		t.Fatal(err)
	}
	n := make([]uint32, 1)
	d.read(count, n)
	equal(t, "threads counted", n, []uint32{19})
}

func testSharedReduction(t *testing.T, d *tester) {
	const blocks = 40
	in := d.alloc("in", ramp(256*blocks, mix))
	out := d.allocSize("out", 4*blocks)
	k := d.kernel("shared.ptx", "sum256")
	if n := k.Info().SharedBytes; n != 1024 {
		t.Errorf("SharedBytes = %d, want 1024", n)
	}
	d.launch(k, blocks, 256, in, out)
	got := make([]uint32, blocks)
	d.read(out, got)
	equal(t, "sums", got, ramp(blocks, func(b int) uint32 {
		var sum uint32
		for i := range 256 {
			sum += mix(256*b + i)
		}
		return sum
	}))
}

// Dynamic shared memory: little, all that needs no opting in, and 64 KiB,
// which every device since compute capability 7.5 has; too much is an error.
func testDynamicShared(t *testing.T, d *tester) {
	k := d.kernel("shared.ptx", "reverse")
	const blocks = 3
	for _, n := range []int{1, 100, 1024, 48 << 10 / 4, 64 << 10 / 4} {
		in := d.alloc("in", ramp(blocks*n, mix))
		out := d.allocSize("out", int64(4*blocks*n))
		size := d.allocSize("size", 4*blocks)
		d.launchWith(k, device.Launch{
			Grid: device.Dim3{X: blocks}, Block: device.Dim3{X: 160}, Shared: uint32(4 * n),
		}, in, out, uint32(n), size)
		got := make([]uint32, blocks*n)
		d.read(out, got)
		equal(t, fmt.Sprintf("reversed %d", n), got, ramp(blocks*n, func(i int) uint32 { return mix(i/n*n + n - 1 - i%n) }))
		sizes := make([]uint32, blocks)
		d.read(size, sizes)
		equal(t, "dynamic_smem_size", sizes, slices.Repeat([]uint32{uint32(4 * n)}, blocks))
	}
	err := d.Launch(k, device.Launch{Shared: 8 << 20, Params: pack(uint64(0), uint64(0), uint32(0), uint64(0))})
	if err == nil {
		t.Error("launch with 8 MiB of shared memory succeeded")
	}
	d.sync() // refusing it did no harm
}

func testLocalMemory(t *testing.T, d *tester) {
	const n = 96
	out := d.allocSize("out", 4*n)
	d.launch(d.kernel("shared.ptx", "private"), 1, n, out)
	got := make([]uint32, n)
	d.read(out, got)
	equal(t, "out", got, ramp(n, func(i int) uint32 { return uint32(28 * i) }))
}

func testGenericAddress(t *testing.T, d *tester) {
	const blocks = 6
	out := d.allocSize("out", 4*64*blocks)
	spare := d.allocSize("spare", 4*64*blocks)
	d.launch(d.kernel("shared.ptx", "neighbour"), blocks, 64, out, spare)
	got := make([]uint32, 64*blocks)
	d.read(out, got)
	equal(t, "out", got, ramp(64*blocks, func(i int) uint32 { return uint32(i%64+1) % 64 }))
	d.read(spare, got)
	equal(t, "spare", got, ramp(64*blocks, func(i int) uint32 {
		if i/64%2 == 0 {
			return 0 // even blocks used shared memory
		}
		return uint32(i % 64)
	}))
}

func testVotes(t *testing.T, d *tester) {
	k := d.kernel("warp.ptx", "votes")
	for _, in := range [][]uint32{
		ramp(64, func(i int) uint32 { return uint32(i) }),
		ramp(64, func(i int) uint32 { return mix(i) % 3 * 600 }),
		make([]uint32, 64),
	} {
		p := d.alloc("in", in)
		out := d.allocSize("out", 64*32)
		d.launch(k, 1, 64, p, out)
		got := make([]uint32, 64*8)
		d.read(out, got)
		var want []uint32
		for i := range 64 {
			warp, lane := in[i/32*32:i/32*32+32], i%32
			var ballot, anyBig, sum uint32
			allSmall := uint32(1)
			for l, v := range warp {
				if v != 0 {
					ballot |= 1 << l
				}
				if v > 100 {
					anyBig = 1
				}
				if v >= 1000 {
					allSmall = 0
				}
				sum += v
			}
			up, down := warp[max(lane-1, 0)], warp[lane]+1000000
			if lane < 28 {
				down = warp[lane+4]
			}
			want = append(want, ballot, anyBig, allSmall, warp[5], up, down, warp[lane^16], sum)
		}
		equal(t, "votes", got, want)
	}
}

func testPartialWarp(t *testing.T, d *tester) {
	out := d.allocSize("out", 8*32)
	d.launch(d.kernel("warp.ptx", "partial"), 1, 32, out)
	got := make([]uint32, 64)
	d.read(out, got)
	var want []uint32
	for lane := range uint32(32) {
		if lane%2 == 0 {
			want = append(want, 7, 9)
		} else {
			want = append(want, 0xaaaaaaaa&^0x7ff, lane+(lane^2))
		}
	}
	equal(t, "partial", got, want)
}

func testDivergence(t *testing.T, d *tester) {
	const blocks, threads = 5, 96
	sum := d.allocSize("sum", 4*blocks*threads)
	vote := d.allocSize("vote", 4*blocks*threads)
	d.launch(d.kernel("warp.ptx", "trips"), blocks, threads, sum, vote)
	want := ramp(blocks*threads, func(i int) uint32 {
		trips := uint32(i%threads*7+i/threads*3) % 23
		return trips*(trips+1)/2 + trips/3*100
	})
	got := make([]uint32, blocks*threads)
	d.read(sum, got)
	equal(t, "sum", got, want)
	d.read(vote, got)
	equal(t, "vote", got, ramp(blocks*threads, func(i int) uint32 {
		var ballot uint32
		for l := range 32 {
			ballot |= (want[i/32*32+l] & 1) << l
		}
		return ballot
	}))
}

func testEarlyExit(t *testing.T, d *tester) {
	total := d.allocSize("total", 4)
	k := d.kernel("warp.ptx", "early")
	var want uint32
	for _, n := range []uint32{0, 1, 31, 32, 45, 96, 200} {
		d.launch(k, 2, 96, total, n)
		want += 2 * min(n, 96)
	}
	got := make([]uint32, 1)
	d.read(total, got)
	equal(t, "total", got, []uint32{want})
}
