package irgl_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// The tests in this file see to it that the printer of the syntax tree, each analysis,
// the builder of control flow and each engine know every kind of node. A function
// that dispatches on the kinds of a category says so in its comment:
//
//	//irgl:allnodes Stmt except CBlock
//
// Its type switches must then name every type of the category in package syntax
// but those after except, which it leaves to others or has no use for. So a new kind
// of node fails this test at each function that has to decide about it.
//
// What else names both kinds of C's loops must know all loops, as most of what is
// true of those is true of any loop, unless it says why not:
//
//	//irgl:somenodes those for which the report has no node are C text

// allNodes are the functions that have the comment: it may not get lost.
var allNodes = map[string][]string{
	"syntax":            {"decl", "stmt", "expr"},
	"internal/asdl":     {"decl"},
	"internal/check":    {"collect", "stmt", "place1", "typ1", "ends"},
	"internal/analysis": {"stmt", "value", "isUniform"},
	"internal/lower":    {"oneStmt", "expr", "typeExpr"},
	"internal/ssagen":   {"stmt", "expr"},
	"internal/gogen":    {"stmt", "expr", "eval"},
	"internal/interp":   {"stmt", "expr"},
	"internal/host":     {"stmt", "expr"},
}

// lowered are the packages that see trees without statements of IrGL.
var lowered = []string{"internal/opt", "internal/host", "internal/ssagen"}

// categories of nodes, by the method that closes the set of its types in package
// syntax. The rest are parts: nodes of none. CStmt is what lowering leaves: the
// statements that are not of IrGL.
var categories = map[string]string{
	"expr": "Expr", "stmt": "Stmt", "decl": "Decl", "typeExpr": "TypeExpr", "printTo": "IrGLStmt", "LoopBody": "Loop",
}

// nodeKinds returns the types of package syntax that are nodes, by category: the
// structs with a span.
func nodeKinds(files map[string]*ast.File) map[string][]string {
	kinds := map[string][]string{}
	part := map[string]bool{} // the structs with a span; in the end those without a category
	for _, path := range sorted(files) {
		ast.Inspect(files[path], func(n ast.Node) bool {
			if spec, ok := n.(*ast.TypeSpec); ok && spec.Name.IsExported() && hasSpan(spec.Type) {
				part[spec.Name.Name] = true
			}
			return true
		})
	}
	marked := map[string]bool{}
	for _, path := range sorted(files) {
		for _, d := range files[path].Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Recv == nil || categories[fn.Name.Name] == "" {
				continue
			}
			if star, ok := fn.Recv.List[0].Type.(*ast.StarExpr); ok && part[star.X.(*ast.Ident).Name] {
				name, c := star.X.(*ast.Ident).Name, categories[fn.Name.Name]
				kinds[c] = append(kinds[c], name)
				marked[name] = true
			}
		}
	}
	for _, name := range sorted(part) {
		if !marked[name] {
			kinds["Part"] = append(kinds["Part"], name)
		}
	}
	for _, k := range kinds["Stmt"] {
		if !slices.Contains(kinds["IrGLStmt"], k) {
			kinds["CStmt"] = append(kinds["CStmt"], k)
		}
	}
	return kinds
}

// hasSpan reports whether t is a struct that embeds Span.
func hasSpan(t ast.Expr) bool {
	st, ok := t.(*ast.StructType)
	return ok && slices.ContainsFunc(st.Fields.List, func(f *ast.Field) bool {
		id, ok := f.Type.(*ast.Ident)
		return ok && len(f.Names) == 0 && id.Name == "Span"
	})
}

// An allNodesMark is the comment of one function.
type allNodesMark struct {
	category string
	except   []string
}

func markOf(fn *ast.FuncDecl) (m allNodesMark, ok bool) {
	if fn.Doc == nil {
		return m, false
	}
	for _, c := range fn.Doc.List {
		rest, ok := strings.CutPrefix(c.Text, "//irgl:allnodes ")
		if !ok {
			continue
		}
		rest, except, _ := strings.Cut(rest, " except ")
		return allNodesMark{strings.TrimSpace(rest), strings.Fields(except)}, true
	}
	return m, false
}

