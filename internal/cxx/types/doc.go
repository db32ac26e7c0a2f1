// Package types represents the types of C++: interned, so that equal types are the
// same pointer; their sizes and layouts by the Itanium ABI, as g++ and nvcc lay them
// out for x86-64; their names as C++ writes them and as the ABI mangles them; and
// the deduction of template arguments from them.
//
//	const float *p      Type{Node of Pointer to {Float, Const}, 0}
//	T &&                Type{Node of RRef to {Param 0.0}, 0}      in a template's pattern
//	vec<float, 3>       Type{Node of Class, 0}, whose Class has the template and arguments
//
// A [Type] is a [Node] with the qualifiers const and volatile; it is comparable. A
// [Table] interns the nodes of one compilation. A [Class] or [Enum] is one entity,
// compared by identity, that package sema fills in.
//
// The parameters of templates occur in patterns alone: in the types that [Table.Deduce]
// matches with those of arguments. Everything that package sema gives to the stages
// behind it is free of them ([Type.Dependent]).
//
// [Layout], [Mangle], [Table.Deduce] and [Table.MoreSpecialized] are compared with g++ by
// tests: on random classes, on a file of declarations, and on random templates and calls.
package types
