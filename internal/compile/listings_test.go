package compile_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"irgl/internal/compile"
)

// TestListings compares every form of the listings of the two papers, which are
// in examples/listings, with goldens.
func TestListings(t *testing.T) {
	files, err := filepath.Glob("../../examples/listings/*.irgl")
	if err != nil || len(files) < 7 {
		t.Fatalf("%d listings: %v", len(files), err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		name := strings.TrimSuffix(filepath.Base(file), ".irgl")
		u, err := compiled(name+".irgl", string(text), "", compile.Options{Check: true, Lower: outlined})
		if err != nil {
			t.Fatal(err)
		}
		for _, form := range []string{"ast", "json", "cu", "ssa", "ptx"} {
			golden(t, filepath.Join("testdata", "listings", name+"."+form), emitted(t, u, form))
		}
	}
}

// golden compares got with the file at path, which -update writes.
func golden(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs at %q; run with -update if it is right", path, difference(got, string(want)))
	}
}
