package ptxgen

import (
	"fmt"

	"irgl/internal/ptx"
	"irgl/internal/ssa"
)

// param emits the load of a parameter, or the address of an aggregate or of its local copy.
func (g *fgen) param(v *ssa.Value) {
	if v.Type == ssa.PtrParam {
		i := g.paramLocal[v.Int]
		switch {
		case i >= 0:
			g.def(v, "mov.b64", ptx.Sym(g.localName(i)))
		case g.f.Kernel:
			g.def(v, "mov.b64", ptx.Sym(g.params[v.Int].Name))
		default:
			g.errorf(v, "the address of a parameter that was to be read in place")
		}
		return
	}
	p := g.params[v.Int]
	addr := ptx.Mem(p.Name, 0)
	switch {
	case v.Type == ssa.I1:
		t := g.tmp(cls32, "ld.param."+string(p.Type), addr)
		g.def(v, "setp.ne.s32", t, ptx.I(0))
	case v.Type == ssa.PtrGlobal && g.f.Kernel: // kernels get generic addresses
		t := g.tmp(cls64, "ld.param.u64", addr)
		g.def(v, "cvta.to.global.u64", t)
	case g.f.Kernel:
		g.def(v, "ld.param."+string(memType(v.Type)), addr)
	default:
		g.def(v, "ld.param."+regType(v.Type), addr)
	}
}

// regType is the type of the whole register that holds a value of type t.
func regType(t ssa.Type) string {
	if t.IsFloat() {
		return t.String()
	}
	return classInfo[classOf(t)].bits
}

// copyParams copies aggregate parameters whose address escapes to local
// memory, at the start of the function.
func (g *fgen) copyParams() {
	for i, l := range g.paramLocal {
		if l >= 0 && g.localUsed[l] {
			p := g.f.Params[i]
			g.copyBytes("st.local", g.localName(l), "ld.param", ptx.Mem(g.params[i].Name, 0), p)
		}
	}
}

// copyBytes copies the bytes of an aggregate in the largest pieces that its
// alignment allows.
func (g *fgen) copyBytes(store, dst, load string, src ptx.Operand, p *ssa.Param) {
	piece := min(max(1, p.Align), 8)
	for off := int64(0); off < p.Size; {
		for off+piece > p.Size {
			piece /= 2
		}
		c := cls32
		if piece == 8 {
			c = cls64
		}
		from := src
		from.Int += off
		suffix := fmt.Sprintf(".b%d", 8*piece)
		t := g.tmp(c, load+suffix, from)
		g.eff(store+suffix, ptx.Mem(dst, off), t)
		off += piece
	}
}

// call emits a call by name.
func (g *fgen) call(v *ssa.Value) {
	f := g.calls.Func(v.Callee())
	if f == nil || f.Kernel || len(f.Params) != len(v.Args) {
		g.errorf(v, "%q is not a device function with %d parameters", v.Callee(), len(v.Args))
		return
	}
	g.callOf(v, ptx.Sym(g.names[v.Callee()]), f.Params, v.Args, nil)
}

// callPtr emits a call of the function at an address, with a prototype.
func (g *fgen) callPtr(v *ssa.Value) {
	params, _ := v.Sym.(ssa.Signature).Params()
	proto := &ptx.CallPrototype{Name: fmt.Sprintf("$proto_%d", g.prototypes)}
	g.prototypes++
	if v.Type != ssa.Void {
		proto.Results = []*ptx.Var{{Space: ptx.Param, Type: argType(v.Type), Name: "_"}}
	}
	for _, p := range params {
		d := &ptx.Var{Space: ptx.Param, Name: "_"}
		if p.Type == ssa.PtrParam {
			aggregate(d, p)
		} else {
			d.Type = argType(p.Type)
		}
		proto.Params = append(proto.Params, d)
	}
	g.callOf(v, g.reg(v.Args[0]), params, v.Args[1:], proto)
}

// callOf emits a call in a scope of its own, which holds the parameters and, for a call
// through a pointer, the prototype.
func (g *fgen) callOf(v *ssa.Value, callee ptx.Operand, want []*ssa.Param, values []*ssa.Value, proto *ptx.CallPrototype) {
	g.group = append(g.group, minst{opens: true})
	var params []ptx.Operand
	for i, p := range want {
		name := fmt.Sprintf("param%d", i)
		d := &ptx.Var{Space: ptx.Param, Name: name}
		g.group = append(g.group, minst{decl: d})
		params = append(params, ptx.Sym(name))
		if p.Type == ssa.PtrParam {
			aggregate(d, p)
			addr, space := g.address(values[i])
			g.copyBytes("st.param", name, "ld"+dotted(space), addr, p)
			continue
		}
		d.Type = argType(p.Type)
		g.eff("st.param."+passType(p.Type), ptx.Mem(name, 0), g.toMemory(values[i]))
	}
	args := []ptx.Operand{callee}
	if len(params) > 0 {
		args = append(args, ptx.Operand{Kind: ptx.KindList, List: params})
	}
	if proto != nil {
		args = append(args, ptx.Sym(proto.Name))
		g.group = append(g.group, minst{decl: proto})
	}
	if v.Type != ssa.Void {
		g.group = append(g.group, minst{decl: &ptx.Var{Space: ptx.Param, Type: argType(v.Type), Name: "retval0"}})
		args = append([]ptx.Operand{{Kind: ptx.KindList, List: []ptx.Operand{ptx.Sym("retval0")}}}, args...)
	}
	g.eff("call", args...)
	if v.Type != ssa.Void && g.demanded[v.ID] {
		addr := ptx.Mem("retval0", 0)
		if v.Type == ssa.I1 {
			t := g.tmp(cls32, "ld.param.b32", addr)
			g.def(v, "setp.ne.s32", t, ptx.I(0))
		} else {
			g.def(v, "ld.param."+regType(v.Type), addr)
		}
	}
	g.group = append(g.group, minst{closes: true})
}

