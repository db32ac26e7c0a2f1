// Package lower turns the semantic tree of the C++ front end into a tree of the CUDA
// dialect: C with CUDA's qualifiers, which package check accepts without an error and
// which prints as text that nvcc compiles.
//
//	struct acc { float v; __device__ acc &operator+=(float x) { v += x; return *this; } };
//
//	struct acc {
//	  float v;
//	};
//	static __device__ struct acc *_ZN3accpLEf(struct acc *self, float x) {
//	  self->v += x;
//	  return self;
//	}
//
// References become pointers, and the object of a member function its first parameter.
// A class becomes a struct of the same layout, bases first; offsets that C would choose
// otherwise are made by padding. An object of a class whose copies or destructor are not
// trivial is passed by address and returned through a pointer.
//
// An expression becomes one expression of C. Temporaries are variables in front of the
// statement, initialised inside of the expression by the comma operator, so that order and
// conditional evaluation need no statements:
//
//	use(vec(1, 2))      struct vec irgl_t1;
//	                    use((_ZN3vecC1Eff(&irgl_t1, 1.0f, 2.0f), &irgl_t1));
//
// Destructors of temporaries follow the full expression; one in an operand that may be
// skipped has a flag. Those of variables follow the scope, and precede every break,
// continue, goto and return that leaves it.
//
// Functions are emitted callees first, and the names of functions and global variables are
// their symbols. Every node has the span of the C++ that it is made for.
//
// Read lower.go first, then class.go and types.go, func.go and stmt.go, expr.go and
// glvalue.go, init.go and temp.go.
package lower
