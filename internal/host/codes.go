package host

import "irgl/internal/source"

// The diagnostics of this package, each with its smallest program.
const (
	// CodeGoto: goto in host code.
	//
	//	int main(void) { again: goto again; }
	CodeGoto source.Code = "H0001"

	// CodeNoBody: host code calls a function that is only declared, or calls
	// through a pointer.
	//
	//	int f(void); int main(void) { return f(); }
	CodeNoBody source.Code = "H0002"

	// CodeDeviceVariable: host code reads or writes a device variable directly.
	//
	//	__device__ int n; int main(void) { return n; }
	CodeDeviceVariable source.Code = "H0003"

	// CodeBuiltin: host code passes an argument other than the name of a device
	// variable where the CUDA runtime requires a symbol.
	//
	//	__device__ int a[2]; int main(void) { int x; return cudaMemcpyFromSymbol(&x, a[1], 4); }
	CodeBuiltin source.Code = "H0004"

	// CodeStep: the step of a slice in Initial or Exclusive is not positive.
	//
	//	int l[4]; Kernel K() { WL.push(1); } Host m(int n) { Pipe Initial [l[0:4:n]] { Invoke K(); } }
	CodeStep source.Code = "H0101"

	// CodeSize: no worklist can have the capacity that Size gives.
	//
	//	Kernel K() { WL.push(1); } Host m(int n) { Pipe Initial [1] Size (n) { Invoke K(); } }
	CodeSize source.Code = "H0102"

	// CodeIndex: host code accesses an element that an array does not have.
	//
	//	Host m(int n = 9) { int a[2]; a[n] = 1; }
	CodeIndex source.Code = "H0104"

	// CodeElement: host code accesses a property of a node, edge, point or element that
	// does not exist.
	//
	//	Graph g { Node int a; } Host m(int n = 99) { g.nodes(n).a = 1; }
	CodeElement source.Code = "H0105"

	// CodeExit: host code executes assert of something false, abort, or exit with a
	// status other than 0.
	//
	//	Host m() { assert(false); }
	CodeExit source.Code = "H0106"

	// CodeDepth: host functions call each other too deeply.
	//
	//	Host f(int n) { f(n + 1); } Host main() { f(0); }
	CodeDepth source.Code = "H0107"

	// CodeKernel: the device has found a fault of a kernel, such as an access outside of
	// an array, or of memory that C text does not declare.
	//
	//	Graph g { Node int a; } Kernel K(g) { ForAll (n In g.nodes) { g.nodes(n + 9).a = 1; } } Host m() { Invoke K(g); }
	CodeKernel source.Code = "H0103"
)
