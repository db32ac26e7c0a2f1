package golden

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// A recorder is a test whose errors are kept instead of reported.
type recorder struct {
	testing.TB
	errors  strings.Builder
	cleanup func()
}

func (r *recorder) Helper()                   {}
func (r *recorder) Failed() bool              { return r.errors.Len() > 0 }
func (r *recorder) Cleanup(f func())          { r.cleanup = f }
func (r *recorder) Error(args ...any)         { fmt.Fprintln(&r.errors, args...) }
func (r *recorder) Errorf(f string, a ...any) { fmt.Fprintf(&r.errors, f+"\n", a...) }

// set runs f with -update on or off and returns the errors that f reported.
func set(t *testing.T, on bool, f func(testing.TB)) string {
	t.Helper()
	before := *update
	*update = on
	defer func() { *update = before }()
	r := &recorder{TB: t}
	f(r)
	if r.cleanup != nil {
		r.cleanup()
	}
	return r.errors.String()
}

const archive = "The rule.\n-- in --\n1\n-- want --\na\nb\nc\nd\ne\nf\n"

// TestDifference: an error shows the changed line with the lines around it, and
// not the whole text; -update writes what has changed, and the next run passes.
func TestDifference(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.txtar")
	if err := os.WriteFile(path, []byte(archive), 0o666); err != nil {
		t.Fatal(err)
	}
	test := func(got string) func(testing.TB) {
		return func(t testing.TB) { Section(t, Archive(t, path), "want", got) }
	}
	if got := set(t, false, test("a\nb\nc\nd\ne\nf\n")); got != "" {
		t.Errorf("equal texts give %s", got)
	}
	got := set(t, false, test("a\nb\nc\nd\ne\nF\n"))
	if !strings.Contains(got, "\n-f\n+F\n") || strings.Contains(got, " a\n") {
		t.Errorf("the error is %s", got)
	}
	if got := set(t, true, test("new\n")); got != "" {
		t.Errorf("updating gives %s", got)
	}
	if got := set(t, false, test("new\n")); got != "" {
		t.Errorf("after updating: %s", got)
	}
	text, err := os.ReadFile(path)
	if err != nil || string(text) != "The rule.\n-- in --\n1\n-- want --\nnew\n" {
		t.Errorf("%v, the archive is\n%s", err, text)
	}
}

// TestMissing: a section or a file that does not exist is an error, and made by
// -update.
func TestMissing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "below", "x")
	file := func(t testing.TB) { File(t, path, "text\n") }
	a := txtar.Parse([]byte(archive))
	section := func(t testing.TB) { Section(t, a, "new", "text\n") }
	for name, f := range map[string]func(testing.TB){"file": file, "section": section} {
		if got := set(t, false, f); !strings.Contains(got, "+text\n") {
			t.Errorf("%s: the error is %q", name, got)
		}
		if got := set(t, true, f) + set(t, false, f); got != "" {
			t.Errorf("%s: updating gives %s", name, got)
		}
	}
}

// TestSections: names, order and data of all sections are compared.
func TestSections(t *testing.T) {
	a := txtar.Parse([]byte(archive))
	same := txtar.Parse([]byte(archive)).Files
	if got := set(t, false, func(t testing.TB) { Sections(t, a, same) }); got != "" {
		t.Errorf("equal sections give %s", got)
	}
	same[0].Data = []byte("2\n")
	if got := set(t, false, func(t testing.TB) { Sections(t, a, same[:1]) }); !strings.Contains(got, `"want"`) || !strings.Contains(got, "-1\n+2\n") {
		t.Errorf("the error is %s", got)
	}
}

// TestFailedIsNotWritten: a test that fails does not change its archive.
func TestFailedIsNotWritten(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.txtar")
	if err := os.WriteFile(path, []byte(archive), 0o666); err != nil {
		t.Fatal(err)
	}
	set(t, true, func(t testing.TB) {
		Section(t, Archive(t, path), "want", "new\n")
		t.Error("failed")
	})
	if text, err := os.ReadFile(path); err != nil || string(text) != archive {
		t.Errorf("%v, the archive is\n%s", err, text)
	}
}

// TestArchives: each archive is a subtest of its name, what it changes is written
// with -update, and sections are found by name and by ending.
func TestArchives(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"x.txtar", "y.txtar"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(archive), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	pattern := filepath.Join(dir, "*.txtar")
	var seen []string
	set(t, true, func(testing.TB) {
		Each(t, pattern, func(t *testing.T, a *txtar.Archive) {
			seen = append(seen, filepath.Base(t.Name())+string(Find(a, "in").Data))
			Section(t, a, "want", "new\n")
		})
	})
	if got := strings.Join(seen, " "); got != "x1\n y1\n" {
		t.Errorf("subtests %q", got)
	}
	a := Archive(t, filepath.Join(dir, "y.txtar"))
	if got := string(Find(a, "want").Data); got != "new\n" || Find(a, "out") != nil {
		t.Errorf("want is %q, out %v", got, Find(a, "out"))
	}
	if err := os.WriteFile(filepath.Join(dir, "z.txtar"), []byte("A rule.\n-- a.cu --\n1\n-- b.irgl --\n2\n-- c.go --\n3\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if list := Seeds(t, []string{".cu", ".irgl"}, pattern); len(list) != 2 || list[0].Name != "a.cu" || list[1].Name != "b.irgl" {
		t.Errorf("seeds %v", list)
	}
}
