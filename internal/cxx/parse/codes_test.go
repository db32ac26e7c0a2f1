package parse

import (
	"go/ast"
	goparser "go/parser"
	"go/token"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"irgl/internal/golden"
	"irgl/internal/source"
)

// codeDocs reads codes.go: the codes in order, each with its comment.
func codeDocs(t *testing.T) (codes []source.Code, docs map[source.Code]string) {
	t.Helper()
	f, err := goparser.ParseFile(token.NewFileSet(), "codes.go", nil, goparser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	docs = map[source.Code]string{}
	ast.Inspect(f, func(n ast.Node) bool {
		if v, ok := n.(*ast.ValueSpec); ok {
			text, err := strconv.Unquote(v.Values[0].(*ast.BasicLit).Value)
			if err != nil {
				t.Fatal(err)
			}
			codes = append(codes, source.Code(text))
			docs[source.Code(text)] = v.Doc.Text()
		}
		return true
	})
	return codes, docs
}

// TestCodeDocs checks that the smallest program in each code's comment gives that code, and no
// other error.
func TestCodeDocs(t *testing.T) {
	codes, docs := codeDocs(t)
	for i, code := range codes {
		if i > 0 && code <= codes[i-1] {
			t.Errorf("%s is out of order", code)
		}
		program := ""
		for line := range strings.Lines(docs[code]) {
			if rest, ok := strings.CutPrefix(line, "\t"); ok {
				program += rest
			}
		}
		if code == CodeDepth {
			program = "__device__ int a = " + strings.Repeat("(", 300) + "1" + strings.Repeat(")", 300) + ";"
		}
		u, diags := parseText("x.cu", []byte(program))
		readDevice(u.Decls, false)
		found := false
		for _, d := range diags.Diags {
			if d.Code == code {
				found = true
			} else {
				t.Errorf("%s: also gives %v", code, d)
			}
			if !d.Pos.IsValid() {
				t.Errorf("%s: %v has no place", code, d)
			}
		}
		if !found {
			t.Errorf("%s: its program does not give it: %s%v", code, program, diags.Diags)
		}
	}
}

// TestCodesInArchives checks that every code is produced by some archive.
func TestCodesInArchives(t *testing.T) {
	seen := map[source.Code]bool{}
	for _, f := range golden.Seeds(t, []string{".cu"}, filepath.Join("testdata", "*.txtar")) {
		u, diags := parseText(f.Name, f.Data)
		readDevice(u.Decls, false)
		for _, d := range diags.Diags {
			seen[d.Code] = true
		}
	}
	codes, _ := codeDocs(t)
	for _, code := range codes {
		if !seen[code] && code != CodeDepth {
			t.Errorf("no archive produces %s", code)
		}
	}
}
