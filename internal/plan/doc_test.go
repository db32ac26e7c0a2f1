package plan_test

import (
	"go/parser"
	"go/token"
	"strings"
	"testing"

	"irgl/internal/check"
	"irgl/internal/lower"
	"irgl/internal/opt"
	"irgl/internal/source"
	"irgl/syntax"
)

// TestDocSample reads and lowers the sample of the package's documentation, with
// declarations around it.
func TestDocSample(t *testing.T) {
	f, err := parser.ParseFile(token.NewFileSet(), "doc.go", nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	var host, kernel strings.Builder
	for line := range strings.Lines(f.Doc.Text()) {
		code, indented := strings.CutPrefix(line, "\t")
		switch {
		case !indented:
		case strings.Contains(code, "Iterate"):
			host.WriteString(code)
		default:
			kernel.WriteString(code)
		}
	}
	if host.Len() == 0 || kernel.Len() == 0 {
		t.Fatal("the documentation has no sample")
	}
	text := "Graph graph { Node int level; }\nint lost;\nKernel BFS(graph, int LEVEL) {\n" + kernel.String() +
		"}\nHost main(node src) {\nint LEVEL = 1;\n" + host.String() + "}\n"
	for _, switches := range []string{"", "np=tb,fg coop=block batch=4 outline=auto"} {
		o, err := lower.ParseOptions(switches)
		if err != nil {
			t.Fatal(err)
		}
		var diags source.List
		info := check.Check(syntax.Parse(source.NewFile("doc.irgl", []byte(text)), syntax.IrGL, &diags), &diags)
		if err := diags.Err(); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		if _, err := opt.Lower(info, &diags, o); err != nil {
			t.Errorf("%s: %v\n%s", switches, err, text)
		}
	}
}
