package headers

import (
	"embed"
	"io/fs"
)

// Prelude is the header that is included in front of every file. What it declares but
// macros is in a [Demand].
const Prelude = "irgl/prelude.h"

// HostPrelude and HostMain are what is in front of and behind a file whose host code irgl
// evaluates. The headers of HostFolder take the place of others of their names there.
const (
	HostPrelude = "irgl/host/prelude.h"
	HostMain    = "irgl/host/main.h"
	HostFolder  = "irgl/host"
)

//go:embed all:include
var files embed.FS

// FS returns the headers by the names in #include <...>.
func FS() fs.FS {
	sub, err := fs.Sub(files, "include")
	if err != nil {
		panic(err) // the folder is embedded
	}
	return sub
}

// Shared are headers, and folders of them, that host code reads, too: their functions are for the
// device, or for both sides, and their classes are the same for both.
var Shared = [...]string{"cub", "cuda", "cuComplex.h", "cuda_awbarrier.h", "cuda_fp8.h", "cuda_pipeline.h", "cuda_pipeline_primitives.h", "cufft.h", "cufftXt.h", "curand_kernel.h", "curand_lognormal.h", "curand_normal.h", "curand_philox4x32_x.h", "curand_poisson.h", "curand_uniform.h", "mma.h", "thrust"}
