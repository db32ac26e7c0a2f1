package ptxgen

import (
	"irgl/internal/ptx"
	"irgl/internal/ssa"
)

// spaceOf gives the state space of a pointer type, "" for generic. A pointer
// to an aggregate parameter that is not read in place points to its copy; see address for
// one that is.
func spaceOf(t ssa.Type) string {
	switch t {
	case ssa.PtrGlobal:
		return "global"
	case ssa.PtrShared:
		return "shared"
	case ssa.PtrLocal, ssa.PtrParam:
		return "local"
	case ssa.PtrConst:
		return "const"
	}
	return ""
}

// address returns the operand that addresses p and its state space. Constant
// offsets are folded into the operand, and a cast to the generic space is
// skipped: the access then names the specific space.
func (g *fgen) address(p *ssa.Value) (ptx.Operand, string) {
	base, off := offset(p)
	for base.Op == ssa.OpSpaceCast && base.Type == ssa.Ptr && base.Args[0].Type != ssa.Ptr {
		inner, o := offset(base.Args[0])
		if o+off != int64(int32(o+off)) {
			break
		}
		base, off = inner, o+off
	}
	switch base.Op {
	case ssa.OpGlobalAddr:
		return ptx.Mem(g.names[base.Callee()], off), spaceOf(base.Type)
	case ssa.OpAlloca:
		return ptx.Mem(g.localName(g.localOf[base]), off), "local"
	case ssa.OpParam:
		if base.Type == ssa.PtrParam {
			if i := g.paramLocal[base.Int]; i >= 0 {
				return ptx.Mem(g.localName(i), off), "local"
			}
			return ptx.Mem(g.params[base.Int].Name, off), "param"
		}
	}
	space := spaceOf(base.Type)
	if base.Type == ssa.PtrParam {
		if p := paramBase(base); p.Op == ssa.OpParam && g.paramLocal[p.Int] < 0 {
			space = "param"
		}
	}
	return mem(vreg(g.reg(base).Bits), off), space
}

// written is address for an access that writes. PTX cannot name constant memory there: a write through
// a generic pointer to it stays generic, and faults when it runs.
func (g *fgen) written(p *ssa.Value) (ptx.Operand, string) {
	addr, space := g.address(p)
	if space == "const" && p.Type == ssa.Ptr {
		return mem(vreg(g.inReg(g.op(p), cls64).Bits), 0), ""
	}
	return addr, space
}

// aligned rejects an access less aligned than its instruction requires.
func (g *fgen) aligned(v *ssa.Value, t ssa.Type) bool {
	if v.Mem.Align != 0 && v.Mem.Align < int64(t.Size()) {
		g.errorf(v, "an access to %s with alignment %d", t, v.Mem.Align)
		return false
	}
	return true
}

// dotted puts a dot before a suffix that is not empty.
func dotted(s string) string {
	if s == "" {
		return ""
	}
	return "." + s
}

// volatileOp returns ".volatile" for a volatile access.
func volatileOp(v *ssa.Value, space string) string {
	if v.Mem.Volatile && (space == "" || space == "global" || space == "shared") {
		return ".volatile"
	}
	return ""
}

// accessType returns the type suffix of a load or store of type t: one of bits where an
// object is copied, whose padding may be read.
func accessType(v *ssa.Value, t ssa.Type) string {
	name := string(memType(t))
	if v.Mem.Copied && name[0] != 's' {
		return "b" + name[1:]
	}
	return name
}

// load emits a load. Narrow integers are extended to 32 bits, with the sign if
// the only user is a sign extension.
func (g *fgen) load(v *ssa.Value) {
	if !g.aligned(v, v.Type) {
		return
	}
	addr, space := g.address(v.Args[0])
	op := "ld" + volatileOp(v, space)
	if v.Mem.ReadOnly && !v.Mem.Volatile && (space == "global" || space == "") {
		if space == "" { // read-only memory is global, and .nc must name the space
			base := ptx.Operand{Kind: ptx.KindReg, Bits: addr.Bits}
			base = g.tmp(cls64, "cvta.to.global.u64", base)
			addr = mem(vreg(base.Bits), addr.Int)
		}
		op += ".global.nc"
	} else {
		op += dotted(space)
	}
	switch {
	case v.Type == ssa.I1:
		t := g.tmp(cls32, op+".u8", addr)
		g.def(v, "setp.ne.s32", t, ptx.I(0))
	case g.short[v.ID] != 0:
		short := reg(g.short[v.ID])
		g.ins(op+"."+accessType(v, v.Type), true, short, addr)
		g.group[len(g.group)-1].align = v.Mem.Align
		if g.demanded[v.ID] && g.signedLoad[v.ID] {
			g.def(v, "cvt.s32.s16", short)
		} else if g.demanded[v.ID] {
			g.def(v, "cvt.u32.u16", short)
		}
	case g.signedLoad[v.ID]:
		g.def(v, op+"."+typed(true, v.Type), addr)
		g.group[len(g.group)-1].align = v.Mem.Align
	default:
		g.def(v, op+"."+accessType(v, v.Type), addr)
		g.group[len(g.group)-1].align = v.Mem.Align
	}
}

