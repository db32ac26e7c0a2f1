// Package parse reads CUDA C++ (C++17 with CUDA's and GNU's extensions): it turns the
// tokens of package cpp into the tree of package ast, by recursive descent.
//
//	pre := cpp.Preprocess(file, cpp.Options{Dialect: cpp.CXX}, &diags)
//	unit := parse.Parse(pre, &diags, parse.Options{})
//
// What a C++ text means depends on which names are types and templates. The parser keeps
// a table of scopes for that (scope.go) and nothing else about declarations: package sema does the rest.
// A name that is not known, or that depends on a template's parameter, is
// taken for what fits the text (decide.go); where both a type and a value fit, the tree has both
// ([ast.TemplateArg], [ast.SizeofExpr]).
//
// Parsing is tolerant: a declaration of the host that cannot be parsed becomes an
// [ast.OpaqueDecl], and parsing resumes after it. Errors in declarations of the device are
// reported, one per declaration or statement and at most 20. Bodies of functions are skipped
// by their braces and parsed when [ast.Body.Tree] is called, in the scopes as they were; those
// of the host are never parsed, but [ast.Body.Launches] finds the launches in them.
//
// Where a decision needs more than the next tokens, the parser reads tentatively
// ([parser.try]) and goes back. An error moves the cursor to the end of the text, so that all
// productions return; declarations and statements continue from there.
//
// Read parse.go first, then scope.go, decl.go, declarator.go, decide.go, expr.go and stmt.go.
package parse
