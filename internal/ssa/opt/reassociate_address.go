package opt

import (
	"math/bits"
	"slices"

	"irgl/internal/pass"
	"irgl/internal/ssa"
	"irgl/internal/ssa/analysis"
)

// This file is the part of global reassociation that computes addresses from
// addresses; the essay is in reassociate.go.

// An addressSharer finds addresses that are the sum of a dominating address and a
// remainder, then rewrites those for which this is cheaper.
type addressSharer struct {
	inserter
	opener
	roots rootCounts
	loops *analysis.Loops // found when there are plans
	uses  []int32         // by number; those of new values do not matter
	subst *subst

	// known numbers terms, and has the index of the last address of a sum, of those that
	// dominate the current block.
	known    *scopedTable[int32]
	marks    []int // its states on the path from the root of the dominator tree
	terms    int32 // that have a number
	seen     []seenSum
	computed *scopedTable[int32] // the index of the values that compute a term
	offsets  [][]*ssa.Value
	accessed []*ssa.Block // by value number: a block that accesses memory through the address
	plans    []addressPlan
	planned  map[term]*ssa.Block         // a block in which a plan needs a term
	inserted map[*ssa.Value][]*ssa.Value // the new values before one

	rewritten int
}

// A seenSum is an address under one of its keys.
type seenSum struct {
	v     *ssa.Value
	sum   *addressSum
	scale int64 // of the term in which the addresses of the key differ
}

// An addressPlan computes v from the address from, which dominates it, and the
// terms rest.
type addressPlan struct {
	v, from *ssa.Value
	sums    [2]*addressSum // of v and from
	rest    []term
	offsets []*ssa.Value // for each term a value that computes it, or nil
	cost    int          // twice that of the terms to be computed, less what others compute perhaps
}

// shareAddresses rewrites the addresses of f. If it rewrites any, it returns the
// number of uses that each value has now, by number, without those of dead values;
// new ones are not counted.
func shareAddresses(f *ssa.Func, dom *analysis.DomTree, r *pass.Run) []int32 {
	roots := countRoots(f)
	if roots == nil {
		return nil
	}
	s := &addressSharer{
		inserter: inserter{f: f}, opener: opener{f: f, dom: dom}, roots: roots,
		uses: analysis.UseCounts(f), known: newScopedTable[int32](f, 4*roots.total()), computed: newScopedTable[int32](f, roots.total()),
		accessed: ssa.Make[*ssa.Block](f, f.NumValues()),
	}
	dom.Walk(s.visit, s.leave)
	if len(s.plans) == 0 {
		return nil
	}
	s.loops, s.subst, s.inserted = analysis.FindLoops(f, dom), newSubst(f), make(map[*ssa.Value][]*ssa.Value)
	s.rewrite()
	r.Count("addresses", s.rewritten)
	if s.rewritten == 0 {
		return nil
	}
	s.finish()
	return s.uses
}

// visit plans the addresses of b, and records them.
func (s *addressSharer) visit(b *ssa.Block) {
	s.marks = append(s.marks, s.known.mark())
	for _, v := range b.Values {
		switch {
		case v.Op.Effects()&(ssa.Reads|ssa.Writes) != 0 && len(v.Args) > 0 && v.Args[0].Type.IsPtr():
			p := v.Args[0]
			for p.Op == ssa.OpPtrAdd && p.Args[1].Op == ssa.OpConst {
				p = p.Args[0]
			}
			if at := s.accessed[p.ID]; at == nil || !s.dom.Dominates(at, b) {
				s.accessed[p.ID] = b
			}
		case isIndexed(v) && s.uses[v.ID] > 0 && s.roots.several(v):
			s.address(v)
		}
	}
}

// leave forgets what the blocks that b dominates have computed.
func (s *addressSharer) leave(*ssa.Block) {
	last := len(s.marks) - 1
	s.known.leave(s.marks[last])
	s.marks = s.marks[:last]
}

// number returns the number of t, a new one if it has none.
func (s *addressSharer) number(t term) int32 {
	k := termKey(t)
	n, ok := s.known.find(k)
	if !ok {
		s.terms++
		n = s.terms
		s.known.put(k, n)
	}
	return n
}

// numbers returns the numbers of the terms of sum.
func (s *addressSharer) numbers(sum *addressSum) (ids [maxSummands]int32) {
	for i, t := range sum.terms {
		ids[i] = s.number(t)
	}
	return ids
}

// ofSeries returns ids, those of sum, with the number that its i-th term has in common with
// all terms that differ only in the scale.
func (s *addressSharer) ofSeries(sum *addressSum, ids [maxSummands]int32, i int) [maxSummands]int32 {
	t := sum.terms[i]
	t.scale = 0
	ids[i] = s.number(t)
	return ids
}

