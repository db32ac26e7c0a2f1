package opt

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"irgl/internal/golden"
	"irgl/internal/source"
	"irgl/internal/ssa"
)

func fileOf(text string) *source.File { return source.NewFile("test.ssa", []byte(text)) }

func mustParse(t testing.TB, text string) *ssa.Module {
	t.Helper()
	m, err := ssa.Parse(fileOf(text))
	if err != nil {
		t.Fatal(err)
	}
	if err := ssa.Verify(m); err != nil {
		t.Fatal(err)
	}
	return m
}

// only returns the switches with which only the named passes run.
func only(names ...string) map[string]bool {
	on := make(map[string]bool)
	for _, p := range Passes().Passes() {
		on[p.Name] = false
	}
	for _, name := range names {
		on[name] = true
	}
	return on
}

// TestArchives runs passes over the archives of testdata. An archive is named
// after its pass; its comment's first line is the rule, and a second one of the
// form "run: NAME... [doubles] [contraction] [budget N]" names the passes to run, by default
// all, and the options. Sections come in pairs: NAME is the input, NAME.want
// the output, and NAME.stats, if present, the counters. The input of a "no-"
// section must not change.
func TestArchives(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no archives: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			runArchive(t, golden.Archive(t, file))
		})
	}
}

func runArchive(t *testing.T, ar *txtar.Archive) {
	var o Options
	o.Verify = true
	if _, run, ok := strings.Cut(string(ar.Comment), "\nrun: "); ok {
		words := strings.Fields(run)
		for i, w := range words {
			if w == "budget" {
				if _, err := fmt.Sscan(words[i+1], &o.InlineBudget); err != nil {
					t.Fatal(err)
				}
				words = words[:i]
				break
			}
		}
		words = slices.DeleteFunc(words, func(w string) bool {
			o.Doubles = o.Doubles || w == "doubles"
			o.Contract = o.Contract || w == "contraction"
			return w == "doubles" || w == "contraction"
		})
		o.Switch = only(words...)
	}
	for i := 0; i < len(ar.Files); {
		in := ar.Files[i]
		i++
		m := mustParse(t, string(in.Data))
		before := m.String()
		report, err := Run(m, o)
		if err != nil {
			t.Fatalf("%s: %v", in.Name, err)
		}
		if strings.HasPrefix(in.Name, "no-") {
			if got := m.String(); got != before {
				t.Errorf("%s: changed to\n%s", in.Name, got)
			}
		} else {
			compare(t, ar, i, in.Name+".want", m.String())
			i++
		}
		if i < len(ar.Files) && ar.Files[i].Name == in.Name+".stats" {
			compare(t, ar, i, in.Name+".stats", report.Stats.String())
			i++
		}
	}
}

func compare(t *testing.T, ar *txtar.Archive, i int, name, got string) {
	t.Helper()
	if i >= len(ar.Files) || ar.Files[i].Name != name {
		t.Fatalf("there is no section %s", name)
	}
	golden.Data(t, &ar.Files[i], got)
}

// TestEveryPassHasArchive: each pass has tests of its rules, and of inputs to
// which they do not apply.
func TestEveryPassHasArchive(t *testing.T) {
	for _, p := range Passes().Passes() {
		if p.Repeats != "" {
			continue
		}
		files, _ := filepath.Glob("testdata/" + p.Name + "*.txtar")
		negative := false
		for _, file := range files {
			ar, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range ar.Files {
				negative = negative || strings.HasPrefix(f.Name, "no-")
			}
		}
		if !negative {
			t.Errorf("%s: no archive with a no- section", p.Name)
		}
	}
}
