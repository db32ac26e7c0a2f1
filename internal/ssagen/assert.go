package ssagen

import (
	"irgl/internal/ssa"
	"irgl/syntax"
)

// assertFunc is the function of the device runtime that ends a kernel with the
// message of an assertion: (expression, file, line, function, size of a character).
const assertFunc = "__assertfail"

// assertFail calls it for an assertion that fails, as nvcc's assert does.
func (c *bcall) assertFail() {
	c.declareAssert()
	pos := c.e.Pos()
	text := func(s string) *ssa.Value { return c.generic(c.globalAddr(c.stringVar(s))) }
	call := c.emit(ssa.OpCall, ssa.Void, text(sourceText(c.e.Args[0])), text(pos.File.Name),
		c.intConst(ssa.I32, int64(pos.Line())), text(c.fn.Decl.Name.Name), c.intConst(ssa.I64, 1))
	call.Sym = ssa.Name(assertFunc)
}

// declareAssert declares the function, once.
func (b *builder) declareAssert() {
	for _, f := range b.mod.Funcs {
		if f.Name == assertFunc {
			return
		}
	}
	f := &ssa.Func{Name: assertFunc, Result: ssa.Void}
	for _, p := range []struct {
		name string
		typ  ssa.Type
	}{{"expression", ssa.Ptr}, {"file", ssa.Ptr}, {"line", ssa.I32}, {"function", ssa.Ptr}, {"size", ssa.I64}} {
		f.Params = append(f.Params, &ssa.Param{Name: p.name, Type: p.typ, Size: int64(p.typ.Size()), Align: int64(p.typ.Size())})
	}
	b.mod.Funcs = append(b.mod.Funcs, f)
}

// sourceText returns the text of an expression.
func sourceText(e syntax.Expr) string {
	from, to := e.Pos(), e.End()
	if from.IsValid() && from.File == to.File && from.Offset <= to.Offset && int(to.Offset) <= len(from.File.Content) {
		return string(from.File.Content[from.Offset:to.Offset])
	}
	return "the condition"
}
