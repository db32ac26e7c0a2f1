package sema

import (
	"strings"

	"irgl/internal/suggest"
)

// headerOf returns the header of a name that programs often use without it; "" for others.
func headerOf(name string) string {
	switch name {
	case "half", "half2", "__half", "__half2", "__float2half":
		return "cuda_fp16.h"
	case "__nv_bfloat16", "__nv_bfloat162", "__float2bfloat16":
		return "cuda_bf16.h"
	case "curandState", "curandState_t", "curandStatePhilox4_32_10_t", "curand_init", "curand_uniform":
		return "curand_kernel.h"
	case "cooperative_groups", "this_thread_block", "this_grid":
		return "cooperative_groups.h"
	case "cub":
		return "cub/cub.cuh"
	case "nvcuda":
		return "mma.h"
	case "cuComplex", "cuFloatComplex", "cuDoubleComplex":
		return "cuComplex.h"
	}
	return ""
}

// instead is what to write in place of functions that CUDA has and device code lacks here.
var instead = map[string]string{
	"__pm0": profilerCounters, "__pm1": profilerCounters, "__pm2": profilerCounters, "__pm3": profilerCounters,
	"__isGridConstant": gridConstants, "__cvta_generic_to_grid_constant": gridConstants, "__cvta_grid_constant_to_generic": gridConstants,
	"__isClusterShared": clusterShared, "__cluster_map_shared_rank": clusterShared, "__cluster_query_shared_rank": clusterShared,
	"__cluster_map_shared_multicast": clusterShared, "__clusterDimIsSpecified": "the kernel's __cluster_dims__ or its launch says it: pass it as an argument",
	"__nv_cvt_float_to_e8m0": scalesOfEightBits, "__nv_cvt_double_to_e8m0": scalesOfEightBits, "__nv_cvt_float2_to_e8m0x2": scalesOfEightBits,
	"__nv_cvt_double2_to_e8m0x2": scalesOfEightBits, "__nv_cvt_bfloat16raw_to_e8m0": scalesOfEightBits, "__nv_cvt_bfloat162raw_to_e8m0x2": scalesOfEightBits,
	"__nv_cvt_e8m0_to_bf16raw": scalesOfEightBits, "__nv_cvt_e8m0x2_to_bf162raw": scalesOfEightBits,
	"__u128AtomicCAS": wideAtomics, "__u128AtomicExch": wideAtomics,
	"powi": "pow(x, (double)n) has the same values", "powif": "powf(x, (float)n) has the same values",
}

const (
	profilerCounters  = "a profiler reads the counters; clock64() and __globaltimer() give times"
	gridConstants     = "a parameter that is __grid_constant__ is read in place: its address is an ordinary pointer"
	clusterShared     = "shared memory of other blocks of a cluster is not supported: exchange the values in global memory"
	scalesOfEightBits = "a scale of E8M0 is a power of two: ilogbf and ldexpf make and apply it"
	wideAtomics       = "atomicCAS and atomicExch are of 8 bytes at most: keep an index to the 16 bytes"
)

// hintFor returns what may help where no declaration of a name is seen: a header, what to write
// instead, or a name that is spelt much the same. Of one or two letters any other would be.
func (e *env) hintFor(name string) string {
	if header := headerOf(name); header != "" {
		return "#include <" + header + "> declares it"
	}
	if hint := instead[name]; hint != "" {
		return hint
	}
	candidates := e.visibleNames()
	if e.opts.Builtins != nil {
		candidates = append(candidates, e.opts.Builtins()...)
	}
	near, ok := suggest.Nearest(name, candidates)
	if !ok || len(name) < 3 && !strings.EqualFold(name, near) {
		return ""
	}
	return "did you mean '" + near + "'?"
}
