package syntax_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestVisitNamesEveryField: the method visit of each node passes on each field that
// holds nodes, in the order of the fields. It reads the package's text, as no list of
// the nodes is needed then.
func TestVisitNamesEveryField(t *testing.T) {
	var files []*ast.File
	names, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	faults, kinds := visitFaults(files)
	for _, f := range faults {
		t.Error(f)
	}
	if kinds < 60 {
		t.Errorf("%d kinds of nodes", kinds)
	}
	f, err := parser.ParseFile(token.NewFileSet(), "x.go", `package syntax
type (
	Expr interface { Node; expr() }
	A struct { Span; X Expr; Op string; Name *B; List []*B }
	B struct { Span; Text string; Items []Expr }
	C struct{ Span }
)
func (n *A) visit(p places) { one(p, &n.Name); p.expr(&n.X) }
func (n *B) visit(p places) {}
`, 0)
	if err != nil {
		t.Fatal(err)
	}
	faults, _ = visitFaults([]*ast.File{f})
	if got, want := fmt.Sprint(faults), "[A visits [Name X], and its fields with nodes are [X Name List] B visits [], and its fields with nodes are [Items]]"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// visitFaults compares the fields of the nodes that files declare with those that
// their methods visit name, and counts the nodes.
func visitFaults(files []*ast.File) (faults []string, kinds int) {
	structs, visited, isNode := map[string]*ast.StructType{}, map[string][]string{}, map[string]bool{}
	for _, f := range files {
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.TypeSpec:
				switch typ := n.Type.(type) {
				case *ast.InterfaceType:
					isNode[n.Name.Name] = n.Name.Name != "Visitor"
				case *ast.StructType:
					if len(typ.Fields.List) > 0 && fmt.Sprint(typ.Fields.List[0].Type) == "Span" {
						structs[n.Name.Name], isNode[n.Name.Name] = typ, true
					}
				}
			case *ast.FuncDecl:
				if star, ok := receiver(n).(*ast.StarExpr); ok && n.Name.Name == "visit" {
					visited[fmt.Sprint(star.X)] = fieldsNamed(n)
				}
			}
			return true
		})
	}
	for _, f := range files {
		for _, d := range f.Decls {
			decl, ok := d.(*ast.GenDecl)
			if !ok || decl.Tok != token.TYPE {
				continue
			}
			for _, spec := range decl.Specs {
				name := spec.(*ast.TypeSpec).Name.Name
				if structs[name] == nil {
					continue
				}
				kinds++
				want := []string{}
				for _, field := range structs[name].Fields.List {
					for _, id := range field.Names {
						if isNode[strings.TrimLeft(typeText(field.Type), "[]*")] && id.Name != "Comments" {
							want = append(want, id.Name)
						}
					}
				}
				if got := visited[name]; !slices.Equal(got, want) {
					faults = append(faults, fmt.Sprintf("%s visits %v, and its fields with nodes are %v", name, got, want))
				}
			}
		}
	}
	return faults, kinds
}

func receiver(fn *ast.FuncDecl) ast.Expr {
	if fn.Recv == nil {
		return nil
	}
	return fn.Recv.List[0].Type
}

// fieldsNamed returns the fields of the receiver n that are arguments in fn, each
// once, in the order of the text.
func fieldsNamed(fn *ast.FuncDecl) []string {
	var names []string
	ast.Inspect(fn.Body, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		for _, a := range call.Args {
			if u, ok := a.(*ast.UnaryExpr); ok {
				a = u.X
			}
			if s, ok := a.(*ast.SelectorExpr); ok && fmt.Sprint(s.X) == "n" && !slices.Contains(names, s.Sel.Name) {
				names = append(names, s.Sel.Name)
			}
		}
		return true
	})
	return names
}

// typeText returns a type as it is written, with [] and * before its name.
func typeText(t ast.Expr) string {
	switch t := t.(type) {
	case *ast.ArrayType:
		return "[]" + typeText(t.Elt)
	case *ast.StarExpr:
		return "*" + typeText(t.X)
	}
	return fmt.Sprint(t)
}
