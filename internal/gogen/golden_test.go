package gogen

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"irgl/internal/check"
	"irgl/internal/golden"
	"irgl/internal/source"
	"irgl/syntax"
)

// TestGolden generates Go for in.irgl of every archive and compares the methods
// with want.go, or the diagnostics with want.txt.
func TestGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no archives", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			a := golden.Archive(t, file)
			golden.Sections(t, a, []txtar.File{a.Files[0], section(t, a.Files[0].Data)})
		})
	}
}

// section generates Go for text: its methods, or its diagnostics.
func section(t *testing.T, text []byte) txtar.File {
	t.Helper()
	info, err := load(Text{"p", text}, false)
	if err != nil {
		t.Fatal(err)
	}
	o := Options{Package: "p", Program: "p", Source: "hash", RT: rtPath}
	out, err := Generate(info, o)
	if err != nil {
		var b bytes.Buffer
		source.Diagnostics(err).Render(&b)
		return txtar.File{Name: "want.txt", Data: b.Bytes()}
	}
	again, err := Generate(info, o)
	if err != nil || !bytes.Equal(out, again) {
		t.Errorf("the same program twice gives different Go: %v", err)
	}
	// The state and the methods: what comes before is much the same always.
	_, methods, _ := strings.Cut(string(out), "// pState is")
	return txtar.File{Name: "want.go", Data: []byte("// pState is" + methods)}
}

// TestCodes checks that every diagnostic of the package is in some archive.
func TestCodes(t *testing.T) {
	var all []byte
	files, _ := filepath.Glob("testdata/*.txtar")
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, b...)
	}
	for _, c := range []source.Code{codeUnion, codeVolatile, codeIntPointer, codeFuncPointer, codeGoto, codeCase, codeBuiltin, codeIndex, codeCBlock, codeForeign} {
		if !bytes.Contains(all, []byte("["+string(c)+"]")) {
			t.Errorf("no archive produces %s", c)
		}
	}
	var diags source.List
	f := syntax.Parse(source.NewFile("p.cu", []byte("int f() { return 1; }")), syntax.CUDA, &diags)
	_, err := Generate(check.Check(f, &diags), Options{Package: "p", Program: "p", RT: rtPath})
	if list := source.Diagnostics(err); list == nil || list.Diags[0].Code != codeNoProgram {
		t.Errorf("Go from a .cu file: %v", err)
	}
}
