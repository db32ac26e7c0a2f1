package compile_test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

func itoa(n int) string { return strconv.Itoa(n) }

// bundled returns the texts of the bundled programs, which package programs
// embeds: it may not be imported from here.
func bundled(t testing.TB) map[string][]byte {
	t.Helper()
	files, err := filepath.Glob("../programs/*.irgl")
	if err != nil || len(files) == 0 {
		t.Fatal("no bundled programs: ", err)
	}
	texts := map[string][]byte{}
	for _, path := range files {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		texts[strings.TrimSuffix(filepath.Base(path), ".irgl")] = b
	}
	return texts
}
