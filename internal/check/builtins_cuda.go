package check

import "strings"

// Why operator code may not use parts of CUDA: the compiler decides which
// thread runs which iteration (IrGL paper, section 3.2).
const (
	whyIndex   = "the compiler maps iterations to threads, so operator code cannot name a thread"
	whyBarrier = "the compiler schedules iterations, so threads need not arrive together"
	whyWarp    = "the compiler maps iterations to threads, so operator code cannot talk to its warp"
	whyClock   = "it has no meaning on a CPU"
)

// low marks builtins that operator code may not use.
func (t *tableMaker) low(names, why string) {
	for name := range strings.FieldsSeq(names) {
		t.all[name].LowLevel = why
	}
}

// device adds what only device code has: indices, barriers, clocks.
func (t *tableMaker) device() {
	u3, dim := uint3(), Dim3()
	for name, typ := range map[string]Type{"threadIdx": u3, "blockIdx": u3, "blockDim": dim, "gridDim": dim, "warpSize": Int} {
		t.add(&Builtin{Name: name, Kind: BuiltinVar, Type: typ, LowLevel: whyIndex}, onDevice)
	}
	const barriers, fences = "__syncthreads", "__threadfence __threadfence_block __threadfence_system"
	t.fn(barriers, onDevice, PlainCall, "v()")
	t.fn(fences+" __threadfence_cluster", onDevice, PlainCall, "v()")
	t.fn("__syncwarp", onDevice, PlainCall, "v()", "v(u)")
	const reduce = "__syncthreads_and __syncthreads_or __syncthreads_count"
	t.fn(reduce, onDevice, PlainCall, "i(i)")
	t.low(barriers+" __syncwarp __threadfence_cluster "+reduce, whyBarrier)
	t.fn("clock64", onDevice, PlainCall, "L()")
	t.fn("clock", onDevice, PlainCall, "l()")
	t.low("clock64 clock", whyClock)
}

// clusters adds what <cooperative_groups.h> makes its clusters of (sm_90_rt.h): the
// barrier of a cluster of blocks in two halves, and the block's place.
func (t *tableMaker) clusters() {
	const barriers = "__cluster_barrier_arrive __cluster_barrier_arrive_relaxed __cluster_barrier_wait"
	t.fn(barriers, onDevice, PlainCall, "v()")
	t.low(barriers, whyBarrier)
	const ranks, places = "__clusterRelativeBlockRank __clusterSizeInBlocks", "__clusterDim __clusterRelativeBlockIdx __clusterGridDimInClusters __clusterIdx"
	t.fn(ranks, onDevice, PlainCall, "u()")
	t.fn(places, onDevice, PlainCall, "D()")
	t.low(ranks+" "+places, whyIndex)
}

// orders adds the forms of what <cuda/atomic> has that nvcc itself knows (CUDA C++
// Programming Guide, built-in atomic functions): order and scope are constants.
func (t *tableMaker) orders() {
	const orders = "__nv_atomic_load_n __nv_atomic_thread_fence"
	t.fn("__nv_atomic_thread_fence", onDevice, PlainCall, "v(i,i)")
	t.fn("__nv_atomic_load_n", onDevice, MinMaxCall, "i(*i,i,i)", "u(*u,i,i)", "l(*l,i,i)", "m(*m,i,i)", "L(*L,i,i)", "U(*U,i,i)")
	for i, name := range []string{"RELAXED", "CONSUME", "ACQUIRE", "RELEASE", "ACQ_REL", "SEQ_CST"} {
		t.intValue("__NV_ATOMIC_"+name, Int, int64(i))
	}
	for i, name := range []string{"THREAD", "BLOCK", "CLUSTER", "DEVICE", "SYSTEM"} {
		t.intValue("__NV_THREAD_SCOPE_"+name, Int, int64(i))
	}
	t.low(orders, "the language orders memory: at the end of a kernel, in Atomic and in Exclusive")
}

