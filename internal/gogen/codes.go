package gogen

import (
	"irgl/internal/source"
	"irgl/rt"
)

// The diagnostics of this package: E0001 and up are what the language has and
// generated Go code has not, those from E0101 on end a run. Codes are only appended and never reused.
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

	// An index outside its array, or of an edge that the node does not have.
	//	Graph graph { Node int x; } Kernel K(graph) { ForAll (n In graph.nodes) { n.x = n.edges[n.degree].dst; } } Host m() { Invoke K(graph); }
	codeRange source.Code = "E0101"
	// A node, edge, point or element that does not exist.
	//	Graph graph { Node int x; } Host m() { graph.nodes(-1).x = 1; }
	codeHandle source.Code = "E0102"
	// WL.pop of an index that the worklist does not have.
	//	Graph graph { Node int x; } Kernel K() { WL.pop(7); } Host m() { Pipe Initial [1] { Invoke K(); } }
	codePop source.Code = "E0103"
	// A slice whose step is not positive.
	//	int l[4]; Kernel K() { WL.push(1); } Host m(int n) { Pipe Initial [l[0:4:n]] { Invoke K(); } }
	codeStep source.Code = "E0104"
	// assert of something false, abort, or exit with a status other than 0.
	//	Host m() { assert(false); }
	codeAssert source.Code = "E0105"
	// An Atomic that waits for a lock which nobody can release any more.
	//	int l; Kernel K() { Atomic (l) { Atomic (l) { } } } Host m() { Invoke K(); }
	codeDeadlock source.Code = "E0106"
	// Functions that call each other too deeply.
	//	int f(int a) { return f(a + 1) + 1; } Host m() { printf("%d", f(1)); }
	codeDepth source.Code = "E0107"
	// A Size that no worklist can have.
	//	Kernel K() { WL.push(1); } Host m(int n) { Pipe Initial [1] Size (n) { Invoke K(); } }
	codeSize source.Code = "E0108"
)

// faultCodes gives the code of each kind of fault.
var faultCodes = [...]source.Code{
	rt.IndexFault: codeRange, rt.HandleFault: codeHandle, rt.PopFault: codePop, rt.StepFault: codeStep,
	rt.AssertFault: codeAssert, rt.DeadlockFault: codeDeadlock, rt.DepthFault: codeDepth, rt.SizeFault: codeSize,
}
