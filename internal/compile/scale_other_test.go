//go:build !unix

package compile_test

// processorTime is not known here.
func processorTime() (float64, bool) { return 0, false }
