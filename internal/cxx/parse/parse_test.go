package parse

import (
	"bytes"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"irgl/internal/cpp"
	"irgl/internal/cxx/ast"
	"irgl/internal/golden"
	"irgl/internal/source"
)

// parseText preprocesses and parses a text.
func parseText(name string, text []byte) (*ast.Unit, *source.List) {
	diags := new(source.List)
	pre := cpp.Preprocess(source.NewFile(name, text), cpp.Options{Dialect: cpp.CXX, Arch: 900}, diags)
	return Parse(pre, diags, Options{}), diags
}

// readDevice reads the bodies of device code, and in all also those of the host.
func readDevice(list []ast.Decl, all bool) {
	for _, d := range list {
		switch d := d.(type) {
		case *ast.NamespaceDecl:
			readDevice(d.Decls, all)
		case *ast.LinkageDecl:
			readDevice(d.Decls, all)
		case *ast.TemplateDecl:
			readDevice([]ast.Decl{d.Decl}, all)
		case *ast.FriendDecl:
			readDevice([]ast.Decl{d.Decl}, all)
		case *ast.ClassDecl:
			readDevice(d.Members, all)
		case *ast.VarDecl:
			if c, ok := d.Type.(*ast.ClassType); ok {
				readDevice(c.Decl.Members, all)
			}
		case *ast.AliasDecl:
			if c, ok := d.Type.(*ast.ClassType); ok {
				readDevice(c.Decl.Members, all)
			}
		case *ast.FuncDecl:
			if d.Body == nil {
				continue
			}
			if all || d.Specs&(ast.Global|ast.Device|ast.Constexpr) != 0 {
				d.Body.Tree()
			} else {
				d.Body.Launches()
			}
		}
	}
}

// dump returns the tree of a unit, with all bodies.
func dump(u *ast.Unit) string {
	var b bytes.Buffer
	ast.Dump(&b, u, true)
	return b.String()
}

var (
	errorMark = regexp.MustCompile(`// ERROR .*$`)
	markText  = regexp.MustCompile(`"[^"]*"`)
)

// TestArchives checks every archive in testdata. A .cu file is parsed with the bodies of device
// functions: each line with // ERROR "regexp" must give a matching diagnostic, and no line may
// give any others. A section NAME.dump is the wanted [ast.Dump] of NAME, with all bodies.
func TestArchives(t *testing.T) {
	golden.Each(t, "testdata/*.txtar", func(t *testing.T, ar *txtar.Archive) {
		units := map[string]*ast.Unit{}
		for i, f := range ar.Files {
			switch ext := filepath.Ext(f.Name); ext {
			case ".cu":
				u, diags := parseText(f.Name, f.Data)
				readDevice(u.Decls, false)
				compareMarks(t, f.Name, string(f.Data), diags)
				units[f.Name] = u
			case ".dump":
				u := units[strings.TrimSuffix(f.Name, ext)]
				if u == nil {
					t.Fatalf("%s is of no file before it", f.Name)
				}
				golden.Data(t, &ar.Files[i], dump(u))
			default:
				t.Errorf("what is %s?", f.Name)
			}
		}
	})
}

// compareMarks compares diagnostics with the marks in the text.
func compareMarks(t *testing.T, name, text string, diags *source.List) {
	t.Helper()
	got := map[int][]*source.Diagnostic{}
	for _, d := range diags.Diags {
		got[d.Pos.Line()] = append(got[d.Pos.Line()], d)
	}
	for i, line := range strings.Split(text, "\n") {
		rest := got[i+1]
		if m := errorMark.FindString(line); m != "" {
			for _, want := range markText.FindAllString(m, -1) {
				re := regexp.MustCompile(strings.Trim(want, `"`))
				found := false
				for j, d := range rest {
					if re.MatchString(d.Message) {
						rest, found = append(rest[:j:j], rest[j+1:]...), true
						break
					}
				}
				if !found {
					t.Errorf("%s:%d: no diagnostic matches %s", name, i+1, want)
				}
			}
		}
		for _, d := range rest {
			t.Errorf("unexpected: %v", d)
		}
	}
}
