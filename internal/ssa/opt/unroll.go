package opt

import (
	"math"

	"irgl/internal/pass"
	"irgl/internal/ssa"
	"irgl/internal/ssa/analysis"
)

// Loop unrolling.
// Source: gpucc, section 3.1; NVIDIA, section 3.4 (of all their passes, the one
// that improves most kernels).
//
// Full: a loop with a known trip count n becomes n copies of its body in sequence.
// Values that depend on the iteration become constants in each copy: addresses, and
// indexes of local arrays, which are then promoted to values.
//
//	for (i = 0; i < 4; i++) s += a[i]      s += a[0]; s += a[1]; s += a[2]; s += a[3]
//
// The trip count is computed from the induction variable, also from x to x + 4, or
// by evaluating the test iteration by iteration where it consists of constant
// operations on constants: for (d = 128; d > 0; d >>= 1), or compares pointers into one
// object: for (float x : array). A loop is fully unrolled
// when it has at most maxRounds iterations and all copies together, less what folds
// (unroll_left.go), have at most maxWhole operations; or maxWholePays, if a local array is
// indexed by the iteration, or a division is by it; or maxWholeAsked, if the source has
// #pragma unroll without a factor, or with one of at least n. Of a body that is too large to be
// unrolled by a factor, addresses that differ between iterations by a constant fold, too, unless
// it synchronises: a barrier costs more than they do.
//
// A loop over a local array whose bound has a small range is fully unrolled, too; its copies keep
// their tests (unroll_bounded.go).
//
// A loop with inner loops is fully unrolled first if the trip counts of those are
// constant in each of its iterations only; all iterations of all of them may then
// have maxNested operations.
//
// By a factor, with a remainder loop: u iterations become one while at least u are
// left.
//
//	while (i < n - 3) { 4 iterations; i += 4 }  while (i < n) { 1 iteration }
//
// The factor u is the source's, or defaultPart for an innermost loop of at most
// maxPartBody operations. If it has one block besides its test, the loads of several
// iterations are in flight together, or the test and increment are a good part of it.
// If it has branches, but none out of the loop, it must have a load: the assembler
// predicates short branches, and then moves the loads of all copies to the front. On an
// H200 a loop over edges with three dependent loads and a branch took 0.90 of its time.
// The copies need no tests; where n - 3 would wrap, the first loop executes no
// iteration. The step need not be a constant if there is a load: in a grid-stride loop
// it is the number of threads. Of a 64-bit counter it must be known to fit in 32 bits.
//
// The pass runs once more after local arrays have been promoted (unroll-outer): a loop
// whose inner loops are fully unrolled is often small only then.
//
// By a factor, with peeling: if the trip count is known, u iterations become one, of
// which only the first tests, and the remaining iterations are peeled before the
// loop. The factor is one of groupSizes that leaves no remainder, if there is one; of a loop
// without loads, the largest up to maxPart that does and whose iterations together have at
// most maxGroup operations: there is no latency to hide, so what the test and the increment
// take counts.
//
// Loops are unrolled from the innermost outward, a nest in maxNest walks over the
// function, and unrolling that the source did not ask for stops when the function
// has maxUnrolled operations.
//
// Barriers and warp operations are copied where all threads execute the same iterations. With a constant
// trip count, or one that is computed from values that are the same for all threads of a block, and no other exit all
// threads that enter execute all copies, in the order of the iterations, as before; a divergent branch inside leads
// each thread to the copy of its own iteration, as it led to the original (unroll_step.go).
//
// A loop whose loads may alias stores of later iterations is not unrolled by a factor
// unless asked: its loads would wait for the stores before them as they do in the
// loop, and four iterations in sequence without overlap are slower than one. On an
// H200 a grid's loop over two arrays in place took 0.26 ms, and unrolled 0.67. One whose
// iterations use what the one before has stored or loaded gains all the same (unroll_memory.go).
//
// The loads of all copies are issued before their results are used. So the factor is less,
// or the loop is not unrolled, where the registers of these loads would exceed the limit
// (analysis.Registers), which depends on the launch bounds. A loop over local arrays that
// would need more registers than a thread can have is not fully unrolled: as values they
// would be spilled. What the source asks for is done all the same.
//
// What it will not do: unroll by a factor what has calls, or barriers, warp operations, fences or
// volatile accesses and a trip count that may differ between threads; unroll a loop that synchronises and has
// other exits; unroll by a factor a loop whose test is not in the header; unroll
// where #pragma unroll 1 forbids it.
func unroll(m *ssa.Module, f *ssa.Func, r *pass.Run) {
	if u := unrollLoops(m, f, r); r.Remarks() {
		u.remarks()
	}
}

