package sema

import (
	"strings"

	"irgl/internal/suggest"
)

// headerOf are the headers of names that programs often use without them.
var headerOf = map[string]string{
	"half": "cuda_fp16.h", "half2": "cuda_fp16.h", "__half": "cuda_fp16.h", "__half2": "cuda_fp16.h", "__float2half": "cuda_fp16.h",
	"__nv_bfloat16": "cuda_bf16.h", "__nv_bfloat162": "cuda_bf16.h", "__float2bfloat16": "cuda_bf16.h",
	"curandState": "curand_kernel.h", "curandState_t": "curand_kernel.h", "curandStatePhilox4_32_10_t": "curand_kernel.h", "curand_init": "curand_kernel.h", "curand_uniform": "curand_kernel.h",
	"cooperative_groups": "cooperative_groups.h", "this_thread_block": "cooperative_groups.h", "this_grid": "cooperative_groups.h",
	"cub": "cub/cub.cuh", "nvcuda": "mma.h", "cuComplex": "cuComplex.h", "cuFloatComplex": "cuComplex.h", "cuDoubleComplex": "cuComplex.h",
}

// hintFor returns what may help where no declaration of a name is seen: a header, or a name that is
// spelt much the same. Of one or two letters any other would be.
func (e *env) hintFor(name string) string {
	if header := headerOf[name]; header != "" {
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
