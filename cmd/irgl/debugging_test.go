package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"
)

// A shownCommand is a command of a page and what the page says that it prints.
type shownCommand struct {
	line    int
	command string
	output  []string
}

// A fence is a fenced block of a page: the words behind its backquotes, and its lines.
type fence struct {
	line  int
	words []string
	lines []string
}

func fences(t *testing.T, page string) []fence {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	var out []fence
	inside := false
	for i, line := range strings.Split(string(text), "\n") {
		switch words, fenced := strings.CutPrefix(line, "```"); {
		case fenced && inside:
			inside = false
		case fenced:
			inside = true
			out = append(out, fence{line: i + 1, words: strings.Fields(words)})
		case inside:
			b := &out[len(out)-1]
			b.lines = append(b.lines, line)
		}
	}
	return out
}

// commands returns the commands of a console block: "$ COMMAND", and its output.
func (b fence) commands() []shownCommand {
	var out []shownCommand
	for i, line := range b.lines {
		if command, ok := strings.CutPrefix(line, "$ "); ok {
			out = append(out, shownCommand{line: b.line + 1 + i, command: command})
		} else if n := len(out); n > 0 {
			out[n-1].output = append(out[n-1].output, line)
		}
	}
	return out
}

// matchesShown reports whether text is what a page shows, in which a line of "..." is
// any number of lines, and "..." in a line any text.
func matchesShown(shown []string, text string) bool {
	var b strings.Builder
	b.WriteString("^")
	for _, line := range shown {
		if line == "..." {
			b.WriteString("(?:.*\n)*?")
			continue
		}
		parts := strings.Split(line, "...")
		for i := range parts {
			parts[i] = regexp.QuoteMeta(parts[i])
		}
		b.WriteString(strings.Join(parts, ".*") + "\n")
	}
	b.WriteString("$")
	return regexp.MustCompile(b.String()).MatchString(text)
}

func TestMatchesShown(t *testing.T) {
	for _, test := range []struct {
		shown string
		text  string
		want  bool
	}{
		{"a\n...\nd", "a\nb\nc\nd\n", true}, {"a\n...\nd", "a\nd\n", true}, {"a\nd", "a\nb\nd\n", false}, {"a b...", "a bcd\n", true},
		{"a b...", "a c\n", false}, {"a", "a\nb\n", false}, {"...", "", true}, {"a (x)", "a (x)\n", true},
	} {
		if got := matchesShown(strings.Split(test.shown, "\n"), test.text); got != test.want {
			t.Errorf("%q shows %q: %t", test.shown, test.text, got)
		}
	}
	if matchesShown(nil, "a\n") || !matchesShown(nil, "") {
		t.Error("no output is shown")
	}
}

// TestPages runs the commands of these pages in order, in a directory with the files of
// their blocks, and compares what they print. The word behind "console" says what a block
// needs: gpu, nvcc, g++, cmake, or a fault planted by breakCompiler. A text block is not run.
func TestPages(t *testing.T) {
	if testing.Short() || runtime.GOOS == "windows" {
		t.Skip("takes seconds, and needs a shell")
	}
	for page, least := range map[string]int{"debugging": 30, "cuda": 8, "graphs": 8, "testing-without-a-gpu": 3} {
		t.Run(page, func(t *testing.T) {
			if ran := runPage(t, "../../docs/"+page+".md"); ran < least {
				t.Errorf("%d commands ran", ran)
			}
		})
	}
}

// runPage runs the commands of a page, and returns their number.
func runPage(t *testing.T, page string) int {
	t.Helper()
	dir := t.TempDir()
	if present(t, "g++") {
		if err := linkRuntime(filepath.Join(dir, "cache")); err != nil {
			t.Fatal(err)
		}
	}
	ran := 0
	for _, b := range fences(t, page) {
		switch b.words[0] {
		case "irgl", "sh", "cuda", "make", "cmake", "yaml": // a file, whose first line is a comment with its name
			name, _, _ := strings.Cut(strings.TrimLeft(b.lines[0], "/# "), ":")
			if err := os.WriteFile(filepath.Join(dir, name), []byte(strings.Join(b.lines, "\n")+"\n"), 0o666); err != nil {
				t.Fatal(err)
			}
		case "console":
			planted := ""
			if len(b.words) > 1 {
				var ok bool
				if planted, ok = strings.CutPrefix(b.words[1], "planted="); !ok && !present(t, b.words[1]) {
					t.Logf("line %d: skipped, there is no %s", b.line, b.words[1])
					continue
				}
			}
			for _, c := range b.commands() {
				c.run(t, dir, planted)
				ran++
			}
		case "text":
		default:
			t.Errorf("line %d: a block of %q", b.line, b.words)
		}
	}
	return ran
}

// present reports whether what a block needs is on this machine.
func present(t *testing.T, what string) bool {
	t.Helper()
	switch what {
	case "gpu":
		_, stdout, _ := call(t, "devices")
		return regexp.MustCompile(`(?m)^cuda:0`).MatchString(stdout)
	case "nvcc":
		_, err := exec.LookPath("nvcc")
		return err == nil
	case "cmake":
		_, err := exec.LookPath("ctest")
		return err == nil && present(t, "g++")
	case "g++": // and programs are ELF
		_, err := exec.LookPath("g++")
		return err == nil && runtime.GOOS == "linux"
	}
	t.Errorf("nothing is known of %q", what)
	return false
}