// unrollOuter is unroll again. What stays has its remarks from the first time.
func unrollOuter(m *ssa.Module, f *ssa.Func, r *pass.Run) { unrollLoops(m, f, r) }

func unrollLoops(m *ssa.Module, f *ssa.Func, r *pass.Run) *unroller {
	u := &unroller{m: m, f: f, run: r, made: make(map[*ssa.Block]bool)}
	for _, b := range f.Blocks {
		u.size += work(b)
	}
	// How often other loops are executed may be known only when those that count it are gone.
	for _, whole := range []bool{true, false} {
		for range maxNest {
			if !u.round(whole) {
				break
			}
		}
	}
	r.Count("whole", u.whole)
	r.Count("in part", u.part)
	return u
}

const (
	maxWhole      = 320
	maxWholePays  = 1024
	maxNested     = 1536
	maxRounds     = 64
	maxWholeAsked = 4096
	defaultPart   = 4
	maxPart       = 16
	maxPartBody   = 32
	maxReuseBody  = 64 // see reuses: many are the addresses of neighbours, which are offsets in the end
	maxGroup      = 128
	maxNest       = 4
	maxUnrolled   = 20_000
	// fewRegisters is the share of the registers that unrolling may take without an estimate
	// of how many are left.
	fewRegisters = 4
)

// groupSizes are the unroll factors tried where no iteration may remain, the best
// first.
var groupSizes = [...]int64{defaultPart, 5, 3, 6, 2}

// work is the number of operations of a block that have a cost.
func work(b *ssa.Block) int {
	n := 0
	for _, v := range b.Values {
		if v.Op != ssa.OpPhi && v.Op != ssa.OpConst && v.Op != ssa.OpFConst && v.Op != ssa.OpUndef {
			n++
		}
	}
	return n
}

// weightless is the number of operations of a block that take no instruction of the device:
// addresses at a constant distance from another, which are offsets of their accesses,
// conversions that keep the bits, and those between integers of less than 32 bits and the
// registers that hold them, of loaded values and of sums.
func weightless(b *ssa.Block) int {
	n := 0
	for _, v := range b.Values {
		switch v.Op {
		case ssa.OpPtrAdd:
			if v.Args[1].Op == ssa.OpConst {
				n++
			}
		case ssa.OpBitcast, ssa.OpSpaceCast:
			n++
		case ssa.OpSExt, ssa.OpZExt:
			if x := v.Args[0]; v.Type == ssa.I32 && (x.Type == ssa.I8 || x.Type == ssa.I16) {
				n++
			}
		case ssa.OpTrunc:
			if v.Type == ssa.I8 || v.Type == ssa.I16 {
				n++
			}
		}
	}
	return n
}

type unroller struct {
	m           *ssa.Module
	f           *ssa.Func
	run         *pass.Run
	size        int
	whole, part int
	made        map[*ssa.Block]bool // headers of loops that unrolling by a factor created or left
	// Computed when first needed in a walk over the loops.
	aliases   *analysis.Aliases
	registers *analysis.Registers
	ranges    *analysis.RangeInfo
	variance  *analysis.Variance
}

// rangesOf returns the ranges of the function's values.
func (u *unroller) rangesOf() *analysis.RangeInfo {
	if u.ranges == nil {
		u.ranges = analysis.Ranges(u.f, analysis.Dominators(u.f))
	}
	return u.ranges
}

// aliasesOf returns the aliases of the present walk.
func (u *unroller) aliasesOf() *analysis.Aliases {
	if u.aliases == nil {
		u.aliases = analysis.Alias(u.f, u.m)
	}
	return u.aliases
}

