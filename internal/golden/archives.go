package golden

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// Each runs f as a subtest for each archive that the pattern names, of which there
// is at least one; each says in its comment which rule it tests.
func Each(t *testing.T, pattern string, f func(t *testing.T, a *txtar.Archive)) {
	t.Helper()
	for _, path := range glob(t, pattern) {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			a := Archive(t, path)
			if len(bytes.TrimSpace(a.Comment)) == 0 {
				t.Error("the archive does not say which rule it tests")
			}
			f(t, a)
		})
	}
}

// Find returns the section of that name in a, or nil.
func Find(a *txtar.Archive, name string) *txtar.File {
	if i := slices.IndexFunc(a.Files, func(f txtar.File) bool { return f.Name == name }); i >= 0 {
		return &a.Files[i]
	}
	return nil
}

// Seeds returns the sections with one of the endings, such as ".irgl", of all archives
// that the patterns name: seeds for fuzzing.
func Seeds(t testing.TB, endings []string, patterns ...string) []txtar.File {
	t.Helper()
	var list []txtar.File
	for _, pattern := range patterns {
		for _, path := range glob(t, pattern) {
			a, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range a.Files {
				if slices.Contains(endings, filepath.Ext(f.Name)) {
					list = append(list, f)
				}
			}
		}
	}
	return list
}

// glob returns the archives that a pattern names.
func glob(t testing.TB, pattern string) []string {
	t.Helper()
	paths, err := filepath.Glob(pattern)
	if err != nil || len(paths) == 0 {
		t.Fatalf("no archives %s: %v", pattern, err)
	}
	return paths
}
