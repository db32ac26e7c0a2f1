package opt

import (
	"irgl/internal/pass"
	"irgl/internal/ssa"
	"irgl/internal/ssa/analysis"
)

// Speculative execution.
// Source: gpucc, section 3.5; the limits are those of LLVM's pass of the name.
//
// The straight-line passes rewrite a value in terms of values that dominate it. Two
// addresses in two conditional blocks do not dominate each other. So cheap operations
// without effects move from a conditional block to its predecessor, where they
// dominate both sides and the join; the rest is shorter, and the assembler may
// predicate it.
//
//	if v1, b1, b2                  v3 = ptradd ptr v0, v2
//	b1: v3 = ptradd ptr v0, v2     if v1, b1, b2
//	    v4 = load i32 v3           b1: v4 = load i32 v3
//
// A block is speculated if one of its operations has a relative that neither
// dominates it nor is dominated by it, in the other side or after the branch.
// Without one, nothing is gained, and threads that do not take the branch would
// execute the operations in vain. Relatives are
//
//   - the same operation with a common operand; the pointer parameters of a kernel,
//     on which all its addresses are based, do not count as common operands;
//   - two addresses of which one is the other and further terms
//     (addresses_sum.go), so that reassociate computes one from the other: &a[i] and
//     &a[i + j] of the paper's Figure 7.
//
// Further, the operations that move may cost at most maxSpeculated, and at most
// maxLeft operations may remain: if many remain, the branch is there to skip work,
// and the few operations would only lengthen the other side. Blocks are visited from
// the last to the first, so values move up through nested conditions as far as the
// budget of each permits.
//
// What it will not do: move loads, divisions, anything with effects; move code
// after a loop into it; move from a block that has other predecessors.
func speculate(f *ssa.Func, r *pass.Run) {
	removeUnreachable(f)
	dom := analysis.Dominators(f)
	order, loops := dom.Order(), analysis.FindLoops(f, dom)
	s := &speculator{run: r, dom: dom, opener: opener{f: f, dom: dom, noRanges: true}}
	moved := 0
	for i := len(order) - 1; i >= 0; i-- {
		b := order[i]
		if b.Kind != ssa.BlockIf || b.Succs[0] == b.Succs[1] {
			continue
		}
		for _, side := range b.Succs {
			if len(side.Preds) == 1 && loops.Of(side) == loops.Of(b) {
				if s.relatives == nil {
					s.findRelatives(order)
				}
				moved += s.hoist(side, b)
			}
		}
	}
	r.Count("values", moved)
}

type speculator struct {
	run       *pass.Run
	dom       *analysis.DomTree
	relatives *scopedTable[int32] // index in heads, by relation
	heads     []int32             // of each relation the index of the latest in list, + 1
	list      []relative
	opener    opener
	roots     rootCounts
	indexed   []*ssa.Value // the addresses that may have a relative
	sums      map[*ssa.Value]*addressSum
	addresses map[addressTerm][]*ssa.Value // at most maxRelatives each
}

// An addressTerm is what two addresses, of which one includes the other, have in
// common.
type addressTerm struct {
	root *ssa.Value
	term term
}

// A relative is an operation that has a relation: what two operations have in common, one of
// which may be computed from the other. It is the operation, the type, and the number of an
// argument.
type relative struct {
	v    *ssa.Value
	n    int32 // the number of relatives of the relation up to it
	next int32 // index of the previous one in the list, + 1
}

// findRelatives records the relations of all operations.
func (s *speculator) findRelatives(blocks []*ssa.Block) {
	n := 0
	for _, b := range blocks {
		n += len(b.Values)
	}
	s.relatives = newScopedTable[int32](s.opener.f, n)
	s.roots = countRoots(s.opener.f)
	for _, b := range blocks {
		for _, v := range b.Values {
			if isIndexed(v) && s.roots.several(v) {
				s.indexed = append(s.indexed, v)
			}
			s.related(v, func(k key) {
				last, n := s.latest(k), int32(1)
				if last != nil {
					n += s.list[*last-1].n
				}
				if n > maxRelatives {
					return
				}
				if last == nil {
					s.list = append(s.list, relative{v, n, 0})
					s.relatives.put(k, int32(len(s.heads)))
					s.heads = append(s.heads, int32(len(s.list)))
					return
				}
				s.list = append(s.list, relative{v, n, *last})
				*last = int32(len(s.list))
			})
		}
	}
}

