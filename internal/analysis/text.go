package analysis

import (
	"fmt"
	"strings"

	"irgl/internal/source"
)

// place prints a position without the file's name, which goldens do without.
func place(p source.Pos) string {
	if !p.IsValid() {
		return "-"
	}
	return fmt.Sprintf("%d:%d", p.Line(), p.Column())
}

// A Reason says why something is refused, and what in the text is to blame.
type Reason struct {
	Pos  source.Pos
	Text string
}

func (r Reason) String() string { return place(r.Pos) + " " + r.Text }

// indent puts n blanks before each line.
func indent(s string, n int) string {
	var b strings.Builder
	for l := range strings.Lines(s) {
		b.WriteString(strings.Repeat(" ", n) + l)
	}
	return b.String()
}
