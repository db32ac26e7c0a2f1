package asdl_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"irgl/internal/source"
	"irgl/syntax"
)

// listing6 has the nodes of the report's abstract syntax (Lowering IrGL to
// CUDA, Listing 6) with their fields. What it calls smts in Iterate is stmts
// here, as in every other node; both are read.
var listing6 = map[string]string{
	"Module":      "stmts",
	"Kernel":      "name params stmts ret_type host device",
	"CDeclGlobal": "decls parse dont_move",
	"CBlock":      "stmts parse",
	"NOP":         "",
	"Names":       "names",

	"Block":              "stmts",
	"Assign":             "lhs rhs",
	"For":                "ndxvar iterator stmts",
	"ForAll":             "ndxvar iterator stmts",
	"CFor":               "init cond update stmts",
	"While":              "cond stmts",
	"DoWhile":            "cond stmts",
	"Atomic":             "lock lockndx stmts fail_stmts",
	"Exclusive":          "objs_lock stmts fail_stmts",
	"Retry":              "args merge",
	"Respawn":            "args",
	"CDecl":              "decls parse dont_move",
	"If":                 "cond true_stmts false_stmts",
	"Invoke":             "aggr kernel args",
	"Iterate":            "cond aggr kernel args wlinit stmts extra_cond",
	"ReduceAndReturn":    "value",
	"SyncRunningThreads": "",
	"LocalBarrier":       "",
	"Pipe":               "stmts wlinit once",
	"Expr":               "e",

	"CExpr":            "expr parse",
	"MethodInvocation": "obj method obj_type args",
	"Tuple":            "object items",
	"Array":            "size name",
	"ArrayIterator":    "array start end step",
	"And":              "cond",
	"Or":               "cond",

	"WorklistInitializer":          "size initial",
	"WorklistInitializerFromArray": "size array array_size",
}

// annotations are the fields that the report has not, and the nodes.
var annotations = strings.Fields("doc note attributes attrs launch_bounds reads writes values unroll default Graph Mesh")

// eachNode calls f with the type and the fields of each object in v, decoded JSON; an
// object comes before those in it.
func eachNode(v any, f func(name string, fields map[string]any)) {
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			eachNode(e, f)
		}
	case map[string]any:
		name, _ := v["_type"].(string)
		f(name, v)
		for _, e := range v {
			eachNode(e, f)
		}
	}
}

// TestListing6 checks that the corpus, as JSON, has every node of the report
// with all of its fields, and otherwise annotations alone.
func TestListing6(t *testing.T) {
	seen := map[string]bool{}
	check := func(name string, fields map[string]any) {
		want, ok := listing6[name]
		if name != "" && !ok && !slices.Contains(annotations, name) {
			t.Errorf("the report has no node %s", name)
		}
		for _, f := range strings.Fields(want) {
			if _, has := fields[f]; !has {
				t.Errorf("%s is written without %s: %v", name, f, fields)
			}
		}
		for f := range fields {
			if ok && f != "_type" && !slices.Contains(strings.Fields(want), f) && !slices.Contains(annotations, f) {
				t.Errorf("%s has no field %s in the report", name, f)
			}
		}
		seen[name] = true
	}
	for _, p := range corpus(t) {
		var diags source.List
		var v any
		if err := json.Unmarshal(encode(t, syntax.Parse(source.NewFile(p.name, p.text), syntax.IrGL, &diags)), &v); err != nil {
			t.Fatal(err)
		}
		eachNode(v, check)
	}
	for name := range listing6 {
		if !seen[name] {
			t.Errorf("no program has the node %s", name)
		}
	}
}
