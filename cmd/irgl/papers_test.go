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
		for _, why := range unrelated(t, r, shown, codeSpan.FindAllStringSubmatch(r.here, -1)) {
			t.Errorf("%s, %s: %s: %s", r.paper, r.section, r.what, why)
		}
		for _, m := range codeSpan.FindAllStringSubmatch(r.here, -1) {
			isPath := !strings.ContainsAny(m[1], " _[]#") && !strings.Contains(m[1], "ld.")
			if why := missing(t, m[1]); isPath && why != "" {
				t.Errorf("%s, %s: %s: %s", r.paper, r.section, r.what, why)
			}
		}
	}
	if count < 129 {
		t.Errorf("%d rows beside KLAP's: the papers have more", count)
	}
}

// unrelated says what of a row its evidence does not name: each pass and Go file that the
// row says does it is named in the path or the text of some evidence; a test that runs many
// files is cited with the file; and the page of the paper's tables has the row's.
func unrelated(t *testing.T, r paperRow, shown, here [][]string) (why []string) {
	t.Helper()
	if len(shown) == 0 {
		return nil
	}
	var all strings.Builder
	for _, m := range shown {
		name := m[1]
		all.WriteString(strings.ToLower(name) + "\n")
		text, isTest := testText(t, name)
		if raw, err := os.ReadFile(evidencePath(name)); !isTest && err == nil {
			text = string(raw)
		}
		all.WriteString(strings.ToLower(text))
		runsMany := name == ".TestExamples" || name == "internal/compile.TestListings"
		if runsMany && !strings.Contains(r.here+r.shown, "`examples/") {
			why = append(why, name+" runs many programs: which of them?")
		}
		if name == "docs/measurements/paper.md" {
			for _, label := range regexp.MustCompile(`(Figure|Table) \d+`).FindAllString(r.section, -1) {
				if !regexp.MustCompile(`(?m)^#.*\b` + label + `\b`).MatchString(text) {
					why = append(why, name+" has no "+label)
				}
			}
		}
	}
	for _, m := range here {
		base, isGo := strings.CutSuffix(filepath.Base(m[1]), ".go")
		isPass := slices.Contains(throughput.Passes().Names(), m[1]) || slices.Contains(opt.Passes().Names(), m[1])
		if !isGo && !isPass {
			continue
		}
		if !strings.Contains(all.String(), base) && !strings.Contains(all.String(), strings.ReplaceAll(base, "_", "-")) {
			why = append(why, "nothing of what it is shown by names "+m[1])
		}
	}
	return why
}

// testText returns the text of a Go test with its comment, "" for one that does not exist,
// and whether name is that of a test.
func testText(t *testing.T, name string) (string, bool) {
	t.Helper()
	m := regexp.MustCompile(`^([a-z0-9/]*)\.(Test\w+)$`).FindStringSubmatch(name)
	if m == nil {
		return "", false
	}
	files, err := filepath.Glob(filepath.Join("../..", m[1], "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if test := regexp.MustCompile(`(?m)(^//.*\n)*^func ` + m[2] + `\((?s:.*?)^}`).Find(text); test != nil {
			return string(test), true
		}
	}
	return "", true
}

// evidencePath returns the path of a file that the page names.
func evidencePath(name string) string {
	if script, ok := strings.CutPrefix(name, "script/"); ok {
		return filepath.Join("testdata/script", script)
	}
	return filepath.Join("../..", name)
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
	if text, is := testText(t, name); is {
		if text == "" {
			return "no test " + name
		}
		return ""
	}
	if slices.Contains(throughput.Passes().Names(), name) || slices.Contains(opt.Passes().Names(), name) {
		return ""
	}
	if _, err := os.Stat(evidencePath(name)); err != nil {
		return "no file, pass or test " + name
	}
	return ""
}
