package lower

import "irgl/internal/source"

// The diagnostics of this package, each with its smallest program.
const (
	// CodeHostWhole: a host function uses an array or struct that kernels use
	// other than element by element.
	//
	//	double total[4];
	//	Kernel K() { total[0] = 1; }
	//	Host f() { double *p = total; Invoke K(); }
	CodeHostWhole source.Code = "L0001"

	// L0002 was for host functions that look at edges, which they may.

	// CodeHostTwice: an operand with side effects would be evaluated twice.
	//
	//	Host f(node v) { int i = 0; graph.nodes(i++).level += 1; }
	CodeHostTwice source.Code = "L0003"

	// CodeSharedFunc: a function that kernels and host functions call uses
	// the graph or a variable that kernels use.
	//
	//	int f(node v) { return v.level; }
	//	Kernel K(graph) { ForAll (n In graph.nodes) { n.level = f(n); } }
	//	Host g(node v) { v.level = f(v); Invoke K(graph); }
	CodeSharedFunc source.Code = "L0004"

	// CodeReserved: a name of the program is one that lowering uses.
	//
	//	int irgl_thread = 0;
	CodeReserved source.Code = "L0005"

	// CodeForeign: a program with text that is not C99, or a name that no such text
	// defines, is to run without CUDA's compiler.
	//
	//	Kernel K() { CBlock "asm(\"nanosleep.u32 100;\");"; }
	//	Host f() { Invoke K(); }
	CodeForeign source.Code = "L0006"

	// CodeUndeclared: C text reads or writes what it does not declare, leads out of its place, uses a worklist, waits for other threads, or depends on its thread.
	//
	//	Graph g { Node int a; } Kernel K(g) { ForAll (n In g.nodes) { CBlock "g.a[n] = 1;" Reads (n); } }
	//	Host f() { Invoke K(g); }
	CodeUndeclared source.Code = "L0009"

	// L0007 and L0008 are of package opt.
)
