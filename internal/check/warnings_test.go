package check

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestNoFalseAlarms checks that the bundled programs and the examples give no
// warning at all.
func TestNoFalseAlarms(t *testing.T) {
	n := 0
	for _, pattern := range []string{"../programs/*.irgl", "../../examples/*.irgl", "../../examples/*/*.irgl"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range files {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			n++
			_, diags := checkText(filepath.Base(name), text)
			for _, d := range diags.Diags {
				t.Errorf("%s: %v", name, d)
			}
		}
	}
	if n < 20 {
		t.Errorf("only %d programs", n)
	}
}

// TestRacesInTime: variables that are made of each other, many times over, do not
// multiply the work.
func TestRacesInTime(t *testing.T) {
	var b strings.Builder
	b.WriteString("Graph graph { Output Node int x; }\nKernel K(graph) { ForAll (n In graph.nodes) { for (e In n.edges) {\n\tv0 = e.dst;\n\tint i0 = n.x;\n")
	for i := range 60 {
		fmt.Fprintf(&b, "\tv%d = v%d; v%d = v%d;\n\tint i%d = i%d + i%d;\n", i+1, i, i+1, i, i+1, i, i)
	}
	b.WriteString("\tif (i60 > 0) { v60.x += 1; }\n} } }\nHost main() { Invoke K(graph); }\n")
	_, diags := checkText("p.irgl", []byte(b.String()))
	if n := len(diags.Diags); n != 1 || diags.Diags[0].Code != codeRace {
		t.Errorf("%d diagnostics, want the race: %v", n, diags.Diags)
	}
}
