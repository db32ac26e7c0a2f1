package compile_test

import (
	"strings"
	"testing"

	"irgl/internal/compile"
	"irgl/internal/source"
	"irgl/syntax"
)

// TestNameOfFile compiles programs whose file names have line ends and quotes: no
// line of the CUDA text or the PTX begins with what follows in the name.
func TestNameOfFile(t *testing.T) {
	const text = "Graph graph { Output Node int x; }\nKernel K(graph) { ForAll (n In graph.nodes) { assert(n.x == 0); } }\nHost main() { Invoke K(graph); }\n"
	for _, name := range []string{"a\n#error b\n.irgl", "a\r\n#error b.irgl", "a\"\n#error b\n", "a\\\n#error b\u2028#error c"} {
		var o compile.Options
		o.PTX.Lines = true
		u, err := compile.Compile(source.NewFile(name, []byte(text)), syntax.IrGL, "", o)
		if err != nil {
			t.Fatal(err)
		}
		for _, form := range []string{"cu", "ptx"} {
			got := emitted(t, u, form)
			for line := range strings.SplitSeq(strings.NewReplacer("\r", "\n", "\u2028", "\n").Replace(got), "\n") {
				if strings.HasPrefix(line, "#error") {
					t.Errorf("%q: the %s text has the line %q", name, form, line)
				}
			}
		}
	}
}
