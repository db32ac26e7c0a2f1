package klap

import (
	"slices"

	"irgl/internal/tree"
	"irgl/syntax"
)

// runtimeCalls are what the calls of the compiler's own runtime in device code are for nvcc, with its arguments as a0, a1 and so on.
// A program without dynpar has definitions of these functions that do nothing.
var runtimeCalls = [...]struct{ name, call string }{
	{"irgl_launch_copy", "cudaMemcpyAsync(a0, a1, a2, (cudaMemcpyKind)a3, (cudaStream_t)a4)"},
	{"irgl_launch_fill", "cudaMemsetAsync(a0, a1, a2, (cudaStream_t)a3)"},
	{"irgl_launch_stream", "cudaStreamCreateWithFlags((cudaStream_t *)a0, 1)"},
	{"irgl_launch_destroy", "cudaStreamDestroy((cudaStream_t)a0)"},
}

// withRuntime returns a program that calls the runtime of nvcc in the place of the compiler's.
func withRuntime(f *syntax.File) *syntax.File {
	out := *f
	out.Decls = slices.Clone(f.Decls)
	changed := false
	for i, d := range out.Decls {
		if !slices.ContainsFunc(runtimeCalls[:], func(c struct{ name, call string }) bool {
			return declared(d) != c.name && tree.Mentions(d, c.name)
		}) {
			continue
		}
		changed = true
		d = tree.Clone(d)
		tree.Rewriter{Expr: runtimeCall}.Rewrite(d)
		out.Decls[i] = d
	}
	if !changed {
		return f
	}
	out.Decls = slices.DeleteFunc(out.Decls, func(d syntax.Decl) bool {
		return slices.ContainsFunc(runtimeCalls[:], func(c struct{ name, call string }) bool { return declared(d) == c.name })
	})
	return &out
}

// runtimeCall returns the call of nvcc's runtime that a call of the compiler's is.
func runtimeCall(x syntax.Expr) syntax.Expr {
	for _, c := range runtimeCalls {
		call := tree.CallOf(x, c.name)
		if call == nil {
			continue
		}
		out := parsedCall(c.call)
		for i, a := range call.Args {
			if i >= len(out.Args) {
				break
			}
			if cast, ok := out.Args[i].(*syntax.CastExpr); ok {
				cast.X = tree.Paren(a)
			} else {
				out.Args[i] = a
			}
		}
		return out
	}
	return x
}

// parsedCall parses a call.
func parsedCall(text string) *syntax.CallExpr {
	list := tree.Declarations("typedef int cudaMemcpyKind;\nvoid f(void) {\n\t" + text + ";\n}\n")
	return list[1].(*syntax.FuncDecl).Body.Stmts[0].(*syntax.ExprStmt).X.(*syntax.CallExpr)
}
