package analysis

import (
	"fmt"
	"strings"

	"irgl/internal/ssa"
)

// Variance holds which values may differ between the threads of a warp that
// compute them together, and which branches may therefore diverge.
type Variance struct {
	f         *ssa.Func
	variant   []bool // by value number
	divergent []bool // by block number: the threads of a warp may diverge at its branch
	influence []bool // by block number: a warp may execute it with some threads inactive
}

// maxInfluence bounds the walks over the influence regions of divergent
// branches, as a multiple of the number of blocks. A function that exceeds
// it (a long chain of conditional returns does) counts as divergent
// everywhere.
const maxInfluence = 64

// Vary computes variance with the algorithm of the NVIDIA paper, section 3.2. All values
// are assumed uniform except the sources of variance (the thread's index in its block,
// results of atomics, loads of memory that others may write). Variance propagates along
// uses and control dependences: a phi varies where paths reconverge that a divergent
// branch has separated, and so does a value that is live out of a loop which threads may
// leave in different iterations. A function that is not a kernel may be called by some
// threads only and with any arguments, so its parameters vary.
func Vary(f *ssa.Func, dom *DomTree) *Variance { return VaryWith(f, dom, FindLoops(f, dom), Uses(f)) }

// VaryWith is [Vary] for callers that have the loops and the uses of f.
func VaryWith(f *ssa.Func, dom *DomTree, loops *Loops, uses *UseLists) *Variance {
	va := &Variance{f: f, variant: ssa.Make[bool](f, f.NumValues()), divergent: ssa.Make[bool](f, f.NumBlocks()), influence: ssa.Make[bool](f, f.NumBlocks())}
	w := &varier{
		Variance: va, dom: dom, post: PostDominators(f), loops: loops, uses: uses,
		budget: maxInfluence * (len(f.Blocks) + 1), mark: ssa.Make[*ssa.Block](f, f.NumBlocks()), phisVary: ssa.Make[bool](f, f.NumBlocks()),
	}
	if len(w.loops.Irreducible) > 0 {
		w.giveUp()
		return va
	}
	for _, b := range dom.Order() {
		for _, v := range b.Values {
			if w.source(v) {
				w.vary(v)
			}
		}
	}
	w.run()
	return va
}

type varier struct {
	*Variance
	dom, post *DomTree
	loops     *Loops
	uses      *UseLists
	work      []*ssa.Value
	budget    int
	mark      []*ssa.Block // by block number: the branch whose walk visited it last
	phisVary  []bool       // by block number
}

// giveUp marks everything as varying.
func (w *varier) giveUp() {
	for i := range w.variant {
		w.variant[i] = true
	}
	for _, b := range w.f.Blocks {
		w.divergent[b.ID] = b.Kind == ssa.BlockIf
		w.influence[b.ID] = true
	}
	w.work = nil
}

// source reports whether v is a source of variance.
func (w *varier) source(v *ssa.Value) bool {
	switch v.Op {
	case ssa.OpSpecial:
		register, _ := v.Sym.(ssa.Register)
		return !uniformRegister(register)
	case ssa.OpParam:
		return !w.f.Kernel
	case ssa.OpLoad:
		t := v.Args[0].Type
		return v.Mem.Volatile || !v.Mem.ReadOnly && t != ssa.PtrConst && t != ssa.PtrParam
	case ssa.OpBallot, ssa.OpVoteAny, ssa.OpVoteAll, ssa.OpBarrierRed:
		// All participating threads get the same result; but parts of a warp may
		// execute a warp operation one after the other.
		return v.Op != ssa.OpBarrierRed
	case ssa.OpAlloca:
		return false // each thread has its own memory at the same address
	case ssa.OpUndef:
		return false // one value may be chosen for all threads
	}
	return v.Op.IsAsm() || v.Op == ssa.OpAsmResult || v.Op.Effects()&(ssa.Reads|ssa.Writes|ssa.Syncs) != 0
}

