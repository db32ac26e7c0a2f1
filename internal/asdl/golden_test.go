package asdl_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"irgl/internal/asdl"
	"irgl/internal/golden"
	"irgl/internal/source"
	"irgl/syntax"
)

// diagnostics returns what is wrong with a JSON file, an error a line.
func diagnostics(diags *source.List) string {
	var b strings.Builder
	diags.Sort()
	for _, d := range diags.Diags {
		fmt.Fprintf(&b, "%d:%d %s %s\n", d.Pos.Line(), d.Pos.Column(), d.Code, d.Message)
	}
	return b.String()
}

// TestGoldens checks each archive. NAME.json is decoded, and NAME.err is what
// is wrong with it or NAME.irgl the text it stands for; where there is a
// NAME.in, it is a text whose JSON is NAME.json.
func TestGoldens(t *testing.T) {
	paths, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(paths) < 5 {
		t.Fatalf("too few archives: %v", err)
	}
	for _, path := range paths {
		ar := golden.Archive(t, path)
		files := map[string][]byte{}
		for _, f := range ar.Files {
			files[f.Name] = f.Data
		}
		if len(ar.Comment) == 0 {
			t.Errorf("%s: the first line is the rule under test", path)
		}
		for i, f := range ar.Files {
			name, ext := strings.TrimSuffix(f.Name, filepath.Ext(f.Name)), filepath.Ext(f.Name)
			got := ""
			var diags source.List
			switch json := source.NewFile(name+".json", files[name+".json"]); ext {
			case ".in":
				continue
			case ".json":
				in, ok := files[name+".in"]
				if !ok {
					if files[name+".err"] == nil && files[name+".irgl"] == nil {
						t.Errorf("%s: nothing is expected of %s", path, f.Name)
					}
					continue
				}
				tree := syntax.Parse(source.NewFile(name, in), syntax.IrGL, &diags)
				if err := diags.Err(); err != nil {
					t.Fatalf("%s: %v", path, err)
				}
				got = string(encode(t, tree))
				files[f.Name] = []byte(got)
			case ".err":
				asdl.Decode(json, &diags)
				got = diagnostics(&diags)
			case ".irgl":
				got = string(asdl.Text(json, &diags)) + diagnostics(&diags)
			}
			golden.Data(t, &ar.Files[i], got)
		}
	}
}
