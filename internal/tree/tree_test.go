package tree_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"irgl/internal/pass"
	"irgl/internal/source"
	"irgl/internal/tree"
	"irgl/syntax"
)

func parsed(t *testing.T, text string) *syntax.File {
	t.Helper()
	var diags source.List
	f := syntax.Parse(source.NewFile("a.cu", []byte(text)), syntax.CUDA, &diags)
	if err := diags.Err(); err != nil {
		t.Fatal(err)
	}
	return f
}

func function(f *syntax.File, i int) *syntax.FuncDecl { return f.Decls[i].(*syntax.FuncDecl) }

// TestClone copies the bundled programs, which have every statement of IrGL, and
// the device library: the copy is equal and has no node of the original, and the
// side table has all nodes.
func TestClone(t *testing.T) {
	var files []string
	for _, pattern := range []string{"../programs/*.irgl", "../../examples/listings/*.irgl", "../../syntax/testdata/*.irgl", "../devlib/*.cu"} {
		list, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, list...)
	}
	if len(files) < 20 {
		t.Fatalf("%d files", len(files))
	}
	for _, path := range files {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		dialect := syntax.IrGL
		if filepath.Ext(path) == ".cu" {
			dialect, text = syntax.CUDA, slices.Concat([]byte("typedef int irgl_index;\n"), text)
		}
		var diags source.List
		f := syntax.Parse(source.NewFile(path, text), dialect, &diags)
		if diags.Errors() > 0 {
			t.Fatal(diags.Err())
		}
		table := map[syntax.Node]syntax.Node{}
		c := tree.CloneWith(f, func(old, new syntax.Node) { table[old] = new })
		if !syntax.Equal(f, c) || syntax.String(f) != syntax.String(c) {
			t.Errorf("%s: the copy differs", path)
		}
		n := 0
		for x := range syntax.Preorder(f) {
			n++
			if table[x] == nil || table[x] == x {
				t.Errorf("%s: %T has no copy", path, x)
			}
		}
		for x := range syntax.Preorder(c) {
			n--
			if _, original := table[x]; original {
				t.Errorf("%s: %T is shared", path, x)
			}
		}
		if n != 0 || tree.Shared(c) != nil {
			t.Errorf("%s: the copy has %d nodes less", path, n)
		}
	}
}

// TestCloneAttributes: the copy of a file has the attributes of its statements.
func TestCloneAttributes(t *testing.T) {
	var diags source.List
	const text = "Kernel K(g) {\n\t[[np(wp)]] ForAll (i In WL) {\n\t\t[[reserve(warp)]] WL.push(i);\n\t}\n}\n"
	f := syntax.Parse(source.NewFile("a.irgl", []byte(text)), syntax.IrGL, &diags)
	c := tree.Clone(f)
	if !syntax.Equal(f, c) || syntax.String(c) != text || len(c.Attributes) != 2 {
		t.Errorf("the copy is\n%s", syntax.String(c))
	}
}

// TestCloneTags: the declarators of a type with a body still have one type.
func TestCloneTags(t *testing.T) {
	f := tree.Clone(parsed(t, "void f() {\n\tstruct {\n\t\tint x;\n\t} a = {1}, b = a;\n}\n"))
	if err := tree.Verify(f); err != nil {
		t.Error(err)
	}
}

// TestRewrite replaces expressions and statements in lists and in arms.
func TestRewrite(t *testing.T) {
	f := parsed(t, `void f(int a) {
	a = 1;
	if (a)
		a = 2;
	else
		a = 3;
	for (a = 4; a < 5; a++)
		;
	keep(a = 6);
}
`)
	var left []string
	tree.Rewriter{
		Enter: func(n syntax.Node) bool { return tree.CallOf(n, "keep") == nil },
		Leave: func(n syntax.Node) {
			if n, ok := n.(*syntax.IfStmt); ok {
				left = append(left, syntax.String(n.Cond))
			}
		},
		Expr: func(x syntax.Expr) syntax.Expr {
			if id, ok := x.(*syntax.Ident); ok {
				return tree.Ident(tree.At(id), "b")
			}
			return x
		},
		Stmt: func(s syntax.Stmt) []syntax.Stmt {
			switch text := syntax.String(s); {
			case strings.Contains(text, "= 1"):
				return []syntax.Stmt{s, tree.Clone(s)}
			case strings.Contains(text, "= 2") && !strings.Contains(text, "if"):
				return nil
			case strings.Contains(text, "= 3") && !strings.Contains(text, "if"):
				return []syntax.Stmt{s, tree.Clone(s)}
			}
			return []syntax.Stmt{s}
		},
	}.Rewrite(f)
	const want = `void f(int a) {
	b = 1;
	b = 1;
	if (b)
		;
	else {
		b = 3;
		b = 3;
	}
	for (b = 4; b < 5; b++)
		;
	keep(a = 6);
}
`
	if got := syntax.String(f); got != want {
		t.Errorf("got:\n%s", got)
	}
	if !slices.Equal(left, []string{"b"}) {
		t.Errorf("left %q", left)
	}
}

