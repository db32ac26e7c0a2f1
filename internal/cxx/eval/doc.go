// Package eval computes constant expressions of C++ from the semantic tree of package
// hir: initialisers of constexpr variables, template arguments, array bounds, the
// conditions of static_assert and if constexpr, enumerators and the labels of case.
//
//	constexpr int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
//	static_assert(fib(10) == 55);      Eval of the condition: Const{Int: 1}
//
// It interprets the tree: local variables, loops, calls, constructors, references and
// pointers into objects, with the checks that the language demands: what is undefined at
// run time (overflow, a read behind an array's end) is no constant. [Eval] then returns a
// note in clang's words at the place of the offence, which its caller adds to the error
// about the expression as a whole; the calls that led there are its notes.
//
// Values are trees of objects: a scalar, or a class or array of objects. A pointer is an
// object, or an element of an array with its index, so that arithmetic keeps to the array.
// Objects outside of the expression are known if their variable is a constant, and have
// an address alone otherwise.
//
// Steps and the depth of calls are limited; nothing is computed on long double or
// 128-bit values that a constant cannot hold.
package eval
