package ssagen

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"irgl/internal/check"
	"irgl/internal/golden"
	"irgl/internal/source"
	"irgl/internal/ssa"
	"irgl/syntax"
)

// archives reads testdata/DIR/*.txtar, by path.
// build parses, checks and translates a text. The module is nil when the text
// has errors before translation.
func build(name string, text []byte) (*ssa.Module, *source.List) {
	return buildWith(name, text, Options{})
}

func buildWith(name string, text []byte, o Options) (*ssa.Module, *source.List) {
	diags := &source.List{}
	f := syntax.Parse(source.NewFile(name, text), syntax.CUDA, diags)
	if diags.Errors() > 0 {
		return nil, diags
	}
	info := check.Check(f, diags)
	if diags.Errors() > 0 {
		return nil, diags
	}
	return Build(info, diags, o), diags
}

func render(diags *source.List) string {
	var b strings.Builder
	diags.Render(&b)
	return b.String()
}

// TestGolden compares the SSA of testdata/golden: sections in.cu and want.ssa.
// In archives called nsw signed arithmetic does not overflow.
func TestGolden(t *testing.T) {
	golden.Each(t, "testdata/golden/*.txtar", func(t *testing.T, a *txtar.Archive) {
		o := Options{Undefined: strings.HasPrefix(filepath.Base(t.Name()), "nsw")}
		m, diags := buildWith("in.cu", golden.Find(a, "in.cu").Data, o)
		if diags.Errors() > 0 {
			t.Fatal(render(diags))
		}
		if err := ssa.Verify(m); err != nil {
			t.Fatalf("%v\n%s", err, m)
		}
		golden.Section(t, a, "want.ssa", m.String())
	})
}

// TestErrors runs testdata/errors: each line of a text with a comment
// // ERROR "part of the message" "code" gets that diagnostic, and no other
// line gets one.
func TestErrors(t *testing.T) {
	golden.Each(t, "testdata/errors/*.txtar", func(t *testing.T, a *txtar.Archive) {
		text := golden.Find(a, "in.cu").Data
		m, diags := build("in.cu", text)
		if m == nil {
			t.Fatalf("refused before translation:\n%s", render(diags))
		}
		if err := ssa.Verify(m); err != nil {
			t.Errorf("the module is not valid: %v\n%s", err, m)
		}
		got := map[int]string{}
		for _, d := range diags.Diags {
			if d.Severity == source.Error {
				got[d.Pos.Line()] += d.Message + " " + string(d.Code) + "\n"
			}
		}
		for i, line := range strings.Split(string(text), "\n") {
			_, want, ok := strings.Cut(line, "// ERROR ")
			msg := got[i+1]
			delete(got, i+1)
			if !ok {
				if msg != "" {
					t.Errorf("line %d: unexpected %s", i+1, msg)
				}
				continue
			}
			for _, part := range strings.Split(strings.Trim(want, `" `), `" "`) {
				if !strings.Contains(msg, part) {
					t.Errorf("line %d: %q lacks %q", i+1, msg, part)
				}
			}
		}
		for line, msg := range got {
			t.Errorf("line %d: unexpected %s", line, msg)
		}
	})
}

// TestCodes requires every code to be produced by some archive of errors.
func TestCodes(t *testing.T) {
	text := ""
	for _, in := range golden.Seeds(t, []string{".cu"}, "testdata/errors/*.txtar") {
		text += string(in.Data)
	}
	for _, c := range []source.Code{codeBuiltin, codeAsm, codeLaunch, codeStaticInit, codeTooLarge} {
		if !strings.Contains(text, `"`+string(c)+`"`) {
			t.Errorf("no archive produces %s", c)
		}
	}
}

// TestNotLowered gives Build a tree with a statement of IrGL left in it, which
// no parser of .cu files makes.
func TestNotLowered(t *testing.T) {
	diags := &source.List{}
	f := syntax.Parse(source.NewFile("in.cu", []byte("__global__ void k(int *p) { *p = 1; }")), syntax.CUDA, diags)
	info := check.Check(f, diags)
	if diags.Errors() > 0 {
		t.Fatal(render(diags))
	}
	body := info.Funcs[0].Decl.Body
	body.Stmts = append(body.Stmts, &syntax.PipeStmt{Span: body.Span, Body: &syntax.Block{}})
	m := Build(info, diags, Options{})
	if len(diags.Diags) != 1 || diags.Diags[0].Code != codeEarlier {
		t.Errorf("want one %s, got:\n%s", codeEarlier, render(diags))
	}
	if err := ssa.Verify(m); err != nil {
		t.Error(err)
	}
}

// TestDocSample pins the listing of the package comment.
func TestDocSample(t *testing.T) {
	const want = `func @next(%n: i32) i32 {
b0:
  v0 = param i32 0
  v1 = alloca ptr.local 4 align 4
  store v1, v0 align 4
  jump b1
b1: <- b0
  v3 = load i32 v1 align 4
  v4 = const i32 1
  v5 = add i32 v3, v4
  ret v5
}
`
	m, diags := build("in.cu", []byte("__device__ int next(int n) {\n\treturn n + 1;\n}\n"))
	if diags.Errors() > 0 || m.String() != want {
		t.Errorf("%s\n%s", render(diags), m)
	}
}

func TestNoReadOnly(t *testing.T) {
	const text = "__global__ void k(const int *__restrict__ p, int *q) { *q = *p; }"
	diags := &source.List{}
	info := check.Check(syntax.Parse(source.NewFile("in.cu", []byte(text)), syntax.CUDA, diags), diags)
	for _, off := range []bool{false, true} {
		m := Build(info, diags, Options{NoReadOnly: off})
		if got := strings.Contains(m.String(), "readonly"); got == off {
			t.Errorf("NoReadOnly %t: read-only loads: %t", off, got)
		}
	}
}

// FuzzBuild translates any text that parses and checks: no panic, and the
// module is valid whatever Build reports.
func FuzzBuild(f *testing.F) {
	accept, err := txtar.ParseFile("testdata/accept.txtar")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range accept.Files {
		f.Add(file.Data)
	}
	for _, in := range golden.Seeds(f, []string{".cu"}, "testdata/golden/*.txtar", "testdata/errors/*.txtar", "testdata/run/*.txtar") {
		f.Add(in.Data)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		m, diags := build("fuzz.cu", text)
		if m == nil {
			return
		}
		if err := ssa.Verify(m); err != nil {
			t.Fatalf("%v\n%s\n%s", err, render(diags), m)
		}
	})
}
