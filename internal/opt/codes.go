package opt

import "irgl/internal/source"

// The diagnostics of this package, each with its smallest program.
const (
	// CodeOutline: a loop that is to be outlined does not exist, or cannot be.
	//
	//	irgl build --outline=7 bfs
	CodeOutline source.Code = "L0007"

	// CodePart: a switch for a kernel or a loop that there is not.
	//
	//	irgl build --np=BSF:wp bfs
	CodePart source.Code = "L0008"
)
