//go:build !amd64

package simt

// There are no vector kernels.

const hasVectors = false

func unaryCode() map[string]unaryVector     { return nil }
func binaryCode() map[string]binaryVector   { return nil }
func ternaryCode() map[string]ternaryVector { return nil }
func compareCode() map[string]compareVector { return nil }
