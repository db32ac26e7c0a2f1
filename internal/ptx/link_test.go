package ptx

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"irgl/internal/golden"
	"irgl/internal/source"
)

// partsOf parses the parts that an archive has; those named lib(...) are of a library.
func partsOf(t *testing.T, a *txtar.Archive) []Part {
	var parts []Part
	for _, f := range a.Files {
		if filepath.Ext(f.Name) != ".ptx" {
			continue
		}
		m, err := Parse(source.NewFile(f.Name, f.Data))
		if err != nil {
			t.Fatal(err)
		}
		parts = append(parts, Part{Name: f.Name, Module: m, Library: strings.HasPrefix(f.Name, "lib(")})
	}
	return parts
}

// TestLink compares what parts are linked to, or the errors, with testdata/link. The result must
// be a module that Verify accepts.
func TestLink(t *testing.T) {
	archives(t, "testdata/link/*.txtar", func(t *testing.T, a *txtar.Archive) {
		parts := partsOf(t, a)
		linked, err := Link(parts, func(s string) string { return "<" + s + ">" })
		if want := section(a, "error"); want != nil {
			if err == nil {
				t.Fatal("there is no error")
			}
			golden.Equal(t, "error", string(want), err.Error()+"\n")
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		text := roundTrip(t, linked.Module)
		golden.Section(t, a, "want", text)
		if err := Verify(linked.Module); err != nil {
			t.Error(err)
		}
		for i, p := range parts {
			needed := !p.Library || p.Name == "lib(f).ptx" || p.Name == "lib(g).ptx"
			included := p.Name != "lib(lacks).ptx" && p.Name != "lib(again).ptx"
			if linked.Needed[i] != needed || linked.Included[i] != included {
				t.Errorf("%s: needed is %v and included %v", p.Name, linked.Needed[i], linked.Included[i])
			}
		}
	})
}

// TestLinkAssembles gives what the parts of testdata/link are linked to to ptxas.
func TestLinkAssembles(t *testing.T) {
	path := ptxas(t)
	archives(t, "testdata/link/*.txtar", func(t *testing.T, a *txtar.Archive) {
		if want := section(a, "want"); want != nil {
			if complaint := assemble(t, path, "sm_75", string(want)); complaint != "" {
				t.Error(complaint)
			}
		}
	})
}