// warps adds votes, shuffles and what else begins with two underscores and is
// no arithmetic.
func (t *tableMaker) warps() {
	const shuffles, directed = "__shfl_sync __shfl_xor_sync", "__shfl_up_sync __shfl_down_sync"
	for _, s := range []struct{ names, lane string }{{shuffles, "i"}, {directed, "u"}} {
		var sigs []string
		for _, v := range []string{"i", "u", "l", "m", "L", "U", "f", "d"} {
			sigs = append(sigs, v+"(u,"+v+","+s.lane+")", v+"(u,"+v+","+s.lane+",i)")
		}
		t.fn(s.names, onDevice, MinMaxCall, sigs...)
	}
	t.fn("__ballot_sync", onDevice, PlainCall, "u(u,i)")
	t.fn("__any_sync __all_sync", onDevice, PlainCall, "i(u,i)")
	t.fn("__activemask", onDevice, PlainCall, "u()")
	t.fn("__match_any_sync", onDevice, MinMaxCall, "u(u,i)", "u(u,u)", "u(u,l)", "u(u,m)", "u(u,L)", "u(u,U)", "u(u,f)", "u(u,d)")
	t.low(shuffles+" "+directed+" __ballot_sync __any_sync __all_sync __activemask __match_any_sync", whyWarp)

	t.fn("__trap", onDevice, PlainCall, "v()")
	t.fn("__nanosleep", onDevice, PlainCall, "v(u)")
	t.low("__trap __nanosleep", whyClock)
	t.fn("__ldg", onDevice, MinMaxCall, "i(#i)", "u(#u)", "l(#l)", "m(#m)", "L(#L)", "U(#U)", "f(#f)", "d(#d)")
}

// hostLibrary adds the part of the C library that programs use. malloc, free
// and memory functions exist on the device too, printf and assert everywhere.
func (t *tableMaker) hostLibrary() {
	t.fn("printf", onBoth, PrintfCall, "i(#c,...)")
	t.fn("fprintf", onHost, PrintfCall, "i(*F,#c,...)")
	t.fn("assert", onBoth, PlainCall, "v(b)")
	t.fn("malloc", onBoth, PlainCall, "*v(m)")
	t.fn("calloc", onHost, PlainCall, "*v(m,m)")
	t.fn("realloc", onHost, PlainCall, "*v(*v,m)")
	t.fn("free", onBoth, PlainCall, "v(*v)")
	t.fn("memset", onBoth, PlainCall, "*v(*v,i,m)")
	t.fn("memcpy memmove", onBoth, PlainCall, "*v(*v,#v,m)")
	t.fn("strcmp", onHost, PlainCall, "i(#c,#c)")
	t.fn("strlen", onHost, PlainCall, "m(#c)")
	t.fn("atoi", onHost, PlainCall, "i(#c)")
	t.fn("atof", onHost, PlainCall, "d(#c)")
	t.fn("exit", onHost, PlainCall, "v(i)")
	t.fn("abort", onHost, PlainCall, "v()")
	for _, name := range []string{"stdout", "stderr"} {
		t.add(&Builtin{Name: name, Kind: BuiltinVar, Type: &Pointer{Elem: fileType}}, onHost)
	}
	for _, name := range []string{"malloc", "calloc", "realloc", "free", "memset", "memcpy", "memmove"} {
		t.all[name].LowLevel = "operator code has no heap: use a property or a global array"
	}
}

