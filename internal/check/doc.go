// Package check resolves the names and types of a syntax tree and enforces
// the rules of both languages. It is the verifier between tree passes: what
// lower and klap produce must check without an error.
//
// [Check] takes a parsed file and returns an [Info]: side tables from tree
// nodes to [Object]s, [Type]s and constant values. The tree itself is not
// changed. Sizes and layouts are those of CUDA on a 64-bit host: int 4, long 8,
// pointers 8, natural alignment.
//
//	Graph graph { Node int level = INF; }     Object level: Prop, type int
//	Kernel BFS(graph, int LEVEL) {            Object LEVEL: Param, type int
//		ForAll (i In WL) {                    Object i: Var, type int
//			n = WL.pop(i);                    Defs[n]: Var, type node
//			if (n.level == INF) ...           Types[n.level]: int; Consts[INF]: 2147483647
//
// Implicit conversions are not written into the tree. The type in Types is
// that of the expression by itself; a consumer converts operands with
// [UsualArithmetic] and assigned, passed and returned values to the type of
// their target, and arrays decay to pointers where C says so.
//
// Read check.go first: it gives the order of work. One file a concern follows:
// scope, typexpr, decl, init for declarations; expr, ops, member, call, convert
// and constant for expressions; stmt; graph, kernel, atomic and orchestrate for
// IrGL; effects for read and write sets and what spreads over calls; builtins for
// what needs no declaration ([LookupBuiltin]). [Dump] prints the result.
//
// A program that breaks a rule gets diagnostics C0001 and up, many in one
// run, each with its place and, where there is one, a hint.
package check
