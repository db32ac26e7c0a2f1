//go:build unix

package memory

import (
	"math"
	"syscall"
)

// addressSpace returns the limit of the process's address space, or of its data, if that is less.
func addressSpace() int64 {
	limit := int64(math.MaxInt64)
	for _, kind := range []int{syscall.RLIMIT_AS, syscall.RLIMIT_DATA} {
		var r syscall.Rlimit
		if err := syscall.Getrlimit(kind, &r); err == nil && uint64(r.Cur) <= math.MaxInt64 {
			limit = min(limit, int64(r.Cur))
		}
	}
	return limit
}
