//go:build (linux || windows) && (amd64 || arm64) && !nogpu

package cuda

import (
	"regexp"
	"strings"
	"sync"
)

var (
	ptxComment = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?s)//[^\n]*|/\*.*?\*/`) })
	ptxEntry   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\.entry\s+([\w$%]+)\s*(\(([^)]*)\))?`) })
)

// withoutComments returns a PTX text for countParams and recursive.
func withoutComments(ptx string) string { return ptxComment().ReplaceAllString(ptx, " ") }

// countParams returns the number of parameters of each entry of a PTX text
// without comments that the driver has accepted or will look at next.
func countParams(text string) map[string]int {
	counts := make(map[string]int)
	for _, m := range ptxEntry().FindAllStringSubmatch(text, -1) {
		counts[m[1]] = strings.Count(m[3], ".param")
	}
	return counts
}
