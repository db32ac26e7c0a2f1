package suggest

import (
	"fmt"
	"strings"
)

// Nearest returns the candidate that is closest to name; the first one of
// several. It fails when none differs by at most a third of name's letters.
func Nearest(name string, candidates []string) (string, bool) {
	best, bestDistance := "", max(1, len(name)/3)+1
	for _, c := range candidates {
		if d := Distance(strings.ToLower(name), strings.ToLower(c), bestDistance); d < bestDistance && c != name {
			best, bestDistance = c, d
		}
	}
	return best, best != ""
}

// Hint returns ", did you mean ...?" with the nearest candidate, or "".
func Hint(name string, candidates []string) string {
	if c, ok := Nearest(name, candidates); ok {
		return fmt.Sprintf(", did you mean %q?", c)
	}
	return ""
}

// Distance returns the number of single-letter edits and swaps of neighbours
// that turn a into b (optimal string alignment). It stops at once with limit+1
// where the lengths alone differ by more than limit.
func Distance(a, b string, limit int) int {
	if len(a)-len(b) > limit || len(b)-len(a) > limit {
		return limit + 1
	}
	prev2 := make([]int, len(b)+1)
	prev := make([]int, len(b)+1)
	cur := make([]int, len(b)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := 1; i <= len(a); i++ {
		cur[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			cur[j] = min(prev[j]+1, cur[j-1]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				cur[j] = min(cur[j], prev2[j-2]+1)
			}
		}
		prev2, prev, cur = prev, cur, prev2
	}
	return prev[len(b)]
}
