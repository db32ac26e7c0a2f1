package cxx

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"irgl/internal/check"
	"irgl/internal/golden"
	"irgl/internal/source"
	"irgl/syntax"
)

// compile returns the CUDA text of a C++ program, or its diagnostics.
func compile(t *testing.T, name string, text []byte) (string, *source.List) {
	t.Helper()
	var diags source.List
	f := compileFile(source.NewFile(name, text), Options{Arch: 900}, &diags)
	if f == nil {
		return "", &diags
	}
	check.Check(f, &diags)
	var b strings.Builder
	if err := syntax.Print(&b, f); err != nil {
		t.Fatal(err)
	}
	return b.String(), &diags
}

// TestLowered compares the CUDA text of programs with that in the archives: it checks,
// parses again, and is C++ to g++.
func TestLowered(t *testing.T) {
	golden.Each(t, "testdata/*.txtar", func(t *testing.T, a *txtar.Archive) {
		text, diags := compile(t, "in.cu", golden.Find(a, "in.cu").Data)
		if len(diags.Diags) > 0 {
			var b strings.Builder
			diags.Render(&b)
			t.Errorf("%s\n%s", b.String(), text)
		}
		golden.Section(t, a, "out.cu", text)
		again := syntax.Parse(source.NewFile("out.cu", []byte(text)), syntax.CUDA, diags)
		var b strings.Builder
		if err := syntax.Print(&b, again); err != nil || b.String() != text {
			t.Errorf("printed again it differs: %v\n%s", err, golden.Diff(text, b.String()))
		}
		readByGxx(t, text)
	})
}