// termKey returns the key of a term.
func termKey(t term) key {
	k := key{op: t.ext, number: uint64(t.scale)}
	if t.x != nil {
		k.a0 = int32(t.x.ID) + 1
	}
	return k
}

// address plans v and records it.
func (s *addressSharer) address(v *ssa.Value) {
	if s.terms >= 1<<numberBits-4*maxSummands { // keys have no room for the 15 numbers that an address may need
		return
	}
	sum := s.open(v)
	ids := s.numbers(sum)
	best := s.match(v, sum, ids)
	// A sum that was not opened whole has terms that others may have divided
	// otherwise. Then its offset, as it is, may be an operand of theirs.
	var whole, parts *addressSum
	if len(sum.terms) > 1 {
		whole, parts = s.top(v)
		if sum.cut && parts != nil {
			best = cheaper(best, s.match(v, parts, s.numbers(parts)))
		}
	}
	if best != nil {
		if s.plans = append(s.plans, *best); s.planned == nil {
			s.planned = make(map[term]*ssa.Block)
		}
		for _, t := range best.rest {
			if at := s.planned[t]; at == nil || !s.dom.Dominates(at, v.Block) {
				s.planned[t] = v.Block
			}
		}
	}
	s.record(v, sum, ids)
	if whole != nil {
		s.record(v, whole, s.numbers(whole))
	}
	if t, ok := offsetTerm(v.Args[1]); ok {
		i, ok := s.computed.find(termKey(t))
		if !ok {
			i = int32(len(s.offsets))
			s.computed.put(termKey(t), i)
			s.offsets = append(s.offsets, nil)
		}
		s.offsets[i] = append(s.offsets[i], v.Args[1])
	}
}

// record makes v available under the keys of sum, whose terms have the numbers ids.
func (s *addressSharer) record(v *ssa.Value, sum *addressSum, ids [maxSummands]int32) {
	if len(sum.terms) == 0 {
		return
	}
	put := func(k key, scale int64) {
		s.known.put(k, int32(len(s.seen)))
		s.seen = append(s.seen, seenSum{v, sum, scale})
	}
	put(sum.keyWithout(ids, 0), 0)
	for i, t := range sum.terms {
		if t.x != nil && len(sum.terms) > 1 {
			put(sum.keyWithout(s.ofSeries(sum, ids, i), 0), t.scale)
		}
	}
}

// match returns the cheapest plan for v, which sum computes, or nil. ids are the numbers of
// the terms.
func (s *addressSharer) match(v *ssa.Value, sum *addressSum, ids [maxSummands]int32) *addressPlan {
	var best *addressPlan
	n := len(sum.terms)
	for out := uint(0); out < 1<<n-1; out++ { // the terms that from does not have
		if bits.OnesCount(out) > 2 {
			continue
		}
		c := s.closest(sum.keyWithout(ids, out), v, sum)
		if c == nil {
			continue
		}
		var rest []term
		for i, t := range sum.terms {
			if out>>i&1 == 1 {
				rest = append(rest, t)
			}
		}
		if best = cheaper(best, s.plan(v, sum, c, rest)); out == 0 {
			return best
		}
	}
	for i, t := range sum.terms {
		if t.x == nil || n == 1 {
			continue
		}
		if c := s.closest(sum.keyWithout(s.ofSeries(sum, ids, i), 0), v, sum); c != nil {
			t.scale -= c.scale
			best = cheaper(best, s.plan(v, sum, c, []term{t}))
		}
	}
	return best
}

// closest returns the last address that k identifies and from which v may be
// computed, or nil.
func (s *addressSharer) closest(k key, v *ssa.Value, sum *addressSum) *seenSum {
	i, ok := s.known.find(k)
	if !ok || !s.mayUse(&s.seen[i], v, sum) {
		return nil
	}
	return &s.seen[i]
}

// mayUse reports whether v may be computed from c. If c depends on a promise that
// v does not depend on, the promise must be known to be kept: by value ranges, or c was
// accessed before v. Otherwise v could become undefined where it was not.
func (s *addressSharer) mayUse(c *seenSum, v *ssa.Value, sum *addressSum) bool {
	if c.v.Type != v.Type {
		return false
	}
	for _, p := range c.sum.promised {
		if p.Type != ssa.I64 && !slices.Contains(sum.promised, p) && !s.keeps(p) {
			at := s.accessed[c.v.ID]
			return at != nil && s.dom.Dominates(at, v.Block)
		}
	}
	return true
}

