package analysis

import "irgl/internal/ssa"

// A place is where ptxas keeps a value while it is live.
type place uint8

const (
	nowhere       place = iota // an operand: a constant, a parameter, or the offset of an access
	predicate                  // a predicate
	single                     // a register
	double                     // two registers
	uniformSingle              // a uniform register
	uniformDouble              // two uniform registers
	numPlaces
)

// sizes gives what a value occupies in each place.
var sizes = [numPlaces]Pressure{
	predicate: {Predicates: 1}, single: {Registers: 1}, double: {Registers: 2},
	uniformSingle: {Uniform: 1}, uniformDouble: {Uniform: 2},
}

// places returns the place of each value of f, by number.
//
// Constants are operands, and so are the parameters of a kernel, which are in a constant
// bank. Addresses of shared and local memory are 32 bits wide. A constant distance from a
// pointer is part of the access. Of a 64-bit index only the low half is kept until it is
// scaled and added to a pointer, in one instruction. Integers computed from parameters and
// the index of the block alone are in uniform registers.
func places(f *ssa.Func, dom *DomTree, uses *UseLists) []place {
	p := &placer{f: f, uses: uses, ofWarp: ssa.Make[bool](f, f.NumValues())}
	all := ssa.Make[place](f, f.NumValues())
	for _, b := range dom.Order() {
		for _, v := range b.Values {
			p.ofWarp[v.ID] = p.isOfWarp(v)
			all[v.ID] = p.place(v)
		}
	}
	return all
}

type placer struct {
	f      *ssa.Func
	uses   *UseLists
	ofWarp []bool // by value number
}

// isOfWarp reports whether v is the same in all threads of a warp, by its arguments alone,
// and computed by instructions on uniform registers, which are of integers. Phis do not
// count: without an analysis of divergence nothing is known of them.
func (p *placer) isOfWarp(v *ssa.Value) bool {
	switch v.Op {
	case ssa.OpConst, ssa.OpFConst, ssa.OpGlobalAddr, ssa.OpFuncAddr, ssa.OpUndef:
		return true
	case ssa.OpParam:
		return p.f.Kernel
	case ssa.OpSpecial:
		register, _ := v.Sym.(ssa.Register)
		return uniformRegister(register)
	case ssa.OpLoad:
		t := v.Args[0].Type
		return (t == ssa.PtrConst || t == ssa.PtrParam) && p.ofWarp[v.Args[0].ID]
	}
	if !v.Op.Pure() || v.Op.IsAsm() || v.Type.IsFloat() || v.Op.IsDivision() || len(v.Args) == 0 {
		return false
	}
	for _, a := range v.Args {
		if !p.ofWarp[a.ID] || a.Type.IsFloat() {
			return false
		}
	}
	return true
}

func (p *placer) place(v *ssa.Value) place {
	ofWarp := p.ofWarp[v.ID]
	switch v.Op {
	case ssa.OpConst, ssa.OpFConst, ssa.OpUndef, ssa.OpGlobalAddr:
		return nowhere
	case ssa.OpParam, ssa.OpLoad, ssa.OpSpaceCast:
		if ofWarp {
			return nowhere
		}
	case ssa.OpPtrAdd:
		if v.Type == ssa.PtrParam || v.Args[1].Op == ssa.OpConst && p.isAddress(v) {
			return nowhere
		}
	}
	wide := v.Type.Size() == 8
	switch v.Type {
	case ssa.PtrShared, ssa.PtrLocal, ssa.PtrConst, ssa.PtrParam:
		wide = false
	}
	switch {
	case v.Type == ssa.Void || ofWarp && v.Type == ssa.I1:
		return nowhere
	case ofWarp && wide:
		return uniformDouble
	case ofWarp:
		return uniformSingle
	case v.Type != ssa.I1 && (!wide || p.isIndex(v, maxIndexDepth)):
		return single
	}
	return ofThread(v)
}

// ofThread returns the place of v if it has registers of its own.
func ofThread(v *ssa.Value) place {
	switch {
	case v.Op == ssa.OpConst, v.Op == ssa.OpFConst, v.Op == ssa.OpUndef, v.Type == ssa.Void:
		return nowhere
	case v.Type == ssa.I1:
		return predicate
	case v.Type.Bits() == 64:
		return double
	}
	return single
}

// isAddress reports whether v is only the address of accesses.
func (p *placer) isAddress(v *ssa.Value) bool {
	for _, use := range p.uses.Of(v) {
		if use.User == nil || !use.User.Op.AccessesMemory() || use.Index != 0 {
			return false
		}
	}
	return true
}

// maxIndexDepth bounds the operations that scale an index.
const maxIndexDepth = 4

// isIndex reports whether v is a 32-bit index, widened or scaled, that is only added to
// pointers.
func (p *placer) isIndex(v *ssa.Value, depth int) bool {
	switch v.Op {
	case ssa.OpSExt, ssa.OpZExt:
	case ssa.OpShl, ssa.OpMul:
		if v.Args[1].Op != ssa.OpConst {
			return false
		}
	default:
		return false
	}
	if depth == 0 {
		return false
	}
	for _, use := range p.uses.Of(v) {
		if use.User == nil || !(use.User.Op == ssa.OpPtrAdd && use.Index == 1) && !p.isIndex(use.User, depth-1) {
			return false
		}
	}
	return true
}
