package main

import (
	"os"
	"path/filepath"
	"runtime/debug"
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