// A plan is the decision to unroll a loop.
type plan struct {
	trip   *analysis.Trip
	copies int // copies of the body: all iterations, or the factor
	whole  bool
	groups bool // the trip count is known
	// bounded says that copies is the greatest number of iterations: they keep their tests.
	bounded bool
}

// round unrolls the innermost loops, and nests of loops whose trip counts
// depend on each other; if whole is true, those alone that are fully unrolled.
func (u *unroller) round(whole bool) bool {
	f := u.f
	removeUnreachable(f)
	dom := analysis.Dominators(f)
	loops := analysis.FindLoops(f, dom)
	u.aliases, u.registers, u.ranges, u.variance = nil, nil, nil, nil // of the values before the last walk
	inner := make(map[*analysis.Loop][]*analysis.Loop)
	for _, l := range loops.All {
		inner[l.Parent] = append(inner[l.Parent], l)
	}
	var plans []*plan
	var regions [][]*ssa.Block
	taken := make(map[*analysis.Loop]bool)
	for _, l := range loops.All {
		if taken[l.Parent] || l.Header.Unroll == 1 || l.Header.Unroll == ssa.Unrolled {
			taken[l] = taken[l.Parent]
			continue
		}
		var p *plan
		if inner[l] != nil {
			p = u.nest(loops, inner, l)
		} else {
			size := u.size
			if p, _ = u.decide(loops, l); p != nil && whole && !p.whole {
				p, u.size = nil, size
			}
		}
		if p != nil {
			taken[l] = true
			plans = append(plans, p)
			regions = append(regions, l.Blocks)
		}
	}
	if len(plans) == 0 {
		return false
	}
	chosen := make([]*analysis.Loop, len(plans))
	for i, p := range plans {
		chosen[i] = p.trip.Loop
	}
	preheaders(loops, chosen)
	slots := demote(f, regions)
	for _, p := range plans {
		at := loopPos(p.trip.Loop)
		switch {
		case p.whole:
			unrollWhole(f, p)
			u.whole++
			if p.bounded {
				u.run.Applied(at, "loop is fully unrolled: at most %d iterations", p.copies)
			} else {
				u.run.Applied(at, "loop is fully unrolled: %d iterations", p.copies)
			}
		case p.groups:
			u.made[p.trip.Loop.Header] = true
			unrollGroups(f, p)
			u.part++
			u.run.Applied(at, "loop is unrolled by %d: of its %d iterations, %d are peeled", p.copies, p.trip.Count, p.trip.Count%int64(p.copies))
		default:
			u.made[p.trip.Loop.Header] = true
			u.made[unrollPart(f, p)] = true
			u.part++
			u.run.Applied(at, "loop is unrolled by %d, with a remainder loop", p.copies)
		}
	}
	removeUnreachable(f)
	promoteOnly(f, slots)
	return true
}

// decide returns the plan to unroll l, or nil and the reason why not.
func (u *unroller) decide(loops *analysis.Loops, l *analysis.Loop) (*plan, string) {
	asked := l.Header.Unroll
	if asked == 1 {
		return nil, "the source forbids it"
	}
	if asked == ssa.Unrolled {
		return nil, "it has been unrolled"
	}
	t := u.count(loops, l)
	switch {
	case t == nil:
		return nil, "it has no induction variable, or several latches"
	case hasAlloca(l.Blocks):
		return nil, "it has an alloca"
	case synchronises(l.Blocks) && !t.Only:
		return nil, "it synchronises threads and has more than one exit"
	}
	body := 0
	for _, b := range l.Blocks {
		body += work(b)
	}
	if p := u.layOut(loops, t, body); p != nil {
		return p, ""
	}
	if p := u.bounded(loops, t); p != nil {
		return p, ""
	}
	for _, b := range l.Blocks {
		body -= weightless(b)
	}
	inStep := !repeatable(l.Blocks)
	if inStep {
		if reason := u.notInStep(loops, t); reason != "" {
			return nil, u.noPart(t, body, reason)
		}
	}
	if (t.Stride != nil || len(l.Blocks) > 2) && hasAtomic(l.Blocks) {
		return nil, u.noPart(t, body, "it has an atomic, and branches or a step that is not a constant")
	}
	grouped := t.Count >= 0 && t.Exit == l.Header && t.Loop.Latches[0] != l.Header
	if !grouped && !u.partly(t) {
		return nil, u.noPart(t, body, "the remaining trip count is not known where an iteration begins")
	}
	copies, reason := u.inPart(loops, t, body)
	if inStep {
		copies, reason = u.partInStep(loops, t, body)
	}
	if copies > 0 && asked <= 0 && !inStep {
		if copies = u.fitting(loops, l, copies); copies < 2 {
			copies, reason = 0, u.text("the loads of two iterations exceed the limit of %d registers", analysis.RegisterLimit(u.f))
		}
	}
	if copies == 0 {
		return nil, u.noPart(t, body, reason)
	}
	if grouped && t.Count >= 2*int64(copies) {
		if asked <= 0 && copies == defaultPart {
			copies = groupSize(t.Count)
			for n := maxPart; n > copies && !hasLoad(l); n-- {
				if t.Count%int64(n) == 0 && t.Count >= 2*int64(n) && n*body <= maxGroup {
					copies = n
				}
			}
		}
		u.size += (copies + int(t.Count)%copies) * body
		return &plan{trip: t, copies: copies, groups: true}, ""
	}
	if !u.partly(t) {
		return nil, u.noPart(t, body, "its trip count is too small")
	}
	u.size += copies * body
	return &plan{trip: t, copies: copies}, ""
}

