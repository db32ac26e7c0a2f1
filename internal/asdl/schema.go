package asdl

// schema lists the fields of each node: those of Listing 6 of the report,
// in its order and with its names, then this package's annotations. Every
// node may also have doc and note, the comments before and beside it, and
// fields whose names begin with _, which nobody reads.
var schema = map[string][]string{
	"Module":      {"stmts"},
	"Graph":       {"name", "requires", "props", "racy"}, // not in the report
	"Kernel":      {"name", "params", "stmts", "ret_type", "host", "device", "attrs", "launch_bounds"},
	"CDeclGlobal": {"decls", "parse", "dont_move", "attrs"},
	"CDecl":       {"decls", "parse", "dont_move", "attrs"},
	"CBlock":      {"stmts", "parse"},
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
	"Retry":           {"args", "merge"},
	"Respawn":         {"args"},
	"Expr":            {"e"},

	"CExpr":               {"expr", "parse"},
	"MethodInvocation":    {"obj", "method", "obj_type", "args"},
	"WorklistInitializer": {"size", "initial"},
	"And":                 {"cond"},
	"Or":                  {"cond"},
}

// products are the nodes without a name: the report's param and cdecl, and
// the members of Graph.
var products = map[string][]string{
	"param": {"type", "name", "default"},
	"cdecl": {"type", "name", "initializer"},
	"prop":  {"type", "name", "initializer", "edge", "output"},
	"racy":  {"name", "reason"},
}

// later are the nodes of the report that the language does not have yet.
var later = map[string]bool{
	"Exclusive": true, "SyncRunningThreads": true, "LocalBarrier": true,
	"WorklistInitializerFromArray": true, "Tuple": true, "Array": true, "ArrayIterator": true,
}

// modStmts and blockStmts are the nodes that may stand in a Module and in a
// Block, in the order in which messages list them.
var (
	modStmts   = []string{"Graph", "Kernel", "CDeclGlobal", "CBlock", "NOP", "Names"}
	blockStmts = []string{"Block", "Assign", "For", "ForAll", "CFor", "While", "DoWhile", "CBlock", "CDecl", "If", "Invoke", "Iterate",
		"ReduceAndReturn", "Pipe", "Atomic", "Retry", "Respawn", "Expr", "NOP"}
)
