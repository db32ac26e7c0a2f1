package simt

import (
	"bytes"
	"math/rand/v2"
	"testing"
)

// addresses returns 32 addresses of elements of step bytes: in a row, near one another, all the same, or anywhere.
func addresses(rng *rand.Rand, step uint64) *[32]uint64 {
	var v [32]uint64
	first, kind := rng.Uint64N(1<<20)*step, rng.IntN(5)
	for i := range v {
		switch v[i] = first + uint64(i)*step; kind {
		case 1:
			v[i] = first + rng.Uint64N(64)*step
		case 2:
			v[i] = first
		case 3:
			v[i] = rng.Uint64N(1<<20) * step
		}
	}
	if kind == 4 {
		v[rng.IntN(32)] += []uint64{step, 1 << 40, 1 << 63, 1 << 32}[rng.IntN(4)]
	}
	return &v
}

// TestSpread compares spread with its definition, for addresses within and beyond the limit.
func TestSpread(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 22))
	seen := map[[2]bool]int{}
	for range 20000 {
		m, step, limit := laneMask(rng), uint64(1)<<rng.IntN(5), uint64(1)<<(10+rng.IntN(16))
		regs := addresses(rng, step)
		rest, base := regs[lowest(m)], rng.Uint64N(256)-128
		var got, want [32]uint64
		bits, over, row := spread(&got, regs, m, rest, base, limit, step)
		wantBits, wantOver, wantRow := spreadEach(&want, regs, m, rest, base, limit, step)
		if m != fullMask {
			wantRow = row // as it comes
		}
		if got != want || bits != wantBits || over != wantOver || row != wantRow {
			t.Fatalf("spread(%#x, %#x, %#x, %#x, %#x, %d) = %#x, %#x, %v, %v, want %#x, %#x, %v, %v",
				regs, m, rest, base, limit, step, got, bits, over, row, want, wantBits, wantOver, wantRow)
		}
		seen[[2]bool{over, row && m == fullMask}]++
	}
	if len(seen) != 4 {
		t.Errorf("results %v", seen)
	}
}

// TestDistinct compares distinct with a count of sectors by a map.
func TestDistinct(t *testing.T) {
	rng := rand.New(rand.NewPCG(23, 24))
	for range 20000 {
		off, base := addresses(rng, 1<<rng.IntN(5)), rng.Uint64N(32)
		sectors := map[uint64]bool{}
		for i := range off {
			off[i] &= 1<<36 - 1
			sectors[(off[i]+base)/32] = true
		}
		for name, f := range map[string]func(*[32]uint64, uint64) int{"distinct": distinct, "distinctEach": distinctEach} {
			if got := f(off, base); got != len(sectors) {
				t.Fatalf("%s(%#x, %d) = %d, want %d", name, off, base, got, len(sectors))
			}
		}
	}
}

// TestElements compares blend and the loads and stores with their definitions.
func TestElements(t *testing.T) {
	rng := rand.New(rand.NewPCG(25, 26))
	data := make([]byte, 4096)
	for range 5000 {
		for i := range data {
			data[i] = byte(rng.Uint32())
		}
		s, d := vectorOperand(rng, "b64"), *vectorOperand(rng, "b64")
		same := func(name string, got, want any) {
			t.Helper()
			if got != want {
				t.Fatalf("%s: %#x, want %#x", name, got, want)
			}
		}
		got, want, m := d, d, laneMask(rng)
		blend(&got, s, m)
		blendEach(&want, s, m)
		same("blend", got, want)
		var off [32]uint64
		for i := range off {
			off[i] = rng.Uint64N(4096 - 8)
		}
		load32(&got, &off, data)
		load32Each(&want, &off, data)
		same("load32", got, want)
		load64(&got, &off, data)
		load64Each(&want, &off, data)
		same("load64", got, want)
		from := min(off[0], 4096-128)
		row := data[from : from+128]
		loadRow32(&got, row)
		loadRow32Each(&want, row)
		same("loadRow32", got, want)
		for i := range s {
			if rng.IntN(2) == 0 {
				s[i] = got[i]
			}
		}
		other := bytes.Clone(row)
		same("storeRow32", storeRow32(row, s), storeRow32Each(other, s))
		same("storeRow32", string(row), string(other))
	}
}
