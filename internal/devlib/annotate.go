package devlib

import (
	"fmt"
	"regexp"
	"strings"
	"sync"
)

// A Level is a group of threads that does something together (IrGL paper,
// Listing 8).
type Level string

// The levels, as the sources of the library name them.
const (
	Thread      Level = "thread"      // n times by one thread
	Warp        Level = "warp"        // n times by each lane that comes there
	Once        Level = "once"        // the same, once by each
	ThreadBlock Level = "threadblock" // n times by each thread of the block
	Task        Level = "task"        // one of the n, at the place reserved
)

var annotation = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?m)^// @(\w+)\((\w+)\)\n[^\n(]*?(\w+)\(`) })

// annotated holds the library's methods by level and the function they are of.
var annotated = sync.OnceValue(func() map[string]string {
	out := map[string]string{}
	for _, m := range annotation().FindAllStringSubmatch(string(coopText)+string(boundsText), -1) {
		out[m[1]+" "+m[2]] = m[3]
	}
	return out
})

// Method returns the library's function that does what fun does for the
// threads of a level together. It fails for what the library does not have,
// which is a defect of the caller.
func Method(level Level, fun string) (string, error) {
	if name := annotated()[string(level)+" "+fun]; name != "" {
		return name, nil
	}
	return "", fmt.Errorf("devlib: there is no @%s(%s)", level, strings.TrimSpace(fun))
}
