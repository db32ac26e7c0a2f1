package asdl_test

import (
	"bytes"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"irgl/internal/asdl"
	"irgl/internal/source"
	"irgl/syntax"
)

// FuzzDecode checks that any bytes end in a tree or in errors with places, and
// that the tree of JSON without errors goes to JSON and back.
func FuzzDecode(f *testing.F) {
	for _, p := range corpus(f) {
		var diags source.List
		f.Add(encode(f, syntax.Parse(source.NewFile("p", p.text), syntax.IrGL, &diags)))
	}
	archives, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(archives) == 0 {
		f.Fatalf("no archives: %v", err)
	}
	for _, path := range archives {
		ar, err := txtar.ParseFile(path)
		if err != nil {
			f.Fatal(err)
		}
		for _, file := range ar.Files {
			if filepath.Ext(file.Name) == ".json" {
				f.Add(file.Data)
			}
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 1<<15 {
			return
		}
		var diags source.List
		file := source.NewFile("p.json", data)
		tree := asdl.Decode(file, &diags)
		for _, d := range diags.Diags {
			if d.Code == "" || d.Message == "" || d.Pos.File != file {
				t.Fatalf("incomplete diagnostic %q", d.Error())
			}
		}
		diags.Render(new(bytes.Buffer))
		for n := range syntax.Preorder(tree) {
			if n.Pos().File != file || n.End().File != file || n.End().Before(n.Pos()) {
				t.Fatalf("%T %s is at %s to %s", n, syntax.String(n), n.Pos(), n.End())
			}
		}
		if diags.Errors() > 0 {
			return
		}
		text := asdl.Text(file, &diags)
		again := syntax.Parse(source.NewFile("p.irgl", text), syntax.IrGL, &diags)
		if err := diags.Err(); err != nil {
			t.Fatalf("the text has errors: %v\n%s", err, text)
		}
		if !syntax.Equal(tree, again) {
			t.Fatalf("the text has another tree:\n%s", text)
		}
		roundTrip(t, program{"p.irgl", text})
	})
}

// FuzzEncode checks that any text without errors goes to JSON and back.
func FuzzEncode(f *testing.F) {
	for _, p := range corpus(f) {
		f.Add(p.text)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var diags source.List
		tree := syntax.Parse(source.NewFile("p.irgl", text), syntax.IrGL, &diags)
		if len(text) > 1<<14 || diags.Errors() > 0 || asdl.Encode(new(bytes.Buffer), tree) != nil {
			return
		}
		roundTrip(t, program{"p.irgl", text})
	})
}