// readByGxx has g++ read CUDA text, with CUDA's names declared.
func readByGxx(t *testing.T, text string) {
	t.Helper()
	gxx, err := exec.LookPath("g++")
	if err != nil || testing.Short() {
		return
	}
	const shim = "#define __device__\n#define __global__\n#define __shared__\n#define __constant__\n#define __forceinline__ inline\n#define __noinline__\n" +
		"#define __launch_bounds__(...)\n#include <cmath>\n#include <cstdio>\n#include <cstring>\n#include <cstdlib>\n" +
		"struct uint3 { unsigned int x, y, z; };\nstruct dim3 { unsigned int x, y, z; };\nstruct alignas(16) float4 { float x, y, z, w; };\n" +
		"extern const uint3 threadIdx, blockIdx;\nextern const dim3 blockDim, gridDim;\nfloat4 make_float4(float, float, float, float);\nvoid __syncthreads();\n" +
		"float atomicAdd(float *, float);\nint atomicAdd(int *, int);\n"
	name := filepath.Join(t.TempDir(), "x.cc")
	if err := os.WriteFile(name, []byte(shim+text), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(gxx, "-std=c++17", "-fsyntax-only", "-w", name).CombinedOutput(); err != nil {
		t.Errorf("g++: %v\n%s\n%s", err, out, text)
	}
}

// TestLowerCodes checks that the smallest program in the comment of each code of package
// lower gives that code, and no other error.
func TestLowerCodes(t *testing.T) {
	f, err := parser.ParseFile(token.NewFileSet(), filepath.Join("lower", "codes.go"), nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	ast.Inspect(f, func(node ast.Node) bool {
		v, ok := node.(*ast.ValueSpec)
		if !ok {
			return true
		}
		code, _ := strconv.Unquote(v.Values[0].(*ast.BasicLit).Value)
		program := ""
		for line := range strings.Lines(v.Doc.Text()) {
			if rest, ok := strings.CutPrefix(line, "\t"); ok {
				program += rest
			}
		}
		if program == "" {
			if v.Names[0].Name != "codeMissing" {
				t.Errorf("%s has no program", code)
			}
			return true
		}
		n++
		_, diags := compile(t, "x.cu", []byte(program))
		found := false
		for _, d := range diags.Diags {
			switch {
			case d.Severity != source.Error:
			case string(d.Code) == code:
				found = true
			default:
				t.Errorf("%s: also gives %v", code, d)
			}
			if !d.Pos.IsValid() {
				t.Errorf("%s: %v has no place", code, d)
			}
		}
		if !found {
			t.Errorf("%s: its program does not give it: %s", code, program)
		}
		return true
	})
	if n < 4 {
		t.Errorf("only %d codes", n)
	}
}

// TestCorpus checks that what the front end accepts of the programs in the archives of the
// other stages checks as C.
func TestCorpus(t *testing.T) {
	accepted := 0
	for _, f := range golden.Seeds(t, []string{".cu"}, "sema/testdata/*.txtar", "parse/testdata/*.txtar", "../compile/testdata/cxx/*.txtar") {
		var diags source.List
		file := compileFile(source.NewFile(f.Name, f.Data), Options{Arch: 900}, &diags)
		if file == nil {
			continue
		}
		accepted++
		var found source.List
		check.Check(file, &found)
		if err := found.Err(); err != nil {
			t.Errorf("%s: %v\n%s", f.Name, err, f.Data)
		}
	}
	if accepted < 12 {
		t.Errorf("only %d programs are accepted", accepted)
	}
}

// compileFile turns a file into a CUDA tree. It returns nil if there are errors.
func compileFile(main *source.File, o Options, diags *source.List) *syntax.File {
	u := Parse(main, o, diags)
	if diags.Errors() > 0 {
		return nil
	}
	u.Check(o, diags)
	if diags.Errors() > 0 {
		return nil
	}
	f := u.Lower(diags)
	if diags.Errors() > 0 {
		return nil
	}
	return f
}

// TestByName checks that a name near to one of a header that is read by name is suggested, and that places in such a
// header are those of its file.
func TestByName(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"#include <cuda_fp16.h>\n__global__ void k(half *p) { *p = hexpp(*p); }\n", "did you mean 'hexp'?"},
		{"#include <type_traits>\n__global__ void k(int *p) { *p = std::make_signed<float>::type(1); }\n", "type_traits:"},
	} {
		var diags source.List
		u := Parse(source.NewFile("a.cu", []byte(test.text)), Options{Arch: 900}, &diags)
		u.Check(Options{}, &diags)
		if len(diags.Diags) != 1 {
			t.Fatal(diags.Err())
		}
		d := diags.Diags[0]
		text := d.Error() + d.Hint
		for i := range d.Notes {
			text += d.Notes[i].Error()
		}
		if !strings.Contains(text, test.want) {
			t.Errorf("no %q in %s", test.want, text)
		}
	}
}

// TestTransitive: names of std that the host's headers have by way of others are there.
func TestTransitive(t *testing.T) {
	for _, text := range []string{
		"#include <vector>\nusing namespace std;\n__global__ void k(float *p) { *p = is_same<int, float>::value ? numeric_limits<float>::max() : max(1, 2); }",
		"#include <string>\n__global__ void k(std::uint64_t *p) { std::swap(p[0], p[1]); p[2] = std::min(p[0], p[1]); }",
		"#include <limits>\n#include <type_traits>\n__global__ void k(std::conditional<true, int, float>::type *p) { *p = std::numeric_limits<int>::max(); }",
		"#include <chrono>\ntemplate <bool B> using word = typename std::conditional<B, int, float>::type;\n#include <type_traits>\n__global__ void k(word<true> *p) { *p = 1; }",
		"__global__ void k(int *p) { std::pair<int, int> q = std::make_pair(1, 2); *p = q.first + std::plus<int>()(1, q.second); }",
		"namespace own { struct pair { int a; }; }\nusing namespace own;\n__global__ void k(pair *p) { p->a = 1; }",
	} {
		if _, diags := compile(t, "in.cu", []byte(text)); diags.Err() != nil {
			t.Errorf("%s\n%v", text, diags.Err())
		}
	}
}