// groupSize returns the unroll factor for n iterations.
func groupSize(n int64) int {
	for _, size := range groupSizes {
		if n%size == 0 {
			return int(size)
		}
	}
	return defaultPart
}

// layOut returns the plan to fully unroll a loop, or nil if its trip count is unknown
// or too large. Its blocks have body operations.
func (u *unroller) layOut(loops *analysis.Loops, t *analysis.Trip, body int) *plan {
	rounds, asked := int(t.Count), t.Loop.Header.Unroll
	if t.Exit != t.Loop.Header {
		rounds++
	}
	if t.Count < 0 || rounds > maxWholeAsked || body*rounds > maxWholeAsked {
		return nil
	}
	w := u.left(loops, t.Loop)
	most := maxWhole
	if w.pays {
		most = maxWholePays
	}
	total := w.all * rounds
	if body > maxPartBody && !synchronises(t.Loop.Blocks) {
		total = w.joined(rounds)
	}
	small := asked == 0 && total <= most && rounds <= maxRounds && u.size+total <= maxUnrolled && !u.spills(loops, t.Loop)
	if !small && asked != -1 && (asked == 0 || asked < rounds) {
		return nil
	}
	u.size += total
	return &plan{trip: t, copies: int(t.Count), whole: true}
}

// inPart returns the unroll factor of a loop, or 0 and the reason why not.
func (u *unroller) inPart(loops *analysis.Loops, t *analysis.Trip, body int) (int, string) {
	l := t.Loop
	asked := l.Header.Unroll
	copies := min(asked, maxPart)
	straight, loads := len(l.Blocks) == 2, hasLoad(l)
	short := body <= maxPartBody && (loads && (straight || t.Only) || straight && t.Stride == nil)
	if asked == 0 && (short || straight && loads && body <= maxReuseBody) && u.stuck(l) {
		if short = u.reuses(loops, l); !short {
			return 0, "its loads may alias stores of other iterations"
		}
	}
	if asked == 0 && short && u.size+defaultPart*body <= maxUnrolled || asked == -1 {
		copies = defaultPart
	}
	switch {
	case copies < 2 && !straight && !loads:
		return 0, "its body has branches, and no loads"
	case copies < 2 && !straight && !t.Only:
		return 0, "its body has branches out of the loop"
	case copies < 2 && short:
		return 0, u.text("the function has grown to %d operations, and the limit is %d", u.size, maxUnrolled)
	case copies < 2 && t.Stride != nil && !loads:
		return 0, "its step is not a constant, and it has no loads"
	case copies < 2:
		return 0, u.text("its body has %d operations, and the limit is %d", body, maxPartBody)
	case copies*body > maxWholeAsked:
		return 0, u.text("%d iterations of %d operations exceed the limit of %d", copies, body, maxWholeAsked)
	}
	return copies, ""
}

