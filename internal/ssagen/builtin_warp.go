package ssagen

import (
	"irgl/internal/ssa"
)

// Barriers, fences and warp operations.
func (t table) warps() {
	t.add("__syncthreads", func(c *bcall) *ssa.Value { return c.emit(ssa.OpBarrier, ssa.Void) })
	for name, how := range map[string]string{"__syncthreads_and": "and", "__syncthreads_or": "or", "__syncthreads_count": "popc"} {
		t.add(name, func(c *bcall) *ssa.Value {
			t := ssa.I1
			if how == "popc" {
				t = ssa.I32
			}
			v := c.emit(ssa.OpBarrierRed, t, c.nonZero(c.args[0]))
			v.Sym = how
			return c.resize(v, ssa.I32, true)
		})
	}
	t.clusters()
	for name, scope := range map[string]string{"__threadfence": "device", "__threadfence_cluster": "cluster", "__threadfence_block": "block", "__threadfence_system": "system"} {
		t.add(name, func(c *bcall) *ssa.Value {
			v := c.emit(ssa.OpFence, ssa.Void)
			v.Sym = scope
			return v
		})
	}
	t.add("__nv_atomic_thread_fence", func(c *bcall) *ssa.Value { return c.orderedFence() })
	t.add("__nv_atomic_load_n", func(c *bcall) *ssa.Value { return c.orderedLoad() })
	t.add("__syncwarp", func(c *bcall) *ssa.Value {
		mask := c.intConst(ssa.I32, -1)
		if len(c.args) > 0 {
			mask = c.args[0]
		}
		return c.emit(ssa.OpWarpSync, ssa.Void, mask)
	})
	t.add("__activemask", func(c *bcall) *ssa.Value { return c.emit(ssa.OpActiveMask, ssa.I32) })
	t.add("__ballot_sync", func(c *bcall) *ssa.Value {
		return c.emit(ssa.OpBallot, ssa.I32, c.args[0], c.nonZero(c.args[1]))
	})
	t.add("__any_sync", func(c *bcall) *ssa.Value { return c.vote(ssa.OpVoteAny) })
	t.add("__all_sync", func(c *bcall) *ssa.Value { return c.vote(ssa.OpVoteAll) })
	t.add("__match_any_sync", func(c *bcall) *ssa.Value {
		return c.emit(ssa.OpMatchAny, ssa.I32, c.args[0], c.asBits(c.args[1]))
	})
	for name, mode := range map[string]string{
		"__shfl_sync": "idx", "__shfl_up_sync": "up", "__shfl_down_sync": "down", "__shfl_xor_sync": "bfly",
	} {
		t.add(name, func(c *bcall) *ssa.Value { return c.shuffle(mode) })
	}
}

// clusters has the barrier of a cluster, whose halves may stand apart, and what
// says how many blocks a cluster has and which of them this is.
func (t table) clusters() {
	for name, half := range map[string]string{
		"__cluster_barrier_arrive": "arrive", "__cluster_barrier_arrive_relaxed": "arrive.relaxed", "__cluster_barrier_wait": "wait",
	} {
		t.add(name, func(c *bcall) *ssa.Value {
			v := c.emit(ssa.OpClusterBarrier, ssa.Void)
			v.Sym = half
			return v
		})
	}
	t.add("__clusterRelativeBlockRank", func(c *bcall) *ssa.Value { return c.special("cluster_ctarank", ssa.I32) })
	t.add("__clusterSizeInBlocks", func(c *bcall) *ssa.Value { return c.special("cluster_nctarank", ssa.I32) })
}

// clusterRegisters names the special registers behind the functions of clusters
// that return a dim3.
var clusterRegisters = map[string]string{
	"__clusterDim": "cluster_nctaid", "__clusterRelativeBlockIdx": "cluster_ctaid",
	"__clusterGridDimInClusters": "nclusterid", "__clusterIdx": "clusterid",
}

// The memory orders of __nv_atomic functions, in the order of their numbers.
const (
	orderRelaxed = iota
	orderConsume
	orderAcquire
	orderRelease
	orderAcqRel
	orderSeqCst
)

