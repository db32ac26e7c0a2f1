//go:build !amd64

package simt

const hasVectors = false

var (
	unaryCode   map[string]unaryVector
	binaryCode  map[string]binaryVector
	ternaryCode map[string]ternaryVector
	compareCode map[string]compareVector
)

// blend copies the lanes of m from s to d.
func blend(d, s *[32]uint64, m uint32) {
	for ; m != 0; m &= m - 1 {
		i := lowest(m)
		d[i] = s[i]
	}
}
