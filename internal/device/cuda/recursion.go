//go:build (linux || windows) && (amd64 || arm64) && !nogpu

package cuda

import (
	"regexp"
	"strings"
	"sync"
)

var (
	ptxFunction = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`\.(?:entry|func)\s*(?:\.noreturn\s*)?(?:\([^)]*\)\s*)?([\w$%]+)`)
	})
	ptxCall = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`\bcall(?:\.uni)?\s*(?:\([^)]*\)\s*,\s*)?([\w$%]+)`)
	})
)

// recursive reports whether a function of a PTX text without comments calls itself,
// be it through others. The driver gives a kernel the stack that its functions need, but how often
// such a one is on it no assembler knows. Calls by pointers are not followed.
func recursive(text string) bool {
	if !strings.Contains(text, ".func") {
		return false
	}
	calls := map[string][]string{}
	heads := ptxFunction().FindAllStringSubmatchIndex(text, -1)
	for i, h := range heads {
		end := len(text)
		if i+1 < len(heads) {
			end = heads[i+1][0]
		}
		name := text[h[2]:h[3]]
		for _, c := range ptxCall().FindAllStringSubmatch(text[h[1]:end], -1) {
			calls[name] = append(calls[name], c[1])
		}
	}
	const active, done = 1, 2
	state := map[string]int{}
	var visit func(name string) bool
	visit = func(name string) bool {
		if state[name] != 0 {
			return state[name] == active
		}
		state[name] = active
		for _, callee := range calls[name] {
			if visit(callee) {
				return true
			}
		}
		state[name] = done
		return false
	}
	for name := range calls {
		if visit(name) {
			return true
		}
	}
	return false
}
