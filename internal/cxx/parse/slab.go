package parse

import "irgl/internal/cxx/ast"

// A nameNode is the plain name of a variable or function.
type nameNode struct {
	expr ast.NameExpr
	name ast.Name
	seg  ast.Segment
}

// A typeNode is the plain name of a type.
type typeNode struct {
	typ  ast.NamedType
	name ast.Name
	seg  ast.Segment
}

// A memberNode is X.name or X->name.
type memberNode struct {
	expr ast.MemberExpr
	name ast.Name
	seg  ast.Segment
}

// A plainName is an unqualified identifier.
type plainName struct {
	name ast.Name
	seg  ast.Segment
}

// A classNode is a class with its type.
type classNode struct {
	decl ast.ClassDecl
	typ  ast.ClassType
}

// A bodyNode is the body of a function that is not a lambda, and what reads it.
type bodyNode struct {
	body   ast.Body
	reader hostBody
}

// slabs are the blocks of the common nodes.
type slabs struct {
	names     ast.Slab[nameNode]
	types     ast.Slab[typeNode]
	members   ast.Slab[memberNode]
	plain     ast.Slab[plainName]
	literals  ast.Slab[ast.Literal]
	binaries  ast.Slab[ast.BinaryExpr]
	indexes   ast.Slab[ast.IndexExpr]
	calls     ast.Slab[ast.CallExpr]
	parens    ast.Slab[ast.ParenExpr]
	unaries   ast.Slab[ast.UnaryExpr]
	exprs     ast.Slab[ast.ExprStmt]
	basics    ast.Slab[ast.BasicType]
	pointers  ast.Slab[ast.PointerType]
	quals     ast.Slab[ast.QualType]
	vars      ast.Slab[ast.VarDecl]
	inits     ast.Slab[ast.Init]
	decls     ast.Slab[ast.DeclStmt]
	params    ast.Slab[ast.Param]
	funcs     ast.Slab[ast.FuncDecl]
	sigs      ast.Slab[ast.FuncType]
	bodies    ast.Slab[bodyNode]
	classes   ast.Slab[classNode]
	segments  ast.Slab[ast.Segment]
	ifs       ast.Slab[ast.IfStmt]
	fors      ast.Slab[ast.ForStmt]
	casts     ast.Slab[ast.CastExpr]
	conds     ast.Slab[ast.CondExpr]
	trees     ast.Slab[ast.BodyTree]
	uses      ast.Slab[ast.NameExpr]
	words     ast.Slab[ast.Ident]
	blocks    ast.Slab[ast.Block]
	paths     ast.Slab[ast.Name]
	returns   ast.Slab[ast.ReturnStmt]
	arrays    ast.Slab[ast.ArrayType]
	sigParams ast.Lists[*ast.Param]
	lists     ast.Lists[ast.Decl]
	stmts     ast.Lists[ast.Stmt]
	args      ast.Lists[ast.Expr]
}

// reset takes back all nodes, to which nothing may refer any more.
func (s *slabs) reset() {
	for _, x := range [...]interface{ Reset() }{
		&s.names, &s.types, &s.members, &s.plain, &s.literals, &s.binaries, &s.indexes, &s.calls,
		&s.parens, &s.unaries, &s.exprs, &s.basics, &s.pointers, &s.quals, &s.vars, &s.inits,
		&s.decls, &s.params, &s.funcs, &s.sigs, &s.bodies, &s.classes, &s.segments, &s.ifs,
		&s.fors, &s.casts, &s.conds, &s.trees, &s.uses, &s.words, &s.blocks, &s.lists,
		&s.stmts, &s.args, &s.paths, &s.returns, &s.arrays, &s.sigParams,
	} {
		x.Reset()
	}
}
