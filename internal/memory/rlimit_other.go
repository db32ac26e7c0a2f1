//go:build !unix

package memory

import "math"

// addressSpace returns the limit of the process's address space.
func addressSpace() int64 { return math.MaxInt64 }