// fitting returns how many iterations of l, at most copies, can have their loads in flight
// at the same time within the limit of registers. Few loads need no estimate.
func (u *unroller) fitting(loops *analysis.Loops, l *analysis.Loop, copies int) int {
	each := analysis.LoadRegisters(l.Blocks)
	if int32(copies-1)*each <= analysis.RegisterLimit(u.f)/fewRegisters {
		return copies
	}
	return min(copies, 1+int(u.estimate(loops).Room(l.Blocks...)/each))
}

// estimate returns the estimate of registers of the present walk.
func (u *unroller) estimate(loops *analysis.Loops) *analysis.Registers {
	if u.registers == nil {
		u.registers = analysis.EstimateRegisters(u.f, analysis.Dominators(u.f), loops)
	}
	return u.registers
}

// spills reports whether the local arrays of l, whose elements become values when it is fully
// unrolled, need more registers than a thread can have.
func (u *unroller) spills(loops *analysis.Loops, l *analysis.Loop) bool {
	registers := int64(0)
	seen := make(map[*ssa.Value]bool)
	for _, b := range l.Blocks {
		for _, v := range b.Values {
			if v.Op != ssa.OpLoad && v.Op != ssa.OpStore {
				continue
			}
			if a := localBase(v.Args[0]); a != nil && !seen[a] {
				seen[a] = true
				element := v.Type
				if v.Op == ssa.OpStore {
					element = v.Args[1].Type
				}
				registers += a.Int / int64(element.Size()) * int64(analysis.RegistersOf(element))
			}
		}
	}
	capacity := int64(analysis.RegisterCapacity(u.f))
	if registers <= capacity/fewRegisters {
		return false
	}
	return int64(u.estimate(loops).Most(l.Blocks).Registers)+registers > capacity
}

// stuck reports whether a load of l may read memory that an iteration of it
// stores. Loads of local arrays do not count: their latency is short.
func (u *unroller) stuck(l *analysis.Loop) bool {
	var loads, stores []*ssa.Value
	for _, b := range l.Blocks {
		for _, v := range b.Values {
			switch v.Op {
			case ssa.OpLoad:
				if localBase(v.Args[0]) == nil {
					loads = append(loads, v.Args[0])
				}
			case ssa.OpStore:
				stores = append(stores, v.Args[0])
			}
		}
	}
	if len(loads) == 0 || len(stores) == 0 {
		return false
	}
	aliases := u.aliasesOf()
	for _, p := range loads {
		for _, q := range stores {
			if aliases.MayAliasLater(p, q) {
				return true
			}
		}
	}
	return false
}

func hasLoad(l *analysis.Loop) bool {
	for _, b := range l.Blocks {
		for _, v := range b.Values {
			if v.Op == ssa.OpLoad {
				return true
			}
		}
	}
	return false
}

// partly reports whether the remaining trip count is known at the start of an
// iteration.
func (u *unroller) partly(t *analysis.Trip) bool {
	h := t.Loop.Header
	if t.IV == nil || t.Exit != h || t.Loop.Latches[0] == h || t.Tested != t.IV || t.IV.Type.Bits() < 32 {
		return false
	}
	for _, v := range h.Values { // the header is executed once more for each loop
		if v.Op.Effects()&(ssa.Writes|ssa.Volatile) != 0 {
			return false
		}
	}
	if t.Stride != nil {
		const far = int64(1) << 32 // the sum of maxPart strides does not wrap
		return (t.Stay == ssa.OpSLt || t.Stay == ssa.OpULt) && (t.IV.Type == ssa.I32 || u.rangesOf().Of(t.Stride).Within(analysis.Range{Lo: -far, Hi: far}))
	}
	limit := int64(1) << 20
	switch t.Stay {
	case ssa.OpSLt, ssa.OpULt:
		return 0 < t.Step && t.Step < limit
	case ssa.OpSGt, ssa.OpUGt:
		return -limit < t.Step && t.Step < 0
	case ssa.OpNe:
		return t.Step == 1 || t.Step == -1
	}
	return false
}

// stays returns the index among the test's successors of the one in the loop.
func stays(t *analysis.Trip) int {
	for i, s := range t.Exit.Succs {
		for _, b := range t.Loop.Blocks {
			if b == s {
				return i
			}
		}
	}
	return 0
}

