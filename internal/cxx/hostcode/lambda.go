package hostcode

import (
	"strconv"

	"irgl/internal/cpp"
)

func (r *rewriter) isExtendedLambda(i int) bool {
	return cpp.ExtendedLambda(r.toks, i, func(i int) int { return r.match[i] })
}

// closure gives the extended lambda at i a type that says which lambda of the text it is, so
// that a kernel's symbol names it:
//
//	[=] __device__ (int i) { ... }   ::irgl::closure<0, 2>([=] (int i) { ... })
//
// The numbers are its place among the lambdas of device code, and how many there are: the
// device's half of the text must have as many.
func (r *rewriter) closure(i int) {
	n := r.passed
	r.passed++
	k := r.match[i] + 1
	for k < len(r.toks) && r.word(k) != cpp.LBrace {
		if r.word(k) == cpp.Semi || r.word(k) == cpp.RBrace {
			return
		}
		if m := r.match[k]; m > k {
			k = m
		}
		k++
	}
	if k >= len(r.toks) || r.match[k] < 0 {
		return
	}
	r.insert(i, "::irgl::closure<"+strconv.Itoa(n)+", "+strconv.Itoa(r.extended)+">(")
	r.insertBehind(r.match[k], ")")
}
