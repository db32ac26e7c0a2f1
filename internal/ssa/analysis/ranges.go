package analysis

import (
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strings"

	"irgl/internal/ssa"
)

// A Range is an interval of the possible values of an integer, as signed
// numbers of its type; Lo is at most Hi.
type Range struct{ Lo, Hi int64 }

// FullRange returns the interval of all values of the integer type t. An i1 is
// 0 or -1.
func FullRange(t ssa.Type) Range {
	shift := 64 - t.Bits()
	return Range{math.MinInt64 >> shift, math.MaxInt64 >> shift}
}

// Const returns the only value in r, if there is only one.
func (r Range) Const() (int64, bool) { return r.Lo, r.Lo == r.Hi }

// NonNegative reports whether r has no negative value, so that its signed and
// unsigned interpretations agree.
func (r Range) NonNegative() bool { return r.Lo >= 0 }

// Within reports whether r is a subset of s.
func (r Range) Within(s Range) bool { return s.Lo <= r.Lo && r.Hi <= s.Hi }

func (r Range) union(s Range) Range { return Range{min(r.Lo, s.Lo), max(r.Hi, s.Hi)} }

// meet intersects; an empty intersection, which occurs only in unreachable
// code, gives r.
func (r Range) meet(s Range) Range {
	m := Range{max(r.Lo, s.Lo), min(r.Hi, s.Hi)}
	if m.Lo > m.Hi {
		return r
	}
	return m
}

// RangeInfo holds the ranges of a function's integers.
type RangeInfo struct {
	f   *ssa.Func
	dom *DomTree
	of  []Range // by value number
	// By block number: the comparisons that hold in a block and all blocks it
	// dominates, because its only predecessor branches on them.
	facts [][]fact
	// By block number: the nearest dominating block with facts, or nil; and the
	// number of blocks with facts on the path from the root to a block, including
	// it.
	up    []*ssa.Block
	depth []int32
	known []fact  // grouped by value, dominating blocks first
	about []int32 // by value number: its facts are known[about[id]:about[id+1]]
	seen  []bool  // by value number: it has a range
	// By value number: the last sweep, from 1, that changed the range, or always
	// for values that facts are about.
	moved  []uint8
	sweeps uint8
	again  []*ssa.Value // those whose range may change after the first sweep
}

// always marks a value whose range in a block depends on the ranges of others.
const always = math.MaxUint8

// A fact is a comparison of v and w that holds in a block.
type fact struct {
	op   ssa.Op
	v, w *ssa.Value
	in   *ssa.Block
}

const (
	sweepsBeforeWidening = 3
	maxGrowingSweeps     = 17 // nests whose loops depend on each other get full ranges if they are deeper than 14
	shrinkingSweeps      = 2
	maxFacts             = 16 // blocks with facts that one query visits,
	maxInnerFacts        = 4  // and that it visits for the values that its value is compared with
	manyFacts            = 32 // of a value: above this, searching the blocks is faster
)

// Ranges computes the range of every integer in f: from constants, from the
// limits of special registers (CUDA's Programming Guide, compute
// capabilities; the launch bounds of a kernel), from operations, and from
// comparisons on the edges that dominate a use. The ranges of loops grow for
// a few sweeps; then those that still grow are widened. The fixed point is
// valid for every execution; two further sweeps narrow it by the conditions
// of loops.
func Ranges(f *ssa.Func, dom *DomTree) *RangeInfo {
	r := &RangeInfo{
		f: f, dom: dom, of: ssa.Make[Range](f, f.NumValues()), seen: ssa.Make[bool](f, f.NumValues()),
		facts: ssa.Make[[]fact](f, f.NumBlocks()), up: ssa.Make[*ssa.Block](f, f.NumBlocks()), depth: ssa.Make[int32](f, f.NumBlocks()),
		about: ssa.Make[int32](f, f.NumValues()+1), moved: ssa.Make[uint8](f, f.NumValues()), again: ssa.Make[*ssa.Value](f, f.NumValues())[:0],
	}
	r.reset()
	r.collect()
	if !cyclic(dom.Order(), f.NumBlocks()) {
		// In acyclic code one sweep visits all operands before their users, so a
		// second sweep would change nothing.
		r.sweep(false, false)
		return r
	}
	stable := false
	for n := 0; n < maxGrowingSweeps && !stable; n++ {
		stable = !r.sweep(n >= sweepsBeforeWidening, false)
	}
	if !stable {
		r.reset()
		return r
	}
	for range shrinkingSweeps {
		r.sweep(false, true)
	}
	return r
}

