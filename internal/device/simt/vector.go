package simt

// This file executes the commonest instructions for all 32 lanes at once, by vector instructions of the CPU where it has them: AVX2 and
// FMA of amd64 (vector_amd64.s). Where not all lanes take part, the results of the others are dropped: no vector
// instruction has another effect. What they compute is what the kernels of kernels.go compute, bit for bit.

// The kernels of all lanes. The result may be in the place of an operand.
type (
	unaryVector   func(d, a *[32]uint64)
	binaryVector  func(d, a, b *[32]uint64)
	ternaryVector func(d, a, b, c *[32]uint64)
	compareVector func(a, b *[32]uint64) uint32
)

// vectorTables are the kernels by the names of instructions; those of comparisons by the names of kernelTables.compare.
type vectorTables struct {
	unary   map[string]unaryVector
	binary  map[string]binaryVector
	ternary map[string]ternaryVector
	compare map[string]compareVector
}

// vectorize has the instructions of fn with kernels executed by vector instructions.
func vectorize(fn *function) {
	if !hasVectors {
		return
	}
	for i := range fn.code {
		in := &fn.code[i]
		switch {
		case in.src == nil:
		case in.kc != nil:
			name, _, _ := comparison(newMods(in.src.Mods))
			if in.vc = vectorCode().compare[name]; in.vc != nil {
				in.run = runCompareVector
			}
		case in.k1 != nil:
			if in.v1 = vectorCode().unary[kernelName(in.src)]; in.v1 != nil && in.run != nil {
				in.run = runUnaryVector
			}
		case in.k2 != nil:
			if in.v2 = vectorCode().binary[kernelName(in.src)]; in.v2 != nil {
				in.run = runBinaryVector
			}
		case in.k3 != nil:
			if in.v3 = vectorCode().ternary[kernelName(in.src)]; in.v3 != nil {
				in.run = runTernaryVector
			}
		}
	}
}

func runUnaryVector(w *warp, in *inst, m uint32) {
	d, a := lanes(w.regs, in.d), lanes(w.regs, in.a)
	if m == fullMask {
		in.v1(d, a)
		return
	}
	in.v1(&w.l.result, a)
	blend(d, &w.l.result, m)
}

func runBinaryVector(w *warp, in *inst, m uint32) {
	d, a, b := lanes(w.regs, in.d), lanes(w.regs, in.a), lanes(w.regs, in.b)
	if m == fullMask {
		in.v2(d, a, b)
		return
	}
	in.v2(&w.l.result, a, b)
	blend(d, &w.l.result, m)
}

func runTernaryVector(w *warp, in *inst, m uint32) {
	d, a, b, c := lanes(w.regs, in.d), lanes(w.regs, in.a), lanes(w.regs, in.b), lanes(w.regs, in.c)
	if m == fullMask {
		in.v3(d, a, b, c)
		return
	}
	in.v3(&w.l.result, a, b, c)
	blend(d, &w.l.result, m)
}

// runCompareVector executes setp of one predicate.
func runCompareVector(w *warp, in *inst, m uint32) {
	t := in.vc(lanes(w.regs, in.a), lanes(w.regs, in.b))
	if in.negated {
		t = ^t
	}
	w.regs[in.d] = uint64(uint32(w.regs[in.d])&^m | t&m)
}
