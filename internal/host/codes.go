package host

import "irgl/internal/source"

// The diagnostics of this package, each with its smallest program.
const (
	// CodeGoto: host code jumps.
	//
	//	int main(void) { again: goto again; }
	CodeGoto source.Code = "H0001"

	// CodeNoBody: host code calls a function that is only declared, or through
	// a pointer.
	//
	//	int f(void); int main(void) { return f(); }
	CodeNoBody source.Code = "H0002"

	// CodeDeviceVariable: host code reads or writes a device variable as if it
	// were its own.
	//
	//	__device__ int n; int main(void) { return n; }
	CodeDeviceVariable source.Code = "H0003"

	// CodeBuiltin: host code uses a function that this implementation has on
	// devices only, or not at all.
	//
	//	int main(void) { cudaStream_t s; return cudaStreamCreate(&s); }
	CodeBuiltin source.Code = "H0004"
)
