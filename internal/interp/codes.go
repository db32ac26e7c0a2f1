package interp

import "irgl/internal/source"

// The diagnostics of this package: R0001 and up are found by New, those from
// R0101 on end a run. Codes are only appended and never reused; each is shown
// with its smallest program.
const (
	// A goto whose label is in no block around it.
	//	int f(int a) { goto in; if (a) { in: a = 1; } return a; }
	codeGoto source.Code = "R0001"
	// A case label that is not directly in its switch's body.
	//	int f(int a) { switch (a) { if (a) { case 1: a = 2; } } return a; }
	codeCase source.Code = "R0002"
	// A statement or expression that is not part of IrGL programs.
	codeUnknown source.Code = "R0003"
	// C text, which is passed on to a compiler of CUDA.
	//	CBlock "int limit();"; Host m() { }
	codeCBlock source.Code = "R0004"
	// A name that C text defines.
	//	Names LIMIT; Host m() { printf("%d", LIMIT); }
	codeForeign source.Code = "R0005"

	// An array index out of range.
	//	int a[2]; Kernel K(int i) { a[i] = 0; } Host m() { Invoke K(2); }
	codeIndex source.Code = "R0101"
	// A member of a node, edge, point or element that does not exist, or one
	// that an Exclusive locks.
	//	Graph graph { Node int p; } Host m() { graph.nodes(-1).p = 1; }
	codeElement source.Code = "R0102"
	// A pointer that is null, outside its object or misaligned, or a write
	// through one to a constant.
	//	int f(int *p) { return *p; } Host m() { f(NULL); }
	codePointer source.Code = "R0103"
	// A local variable read before it has a value.
	//	Host m() { int i; printf("%d", i); }
	codeUnset source.Code = "R0104"
	// WL.pop of an index that the worklist does not have.
	//	Kernel K() { WL.pop(7); } Host m() { Pipe Initial [1] { Invoke K(); } }
	codePop source.Code = "R0105"
	// A kernel with a worklist invoked where no Pipe or Iterate has made one.
	codeNoList source.Code = "R0106"
	// assert of something false, abort, or exit with a status other than 0.
	//	Host m() { assert(false); }
	codeAssert source.Code = "R0107"
	// Host functions that call each other too deeply.
	//	Host f(int n) { f(n + 1); } Host main() { f(0); }
	codeDeep source.Code = "R0108"
	// A program that needs more memory than Options allows.
	//	double a[1000000000000]; Host m() { }
	codeMemory source.Code = "R0109"
	// A call through a pointer to a function, of which IrGL has none but null.
	//	Host m() { void (*f)(int) = 0; f(1); }
	codeCallNull source.Code = "R0110"
	// An Atomic that waits for a lock which no iteration can release any more.
	//	int l; Kernel K() { Atomic (l) { Atomic (l) { } } } Host m() { Invoke K(); }
	codeDeadlock source.Code = "R0111"
	// The step of a slice, or a Size, that is not positive.
	//	Kernel K() { WL.push(1); } Host m(int n) { Pipe Initial [1] Size (n) { Invoke K(); } }
	codeRoom source.Code = "R0112"
)
