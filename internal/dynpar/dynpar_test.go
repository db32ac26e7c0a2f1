package dynpar

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"irgl/internal/check"
	"irgl/internal/golden"
	"irgl/internal/source"
	"irgl/internal/tree"
	"irgl/syntax"
)

// lowered lowers a text in a way, and returns it without the declarations of the library.
func lowered(t *testing.T, text []byte, way Way) (*syntax.File, *Module, *source.List) {
	t.Helper()
	diags := &source.List{}
	f := syntax.Parse(source.NewFile("in.cu", text), syntax.CUDA, diags)
	info := check.Check(f, diags)
	if diags.Errors() > 0 {
		t.Fatal(diags.Err())
	}
	before := syntax.String(f)
	out, m := Lower(info, Options{Way: way}, diags)
	if syntax.String(f) != before {
		t.Error("the program itself has changed")
	}
	if m == nil {
		if out != info {
			t.Error("a program without launches has changed")
		}
		return f, nil, diags
	}
	file := *out.File
	file.Decls = slices.Clone(file.Decls[len(tree.Declarations(Options{Way: way}.library(false))):])
	return &file, m, diags
}

// TestLower compares the lowered programs of the archives, and what the host has to know.
func TestLower(t *testing.T) {
	golden.Each(t, "testdata/*.txtar", func(t *testing.T, a *txtar.Archive) {
		f, m, diags := lowered(t, golden.Find(a, "in.cu").Data, ByQueue)
		if err := diags.Err(); err != nil {
			t.Fatal(err)
		}
		var module bytes.Buffer
		for _, d := range diags.Diags {
			fmt.Fprintf(&module, "%s: %s [%s]\n", d.Pos, d.Message, d.Code)
		}
		if m != nil {
			for i, k := range m.Kernels {
				fmt.Fprintf(&module, "%d %s %v, %d bytes, defined %v\n", i, k.Symbol, k.Params, k.Bytes, k.Defined)
			}
			var names []string
			for k := range m.Launching {
				names = append(names, k)
			}
			slices.Sort(names)
			fmt.Fprintf(&module, "launching %s\nsites %s\n", strings.Join(names, " "), strings.Join(m.Sites, " "))
		}
		golden.Section(t, a, "out.cu", syntax.String(f))
		if golden.Find(a, "library.cu") != nil {
			f, _, _ := lowered(t, golden.Find(a, "in.cu").Data, ByLibrary)
			golden.Section(t, a, "library.cu", syntax.String(f))
		}
		golden.Section(t, a, "module", module.String())
	})
}

// TestErrors has a line of a program marked // ERROR or // WARNING "part" ... get that diagnostic,
// and no other line get one.
func TestErrors(t *testing.T) {
	text := ""
	golden.Each(t, "testdata/errors/*.txtar", func(t *testing.T, a *txtar.Archive) {
		in := golden.Find(a, "in.cu").Data
		text += string(in)
		_, _, diags := lowered(t, in, ByQueue)
		got := map[int]string{}
		for _, d := range diags.Diags {
			got[d.Pos.Line()] += fmt.Sprintf("%s %s %s", strings.ToUpper(d.Severity.String()), d.Message, d.Code)
			if d.Hint == "" {
				t.Errorf("%s has no hint", d.Message)
			}
		}
		for i, line := range strings.Split(string(in), "\n") {
			_, mark, _ := strings.Cut(line, "// ")
			msg := got[i+1]
			if mark == "" && msg != "" {
				t.Errorf("line %d: unexpected %s", i+1, msg)
			}
			kind, parts, _ := strings.Cut(mark, " ")
			for _, part := range append(strings.Split(strings.Trim(parts, `" `), `" "`), kind) {
				if !strings.Contains(msg, part) {
					t.Errorf("line %d: %q lacks %q", i+1, msg, part)
				}
			}
		}
	})
	for _, c := range []source.Code{codeSynchronize, codeDropped, codeArguments} {
		if !strings.Contains(text, `"`+string(c)+`"`) {
			t.Errorf("no archive produces %s", c)
		}
	}
}
