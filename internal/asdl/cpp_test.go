package asdl_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"irgl"
	"irgl/graph"
	"irgl/internal/asdl"
	"irgl/internal/check"
	"irgl/internal/golden"
	"irgl/internal/programs"
	"irgl/internal/source"
	"irgl/syntax"
)

const cppDir = "../../frontends/cpp"

// cppStrict are the warnings without which the header and its programs compile.
var cppStrict = []string{"-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wconversion", "-Werror"}

// findSanitizers returns the flags of the sanitizers, if g++ can link with them.
var findSanitizers = sync.OnceValue(func() []string {
	flags := []string{"-fsanitize=address,undefined", "-fno-sanitize-recover=all"}
	cmd := exec.Command("g++", append(flags, "-x", "c++", "-", "-o", os.DevNull)...)
	cmd.Stdin = strings.NewReader("int main() {}\n")
	if cmd.Run() != nil {
		return nil
	}
	return flags
})

// compileCpp compiles files of the C++ front end and returns the program's path,
// or skips the test.
func compileCpp(t *testing.T, compiler string, flags []string, files ...string) string {
	t.Helper()
	if testing.Short() {
		t.Skip("-short: compiling C++ takes seconds")
	}
	if _, err := exec.LookPath(compiler); err != nil {
		t.Skip("there is no " + compiler)
	}
	out := filepath.Join(t.TempDir(), "program")
	args := slices.Concat(cppStrict, flags, []string{"-I.", "-o", out}, files)
	cmd := exec.Command(compiler, args...)
	cmd.Dir = cppDir
	if text, err := cmd.CombinedOutput(); err != nil || len(text) > 0 {
		t.Fatalf("%s %s: %v\n%s", compiler, strings.Join(args, " "), err, text)
	}
	return out
}

// runCpp runs a program and returns its standard output and its standard error.
func runCpp(t *testing.T, status int, path string, args ...string) (string, string) {
	t.Helper()
	var out, errs bytes.Buffer
	cmd := exec.Command(path, args...)
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); cmd.ProcessState == nil || cmd.ProcessState.ExitCode() != status {
		t.Fatalf("%s: %v, want exit status %d\n%s", strings.Join(args, " "), err, status, errs.String())
	}
	return out.String(), errs.String()
}

// decodeCpp returns the tree of JSON that a program wrote, which must check.
func decodeCpp(t *testing.T, name, text string) (*source.File, *syntax.File) {
	t.Helper()
	if !json.Valid([]byte(text)) {
		t.Fatalf("this is no JSON:\n%s", text)
	}
	var diags source.List
	file := source.NewFile(name+".json", []byte(text))
	tree := asdl.Decode(file, &diags)
	check.Check(tree, &diags)
	if len(diags.Diags) > 0 {
		var b strings.Builder
		diags.Render(&b)
		t.Fatal(b.String())
	}
	return file, tree
}

// TestCppExamples compiles each example. Its JSON is the bundled program of its
// name, and gives that program's answers in the interpreter and on the emulator.
func TestCppExamples(t *testing.T) {
	paths, err := filepath.Glob(cppDir + "/examples/*.cpp")
	if err != nil || len(paths) < 3 {
		t.Fatalf("%d examples: %v", len(paths), err)
	}
	for _, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), ".cpp")
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			bin := compileCpp(t, "g++", []string{"-std=c++17"}, "examples/"+name+".cpp")
			text, _ := runCpp(t, 0, bin)
			if again, _ := runCpp(t, 0, bin); again != text {
				t.Error("a second run writes other bytes")
			}
			_, tree := decodeCpp(t, name, text)
			own, ok := programs.Text(name)
			if !ok {
				t.Fatalf("there is no bundled program %s", name)
			}
			var diags source.List
			bundled := syntax.Parse(source.NewFile(name+".irgl", own), syntax.IrGL, &diags)
			if !syntax.Equal(bundled, tree) {
				t.Errorf("another program than the bundled one:\n%s", golden.Diff(syntax.String(bundled), syntax.String(tree)))
			}
			for _, device := range []string{"interp", "simt"} {
				sameAnswer(t, name, text, device)
			}
			emitted(t, bin, text)
		})
	}
}

