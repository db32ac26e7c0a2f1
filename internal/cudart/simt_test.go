//go:build linux

package cudart

import "testing"

func TestVectorAdd(t *testing.T) {
	r := run(t, "vector_add")
	r.want(t, 0, "0 wrong\n")
	r.quiet(t)
}