// A chain is the sequence of copies of a loop's body.
type chain struct {
	f       *ssa.Func
	l       *analysis.Loop
	trip    *analysis.Trip
	latch   *ssa.Block
	back    int // the index of the latch among the header's predecessors
	stay    int
	copiers []*copier
}

func newChain(f *ssa.Func, t *analysis.Trip) *chain {
	c := &chain{f: f, l: t.Loop, trip: t, latch: t.Loop.Latches[0], stay: stays(t)}
	c.back = c.l.Header.PredIndex(c.latch)
	return c
}

// first adds a copy, without edges, of the first iteration: its header's phis are the values with which
// the loop is entered.
func (c *chain) first() *copier {
	n := newCopier(c.f)
	for _, phi := range c.l.Header.Phis() {
		n.values[phi] = phi.Args[1-c.back]
	}
	c.add(n)
	return n
}

// next adds a copy, without edges, that follows prev: its header's phis are
// the values on prev's back edge.
func (c *chain) next(prev *copier) *copier {
	n := newCopier(c.f)
	for _, phi := range c.l.Header.Phis() {
		n.values[phi] = prev.value(phi.Args[c.back])
	}
	c.add(n)
	return n
}

// add makes n's copy of the body.
func (c *chain) add(n *copier) {
	n.copyValues(c.l.Blocks)
	for _, b := range c.l.Blocks {
		if b != c.l.Header {
			n.blocks[b].Unroll = b.Unroll // of an inner loop
		}
	}
	c.copiers = append(c.copiers, n)
}

// goesTo connects the copies in sequence, and the last to header next. In all
// of them the test is replaced by a jump into the loop.
func (c *chain) goesTo(next *ssa.Block) {
	for k, n := range c.copiers {
		if k < len(c.copiers)-1 {
			c.edges(n, c.copiers[k+1].blocks[c.l.Header], true, c.stay)
			continue
		}
		c.edges(n, next, true, c.stay)
		for _, phi := range next.Phis() {
			phi.Args = append(phi.Args, n.value(phi.Args[c.back]))
		}
	}
}

// edges gives the copy n its edges. The latch leads to header next; the test,
// if known, to that side.
func (c *chain) edges(n *copier, next *ssa.Block, decided bool, side int) {
	for _, b := range c.l.Blocks {
		nb := n.blocks[b]
		for i, s := range b.Succs {
			switch {
			case decided && b == c.trip.Exit && i != side:
			case b == c.latch && s == c.l.Header:
				nb.AddEdge(next)
			case n.blocks[s] != nil:
				// Within the copy the phis have their arguments already, in the order of the
				// original's predecessors.
				nb.Succs = append(nb.Succs, n.blocks[s])
			default:
				n.addEdgeLike(nb, b, i, s)
			}
		}
		if decided && b == c.trip.Exit {
			nb.Kind, nb.Ctrl, nb.Uniform = ssa.BlockJump, nil, false
		}
	}
	for _, b := range c.l.Blocks {
		if b == c.l.Header {
			continue
		}
		nb := n.blocks[b]
		for i := 0; i < len(b.Preds); i++ {
			p := b.Preds[i]
			if decided && p == c.trip.Exit && p.Succs[side] != b {
				// The edge is removed: the phis lose its argument.
				k := len(nb.Preds)
				for _, v := range nb.Values {
					if v.Op != ssa.OpPhi {
						break
					}
					v.Args = append(v.Args[:k], v.Args[k+1:]...)
				}
				continue
			}
			nb.Preds = append(nb.Preds, n.blocks[p])
		}
	}
}