// TestCppReadme checks that the example of the documentation is the file.
func TestCppReadme(t *testing.T) {
	readme, err := os.ReadFile(cppDir + "/README.md")
	if err != nil {
		t.Fatal(err)
	}
	example, err := os.ReadFile(cppDir + "/examples/bfs.cpp")
	if err != nil {
		t.Fatal(err)
	}
	_, shown, _ := strings.Cut(string(readme), "```cpp\n")
	shown, _, _ = strings.Cut(shown, "```\n")
	if shown == "" || !strings.HasSuffix(string(example), shown) {
		t.Errorf("README.md shows another program than examples/bfs.cpp:\n%s", golden.Diff(string(example), shown))
	}
}

// sameAnswer runs a program in JSON on a device, and compares its outputs with
// those of the bundled program on the CPU, which are verified.
func sameAnswer(t *testing.T, name, text, device string) {
	t.Helper()
	own, err := irgl.Parse(name+".json", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	bundled, err := irgl.Bundled(name)
	if err != nil {
		t.Fatal(err)
	}
	g, err := graph.Generate(t.Context(), "rmat:6:4")
	if err != nil {
		t.Fatal(err)
	}
	values := func(p *irgl.Program, device string, verify bool) string {
		x, err := p.Compile(t.Context(), irgl.Options{Device: device})
		if err != nil {
			t.Fatal(err)
		}
		defer x.Close()
		args := irgl.Args{}
		for _, param := range p.Params() {
			if param.Name == "src" {
				args["src"] = irgl.Node(0)
			}
		}
		r, err := x.Run(t.Context(), irgl.Input{Graph: g}, args)
		if err != nil {
			t.Fatalf("%s on %s: %v", name, device, err)
		}
		if verify {
			if err := x.Verify(t.Context(), r); err != nil {
				t.Fatal(err)
			}
		}
		var b strings.Builder
		if err := r.WriteValues(&b); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	want := values(bundled, "cpu", true)
	if got := values(own, device, false); got != want {
		t.Errorf("on %s:\n%s", device, golden.Diff(want, got))
	}
}

// emitted checks the command line that emit gives a program.
func emitted(t *testing.T, bin, want string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "out.json")
	runCpp(t, 0, bin, "-o", file)
	if got, err := os.ReadFile(file); err != nil || string(got) != want {
		t.Errorf("-o writes another text: %v", err)
	}
	if _, errs := runCpp(t, 2, bin, "-x"); !strings.Contains(errs, "usage: ") {
		t.Errorf("a flag that does not exist: %q", errs)
	}
	if out, _ := runCpp(t, 0, bin, "--help"); !strings.Contains(out, "-o FILE") {
		t.Errorf("--help prints %q", out)
	}
	if _, errs := runCpp(t, 1, bin, "-o", filepath.Join(file, "x")); !strings.HasPrefix(errs, "error: cannot write ") {
		t.Errorf("a file that cannot be written: %q", errs)
	}
}

// TestCppPrograms checks programs with each node of Listing 6, compiled by the
// C++20 compiler with sanitizers; two translation units have the header.
func TestCppPrograms(t *testing.T) {
	t.Parallel()
	flags := append([]string{"-std=c++20"}, findSanitizers()...)
	bin := compileCpp(t, "g++", flags, "tests/programs.cpp", "tests/units.cpp")
	runCpp(t, 0, bin, "units")
	text, _ := runCpp(t, 0, bin, "nodes")
	file, _ := decodeCpp(t, "nodes", text)
	var diags source.List
	canonical := asdl.Text(file, &diags)
	roundTrip(t, program{"nodes", canonical})
	golden.File(t, cppDir+"/tests/golden/nodes.irgl", string(canonical))
	everyNode(t, text)

	t.Run("lines", func(t *testing.T) {
		refused, _ := runCpp(t, 0, bin, "mistakes")
		var diags source.List
		info := asdl.Decode(source.NewFile("mistakes.json", []byte(refused)), &diags)
		check.Check(info, &diags)
		var b strings.Builder
		diags.Render(&b)
		src, err := os.ReadFile(cppDir + "/tests/programs.cpp")
		if err != nil {
			t.Fatal(err)
		}
		marks := 0
		for i, line := range strings.Split(string(src), "\n") {
			if strings.HasSuffix(line, "// a mistake") {
				marks++
				if want := fmt.Sprintf("  from tests/programs.cpp:%d\n", i+1); !strings.Contains(b.String(), want) {
					t.Errorf("no diagnostic is %s", want)
				}
			}
		}
		if marks < 5 || diags.Errors() != marks {
			t.Errorf("%d mistakes, and these diagnostics:\n%s", marks, b.String())
		}
	})
}

// everyNode checks that JSON has each node of Listing 6 with all of its fields.
func everyNode(t *testing.T, text string) {
	t.Helper()
	var root any
	if err := json.Unmarshal([]byte(text), &root); err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	eachNode(root, func(name string, fields map[string]any) {
		seen[name] = true
		for _, field := range strings.Fields(listing6[name]) {
			if _, ok := fields[field]; !ok {
				t.Errorf("%s has no %s: %v", name, field, fields)
			}
		}
	})
	for name := range listing6 {
		if !seen[name] {
			t.Errorf("there is no %s", name)
		}
	}
}

// TestCppErrors compares what the header says of programs that it refuses.
func TestCppErrors(t *testing.T) {
	for _, compiler := range []string{"g++", "clang++"} {
		t.Run(compiler, func(t *testing.T) {
			t.Parallel()
			out, _ := runCpp(t, 0, compileCpp(t, compiler, []string{"-std=c++17"}, "tests/errors.cpp"))
			golden.File(t, cppDir+"/tests/golden/errors.txt", out)
			if strings.Contains(out, "accepted") {
				t.Error("a program was accepted")
			}
		})
	}
}

// cppSnippet compiles a program whose kernel has a body, and returns what the compiler says
// and, if it compiles, the program as text.
func cppSnippet(t *testing.T, body string) (said, text string) {
	t.Helper()
	if testing.Short() {
		t.Skip("-short: compiling C++ takes seconds")
	}
	if _, err := exec.LookPath("g++"); err != nil {
		t.Skip("there is no g++")
	}
	out := filepath.Join(t.TempDir(), "program")
	cmd := exec.Command("g++", append(slices.Clone(cppStrict), "-std=c++17", "-I.", "-o", out, "-x", "c++", "-")...)
	cmd.Dir = cppDir
	cmd.Stdin = strings.NewReader(`#include "irgl.hpp"
using namespace irgl;
static void build() {
  Graph g("g");
  NodeProperty<int> a(g, "a", 0, Output);
  EdgeProperty<bool> seen(g, "seen", false, Output);
  Kernel K("K", g, [&] {
` + body + `
  });
  Host entry("entry", [&] { Iterate(K(g), Initial(0)); });
}
int main(int argc, char** argv) { return emit(argc, argv, build); }
`)
	if said, err := cmd.CombinedOutput(); err != nil {
		return string(said), ""
	}
	out, _ = runCpp(t, 0, out)
	file, _ := decodeCpp(t, "snippet", out)
	var diags source.List
	return "", string(asdl.Text(file, &diags))
}

// TestCppLoopParameters checks that the parameter of a loop's body must be what the loop is over.
func TestCppLoopParameters(t *testing.T) {
	t.Parallel()
	said, _ := cppSnippet(t, `
	  ForAll(g.nodes(), [&](Edge e) { a[e.dst()] = 1; });
	  ForAll(g.nodes(), [&](Node n) { ForAll(n.edges(), [&](Int m) { a[g.nodes(m)] = 1; }); });
	  ForAll(WL, [&](Node n) { a[n] = 1; });
	  For(range(0, 4), [&](const Long& i) { a[g.nodes(cast<int>(i))] = 1; });`)
	if n := strings.Count(said, "error: static assertion failed: the parameter of a loop's body is what the loop is over"); n != 4 {
		t.Errorf("%d of 4 parameters are refused:\n%s", n, said)
	}
	if said, _ := cppSnippet(t, `ForAll(WL, [&](const Int& i) {
	  auto n = Let("n", WL.pop(i));
	  ForAll(n.edges(), [&](const Edge e) { WL.push(e.dst()); });
	  For(n.in_edges(), [&](InEdge) { Break(); });
	  For(n.edges(), [&] { Break(); });
	});`); said != "" {
		t.Error(said)
	}
}

// TestCppLetTypes checks that a variable of Let has the type that it has in C++.
func TestCppLetTypes(t *testing.T) {
	t.Parallel()
	_, text := cppSnippet(t, `ForAll(WL, [&](Int i) {
	  auto e = Let("e", WL.pop<edge>(i));
	  seen[e] = true;
	  auto n = Let("n", e.dst());
	  auto k = Let("k", Long(n.id()));
	  a[n] = cast<int>(+k);
	});`)
	for _, want := range []string{"edge e = WL.pop(i);", "\tn = e.dst;", "long k = n.id;", "(int) +k"} {
		if !strings.Contains(strings.ReplaceAll(text, "(int)+", "(int) +"), want) {
			t.Errorf("there is no %q in\n%s", want, text)
		}
	}
}