// TestResolve: a name is the variable of the innermost scope, members, labels and
// tags are no variables, and what is declared outside is not bound.
func TestResolve(t *testing.T) {
	f := function(parsed(t, `struct a { int a; };
int f(struct a a, int n) {
	int x = a.a + out;
	for (int a = n; a < 3; a++) { x += a; int n = sizeof(n); x -= n; }
	{ int x = x; }
a:
	return a.a;
}
`), 1)
	b := tree.Resolve(f)
	var got []string
	for n := range syntax.Preorder(f.Body) {
		id, ok := n.(*syntax.Ident)
		if !ok {
			continue
		}
		switch d := b.Uses[id].(type) {
		case *syntax.Param:
			got = append(got, id.Name+":param")
		case *syntax.VarDecl:
			got = append(got, id.Name+":"+string(rune('0'+d.Pos().Line())))
		}
	}
	want := "a:param n:param a:4 a:4 x:3 a:4 n:4 x:3 n:4 x:5 a:param"
	if s := strings.Join(got, " "); s != want {
		t.Errorf("got  %s\nwant %s", s, want)
	}
	if len(tree.ParamsOf(f, "a")) != 1 || len(tree.ParamsOf(f, "b")) != 0 {
		t.Error("ParamsOf is wrong")
	}
}

func TestNames(t *testing.T) {
	names := tree.NamesIn(parsed(t, "int f(int a) { return a_; }\n"))
	if got := names.Fresh("a"); got != "a__" {
		t.Errorf("got %s", got)
	}
	names.Free("a__")
	if got := names.Fresh("a"); got != "a__" {
		t.Errorf("got %s after it is free", got)
	}
	if got := names.Fresh("b"); got != "b" {
		t.Errorf("got %s", got)
	}
}

func TestTemplate(t *testing.T) {
	hole := tree.Template("x = 1;\n")
	got := tree.Template("if (y) { irgl_hole(0); }\nirgl_index z = 2;\n", hole)
	if text := syntax.String(tree.Block(syntax.Span{}, got...)); text != "{\n\tif (y) {\n\t\tx = 1;\n\t}\n\tirgl_index z = 2;\n}" {
		t.Errorf("got %s", text)
	}
	defer func() {
		if recover() == nil {
			t.Error("a template that does not parse is accepted")
		}
	}()
	tree.Template("if (")
}

type program struct{ f *syntax.File }

func (p program) File() *syntax.File           { return p.f }
func (p program) Whole() (*syntax.File, error) { return p.f, nil }

// TestRun: a pass that leaves a program that does not check, or a node with two
// places, is an internal error with its name; a dump begins with a comment.
func TestRun(t *testing.T) {
	row := func(name string, fn func(f *syntax.FuncDecl)) pass.Pass[program] {
		return pass.Pass[program]{Name: name, Doc: "a pass", Off: true, Fn: func(p program, _ *pass.Run) error {
			fn(function(p.f, 0))
			return nil
		}}
	}
	list := pass.MustList([]pass.Pass[program]{
		row("good", func(f *syntax.FuncDecl) { f.Body.Stmts = nil }),
		row("undeclared", func(f *syntax.FuncDecl) { f.Body.Stmts = tree.Template("nothing = 1;\n") }),
		row("shared", func(f *syntax.FuncDecl) { f.Body.Stmts = append(f.Body.Stmts, f.Body.Stmts...) }),
	}, nil)
	for name, want := range map[string]string{"good": "", "undeclared": "nothing", "shared": "two places"} {
		var out strings.Builder
		p := program{parsed(t, "void f(int a) {\n\tint b = 1, c = 2;\n}\n")}
		_, err := tree.Run(list, p, tree.Options{Switch: map[string]bool{name: true}, Verify: true, PrintAfter: []string{"all"}, Out: &out})
		if want == "" {
			if err != nil || out.String() != "// after good\nvoid f(int a) {}\n" {
				t.Errorf("%s: %v, %s", name, err, out.String())
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "after pass "+name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
