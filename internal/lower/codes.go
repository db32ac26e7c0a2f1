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

	// CodeHostEdge: a host function looks at edges.
	//
	//	Host f(node v) { edge e = 0; v = e.dst; }
	CodeHostEdge source.Code = "L0002"

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
)
