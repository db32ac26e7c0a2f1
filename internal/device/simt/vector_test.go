package simt

import (
	"math/rand/v2"
	"testing"

	"irgl/internal/ptx"
)

// vectorOperand returns 32 values of a type; of floats also NaNs of many payloads, quiet and signalling, and subnormal ones.
func vectorOperand(rng *rand.Rand, t ptx.Type) *[32]uint64 {
	v := [32]uint64(lanesOf(rng, t))
	for i := range v {
		switch {
		case rng.IntN(4) > 0:
		case t == "f32":
			v[i] = rng.Uint64()&0x807fffff | []uint64{0x7f800000, 0}[rng.IntN(2)]
		case t == "f64":
			v[i] = rng.Uint64()&0x800fffffffffffff | []uint64{0x7ff0000000000000, 0}[rng.IntN(2)]
		}
	}
	return &v
}

// laneMask returns a mask of lanes: all, a range, or any.
func laneMask(rng *rand.Rand) uint32 {
	switch rng.IntN(3) {
	case 0:
		return fullMask
	case 1:
		lo := rng.IntN(32)
		return uint32(uint64(1)<<(1+rng.IntN(32-lo))-1) << lo
	}
	return 1<<rng.IntN(32) | rng.Uint32()&rng.Uint32()
}

// TestVectors compares instructions executed by vector instructions with the kernels in Go: bit for bit, whatever lanes take part,
// and also where the result replaces an operand. Lanes that do not take part keep what they have.
func TestVectors(t *testing.T) {
	if !hasVectors {
		t.Skip("this CPU has no vector instructions that the emulator knows")
	}
	rng := rand.New(rand.NewPCG(11, 12))
	rounds := 2000
	if testing.Short() {
		rounds = 100
	}
	w := &warp{l: &launch{}, regs: make([]uint64, 4*32)}
	check := func(name string, in *inst, types ...ptx.Type) {
		t.Helper()
		m := laneMask(rng)
		copy(w.regs, vectorOperand(rng, "b64")[:])
		for i, typ := range types {
			copy(w.regs[32*(i+1):], vectorOperand(rng, typ)[:])
		}
		in.d = int32(rng.IntN(1+len(types))) * 32
		in.a, in.b, in.c = 32, 64, 96
		before := [4 * 32]uint64(w.regs)
		in.run(w, in, m)
		got := [4 * 32]uint64(w.regs)
		copy(w.regs, before[:])
		d := &[32]uint64{}
		switch {
		case in.k1 != nil:
			in.k1(d[:], w.regs[32:64])
		case in.k2 != nil:
			in.k2(d[:], w.regs[32:64], w.regs[64:96])
		case in.k3 != nil:
			in.k3(d[:], w.regs[32:64], w.regs[64:96], w.regs[96:])
		case in.kc != nil:
			r := w.regs[in.d]
			d[0] = uint64(uint32(r)&^m | in.kc(w.regs[32:64], w.regs[64:96])&m)
			m = 1
		}
		for i := range d {
			if m>>i&1 != 0 {
				w.regs[in.d+int32(i)] = d[i]
			}
		}
		for i, want := range w.regs {
			if lane := i % 32; got[i] != want {
				t.Fatalf("%s of lanes %#x, lane %d: %#x, want %#x, of %#x, %#x, %#x", name, m, lane, got[i], want, before[32+lane], before[64+lane], before[96+lane])
			}
		}
	}
	for range rounds {
		for name, v := range vectorCode().unary {
			_, m := parts(name)
			from := m.t
			if m.u != "" {
				from = m.u
			}
			check(name, &inst{run: runUnaryVector, v1: v, k1: kernelsOf().unary[name]}, from)
		}
		for name, v := range vectorCode().binary {
			op, m := parts(name)
			second := m.t
			if op == "shl" || op == "shr" {
				second = "u32"
			}
			check(name, &inst{run: runBinaryVector, v2: v, k2: kernelsOf().binary[name]}, m.t, second)
		}
		for name, v := range vectorCode().ternary {
			_, m := parts(name)
			third := m.t
			if m.has("wide") {
				third = wider(m.t)
			}
			check(name, &inst{run: runTernaryVector, v3: v, k3: kernelsOf().ternary[name]}, m.t, m.t, third)
		}
		for name, v := range vectorCode().compare {
			for _, typ := range []ptx.Type{"b32", "b64", "f32", "f64"} {
				check(name, &inst{run: runCompareVector, vc: v, kc: kernelsOf().compare[name]}, typ, typ)
			}
		}
	}
}

// TestVectorsOfKernels looks for kernels in Go that have no vector kernel.
func TestVectorsOfKernels(t *testing.T) {
	if !hasVectors {
		t.Skip("this CPU has no vector instructions that the emulator knows")
	}
	missing := func(n, of int, kind string) {
		if n != of {
			t.Errorf("%d of %d %s kernels are vector kernels", n, of, kind)
		}
	}
	missing(len(vectorCode().unary), len(kernelsOf().unary), "unary")
	missing(len(vectorCode().binary), len(kernelsOf().binary), "binary")
	missing(len(vectorCode().ternary), len(kernelsOf().ternary), "ternary")
	missing(len(vectorCode().compare), len(kernelsOf().compare), "compare")
}

// TestSelect compares selp, whatever lanes take part and also where the result replaces an operand, with a choice for each lane.
func TestSelect(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 14))
	w := &warp{l: &launch{}, regs: make([]uint64, 4*32)}
	for range 2000 {
		copy(w.regs, vectorOperand(rng, "b64")[:])
		copy(w.regs[32:], vectorOperand(rng, "b64")[:])
		copy(w.regs[64:], vectorOperand(rng, "b64")[:])
		m, p := laneMask(rng), rng.Uint32()
		w.regs[96] = uint64(p)
		in := &inst{d: int32(rng.IntN(3)) * 32, a: 32, b: 64, c: 96}
		want := [4 * 32]uint64(w.regs)
		for i := range int32(32) {
			if m>>i&1 != 0 {
				want[in.d+i] = w.regs[64+i]
				if p>>i&1 != 0 {
					want[in.d+i] = w.regs[32+i]
				}
			}
		}
		if runSelp(w, in, m); [4 * 32]uint64(w.regs) != want {
			t.Fatalf("selp of lanes %#x by %#x to %d: %#x, want %#x", m, p, in.d, w.regs, want)
		}
	}
}
