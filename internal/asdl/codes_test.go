package asdl_test

import (
	"bytes"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"strings"
	"testing"

	"irgl/internal/asdl"
	"irgl/internal/source"
	"irgl/syntax"
)

// TestCodes checks that the example of each code has the error.
func TestCodes(t *testing.T) {
	f, err := parser.ParseFile(token.NewFileSet(), "codes.go", nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, s := range f.Decls[1].(*ast.GenDecl).Specs {
		v := s.(*ast.ValueSpec)
		code := source.Code(strings.Trim(v.Values[0].(*ast.BasicLit).Value, `"`))
		_, example, ok := strings.Cut(strings.ReplaceAll(v.Doc.Text(), "\n", " "), ": ")
		if !ok {
			t.Errorf("%s has no example", code)
		}
		example = strings.ReplaceAll(example, "[[[[...]]]]", strings.Repeat("[", 5000)+strings.Repeat("]", 5000))
		var diags source.List
		asdl.Decode(source.NewFile("example.json", []byte(example)), &diags)
		if len(diags.Diags) != 1 || diags.Diags[0].Code != code {
			t.Errorf("%s: %s\nhas the errors %q", code, example, diagnostics(&diags))
		}
		n++
	}
	if n < 9 {
		t.Errorf("only %d codes", n)
	}
}

// TestDocSample checks that the program in the package comment is one, and the
// same as the bundled one but for its names.
func TestDocSample(t *testing.T) {
	text, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	_, sample, ok := strings.Cut(string(text), "//\t{\"_type\": \"Module\"")
	sample, _, ok2 := strings.Cut(sample, "//\n")
	if !ok || !ok2 {
		t.Fatal("the package comment has no sample")
	}
	sample = strings.ReplaceAll("{\"_type\": \"Module\""+sample, "//\t", "")
	var diags source.List
	got := asdl.Decode(source.NewFile("sample.json", []byte(sample)), &diags)
	if err := diags.Err(); err != nil {
		t.Fatal(err)
	}
	ar, err := os.ReadFile("testdata/bfs.txtar")
	if err != nil {
		t.Fatal(err)
	}
	_, golden, _ := strings.Cut(string(ar), "-- bfs.irgl --\n")
	want := syntax.Parse(source.NewFile("bfs.irgl", []byte(golden)), syntax.IrGL, &diags)
	if !syntax.Equal(want, got) {
		t.Errorf("the sample is\n%s", syntax.String(got))
	}
}

// TestPositions checks that errors in C text are shown where they stand in the
// JSON, also after escapes, and that notes move as well.
func TestPositions(t *testing.T) {
	json := `{"_type": "Module", "stmts": [{"_type": "Kernel", "name": "f", "host": true,
 "stmts": {"_type": "Block", "stmts": [
  {"_type": "CBlock", "stmts": ["x = 1;\n\ty = \"\u00e9\" @ 2;"]}]}}]}`
	var diags source.List
	asdl.Decode(source.NewFile("p.json", []byte(json)), &diags)
	var b strings.Builder
	diags.Render(&b)
	want := `p.json:3:59: error: unexpected character "@" [S0001]
    3 |   {"_type": "CBlock", "stmts": ["x = 1;\n\ty = \"\u00e9\" @ 2;"]}]}}]}
      |                                                           ^
`
	if !strings.HasPrefix(b.String(), want) {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
}

// TestHints checks what is advised where a node of the report is wrong.
func TestHints(t *testing.T) {
	block := func(stmt string) string {
		return `{"_type": "Module", "stmts": [{"_type": "Kernel", "name": "f", "stmts": {"_type": "Block", "stmts": [` + stmt + `]}}]}`
	}
	for _, c := range []struct{ json, want string }{
		{block(`{"_type": "Exclusive", "objs_lock": []}`), "a Tuple has the lists"},
		{block(`{"_type": "Exclusive", "objs_lock": {"_type": "Tuple", "object": "m"}}`), `"_type": "Array"`},
		{block(`{"_type": "Exclusive", "objs_lock": {"_type": "Tuple", "object": "m", "items": [{"_type": "ArrayIter"}]}}`), "Array, ArrayIterator"},
		{block(`{"_type": "SyncRuningThreads"}`), `"SyncRunningThreads"`},
		{block(`{"_type": "Pipe", "wlinit": {"_type": "WorklistInitialiser"}}`), `"WorklistInitializer"`},
		{block(`{"_type": "CBlock", "stmts": ["a <=> b;"], "parse": false}`), `"reads": ["a"]`},
		{block(`{"_type": "CBlock", "stmts": ["a <=> b;"]}`), "parse false, with its reads and writes"},
		{block(`{"_type": "CBlock", "stmts": ["a = b;"], "writes": ["a"]}`), "parse false passes"},
		{block(`{"_type": "Expr", "e": {"_type": "CExpr", "expr": "a", "parse": false}}`), "a CBlock with parse false"},
		{`{"_type": "Module", "stmts": [{"_type": "Mesh", "name": "m", "props": [{"type": "int", "name": "a"}]}]}`, "Point or Element"},
	} {
		var diags source.List
		asdl.Decode(source.NewFile("p.json", []byte(c.json)), &diags)
		if len(diags.Diags) == 0 || !strings.Contains(diags.Diags[0].Hint, c.want) {
			t.Errorf("%s\ngot %v\nwant the hint %s", c.json, diags.Err(), c.want)
		}
	}
}

// failing is a writer that is full.
type failing struct{}

var errFull = errors.New("full")

func (failing) Write([]byte) (int, error) { return 0, errFull }

func TestEncodeErrors(t *testing.T) {
	var diags source.List
	var b bytes.Buffer
	cuda := syntax.Parse(source.NewFile("a.cu", []byte("int a;")), syntax.CUDA, &diags)
	if err := asdl.Encode(&b, cuda); err == nil || b.Len() > 0 {
		t.Errorf("CUDA is written: %v", err)
	}
	bytesTree := syntax.Parse(source.NewFile("a.irgl", []byte("int a; // \xff")), syntax.IrGL, &diags)
	if err := asdl.Encode(&b, bytesTree); err == nil || !strings.Contains(err.Error(), "a.irgl") || b.Len() > 0 {
		t.Errorf("text that is not UTF-8 is written: %v", err)
	}
	if err := asdl.Encode(failing{}, &syntax.File{}); !errors.Is(err, errFull) {
		t.Errorf("the writer's error is lost: %v", err)
	}
}

// TestWithoutPositions encodes a tree that no text was parsed to.
func TestWithoutPositions(t *testing.T) {
	tree := &syntax.File{Decls: []syntax.Decl{&syntax.FuncDecl{
		Kind: syntax.HostFunc, Name: &syntax.Ident{Name: "main"},
		Body: &syntax.Block{Stmts: []syntax.Stmt{&syntax.ReturnStmt{}, &syntax.BreakStmt{}}},
	}}}
	var diags source.List
	if got := asdl.Decode(source.NewFile("p.json", encode(t, tree)), &diags); !syntax.Equal(tree, got) {
		t.Errorf("got %s, %v", syntax.String(got), diags.Err())
	}
}

// TestDepth decodes what is nested as deeply as the parser allows, and deeper.
func TestDepth(t *testing.T) {
	for _, n := range []int{200, 600, 3000} {
		open := `{"_type": "Block", "stmts": [`
		json := `{"_type": "Module", "stmts": [{"_type": "Kernel", "name": "f", "host": true, "stmts": ` +
			strings.Repeat(open, n) + strings.Repeat("]}", n) + "}]}"
		var diags source.List
		asdl.Decode(source.NewFile("p.json", []byte(json)), &diags)
		if (diags.Errors() > 0) != (n > 250) {
			t.Errorf("%d levels: %s", n, diagnostics(&diags))
		}
	}
}

func TestIsJSON(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       bool
	}{
		{"a.json", "", true}, {"standard-input.irgl", "\n {\"_type\"", true}, {"a.irgl", "Graph g {}", false}, {"a.irgl", "", false},
	} {
		if got := asdl.IsJSON(source.NewFile(c.name, []byte(c.text))); got != c.want {
			t.Errorf("%s with %q: %v", c.name, c.text, got)
		}
	}
}
