package analysis

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"irgl/internal/ssa"
)

// Liveness holds register pressure and last uses, not the sets of live
// values, whose size is the product of the numbers of blocks and values: it
// has what [EstimateRegisters] needs.
type Liveness struct {
	f     *ssa.Func
	dom   *DomTree
	uses  *UseLists
	place []place // by value number

	out   []Pressure // by block number: the pressure of its live-out set
	count []int32    // by block number: the size of its live-out set
	// By value number: those of the value's arguments that are last used there,
	// and the same for the ends of blocks.
	last    []Pressure
	lastEnd []Pressure
	used    []bool // by value number: live after the current point of the block

	// The current group of values.
	kept    [numPlaces]uint64 // the values in each place
	state   []groupState      // by block number
	touched []*ssa.Block      // the blocks with a state
	work    []*ssa.Block      // the blocks whose pending set is not empty

	// The live sets, by block number: for printing only.
	in, outs [][]*ssa.Value
}

// Values are processed in groups of 64, as bits of a word: values that are
// defined close together are mostly live in the same blocks, so one walk over
// these serves all of them.
const groupSize = 64

// A groupState is the state of a block for a group of values.
type groupState struct {
	own     uint64 // defined in the block
	in, out uint64 // known to be live-in and live-out
	listed  uint64 // the values of out that are within maxLive
	pending uint64 // the values of in not yet propagated to predecessors
}

// maxLive bounds the values tracked as live at one point. A thread has 255
// registers: beyond that it only matters that there are too many, and tracking
// all would take time quadratic in the size of a program with many variables.
const maxLive = 256

// Live returns the liveness of f's values. A phi's argument is used at the end of
// its predecessor, and a phi is defined at the start of its block: it is not
// live-in there. Live ranges are walked upward from uses, so the time is at most
// the size of the result. Constants do not count: they become immediate operands,
// and a loop with many of them would be slow to process.
func Live(f *ssa.Func, dom *DomTree) *Liveness {
	uses := Uses(f)
	lv := newLiveness(f, dom, uses, places(f, dom, uses))
	lv.solve()
	return lv
}

func newLiveness(f *ssa.Func, dom *DomTree, uses *UseLists, place []place) *Liveness {
	blocks, values := f.NumBlocks(), f.NumValues()
	perBlock := ssa.Make[Pressure](f, 2*blocks)
	return &Liveness{
		f: f, dom: dom, uses: uses, place: place,
		out: perBlock[:blocks], lastEnd: perBlock[blocks:], count: ssa.Make[int32](f, blocks),
		last: ssa.Make[Pressure](f, values), used: ssa.Make[bool](f, values),
		state: ssa.Make[groupState](f, blocks),
	}
}

func (lv *Liveness) solve() {
	group := make([]*ssa.Value, 0, groupSize)
	for _, b := range lv.dom.Order() {
		for _, v := range b.Values {
			if lv.place[v.ID] == nowhere {
				continue
			}
			if group = append(group, v); len(group) == groupSize {
				lv.walk(group)
				group = group[:0]
			}
		}
	}
	lv.walk(group)
}

// walk propagates from the uses of the values up to their definitions.
func (lv *Liveness) walk(group []*ssa.Value) {
	lv.kept = [numPlaces]uint64{}
	for i, v := range group {
		lv.touch(v.Block)
		lv.state[v.Block.ID].own |= 1 << i
		lv.kept[lv.place[v.ID]] |= 1 << i
	}
	for i, v := range group {
		for _, use := range lv.uses.Of(v) {
			switch {
			case !lv.dom.Reaches(use.Block):
			case use.User != nil && use.User.Op == ssa.OpPhi:
				lv.liveOut(use.Block.Preds[use.Index], 1<<i)
			case use.Block != v.Block:
				lv.liveIn(use.Block, 1<<i)
			}
		}
	}
	for len(lv.work) > 0 {
		b := lv.work[len(lv.work)-1]
		lv.work = lv.work[:len(lv.work)-1]
		s := &lv.state[b.ID]
		set := s.pending
		s.pending = 0
		for _, p := range b.Preds {
			lv.liveOut(p, set)
		}
	}
	if lv.in != nil {
		lv.list(group)
	}
	for i, v := range group {
		lv.ends(v, 1<<i)
	}
	for _, b := range lv.touched {
		lv.state[b.ID] = groupState{}
	}
	lv.touched = lv.touched[:0]
}

