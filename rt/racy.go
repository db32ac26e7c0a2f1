//go:build !race

package rt

// Load and Store access a property or global that the program declares Racy: plainly,
// as the machine's accesses of aligned values are whole. Under the race detector they
// are atomic operations, so that it reports races that are not declared only.

// Load returns the value at p.
func Load[T Scalar](p *T) T { return *p }

// Store stores v at p.
func Store[T Scalar](p *T, v T) { *p = v }