// cyclic reports whether the control flow graph has a cycle. The blocks are in
// reverse postorder, their numbers below n.
func cyclic(order []*ssa.Block, n int) bool {
	passed := make([]bool, n)
	for _, b := range order {
		passed[b.ID] = true
		for _, s := range b.Succs {
			if passed[s.ID] {
				return true
			}
		}
	}
	return false
}

// reset gives every integer the range of its type.
func (r *RangeInfo) reset() {
	for _, b := range r.f.Blocks {
		for _, v := range b.Values {
			if v.Type.IsInt() {
				r.of[v.ID] = FullRange(v.Type)
			}
		}
	}
}

// collect records the facts of each block.
func (r *RangeInfo) collect() {
	for _, b := range r.dom.Order() {
		if d := r.dom.Idom(b); d != nil {
			r.up[b.ID], r.depth[b.ID] = d, r.depth[d.ID]
			if len(r.facts[d.ID]) == 0 {
				r.up[b.ID] = r.up[d.ID]
			}
		}
		if len(b.Preds) != 1 {
			continue
		}
		p := b.Preds[0]
		if p.Kind == ssa.BlockIf && p.Succs[0] != p.Succs[1] {
			r.learn(b, p.Ctrl, p.Succs[0] == b, 4)
		}
		if len(r.facts[b.ID]) > 0 {
			r.depth[b.ID]++
		}
	}
	r.sort()
}

// sort groups the facts by value: learn has counted them. The entry at v.ID+1
// begins as the start of v and becomes its end, as in Uses.
func (r *RangeInfo) sort() {
	total := int32(0)
	for i, n := range r.about {
		r.about[i] = total
		total += n
	}
	r.known = ssa.Make[fact](r.f, int(total))
	for _, b := range r.dom.Order() {
		for _, k := range r.facts[b.ID] {
			r.known[r.about[k.v.ID+1]] = k
			r.about[k.v.ID+1]++
		}
	}
}

// factsAbout returns the facts about v.
func (r *RangeInfo) factsAbout(v *ssa.Value) []fact { return r.known[r.about[v.ID]:r.about[v.ID+1]] }

// learn records the consequences in b of the value of c; for a true
// conjunction and a false disjunction, those of both operands.
func (r *RangeInfo) learn(b *ssa.Block, c *ssa.Value, truth bool, depth int) {
	switch {
	case depth == 0:
	case c.Op == ssa.OpNot:
		r.learn(b, c.Args[0], !truth, depth-1)
	case c.Op == ssa.OpAnd && truth, c.Op == ssa.OpOr && !truth:
		r.learn(b, c.Args[0], truth, depth-1)
		r.learn(b, c.Args[1], truth, depth-1)
	case c.Op.IsIntCompare() && c.Args[0].Type.IsInt():
		op := c.Op
		if !truth {
			op = negated[op]
		}
		r.note(fact{op, c.Args[0], c.Args[1], b})
		r.note(fact{swapped[op], c.Args[1], c.Args[0], b})
	}
}

// note records a fact, unless it is about a constant, which has a single
// value, and since a few constants would have most of the facts.
func (r *RangeInfo) note(k fact) {
	if k.v.Op == ssa.OpConst {
		return
	}
	r.facts[k.in.ID] = append(r.facts[k.in.ID], k)
	r.about[k.v.ID+1]++
	r.moved[k.v.ID] = always
}

var negated = [...]ssa.Op{
	ssa.OpEq: ssa.OpNe, ssa.OpNe: ssa.OpEq, ssa.OpSLt: ssa.OpSGe, ssa.OpSGe: ssa.OpSLt, ssa.OpSLe: ssa.OpSGt, ssa.OpSGt: ssa.OpSLe,
	ssa.OpULt: ssa.OpUGe, ssa.OpUGe: ssa.OpULt, ssa.OpULe: ssa.OpUGt, ssa.OpUGt: ssa.OpULe,
}

var swapped = [...]ssa.Op{
	ssa.OpEq: ssa.OpEq, ssa.OpNe: ssa.OpNe, ssa.OpSLt: ssa.OpSGt, ssa.OpSGt: ssa.OpSLt, ssa.OpSLe: ssa.OpSGe, ssa.OpSGe: ssa.OpSLe,
	ssa.OpULt: ssa.OpUGt, ssa.OpUGt: ssa.OpULt, ssa.OpULe: ssa.OpUGe, ssa.OpUGe: ssa.OpULe,
}

