//go:build unix

package compile_test

import "syscall"

// processorTime returns the seconds that all threads of the process have run.
func processorTime() (float64, bool) {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		return 0, false
	}
	return float64(r.Utime.Nano()+r.Stime.Nano()) / 1e9, true
}
