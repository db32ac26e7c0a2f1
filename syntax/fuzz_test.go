package syntax

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"irgl/internal/source"
)

// addSeeds adds the inputs of all archives to a fuzz target.
func addSeeds(f *testing.F, ext string) {
	paths, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(paths) == 0 {
		f.Fatalf("no archives: %v", err)
	}
	for _, path := range paths {
		ar, err := txtar.ParseFile(path)
		if err != nil {
			f.Fatal(err)
		}
		for _, file := range ar.Files {
			if filepath.Ext(file.Name) == ext {
				f.Add(file.Data)
			}
		}
	}
	if data, err := os.ReadFile("testdata/seed" + ext); err == nil {
		f.Add(data)
	}
}

// checkParse parses text, checks what holds for any text, and for a text
// without errors that printing is a fixed point. It reports whether the text
// has no errors.
func checkParse(t *testing.T, text []byte, d Dialect) bool {
	if len(text) > 1<<14 {
		return false
	}
	var diags source.List
	opts := Options{Include: func(name string) (*source.File, error) {
		switch name {
		case "self":
			return source.NewFile("self", text), nil
		case "part":
			return source.NewFile("part", []byte("\n\nint part; // of it\n")), nil
		}
		return nil, errors.New("no such file")
	}}
	in := source.NewFile("in", text)
	tree := ParseWith(in, d, &diags, opts)
	for _, diag := range diags.Diags {
		if diag.Code == "" || diag.Message == "" || !diag.Pos.IsValid() {
			t.Fatalf("incomplete diagnostic %q", diag.Error())
		}
	}
	diags.Render(new(bytes.Buffer))
	checkSpans(t, tree, in)
	printed := String(tree)
	if diags.Errors() > 0 {
		return false
	}
	var again source.List
	tree2 := Parse(source.NewFile("printed", []byte(printed)), d, &again)
	if again.Errors() > 0 {
		t.Fatalf("printed text has errors:\n%v\n--- input\n%s\n--- printed\n%s", again.Err(), text, printed)
	}
	if !Equal(tree, tree2) {
		t.Fatalf("printed text has another tree\n--- input\n%s\n--- printed\n%s", text, printed)
	}
	if len(tree.Comments) != len(tree2.Comments) {
		t.Fatalf("%d comments became %d\n--- input\n%s\n--- printed\n%s", len(tree.Comments), len(tree2.Comments), text, printed)
	}
	if twice := String(tree2); twice != printed {
		t.Fatalf("not a fixed point\n--- input\n%s\n--- printed\n%s\n--- printed again\n%s", text, printed, twice)
	}
	return true
}

// checkSpans checks that every node has a position in the text.
func checkSpans(t *testing.T, tree *File, in *source.File) {
	for n := range Preorder(tree) {
		from, to := n.Pos(), n.End()
		if !from.IsValid() || !to.IsValid() {
			t.Fatalf("%T %s has no position", n, String(n))
		}
		for _, p := range []source.Pos{from, to} {
			if p.Offset < 0 || int(p.Offset) > len(p.File.Content) {
				t.Fatalf("%T at %d is outside the text", n, p.Offset)
			}
		}
		if from.File == in && to.File == in && to.Before(from) {
			t.Fatalf("%T ends (%d) before it begins (%d)", n, to.Offset, from.Offset)
		}
	}
}

func FuzzParseIrGL(f *testing.F) {
	addSeeds(f, ".irgl")
	f.Fuzz(func(t *testing.T, text []byte) { checkParse(t, text, IrGL) })
}

func FuzzParseCUDA(f *testing.F) {
	addSeeds(f, ".cu")
	f.Fuzz(func(t *testing.T, text []byte) { checkParse(t, text, CUDA) })
}
