package irgl_test

import (
	"os"
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
	if len(sections) != 8 {
		t.Errorf("%d tasks", len(sections))
	}
}