// sweep recomputes every range from those of its operands and reports whether one
// changed. While growing, a phi keeps its range, and with widen a bound that moves
// becomes the farthest that the comparisons on the edges allow. While shrinking, no range grows. Except for phis, operands
// are visited before their users, so a value none of whose operands changed in this
// sweep keeps the range of the last one.
func (r *RangeInfo) sweep(widen, shrink bool) bool {
	changed := false
	r.sweeps++
	if r.sweeps > 1 {
		for _, v := range r.again {
			if !r.seen[v.ID] || !r.stable(v) {
				changed = r.update(v, widen, shrink) || changed
			}
		}
		return changed
	}
	for _, b := range r.dom.Order() {
		for _, v := range b.Values {
			if !v.Type.IsInt() {
				continue
			}
			changed = r.update(v, widen, shrink) || changed
			if r.mayMove(v) {
				r.again = append(r.again, v)
			}
		}
	}
	return changed
}

// mayMove reports whether the range of v may be another one after the first sweep: it
// depends on that of an integer which is not a constant.
func (r *RangeInfo) mayMove(v *ssa.Value) bool {
	if v.Op == ssa.OpPhi || v.Op == ssa.OpSelect {
		return true
	}
	return slices.ContainsFunc(v.Args, func(a *ssa.Value) bool { return a.Type.IsInt() && a.Op != ssa.OpConst })
}

// update recomputes the range of v and reports whether it changed.
func (r *RangeInfo) update(v *ssa.Value, widen, shrink bool) bool {
	old, seen := r.of[v.ID], r.seen[v.ID]
	now, ok := old, true
	if v.Op == ssa.OpPhi {
		now, ok = r.phi(v)
	} else {
		now = r.transfer(v)
	}
	switch {
	case !ok:
		return false
	case shrink:
		now = old.meet(now)
	case seen && v.Op == ssa.OpPhi:
		now = now.union(old)
		if widen && now != old {
			most := r.most(v).union(now)
			if now.Lo < old.Lo {
				now.Lo = most.Lo
			}
			if now.Hi > old.Hi {
				now.Hi = most.Hi
			}
		}
	}
	changed := !seen || now != old
	if changed && r.moved[v.ID] != always {
		r.moved[v.ID] = r.sweeps
	}
	r.of[v.ID], r.seen[v.ID] = now, true
	return changed
}

// stable reports whether the ranges that v's depends on are unchanged since
// the previous sweep. A select also depends on the operands of its condition.
func (r *RangeInfo) stable(v *ssa.Value) bool {
	if v.Op == ssa.OpPhi || v.Op == ssa.OpSelect {
		return false
	}
	for _, a := range v.Args {
		if m := r.moved[a.ID]; m == r.sweeps || m == always {
			return false
		}
	}
	return true
}

// phi joins the ranges on the incoming edges; an argument without a range yet
// is on a back edge and is ignored, and so is an edge that is not taken by the ranges so far.
func (r *RangeInfo) phi(v *ssa.Value) (Range, bool) {
	var all Range
	found := false
	for i, a := range v.Args {
		p := v.Block.Preds[i]
		if !r.dom.Reaches(p) || !r.seen[a.ID] || a == v || r.avoids(p, v.Block) {
			continue
		}
		x := r.onEdge(a, p, v.Block)
		if found {
			x = all.union(x)
		}
		all, found = x, true
	}
	return all, found
}

// outcome returns the condition of the branch of p without negations, and its value where
// control goes on to b; ok is false if p has no two successors.
func outcome(p, b *ssa.Block) (c *ssa.Value, truth, ok bool) {
	if p.Kind != ssa.BlockIf || p.Succs[0] == p.Succs[1] {
		return nil, false, false
	}
	c, truth = p.Ctrl, p.Succs[0] == b
	for c.Op == ssa.OpNot {
		c, truth = c.Args[0], !truth
	}
	return c, truth, true
}

// avoids reports whether the branch of p never goes to b.
func (r *RangeInfo) avoids(p, b *ssa.Block) bool {
	c, goes, branches := outcome(p, b)
	if !branches {
		return false
	}
	truth, ok := r.Decide(c, p)
	return ok && truth != goes
}

