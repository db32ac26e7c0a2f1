package builtin

// Why operator code may not use parts of CUDA: the compiler decides which
// thread runs which iteration (IrGL paper, section 3.2).
const (
	whyIndex   = "the compiler maps iterations to threads, so operator code cannot name a thread"
	whyBarrier = "the compiler schedules iterations, so threads need not arrive together"
	whyWarp    = "the compiler maps iterations to threads, so operator code cannot talk to its warp"
	whyClock   = "it has no meaning on a CPU"
	whyOrder   = "the language orders memory: at the end of a kernel, in Atomic and in Exclusive"
)

// atomics are CUDA's read-modify-write functions. CUDA C has fewer forms on
// 64-bit integers than IrGL; lower inserts the casts.
var atomics = [...]group{
	{names: "atomicAdd", Row: Row{Rule: AtomicCall, Device: true, Effects: Atomic, Engines: kernels, CUDAForms: []string{"{float2}(*{float2},{float2})", "{float4}(*{float4},{float4})"},
		Forms: []string{"i(*i,i)", "u(*u,u)", "U(*U,U)", "L(*L,L)", "l(*l,l)", "m(*m,m)", "f(*f,f)", "d(*d,d)"}}},
	{names: "atomicExch", Row: Row{Rule: AtomicCall, Device: true, Effects: Atomic, Engines: kernels,
		Forms: []string{"i(*i,i)", "u(*u,u)", "U(*U,U)", "L(*L,L)", "l(*l,l)", "m(*m,m)", "f(*f,f)", "d(*d,d)"}}},
	{names: "atomicSub atomicMin atomicMax atomicAnd atomicOr atomicXor", Row: Row{Rule: AtomicCall, Forms: integers, Device: true, Effects: Atomic, Engines: kernels}},
	{names: "atomicInc atomicDec", Row: Row{Rule: AtomicCall, Forms: []string{"u(*u,u)"}, Device: true, Effects: Atomic, Engines: kernels}},
	{names: "atomicCAS", Row: Row{Rule: AtomicCall, Device: true, Effects: Atomic, Engines: kernels,
		Forms: []string{"i(*i,i,i)", "u(*u,u,u)", "U(*U,U,U)", "L(*L,L,L)", "l(*l,l,l)", "m(*m,m,m)"}, CUDAForms: []string{"t(*t,t,t)"}}},
}

// The forms of shuffles: of each type, with and without a width.
var (
	shuffles = []string{"i(u,i,i)", "i(u,i,i,i)", "u(u,u,i)", "u(u,u,i,i)", "l(u,l,i)", "l(u,l,i,i)", "m(u,m,i)", "m(u,m,i,i)",
		"L(u,L,i)", "L(u,L,i,i)", "U(u,U,i)", "U(u,U,i,i)", "f(u,f,i)", "f(u,f,i,i)", "d(u,d,i)", "d(u,d,i,i)"}
	directedShuffles = []string{"i(u,i,u)", "i(u,i,u,i)", "u(u,u,u)", "u(u,u,u,i)", "l(u,l,u)", "l(u,l,u,i)", "m(u,m,u)", "m(u,m,u,i)",
		"L(u,L,u)", "L(u,L,u,i)", "U(u,U,u)", "U(u,U,u,i)", "f(u,f,u)", "f(u,f,u,i)", "d(u,d,u)", "d(u,d,u,i)"}
)

