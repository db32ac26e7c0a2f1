package ptxgen_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"irgl/internal/ptx"
	"irgl/internal/ptxgen"
	"irgl/internal/source"
	"irgl/internal/ssa"
)

// TestNatives checks that PTX has every instruction that SSA may name, with
// the operands that SSA gives it.
func TestNatives(t *testing.T) {
	natives := ssa.Natives()
	var text strings.Builder
	for i, name := range slices.Sorted(maps.Keys(natives)) {
		n := natives[name]
		var params, args []string
		body := ""
		for j, a := range n.Args {
			params = append(params, fmt.Sprintf("%%a%d: %s", j, a))
			args = append(args, fmt.Sprintf("v%d", j+1))
			body += fmt.Sprintf("  v%d = param %s %d\n", j+1, a, j+1)
		}
		fmt.Fprintf(&text, "func @f%d kernel(%%p: ptr.global, %s) {\nb0:\n  v0 = param ptr.global 0\n%s  v9 = native %s %s %q\n  store v0, v9 align 8\n  ret\n}\n\n",
			i, strings.Join(params, ", "), body, n.Result, strings.Join(args, ", "), name)
	}
	if len(natives) < 100 {
		t.Errorf("only %d instructions", len(natives))
	}
	m, err := ssa.Parse(source.NewFile("natives.ssa", []byte(text.String())))
	if err != nil {
		t.Fatal(err)
	}
	if err := ssa.Verify(m); err != nil {
		t.Fatal(err)
	}
	out, err := ptxgen.Generate(m, ptxgen.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := ptx.Verify(out); err != nil {
		t.Fatal(err)
	}
}