// touch registers the state of b.
func (lv *Liveness) touch(b *ssa.Block) {
	if s := &lv.state[b.ID]; s.own|s.in|s.out|s.listed == 0 {
		lv.touched = append(lv.touched, b)
	}
}

// liveIn adds the values of set to b's live-in set.
func (lv *Liveness) liveIn(b *ssa.Block, set uint64) {
	lv.touch(b)
	s := &lv.state[b.ID]
	set &^= s.in
	if set != 0 && s.pending == 0 {
		lv.work = append(lv.work, b)
	}
	s.in |= set
	s.pending |= set
}

// liveOut adds the values of set to b's live-out set; those not defined in b are
// also live-in.
func (lv *Liveness) liveOut(b *ssa.Block, set uint64) {
	s := &lv.state[b.ID]
	set &^= s.out
	if set == 0 || !lv.dom.Reaches(b) {
		return
	}
	lv.touch(b)
	s.out |= set
	room := maxLive - int(lv.count[b.ID])
	for bits.OnesCount64(set) > room { // drop the last ones
		set &^= 1 << (63 - bits.LeadingZeros64(set))
	}
	lv.count[b.ID] += int32(bits.OnesCount64(set))
	lv.out[b.ID].add(Pressure{
		Registers:  int32(bits.OnesCount64(set&lv.kept[single]) + 2*bits.OnesCount64(set&lv.kept[double])),
		Predicates: int32(bits.OnesCount64(set & lv.kept[predicate])),
		Uniform:    int32(bits.OnesCount64(set&lv.kept[uniformSingle]) + 2*bits.OnesCount64(set&lv.kept[uniformDouble])),
	})
	s.listed |= set
	if set &^= s.own; set != 0 {
		lv.liveIn(b, set)
	}
}

// list records the sets of live values of all blocks.
func (lv *Liveness) list(group []*ssa.Value) {
	for _, b := range lv.touched {
		s := &lv.state[b.ID]
		for i, v := range group {
			if s.in>>i&1 != 0 {
				lv.in[b.ID] = append(lv.in[b.ID], v)
			}
			if s.listed>>i&1 != 0 {
				lv.outs[b.ID] = append(lv.outs[b.ID], v)
			}
		}
	}
}

// ends finds the last use of v, whose bit is bit, in each block where it is
// not live-out. The uses are in program order.
func (lv *Liveness) ends(v *ssa.Value, bit uint64) {
	size := lv.sizeOf(v)
	for _, use := range slices.Backward(lv.uses.Of(v)) {
		if use.User != nil && use.User.Op == ssa.OpPhi || lv.state[use.Block.ID].listed&bit != 0 {
			continue
		}
		lv.touch(use.Block)
		lv.state[use.Block.ID].listed |= bit
		if use.User == nil {
			lv.lastEnd[use.Block.ID].add(size)
		} else {
			lv.last[use.User.ID].add(size)
		}
	}
	lv.used[v.ID] = lv.state[v.Block.ID].listed&bit != 0
}

// sizeOf returns what v occupies while it is live.
func (lv *Liveness) sizeOf(v *ssa.Value) Pressure { return sizes[lv.place[v.ID]] }

// String returns a line per block: its live-in and live-out sets, by number, without
// constants.
func (lv *Liveness) String() string {
	all := newLiveness(lv.f, lv.dom, lv.uses, make([]place, len(lv.place)))
	for _, b := range lv.f.Blocks {
		for _, v := range b.Values {
			all.place[v.ID] = single // wherever it is kept
			if v.Op.IsLiteral() || v.Op == ssa.OpUndef || v.Type == ssa.Void {
				all.place[v.ID] = nowhere
			}
		}
	}
	all.in, all.outs = make([][]*ssa.Value, len(lv.out)), make([][]*ssa.Value, len(lv.out))
	all.solve()
	byNumber := func(a, b *ssa.Value) int { return a.ID - b.ID }
	var s strings.Builder
	for _, b := range lv.f.Blocks {
		slices.SortFunc(all.in[b.ID], byNumber)
		slices.SortFunc(all.outs[b.ID], byNumber)
		fmt.Fprintf(&s, "%s: in %v out %v\n", b, all.in[b.ID], all.outs[b.ID])
	}
	return s.String()
}
