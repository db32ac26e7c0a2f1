package sema

import (
	"strconv"
	"strings"

	"irgl/internal/cxx/ast"
	"irgl/internal/cxx/hir"
	"irgl/internal/cxx/types"
)

// udSuffix splits a literal into the literal and the suffix of a literal operator, "" for
// none ([lex.ext]).
func udSuffix(x *ast.Literal) (text, suffix string) {
	switch x.Kind {
	case ast.IntLit, ast.FloatLit:
		if i := strings.IndexByte(x.Text, '_'); i > 0 {
			return x.Text[:i], x.Text[i:]
		}
	case ast.CharLit:
		if i := strings.LastIndexByte(x.Text, '\''); i >= 0 {
			return x.Text[:i+1], x.Text[i+1:]
		}
	case ast.StringLit:
		parts := x.Parts
		if len(parts) == 0 {
			parts = []string{x.Text}
		}
		for _, p := range parts {
			if i := strings.LastIndexByte(p, '"'); i >= 0 && i+1 < len(p) {
				suffix = p[i+1:]
			}
		}
	}
	return x.Text, suffix
}

// userLiteral analyses a literal with a suffix: a call of the literal operator with the
// value, or with the characters if there is none for the value.
func (e *env) userLiteral(x *ast.Literal, text, suffix string) hir.Expr {
	lit := func(kind ast.LitKind, text string) ast.Expr {
		return &ast.Literal{Span: x.Span, Kind: kind, Text: text}
	}
	name := &ast.Name{Span: x.Span, Last: &ast.Segment{Span: x.Span, Kind: ast.LiteralOperator, Ident: suffix}}
	f := e.lookup(segmentKey(name.Last), anything)
	if !f.found() {
		e.errorf(x, codeLiteral, "no matching literal operator for call to 'operator\"\"%s'", suffix)
		return e.bad(x)
	}
	var args []ast.Expr
	switch x.Kind {
	case ast.StringLit:
		s := *x
		s.Text = strings.TrimSuffix(x.Text, suffix)
		s.Parts = nil
		for _, p := range x.Parts {
			s.Parts = append(s.Parts, strings.TrimSuffix(p, suffix))
		}
		v := e.str(&s)
		n := strconv.FormatInt(v.Type().Len-1, 10)
		args = []ast.Expr{&s, lit(ast.IntLit, n+"ul")}
	case ast.CharLit:
		args = []ast.Expr{lit(ast.CharLit, text)}
	default:
		switch e.literalForm(&f, x.Kind) {
		case "value":
			number := text + "ull"
			if x.Kind == ast.FloatLit {
				number = text + "L"
			}
			args = []ast.Expr{lit(x.Kind, number)}
		case "text":
			args = []ast.Expr{lit(ast.StringLit, strconv.Quote(text))}
		default: // template <char...>
			name.Last.HasArgs = true
			for _, c := range []byte(text) {
				name.Last.Args = append(name.Last.Args, &ast.TemplateArg{Span: x.Span, Expr: lit(ast.CharLit, strconv.QuoteRune(rune(c)))})
			}
		}
	}
	r := e.expr(&ast.CallExpr{Span: x.Span, Fun: &ast.NameExpr{Span: x.Span, Name: name}, Args: args})
	if x.Kind != ast.FloatLit || isBad(r) || !r.Type().IsArithmetic() {
		return r
	}
	// Device code has no long double, but the operator may be evaluated here.
	if c := e.fold(r); c != nil {
		return &hir.ConstExpr{Info: rvalueInfo(x.Span, r.Type()), Value: *c}
	}
	return r
}

// literalForm returns what the literal operator for a number takes: its value, its text, or
// its characters as arguments of a template ([lex.ext]/3).
func (e *env) literalForm(f *finding, kind ast.LitKind) string {
	want := e.basic(types.ULongLong)
	if kind == ast.FloatLit {
		want = e.basic(types.LongDouble)
	}
	form := ""
	for o := range f.all() {
		set, ok := o.(*overloads)
		if !ok {
			continue
		}
		e.resolveSet(set)
		for _, g := range set.funcs {
			switch {
			case g.tmpl != nil || len(g.params) != 1:
			case g.params[0] == want:
				return "value"
			case g.params[0].IsPointer():
				form = "text"
			}
		}
	}
	return form
}

// isWideLiteral reports whether t is the long double parameter of a literal operator, which device
// code passes as double, as nvcc does: the language has no other one for floating literals.
func (c *checker) isWideLiteral(f *function, t types.Type) bool {
	return t.Is(types.LongDouble) && f.decl != nil && f.decl.Name != nil && f.decl.Name.Last.Kind == ast.LiteralOperator && !c.opts.Host
}
