package gogen

import "irgl/internal/source"

// The diagnostics of this package: what the language has and generated Go code
// has not. Codes are only appended and never reused.
const (
	// A program without an entry, or a .cu file.
	//	int f() { return 1; }
	codeNoProgram source.Code = "E0001"
	// A union, whose members could hide pointers from Go's memory manager.
	//	union u { int i; float f; }; int f(float x) { union u v; v.f = x; return v.i; }
	codeUnion source.Code = "E0002"
	// volatile, for which Go has no equal.
	//	int f(volatile int *p) { return *p; }
	codeVolatile source.Code = "E0003"
	// An integer made a pointer.
	//	int f(long a) { return *(int *)a; }
	codeIntPointer source.Code = "E0004"
	// A pointer to a function.
	//	int f(int (*g)(int)) { return g(1); }
	codeFuncPointer source.Code = "E0005"
	// A goto into a block.
	//	int f(int a) { goto in; if (a) { in: a = 1; } return a; }
	codeGoto source.Code = "E0006"
	// A case label that is not directly in its switch's body.
	//	int f(int a) { switch (a) { if (a) { case 1: a = 2; } } return a; }
	codeCase source.Code = "E0007"
	// A function of the C library that generated Go does not have.
	//	int f() { return atoi("1"); }
	codeBuiltin source.Code = "E0008"
	// A constant index outside its array, which Go does not compile.
	//	int f() { int a[2]; return a[5]; }
	codeIndex source.Code = "E0009"
	// A statement or expression of a later version of the language, or of .cu
	// files; no program that this version checks without errors has one.
	codeUnknown source.Code = "E0010"
	// Text for a CUDA compiler.
	//	CBlock "__device__ int one() { return 1; }" Reads () Writes ();
	codeCBlock source.Code = "E0011"
	// A name that text for a CUDA compiler defines.
	//	Names LIMIT; int f() { return LIMIT; }
	codeForeign source.Code = "E0012"
)
