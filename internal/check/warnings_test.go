package check

import (
	"os"
	"path/filepath"
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