// unrollWhole unrolls a loop fully. The original becomes the first iteration.
func unrollWhole(f *ssa.Func, p *plan) {
	c := newChain(f, p.trip)
	h := c.l.Header
	first := newCopier(f)
	prev := first
	for range p.copies {
		prev = c.next(prev)
	}
	for k, n := range c.copiers {
		last := k == len(c.copiers)-1
		side, next := c.stay, n.blocks[h] // the back edge of the last copy is never taken
		if last {
			side = 1 - c.stay
		} else {
			next = c.copiers[k+1].blocks[h]
		}
		c.edges(n, next, last || !p.bounded, side)
	}
	// The original: its latch leads to the first copy.
	if p.copies > 0 {
		for i, s := range c.latch.Succs {
			if s == h {
				c.latch.Succs[i] = c.copiers[0].blocks[h]
				break
			}
		}
		to := c.copiers[0].blocks[h]
		to.Preds = append([]*ssa.Block{c.latch}, to.Preds...)
		removePred(h, c.back)
		if !p.bounded {
			removeEdge(c.trip.Exit, 1-c.stay)
		}
	} else {
		removeEdge(c.trip.Exit, c.stay)
	}
	h.Unroll = 0
}

// unrollGroups makes p.copies iterations of a loop one. The original is the first of
// them, and keeps its test. The remaining iterations are peeled before the loop.
func unrollGroups(f *ssa.Func, p *plan) {
	if over := int(p.trip.Count) % p.copies; over > 0 {
		peel(f, p.trip, over)
	}
	c := newChain(f, p.trip)
	h := c.l.Header
	prev := newCopier(f)
	for range p.copies - 1 {
		prev = c.next(prev)
	}
	c.goesTo(h)
	first := c.copiers[0].blocks[h]
	for i, s := range c.latch.Succs {
		if s == h {
			c.latch.Succs[i] = first
			break
		}
	}
	first.Preds = []*ssa.Block{c.latch}
	removePred(h, c.back)
	h.Unroll = ssa.Unrolled
}

// peel peels the given number of iterations of a loop.
func peel(f *ssa.Func, t *analysis.Trip, rounds int) {
	c := newChain(f, t)
	h, n := c.l.Header, c.first()
	for range rounds - 1 {
		n = c.next(n)
	}
	c.goesTo(h)
	c.startAt(c.copiers[0].blocks[h])
}

// startAt lets the loop begin at first, the header of a copy, which leads to the loop.
func (c *chain) startAt(first *ssa.Block) {
	h, enter := c.l.Header, 1-c.back
	before := h.Preds[enter]
	for i, s := range before.Succs {
		if s == h {
			before.Succs[i] = first
			break
		}
	}
	first.Preds = []*ssa.Block{before}
	removePred(h, enter)
}

// unrollPart inserts a loop of p.copies iterations before the loop and returns
// its header.
func unrollPart(f *ssa.Func, p *plan) *ssa.Block {
	c := newChain(f, p.trip)
	t, h := p.trip, c.l.Header
	enter := 1 - c.back
	// The new loop's header has its own phis.
	n := newCopier(f)
	n.copyValues(c.l.Blocks)
	c.copiers = append(c.copiers, n)
	prev := n
	for range p.copies - 1 {
		prev = c.next(prev)
	}
	head := n.blocks[h]
	before := h.Preds[enter]
	for i, s := range before.Succs {
		if s == h {
			before.Succs[i] = head
			break
		}
	}
	head.Preds = []*ssa.Block{before}
	for k, m := range c.copiers {
		next := head
		if k < len(c.copiers)-1 {
			next = c.copiers[k+1].blocks[h]
		}
		if k > 0 {
			c.edges(m, next, true, c.stay)
			continue
		}
		c.edges(m, next, false, 0)
	}
	for _, phi := range h.Phis() {
		head := n.values[phi]
		head.Args = []*ssa.Value{phi.Args[enter], prev.value(phi.Args[c.back])}
		phi.Args[enter] = head // the loop continues where the new one ends
	}
	// The new header exits to the old one, not out of the loop, when too few
	// iterations remain.
	out := head.Succs[1-c.stay]
	removePred(out, edgeIndex(head, 1-c.stay))
	head.Succs[1-c.stay] = h
	h.Preds[enter] = head
	c.strengthen(head, n, p.copies, t)
	head.Unroll, h.Unroll = ssa.Unrolled, 1
	return head
}

