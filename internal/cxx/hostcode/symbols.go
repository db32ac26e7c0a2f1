package hostcode

import (
	"bytes"
	"slices"
	"strings"
)

// Symbols returns the symbols of an assembler's text, as g++ and clang++ write it for
// a rewritten text: the kernels whose stubs it has, and all that it defines, in the order of the text.
func Symbols(asm []byte) (stubs, defined []string) {
	in := false
	for line := range bytes.Lines(asm) {
		text := strings.TrimSpace(string(line))
		switch {
		case strings.HasPrefix(text, ".section"):
			in = strings.HasPrefix(strings.TrimSpace(text[len(".section"):]), Section)
		case text == ".text" || text == ".data" || text == ".bss":
			in = false
		case strings.HasSuffix(text, ":") && !strings.HasPrefix(text, ".") && !strings.ContainsAny(text, " \t\"#"):
			name := strings.TrimSuffix(text, ":")
			defined = append(defined, name)
			if in && !strings.Contains(name, ".") && !slices.Contains(stubs, name) {
				stubs = append(stubs, name)
			}
		}
	}
	return stubs, defined
}
