package lower

import (
	"irgl/internal/check"
	"irgl/internal/source"
	"irgl/syntax"
)

// Text that a program passes on to CUDA's compiler (report, section 1) stands in
// the .cu text as it is. Names of such text are used as they are.

// RefuseForeign reports what only a CUDA compiler understands of a program that
// is to run without one.
func RefuseForeign(info *check.Info, diags *source.List) {
	const hint = "print the program with --emit=cu and compile that with nvcc"
	for _, b := range info.CBlocks {
		diags.Errorf(b.Pos(), b.End(), CodeForeign, "the text of a CBlock is for CUDA's compiler").Hint = hint
	}
	for _, id := range info.Foreign {
		diags.Errorf(id.Pos(), id.End(), CodeForeign, "what %s is only CUDA's compiler knows, from the program's C text", id.Name).Hint = hint
	}
}

// textBefore adds the C texts before a function in the program, or
// all for nil, unless they have been added.
func (l *lowerer) textBefore(f *check.FuncInfo) {
	for _, d := range l.info.File.Decls {
		if f != nil && d == syntax.Decl(f.Decl) {
			return
		}
		b, ok := d.(*syntax.CBlock)
		if !ok || l.passed[b] {
			continue
		}
		l.passed[b] = true
		l.out = append(l.out, &syntax.CBlock{Span: b.Span, Text: b.Text})
	}
}