// someNodes reports whether fn says why it names some kinds of nodes only.
func someNodes(fn *ast.FuncDecl) bool {
	return fn.Doc != nil && slices.ContainsFunc(fn.Doc.List, func(c *ast.Comment) bool { return strings.HasPrefix(c.Text, "//irgl:somenodes ") })
}

// casesOf returns the names of the types in the type switches in n.
func casesOf(n ast.Node) map[string]bool {
	names := map[string]bool{}
	for _, sw := range typeSwitches(n) {
		for _, c := range sw.Body.List {
			for _, t := range c.(*ast.CaseClause).List {
				if star, ok := t.(*ast.StarExpr); ok {
					t = star.X
				}
				switch x := t.(type) {
				case *ast.Ident:
					names[x.Name] = true
				case *ast.SelectorExpr:
					names[x.Sel.Name] = true
				}
			}
		}
	}
	return names
}

func typeSwitches(n ast.Node) (list []*ast.TypeSwitchStmt) {
	ast.Inspect(n, func(n ast.Node) bool {
		if sw, ok := n.(*ast.TypeSwitchStmt); ok {
			list = append(list, sw)
		}
		return true
	})
	return list
}

// checkLoops returns what is wrong with the type switches of a package that name
// both kinds of C's loops: they must name all, or have a case syntax.Loop. Functions
// with one of the comments are left out.
func checkLoops(loops []string, files map[string]*ast.File) (faults []string) {
	for _, path := range sorted(files) {
		for _, d := range files[path].Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || isTest(path) {
				continue
			}
			if _, marked := markOf(fn); marked || someNodes(fn) {
				continue
			}
			for _, sw := range typeSwitches(fn) {
				var missing []string
				known := casesOf(sw)
				for _, l := range loops {
					if !known[l] {
						missing = append(missing, l)
					}
				}
				if known["ForStmt"] && known["WhileStmt"] && len(missing) > 0 && !known["Loop"] {
					faults = append(faults, fmt.Sprintf("%s: %s knows C's loops, and not %s: give it a case syntax.Loop, or say //irgl:allnodes Loop except %[3]s",
						filepath.Base(path), fn.Name.Name, strings.Join(missing, " ")))
				}
			}
		}
	}
	return faults
}

// checkNodes compares a package's marked functions with the kinds of nodes; it
// returns what is wrong, and the names of the functions.
func checkNodes(kinds map[string][]string, files map[string]*ast.File) (faults, marked []string) {
	for _, path := range sorted(files) {
		for _, d := range files[path].Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || isTest(path) {
				continue
			}
			m, ok := markOf(fn)
			if !ok {
				continue
			}
			marked = append(marked, fn.Name.Name)
			name := filepath.Base(path) + ": " + fn.Name.Name
			all := kinds[m.category]
			if len(all) == 0 {
				faults = append(faults, fmt.Sprintf("%s: there is no category %q of nodes", name, m.category))
			}
			known := casesOf(fn)
			for _, k := range m.except {
				if known[k] || !slices.Contains(all, k) {
					faults = append(faults, fmt.Sprintf("%s: %s is excepted, and has a case or is no %s", name, k, m.category))
				}
				known[k] = true
			}
			for _, k := range all {
				if !known[k] {
					faults = append(faults, fmt.Sprintf("%s does not know %s: give it a case, or name it after except", name, k))
				}
			}
		}
	}
	return faults, marked
}

// imports reports whether one of the files imports a package.
func imports(files map[string]*ast.File, path string) bool {
	for _, f := range files {
		for _, i := range f.Imports {
			if i.Path.Value == strconv.Quote(path) {
				return true
			}
		}
	}
	return false
}

