package ssagen

import (
	"irgl/internal/ssa"
)

// Barriers, fences and warp operations.
func (t table) warps() {
	t.add("__syncthreads", func(c *bcall) *ssa.Value { return c.emit(ssa.OpBarrier, ssa.Void) })
	for name, how := range map[string]ssa.Reduction{
		"__syncthreads_and": ssa.ReduceAnd, "__syncthreads_or": ssa.ReduceOr, "__syncthreads_count": ssa.ReducePopc,
	} {
		t.add(name, func(c *bcall) *ssa.Value {
			t := ssa.I1
			if how == ssa.ReducePopc {
				t = ssa.I32
			}
			v := c.emit(ssa.OpBarrierRed, t, c.nonZero(c.args[0]))
			v.Sym = how
			return c.resize(v, ssa.I32, true)
		})
	}
	t.clusters()
	for name, scope := range map[string]ssa.Scope{
		"__threadfence": ssa.ScopeDevice, "__threadfence_cluster": ssa.ScopeCluster, "__threadfence_block": ssa.ScopeBlock, "__threadfence_system": ssa.ScopeSystem,
	} {
		t.add(name, func(c *bcall) *ssa.Value { return c.fence(ssa.Fence{Scope: scope}) })
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
	for name, mode := range map[string]ssa.Shuffle{
		"__shfl_sync": ssa.ShuffleIdx, "__shfl_up_sync": ssa.ShuffleUp, "__shfl_down_sync": ssa.ShuffleDown, "__shfl_xor_sync": ssa.ShuffleBfly,
	} {
		t.add(name, func(c *bcall) *ssa.Value { return c.shuffle(mode) })
	}
}

// clusters has the barrier of a cluster, whose arrival and wait may be
// separate, and the functions for a cluster's size and a block's rank in it.
func (t table) clusters() {
	for name, half := range map[string]ssa.ClusterStep{
		"__cluster_barrier_arrive": ssa.ClusterArrive, "__cluster_barrier_arrive_relaxed": ssa.ClusterArriveRelaxed, "__cluster_barrier_wait": ssa.ClusterWait,
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

// clusterRegisters names the special registers that the cluster functions of
// type dim3 return.
var clusterRegisters = map[string]string{
	"__clusterDim": "cluster_nctaid", "__clusterRelativeBlockIdx": "cluster_ctaid",
	"__clusterGridDimInClusters": "nclusterid", "__clusterIdx": "clusterid",
}

// The memory orders of __nv_atomic functions, in numerical order.
const (
	orderRelaxed = iota
	orderConsume
	orderAcquire
	orderRelease
	orderAcqRel
	orderSeqCst
)

// A memoryOrder is the order and scope that the last two arguments of an __nv_atomic
// function request.
type memoryOrder struct {
	order  int64
	scope  ssa.Scope
	single bool // the scope is a single thread, which needs no ordering
}

// memoryOrder evaluates the last two arguments, which must be constants: the
// code depends on them. The scope of a cluster is widened to the device, since
// no narrower one covers it on every GPU.
func (c *bcall) memoryOrder() (m memoryOrder, ok bool) {
	n := len(c.args)
	o, s := c.args[n-2], c.args[n-1]
	scopes := []memoryOrder{{single: true}, {scope: ssa.ScopeBlock}, {scope: ssa.ScopeDevice}, {scope: ssa.ScopeDevice}, {scope: ssa.ScopeSystem}}
	if o.Op != ssa.OpConst || s.Op != ssa.OpConst || o.Int < 0 || o.Int > orderSeqCst || s.Int < 0 || s.Int >= int64(len(scopes)) {
		c.errorf(c.e, codeBuiltin, "the order and the scope of %s must be constants that it knows", c.name)
		return m, false
	}
	m = scopes[s.Int]
	m.order = o.Int
	return m, true
}

// orderedFence emits the weakest fence that is sufficient. All but a
// sequentially consistent one are much cheaper than __threadfence.
func (c *bcall) orderedFence() *ssa.Value {
	m, ok := c.memoryOrder()
	if !ok || m.order == orderRelaxed || m.single {
		return nil
	}
	return c.fence(ssa.Fence{Scope: m.scope, AcqRel: m.order != orderSeqCst})
}

func (c *bcall) fence(kind ssa.Fence) *ssa.Value {
	v := c.emit(ssa.OpFence, ssa.Void)
	v.Sym = kind
	return v
}

// orderedLoad emits a load that may race with other threads' stores: a volatile
// load if it is relaxed, or else an acquire load.
func (c *bcall) orderedLoad() *ssa.Value {
	m, ok := c.memoryOrder()
	switch {
	case !ok || m.order == orderRelease || m.order == orderAcqRel:
		if ok {
			c.errorf(c.e, codeBuiltin, "%s cannot release: it loads", c.name)
		}
		return c.undef(c.typ)
	case m.order == orderRelaxed || m.single:
		return c.load(place{addr: c.args[0], typ: c.sig.Result, volatile: true})
	case m.order == orderSeqCst:
		c.fence(ssa.Fence{Scope: m.scope})
	}
	v := c.emit(ssa.OpAtomicLoad, c.typ, c.args[0])
	v.Mem.Align = int64(c.typ.Size())
	if m.scope != ssa.ScopeDevice {
		v.Sym = m.scope
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

// shuffle emits shfl with PTX's clamp operand: the segment mask above the lane
// limit, which is the first lane for up and the last one otherwise.
func (c *bcall) shuffle(mode ssa.Shuffle) *ssa.Value {
	limit := int64(31)
	if mode == ssa.ShuffleUp {
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
	bits := c.asBits(v) // 64 bits are shuffled in two halves
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
