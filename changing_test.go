package irgl_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// TestChangingPage checks that the files of docs/changing.md exist, but for those with NAME in
// them, and that each section lists as many files as its title says.
func TestChangingPage(t *testing.T) {
	text, err := os.ReadFile("docs/changing.md")
	if err != nil {
		t.Fatal(err)
	}
	path := regexp.MustCompile("`([a-zA-Z_0-9./-]+\\.(?:go|cu|irgl|md|txt|txtar))`")
	title := regexp.MustCompile(`^(.*): (at least )?([0-9]+) files`)
	item := regexp.MustCompile(`(?m)^[0-9]+\. .*$`)
	sections := strings.Split(string(text), "\n## ")[1:]
	for _, s := range sections {
		m := title.FindStringSubmatch(s)
		if m == nil {
			t.Errorf("no number of files: %.40s", s)
			continue
		}
		if n := len(item.FindAllString(s, -1)); m[2] == "" && strconv.Itoa(n) != m[3] {
			t.Errorf("%s: %s files by the title, %d in the list", m[1], m[3], n)
		}
		for _, f := range path.FindAllStringSubmatch(s, -1) {
			if !strings.Contains(f[1], "/") && !strings.HasPrefix(f[1], "README") {
				continue // a file beside the one before it, or a name in the prose
			}
			if _, err := os.Stat(f[1]); err != nil && !strings.Contains(f[1], "NAME") {
				t.Errorf("%s: %v", m[1], err)
			}
		}
	}
	signatures(t, sections)
	if len(sections) != 9 {
		t.Errorf("%d tasks", len(sections))
	}
}

// signatures checks that the functions whose signatures the page gives are declared in the
// package of a file that the same section names.
func signatures(t *testing.T, sections []string) {
	t.Helper()
	quoted := regexp.MustCompile("`(func [^`]+)`")
	dir := regexp.MustCompile("`((?:internal/|cmd/)?[a-z/]+)/[a-z_]+\\.go`")
	found := 0
	for _, s := range sections {
		var code strings.Builder
		for _, m := range dir.FindAllStringSubmatch(s, -1) {
			files, _ := filepath.Glob(m[1] + "/*.go")
			for _, file := range files {
				text, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				code.Write(text)
			}
		}
		for _, m := range quoted.FindAllStringSubmatch(s, -1) {
			signature := strings.Join(strings.Fields(m[1]), " ")
			if strings.Contains(signature, "NAME") {
				continue // the reader's
			}
			found++
			if !strings.Contains(code.String(), "\n"+signature+" {") {
				t.Errorf("no file of the section has %s", signature)
			}
		}
	}
	if found < 6 {
		t.Errorf("%d signatures", found)
	}
}
