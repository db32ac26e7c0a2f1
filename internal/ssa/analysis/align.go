package analysis

import (
	"fmt"
	"math/bits"
	"strings"

	"irgl/internal/ssa"
)

// Alignments holds the largest known power of two that divides each integer and
// address.
type Alignments struct {
	f   *ssa.Func
	log []uint8 // by value number
}

const unknownYet = 64

// Align computes the alignment of every integer and pointer of f, a function
// of m: of allocas, variables and aggregates as declared, of arithmetic from
// its operands. A pointer from any other source has none. The analysis is
// optimistic: phis begin as divisible by anything and descend until nothing
// changes; the number of sweeps is at most the number of bits.
func Align(f *ssa.Func, m *ssa.Module, dom *DomTree) *Alignments {
	a := &Alignments{f: f, log: ssa.Make[uint8](f, f.NumValues())}
	globals := make(map[string]int64)
	if m != nil {
		for _, g := range m.Globals {
			globals[g.Name] = g.Align
		}
	}
	for i := range a.log {
		a.log[i] = unknownYet
	}
	for changed := true; changed; {
		changed = false
		for _, b := range dom.Order() {
			for _, v := range b.Values {
				if !v.Type.IsInt() && !v.Type.IsPtr() {
					continue
				}
				if now := min(a.log[v.ID], a.transfer(v, globals)); now != a.log[v.ID] {
					a.log[v.ID] = now
					changed = true
				}
			}
		}
	}
	return a
}

func logOf(n int64) uint8 {
	if n == 0 {
		return unknownYet
	}
	return uint8(bits.TrailingZeros64(uint64(n)))
}

func (a *Alignments) transfer(v *ssa.Value, globals map[string]int64) uint8 {
	arg := func(i int) uint8 { return a.log[v.Args[i].ID] }
	switch v.Op {
	case ssa.OpConst:
		return logOf(v.Int)
	case ssa.OpGlobalAddr:
		return logOf(max(1, globals[v.Callee()]))
	case ssa.OpAlloca:
		return logOf(v.Mem.Align)
	case ssa.OpParam:
		if v.Type == ssa.PtrParam {
			return logOf(a.f.Params[v.Int].Align)
		}
	case ssa.OpAdd, ssa.OpSub, ssa.OpPtrAdd, ssa.OpOr, ssa.OpXor, ssa.OpSMin, ssa.OpSMax, ssa.OpUMin, ssa.OpUMax:
		return min(arg(0), arg(1))
	case ssa.OpAnd:
		return max(arg(0), arg(1))
	case ssa.OpMul:
		return min(arg(0)+arg(1), unknownYet)
	case ssa.OpShl:
		if n := v.Args[1]; n.Op == ssa.OpConst && n.Int >= 0 && n.Int < 64 {
			return min(arg(0)+uint8(n.Int), unknownYet)
		}
		return arg(0)
	case ssa.OpNeg, ssa.OpSExt, ssa.OpZExt, ssa.OpPtrToInt, ssa.OpIntToPtr, ssa.OpSpaceCast:
		return arg(0)
	case ssa.OpTrunc:
		return arg(0)
	case ssa.OpSelect:
		return min(arg(1), arg(2))
	case ssa.OpPhi:
		low := uint8(unknownYet)
		for i := range v.Args {
			low = min(low, arg(i))
		}
		return low
	}
	return 0
}

// Of returns the largest power of two, at most limit, that is known to divide v.
func (a *Alignments) Of(v *ssa.Value, limit int64) int64 {
	if v.ID >= len(a.log) {
		return 1
	}
	if a.log[v.ID] >= 62 {
		return limit
	}
	return min(limit, 1<<a.log[v.ID])
}

// String returns a line for each pointer and integer with an alignment, but for
// constants.
func (a *Alignments) String() string {
	var s strings.Builder
	for _, b := range a.f.Blocks {
		for _, v := range b.Values {
			if (v.Type.IsInt() || v.Type.IsPtr()) && v.Op != ssa.OpConst && a.log[v.ID] > 0 {
				fmt.Fprintf(&s, "%s: %d\n", v, a.Of(v, 1<<16))
			}
		}
	}
	return s.String()
}
