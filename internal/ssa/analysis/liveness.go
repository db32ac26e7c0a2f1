package analysis

import (
	"fmt"
	"slices"
	"strings"

	"irgl/internal/ssa"
)

// Liveness says which values are needed where blocks begin and end.
type Liveness struct {
	f       *ssa.Func
	in, out [][]*ssa.Value // by block number, in the order of value numbers
}

// Live returns the liveness of f's values. A phi's argument is used at the end
// of its predecessor, and a phi is defined at the start of its block: it is
// not live into it. Each value's range is walked upward from its uses, so the
// time is that of the result. Constants do not count: they are parts of the
// instructions that use them, and a loop with many would be slow to look at.
func Live(f *ssa.Func, dom *DomTree) *Liveness {
	lv := &Liveness{f: f, in: make([][]*ssa.Value, f.NumBlocks()), out: make([][]*ssa.Value, f.NumBlocks())}
	// The value last found live at the start or end of a block: a value's
	// uses are walked together, so one mark a block is enough.
	lastIn := make([]*ssa.Value, f.NumBlocks())
	lastOut := make([]*ssa.Value, f.NumBlocks())
	uses := Uses(f)
	var work []*ssa.Block
	liveOut := func(v *ssa.Value, b *ssa.Block) {
		if !dom.Reaches(b) || lastOut[b.ID] == v {
			return
		}
		lastOut[b.ID] = v
		lv.out[b.ID] = append(lv.out[b.ID], v)
		if v.Block != b {
			work = append(work, b)
		}
	}
	for _, b := range dom.Order() {
		for _, v := range b.Values {
			if v.Op == ssa.OpConst || v.Op == ssa.OpFConst || v.Op == ssa.OpUndef {
				continue
			}
			for _, use := range uses.Of(v) {
				switch {
				case !dom.Reaches(use.Block):
				case use.User != nil && use.User.Op == ssa.OpPhi:
					liveOut(v, use.Block.Preds[use.Index])
				case use.Block != b:
					work = append(work, use.Block)
				}
				for len(work) > 0 {
					at := work[len(work)-1]
					work = work[:len(work)-1]
					if lastIn[at.ID] == v {
						continue
					}
					lastIn[at.ID] = v
					lv.in[at.ID] = append(lv.in[at.ID], v)
					for _, p := range at.Preds {
						liveOut(v, p)
					}
				}
			}
		}
	}
	byNumber := func(a, b *ssa.Value) int { return a.ID - b.ID }
	for _, b := range dom.Order() {
		slices.SortFunc(lv.in[b.ID], byNumber)
		slices.SortFunc(lv.out[b.ID], byNumber)
	}
	return lv
}

// Out returns the values live where b ends, by number.
func (lv *Liveness) Out(b *ssa.Block) []*ssa.Value { return lv.out[b.ID] }

// String returns a line a block: what is live into it and out of it.
func (lv *Liveness) String() string {
	var s strings.Builder
	for _, b := range lv.f.Blocks {
		fmt.Fprintf(&s, "%s: in %v out %v\n", b, lv.in[b.ID], lv.out[b.ID])
	}
	return s.String()
}
