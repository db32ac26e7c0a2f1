package syntax

import (
	"testing"

	"irgl/internal/source"
)

// TestHints checks the hints about mistakes that a message alone does not explain.
func TestHints(t *testing.T) {
	for _, tt := range []struct{ text, hint string }{
		{"Host int main() { return 3; }", "a Host has no result type: write Host NAME(...)"},
		{"Kernel void K() { }", "a Kernel has no result type: write Kernel NAME(...)"},
		{"main() { }", "a function without a result has the type void"},
	} {
		var diags source.List
		Parse(source.NewFile("a.irgl", []byte(tt.text)), IrGL, &diags)
		if len(diags.Diags) == 0 || diags.Diags[0].Hint != tt.hint {
			t.Errorf("%s: %v, want the hint %q", tt.text, diags.Diags, tt.hint)
		}
	}
}
