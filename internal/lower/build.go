package lower

import (
	"strconv"

	"irgl/syntax"
)

// Constructors of tree nodes, each with the span of the node it is made for.

func at(n syntax.Node) syntax.Span { return syntax.Span{From: n.Pos(), To: n.End()} }

func ident(s syntax.Span, name string) *syntax.Ident {
	return &syntax.Ident{Span: s, Name: name}
}

func number(s syntax.Span, v int64) syntax.Expr {
	if v < 0 {
		x := &syntax.BasicLit{Span: s, Kind: syntax.IntLit, Text: strconv.FormatInt(-v, 10)}
		return paren(&syntax.UnaryExpr{Span: s, Op: "-", X: x})
	}
	return &syntax.BasicLit{Span: s, Kind: syntax.IntLit, Text: strconv.FormatInt(v, 10)}
}

func paren(x syntax.Expr) syntax.Expr {
	switch x.(type) {
	case *syntax.Ident, *syntax.BasicLit, *syntax.ParenExpr, *syntax.CallExpr, *syntax.IndexExpr, *syntax.MemberExpr:
		return x
	}
	return &syntax.ParenExpr{Span: at(x), X: x}
}

func call(s syntax.Span, fun string, args ...syntax.Expr) *syntax.CallExpr {
	return &syntax.CallExpr{Span: s, Fun: ident(s, fun), Args: args}
}

func index(x, i syntax.Expr) syntax.Expr {
	return &syntax.IndexExpr{Span: at(i), X: x, Index: i}
}

func member(x syntax.Expr, name string) syntax.Expr {
	return &syntax.MemberExpr{Span: at(x), X: x, Name: ident(at(x), name)}
}

func binary(x syntax.Expr, op syntax.Op, y syntax.Expr) syntax.Expr {
	return &syntax.BinaryExpr{Span: syntax.Span{From: x.Pos(), To: y.End()}, X: x, Op: op, Y: y}
}

func assign(x syntax.Expr, op syntax.Op, y syntax.Expr) syntax.Expr {
	return &syntax.AssignExpr{Span: syntax.Span{From: x.Pos(), To: y.End()}, L: x, Op: op, R: y}
}

func cast(s syntax.Span, t syntax.TypeExpr, x syntax.Expr) syntax.Expr {
	return &syntax.CastExpr{Span: s, Type: t, X: paren(x)}
}

func addr(x syntax.Expr) syntax.Expr {
	return &syntax.UnaryExpr{Span: at(x), Op: "&", X: x}
}

func stmt(x syntax.Expr) syntax.Stmt { return &syntax.ExprStmt{Span: at(x), X: x} }

func block(s syntax.Span, stmts ...syntax.Stmt) *syntax.Block {
	return &syntax.Block{Span: s, Stmts: stmts}
}

func variable(s syntax.Span, t syntax.TypeExpr, name string, init syntax.Expr) *syntax.VarDecls {
	return &syntax.VarDecls{Span: s, Vars: []*syntax.VarDecl{{Span: s, Type: t, Name: ident(s, name), Init: init}}}
}

func basic(s syntax.Span, name string) syntax.TypeExpr {
	return &syntax.BasicType{Span: s, Name: name}
}

func named(s syntax.Span, name string) syntax.TypeExpr {
	return &syntax.NamedType{Span: s, Name: name}
}

func structType(s syntax.Span, tag string) syntax.TypeExpr {
	return &syntax.TagType{Span: s, Kind: syntax.StructTag, Tag: ident(s, tag)}
}