// acquire emits an acquire load. Local and constant memory is not shared
// between threads, and has no such load.
func (g *fgen) acquire(v *ssa.Value) {
	addr, space := g.address(v.Args[0])
	if space != "" && space != "global" && space != "shared" {
		g.errorf(v, "an acquiring load of %s memory", space)
		return
	}
	g.def(v, "ld.acquire."+scopes[v.Scope()].name+dotted(space)+"."+string(memType(v.Type)), addr)
}

// store emits a store; a narrow store takes the low bits of its register.
func (g *fgen) store(v *ssa.Value) {
	val := v.Args[1]
	if !g.aligned(v, val.Type) {
		return
	}
	o := g.toMemory(val)
	addr, space := g.written(v.Args[0])
	if space == "const" || space == "param" {
		g.errorf(v, "a store to %s memory", space)
		return
	}
	g.eff("st"+volatileOp(v, space)+dotted(space)+"."+accessType(v, val.Type), addr, o)
	g.group[len(g.group)-1].align = v.Mem.Align
}

// atomics gives the PTX operator of each atomic operation and the letter of
// the type its operands have.
var atomics = [...]struct{ op, letter string }{
	ssa.OpAtomicAdd: {"add", "u"}, ssa.OpAtomicFAdd: {"add", "f"},
	ssa.OpAtomicSMin: {"min", "s"}, ssa.OpAtomicSMax: {"max", "s"},
	ssa.OpAtomicUMin: {"min", "u"}, ssa.OpAtomicUMax: {"max", "u"},
	ssa.OpAtomicAnd: {"and", "b"}, ssa.OpAtomicOr: {"or", "b"}, ssa.OpAtomicXor: {"xor", "b"},
	ssa.OpAtomicExch: {"exch", "b"}, ssa.OpAtomicInc: {"inc", "u"}, ssa.OpAtomicDec: {"dec", "u"},
	ssa.OpAtomicCAS: {"cas", "b"},
}

// scopes has the names of scopes in PTX: of atomics, of membar, and of operations
// with an order (fences and loads). Atomics and membar have no scope cluster.
var scopes = [...]struct{ atom, membar, name string }{
	ssa.ScopeDevice: {"", "gl", "gpu"}, ssa.ScopeBlock: {".cta", "cta", "cta"},
	ssa.ScopeCluster: {"", "", "cluster"}, ssa.ScopeSystem: {".sys", "sys", "sys"},
}

// atomic emits atom, or red when the old value is unused.
func (g *fgen) atomic(v *ssa.Value) {
	a := atomics[v.Op]
	t := v.Type
	if t == ssa.Void && len(v.Args) > 1 {
		t = v.Args[1].Type
	}
	if t.Bits() < 32 && (t != ssa.I16 || v.Op != ssa.OpAtomicCAS) {
		g.errorf(v, "type %s", t)
		return
	}
	args := make([]ptx.Operand, 0, 3)
	for _, x := range v.Args[1:] {
		if t == ssa.I16 {
			r := g.newReg(cls16)
			g.asmInput(r, x)
			args = append(args, reg(r))
			continue
		}
		args = append(args, g.op(x))
	}
	addr, space := g.written(v.Args[0])
	switch space {
	case "", "global", "shared":
	case "local": // through the generic address, as in CUDA
		base := g.inReg(g.op(v.Args[0]), cls64)
		addr, space = mem(vreg(g.tmp(cls64, "cvta.local.u64", base).Bits), 0), ""
	default:
		g.errorf(v, "atomic operation on %s memory", space)
		return
	}
	tail := scopes[v.Scope()].atom + dotted(space) + "." + a.op + "." + a.letter + typed(false, t)[1:]
	args = append([]ptx.Operand{addr}, args...)
	if !g.demanded[v.ID] && v.Op != ssa.OpAtomicExch && v.Op != ssa.OpAtomicCAS {
		g.eff("red"+tail, args...)
		return
	}
	if t == ssa.I16 {
		old := g.tmp(cls16, "atom"+tail, args...)
		if g.demanded[v.ID] {
			g.def(v, "cvt.u32.u16", old)
		}
		return
	}
	g.def(v, "atom"+tail, args...)
}

// spaceCast emits cvta; a cast between two specific spaces goes through the generic
// one.
func (g *fgen) spaceCast(v *ssa.Value) {
	from, to := spaceOf(v.Args[0].Type), spaceOf(v.Type)
	if g.root(v) != v {
		return
	}
	o := g.reg(v.Args[0])
	switch {
	case from == to:
		g.def(v, "mov.b64", o)
	case to == "":
		g.def(v, "cvta."+from+".u64", o)
	case from == "":
		g.def(v, "cvta.to."+to+".u64", o)
	default:
		o = g.tmp(cls64, "cvta."+from+".u64", o)
		g.def(v, "cvta.to."+to+".u64", o)
	}
}
