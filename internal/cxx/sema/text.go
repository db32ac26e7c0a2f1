package sema

import (
	"strings"

	"irgl/internal/cxx/ast"
)

// textOf returns the source text of a range.
func textOf(s ast.Span) string {
	from, to := s.Pos(), s.End()
	if from.File == nil || to.Offset < from.Offset {
		return ""
	}
	return string(from.File.Content[from.Offset:to.Offset])
}

// sameText reports whether two ranges have the same text, white space aside.
func sameText(a, b ast.Span) bool {
	return strings.Join(strings.Fields(textOf(a)), "") == strings.Join(strings.Fields(textOf(b)), "")
}

// signatureSpan is the range of a function's parameters.
func signatureSpan(d *ast.FuncDecl) ast.Span {
	if d.Type == nil || len(d.Type.Params) == 0 {
		return ast.Span{}
	}
	return ast.Range(d.Type.Params[0].Pos(), d.Type.Params[len(d.Type.Params)-1].End())
}

func resultSpan(d *ast.FuncDecl) ast.Span {
	if d.Type == nil || d.Type.Result == nil {
		return ast.Span{}
	}
	return spanOf(d.Type.Result)
}
