package hostcode

import (
	"bytes"
	"slices"
	"strings"
)

// Symbols returns the symbols of an assembler's text, as g++ and clang++ write it for
// a rewritten text: the kernels whose stubs it has, and all that it defines, in the order of the text.
func Symbols(asm []byte) (stubs, defined []string) {
	function := ""
	for line := range bytes.Lines(asm) {
		text := strings.TrimSpace(string(line))
		switch {
		case text == marker:
			// A clone of the stub, such as name.constprop.0, refers to the stub itself.
			name, _, _ := strings.Cut(function, ".")
			if name != "" && !slices.Contains(stubs, name) {
				stubs = append(stubs, name)
			}
		case isLabel(text):
			function = strings.TrimSuffix(text, ":")
			defined = append(defined, function)
		case strings.HasPrefix(text, ".comm\t"):
			// Zeros of the file: a static variable has no label.
			name, _, _ := strings.Cut(strings.TrimPrefix(text, ".comm\t"), ",")
			defined = append(defined, name)
		}
	}
	return stubs, defined
}

// isLabel reports whether a line is the label of a symbol, and not one inside of a function.
func isLabel(line string) bool {
	return strings.HasSuffix(line, ":") && !strings.HasPrefix(line, ".") && !strings.ContainsAny(line, " \t\"#")
}
