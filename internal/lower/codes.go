package lower

import "irgl/internal/source"

// The diagnostics of this package, each with its smallest program.
const (
	// CodeHostAddress: the address of a property or device variable is taken
	// in a host function.
	//
	//	Host f(node v) { int *p = &v.level; }
	CodeHostAddress source.Code = "L0001"

	// CodeHostEdge: a host function looks at edges.
	//
	//	Host f(node v) { for (e In v.edges) { } }
	CodeHostEdge source.Code = "L0002"

	// CodeHostTwice: an operand with side effects would be evaluated twice.
	//
	//	Host f(node v) { int i = 0; graph.nodes(i++).level += 1; }
	CodeHostTwice source.Code = "L0003"

	// CodeSharedFunc: a function that host functions call uses the graph or a
	// variable that kernels use.
	//
	//	int f(node v) { return v.level; }
	//	Host g(node v) { int x = f(v); }
	CodeSharedFunc source.Code = "L0004"

	// CodeReserved: a name of the program is one that lowering uses.
	//
	//	int irgl_thread = 0;
	CodeReserved source.Code = "L0005"
)
