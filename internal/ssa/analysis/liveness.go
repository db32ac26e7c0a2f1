package analysis

import (
	"fmt"
	"slices"
	"strings"

	"irgl/internal/ssa"
)

// Liveness says which values are needed where blocks end.
type Liveness struct {
	f   *ssa.Func
	dom *DomTree
	out [][]*ssa.Value // by block number
	in  [][]*ssa.Value // the same for where blocks begin; nil but for printing
}

// maxLive bounds how many values are known to be live at one place. A thread has
// 255 registers: beyond that all that matters is that there are too many, and a
// walk that went on would take a time that grows with the square of a program
// of many variables.
const maxLive = 256

// Live returns the liveness of f's values. A phi's argument is used at the end
// of its predecessor, and a phi is defined at the start of its block: it is
// not live into it. Each value's range is walked upward from its uses, so the
// time is that of the result. Constants do not count: they are parts of the
// instructions that use them, and a loop with many would be slow to look at.
func Live(f *ssa.Func, dom *DomTree) *Liveness {
	lv := &Liveness{f: f, dom: dom, out: make([][]*ssa.Value, f.NumBlocks())}
	lv.solve()
	return lv
}

func (lv *Liveness) solve() {
	f, dom := lv.f, lv.dom
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
		if len(lv.out[b.ID]) == maxLive {
			return
		}
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
					if lv.in != nil {
						lv.in[at.ID] = append(lv.in[at.ID], v)
					}
					for _, p := range at.Preds {
						liveOut(v, p)
					}
				}
			}
		}
	}
}

// Out returns the values live where b ends, each once.
func (lv *Liveness) Out(b *ssa.Block) []*ssa.Value { return lv.out[b.ID] }

// String returns a line a block: what is live into it and out of it, by number.
func (lv *Liveness) String() string {
	n := lv.f.NumBlocks()
	all := &Liveness{f: lv.f, dom: lv.dom, out: make([][]*ssa.Value, n), in: make([][]*ssa.Value, n)}
	all.solve()
	byNumber := func(a, b *ssa.Value) int { return a.ID - b.ID }
	var s strings.Builder
	for _, b := range lv.f.Blocks {
		slices.SortFunc(all.in[b.ID], byNumber)
		slices.SortFunc(all.out[b.ID], byNumber)
		fmt.Fprintf(&s, "%s: in %v out %v\n", b, all.in[b.ID], all.out[b.ID])
	}
	return s.String()
}
