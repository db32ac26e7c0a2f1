package asdl_test

import (
	"strings"
	"testing"

	"irgl/internal/asdl"
	"irgl/internal/check"
	"irgl/internal/source"
)

// TestOrigin checks that an error has the line of the innermost node that has one, in
// the file of that node, and none in JSON that says no file or no line.
func TestOrigin(t *testing.T) {
	const program = `{"_type": "Module", SOURCE "stmts": [
		{"_type": "Kernel", "name": "main", "host": true, "device": false, "ret_type": "void", "params": [],
		 "stmts": {"_type": "Block", "stmts": [
			{"_type": "While", "cond": "a", "_line": 3, "stmts": [{"_type": "Block", "stmts": [
				{"_type": "Assign", "lhs": "x", "rhs": "b", "_line": LINE},
				{"_type": "Assign", "lhs": "y", "rhs": "c"}]}]},
			{"_type": "Assign", "lhs": "z", "rhs": "d", "_line": 7, "_file": "helper.hpp"},
			{"_type": "Assign", "lhs": "u", "rhs": "e"}]}}]}`
	for _, c := range []struct{ name, src, line, want string }{
		{"lines", `"_source": "p.cpp",`, "4", "a p.cpp:3, b p.cpp:4, c p.cpp:3, d helper.hpp:7, e "},
		{"no line", `"_source": "p.cpp",`, `"4"`, "a p.cpp:3, b p.cpp:3, c p.cpp:3, d helper.hpp:7, e "},
		{"no number of a line", `"_source": "p.cpp",`, "4.5", "a p.cpp:3, b p.cpp:3, c p.cpp:3, d helper.hpp:7, e "},
		{"no file", "", "4", "a , b , c , d , e "},
		{"file of another type", `"_source": 1,`, "4", "a , b , c , d , e "},
	} {
		t.Run(c.name, func(t *testing.T) {
			var diags source.List
			text := strings.NewReplacer("SOURCE", c.src, "LINE", c.line).Replace(program)
			check.Check(asdl.Decode(source.NewFile("p.json", []byte(text)), &diags), &diags)
			diags.Sort()
			var got []string
			for _, d := range diags.Diags {
				got = append(got, strings.Fields(d.Message)[0]+" "+d.Pos.Origin())
			}
			if s := strings.Join(got, ", "); s != c.want {
				t.Errorf("got  %s\nwant %s", s, c.want)
			}
		})
	}
}
