package opt

import "irgl/internal/source"

// The diagnostics of this package, each with its smallest program.
const (
	// CodeOutline: a loop that is to be outlined does not exist, or cannot be.
	//
	//	irgl build --outline=7 bfs
	CodeOutline source.Code = "L0007"
)
