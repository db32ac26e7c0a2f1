package analysis

import (
	"fmt"
	"strings"

	"irgl/internal/ssa"
)

// A Pressure is the number of registers live at one point of a block, if every value has
// its own while it is live: 32-bit registers, predicates, and 32-bit registers of a warp
// (uniform registers, which compute capability 7.5 and later have).
type Pressure struct{ Registers, Predicates, Uniform int32 }

func (p *Pressure) add(q Pressure) {
	p.Registers += q.Registers
	p.Predicates += q.Predicates
	p.Uniform += q.Uniform
}

func (p *Pressure) sub(q Pressure) {
	p.Registers -= q.Registers
	p.Predicates -= q.Predicates
	p.Uniform -= q.Uniform
}

func (p Pressure) max(q Pressure) Pressure {
	return Pressure{max(p.Registers, q.Registers), max(p.Predicates, q.Predicates), max(p.Uniform, q.Uniform)}
}

// Registers is the estimate of the registers that ptxas will allocate for a function, and
// their limit. Passes that extend live ranges ask it for [Registers.Room], and report
// with [Registers.Add] what they have made live. It holds for the function as it was when
// it was estimated: values that are made later have a size, but are not counted.
type Registers struct {
	f      *ssa.Func
	blocks []Pressure // by block number: the maximum in the block
	flight []int32    // by block number: the registers live while the block's loads are in flight
	place  []place    // by value number
	limit  int32
	loops  *Loops
	all    bool // all values count: see CountRegisters
}

const (
	// reserved registers are used by every kernel: the stack pointer, and those in which
	// ptxas computes addresses and moves values.
	reserved = 8
	// occupancyLimit is the number of registers above which a value that could be computed
	// again costs more than it saves: with it, and the reserved ones, a multiprocessor
	// holds 32 warps, half of what it can.
	occupancyLimit = 56
	// valueLimit is the same limit where all values count ([CountRegisters]): of so many, a
	// thread keeps about occupancyLimit in registers of its own.
	valueLimit = 96
	// threadRegisters is the largest number of registers that a thread can have,
	// multiprocessorRegisters that of a multiprocessor. They are allocated in units of
	// registerUnit a thread.
	threadRegisters         = 255
	multiprocessorRegisters = 65536
	registerUnit            = 8
	warpThreads             = 32
	// ptxas orders the loads of a block before their uses as long as freeRegisters suffice:
	// up to 32, with the reserved ones, every multiprocessor holds all its warps. It
	// unrolls innermost loops of up to smallLoop blocks by loopCopies first.
	freeRegisters = 24
	smallLoop     = 6
	loopCopies    = 4
)

// EstimateRegisters estimates the registers of f, in time linear in its size and in the
// lengths of its live ranges. loops are those of f and dom.
func EstimateRegisters(f *ssa.Func, dom *DomTree, loops *Loops) *Registers {
	uses := Uses(f)
	r := &Registers{f: f, place: places(f, dom, uses), limit: RegisterLimit(f), loops: loops}
	r.count(dom, uses)
	return r
}

// CountRegisters is EstimateRegisters as if every value but a constant had registers of its
// own. What ptxas keeps elsewhere inside a loop may come to registers when it is live
// across many blocks: LICM by the estimate, with four limits from 56 to 88, made programs
// with large control kernels slower by up to 19 % (NVIDIA H200).
func CountRegisters(f *ssa.Func, dom *DomTree, loops *Loops) *Registers {
	place := ssa.Make[place](f, f.NumValues())
	for _, b := range dom.Order() {
		for _, v := range b.Values {
			place[v.ID] = ofThread(v)
		}
	}
	r := &Registers{f: f, place: place, limit: RegisterLimit(f) * valueLimit / occupancyLimit, loops: loops, all: true}
	r.count(dom, Uses(f))
	return r
}

// count computes the pressure of the blocks.
func (r *Registers) count(dom *DomTree, uses *UseLists) {
	lv := newLiveness(r.f, dom, uses, r.place)
	lv.solve()
	r.blocks, r.flight = ssa.Make[Pressure](r.f, len(lv.out)), ssa.Make[int32](r.f, len(lv.out))
	for _, b := range dom.Order() {
		r.block(lv, b)
	}
}

// block computes the pressure of b, from its end upward: a live range begins at its last
// use.
func (r *Registers) block(lv *Liveness, b *ssa.Block) {
	now := lv.out[b.ID]
	now.add(lv.lastEnd[b.ID])
	worst, loads := now, int32(0)
	for i := len(b.Values) - 1; i >= 0; i-- {
		v := b.Values[i]
		if lv.used[v.ID] {
			now.sub(lv.sizeOf(v))
		}
		now.add(lv.last[v.ID])
		worst = worst.max(now)
		if r.all {
			continue
		}
		worst.Registers = max(worst.Registers, now.Registers+expansion(v))
		switch {
		case farLoad(v):
			loads += lv.sizeOf(v).Registers
		case v.Op.Effects()&(ssa.Writes|ssa.Syncs) != 0:
			loads = 0
		}
		r.flight[b.ID] = max(r.flight[b.ID], now.Registers+loads)
	}
	r.blocks[b.ID] = worst
}

