// Package plan holds what the throughput optimisations decide about an IrGL program
// before it is lowered: which threads execute a loop, how many iterations are begun at
// once, which threads share an atomic, which loops of Host functions run on the device
// (IrGL paper, section 4).
//
// A plan is text: each decision is an attribute, in C++'s notation, of the statement
// (or Host function) that it is about, so that a planned program can be printed, read
// again, and lowered:
//
//	[[outline]] [[scope(block, 512)]] Iterate BFS(graph, LEVEL) Initial [src] { LEVEL++; }
//	[[deal]] [[queue]] ForAll (i In WL) {
//	  n = WL.pop(i);
//	  [[np(tb 256, wp 32, fg)]] [[batch(4)]] ForAll (e In n.edges) {
//	    [[reserve(block)]] WL.push(e.dst);
//	    [[gather(warp)]] atomicAdd(&lost, 1);
//	  }
//	}
//
// The rows of package opt in front of lowering make the decisions, each its own
// attributes, from the answers of package analysis, and say why not more was decided.
// Package lower expands what is planned and decides nothing: a statement without an
// attribute is lowered in its plain form. Expansion is left to lowering because the
// forms are those of the lowered program: the parts around an inner ForAll are split at
// places that only the lowering of the ForAll around it creates.
//
// An attribute of a kernel, such as [[batch(4)]] in front of Kernel BFS, or of a block or
// loop around those that it is about, is no decision but a choice: the value of a switch in
// that part of the program (report, section 5), which the rows decide by (Plan.Parts).
//
// [Read] takes the plan from the attributes of a program: what is in its text are decisions
// of the programmer. It refuses unknown attributes, wrong arguments, and attributes of
// statements that they do not suit; package opt those that are not legal. [Plan.Write]
// gives the program with a plan as attributes.
package plan
