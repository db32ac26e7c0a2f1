// Package asdl writes programs in IrGL as JSON, and reads them: the abstract
// syntax of the report (Lowering IrGL to CUDA, Listing 6), for front ends in
// other languages and for tools.
//
// [Encode] takes the tree of an .irgl file, [Decode] gives one with the places
// in the JSON as its positions, and [Text] the .irgl text that JSON stands for.
//
// A node is an object whose field _type has its name; the other fields have
// the names that they have in Listing 6. A list is a list, an optional field
// may be null or missing, and a field without constructors (cond, aggr) is
// a string. C text is a string: an expression, or in a CBlock statements:
//
//	{"_type": "Module", "stmts": [
//	  {"_type": "Graph", "name": "graph", "requires": [],
//	   "props": [{"type": "int", "name": "level", "initializer": "INF", "domain": "Node", "output": true}],
//	   "racy": [{"name": "level", "reason": "all store the same"}]},
//	  {"_type": "Kernel", "name": "BFS", "host": false, "device": false, "ret_type": "void",
//	   "params": [{"type": null, "name": "graph"}, {"type": "int", "name": "LEVEL"}],
//	   "stmts": {"_type": "Block", "stmts": [
//	     {"_type": "ForAll", "ndxvar": "i", "iterator": "WL", "stmts": [{"_type": "Block", "stmts": [
//	       {"_type": "Assign", "lhs": "n", "rhs": "WL.pop(i)"},
//	       {"_type": "ForAll", "ndxvar": "e", "iterator": "n.edges", "stmts": [{"_type": "Block", "stmts": [
//	         {"_type": "If", "cond": "e.dst.level == INF", "false_stmts": [], "true_stmts": [{"_type": "Block", "stmts": [
//	           {"_type": "Assign", "lhs": "e.dst.level", "rhs": "LEVEL"},
//	           {"_type": "Expr", "e": {"_type": "MethodInvocation", "obj": "WL", "method": "push",
//	                                   "obj_type": "Worklist", "args": ["e.dst.id"]}}]}]}]}]}]}]}]}},
//	  {"_type": "Kernel", "name": "bfs", "host": true, "device": false, "ret_type": "void",
//	   "params": [{"type": "node", "name": "src"}],
//	   "stmts": {"_type": "Block", "stmts": [
//	     {"_type": "CBlock", "stmts": ["src.level = 0;", "LEVEL = 1;"], "parse": true},
//	     {"_type": "Iterate", "cond": null, "aggr": null, "kernel": "BFS", "args": ["graph", "LEVEL"],
//	      "wlinit": {"_type": "WorklistInitializer", "size": null, "initial": ["src"]},
//	      "stmts": [{"_type": "Block", "stmts": [{"_type": "CBlock", "stmts": ["LEVEL++;"]}]}],
//	      "extra_cond": null}]}}]}
//
// Where the text has a slice of an array, and where it passes text on, there are
// the nodes of the report:
//
//	Exclusive (mesh, n, cavity, ends[a : b : 2]) { }
//	  "objs_lock": {"_type": "Tuple", "object": "mesh", "items": [
//	    {"_type": "Array", "size": "n", "name": "cavity"},
//	    {"_type": "ArrayIterator", "array": "ends", "start": "a", "end": "b", "step": "2"}]}
//	Pipe Initial [todo[: n]] Size (100) { }
//	  "wlinit": {"_type": "WorklistInitializerFromArray", "size": "100", "array": "todo", "array_size": "n"}
//	CBlock "count += __popc(x);" Reads (x) Writes (count);
//	  {"_type": "CBlock", "stmts": ["count += __popc(x);"], "parse": false, "reads": ["x"], "writes": ["count"]}
//
// A size is a string, or a number. Other slices among the items of Initial are
// C text. Names are foreign, as Names in a text, but for those with a value.
//
// What the language has and Listing 6 has not is in annotations:
//
//	Graph, Mesh     nodes of the Module: the properties of nodes and edges, and
//	                of points and elements; domain is one of the four words
//	                (edge true or false is read for Edge and Node)
//	Kernel          host and device both true is a plain C function, for both
//	                sides (device alone is read as one too); stmts null is a
//	                prototype; attrs lists qualifiers, launch_bounds C text;
//	                a param may have a default
//	CDecl(Global)   attrs, such as Output; a type is C's name of it: int [5]
//	CBlock          reads and writes, lists of names, with parse false
//	Names           values: the C text of each #define, null for a foreign name
//	CFor            unroll: the count of #pragma unroll, -1 without one
//	doc, note       of any node: comments before it and beside it
//	attributes      of a statement or a Kernel: what the text has in [[ ]] before it
//	_source, _line  _source of a Module is the file that it was made from, _line of any
//	                node its line there, and _file another file that it is from; diagnostics
//	                name these places
//	_anything       else is passed over, in any node
//
// The lists of Blocks that loops and branches have hold one Block, or the one
// statement that the text has without braces; several share braces. Statements
// for which there is no node (switch, return, break, labels) are C text, as are
// types that a Module declares.
//
// C text is parsed by package syntax, within the text that the whole JSON
// stands for, so that names of types have their scopes; a string must be the
// whole of what its field asks for. Nothing moves a declaration, whatever
// dont_move says. Refused: a CDecl or CExpr with parse false, for which there is
// a CBlock; and a CBlock with parse false that has no reads and no writes, not
// even empty ones. Errors are diagnostics with codes J0001 and up.
package asdl