// device is what only device code has: indices, barriers, fences, clocks, votes
// and shuffles.
var device = [...]group{
	{names: "threadIdx blockIdx", Row: Row{Kind: Var, Of: "K", Device: true, LowLevel: whyIndex, Effects: PerThread, Engines: DeviceGen}},
	{names: "blockDim gridDim", Row: Row{Kind: Var, Of: "D", Device: true, LowLevel: whyIndex, Effects: PerThread, Engines: DeviceGen}},
	{names: "warpSize", Row: Row{Kind: Var, Of: "i", Device: true, LowLevel: whyIndex, Engines: DeviceGen}},
	{names: "__syncthreads", Row: Row{Forms: []string{"v()"}, Device: true, LowLevel: whyBarrier, Effects: Barrier, Engines: DeviceGen}},
	{names: "__syncwarp", Row: Row{Forms: []string{"v()", "v(u)"}, Device: true, LowLevel: whyBarrier, Effects: Barrier, Engines: DeviceGen}},
	{names: "__syncthreads_and __syncthreads_or __syncthreads_count", Row: Row{Forms: []string{"i(i)"}, Device: true, LowLevel: whyBarrier, Effects: Barrier | PerThread, Engines: DeviceGen}},
	{names: "__threadfence __threadfence_block __threadfence_system", Row: Row{Forms: []string{"v()"}, Device: true, Effects: Fence, Engines: kernels}},
	{names: "__threadfence_cluster", Row: Row{Forms: []string{"v()"}, Device: true, LowLevel: whyBarrier, Effects: Fence, Engines: DeviceGen}},
	{names: "clock64", Row: Row{Forms: []string{"L()"}, Device: true, LowLevel: whyClock, Effects: PerThread, Engines: DeviceGen}},
	{names: "clock", Row: Row{Forms: []string{"l()"}, Device: true, LowLevel: whyClock, Effects: PerThread, Engines: DeviceGen}},
	{names: "__trap", Row: Row{Forms: []string{"v()"}, Device: true, LowLevel: whyClock, Effects: MayExit | NoReturn, Engines: DeviceGen}},
	{names: "__nanosleep", Row: Row{Forms: []string{"v(u)"}, Device: true, LowLevel: whyClock, Effects: PerThread, Engines: DeviceGen}},
	{names: "__ldg", Row: Row{Rule: MinMaxCall, Forms: []string{"i(#i)", "u(#u)", "l(#l)", "m(#m)", "L(#L)", "U(#U)", "f(#f)", "d(#d)"}, Device: true, Effects: Reads, Engines: kernels},
		forms: func(r *Row) {
			r.CUDAForms = append([]string{"c(#c)", "a(#a)", "h(#h)", "s(#s)", "t(#t)"}, hintedVectors("T(#T)")...)
		}},

	{names: "__shfl_sync __shfl_xor_sync", Row: Row{Rule: MinMaxCall, Forms: shuffles, Device: true, LowLevel: whyWarp, Effects: Barrier | PerThread, Engines: DeviceGen}},
	{names: "__shfl_up_sync __shfl_down_sync", Row: Row{Rule: MinMaxCall, Forms: directedShuffles, Device: true, LowLevel: whyWarp, Effects: Barrier | PerThread, Engines: DeviceGen}},
	{names: "__ballot_sync", Row: Row{Forms: []string{"u(u,i)"}, Device: true, LowLevel: whyWarp, Effects: Barrier | PerThread, Engines: DeviceGen}},
	{names: "__any_sync __all_sync", Row: Row{Forms: []string{"i(u,i)"}, Device: true, LowLevel: whyWarp, Effects: Barrier | PerThread, Engines: DeviceGen}},
	{names: "__activemask", Row: Row{Forms: []string{"u()"}, Device: true, LowLevel: whyWarp, Effects: PerThread, Engines: DeviceGen}},
	{names: "__match_any_sync", Row: Row{Rule: MinMaxCall, Forms: []string{"u(u,i)", "u(u,u)", "u(u,l)", "u(u,m)", "u(u,L)", "u(u,U)", "u(u,f)", "u(u,d)"},
		Device: true, LowLevel: whyWarp, Effects: Barrier | PerThread, Engines: DeviceGen}},

	// What <cooperative_groups.h> makes its clusters of (sm_90_rt.h): the barrier
	// of a cluster of blocks in two halves, and the block's place.
	{names: "__cluster_barrier_arrive __cluster_barrier_arrive_relaxed __cluster_barrier_wait", Row: Row{Forms: []string{"v()"}, Device: true, LowLevel: whyBarrier, Effects: Barrier, Engines: DeviceGen}},
	{names: "__clusterRelativeBlockRank __clusterSizeInBlocks", Row: Row{Forms: []string{"u()"}, Device: true, LowLevel: whyIndex, Effects: PerThread, Engines: DeviceGen}},
	{names: "__clusterDim __clusterRelativeBlockIdx __clusterGridDimInClusters __clusterIdx", Row: Row{Forms: []string{"D()"}, Device: true, LowLevel: whyIndex, Effects: PerThread, Engines: DeviceGen}},

	// The forms of what <cuda/atomic> has that nvcc itself knows (CUDA C++
	// Programming Guide, built-in atomic functions): order and scope are constants.
	{names: "__nv_atomic_thread_fence", Row: Row{Forms: []string{"v(i,i)"}, Device: true, LowLevel: whyOrder, Effects: Fence, Engines: DeviceGen}},
	{names: "__nv_atomic_load_n", Row: Row{Rule: MinMaxCall, Forms: []string{"i(*i,i,i)", "u(*u,i,i)", "l(*l,i,i)", "m(*m,i,i)", "L(*L,i,i)", "U(*U,i,i)"},
		Device: true, LowLevel: whyOrder, Effects: Reads | Fence, Engines: DeviceGen}},
	{names: "__NV_ATOMIC_RELAXED __NV_THREAD_SCOPE_THREAD", Row: Row{Kind: Const, Of: "i", Value: "0", Host: true, Device: true, Engines: everywhere}},
	{names: "__NV_ATOMIC_CONSUME __NV_THREAD_SCOPE_BLOCK", Row: Row{Kind: Const, Of: "i", Value: "1", Host: true, Device: true, Engines: everywhere}},
	{names: "__NV_ATOMIC_ACQUIRE __NV_THREAD_SCOPE_CLUSTER", Row: Row{Kind: Const, Of: "i", Value: "2", Host: true, Device: true, Engines: everywhere}},
	{names: "__NV_ATOMIC_RELEASE __NV_THREAD_SCOPE_DEVICE", Row: Row{Kind: Const, Of: "i", Value: "3", Host: true, Device: true, Engines: everywhere}},
	{names: "__NV_ATOMIC_ACQ_REL __NV_THREAD_SCOPE_SYSTEM", Row: Row{Kind: Const, Of: "i", Value: "4", Host: true, Device: true, Engines: everywhere}},
	{names: "__NV_ATOMIC_SEQ_CST", Row: Row{Kind: Const, Of: "i", Value: "5", Host: true, Device: true, Engines: everywhere}},
}

