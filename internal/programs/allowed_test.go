package programs

import (
	"math"
	"testing"
)

// TestCheckArgument checks the ends of the ranges, and that what a range is of is a
// parameter of the program.
func TestCheckArgument(t *testing.T) {
	for _, c := range []struct {
		program, param string
		value          float64
		want           string
	}{
		{"pr", "tolerance", 0, ""},
		{"pr", "tolerance", 5, ""},
		{"pr", "tolerance", -1, "it must be at least 0 and finite"},
		{"pr", "tolerance", math.Inf(1), "it must be at least 0 and finite"},
		{"pr_pull", "damping", 1, ""},
		{"pr_pull", "damping", 1.5, "it must be at least 0 and at most 1"},
		{"pr_dd", "damping", 1, "it must be at least 0 and less than 1"},
		{"pr_dd", "tolerance", 0, "it must be greater than 0 and finite"},
		{"pr_dd", "tolerance", 1e-300, ""},
		{"dmr", "angle", 60, "it must be at least 0 and less than 60"},
		{"dmr", "angle", 0, ""},
		{"sssp_ds", "delta", -1, "it must be at least 0 and finite"},
		{"sssp_ds", "busy", -16, "it must be at least 0 and finite"},
		{"sssp_ds", "busy", 0, ""},
		{"bfs", "src", -1, ""},
		{"mine", "tolerance", -1, ""},
	} {
		got := ""
		if err := CheckArgument(c.program, c.param, c.value); err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%s of %s = %v: %q, want %q", c.param, c.program, c.value, got, c.want)
		}
	}
}
