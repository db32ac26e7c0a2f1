package klap

import (
	"slices"

	"irgl/internal/tree"
	"irgl/syntax"
)

// Text returns a program as nvcc is to have it: streams, copies and fills are those of its runtime, and what asks whether a launch has failed calls cudaGetLastError, which
// nvcc's device runtime has.
func Text(f *syntax.File) *syntax.File {
	f = withRuntime(f)
	const failed, ours = "__klap_failed", "irgl_launch_error"
	if !tree.Mentions(f, failed) {
		return f
	}
	out := *f
	out.Decls = slices.Clone(f.Decls)
	others := tree.Names{}
	for i, d := range out.Decls {
		switch declared(d) {
		case failed:
			if d.(*syntax.FuncDecl).Body != nil {
				out.Decls[i] = tree.Declarations("static __device__ int " + failed + "(void) {\n\treturn cudaGetLastError() != 0;\n}\n")[0]
			}
		case ours:
		default:
			mention(d, others)
		}
	}
	if !others[ours] {
		out.Decls = slices.DeleteFunc(out.Decls, func(d syntax.Decl) bool { return declared(d) == ours })
	}
	return &out
}
