package ptxgen

import (
	"irgl/internal/ptx"
	"irgl/internal/source"
	"irgl/internal/ssa"
)

// A vreg is a virtual register, from 1; 0 means no register. Operands carry it
// in Bits until names are assigned.
type vreg int32

// A class is a kind of register.
type class uint8

const (
	clsPred class = iota
	cls32
	cls64
	clsF32
	clsF64
	cls16 // operands of inline PTX alone
	numClasses
)

// classInfo gives each class its name prefix, the type of its declaration and
// the type suffix of untyped instructions.
var classInfo = [numClasses]struct {
	prefix string
	decl   ptx.Type
	bits   string
}{
	clsPred: {"%p", "pred", "pred"},
	cls32:   {"%r", "b32", "b32"},
	cls64:   {"%rd", "b64", "b64"},
	clsF32:  {"%f", "f32", "f32"},
	clsF64:  {"%fd", "f64", "f64"},
	cls16:   {"%rs", "b16", "b16"},
}

// classOf returns the register class of values of type t.
func classOf(t ssa.Type) class {
	switch t {
	case ssa.I1:
		return clsPred
	case ssa.I8, ssa.I16, ssa.I32:
		return cls32
	case ssa.F32:
		return clsF32
	case ssa.F64:
		return clsF64
	}
	return cls64
}

// An minst is a machine instruction: PTX over virtual registers, or another
// statement between instructions.
type minst struct {
	inst   *ptx.Inst
	guard  vreg     // of a branch
	def    bool     // the first operand is written
	copy   bool     // a register copy that coalescing may remove
	decl   ptx.Stmt // a variable or a prototype
	pos    source.Pos
	align  int64 // of the memory that a load or store accesses
	opens  bool  // opens a scope
	closes bool  // closes a scope
	asm    *inline
}

// An mblock is a block of machine instructions and how it ends.
type mblock struct {
	kind    ssa.BlockKind
	ins     []minst
	pred    vreg // of a BlockIf
	predNot bool
	succs   []*mblock
	uniform bool
	rolled  bool      // the header of a loop that ptxas is not to unroll
	edges   []*mblock // blocks on the edges out of this one, placed after it
	label   string
	index   int
}

// jumpsOnly reports whether b contains only a jump.
func (b *mblock) jumpsOnly() bool { return len(b.ins) == 0 && b.kind == ssa.BlockJump }

// reg and mem make operands over virtual registers.
func reg(v vreg) ptx.Operand { return ptx.Operand{Kind: ptx.KindReg, Bits: uint64(v)} }
func mem(v vreg, off int64) ptx.Operand {
	return ptx.Operand{Kind: ptx.KindMem, Bits: uint64(v), Int: off}
}

// vregs calls f with each virtual register of o, which f may replace.
func vregs(o *ptx.Operand, f func(vreg) vreg) {
	switch o.Kind {
	case ptx.KindReg, ptx.KindMem:
		if o.Name == "" && o.Bits != 0 {
			o.Bits = uint64(f(vreg(o.Bits)))
		}
	case ptx.KindVector, ptx.KindPair, ptx.KindList:
		for i := range o.List {
			vregs(&o.List[i], f)
		}
	}
}

// uses calls f with each register that in reads.
func (in *minst) uses(f func(vreg)) {
	if in.inst == nil {
		return
	}
	for i := range in.inst.Args {
		if i == 0 && in.def {
			continue
		}
		vregs(&in.inst.Args[i], func(v vreg) vreg { f(v); return v })
	}
}

// defines returns the registers that in writes, 0 for none.
func (in *minst) defines() [2]vreg {
	var d [2]vreg
	if in.inst == nil || !in.def {
		return d
	}
	switch o := &in.inst.Args[0]; o.Kind {
	case ptx.KindReg:
		d[0] = vreg(o.Bits)
	case ptx.KindVector: // the halves of 64 bits
		d[0], d[1] = vreg(o.List[0].Bits), vreg(o.List[1].Bits)
	}
	return d
}

// order returns the reachable blocks in reverse postorder. The first
// successor is placed right after its block where possible, so that a loop's
// body follows its header and its exit comes after the body.
func order(f *ssa.Func) []*ssa.Block {
	type frame struct {
		b    *ssa.Block
		next int
	}
	seen := make([]bool, f.NumBlocks())
	var post []*ssa.Block
	stack := []frame{{f.Blocks[0], len(f.Blocks[0].Succs)}}
	seen[f.Blocks[0].ID] = true
	for len(stack) > 0 {
		top := &stack[len(stack)-1]
		if top.next == 0 {
			post = append(post, top.b)
			stack = stack[:len(stack)-1]
			continue
		}
		top.next--
		if s := top.b.Succs[top.next]; !seen[s.ID] {
			seen[s.ID] = true
			stack = append(stack, frame{s, len(s.Succs)})
		}
	}
	for i, j := 0, len(post)-1; i < j; i, j = i+1, j-1 {
		post[i], post[j] = post[j], post[i]
	}
	return post
}
