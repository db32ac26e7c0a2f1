package hosteval

import "irgl/internal/source"

// The codes of this package's diagnostics. Each is documented by its smallest program.
const (
	// A header of the host that host code includes and uses, and that is not here.
	//	#include <iostream>
	codeHeader source.Code = "HE001"
	// A source without a function main.
	//	__global__ void k() {}
	codeMain source.Code = "HE002"
)
