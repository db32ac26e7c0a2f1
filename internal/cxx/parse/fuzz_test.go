package parse

import (
	"testing"

	"irgl/internal/golden"
)

// FuzzParse checks that no text makes the parser panic, hang, or report a place outside
// of the text, whichever bodies are read.
func FuzzParse(f *testing.F) {
	for _, seed := range golden.Seeds(f, []string{".cu"}, "testdata/*.txtar") {
		f.Add(string(seed.Data))
	}
	f.Fuzz(func(t *testing.T, text string) {
		u, diags := parseText("x.cu", []byte(text))
		readDevice(u.Decls, true)
		readDevice(u.Decls, false)
		dump(u)
		for _, d := range diags.Diags {
			if d.Pos.IsValid() && (d.Pos.Offset < 0 || int(d.Pos.Offset) > len(text)) {
				t.Errorf("%v is at %d of %d", d, d.Pos.Offset, len(text))
			}
		}
	})
}
