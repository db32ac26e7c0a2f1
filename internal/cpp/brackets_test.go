package cpp

import (
	"slices"
	"testing"

	"irgl/internal/source"
)

// TestMatchBrackets compares the pairs of texts, some with brackets that have no other one.
func TestMatchBrackets(t *testing.T) {
	for text, want := range map[string][]int{
		"( a [ b ] )":   {5, 0, 4, 0, 2, 0, 0},
		") ( ] } {":     {-1, -1, -1, -1, -1, 0},
		"{ ( [ } ( )":   {3, -1, -1, 0, 5, 4, 0},
		"( [ ) ]":       {2, -1, 0, -1, 0},
		"{ { ) } } a }": {4, 3, -1, 1, 0, 0, -1, 0},
	} {
		toks, _ := Scan(source.NewFile("a.cu", []byte(text)), CXX)
		if got := MatchBrackets(toks); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
	}
}