// most returns the range of a phi if nothing is known of the arguments that come around a loop but what the
// edges test. After the first sweep that widens it is the type's, since the bounds of tests may grow, too.
func (r *RangeInfo) most(v *ssa.Value) Range {
	full := FullRange(v.Type)
	if r.sweeps > sweepsBeforeWidening+1 {
		return full
	}
	all, found := full, false
	for i, a := range v.Args {
		p := v.Block.Preds[i]
		if !r.dom.Reaches(p) || a == v {
			continue
		}
		x := full
		if a.Block != v.Block && r.dom.Dominates(a.Block, v.Block) { // it is the same in each round
			x = r.At(a, p)
		}
		x = r.tested(x, a, p, v.Block)
		if found {
			x = all.union(x)
		}
		all, found = x, true
	}
	return all
}

// onEdge returns the range of v on the edge from p to b.
func (r *RangeInfo) onEdge(v *ssa.Value, p, b *ssa.Block) Range {
	return r.tested(r.At(v, p), v, p, b)
}

// tested returns the part of x, a range of v in p, for which control goes on to b.
func (r *RangeInfo) tested(x Range, v *ssa.Value, p, b *ssa.Block) Range {
	c, truth, branches := outcome(p, b)
	switch {
	case !branches:
	case v == p.Ctrl:
		if p.Succs[0] == b {
			return Range{-1, -1}
		}
		return Range{0, 0}
	case c.Op.IsIntCompare() && c.Args[0].Type.IsInt():
		op := c.Op
		if !truth {
			op = negated[op]
		}
		if c.Args[0] == v {
			return narrow(x, op, r.At(c.Args[1], p))
		}
		if c.Args[1] == v {
			return narrow(x, swapped[op], r.At(c.Args[0], p))
		}
	}
	return x
}

// Of returns the range of v at its definition. It is full for a value whose
// type is not an integer.
func (r *RangeInfo) Of(v *ssa.Value) Range {
	if v.ID >= len(r.of) || !v.Type.IsInt() {
		return Range{math.MinInt64, math.MaxInt64}
	}
	return r.of[v.ID]
}

// At returns the range of v in block b, using the comparisons that dominate b.
// Values created after the analysis have the range of their type.
func (r *RangeInfo) At(v *ssa.Value, b *ssa.Block) Range { return r.at(v, b, 2) }

// at is At; depth bounds the recursion into the facts of values that v is compared
// with.
func (r *RangeInfo) at(v *ssa.Value, b *ssa.Block, depth int) Range {
	if v.ID >= len(r.of) {
		if v.Type.IsInt() {
			return FullRange(v.Type)
		}
		return r.Of(v)
	}
	x := r.Of(v)
	facts := r.factsAbout(v)
	if len(facts) == 0 || b.ID >= len(r.up) || depth == 0 {
		return x
	}
	limit := int32(maxFacts)
	if depth == 1 {
		limit = maxInnerFacts
	}
	if len(facts) > manyFacts {
		return r.atBlocks(v, b, depth, limit)
	}
	far := r.depth[b.ID] - limit // blocks at smaller depths are not visited
	if len(r.facts[b.ID]) == 0 {
		far++ // visiting b counts
	}
	// From the outermost inward: v != 1 gives a bound only once v is known to be
	// at most 2 and not 0, as in the last cases of a switch.
	for i := range facts {
		if k := &facts[i]; r.depth[k.in.ID] > far && r.dom.Dominates(k.in, b) {
			x = narrow(x, k.op, r.at(k.w, k.in, depth-1))
		}
	}
	return x
}

// atBlocks is at for a value with more facts than one query visits: it
// collects facts upward from b, and applies them from the outermost.
func (r *RangeInfo) atBlocks(v *ssa.Value, b *ssa.Block, depth int, limit int32) Range {
	x := r.Of(v)
	var path [maxFacts]*ssa.Block
	n := int32(0)
	for at := b; at != nil && n < limit; at = r.up[at.ID] {
		path[n] = at
		n++
	}
	for n--; n >= 0; n-- {
		for _, k := range r.facts[path[n].ID] {
			if k.v == v {
				x = narrow(x, k.op, r.at(k.w, path[n], depth-1))
			}
		}
	}
	return x
}