// plan returns the plan that computes v from c and the terms rest; nil if v is
// computed so already.
func (s *addressSharer) plan(v *ssa.Value, sum *addressSum, c *seenSum, rest []term) *addressPlan {
	p := &addressPlan{v: v, from: c.v, sums: [2]*addressSum{sum, c.sum}, rest: rest}
	if c.v == v.Args[0] {
		return nil
	}
	for i, t := range rest {
		off := s.available(t, v)
		p.offsets = append(p.offsets, off)
		if off == nil {
			p.cost += 2 * costOfTerm(t)
			if at := s.planned[t]; at != nil && s.dom.Dominates(at, v.Block) {
				p.cost--
			}
		}
		if i > 0 {
			p.cost += 2 * costOfPtrAdd
		}
	}
	return p
}

// cheaper returns the cheaper plan, p if both cost the same.
func cheaper(p, q *addressPlan) *addressPlan {
	if p == nil || q != nil && q.cost < p.cost {
		return q
	}
	return p
}

// available returns a value that computes t and dominates v, or nil.
func (s *addressSharer) available(t term, v *ssa.Value) *ssa.Value {
	i, ok := s.computed.find(termKey(t))
	if !ok {
		return nil
	}
	list := s.offsets[i]
	for len(list) > 0 && !s.dom.Dominates(list[len(list)-1].Block, v.Block) {
		list = list[:len(list)-1]
	}
	s.offsets[i] = list
	if len(list) == 0 {
		return nil
	}
	return list[len(list)-1]
}

// offsetTerm returns the term that v, an offset, computes without any sum.
func offsetTerm(v *ssa.Value) (term, bool) {
	t := term{x: v, scale: 1}
	if v.Op == ssa.OpShl || v.Op == ssa.OpMul {
		c, ok := factor(v)
		if !ok {
			return t, false
		}
		t.x, t.scale = v.Args[0], c
	}
	if t.x.Op == ssa.OpSExt || t.x.Op == ssa.OpZExt {
		t.ext, t.x = t.x.Op, t.x.Args[0]
	}
	return t, true
}

// The costs, in 32-bit instructions of the machine. A widening multiplication is
// one, and adds its product to an address as part of it; so does a 64-bit shift,
// in the two of an addition.
const costOfPtrAdd = 2

func costOfTerm(t term) int {
	switch {
	case t.x == nil, t.ext == ssa.OpInvalid && t.scale == 1:
		return 0
	case t.ext != ssa.OpInvalid || t.scale > 0 && t.scale&(t.scale-1) == 0:
		return 1
	}
	return 3
}

// costOf returns the cost of v, which is to be removed.
func costOf(v *ssa.Value) int {
	switch {
	case v.Op == ssa.OpPtrAdd:
		return costOfPtrAdd
	case v.Op == ssa.OpShl || v.Op == ssa.OpMul && v.Args[1].Op == ssa.OpConst:
		if t, ok := offsetTerm(v); ok && v.Type == ssa.I64 {
			return max(costOfTerm(t)-costOfExt(t), 0)
		}
	case v.Op == ssa.OpSExt || v.Op == ssa.OpZExt:
		return 1
	case v.Type == ssa.I64 && v.Op == ssa.OpMul:
		return 4
	case v.Type == ssa.I64:
		return 2
	}
	return 1
}

// costOfExt is the part of a term's cost that its extension has.
func costOfExt(t term) int {
	if t.ext == ssa.OpInvalid {
		return 0
	}
	return 1
}

// scaled multiplies a cost by what it counts in b: eight times in each loop.
func (s *addressSharer) scaled(cost int, b *ssa.Block) int {
	if l := s.loops.Of(b); l != nil {
		cost <<= 3 * min(l.Depth, 4)
	}
	return cost
}

// rewrite carries out the plans that pay, the last first: what an address no
// longer needs may be needed by earlier ones alone. The addresses of one offset,
// of several arrays, are rewritten together, since only then the offset is dead.
// Each of them must save an instruction: it keeps an address live, where there
// was an offset for all.
func (s *addressSharer) rewrite() {
	groups := make(map[*ssa.Value][]int)
	for i := range s.plans {
		off := s.plans[i].v.Args[1]
		groups[off] = append(groups[off], i)
	}
	for i := len(s.plans) - 1; i >= 0; i-- {
		off := s.plans[i].v.Args[1]
		if list := groups[off]; len(list) > 0 {
			groups[off] = nil
			s.group(list)
		}
	}
}