// passType is regType, with an i1 as an integer.
func passType(t ssa.Type) string {
	if t == ssa.I1 {
		return "b32"
	}
	return regType(t)
}

// printf emits a call of vprintf with the format and the packed arguments, as
// generic addresses.
func (g *fgen) printf(v *ssa.Value) {
	g.group = append(g.group, minst{opens: true})
	var params []ptx.Operand
	for i, a := range v.Args {
		name := fmt.Sprintf("param%d", i)
		params = append(params, ptx.Sym(name))
		o := g.op(a)
		if space := spaceOf(a.Type); space != "" {
			o = g.tmp(cls64, "cvta."+space+".u64", g.inReg(o, cls64))
		}
		g.group = append(g.group, minst{decl: &ptx.Var{Space: ptx.Param, Type: "b64", Name: name}})
		g.eff("st.param.b64", ptx.Mem(name, 0), o)
	}
	g.group = append(g.group, minst{decl: &ptx.Var{Space: ptx.Param, Type: "b32", Name: "retval0"}})
	g.eff("call", ptx.Operand{Kind: ptx.KindList, List: []ptx.Operand{ptx.Sym("retval0")}},
		ptx.Sym("vprintf"), ptx.Operand{Kind: ptx.KindList, List: params})
	if g.demanded[v.ID] {
		g.def(v, "ld.param.b32", ptx.Mem("retval0", 0))
	}
	g.group = append(g.group, minst{closes: true})
}

// The PTX suffixes of reductions and shuffles.
var (
	reductions = [...]string{ssa.ReduceAnd: "and.pred", ssa.ReduceOr: "or.pred", ssa.ReducePopc: "popc.u32"}
	shuffles   = [...]string{ssa.ShuffleIdx: "idx", ssa.ShuffleUp: "up", ssa.ShuffleDown: "down", ssa.ShuffleBfly: "bfly"}
)

// sync emits barriers, fences and warp operations.
func (g *fgen) sync(v *ssa.Value) {
	switch v.Op {
	case ssa.OpBarrier:
		g.eff("bar.sync", ptx.I(0))
	case ssa.OpBarrierRed:
		how, _ := v.Sym.(ssa.Reduction)
		g.def(v, "bar.red."+reductions[how], ptx.I(0), g.reg(v.Args[0]))
	case ssa.OpClusterBarrier:
		step, _ := v.Sym.(ssa.ClusterStep)
		g.eff("barrier.cluster." + g.clusterStep(step))
	case ssa.OpFence:
		fence, _ := v.Sym.(ssa.Fence)
		switch {
		case fence.AcqRel:
			g.eff("fence.acq_rel." + scopes[fence.Scope].name)
		case fence.Scope == ssa.ScopeCluster:
			g.eff("fence.sc.cluster") // membar has no scope cluster
		default:
			g.eff("membar." + scopes[fence.Scope].membar)
		}
	case ssa.OpWarpSync:
		g.eff("bar.warp.sync", g.op(v.Args[0]))
	case ssa.OpShfl:
		mask := g.op(v.Args[0])
		mode, _ := v.Sym.(ssa.Shuffle)
		g.def(v, "shfl.sync."+shuffles[mode]+".b32", g.reg(v.Args[1]), g.op(v.Args[2]), g.op(v.Args[3]), mask)
	case ssa.OpBallot:
		g.def(v, "vote.sync.ballot.b32", g.reg(v.Args[1]), g.op(v.Args[0]))
	case ssa.OpVoteAny:
		g.def(v, "vote.sync.any.pred", g.reg(v.Args[1]), g.op(v.Args[0]))
	case ssa.OpVoteAll:
		g.def(v, "vote.sync.all.pred", g.reg(v.Args[1]), g.op(v.Args[0]))
	case ssa.OpActiveMask:
		g.def(v, "activemask.b32")
	case ssa.OpMatchAny:
		bits := classInfo[classOf(v.Args[1].Type)].bits
		if v.Args[1].Type == ssa.F32 {
			bits = "b32"
		} else if v.Args[1].Type == ssa.F64 {
			bits = "b64"
		}
		g.def(v, "match.any.sync."+bits, g.reg(v.Args[1]), g.op(v.Args[0]))
	}
}