// expansion returns the registers that the instructions of an operation need for their
// intermediate results: a division, a root and a call are sequences.
func expansion(v *ssa.Value) int32 {
	wide := v.Type.Size() == 8
	switch {
	case v.Op == ssa.OpFDiv || v.Op == ssa.OpFSqrt:
		if wide {
			return 14
		}
		return 6
	case v.Op.IsDivision():
		if wide {
			return 12
		}
		return 5
	case v.Op.IsCall() || v.Op == ssa.OpPrintf:
		return 16
	}
	return 0
}

// farLoad reports whether v is a load of a long latency, which is issued early.
func farLoad(v *ssa.Value) bool {
	if v.Op != ssa.OpLoad {
		return false
	}
	t := v.Args[0].Type
	return t != ssa.PtrShared && t != ssa.PtrLocal && t != ssa.PtrParam
}

// Block returns the maximum of the pressure in b.
func (r *Registers) Block(b *ssa.Block) Pressure {
	if b.ID >= len(r.blocks) {
		return Pressure{}
	}
	return r.blocks[b.ID]
}

// Most returns the maximum of the pressure in some blocks.
func (r *Registers) Most(blocks []*ssa.Block) Pressure {
	var p Pressure
	for _, b := range blocks {
		p = p.max(r.Block(b))
	}
	return p
}

// Size returns the 32-bit registers that v occupies while it is live.
func (r *Registers) Size(v *ssa.Value) int32 {
	if v.ID < len(r.place) {
		return sizes[r.place[v.ID]].Registers
	}
	return RegistersOf(v.Type)
}

// RegistersOf returns the 32-bit registers of a value of type t that is in a register of its own.
func RegistersOf(t ssa.Type) int32 { return max(1, int32(t.Bits()/32)) }

// Limit returns the pressure up to which passes may extend live ranges.
func (r *Registers) Limit() int32 { return r.limit }

// Capacity is [RegisterCapacity] of the function.
func (r *Registers) Capacity() int32 { return RegisterCapacity(r.f) }

// RegisterLimit returns the pressure up to which passes may extend live ranges in f: beyond
// it a kernel loses occupancy, or spills under its launch bounds.
func RegisterLimit(f *ssa.Func) int32 { return min(occupancyLimit, RegisterCapacity(f)) }

// RegisterCapacity returns the pressure beyond which values are spilled in f: what a thread
// can have under the launch bounds.
func RegisterCapacity(f *ssa.Func) int32 {
	n := int32(threadRegisters)
	if f.Kernel && f.MaxThreads > 0 {
		threads := (f.MaxThreads + warpThreads - 1) / warpThreads * warpThreads * max(1, f.MinBlocks)
		n = min(n, int32(multiprocessorRegisters/threads/registerUnit*registerUnit))
	}
	return max(0, n-reserved)
}

// Room returns how many registers may become live in all of the blocks, and 0 if there are
// none left in one of them. Uniform values count: where a warp has diverged, ptxas keeps
// them in registers of the threads.
func (r *Registers) Room(blocks ...*ssa.Block) int32 {
	most := r.Most(blocks)
	return max(0, r.Limit()-most.Registers-most.Uniform)
}

// Add says that n more registers are live in all of the blocks.
func (r *Registers) Add(n int32, blocks ...*ssa.Block) {
	for _, b := range blocks {
		if b.ID < len(r.blocks) {
			r.blocks[b.ID].Registers += n
		}
	}
}

// LoadRegisters returns the registers of the results of the loads from far in the blocks,
// which are in flight at the same time where the blocks are repeated.
func LoadRegisters(blocks []*ssa.Block) int32 {
	n := int32(0)
	for _, b := range blocks {
		for _, v := range b.Values {
			if farLoad(v) {
				n += RegistersOf(v.Type)
			}
		}
	}
	return n
}

// Total returns the estimate of the registers that ptxas reports for the function.
func (r *Registers) Total() int32 {
	most, flight := int32(0), int32(0)
	for id, p := range r.blocks {
		most, flight = max(most, p.Registers), max(flight, r.flight[id])
	}
	inner := make(map[*Loop]bool)
	for _, l := range r.loops.All {
		inner[l] = true
		delete(inner, l.Parent)
	}
	for _, l := range r.loops.All {
		if !inner[l] || len(l.Blocks) > smallLoop {
			continue
		}
		once := int32(0)
		for _, b := range l.Blocks {
			once = max(once, r.flight[b.ID])
		}
		flight = max(flight, once+(loopCopies-1)*LoadRegisters(l.Blocks))
	}
	return min(threadRegisters, reserved+max(most, min(flight, freeRegisters)))
}

// String returns a line per block, and the total.
func (r *Registers) String() string {
	var s strings.Builder
	for _, b := range r.f.Blocks {
		p := r.Block(b)
		fmt.Fprintf(&s, "%s: %d registers, %d predicates, %d uniform registers\n", b, p.Registers, p.Predicates, p.Uniform)
	}
	fmt.Fprintf(&s, "estimate: %d registers; limit: %d live, spilled beyond %d\n", r.Total(), r.Limit(), r.Capacity())
	return s.String()
}