// group rewrites the addresses of the plans if it pays.
func (s *addressSharer) group(list []int) {
	cost, saved := 0, 0
	var added, removed []*ssa.Value
	computed := make(map[term]*ssa.Block)
	for _, i := range list {
		p := &s.plans[i]
		if s.uses[p.from.ID] == 0 || s.uses[p.v.ID] == 0 {
			continue
		}
		added = append(added, p.from)
		before := cost
		for k, t := range p.rest {
			if off := p.offsets[k]; off != nil && s.uses[off.ID] > 0 {
				added = append(added, off)
				continue
			}
			p.offsets[k] = nil
			if t.x != nil {
				added = append(added, t.x)
			}
			if at := computed[t]; at == nil || !s.dom.Dominates(at, p.v.Block) {
				computed[t] = p.v.Block
				cost += s.scaled(costOfTerm(t), p.v.Block)
			}
		}
		cost += s.scaled(costOfPtrAdd*(len(p.rest)-1), p.v.Block) // it is one addition already
		if cost == before {
			cost++ // what it removes may be outside the loop
		} else {
			cost += s.scaled(1, p.v.Block)
		}
	}
	for _, v := range added {
		s.uses[v.ID]++
	}
	for _, i := range list {
		p := &s.plans[i]
		if s.uses[p.from.ID] == 0 || s.uses[p.v.ID] == 0 {
			continue
		}
		for _, a := range p.v.Args {
			saved += s.release(a, &removed, maxLinear)
		}
	}
	if saved < cost || len(added) == 0 {
		for _, v := range removed {
			s.uses[v.ID]++
		}
		for _, v := range added {
			s.uses[v.ID]--
		}
		return
	}
	for _, i := range list {
		if p := &s.plans[i]; s.uses[p.from.ID] > 0 && s.uses[p.v.ID] > 0 {
			s.apply(p)
		}
	}
}

// release removes a use of v, appends v to the log, and returns what is saved.
func (s *addressSharer) release(v *ssa.Value, log *[]*ssa.Value, depth int) int {
	if v.ID >= len(s.uses) {
		return 0 // a new value
	}
	s.uses[v.ID]--
	*log = append(*log, v)
	if s.uses[v.ID] > 0 || depth == 0 || v.Op.IsLiteral() || v.Op == ssa.OpParam || !v.Mergeable() {
		return 0
	}
	saved := s.scaled(costOf(v), v.Block)
	for _, a := range v.Args {
		saved += s.release(a, log, depth-1)
	}
	return saved
}

// weaken removes the promise of q, an operand of what computes p.v from now on, if p.v did
// not depend on it. It is a promise of i64: see mayUse.
func (p *addressPlan) weaken(q *ssa.Value) {
	if q.Type == ssa.I64 && !slices.Contains(p.sums[0].promised, q) {
		q.NoWrap = false
	}
}

// apply carries out a plan.
func (s *addressSharer) apply(p *addressPlan) {
	for _, q := range p.sums[1].promised {
		p.weaken(q)
	}
	for _, off := range p.offsets {
		if off != nil {
			p.weaken(off) // it computes its term in one operation: see offsetTerm
		}
	}
	s.rewritten++
	if len(p.rest) == 0 {
		s.uses[p.from.ID] += s.uses[p.v.ID]
		s.uses[p.v.ID] = 0
		s.subst.replace(p.v, p.from)
		return
	}
	s.at, s.out = p.v, nil
	base := p.from
	for i, t := range p.rest {
		off := p.offsets[i]
		if off == nil {
			off = s.compute(t)
		}
		if i == len(p.rest)-1 {
			reset(p.v, ssa.OpPtrAdd, base, off)
			break
		}
		base = s.make(ssa.OpPtrAdd, p.v.Type, base, off)
	}
	s.inserted[p.v] = s.out
}

// compute makes the value of t.
func (s *addressSharer) compute(t term) *ssa.Value {
	v := t.x
	switch {
	case v == nil:
		return s.int(ssa.I64, t.scale)
	case t.ext != ssa.OpInvalid:
		v = s.make(t.ext, ssa.I64, v)
	}
	return s.scale(v, t.scale)
}

// finish puts the new values into their blocks.
func (s *addressSharer) finish() {
	s.subst.apply(s.inserter.f)
	if len(s.inserted) == 0 {
		return
	}
	var list []*ssa.Value
	for _, b := range s.inserter.f.Blocks {
		list = list[:0]
		for _, v := range b.Values {
			if v.Op == ssa.OpPtrAdd {
				list = append(list, s.inserted[v]...)
			}
			list = append(list, v)
		}
		if len(list) > len(b.Values) {
			setValues(b, list)
		}
	}
}
