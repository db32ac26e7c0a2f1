package main

import (
	"math"
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"

	"irgl/internal/golden"
	"irgl/internal/measured"
)

// TestGeneratedMeasurements makes each page under docs/measurements of its file; -update
// rewrites them. The files are as package measured writes them.
func TestGeneratedMeasurements(t *testing.T) {
	files, err := filepath.Glob("../../docs/measurements/*.csv")
	if err != nil || len(files) == 0 {
		t.Fatal("no measurements", err)
	}
	pages, err := filepath.Glob("../../docs/measurements/*.md")
	if err != nil || len(pages) != len(files) {
		t.Errorf("%d pages for %d files: %v", len(pages), len(files), err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			blocks, err := measured.Parse(text)
			if err != nil {
				t.Fatal(err)
			}
			var page, again strings.Builder
			if err := measured.Markdown(&page, "docs/measurements/"+filepath.Base(file), blocks, forms); err != nil {
				t.Fatal(err)
			}
			golden.File(t, strings.TrimSuffix(file, ".csv")+".md", page.String())
			if err := measured.Write(&again, blocks); err != nil {
				t.Fatal(err)
			}
			golden.File(t, file, again.String())
		})
	}
}

// TestHeadlineFigures: the tables of problems in docs/performance.md and the README have the
// figures of docs/measurements/problems.csv.
func TestHeadlineFigures(t *testing.T) {
	best, public := map[[2]string]float64{}, map[[2]string]float64{}
	text, err := os.ReadFile("../../docs/measurements/problems.csv")
	if err != nil {
		t.Fatal(err)
	}
	blocks, err := measured.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	short := regexp.MustCompile(`:wmax=[0-9]+$`)
	for _, b := range blocks {
		for i := range b.Table.Rows {
			switch r := b.Row(i); {
			case strings.Contains(r.Text("choice"), "tuned"):
				problem, _, _ := strings.Cut(r.Text("program"), "_")
				best[[2]string{problem, short.ReplaceAllString(r.Text("input"), "")}] = r.Float("value")
			case r.Text("fastest, ms") != "":
				public[[2]string{r.Text("problem"), r.Text("graph")}] = r.Float("fastest, ms")
			}
		}
	}
	check := func(page, shown string, want float64) {
		t.Helper()
		v, err := strconv.ParseFloat(shown, 64)
		_, decimals, _ := strings.Cut(shown, ".")
		if half := 0.5 * math.Pow10(-len(decimals)); err != nil || want == 0 || math.Abs(v-want) > half+1e-9 {
			t.Errorf("%s has %s, and was measured as %g: %v", page, shown, want, err)
		}
	}
	tables := func(page, first string) [][]string {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		_, rest, ok := strings.Cut(string(text), first)
		table, _, closed := strings.Cut(first+rest, "\n\n")
		if !ok || !closed {
			t.Fatalf("%s has no table that begins with %s", page, first)
		}
		var rows [][]string
		for line := range strings.Lines(table + "\n") {
			cells := strings.Split(strings.Trim(line, "|\n "), "|")
			for i := range cells {
				cells[i] = strings.TrimSpace(cells[i])
			}
			rows = append(rows, cells)
		}
		return rows
	}
	n := 0
	rows := tables("../../docs/performance.md", "| problem | rmat")
	for _, row := range rows[2:] {
		for c, cell := range row[1:] {
			if cell == "" {
				continue
			}
			problem, _, _ := strings.Cut(row[0], ",")
			key := [2]string{problem, rows[0][1+c]}
			if problem == "dmr" {
				key[1] = "points:500000"
			}
			ours, theirs, _ := strings.Cut(strings.TrimSuffix(cell, ")"), " (")
			check("performance.md, "+problem, ours, best[key])
			check("performance.md, "+problem, theirs, public[key])
			n++
		}
	}
	rows = tables("../../README.md", "| graph | bfs")
	for _, row := range rows[2:] {
		graph, _, _ := strings.Cut(row[0], ",")
		for c, cell := range row[1:] {
			check("the README, "+graph, cell, best[[2]string{rows[0][1+c], short.ReplaceAllString(graph, "")}])
			n++
		}
	}
	if n != 36+35 {
		t.Errorf("%d figures", n)
	}
}

// TestNoGPU: without a GPU, what measures on one says what to do.
func TestNoGPU(t *testing.T) {
	if _, stdout, _ := call(t, "devices"); strings.Contains(stdout, "cuda:0") {
		t.Skip("there is a GPU")
	}
	for _, args := range [][]string{{"bench", "paper", "--graphs", "path:4", "--programs", "cc"}, {"bench", "verify", "cc", "--gen", "path:4"}, {"tune", "cc", "--gen", "path:4"}} {
		if status, _, stderr := call(t, args...); status != 1 || !strings.HasSuffix(stderr, "; --device simt measures costs on the emulator\n") {
			t.Errorf("%v: %d, %s", args, status, stderr)
		}
	}
}

func TestTree(t *testing.T) {
	for _, tt := range []struct {
		settings []debug.BuildSetting
		want     string
	}{
		{nil, "unknown"},
		{[]debug.BuildSetting{{Key: "vcs.revision", Value: "0123456789abcdef"}, {Key: "vcs.time", Value: "2026-11-22T19:14:26Z"}, {Key: "vcs.modified", Value: "false"}}, "2026-11-22 (0123456789ab)"},
		{[]debug.BuildSetting{{Key: "vcs.revision", Value: "01"}, {Key: "vcs.time", Value: "2026-11-22T19:14:26Z"}, {Key: "vcs.modified", Value: "true"}}, "2026-11-22 (01), modified"},
	} {
		if got := tree(tt.settings); got != tt.want {
			t.Errorf("%v: %s", tt.settings, got)
		}
	}
	if got := quoted("a b") + quoted("it's") + quoted("") + quoted("rmat:2:3"); got != `'a b''it'\''s'''rmat:2:3` {
		t.Error(got)
	}
}
