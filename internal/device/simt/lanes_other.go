//go:build !amd64

package simt

// There are no vector kernels.

const hasVectors = false

var (
	unaryCode   map[string]unaryVector
	binaryCode  map[string]binaryVector
	ternaryCode map[string]ternaryVector
	compareCode map[string]compareVector
)
