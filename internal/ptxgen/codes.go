package ptxgen

import "irgl/internal/source"

// The codes of this package's diagnostics, each with the smallest program that
// produces it.
const (
	codeTarget source.Code = "T0001" // __global__ void __cluster_dims__(8) k(void) { __cluster_barrier_arrive(); }   a feature that the target's devices lack
)