// latest returns where the latest operation with a relation is noted, or nil.
func (s *speculator) latest(k key) *int32 {
	i, ok := s.relatives.find(k)
	if !ok {
		return nil
	}
	return &s.heads[i]
}

// sumOf returns v as a sum if it is one of the addresses that may have a relative, or nil. The
// first time it records the terms of all of them.
func (s *speculator) sumOf(v *ssa.Value) *addressSum {
	if !isIndexed(v) || !s.roots.several(v) {
		return nil
	}
	if s.sums == nil {
		s.sums = make(map[*ssa.Value]*addressSum)
		s.addresses = make(map[addressTerm][]*ssa.Value)
		for _, w := range s.indexed {
			s.noteAddress(w)
		}
	}
	return s.sums[v]
}

// noteAddress records the terms of v.
func (s *speculator) noteAddress(v *ssa.Value) {
	sum := s.opener.open(v)
	s.sums[v] = sum
	for _, t := range sum.terms {
		k := addressTerm{sum.root, t}
		if list := s.addresses[k]; len(list) < maxRelatives {
			s.addresses[k] = append(list, v)
		}
	}
}

// related calls f with the relations of v.
func (s *speculator) related(v *ssa.Value, f func(key)) {
	if v.Op == ssa.OpPhi || sideCost(v) <= 0 {
		return
	}
	for _, a := range v.Args {
		switch {
		case a.Op.IsLiteral() || a.Op == ssa.OpUndef || a.Op == ssa.OpGlobalAddr || a.Op == ssa.OpSpaceCast || a.Op == ssa.OpParam && a.Type.IsPtr():
		default:
			f(key{op: v.Op, typ: v.Type, a0: int32(a.ID) + 1})
		}
	}
}

// hasRelative reports whether v, in side, has a relative elsewhere.
func (s *speculator) hasRelative(v *ssa.Value, side *ssa.Block) bool {
	apart := func(at *ssa.Block) bool { return !s.dom.Dominates(at, side) && !s.dom.Dominates(side, at) }
	found := false
	s.related(v, func(k key) {
		last := s.latest(k)
		if last == nil {
			return
		}
		for i := *last; i != 0 && !found; i = s.list[i-1].next {
			found = apart(s.list[i-1].v.Block)
		}
	})
	if found {
		return true
	}
	if sum := s.sumOf(v); sum != nil {
		for _, t := range sum.terms {
			for _, w := range s.addresses[addressTerm{sum.root, t}] {
				if other := s.sums[w]; apart(w.Block) && (sum.includes(other) || other.includes(sum)) {
					return true
				}
			}
		}
	}
	return false
}

const (
	maxSpeculated = 7
	maxLeft       = 5
	// maxRelatives bounds the relatives visited.
	maxRelatives = 16
)

// hoist moves the speculated values from side to the end of b and returns
// their number.
func (s *speculator) hoist(side, b *ssa.Block) int {
	r := s.run
	stays := make(map[*ssa.Value]bool)
	cost, left, useful := 0, 0, false
	for _, v := range side.Values {
		c := sideCost(v)
		for _, a := range v.Args {
			if stays[a] {
				c = -1
			}
		}
		if c < 0 {
			stays[v] = true
			left++
		}
		cost += max(c, 0)
		useful = useful || c > 0 && s.hasRelative(v, side)
		if cost > maxSpeculated {
			r.Missed(b.Ctrl.Pos, "nothing moves before the branch: what could costs more than %d", maxSpeculated)
			return 0
		}
		if left > maxLeft {
			if cost > 0 {
				r.Missed(b.Ctrl.Pos, "nothing moves before the branch: more than %d operations would stay behind it", maxLeft)
			}
			return 0
		}
	}
	if cost == 0 {
		return 0
	}
	if !useful {
		r.Missed(b.Ctrl.Pos, "nothing moves before the branch: no related operation exists elsewhere")
		return 0
	}
	r.Applied(b.Ctrl.Pos, "operations that cost %d move before the branch", cost)
	kept := side.Values[:0]
	moved := 0
	for _, v := range side.Values {
		if stays[v] {
			kept = append(kept, v)
			continue
		}
		v.Block = b
		b.Values = append(b.Values, v)
		moved++
	}
	clear(side.Values[len(kept):])
	side.Values = kept
	return moved
}
