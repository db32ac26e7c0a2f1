package cuda

import "irgl/internal/codecache"

// Options change how a GPU is used.
type Options struct {
	// Cache keeps the machine code of what is linked; nil for none. The driver has a cache
	// of what it compiles.
	Cache *codecache.Cache
	// Unoptimised has the driver's assembler optimise nothing. An answer that
	// is right with it alone was made wrong by the assembler.
	Unoptimised bool
	// Primary uses the GPU's primary context, which the CUDA runtime and
	// libraries above it use in the process, instead of one of the device's
	// own: then their pointers are valid in kernels and copies, and the
	// device's in theirs. A fault in a kernel of either ruins both, and the
	// stack size that recursive kernels need is raised for both.
	Primary bool
}
