package asdl_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"irgl/internal/asdl"
	"irgl/internal/source"
	"irgl/syntax"
)

// A program is a text with the place it is from.
type program struct {
	name string
	text []byte
}

// corpus returns the bundled programs, the blocks of the language's reference
// that are whole programs, and the texts of the archives of the parser, the
// checker and this package that have no errors.
func corpus(t testing.TB) []program {
	t.Helper()
	var all []program
	paths, err := filepath.Glob("../programs/*.irgl")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no bundled programs: %v", err)
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, program{path, text})
	}
	doc, err := os.ReadFile("../../docs/language.md")
	if err != nil {
		t.Fatal(err)
	}
	for i, block := range strings.Split(string(doc), "```irgl\n")[1:] {
		text, _, _ := strings.Cut(block, "```")
		all = append(all, program{"language.md block " + string(rune('A'+i)), []byte(text)})
	}
	for _, pattern := range []string{"../../syntax/testdata/*.txtar", "../check/testdata/*.txtar", "testdata/*.txtar"} {
		archives, err := filepath.Glob(pattern)
		if err != nil || len(archives) == 0 {
			t.Fatalf("no archives %s: %v", pattern, err)
		}
		for _, path := range archives {
			ar, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range ar.Files {
				if ext := filepath.Ext(f.Name); ext == ".irgl" || ext == ".in" {
					all = append(all, program{path + "/" + f.Name, f.Data})
				}
			}
		}
	}
	var out []program
	for _, p := range all {
		var diags source.List
		syntax.Parse(source.NewFile(p.name, p.text), syntax.IrGL, &diags)
		if diags.Errors() == 0 {
			out = append(out, p)
		}
	}
	return out
}

// encode returns a tree as JSON.
func encode(t testing.TB, tree *syntax.File) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := asdl.Encode(&b, tree); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// roundTrip checks that a text's JSON stands for the same program, and that
// text and JSON then stay as they are.
func roundTrip(t testing.TB, p program) {
	t.Helper()
	var diags source.List
	tree := syntax.Parse(source.NewFile(p.name, p.text), syntax.IrGL, &diags)
	if err := diags.Err(); err != nil {
		t.Fatal(err)
	}
	first := encode(t, tree)
	if !json.Valid(first) {
		t.Fatalf("this is no JSON:\n%s", first)
	}
	file := source.NewFile("p.json", first)
	decoded := asdl.Decode(file, &diags)
	if err := diags.Err(); err != nil {
		t.Fatalf("%v\n--- text\n%s\n--- JSON\n%s", err, p.text, first)
	}
	if !syntax.Equal(tree, decoded) {
		t.Fatalf("another tree:\n%s\n--- JSON\n%s", cmp.Diff(syntax.String(tree), syntax.String(decoded)), first)
	}
	if len(tree.Comments) != len(decoded.Comments) {
		t.Errorf("%d comments became %d", len(tree.Comments), len(decoded.Comments))
	}
	for n := range syntax.Preorder(decoded) {
		if n.Pos().File != file || n.End().File != file || n.End().Before(n.Pos()) {
			t.Fatalf("%T %s is at %s to %s", n, syntax.String(n), n.Pos(), n.End())
		}
	}
	text := asdl.Text(file, &diags)
	again := syntax.Parse(source.NewFile("p.irgl", text), syntax.IrGL, &diags)
	if err := diags.Err(); err != nil {
		t.Fatalf("the text has errors: %v\n%s", err, text)
	}
	if !syntax.Equal(tree, again) {
		t.Fatalf("the text has another tree:\n%s", text)
	}
	second := encode(t, again)
	twice := asdl.Text(source.NewFile("p.json", second), &diags)
	if diff := cmp.Diff(string(text), string(twice)); diff != "" {
		t.Fatalf("text -> JSON -> text is no fixed point (-first +second):\n%s", diff)
	}
	third := encode(t, syntax.Parse(source.NewFile("p.irgl", twice), syntax.IrGL, &diags))
	if diff := cmp.Diff(string(second), string(third)); diff != "" {
		t.Fatalf("JSON -> text -> JSON is no fixed point (-first +second):\n%s", diff)
	}
}

func TestRoundTrip(t *testing.T) {
	programs := corpus(t)
	if len(programs) < 30 {
		t.Errorf("only %d programs", len(programs))
	}
	for _, p := range programs {
		t.Run(p.name, func(t *testing.T) { roundTrip(t, p) })
	}
	t.Logf("%d programs", len(programs))
}
