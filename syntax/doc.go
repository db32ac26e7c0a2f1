// Package syntax holds the tree that both of the compiler's languages share,
// and the scanner, parser and printer for it.
//
// The tree is C99 with CUDA's qualifiers and launches, and, in .irgl files
// only, the statements of IrGL (Pai and Pingali, OOPSLA 2016, section 3). The
// two dialects differ in what the parser accepts:
//
//	IrGL   Graph, Kernel, Host, ForAll, Iterate, Pipe, Invoke, ...; a newline
//	       may end a statement; #define NAME expr is kept in the tree
//	CUDA   <<<>>>, __global__ and friends; the C preprocessor runs first
//
// A sample of the first:
//
//	Graph graph { Node int level = INF; }
//
//	Kernel BFS(graph, int LEVEL) {
//		ForAll (wlidx In WL) {
//			n = WL.pop(wlidx);
//			ForAll (e In graph.nodes(n).edges) {
//				if (e.dst.level == INF) { e.dst.level = LEVEL; WL.push(e.dst.id); }
//			}
//		}
//	}
//
// [ParseFile] reads a text, and its error is an [*Error] with the places of all that
// is wrong. The other functions that parse are the compiler's.
//
// Nodes are plain structs named after the productions of grammar.txt, and
// three closed interfaces, [Decl], [Stmt] and [Expr], with [TypeExpr] for the
// names of types. The tree has no resolved names or types: package check
// computes those into side tables. [Print] gives one canonical form, which
// parses back to an equal tree ([Equal]). [Inspect] walks a tree; a [Visitor] may change
// it. The parser recovers from an error
// and reports several (codes S0001 and up); it accepts a little more than is
// legal where package check can explain the refusal better. It refuses C++,
// naming the construct, and what of C99 the compiler does not have: bit-fields,
// long double, variadic functions, inline assembly. Names of types are known
// by scope, as C's grammar needs; a struct's tag is one by itself, as in C++.
package syntax
