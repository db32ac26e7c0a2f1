package compile

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"irgl/internal/source"
	"irgl/syntax"
)

// TestPlanSample compiles the attributes that the documentation of package plan shows.
func TestPlanSample(t *testing.T) {
	text, err := os.ReadFile("../plan/doc.go")
	if err != nil {
		t.Fatal(err)
	}
	var sample []string
	for _, m := range regexp.MustCompile(`(?m)^//\t(.*)$`).FindAllStringSubmatch(string(text), -1) {
		sample = append(sample, m[1])
	}
	if len(sample) < 2 || !strings.Contains(sample[0], "Iterate") || !strings.Contains(sample[1], "ForAll") {
		t.Fatalf("another sample: %q", sample)
	}
	program := "Graph graph { Output Node int level = 0; }\nint lost = 0;\n" +
		"Kernel BFS(graph, int LEVEL) {\n" + strings.Join(sample[1:], "\n") + "\n}\n" +
		"Host main(node src) { int LEVEL = 1;\n" + sample[0] + "\n}\n"
	u, err := Compile(source.NewFile("sample.irgl", []byte(program)), syntax.IrGL, "", Options{})
	if err != nil {
		t.Fatalf("%v\n%s", err, program)
	}
	if !strings.Contains(u.PTXText(), ".entry") {
		t.Error("no kernels were made")
	}
}
