package parse

import "irgl/internal/cxx/ast"

// A slab allocates values of one type in blocks.
type slab[T any] struct{ rest []item[T] }

type item[T any] struct{ v T }

func (s *slab[T]) next() *item[T] {
	if len(s.rest) == 0 {
		s.rest = make([]item[T], 64)
	}
	x := &s.rest[0]
	s.rest = s.rest[1:]
	return x
}

// decl returns an empty list with room for one declaration.
func (s *slabs) decl() []ast.Decl {
	if len(s.lists) == 0 {
		s.lists = make([]ast.Decl, 64)
	}
	list := s.lists[:0:1]
	s.lists = s.lists[1:]
	return list
}

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

// A bodyNode is the body of a function that is not a lambda, and what reads it.
type bodyNode struct {
	body   ast.Body
	reader hostBody
}

// slabs are the blocks of the common nodes.
type slabs struct {
	idents   slab[ident]
	scopes   slab[scope]
	names    slab[nameNode]
	types    slab[typeNode]
	members  slab[memberNode]
	plain    slab[plainName]
	literals slab[ast.Literal]
	binaries slab[ast.BinaryExpr]
	indexes  slab[ast.IndexExpr]
	calls    slab[ast.CallExpr]
	parens   slab[ast.ParenExpr]
	unaries  slab[ast.UnaryExpr]
	exprs    slab[ast.ExprStmt]
	basics   slab[ast.BasicType]
	pointers slab[ast.PointerType]
	quals    slab[ast.QualType]
	vars     slab[ast.VarDecl]
	inits    slab[ast.Init]
	decls    slab[ast.DeclStmt]
	params   slab[ast.Param]
	funcs    slab[ast.FuncDecl]
	sigs     slab[ast.FuncType]
	bodies   slab[bodyNode]
	uses     slab[ast.NameExpr]
	words    slab[ast.Ident]
	lists    []ast.Decl // room for lists of one
}