// uniformRegister reports whether all threads of a warp read the same.
func uniformRegister(r ssa.Register) bool {
	switch name, _ := r.Split(); name {
	case "ntid", "ctaid", "nctaid", "nwarpid", "nsmid", "gridid",
		"cluster_ctarank", "cluster_nctarank", "cluster_ctaid", "cluster_nctaid", "clusterid", "nclusterid":
		return true
	}
	return false
}

func (w *varier) vary(v *ssa.Value) {
	if !w.variant[v.ID] {
		w.variant[v.ID] = true
		w.work = append(w.work, v)
	}
}

func (w *varier) run() {
	for len(w.work) > 0 {
		v := w.work[len(w.work)-1]
		w.work = w.work[:len(w.work)-1]
		for _, use := range w.uses.Of(v) {
			switch {
			case use.User != nil:
				w.vary(use.User)
			case use.Block.Kind == ssa.BlockIf:
				w.diverge(use.Block)
			}
		}
	}
}

// diverge propagates along control dependences from b, whose branch may
// diverge: to all blocks between it and its reconvergence point.
func (w *varier) diverge(b *ssa.Block) {
	if w.divergent[b.ID] || !w.dom.Reaches(b) {
		return
	}
	w.divergent[b.ID] = true
	end := w.post.Idom(b)
	work := append([]*ssa.Block(nil), b.Succs...)
	for len(work) > 0 {
		at := work[len(work)-1]
		work = work[:len(work)-1]
		if w.mark[at.ID] == b {
			continue
		}
		if w.budget--; w.budget < 0 {
			w.giveUp()
			return
		}
		w.mark[at.ID] = b
		if len(at.Preds) > 1 && !w.phisVary[at.ID] {
			w.phisVary[at.ID] = true
			for _, phi := range at.Phis() {
				w.vary(phi)
			}
		}
		if at != end {
			w.influence[at.ID] = true
			work = append(work, at.Succs...)
		}
	}
	// Threads that leave a loop in different iterations have different values.
	for l := w.loops.Of(b); l != nil; l = l.Parent {
		if end != nil && w.loops.Contains(l, end) {
			break
		}
		for _, in := range l.Blocks {
			if w.budget--; w.budget < 0 {
				w.giveUp()
				return
			}
			for _, v := range in.Values {
				w.leaves(v, l)
			}
		}
	}
}

// leaves marks the users of v outside of l as varying.
func (w *varier) leaves(v *ssa.Value, l *Loop) {
	for _, use := range w.uses.Of(v) {
		at := use.Block
		if use.User != nil && use.User.Op == ssa.OpPhi {
			at = use.Block.Preds[use.Index]
		}
		if w.loops.Contains(l, at) && (use.User == nil || w.loops.Contains(l, use.Block)) {
			continue
		}
		if use.User != nil {
			w.vary(use.User)
		} else if use.Block.Kind == ssa.BlockIf {
			w.diverge(use.Block)
		}
	}
}

// Divergent reports whether threads that execute b's branch together may take
// different edges.
func (va *Variance) Divergent(b *ssa.Block) bool { return va.divergent[b.ID] }

// Partial reports whether a warp may execute b with some of its threads inactive.
func (va *Variance) Partial(b *ssa.Block) bool { return va.influence[b.ID] }

// String returns a line per block: its varying values, and whether it is
// executed by part of a warp or diverges.
func (va *Variance) String() string {
	var s strings.Builder
	for _, b := range va.f.Blocks {
		fmt.Fprintf(&s, "%s:", b)
		for _, v := range b.Values {
			if v.Type != ssa.Void && va.variant[v.ID] {
				fmt.Fprintf(&s, " %s", v)
			}
		}
		if va.influence[b.ID] {
			s.WriteString(" partial")
		}
		if va.divergent[b.ID] {
			s.WriteString(" divergent")
		}
		s.WriteByte('\n')
	}
	return s.String()
}
