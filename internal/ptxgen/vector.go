package ptxgen

import (
	"fmt"
	"slices"

	"irgl/internal/ptx"
)

// fuseVectors combines consecutive loads, or stores, of adjacent memory into
// one access of two or four elements, if the first is known to be aligned for
// that. The scalar passes make accesses consecutive: only those that they
// aligned to more than an element are considered.
//
// Signed bytes are loaded without sign and extended in their registers, which takes ptxas one
// instruction for each; of a vector of type s8 it makes two, and of a conversion of such a byte by cvt.rn.f32.u32, say, one that
// takes the byte for a number with a sign (docs/rationale.md).
func fuseVectors(ins []minst, classes []class) []minst {
	out := make([]minst, 0, len(ins))
	for i := 0; i < len(ins); {
		n := 1
		for _, width := range []int{4, 2} {
			if vectorAt(ins[i:], width, classes) {
				n = width
				break
			}
		}
		if n == 1 {
			out = append(out, ins[i])
			i++
			continue
		}
		vector := ins[i]
		vector.inst = fused(ins[i : i+n])
		out = append(out, vector)
		if t := &vector.inst.Mods[len(vector.inst.Mods)-1]; *t == "s8" && vector.inst.Op == "ld" { // into registers of 32 bits
			*t = "u8"
			for _, in := range ins[i : i+n] {
				in.inst = &ptx.Inst{Op: "cvt", Mods: []string{"s32", "s8"}, Args: []ptx.Operand{in.inst.Args[0], in.inst.Args[0]}}
				out = append(out, in)
			}
		}
		i += n
	}
	return out
}

// elementSize returns the bytes of the type of a load or store that may be part of a vector, or 0.
func elementSize(t string) int64 {
	switch t {
	case "u8", "s8", "b8":
		return 1
	case "u16", "s16", "b16":
		return 2
	case "u32", "f32", "b32":
		return 4
	case "u64", "f64", "b64":
		return 8
	}
	return 0
}

// access splits a load or store into its memory operand and its data operand.
func access(in *minst) (memory, data *ptx.Operand, ok bool) {
	if in.inst == nil || in.guard != 0 || len(in.inst.Args) != 2 {
		return nil, nil, false
	}
	a := in.inst.Args
	switch in.inst.Op {
	case "ld":
		memory, data = &a[1], &a[0]
	case "st":
		memory, data = &a[0], &a[1]
	default:
		return nil, nil, false
	}
	ok = memory.Kind == ptx.KindMem && !slices.Contains(in.inst.Mods, "param") && !slices.Contains(in.inst.Mods, "volatile")
	return memory, data, ok
}

// vectorAt reports whether the first n of ins make a vector. ptxas wants all elements in registers of one class.
func vectorAt(ins []minst, n int, classes []class) bool {
	if len(ins) < n {
		return false
	}
	first, data, ok := access(&ins[0])
	if !ok {
		return false
	}
	size := elementSize(ins[0].inst.Mods[len(ins[0].inst.Mods)-1])
	width := size * int64(n)
	if size == 0 || width > 16 || ins[0].align < width || ins[0].align <= size {
		return false
	}
	load := ins[0].inst.Op == "ld"
	loaded := map[uint64]bool{}
	if load {
		loaded[data.Bits] = true
	}
	for k := 1; k < n; k++ {
		m, d, ok := access(&ins[k])
		if !ok || ins[k].inst.Op != ins[0].inst.Op || !slices.Equal(ins[k].inst.Mods, ins[0].inst.Mods) ||
			m.Bits != first.Bits || m.Name != first.Name || m.Int != first.Int+int64(k)*size {
			return false
		}
		if load && classes[d.Bits] != classes[data.Bits] {
			return false
		}
		// A load must not write a register that a later one reads as its address or writes, too.
		if load && (loaded[m.Bits] && m.Name == "" || loaded[d.Bits]) {
			return false
		}
		loaded[d.Bits] = loaded[d.Bits] || load
	}
	return true
}

// fused returns the vector access that replaces the ins.
func fused(ins []minst) *ptx.Inst {
	var list []ptx.Operand
	for i := range ins {
		_, data, _ := access(&ins[i])
		list = append(list, *data)
	}
	in := ins[0].inst
	mods := slices.Clone(in.Mods)
	mods = slices.Insert(mods, len(mods)-1, fmt.Sprintf("v%d", len(ins)))
	vector := ptx.Vector(list...)
	if in.Op == "ld" {
		return &ptx.Inst{Op: in.Op, Mods: mods, Args: []ptx.Operand{vector, in.Args[1]}}
	}
	return &ptx.Inst{Op: in.Op, Mods: mods, Args: []ptx.Operand{in.Args[0], vector}}
}
