package check

import (
	"testing"

	"irgl/internal/source"
	"irgl/syntax"
)

// TestRoom checks that the table of types has room for all expressions of a tree that has no text
// of its own, so that it does not grow.
func TestRoom(t *testing.T) {
	var diags source.List
	text := "__device__ int f(int *p, int n) { for (int i = 0; i < n; i++) p[i] += (n * i) ? -p[i & 3] : 1; return p[0]; }\n"
	f := syntax.Parse(source.NewFile("a.cu", []byte(text)), syntax.CUDA, &diags)
	f.Span = syntax.Span{}
	info := Check(f, &diags)
	if diags.Errors() > 0 {
		t.Fatal(diags.Err())
	}
	if n := expressions(f); n < len(info.Types) || n > 2*len(info.Types) {
		t.Errorf("%d expressions are counted, %d have types", n, len(info.Types))
	}
}