// narrow returns the part of x for which x op y can be true.
func narrow(x Range, op ssa.Op, y Range) Range {
	switch op {
	case ssa.OpEq:
		return x.meet(y)
	case ssa.OpNe:
		if n, ok := y.Const(); ok && x.Lo < x.Hi {
			if x.Lo == n {
				x.Lo++
			} else if x.Hi == n {
				x.Hi--
			}
		}
	case ssa.OpSLt:
		if y.Hi > math.MinInt64 {
			return x.meet(Range{math.MinInt64, y.Hi - 1})
		}
	case ssa.OpSLe:
		return x.meet(Range{math.MinInt64, y.Hi})
	case ssa.OpSGt:
		if y.Lo < math.MaxInt64 {
			return x.meet(Range{y.Lo + 1, math.MaxInt64})
		}
	case ssa.OpSGe:
		return x.meet(Range{y.Lo, math.MaxInt64})
	case ssa.OpULt:
		if y.Lo >= 0 && y.Hi > 0 { // as unsigned, a negative number is above all others
			return x.meet(Range{0, y.Hi - 1})
		}
	case ssa.OpULe:
		if y.Lo >= 0 {
			return x.meet(Range{0, y.Hi})
		}
	case ssa.OpUGt:
		if y.Lo >= 0 && x.Lo >= 0 && y.Lo < math.MaxInt64 {
			return x.meet(Range{y.Lo + 1, math.MaxInt64})
		}
	case ssa.OpUGe:
		if y.Lo >= 0 && x.Lo >= 0 {
			return x.meet(Range{y.Lo, math.MaxInt64})
		}
	}
	return x
}

// Decide returns the value of the integer comparison c in block b, if the
// ranges of its operands leave only one.
func (r *RangeInfo) Decide(c *ssa.Value, b *ssa.Block) (truth, ok bool) {
	if !c.Op.IsIntCompare() || !c.Args[0].Type.IsInt() {
		return false, false
	}
	return compareRanges(c.Op, r.At(c.Args[0], b), r.At(c.Args[1], b))
}

func compareRanges(op ssa.Op, x, y Range) (truth, ok bool) {
	switch op {
	case ssa.OpULt, ssa.OpULe, ssa.OpUGt, ssa.OpUGe:
		if x.Lo < 0 && x.Hi >= 0 || y.Lo < 0 && y.Hi >= 0 {
			return false, false
		}
		if (x.Lo < 0) != (y.Lo < 0) { // the negative one is the greater
			return (x.Lo < 0) == (op == ssa.OpUGt || op == ssa.OpUGe), true
		}
		op = op.Signed()
	}
	switch op {
	case ssa.OpEq, ssa.OpNe:
		n, one := x.Const()
		m, two := y.Const()
		switch {
		case one && two && n == m:
			return op == ssa.OpEq, true
		case x.Hi < y.Lo || y.Hi < x.Lo:
			return op == ssa.OpNe, true
		}
	case ssa.OpSLt:
		return x.Hi < y.Lo, x.Hi < y.Lo || x.Lo >= y.Hi
	case ssa.OpSLe:
		return x.Hi <= y.Lo, x.Hi <= y.Lo || x.Lo > y.Hi
	case ssa.OpSGt:
		return x.Lo > y.Hi, x.Lo > y.Hi || x.Hi <= y.Lo
	case ssa.OpSGe:
		return x.Lo >= y.Hi, x.Lo >= y.Hi || x.Hi < y.Lo
	}
	return false, false
}

// String returns a line for each integer whose range is not that of its type,
// with the ranges that comparisons give it in some block.
func (r *RangeInfo) String() string {
	var s strings.Builder
	for _, b := range r.f.Blocks {
		for _, v := range b.Values {
			if !v.Type.IsInt() || v.Op == ssa.OpConst {
				continue
			}
			x := r.of[v.ID]
			if x != FullRange(v.Type) {
				fmt.Fprintf(&s, "%s: %d..%d\n", v, x.Lo, x.Hi)
			}
			for _, at := range r.f.Blocks {
				for _, k := range r.facts[at.ID] {
					if y := r.At(v, at); k.v == v && y != x {
						fmt.Fprintf(&s, "%s in %s: %d..%d\n", v, at, y.Lo, y.Hi)
						break
					}
				}
			}
		}
	}
	return s.String()
}

// bitsBelow returns the interval of the values that have no bit above the
// highest of n, which is not negative.
func bitsBelow(n int64) Range {
	if k := bits.Len64(uint64(n)); k < 63 {
		return Range{0, 1<<k - 1}
	}
	return Range{0, math.MaxInt64}
}
