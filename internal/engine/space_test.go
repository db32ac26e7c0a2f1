package engine

import (
	"testing"

	"irgl/internal/programs"
)

// TestSpaceOnce: the search space of a program is made once, for all its graphs.
func TestSpaceOnce(t *testing.T) {
	text, _ := programs.Text("tri")
	p, err := Parse("tri.irgl", text)
	if err != nil {
		t.Fatal(err)
	}
	a, err := p.space(false)
	if err != nil {
		t.Fatal(err)
	}
	if b, err := p.space(false); err != nil || a != b {
		t.Errorf("another space: %v", err)
	}
	if c, err := p.space(true); err != nil || c == a {
		t.Errorf("the same space with clusters: %v", err)
	}
}
