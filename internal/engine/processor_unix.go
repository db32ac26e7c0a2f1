//go:build unix

package engine

import (
	"syscall"
	"time"
)

// processorTime returns the processor time of this process and of those that it started and
// waited for.
func processorTime() time.Duration {
	var sum int64
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var u syscall.Rusage
		if syscall.Getrusage(who, &u) == nil {
			sum += u.Utime.Nano() + u.Stime.Nano()
		}
	}
	return time.Duration(sum)
}
