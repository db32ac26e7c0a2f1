package syntax

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"irgl/internal/golden"
	"irgl/internal/source"
)

// dialectOf returns the dialect of a file in an archive.
func dialectOf(name string) Dialect {
	if filepath.Ext(name) == ".irgl" {
		return IrGL
	}
	return CUDA
}

// archives returns the archives whose names match a pattern.
func archives(t *testing.T, pattern string) []string {
	t.Helper()
	paths, err := filepath.Glob("testdata/" + pattern)
	if err != nil || len(paths) == 0 {
		t.Fatalf("no archives match %s: %v", pattern, err)
	}
	return paths
}

// TestPrint compares the canonical form of each archive's in file with its
// out file, and checks that the form is a fixed point with an equal tree.
func TestPrint(t *testing.T) {
	for _, path := range archives(t, "*.txtar") {
		if strings.HasPrefix(filepath.Base(path), "err-") {
			continue
		}
		t.Run(filepath.Base(path), func(t *testing.T) {
			ar := golden.Archive(t, path)
			in := ar.Files[0]
			var diags source.List
			tree := Parse(source.NewFile(in.Name, in.Data), dialectOf(in.Name), &diags)
			if err := diags.Err(); err != nil {
				t.Fatal(err)
			}
			golden.Section(t, ar, "out"+filepath.Ext(in.Name), String(tree))
			checkParse(t, in.Data, dialectOf(in.Name))
		})
	}
}

var expectation = regexp.MustCompile(`(\^?)(ERROR|WARNING) "((?:[^"\\]|\\.)*)"`)

// TestErrors compares the diagnostics of each err- archive with the
// expectations in its comments, ERROR "regexp" or WARNING "regexp" on the
// line of the diagnostic, or ^ERROR on the line after it, one for each.
func TestErrors(t *testing.T) {
	for _, path := range archives(t, "err-*.txtar") {
		ar, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range ar.Files {
			t.Run(filepath.Base(path)+"/"+file.Name, func(t *testing.T) { checkErrors(t, file) })
		}
	}
}

func checkErrors(t *testing.T, file txtar.File) {
	f := source.NewFile(file.Name, file.Data)
	var diags source.List
	Parse(f, dialectOf(file.Name), &diags)
	diags.Sort()
	got := map[int][]string{}
	for _, d := range diags.Diags {
		got[d.Pos.Line()] = append(got[d.Pos.Line()], d.Error())
	}
	for i := range f.LineCount() {
		for _, m := range expectation.FindAllStringSubmatch(f.Line(i+1), -1) {
			n := i + 1 - len(m[1])
			re, err := regexp.Compile(strings.ToLower(m[2]) + ": .*" + strings.ReplaceAll(m[3], `\"`, `"`))
			if err != nil {
				t.Fatal(err)
			}
			k := slices.IndexFunc(got[n], re.MatchString)
			if k < 0 {
				t.Errorf("line %d: no diagnostic matches %s; there are %q", n, re, got[n])
				continue
			}
			got[n] = slices.Delete(got[n], k, k+1)
		}
	}
	for _, rest := range got {
		for _, extra := range rest {
			t.Errorf("unexpected %s", extra)
		}
	}
}

// TestCodes checks that every code is produced by some err- archive.
func TestCodes(t *testing.T) {
	text, err := os.ReadFile("codes.go")
	if err != nil {
		t.Fatal(err)
	}
	tokens, err := os.ReadFile("../internal/cpp/codes.go")
	if err != nil {
		t.Fatal(err)
	}
	text = append(text, tokens...)
	want := map[string]bool{}
	for _, m := range regexp.MustCompile(`= "(S\d{4})"`).FindAllStringSubmatch(string(text), -1) {
		if want[m[1]] {
			t.Errorf("the code %s is used twice", m[1])
		}
		want[m[1]] = true
	}
	if len(want) < 30 {
		t.Fatalf("found only %d codes", len(want))
	}
	for _, path := range archives(t, "err-*.txtar") {
		ar, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range ar.Files {
			var diags source.List
			Parse(source.NewFile(file.Name, file.Data), dialectOf(file.Name), &diags)
			for _, d := range diags.Diags {
				delete(want, string(d.Code))
			}
		}
	}
	for code := range want {
		t.Errorf("no archive produces %s", code)
	}
}
