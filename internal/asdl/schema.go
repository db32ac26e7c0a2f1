package asdl

import "sync"

// schema lists the fields of each node: those of Listing 6 of the report,
// in its order and with its names, then this package's annotations. Every
// node may also have doc and note, the comments before and beside it, and
// fields whose names begin with _, which nobody reads.
var schema = sync.OnceValue(func() map[string][]string {
	return map[string][]string{
		"Module":      {"stmts"},
		"Graph":       {"name", "requires", "props", "racy"}, // not in the report
		"Mesh":        {"name", "requires", "props", "racy"}, // not in the report
		"Kernel":      {"name", "params", "stmts", "ret_type", "host", "device", "attrs", "launch_bounds"},
		"CDeclGlobal": {"decls", "parse", "dont_move", "attrs"},
		"CDecl":       {"decls", "parse", "dont_move", "attrs"},
		"CBlock":      {"stmts", "parse", "reads", "writes"},
		"NOP":         {},
		"Names":       {"names", "values"},

		"Block":           {"stmts"},
		"Assign":          {"lhs", "rhs"},
		"For":             {"ndxvar", "iterator", "stmts"},
		"ForAll":          {"ndxvar", "iterator", "stmts"},
		"CFor":            {"init", "cond", "update", "stmts", "unroll"},
		"While":           {"cond", "stmts"},
		"DoWhile":         {"cond", "stmts"},
		"If":              {"cond", "true_stmts", "false_stmts"},
		"Invoke":          {"aggr", "kernel", "args"},
		"Iterate":         {"cond", "aggr", "kernel", "args", "wlinit", "stmts", "extra_cond"},
		"ReduceAndReturn": {"value"},
		"Pipe":            {"stmts", "wlinit", "once"},
		"Atomic":          {"lock", "lockndx", "stmts", "fail_stmts"},
		"Exclusive":       {"objs_lock", "stmts", "fail_stmts"},
		"Retry":           {"args", "merge"},
		"Respawn":         {"args"},
		"Expr":            {"e"},

		"SyncRunningThreads": {},
		"LocalBarrier":       {},

		"CExpr":            {"expr", "parse"},
		"MethodInvocation": {"obj", "method", "obj_type", "args"},
		"Tuple":            {"object", "items"},
		"Array":            {"size", "name"},
		"ArrayIterator":    {"array", "start", "end", "step"},
		"And":              {"cond"},
		"Or":               {"cond"},

		"WorklistInitializer":          {"size", "initial"},
		"WorklistInitializerFromArray": {"size", "array", "array_size"},
	}
})

// products are the nodes without a name: the report's param and cdecl, and
// the members of Graph and Mesh.
var products = sync.OnceValue(func() map[string][]string {
	return map[string][]string{
		"param": {"type", "name", "default"},
		"cdecl": {"type", "name", "initializer"},
		"prop":  {"type", "name", "initializer", "domain", "edge", "output"},
		"racy":  {"name", "reason"},
	}
})

// modStmts and blockStmts are the nodes that may stand in a Module and in a
// Block, in the order in which messages list them.
var (
	modStmts   = []string{"Graph", "Mesh", "Kernel", "CDeclGlobal", "CBlock", "NOP", "Names"}
	blockStmts = []string{"Block", "Assign", "For", "ForAll", "CFor", "While", "DoWhile", "CBlock", "CDecl", "If", "Invoke", "Iterate",
		"ReduceAndReturn", "Pipe", "Atomic", "Exclusive", "Retry", "Respawn", "SyncRunningThreads", "LocalBarrier", "Expr", "NOP"}
)
