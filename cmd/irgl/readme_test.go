package main

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// readme returns the text of the README's blocks of one language.
func readme(t *testing.T, language string) string {
	t.Helper()
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	inside := false
	for line := range strings.Lines(string(text)) {
		switch {
		case strings.HasPrefix(line, "```"):
			inside = strings.TrimSpace(line) == "```"+language
		case inside:
			b.WriteString(line)
		}
	}
	return b.String()
}

// TestReadmeCommands runs the README's command lines one after the other, on
// the CPU, in a directory of their own.
func TestReadmeCommands(t *testing.T) {
	if testing.Short() || runtime.GOOS == "windows" {
		t.Skip("takes seconds, and needs a shell")
	}
	dir := t.TempDir()
	n := 0
	for line := range strings.Lines(readme(t, "sh")) {
		line = strings.TrimSpace(line)
		if strings.Contains(line, "irgl run ") && !strings.Contains(line, "--device") {
			line = strings.Replace(line, "irgl run ", "irgl run --device cpu ", 1)
		}
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		cmd := exec.CommandContext(ctx, "sh", "-c", line)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		cancel()
		if err != nil {
			t.Errorf("%s: %v\n%s", line, err, out)
		}
		if strings.Contains(line, "--verify") && !strings.Contains(string(out), "verified: the answer is right") {
			t.Errorf("%s: not verified\n%s", line, out)
		}
		n++
	}
	if n < 10 {
		t.Errorf("the README has %d command lines", n)
	}
}

// TestReadmeProgram builds the README's program, as if it were a package of
// the module.
func TestReadmeProgram(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the Go toolchain")
	}
	tool, err := exec.LookPath("go")
	if err != nil {
		t.Skip("no go command")
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	source, overlay := filepath.Join(dir, "main.go"), filepath.Join(dir, "overlay.json")
	replace := map[string]map[string]string{"Replace": {filepath.Join(root, "readme_example", "main.go"): source}}
	text, err := json.Marshal(replace)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(source, []byte(readme(t, "go")), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(overlay, text, 0o666); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(tool, "build", "-overlay", overlay, "-o", filepath.Join(dir, "example"), "./readme_example")
	cmd.Dir = root
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
