package suggest

import "testing"

func TestNearest(t *testing.T) {
	for _, tt := range []struct {
		name string
		from []string
		want string
	}{
		{"bsf", []string{"bfs", "cc"}, "bfs"},
		{"xyz", []string{"bfs", "cc"}, ""},
		{"BFS", []string{"bfs", "cc"}, "bfs"},
		{"bfs", []string{"bfs"}, ""},                      // it is there: nothing to suggest
		{"ssp", []string{"sssp", "sssp_bf"}, "sssp"},      // one insertion
		{"sources", []string{"source", "src"}, "source"},  // one deletion
		{"tolrance", []string{"tolerance"}, "tolerance"},  // within a third
		{"tolxxxxce", []string{"tolerance"}, ""},          // four changes of nine letters
		{"tolxxxnce", []string{"tolerance"}, "tolerance"}, // three
		{"ab", []string{"ac", "bb"}, "ac"},                // the first of several
		{"", []string{"a"}, "a"}, {"a", nil, ""},
	} {
		got, ok := Nearest(tt.name, tt.from)
		if got != tt.want || ok != (tt.want != "") {
			t.Errorf("Nearest(%q, %q) = %q, %v; want %q", tt.name, tt.from, got, ok, tt.want)
		}
	}
}

func TestHint(t *testing.T) {
	if got := Hint("bsf", []string{"bfs"}); got != `, did you mean "bfs"?` {
		t.Error(got)
	}
	if got := Hint("bsf", nil); got != "" {
		t.Error(got)
	}
}

func TestDistance(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"", "abc", 3}, {"abc", "abc", 0}, {"abc", "acb", 1}, {"abc", "abd", 1}, {"kitten", "sitting", 3}, {"ca", "abc", 3}} {
		if got := Distance(tt.a, tt.b, 99); got != tt.want {
			t.Errorf("Distance(%q, %q) = %d, want %d", tt.a, tt.b, got, tt.want)
		}
		if got := Distance(tt.b, tt.a, 99); got != tt.want {
			t.Errorf("Distance(%q, %q) = %d, want %d", tt.b, tt.a, got, tt.want)
		}
	}
}
