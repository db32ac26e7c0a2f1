package opt

import (
	"irgl/internal/pass"
	"irgl/internal/ssa"
	"irgl/internal/ssa/analysis"
)

// Global reassociation.
// Source: gpucc, section 3.4.3, Algorithm 2.
//
// Of (a + b) + c, a sum of two of the operands may be available in a dominating
// block: a + c, or b + c. That sum is reused and the third operand added. This
// costs one addition as before, and may leave a + b dead. The paper requires
// that it does; but in a chain, where each partial sum is used by the whole sum
// and by the next partial sum, none would be dead before the last one is, so the
// pass does not require it.
//
//	v4 = add i32 v1, v3             v4 = add i32 v1, v3
//	v5 = add i32 v1, v2             v6 = add i32 v4, v2
//	v6 = add i32 v5, v3
//
// It applies to addition, multiplication, and, or, xor and the integer
// minima and maxima.
//
// Addresses come first. Each is a root and a sum of terms (addresses_sum.go): a
// scale times an index, which may be extended to 64 bits. If an address with some
// of the terms dominates, the others are added to it. So a[i + j] is (&a[i])[j],
// for elements of all sizes:
//
//	v5 = shl i64 v1, 2              v5 = shl i64 v1, 2
//	v6 = ptradd ptr v0, v5          v6 = ptradd ptr v0, v5
//	v7 = add i64 v1, v2             v8 = shl i64 v2, 2
//	v8 = shl i64 v7, 2              v9 = ptradd ptr v6, v8
//	v9 = ptradd ptr v0, v8
//
// The same holds for an address in which one term has another scale: a[i + 3*j] is
// a[i + j] and 2*j elements. At most two terms are added. If the sum is
// available as a whole, so is the address.
//
// An address is rewritten if this saves instructions, counted as those of 32
// bits that the machine executes: a widening multiplication is one, and adds its product
// to a pointer in the same instruction (IMAD.WIDE); a 64-bit addition is two, and
// shifts one operand in them (LEA). So of a[i + j] the addition of i and j is
// saved, one instruction if they are 32 bits wide and two if they are 64 bits
// wide, if nothing else uses the sum. For several arrays with the
// index i + j, that is saved once, while each needs an address of its own that stays
// live instead of one index: they are rewritten only if each saves one
// instruction, which 64-bit indices of two arrays do and 32-bit ones do not.
//
// A sum below an extension is divided only if it does not wrap: 32-bit signed ones
// of CUDA source promise it. Unsigned ones may wrap, and then a[i + j] is not
// (&a[i])[j]; they are divided only if value ranges exclude it, as for thread
// indices. If the other address depends on a promise of its own, a[i + k] for
// a[i + j + k], it must have been accessed before, which shows that the promise is
// kept.
//
// For each sum there is a stack of the values that compute it. The walk is in
// preorder of the dominator tree; a value on a stack that does not dominate the
// current one dominates no later one either, and is popped. Each value is pushed
// and popped once under each of its keys, of which it has at most six, and looked up by the
// subsets of its terms, of which there are at most sixteen, so the time is linear in the size
// of the function.
//
// A sum that is recomputed from another one loses its promise not to wrap
// (ssa.Op.MayPromise), and so does the other: it may wrap where the original
// did not.
//
// What it will not do: reassociate floating point; search sums of more than
// three operands, or addresses of more than four terms except at their last
// addition; distribute products over sums, which is left to addresses and slsr.
func reassociate(f *ssa.Func, r *pass.Run) {
	removeUnreachable(f)
	dom := analysis.Dominators(f)
	s := &associator{f: f, dom: dom, seen: make(map[pairKey][]*ssa.Value), uses: shareAddresses(f, dom, r)}
	dom.Walk(s.block, nil)
	r.Count("sums", s.sums)
}

// A pairKey is an operation on two values; for a commutative one the lower
// number comes first.
type pairKey struct {
	op   ssa.Op
	typ  ssa.Type
	a, b *ssa.Value
}

func pair(op ssa.Op, t ssa.Type, a, b *ssa.Value) pairKey {
	if op.Commutative() && a.ID > b.ID {
		a, b = b, a
	}
	return pairKey{op, t, a, b}
}

type associator struct {
	f    *ssa.Func
	dom  *analysis.DomTree
	seen map[pairKey][]*ssa.Value
	uses []int32 // of the values before addresses were rewritten; nil if none were

	sums int
}

// dead reports whether only addresses that were rewritten used v. Its promise then
// matters no more, but those of the values that it would be computed from do.
func (s *associator) dead(v *ssa.Value) bool { return v.ID < len(s.uses) && s.uses[v.ID] == 0 }

// associative reports whether op may be reassociated.
func associative(op ssa.Op) bool {
	switch op {
	case ssa.OpAdd, ssa.OpMul, ssa.OpAnd, ssa.OpOr, ssa.OpXor, ssa.OpSMin, ssa.OpSMax, ssa.OpUMin, ssa.OpUMax:
		return true
	}
	return false
}

func (s *associator) block(b *ssa.Block) {
	for _, v := range b.Values {
		if !associative(v.Op) || s.dead(v) {
			continue
		}
		before := pair(v.Op, v.Type, v.Args[0], v.Args[1])
		if s.sum(v) {
			s.sums++
		}
		// The original value is still computed, so later values may reuse it.
		s.seen[before] = append(s.seen[before], v)
		if now := pair(v.Op, v.Type, v.Args[0], v.Args[1]); now != before {
			s.seen[now] = append(s.seen[now], v)
		}
	}
}

// closest returns the last value that computes k and dominates b.
func (s *associator) closest(k pairKey, b *ssa.Block) *ssa.Value {
	list := s.seen[k]
	for len(list) > 0 && !s.dom.Dominates(list[len(list)-1].Block, b) {
		list = list[:len(list)-1]
	}
	s.seen[k] = list
	if len(list) == 0 {
		return nil
	}
	return list[len(list)-1]
}

// sum reassociates v = (a op b) op c.
func (s *associator) sum(v *ssa.Value) bool {
	for i, inner := range v.Args {
		c := v.Args[1-i]
		if inner.Op != v.Op || c.Op.IsLiteral() {
			continue
		}
		for k, b := range inner.Args {
			a := inner.Args[1-k]
			if b.Op.IsLiteral() || a.Op.IsLiteral() {
				continue
			}
			if d := s.closest(pair(v.Op, v.Type, a, c), v.Block); d != nil && d != v && d != inner {
				v.Args = []*ssa.Value{d, b}
				v.NoWrap, d.NoWrap = false, false
				return true
			}
		}
	}
	return false
}
