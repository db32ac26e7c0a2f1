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

// hintFor returns what may help where no declaration of a name is seen: a header, or a name that is
// spelt much the same. Of one or two letters any other would be.
func (e *env) hintFor(name string) string {
	if header := headerOf(name); header != "" {
		return "#include <" + header + "> declares it"
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