// roundings are the ends of the intrinsics with a rounding mode in the name: to
// nearest, toward zero, up and down.
const roundings = "_rn _rz _ru _rd"

// intrinsics are those of CUDA's device code that IrGL has not.
var intrinsics = [...]group{
	{names: "__expf __exp10f __logf __log2f __log10f __sinf __cosf __tanf", Row: Row{Forms: float1, Device: true, CUDAOnly: true, Inexact: true, Engines: DeviceGen}},
	{names: "__powf __fdividef", Row: Row{Forms: float2, Device: true, CUDAOnly: true, Inexact: true, Engines: DeviceGen}},
	{names: "__saturatef", Row: Row{Forms: float1, Device: true, CUDAOnly: true, Engines: DeviceGen}},
	{names: "__sincosf", Row: Row{Forms: []string{"v(f,*f,*f)"}, Device: true, CUDAOnly: true, Inexact: true, Effects: Writes, Engines: DeviceGen}},
	// Instructions that CUDA has no name for; the device library alone may use them.
	{names: "__irgl_ex2 __irgl_lg2 __irgl_rcp", Row: Row{Forms: float1, Device: true, CUDAOnly: true, Inexact: true, Engines: DeviceGen}},
	{names: "__irgl_rcp64", Row: Row{Forms: []string{"d(d)"}, Device: true, CUDAOnly: true, Inexact: true, Engines: DeviceGen}},

	{names: "__fadd __fsub __fmul __fdiv", ends: roundings, Row: Row{Forms: float2, Device: true, CUDAOnly: true, Engines: DeviceGen}},
	{names: "__dadd __dsub __dmul __ddiv", ends: roundings, Row: Row{Forms: []string{"d(d,d)"}, Device: true, CUDAOnly: true, Engines: DeviceGen}},
	{names: "__fmaf", ends: roundings, Row: Row{Forms: float3, Device: true, CUDAOnly: true, Engines: DeviceGen}},
	{names: "__fma", ends: roundings, Row: Row{Forms: []string{"d(d,d,d)"}, Device: true, CUDAOnly: true, Engines: DeviceGen}},
	{names: "__fsqrt __frcp", ends: roundings, Row: Row{Forms: float1, Device: true, CUDAOnly: true, Engines: DeviceGen}},
	{names: "__dsqrt __drcp", ends: roundings, Row: Row{Forms: []string{"d(d)"}, Device: true, CUDAOnly: true, Engines: DeviceGen}},
	{names: "__float2int", ends: roundings, Row: Row{Forms: []string{"i(f)"}, Device: true, CUDAOnly: true, Engines: DeviceGen}},
	{names: "__float2uint", ends: roundings, Row: Row{Forms: []string{"u(f)"}, Device: true, CUDAOnly: true, Engines: DeviceGen}},
	{names: "__float2ll", ends: roundings, Row: Row{Forms: []string{"L(f)"}, Device: true, CUDAOnly: true, Engines: DeviceGen}},
	{names: "__float2ull", ends: roundings, Row: Row{Forms: []string{"U(f)"}, Device: true, CUDAOnly: true, Engines: DeviceGen}},
	{names: "__double2int", ends: roundings, Row: Row{Forms: []string{"i(d)"}, Device: true, CUDAOnly: true, Engines: DeviceGen}},
	{names: "__double2uint", ends: roundings, Row: Row{Forms: []string{"u(d)"}, Device: true, CUDAOnly: true, Engines: DeviceGen}},
	{names: "__double2ll", ends: roundings, Row: Row{Forms: []string{"L(d)"}, Device: true, CUDAOnly: true, Engines: DeviceGen}},
	{names: "__double2ull", ends: roundings, Row: Row{Forms: []string{"U(d)"}, Device: true, CUDAOnly: true, Engines: DeviceGen}},
	{names: "__int2float", ends: roundings, Row: Row{Forms: []string{"f(i)"}, Device: true, CUDAOnly: true, Engines: DeviceGen}},
	{names: "__uint2float", ends: roundings, Row: Row{Forms: []string{"f(u)"}, Device: true, CUDAOnly: true, Engines: DeviceGen}},
	{names: "__ll2float", ends: roundings, Row: Row{Forms: []string{"f(L)"}, Device: true, CUDAOnly: true, Engines: DeviceGen}},
	{names: "__ull2float", ends: roundings, Row: Row{Forms: []string{"f(U)"}, Device: true, CUDAOnly: true, Engines: DeviceGen}},
	{names: "__ll2double", ends: roundings, Row: Row{Forms: []string{"d(L)"}, Device: true, CUDAOnly: true, Engines: DeviceGen}},
	{names: "__ull2double", ends: roundings, Row: Row{Forms: []string{"d(U)"}, Device: true, CUDAOnly: true, Engines: DeviceGen}},
	{names: "__double2float", ends: roundings, Row: Row{Forms: []string{"f(d)"}, Device: true, CUDAOnly: true, Engines: DeviceGen}},
	{names: "__int2double_rn", Row: Row{Forms: []string{"d(i)"}, Device: true, CUDAOnly: true, Engines: DeviceGen}}, // 32 bits always fit a double
	{names: "__uint2double_rn", Row: Row{Forms: []string{"d(u)"}, Device: true, CUDAOnly: true, Engines: DeviceGen}},
	{names: "__frsqrt_rn", Row: Row{Forms: float1, Device: true, CUDAOnly: true, Engines: DeviceGen}},
	{names: "__double2hiint __double2loint", Row: Row{Forms: []string{"i(d)"}, Device: true, CUDAOnly: true, Engines: DeviceGen}},
	{names: "__hiloint2double", Row: Row{Forms: []string{"d(i,i)"}, Device: true, CUDAOnly: true, Engines: DeviceGen}},

	{names: "__funnelshift_l __funnelshift_r __funnelshift_lc __funnelshift_rc", Row: Row{Forms: []string{"u(u,u,u)"}, Device: true, CUDAOnly: true, Engines: DeviceGen}},
	{names: "__sad", Row: Row{Forms: []string{"u(i,i,u)"}, Device: true, CUDAOnly: true, Engines: DeviceGen}},
	{names: "__usad", Row: Row{Forms: []string{"u(u,u,u)"}, Device: true, CUDAOnly: true, Engines: DeviceGen}},
	{names: "__hadd __rhadd", Row: Row{Forms: []string{"i(i,i)"}, Device: true, CUDAOnly: true, Engines: DeviceGen}},
	{names: "__uhadd __urhadd", Row: Row{Forms: []string{"u(u,u)"}, Device: true, CUDAOnly: true, Engines: DeviceGen}},
	{names: "__fns", Row: Row{Forms: []string{"u(u,u,i)"}, Device: true, CUDAOnly: true, Engines: DeviceGen}},
	{names: "__dp4a", Row: Row{Rule: MinMaxCall, Forms: []string{"i(i,i,i)", "u(u,u,u)"}, Device: true, CUDAOnly: true, Engines: DeviceGen}},
}
