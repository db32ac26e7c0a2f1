// Package hir is the semantic tree of the C++ front end: what package sema makes of
// the functions that a kernel reaches. Every name is resolved, every overload chosen,
// every conversion explicit, every template instantiated: nothing in it depends on a
// scope or a parameter. Package eval computes constants from it, and package lower
// turns it into the CUDA tree.
//
//	struct acc { float v; __device__ acc &operator+=(float x) { v += x; return *this; } };
//	a += 1;
//
//	ExprStmt
//	  Call acc::operator+=  lvalue acc
//	    AddrOf  prvalue acc *
//	      VarRef a  lvalue acc
//	    Convert IntToFloat  prvalue float
//	      Const 1  prvalue int
//
// An expression has a type without references and a [Category]. A prvalue of class
// type initialises an object: the variable, parameter, element or temporary that it
// occurs in; where C++17 makes a temporary of it, a [Materialize] says so.
//
// A reference is a variable whose type is a reference and whose value is an address:
// it is initialised by a glvalue, and a [VarRef] of it is an lvalue of what it refers
// to. A member function has its object as the parameter This, a pointer.
//
// Destructors: a Var and a Materialize name theirs, if it is not trivial. Lower calls
// it at the end of the scope, or of the full expression.
//
// [Print] writes a program as text, a node a line, for tests.
package hir
