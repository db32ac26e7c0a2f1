package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	throughput "irgl/internal/opt"
	"irgl/internal/ssa/opt"
)

// A paperRow is a row of docs/papers.md: a mechanism, figure or table of a paper.
type paperRow struct {
	paper, section, what, here, shown string
}

func paperRows(t *testing.T) []paperRow {
	t.Helper()
	text, err := os.ReadFile("../../docs/papers.md")
	if err != nil {
		t.Fatal(err)
	}
	var out []paperRow
	paper := ""
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if title, ok := strings.CutPrefix(line, "## "); ok {
			paper = title
		}
		if !strings.HasPrefix(line, "|") || strings.HasPrefix(line, "| § |") || strings.HasPrefix(line, "|---") {
			continue
		}
		cells := strings.Split(strings.TrimSuffix(strings.TrimPrefix(line, "|"), "|"), "|")
		if len(cells) != 4 {
			t.Errorf("%d cells: %s", len(cells), line)
			continue
		}
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		out = append(out, paperRow{paper, cells[0], cells[1], cells[2], cells[3]})
	}
	return out
}

// TestPapersPage checks that what the page on the papers names exists, and that each of its
// rows names a test, a file or a command, or says why there is none.
func TestPapersPage(t *testing.T) {
	rows := paperRows(t)
	codeSpan := regexp.MustCompile("`([^`]+)`")
	count, seen := 0, map[string]bool{}
	for _, r := range rows {
		if r.paper != "KLAP" {
			count++
		}
		if seen[r.paper+r.section+r.what] {
			t.Errorf("%s, %s: %s: twice", r.paper, r.section, r.what)
		}
		seen[r.paper+r.section+r.what] = true
		shown := codeSpan.FindAllStringSubmatch(r.shown, -1)
		absent := strings.HasPrefix(r.here, "*Planned*") || strings.HasPrefix(r.here, "*Not here*")
		if absent == (len(shown) > 0) {
			t.Errorf("%s, %s: %s: shown by %q, and %q", r.paper, r.section, r.what, r.shown, r.here)
		}
		if absent && r.paper != "KLAP" && len(strings.Fields(r.here)) < 5 {
			t.Errorf("%s, %s: %s: no reason", r.paper, r.section, r.what)
		}
		for _, m := range shown {
			if why := missing(t, m[1]); why != "" {
				t.Errorf("%s, %s: %s: %s", r.paper, r.section, r.what, why)
			}
		}
		for _, m := range codeSpan.FindAllStringSubmatch(r.here, -1) {
			isPath := !strings.ContainsAny(m[1], " _[]#") && !strings.Contains(m[1], "ld.")
			if why := missing(t, m[1]); isPath && why != "" {
				t.Errorf("%s, %s: %s: %s", r.paper, r.section, r.what, why)
			}
		}
	}
	if count < 127 {
		t.Errorf("%d rows beside KLAP's: the papers have more", count)
	}
}

// missing says what is missing of a test, a pass, a file or a command.
func missing(t *testing.T, name string) string {
	t.Helper()
	if args, ok := strings.CutPrefix(name, "irgl "); ok {
		if status, _, stderr := call(t, append(strings.Fields(args), "--help")...); status != 0 {
			return "irgl " + args + ": " + stderr
		}
		return ""
	}
	if m := regexp.MustCompile(`^([a-z0-9/]*)\.(Test\w+)$`).FindStringSubmatch(name); m != nil {
		files, err := filepath.Glob(filepath.Join("../..", m[1], "*_test.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(string(text), "\nfunc "+m[2]+"(") {
				return ""
			}
		}
		return "no test " + name
	}
	if slices.Contains(throughput.Passes().Names(), name) || slices.Contains(opt.Passes().Names(), name) {
		return ""
	}
	path := filepath.Join("../..", name)
	if script, ok := strings.CutPrefix(name, "script/"); ok {
		path = filepath.Join("testdata/script", script)
	}
	if _, err := os.Stat(path); err != nil {
		return "no file, pass or test " + name
	}
	return ""
}
