package gogen

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"irgl/internal/check"
	"irgl/internal/source"
	"irgl/syntax"
)

var update = flag.Bool("update", false, "rewrite the want sections of testdata")

// TestGolden generates Go for in.irgl of every archive and compares the methods
// with want.go, or the diagnostics with want.txt.
func TestGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no archives", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			got := section(t, a.Files[0].Data)
			if *update {
				a.Files = append(a.Files[:1], got)
				if err := os.WriteFile(file, txtar.Format(a), 0o666); err != nil {
					t.Fatal(err)
				}
				return
			}
			if len(a.Files) != 2 || a.Files[1].Name != got.Name || !bytes.Equal(a.Files[1].Data, got.Data) {
				t.Errorf("got\n-- %s --\n%s", got.Name, got.Data)
			}
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
