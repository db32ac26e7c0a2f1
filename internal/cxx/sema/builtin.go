package sema

import (
	"strings"

	"irgl/internal/cxx/ast"
	"irgl/internal/cxx/hir"
	"irgl/internal/cxx/types"
)

// builtinCall analyses a call of one of the compiler's functions that take or give what
// no declaration can say; nil for other names.
func (e *env) builtinCall(x *ast.CallExpr, name string) hir.Expr {
	if !strings.HasPrefix(name, "__builtin_") {
		return nil
	}
	args := e.exprs(x.Args)
	if anyBad(args) {
		return e.bad(x)
	}
	switch {
	case name == "__builtin_addressof" && len(args) == 1:
		return e.address(x.Span, e.single(args[0]))
	case name == "__builtin_expect" && len(args) >= 2:
		return e.convertTo(args[0], e.basic(types.Long), "parameter")
	case name == "__builtin_assume" && len(args) == 1:
		return &hir.Convert{Info: rvalueInfo(x.Span, e.basic(types.Void)), Kind: hir.ToVoid, X: e.toBool(args[0])}
	case name == "__builtin_constant_p" && len(args) == 1:
		n := uint64(0)
		if e.fold(e.load(args[0])) != nil {
			n = 1
		}
		return e.intConst(n, e.basic(types.Int), x.Span)
	case name == "__builtin_is_constant_evaluated":
		return e.intConst(0, e.basic(types.Bool), x.Span)
	}
	return nil
}
