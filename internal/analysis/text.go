package analysis

import (
	"fmt"
	"strings"

	"irgl/internal/check"
	"irgl/internal/source"
	"irgl/syntax"
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

// Summary prints what the package finds in all kernels and Host functions of a
// program, for goldens and for people who ask what can be optimised.
func Summary(info *check.Info) string {
	var b strings.Builder
	for _, fn := range info.Funcs {
		if fn.Decl.Body == nil {
			continue
		}
		f := New(info, fn)
		switch fn.Decl.Kind {
		case syntax.KernelFunc:
			fmt.Fprintf(&b, "kernel %s: threads %s\n", fn.Object.Name, SizesOf(fn))
		case syntax.HostFunc:
			b.WriteString(indent(f.Outline().Print(), 0))
			continue
		default:
			if len(f.Sites())+len(f.Batches()) == 0 {
				continue
			}
			fmt.Fprintf(&b, "func %s\n", fn.Object.Name)
		}
		for _, s := range f.Sites() {
			b.WriteString(indent(s.String(), 2))
		}
		for _, n := range f.Nests() {
			b.WriteString(indent(n.String(), 2))
		}
		for _, l := range f.Batches() {
			b.WriteString(indent(l.String(), 2))
		}
	}
	return b.String()
}

// indent puts n blanks before each line.
func indent(s string, n int) string {
	var b strings.Builder
	for l := range strings.Lines(s) {
		b.WriteString(strings.Repeat(" ", n) + l)
	}
	return b.String()
}
