package hir

import (
	"irgl/internal/cxx/types"
	"irgl/internal/source"
)

// Pos is a place in a source text.
type Pos = source.Pos

// A Const is the value of a constant expression: a scalar, or an object of constants.
type Const struct {
	Type  types.Type
	Int   uint64  // of integers, bool, enumerations; extended to 64 bits by the type
	Float float64 // of floating types, rounded to the type
	// Of pointers and references: an object and an offset in bytes in it; a null
	// pointer has neither, an integer cast to a pointer has Int.
	Base   types.Entity // *Var or *Func, or nil
	String []byte       // a string literal in place of Base
	Offset int64
	Member *types.Field // of a pointer to a data member; Base is a member function otherwise
	// Of classes and arrays.
	Bases  []*Const
	Fields []*Const // nil where a union has another
	Elems  []*Const // fewer than the array's length: the others are zero
}
