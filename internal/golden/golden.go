package golden

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/rogpeppe/go-internal/diff"
	"github.com/rogpeppe/go-internal/txtar"
)

var update = flag.Bool("update", false, "rewrite the goldens in testdata")

// Updating reports whether the test runs with -update.
func Updating() bool { return *update }

// Diff returns a unified diff from want to got, or "" if they are equal.
func Diff(want, got string) string {
	return string(diff.Diff("want", []byte(want), "got", []byte(got)))
}

// Equal compares two texts that -update cannot change.
func Equal(t testing.TB, name, want, got string) {
	t.Helper()
	if d := Diff(want, got); d != "" {
		t.Errorf("%s differs:\n%s", name, d)
	}
}

// stale compares the text of a golden with what should be there.
func stale(t testing.TB, name, want, got string) {
	t.Helper()
	if d := Diff(want, got); d != "" {
		t.Errorf("%s differs; run with -update if the new text is right:\n%s", name, d)
	}
}

// File compares got with the file at path, or writes the file. A file that does
// not exist is empty.
func File(t testing.TB, path, got string) {
	t.Helper()
	want, err := os.ReadFile(path)
	if err == nil && string(want) == got {
		return
	}
	if !*update {
		if err != nil {
			t.Error(err)
		}
		stale(t, path, string(want), got)
		return
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(got), 0o666); err != nil {
		t.Fatal(err)
	}
}

// Archive reads the txtar archive at path. With -update the archive is written
// back at the end of the test if its sections have changed and the test has not
// failed.
func Archive(t testing.TB, path string) *txtar.Archive {
	t.Helper()
	a, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		before := txtar.Format(a)
		t.Cleanup(func() {
			now := txtar.Format(a)
			if t.Failed() || bytes.Equal(before, now) {
				return
			}
			if err := os.WriteFile(path, now, 0o666); err != nil {
				t.Error(err)
			}
		})
	}
	return a
}

// Section compares got with the section of that name in a, or replaces it. A
// section that does not exist is an error, or with -update appended.
func Section(t testing.TB, a *txtar.Archive, name, got string) {
	t.Helper()
	i := slices.IndexFunc(a.Files, func(f txtar.File) bool { return f.Name == name })
	switch {
	case i >= 0:
		Data(t, &a.Files[i], got)
	case *update:
		a.Files = append(a.Files, txtar.File{Name: name, Data: []byte(got)})
	default:
		t.Errorf("the archive has no section %s:\n%s", name, Diff("", got))
	}
}

// Data compares got with the data of a section of an archive, or replaces it.
func Data(t testing.TB, section *txtar.File, got string) {
	t.Helper()
	if *update {
		section.Data = []byte(got)
		return
	}
	stale(t, section.Name, string(section.Data), got)
}

// Sections compares the sections of a with those that should be there, names and
// order included, or replaces them all.
func Sections(t testing.TB, a *txtar.Archive, got []txtar.File) {
	t.Helper()
	if *update {
		a.Files = got
		return
	}
	if want, got := names(a.Files), names(got); !slices.Equal(want, got) {
		t.Errorf("the archive has the sections %q, want %q", want, got)
	}
	for _, f := range got {
		if i := slices.IndexFunc(a.Files, func(g txtar.File) bool { return g.Name == f.Name }); i >= 0 {
			stale(t, f.Name, string(a.Files[i].Data), string(f.Data))
		}
	}
}

func names(files []txtar.File) []string {
	var list []string
	for _, f := range files {
		list = append(list, f.Name)
	}
	return list
}
