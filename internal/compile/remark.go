package compile

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/ianlancetaylor/demangle"

	throughput "irgl/internal/opt"
	"irgl/internal/pass"
	"irgl/internal/source"
	"irgl/syntax"
)

// A Remark is what the compiler says about one place of a program: what it did
// there, or why it left it as it was.
type Remark struct {
	File     string `json:"file"`
	Line     int    `json:"line"`
	Column   int    `json:"column"`
	Pass     string `json:"pass"`
	Function string `json:"function,omitempty"`
	Missed   bool   `json:"missed"`
	Text     string `json:"text"`
}

// String returns the remark as one line, in the form of a compiler's messages.
func (r Remark) String() string {
	kind := r.Pass
	if r.Missed {
		kind += ", missed"
	}
	return fmt.Sprintf("%s:%d:%d: remark: %s [%s]", r.File, r.Line, r.Column, r.Text, kind)
}

var symbols = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\b_Z\w+`) })

// named returns a text with the names of C++ functions in place of their symbols.
func named(text string) string {
	return symbols().ReplaceAllStringFunc(text, func(s string) string { return demangle.Filter(s, demangle.NoParams) })
}

// Remarks compiles a program and returns what is to be said about it in the
// order of the text: of an IrGL program, what becomes of the loops of its Host
// functions, and of all device code, what the scalar passes remark. What is
// said twice of one place, since its function was copied or a pass ran again,
// is said once. Of the device library's own text nothing is said unless
// library is set.
func Remarks(file *source.File, dialect syntax.Dialect, o Options, library bool) ([]Remark, error) {
	type placed struct {
		Remark
		pos source.Pos
	}
	var all []placed
	add := func(pos source.Pos, r Remark) {
		if !pos.IsValid() || pos.File.Name != file.Name && !library {
			return
		}
		r.File, r.Line, r.Column = pos.File.Name, pos.Line(), pos.Column()
		all = append(all, placed{r, pos})
	}
	o.Opt.Remark = func(r pass.Remark) {
		if r.Pass == "outline" { // which says nothing when it is off: see below
			return
		}
		add(r.Pos, Remark{Pass: r.Pass, Function: named(strings.TrimPrefix(r.Unit, "@")), Missed: r.Missed, Text: named(r.Text)})
	}
	u, err := Compile(file, dialect, "opt", o)
	if err != nil {
		return nil, err
	}
	if dialect == syntax.IrGL {
		nodes, err := throughput.Explain(u.Info, throughput.Options{Lower: o.Lower, Tree: o.tree(ofTree)})
		if err != nil {
			return nil, err
		}
		for _, n := range nodes {
			text, missed := n.Remark()
			add(n.Pos, Remark{Pass: "outline", Missed: missed, Text: text})
		}
	}
	slices.SortStableFunc(all, func(a, b placed) int {
		return cmp.Or(strings.Compare(a.File, b.File), cmp.Compare(a.pos.Offset, b.pos.Offset))
	})
	var out []Remark
	type key struct {
		pos  source.Pos
		pass string
		text string
	}
	seen := map[key]bool{}
	for _, r := range all {
		if k := (key{r.pos, r.Pass, r.Text}); !seen[k] {
			seen[k] = true
			out = append(out, r.Remark)
		}
	}
	return out, nil
}