func TestEveryWalkKnowsEveryNode(t *testing.T) {
	_, pkgs := loadHouse(t)
	kinds := nodeKinds(pkgs["syntax"].files)
	for category, least := range map[string]int{"Expr": 18, "Stmt": 24, "Decl": 8, "TypeExpr": 7, "Part": 9, "CStmt": 16, "Loop": 5} {
		if len(kinds[category]) < least {
			t.Errorf("package syntax has only %d kinds of %s: %v", len(kinds[category]), category, kinds[category])
		}
	}
	for _, dir := range sorted(pkgs) {
		if dir != "syntax" && !imports(pkgs[dir].files, "irgl/syntax") {
			continue // other trees have nodes of the same names
		}
		faults, marked := checkNodes(kinds, pkgs[dir].files)
		loops := kinds["Loop"]
		if slices.Contains(lowered, dir) {
			loops = slices.DeleteFunc(slices.Clone(loops), func(k string) bool { return slices.Contains(kinds["IrGLStmt"], k) })
		}
		for _, f := range append(faults, checkLoops(loops, pkgs[dir].files)...) {
			t.Errorf("%s/%s", filepath.ToSlash(dir), f)
		}
		for _, name := range allNodes[dir] {
			if !slices.Contains(marked, name) {
				t.Errorf("%s: function %s has no //irgl:allnodes comment", dir, name)
			}
		}
	}
}

// TestUnknownNodeIsFound: a new kind of node is missed at each function that does
// not name it.
func TestUnknownNodeIsFound(t *testing.T) {
	parse := func(text string) map[string]*ast.File {
		f, err := parser.ParseFile(token.NewFileSet(), "x.go", text, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		return map[string]*ast.File{"x.go": f}
	}
	kinds := nodeKinds(parse(`package syntax
type (
	OldStmt struct { Span }
	NewStmt struct { Span }
	Piece struct { Span; X int }
	plain struct { X int }
)
func (*OldStmt) stmt() {}
func (*NewStmt) stmt() {}
`))
	if got := fmt.Sprint(kinds); got != "map[CStmt:[OldStmt NewStmt] Part:[Piece] Stmt:[OldStmt NewStmt]]" {
		t.Fatalf("kinds are %s", got)
	}
	for _, tt := range []struct{ mark, body, want string }{
		{"Stmt", "switch s.(type) { case *syntax.OldStmt: }", "[x.go: f does not know NewStmt: give it a case, or name it after except]"},
		{"Stmt", "switch s.(type) { case *syntax.OldStmt, *NewStmt: }", "[]"},
		{"Stmt except NewStmt", "switch s.(type) { case *syntax.OldStmt: }", "[]"},
		{"Stmt except OldStmt NewStmt", "switch s.(type) { case *syntax.OldStmt: }", "[x.go: f: OldStmt is excepted, and has a case or is no Stmt]"},
		{"Part", "", "[x.go: f does not know Piece: give it a case, or name it after except]"},
		{"Nosuch", "", `[x.go: f: there is no category "Nosuch" of nodes]`},
	} {
		text := "package p\n//irgl:allnodes " + tt.mark + "\nfunc f(s any) { " + tt.body + " }\n"
		if faults, _ := checkNodes(kinds, parse(text)); fmt.Sprint(faults) != tt.want {
			t.Errorf("%s { %s }: %v, want %s", tt.mark, tt.body, faults, tt.want)
		}
	}
	loops := []string{"ForStmt", "WhileStmt", "NewStmt"}
	for _, tt := range []struct{ cases, want string }{
		{"*syntax.ForStmt", "[]"},
		{"*syntax.ForStmt, *syntax.WhileStmt", "[x.go: f knows C's loops, and not NewStmt: give it a case syntax.Loop, or say //irgl:allnodes Loop except NewStmt]"},
		{"*ForStmt: case *WhileStmt, *syntax.NewStmt", "[]"},
		{"*ForStmt: case *WhileStmt: case syntax.Loop", "[]"},
	} {
		text := "package p\nfunc f(s any) { switch s.(type) { case " + tt.cases + ": } }\n"
		if faults := checkLoops(loops, parse(text)); fmt.Sprint(faults) != tt.want {
			t.Errorf("%s: %v, want %s", tt.cases, faults, tt.want)
		}
		marked := strings.Replace(text, "func", "//irgl:somenodes why\nfunc", 1)
		if faults := checkLoops(loops, parse(marked)); len(faults) > 0 {
			t.Errorf("%s with a reason: %v", tt.cases, faults)
		}
	}
}