// orderAndScope returns what the last two arguments say, which must be known:
// the code differs. The scope of one thread is "", that of a cluster is a
// device's, since no narrower one holds it on every GPU.
func (c *bcall) orderAndScope() (order int64, scope string, ok bool) {
	n := len(c.args)
	o, s := c.args[n-2], c.args[n-1]
	scopes := []string{"", "block", "device", "device", "system"}
	if o.Op != ssa.OpConst || s.Op != ssa.OpConst || o.Int < 0 || o.Int > orderSeqCst || s.Int < 0 || s.Int >= int64(len(scopes)) {
		c.errorf(c.e, codeBuiltin, "the order and the scope of %s must be constants that it knows", c.name)
		return 0, "", false
	}
	return o.Int, scopes[s.Int], true
}

// orderedFence emits a fence that orders no more than it is asked to. All but a
// sequentially consistent one cost the GPU much less than __threadfence.
func (c *bcall) orderedFence() *ssa.Value {
	order, scope, ok := c.orderAndScope()
	if !ok || order == orderRelaxed || scope == "" {
		return nil
	}
	v := c.emit(ssa.OpFence, ssa.Void)
	v.Sym = scope
	if order != orderSeqCst {
		v.Sym += ".acq_rel"
	}
	return v
}

// orderedLoad emits a load that other threads' stores may meet: a volatile one
// if it orders nothing, or else one that acquires.
func (c *bcall) orderedLoad() *ssa.Value {
	order, scope, ok := c.orderAndScope()
	switch {
	case !ok || order == orderRelease || order == orderAcqRel:
		if ok {
			c.errorf(c.e, codeBuiltin, "%s cannot release: it loads", c.name)
		}
		return c.undef(c.typ)
	case order == orderRelaxed || scope == "":
		return c.load(place{addr: c.args[0], typ: c.sig.Result, volatile: true})
	case order == orderSeqCst:
		c.emit(ssa.OpFence, ssa.Void).Sym = scope
	}
	v := c.emit(ssa.OpAtomicLoad, c.typ, c.args[0])
	v.Mem.Align = int64(c.typ.Size())
	if scope != "device" {
		v.Sym = scope
	}
	return v
}

// vote emits any or all, whose C result is an int.
func (c *bcall) vote(op ssa.Op) *ssa.Value {
	return c.resize(c.emit(op, ssa.I1, c.args[0], c.nonZero(c.args[1])), ssa.I32, true)
}

// asBits returns a float as the integer of its bits.
func (c *bcall) asBits(v *ssa.Value) *ssa.Value {
	switch v.Type {
	case ssa.F32:
		return c.emit(ssa.OpBitcast, ssa.I32, v)
	case ssa.F64:
		return c.emit(ssa.OpBitcast, ssa.I64, v)
	}
	return v
}

// shuffle emits shfl with PTX's clamp operand: the lanes' segment mask above
// the lane limit, which is the first lane for up and the last for the others.
func (c *bcall) shuffle(mode string) *ssa.Value {
	limit := int64(31)
	if mode == "up" {
		limit = 0
	}
	clamp := c.intConst(ssa.I32, limit)
	if len(c.args) > 3 {
		if w := c.args[3]; w.Op == ssa.OpConst {
			clamp = c.intConst(ssa.I32, (32-w.Int)<<8|limit)
		} else {
			s := c.emit(ssa.OpSub, ssa.I32, c.intConst(ssa.I32, 32), w)
			s = c.emit(ssa.OpShl, ssa.I32, s, c.intConst(ssa.I32, 8))
			clamp = c.emit(ssa.OpOr, ssa.I32, s, c.intConst(ssa.I32, limit))
		}
	}
	one := func(v *ssa.Value) *ssa.Value {
		s := c.emit(ssa.OpShfl, v.Type, c.args[0], v, c.args[2], clamp)
		s.Sym = mode
		return s
	}
	v := c.args[1]
	if v.Type.Bits() == 32 {
		return one(v)
	}
	bits := c.asBits(v) // 64 bits go in two halves
	n := c.intConst(ssa.I32, 32)
	low := one(c.emit(ssa.OpTrunc, ssa.I32, bits))
	high := one(c.emit(ssa.OpTrunc, ssa.I32, c.emit(ssa.OpLShr, ssa.I64, bits, n)))
	high = c.emit(ssa.OpShl, ssa.I64, c.emit(ssa.OpZExt, ssa.I64, high), n)
	bits = c.emit(ssa.OpOr, ssa.I64, high, c.emit(ssa.OpZExt, ssa.I64, low))
	if v.Type == ssa.F64 {
		return c.emit(ssa.OpBitcast, ssa.F64, bits)
	}
	return bits
}