// cudaRuntime adds the part of the CUDA runtime API that host code uses.
func (t *tableMaker) cudaRuntime() {
	t.cudaOnly = true
	t.typ("cudaError_t", Int)
	t.typ("cudaMemcpyKind", Int)
	t.typ("cudaDeviceAttr", Int)
	t.typ("cudaStream_t", &Pointer{Elem: streamType})
	t.typ("cudaEvent_t", &Pointer{Elem: eventType})
	t.typ("cudaLaunchConfig_t", launchConfig())
	t.fn("cudaMalloc", onHost, PtrPtrCall, "i(**v,m)")
	t.fn("cudaMallocManaged", onHost, PtrPtrCall, "i(**v,m)", "i(**v,m,u)")
	t.fn("cudaMallocHost", onHost, PtrPtrCall, "i(**v,m)")
	t.fn("cudaFree cudaFreeHost", onHost, PlainCall, "i(*v)")
	t.fn("cudaMemcpy", onHost, PlainCall, "i(*v,#v,m,i)")
	t.fn("cudaMemcpyAsync", onHost, PlainCall, "i(*v,#v,m,i)", "i(*v,#v,m,i,*S)")
	t.fn("cudaMemset", onHost, PlainCall, "i(*v,i,m)")
	t.fn("cudaMemsetAsync", onHost, PlainCall, "i(*v,i,m)", "i(*v,i,m,*S)")
	// The symbol itself is given as a pointer here; the call's rule accepts
	// the variable.
	t.fn("cudaMemcpyToSymbol", onHost, SymbolCall, "i(*v,#v,m)", "i(*v,#v,m,m)", "i(*v,#v,m,m,i)")
	t.fn("cudaMemcpyFromSymbol", onHost, SymbolCall, "i(*v,#v,m)", "i(*v,#v,m,m)", "i(*v,#v,m,m,i)")
	t.fn("cudaGetSymbolAddress", onHost, SymbolCall, "i(**v,*v)")
	t.fn("cudaDeviceSynchronize", onBoth, PlainCall, "i()")
	t.fn("cudaGetLastError cudaPeekAtLastError", onBoth, PlainCall, "i()")
	t.fn("cudaDeviceReset", onHost, PlainCall, "i()")
	t.fn("cudaGetErrorString cudaGetErrorName", onBoth, PlainCall, "#c(i)")
	t.fn("cudaSetDevice", onHost, PlainCall, "i(i)")
	t.fn("cudaGetDevice", onHost, PlainCall, "i(*i)")
	t.fn("cudaDeviceGetAttribute", onHost, PlainCall, "i(*i,i,i)")
	t.fn("cudaOccupancyMaxActiveBlocksPerMultiprocessor", onHost, KernelCall, "i(*i,#v,i,m)")
	t.fn("cudaOccupancyMaxActiveClusters", onHost, KernelCall, "i(*i,#v,#G)")
	t.fn("cudaFuncSetAttribute", onHost, KernelCall, "i(#v,i,i)")
	t.intValue("cudaFuncAttributeNonPortableClusterSizeAllowed", Int, 14)
	t.fn("cudaLaunchCooperativeKernel", onHost, KernelCall, "i(#v,D,D,**v)", "i(#v,D,D,**v,m)", "i(#v,D,D,**v,m,*S)")
	t.fn("cudaStreamSynchronize cudaStreamDestroy", onHost, PlainCall, "i(*S)")
	t.fn("cudaStreamCreate", onHost, PlainCall, "i(**S)")
	for i, name := range []string{"cudaMemcpyHostToHost", "cudaMemcpyHostToDevice", "cudaMemcpyDeviceToHost", "cudaMemcpyDeviceToDevice", "cudaMemcpyDefault"} {
		t.intValue(name, Int, int64(i))
	}
	for name, v := range map[string]int64{
		"MaxThreadsPerBlock": 1, "MaxSharedMemoryPerBlock": 8, "WarpSize": 10, "MultiProcessorCount": 16,
		"MaxThreadsPerMultiProcessor": 39, "ComputeCapabilityMajor": 75, "ComputeCapabilityMinor": 76, "CooperativeLaunch": 95, "ClusterLaunch": 120,
	} {
		t.intValue("cudaDevAttr"+name, Int, v)
	}
	t.intValue("cudaSuccess", Int, 0)
	t.intValue("cudaErrorInvalidValue", Int, 1)
	t.intValue("cudaErrorMemoryAllocation", Int, 2)
}
