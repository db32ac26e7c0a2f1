package sema

import (
	"irgl/internal/cxx/ast"
	"irgl/internal/cxx/hir"
	"irgl/internal/cxx/types"
)

// launch analyses a launch: f<<<grid, block, shared, stream>>>(args). The kernel is chosen as
// the function of a call is. Launches of host code are for the host's compiler, but for the
// instances that they name.
func (e *env) launch(x *ast.LaunchExpr) hir.Expr {
	fun := e.expr(stripParens(x.Fun))
	args := e.exprs(x.Args)
	conf := e.exprs(x.Config)
	if isBad(fun) || anyBad(args) || anyBad(conf) {
		return e.bad(x)
	}
	if e.host || e.body == nil {
		return e.bad(x)
	}
	conf, ok := e.configuration(conf)
	if !ok {
		return e.bad(x)
	}
	sub := *e
	sub.launching = true
	made := sub.callExpr(&ast.CallExpr{Span: x.Span, Fun: x.Fun, Args: x.Args}, fun, args)
	if isBad(made) {
		return made
	}
	call, ok := made.(*hir.Call)
	switch {
	case !ok || call.Func == nil:
		e.errorf(x, codeRefused, "a launch through a pointer is not supported in device code").Hint = "name the kernel"
		return e.bad(x)
	case call.Func.Kind != hir.Kernel:
		e.errorf(x.Fun, codeKernel, "kernel call to non-global function '%s'", call.Func.Name)
		return e.bad(x)
	}
	for i, p := range call.Func.Params {
		if p.Type.IsClass() && !p.Type.Class.TrivialCopy {
			e.errorf(call.Args[i], codeRefused, "the argument of a launch in device code is copied as bytes, but '%s' is not trivially copyable", p.Type)
			return e.bad(x)
		}
	}
	return &hir.Launch{Info: hir.Info{Span: x.Span, T: e.basic(types.Void)}, Func: call.Func, Config: conf, Args: call.Args}
}

// configuration converts the operands of <<<>>>, two to four as the parser wants them: the grid,
// the block, the bytes of shared memory, and the stream.
func (e *env) configuration(conf []hir.Expr) ([]hir.Expr, bool) {
	dim3, stream := e.globalType("dim3"), e.globalType("cudaStream_t")
	want := []types.Type{dim3, dim3, e.basic(types.ULong), stream}
	out := make([]hir.Expr, len(conf))
	for i, x := range conf {
		if !want[i].IsValid() {
			e.unexplained(x)
			return nil, false
		}
		if out[i] = e.convertTo(x, want[i], "kernel launch configuration"); isBad(out[i]) {
			return nil, false
		}
	}
	return out, true
}

// globalType returns the type of a name at file scope that our own headers declare.
func (e *env) globalType(name string) types.Type {
	sub := &env{checker: e.checker, scope: e.global.scope}
	f := sub.lookup(name, onlyTypes)
	switch o := f.obj.(type) {
	case *alias:
		return sub.resolveAlias(o)
	case *class:
		return e.types.Class(o.t)
	}
	return types.Type{}
}
