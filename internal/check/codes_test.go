package check

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"irgl/internal/source"
)

// codeDocs reads codes.go: the codes in order, each with its comment.
func codeDocs(t *testing.T) (codes []source.Code, docs map[source.Code]string) {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), "codes.go", nil, parser.ParseComments)
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

// TestCodeDocs checks that the smallest program in each code's comment gives
// that code, and no other error.
func TestCodeDocs(t *testing.T) {
	codes, docs := codeDocs(t)
	for i, code := range codes {
		if i > 0 && code <= codes[i-1] {
			t.Errorf("%s is out of order", code)
		}
		if code == codeDepth {
			continue // see TestDepth
		}
		program := ""
		for line := range strings.Lines(docs[code]) {
			if rest, ok := strings.CutPrefix(line, "\t"); ok {
				program += rest
			}
		}
		if program == "" {
			t.Errorf("%s has no program", code)
			continue
		}
		name := "x.cu"
		if code >= "C0100" {
			name = "x.irgl"
		}
		_, diags := checkText(name, []byte(program))
		found := false
		for _, d := range diags.Diags {
			if d.Code == code {
				found = true
			} else if d.Severity == source.Error {
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

// TestCodesInArchives checks that every code is expected by some archive.
func TestCodesInArchives(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[source.Code]bool{}
	for _, path := range files {
		ar, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range ar.Files {
			if ext := filepath.Ext(f.Name); ext == ".cu" || ext == ".irgl" {
				_, diags := checkText(f.Name, f.Data)
				for _, d := range diags.Diags {
					seen[d.Code] = true
				}
			}
		}
	}
	codes, _ := codeDocs(t)
	for _, code := range codes {
		if !seen[code] && code != codeDepth {
			t.Errorf("no archive produces %s", code)
		}
	}
}
