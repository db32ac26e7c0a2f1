package tree

import (
	"strconv"

	"irgl/syntax"
)

// Constructors of nodes. Each takes the span of the construct that it is made for,
// or has that of its operands.

// At returns the span of a node.
func At(n syntax.Node) syntax.Span { return syntax.Span{From: n.Pos(), To: n.End()} }

// Ident returns a name.
func Ident(s syntax.Span, name string) *syntax.Ident {
	return &syntax.Ident{Span: s, Name: name}
}

// Number returns an integer literal, in parentheses if it is negative.
func Number(s syntax.Span, v int64) syntax.Expr {
	if v < 0 {
		x := &syntax.BasicLit{Span: s, Kind: syntax.IntLit, Text: strconv.FormatInt(-v, 10)}
		return Paren(&syntax.UnaryExpr{Span: s, Op: "-", X: x})
	}
	return &syntax.BasicLit{Span: s, Kind: syntax.IntLit, Text: strconv.FormatInt(v, 10)}
}

// Paren returns x as an operand: in parentheses unless it is a primary expression.
func Paren(x syntax.Expr) syntax.Expr {
	switch x.(type) {
	case *syntax.Ident, *syntax.BasicLit, *syntax.ParenExpr, *syntax.CallExpr, *syntax.IndexExpr, *syntax.MemberExpr:
		return x
	}
	return &syntax.ParenExpr{Span: At(x), X: x}
}

// Call returns the call of a function by its name.
func Call(s syntax.Span, fun string, args ...syntax.Expr) *syntax.CallExpr {
	return &syntax.CallExpr{Span: s, Fun: Ident(s, fun), Args: args}
}

// Index returns x[i].
func Index(x, i syntax.Expr) syntax.Expr {
	return &syntax.IndexExpr{Span: At(i), X: x, Index: i}
}

// Member returns x.name.
func Member(x syntax.Expr, name string) syntax.Expr {
	return &syntax.MemberExpr{Span: At(x), X: x, Name: Ident(At(x), name)}
}

// Binary returns x op y. The operands must bind at least as tightly as op: see [Paren].
func Binary(x syntax.Expr, op syntax.Op, y syntax.Expr) syntax.Expr {
	return &syntax.BinaryExpr{Span: syntax.Span{From: x.Pos(), To: y.End()}, X: x, Op: op, Y: y}
}

// Assign returns x op y of an assignment operator.
func Assign(x syntax.Expr, op syntax.Op, y syntax.Expr) syntax.Expr {
	return &syntax.AssignExpr{Span: syntax.Span{From: x.Pos(), To: y.End()}, L: x, Op: op, R: y}
}

// Cast returns (t)x.
func Cast(s syntax.Span, t syntax.TypeExpr, x syntax.Expr) syntax.Expr {
	return &syntax.CastExpr{Span: s, Type: t, X: Paren(x)}
}

// Addr returns &x.
func Addr(x syntax.Expr) syntax.Expr {
	return &syntax.UnaryExpr{Span: At(x), Op: "&", X: x}
}

// Do returns an expression as a statement.
func Do(x syntax.Expr) syntax.Stmt { return &syntax.ExprStmt{Span: At(x), X: x} }

// Block returns statements in braces.
func Block(s syntax.Span, stmts ...syntax.Stmt) *syntax.Block {
	return &syntax.Block{Span: s, Stmts: stmts}
}

// Variable returns the declaration of one variable; init may be nil.
func Variable(s syntax.Span, t syntax.TypeExpr, name string, init syntax.Expr) *syntax.VarDecls {
	return &syntax.VarDecls{Span: s, Vars: []*syntax.VarDecl{{Span: s, Type: t, Name: Ident(s, name), Init: init}}}
}

// Basic returns an arithmetic type or void by its canonical name.
func Basic(s syntax.Span, name string) syntax.TypeExpr {
	return &syntax.BasicType{Span: s, Name: name}
}

// Named returns a type by the name of a typedef.
func Named(s syntax.Span, name string) syntax.TypeExpr {
	return &syntax.NamedType{Span: s, Name: name}
}

// Struct returns struct tag.
func Struct(s syntax.Span, tag string) syntax.TypeExpr {
	return &syntax.TagType{Span: s, Kind: syntax.StructTag, Tag: Ident(s, tag)}
}