// strengthen makes head's test require that so many iterations remain: the last
// of them must still pass the test. For i < n and an offset of k to that
// iteration, the test becomes i < max(n, least+k) - k: the subtraction does not
// wrap, its result is loop-invariant, and range analysis sees that i+k does not
// wrap either.
func (c *chain) strengthen(head *ssa.Block, n *copier, rounds int, t *analysis.Trip) {
	iv, bound := n.value(t.IV), n.value(t.Bound)
	pos := head.Ctrl.Pos
	add := func(op ssa.Op, typ ssa.Type, args ...*ssa.Value) *ssa.Value {
		v := head.Append(op, typ, args...)
		v.Pos = pos
		return v
	}
	number := func(x int64) *ssa.Value {
		v := add(ssa.OpConst, iv.Type)
		v.Int = ssa.SignExtend(iv.Type, x)
		return v
	}
	if t.Stride != nil {
		c.strengthenStride(head, iv, bound, n.value(t.Stride), rounds, add)
		return
	}
	full := analysis.FullRange(iv.Type)
	k := int64(rounds-1) * t.Step // negative when the loop counts down
	limit := func(op ssa.Op, end int64) *ssa.Value {
		return add(ssa.OpSub, iv.Type, add(op, iv.Type, bound, number(end)), number(k))
	}
	switch t.Stay {
	case ssa.OpSLt:
		head.Ctrl = add(t.Stay, ssa.I1, iv, limit(ssa.OpSMax, full.Lo+k))
	case ssa.OpULt:
		head.Ctrl = add(t.Stay, ssa.I1, iv, limit(ssa.OpUMax, k))
	case ssa.OpSGt:
		head.Ctrl = add(t.Stay, ssa.I1, iv, limit(ssa.OpSMin, full.Hi+k))
	case ssa.OpUGt:
		head.Ctrl = add(t.Stay, ssa.I1, iv, limit(ssa.OpUMin, -1+k))
	default:
		// n-i iterations remain, counted as unsigned.
		from, to := iv, bound
		if k < 0 {
			from, to, k = bound, iv, -k
		}
		head.Ctrl = add(ssa.OpUGt, ssa.I1, add(ssa.OpSub, iv.Type, to, from), number(k))
	}
	c.orient(head, add)
}

// orient negates the test of a loop that exits where it is true.
func (c *chain) orient(head *ssa.Block, add func(ssa.Op, ssa.Type, ...*ssa.Value) *ssa.Value) {
	if c.stay == 1 {
		head.Ctrl = add(ssa.OpNot, ssa.I1, head.Ctrl)
	}
}

// strengthenStride is strengthen for i < n and an unknown stride. In 64 bits, i is less
// than n minus the strides of all iterations but one if the stride is not negative;
// otherwise the test is false. Of a 64-bit counter the difference is taken from a bound that
// is at least as much above the least value: it does not wrap.
func (c *chain) strengthenStride(head *ssa.Block, iv, bound, stride *ssa.Value, rounds int, add func(ssa.Op, ssa.Type, ...*ssa.Value) *ssa.Value) {
	number := func(t ssa.Type, x int64) *ssa.Value {
		v := add(ssa.OpConst, t)
		v.Int = x
		return v
	}
	unsigned, narrow := c.trip.Stay == ssa.OpULt, iv.Type == ssa.I32
	wide := func(v *ssa.Value) *ssa.Value {
		switch {
		case !narrow:
			return v
		case unsigned:
			return add(ssa.OpZExt, ssa.I64, v)
		}
		return add(ssa.OpSExt, ssa.I64, v)
	}
	span := add(ssa.OpMul, ssa.I64, wide(stride), number(ssa.I64, int64(rounds-1)))
	limit, least, test := wide(bound), int64(math.MinInt64), ssa.OpSLt
	switch {
	case !narrow && unsigned:
		limit, least, test = add(ssa.OpUMax, ssa.I64, limit, span), 0, ssa.OpULt
	case !narrow:
		limit = add(ssa.OpSMax, ssa.I64, limit, add(ssa.OpAdd, ssa.I64, span, number(ssa.I64, least)))
	}
	limit = add(ssa.OpSub, ssa.I64, limit, span)
	if !narrow || !unsigned {
		forward := add(ssa.OpSGe, ssa.I1, stride, number(stride.Type, 0))
		limit = add(ssa.OpSelect, ssa.I64, forward, limit, number(ssa.I64, least))
	}
	head.Ctrl = add(test, ssa.I1, wide(iv), limit)
	c.orient(head, add)
}
