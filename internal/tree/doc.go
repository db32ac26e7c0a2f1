// Package tree is what passes over syntax trees are made of: copies, rewriting,
// name resolution, fresh names, builders, templates, and runs of pass lists.
//
// [Clone] copies a subtree. [Rewriter] replaces expressions and statements in
// place: an expression becomes an expression, a statement any number of
// statements, so that no rewriting leaves a tree that cannot be printed:
//
//	r := tree.Rewriter{Expr: func(x syntax.Expr) syntax.Expr {
//		if x, ok := x.(*syntax.IndexExpr); ok { // a[i] becomes __ldg(&a[i])
//			return tree.Call(tree.At(x), "__ldg", tree.Addr(x))
//		}
//		return x
//	}}
//	r.Rewrite(f)
//
// [Resolve] binds the identifiers of a function to its parameters and variables by
// C's scopes; a pass asks it instead of comparing names. [Names] gives names that a
// function does not use yet.
//
// [Run] runs a [pass.List] over a program: after every pass it can verify the
// program, by the checker, and print it. A pass over a tree is tested from text to
// text: both dialects print what they read.
//
// The package knows C, CUDA and the IrGL statements as package syntax has them. It
// knows nothing of the device library or of what passes are for.
package tree
