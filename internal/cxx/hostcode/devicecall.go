package hostcode

import "irgl/internal/cpp"

// deviceOnlyAttribute makes the host's compiler report calls of a function that is for the device alone:
// an error, by the flag of [HostFlags]. A function that is inlined is not reported.
const deviceOnlyAttribute = `__attribute__((noinline, unused, warning("calling a __device__ function from a __host__ function is not allowed")))`

// kernelAttribute makes the host's compiler report calls of a kernel's stub that are no launches.
const kernelAttribute = `__attribute__((noinline, warning("a __global__ function call must be configured by <<<...>>>")))`

// HostFlags are the flags that a rewritten text is compiled with. g++ would warn of each inline
// function that is declared noinline before, which the source does not say.
var HostFlags = []string{"-Werror=attribute-warning", "-Wno-attributes"}

// Functions for both sides may call those of the device: what they do on the host then is a trap, as
// nvcc accepts such calls with a warning.
const (
	allowCalls = "\n#pragma GCC diagnostic push\n#pragma GCC diagnostic ignored \"-Wattribute-warning\""
	allowEnd   = "\n#pragma GCC diagnostic pop"
)

// allowDeviceCalls allows the function whose declaration begins at from and whose body opens at body
// to call functions of the device.
func (r *rewriter) allowDeviceCalls(from, body int) {
	r.insert(from, allowCalls+r.here(from))
	r.insertBehind(r.match[body], allowEnd+"\n")
}

// allowDeviceCallsIn allows the lambda whose declarator begins at i, behind its qualifiers, to call functions
// of the device.
func (r *rewriter) allowDeviceCallsIn(i int) {
	for ; i < len(r.toks); i++ {
		switch w := r.word(i); {
		case w == cpp.LBrace && r.match[i] > 0:
			r.insertBehind(i, allowCalls+"\n")
			r.insert(r.match[i], allowEnd+r.here(r.match[i]))
			return
		case w == cpp.LParen && r.match[i] > 0, w == cpp.LBracket && r.match[i] > 0:
			i = r.match[i]
		case w == cpp.Semi, w == cpp.LBrace, w == cpp.RParen, w == cpp.RBrace, w == cpp.Comma:
			return
		}
	}
}

// first returns the first token of the declaration that i is in, with the heads of templates.
func (r *rewriter) first(i int) int {
	from := r.specifiersFrom(i)
	for {
		w := r.word(from - 1)
		if w != cpp.Greater && w != cpp.GreaterGreater {
			return from
		}
		open := r.anglesBack(from - 1)
		if open <= 0 || r.word(open-1) != cpp.KwTemplate {
			return from
		}
		from = open - 1
	}
}

// isDefaulted reports whether a function is defined by = default, = delete or = 0: then it is
// for both sides.
func (r *rewriter) isDefaulted(d *decl) bool {
	return r.word(d.end) == cpp.Equal
}
