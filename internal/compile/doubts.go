package compile

import (
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"sync"

	"irgl/internal/source"
	"irgl/internal/suggest"
)

// WriteDoubts writes notes about CUDA C++ that is accepted and has perhaps another meaning than was
// meant: a qualifier that is misspelled, and a file without kernels, of which nothing is compiled for the
// device.
func (u *Unit) WriteDoubts(w io.Writer) {
	if !u.isCXX() {
		return
	}
	text := doubtful().ignored.ReplaceAllStringFunc(string(u.Source.Content), func(s string) string {
		return strings.Repeat(" ", len(s)-strings.Count(s, "\n")) + strings.Repeat("\n", strings.Count(s, "\n"))
	})
	for _, at := range doubtful().word.FindAllStringIndex(text, -1) {
		name := text[at[0]:at[1]]
		line := 1 + strings.Count(text[:at[0]], "\n")
		if meant := misspelled(name); meant != "" && !strings.Contains(text, "define "+name) {
			fmt.Fprintf(w, "irgl: note: %s:%d: %s is no qualifier; did you mean %s?\n", source.Visible(u.Source.Name), line, name, meant)
		}
	}
	if len(u.SSA.Funcs) == 0 && !strings.Contains(text, "__global__") && !strings.Contains(text, "__device__") {
		fmt.Fprintf(w, "irgl: note: %s has no kernels and no device functions: host code is not checked\n", source.Visible(u.Source.Name))
	}
}

// qualifiers are what functions and variables of device code begin with.
var qualifiers = []string{"__global__", "__device__", "__host__", "__shared__", "__constant__", "__managed__"}

// misspelled returns the qualifier that a name is but for one or two letters, or "".
func misspelled(name string) string {
	for _, q := range qualifiers {
		if d := suggest.Distance(name, q, 2); d > 0 && d <= 2 && !slices.Contains(qualifiers, name) {
			return q
		}
	}
	return ""
}

// doubtful has the patterns of what is not looked at, comments and literals, and of words that
// could be meant as qualifiers.
var doubtful = sync.OnceValue(func() (p struct{ ignored, word *regexp.Regexp }) {
	p.ignored = regexp.MustCompile(`(?s)/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'`)
	p.word = regexp.MustCompile(`\b(?:_+[a-z]+_*|[a-z]+__)\b`)
	return p
})
