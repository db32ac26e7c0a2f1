// Package ast is the syntax tree of CUDA C++: C++17 with the qualifiers, launches
// and inline assembly of CUDA, as package parse reads it. The tree has no resolved
// names and no types of expressions: package sema computes both, once for a function
// and once for every instance of a template, always from the same tree.
//
//	template <typename T, int N>
//	__global__ void scale(T *p, T f) {        TemplateDecl
//		int i = blockIdx.x * N + threadIdx.x;   FuncDecl  scale  Global
//		p[i] *= f;                                Param   p  PointerType(NamedType T)
//	}                                         Body: read when somebody asks for it
//
// Nodes are structs named after the productions of the standard's grammar, behind
// four closed interfaces: [Decl], [Stmt], [Expr] and [TypeExpr]. Declarators are
// turned inside out by the parser: a declaration has one complete [TypeExpr].
//
// Bodies of functions are read late ([Body]): those of host functions never are,
// so that no C++ of the host can be in a kernel's way. What cannot be parsed at
// namespace scope becomes an [OpaqueDecl], which keeps its diagnostics until a
// device function needs one of its names.
//
// Read decl.go first, then name.go, type.go, expr.go and stmt.go. [Dump] prints a
// tree, a node a line.
package ast