func (c shownCommand) run(t *testing.T, dir, planted string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "sh", "-c", c.command)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "IRGL_TEST_BREAK="+planted, "IRGL_DEBUG=", "HOME="+dir, "XDG_CONFIG_HOME="+dir, "XDG_CACHE_HOME="+filepath.Join(dir, "cache"))
	out, _ := cmd.CombinedOutput() // many of these commands fail, and say why
	if !matchesShown(c.output, string(out)) {
		t.Errorf("line %d: %s\nprints\n%s\nand the page shows\n%s", c.line, c.command, out, strings.Join(c.output, "\n"))
	}
}

// TestCommandLines has the command parse the indented command lines of the documents that no
// other test runs: with --help they do nothing, but their commands and flags must be there. A
// program that they name is bfs, in a file of that name.
func TestCommandLines(t *testing.T) {
	if testing.Short() || runtime.GOOS == "windows" {
		t.Skip("starts a hundred processes, and needs a shell")
	}
	pages := []string{"../../README.md"}
	for _, pattern := range []string{"../../docs/*.md", "../../docs/measurements/*.md"} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		pages = append(pages, found...)
	}
	_, bfs, _ := call(t, "programs", "bfs")
	dir := t.TempDir()
	seen := map[string]bool{}
	for _, page := range pages {
		if base := filepath.Base(page); base == "serve.md" { // a design
			continue
		}
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range strings.Split(strings.ReplaceAll(string(text), "\\\n", " "), "\n") {
			line, ok := strings.CutPrefix(line, "    irgl ")
			for _, end := range []string{" #", " | ", " > ", "; ", " ...", " -- "} {
				line, _, _ = strings.Cut(line, end)
			}
			line = strings.NewReplacer("PROGRAM", "bfs", "PROBLEM", "bfs").Replace(line)
			if rest, found := strings.CutPrefix(line, "cuda run "); found { // what follows the file is the program's
				line = "cuda run --help " + rest
			}
			if !ok || seen[line] {
				continue
			}
			seen[line] = true
			for _, name := range regexp.MustCompile(`[a-z]+\.irgl`).FindAllString(line, -1) {
				if err := os.WriteFile(filepath.Join(dir, name), []byte(bfs), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			cmd := exec.CommandContext(t.Context(), "sh", "-c", "irgl "+line+" --help")
			cmd.Dir = dir
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%s: irgl %s: %v\n%s", page, line, err, out)
			}
		}
	}
	if len(seen) < 50 {
		t.Errorf("%d command lines", len(seen))
	}
}

// TestArchitecturePage: the program, the CUDA text and the PTX that the page shows are what
// the command prints, but for white space, registers' numbers, and what "..." stands for.
func TestArchitecturePage(t *testing.T) {
	page, err := os.ReadFile("../../docs/architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	number := regexp.MustCompile(`(%[a-z]+)[0-9]+`)
	plain := func(text string) string {
		return number.ReplaceAllString(strings.Join(strings.Fields(text), ""), "$1")
	}
	source := filepath.Join(t.TempDir(), "scale.cu")
	_, scale, _ := strings.Cut(string(page), "The example is `scale.cu`:\n\n")
	scale, _, _ = strings.Cut(scale, "\n\n")
	if err := os.WriteFile(source, []byte(strings.ReplaceAll("\n"+scale, "\n    ", "\n")[1:]+"\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		first   string // the beginning of a block
		command []string
	}{
		{"    Graph graph {", []string{"programs", "bfs_st"}},
		{`    extern "C" __global__ void BFS(`, []string{"build", "bfs_st", "--emit=cu"}},
		{"    irgl_pipe_open(", []string{"build", "bfs_st", "--emit=cu"}},
		{`    extern "C" __global__ __launch_bounds__(512) void irgl_control_1(`, []string{"build", "bfs_st", "--emit=cu", "--outline=auto"}},
		{"    ld.global.u32 ", []string{"build", "bfs_st", "--emit=ptx"}},
		{"    template <typename T>\n      func scale", []string{"build", source, "--std=c++17", "--emit=ast"}},
		{"    kernel scale<float>", []string{"build", source, "--std=c++17", "--emit=hir"}},
		{"    struct view_float {", []string{"build", source, "--std=c++17", "--emit=cu"}},
		{"    mad.lo.s32 ", []string{"build", source, "--std=c++17", "--emit=ptx"}},
	} {
		_, block, ok := strings.Cut("\n"+string(page), "\n"+test.first)
		if !ok {
			t.Errorf("no block begins with %q", test.first)
			continue
		}
		block = test.first + block
		if end := regexp.MustCompile(`\n[^ \n]`).FindStringIndex(block); end != nil {
			block = block[:end[0]]
		}
		status, stdout, stderr := call(t, test.command...)
		if status != 0 {
			t.Errorf("%v: %s", test.command, stderr)
		}
		rest := plain(strings.ReplaceAll(stdout, filepath.Dir(source)+string(filepath.Separator), ""))
		for _, part := range strings.Split(block, "...") {
			_, after, ok := strings.Cut(rest, plain(part))
			if !ok {
				t.Errorf("irgl %s does not print\n%s", strings.Join(test.command, " "), part)
				break
			}
			rest = after
		}
	}
}
