package klap

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// reasonTexts returns the reasons that the sources of the package have for launches that stay: constants whose name begins
// with reason, and texts that functions named refuse, or those of promotion, return.
func reasonTexts(t *testing.T) map[string]string {
	t.Helper()
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	add := func(where string, x ast.Node) {
		ast.Inspect(x, func(n ast.Node) bool {
			if l, ok := n.(*ast.BasicLit); ok && l.Kind == token.STRING {
				if text, err := strconv.Unquote(l.Value); err == nil && strings.Count(text, " ") > 2 {
					out[text] = where
				}
			}
			return true
		})
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.ValueSpec:
				if strings.HasPrefix(n.Names[0].Name, "reason") {
					for _, v := range n.Values {
						add(name+": "+n.Names[0].Name, v)
					}
				}
			case *ast.FuncDecl:
				if strings.HasPrefix(n.Name.Name, "refuse") || name == "promote_legal.go" {
					ast.Inspect(n, func(n ast.Node) bool {
						if r, ok := n.(*ast.ReturnStmt); ok {
							add(name, r)
						}
						return true
					})
				}
			}
			return true
		})
	}
	if len(out) < 40 {
		t.Fatalf("only %d reasons are in the sources", len(out))
	}
	return out
}
