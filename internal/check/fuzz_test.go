package check

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"irgl/syntax"
)

// seeds returns the programs of all archives here and beside the parser.
func seeds(t testing.TB) []txtar.File {
	var out []txtar.File
	for _, pattern := range []string{"testdata/*.txtar", "../../syntax/testdata/*.txtar"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range files {
			ar, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range ar.Files {
				if ext := filepath.Ext(f.Name); ext == ".cu" || ext == ".irgl" {
					out = append(out, f)
				}
			}
		}
	}
	return out
}

// FuzzCheck parses and checks arbitrary text: no panic, no hang, every
// diagnostic has a place and a code, and a clean program has complete tables.
func FuzzCheck(f *testing.F) {
	for _, s := range seeds(f) {
		f.Add(string(s.Data), strings.HasSuffix(s.Name, ".cu"))
	}
	f.Fuzz(func(t *testing.T, text string, cuda bool) {
		name := "x.irgl"
		if cuda {
			name = "x.cu"
		}
		start := time.Now()
		info, diags := checkText(name, []byte(text))
		if d := time.Since(start); d > 10*time.Second {
			t.Fatalf("took %v", d)
		}
		for _, d := range diags.Diags {
			if d.Code == "" || !d.Pos.IsValid() {
				t.Errorf("no code or place: %v", d)
			}
		}
		if diags.Errors() == 0 {
			verifyInfo(t, info)
		}
		Dump(info)
		DumpExprs(info)
	})
}

// verifyInfo checks what Info promises of a program without errors: every
// expression and name has its entry.
func verifyInfo(t *testing.T, info *Info) {
	t.Helper()
	declared := map[*syntax.Ident]bool{}
	for a := range info.Declares {
		declared[a.L.(*syntax.Ident)] = true
	}
	for n := range syntax.Preorder(info.File) {
		e, ok := n.(syntax.Expr)
		if !ok {
			continue
		}
		if id, ok := e.(*syntax.Ident); ok {
			if info.Uses[id] == nil && info.Defs[id] == nil && info.Types[id] == nil {
				continue // a member or a tag: neither a use nor a value
			}
			if info.Types[id] == Invalid {
				t.Errorf("%v: %s is invalid in a clean program", id.Pos(), id.Name)
			}
			continue
		}
		if typ := info.Types[e]; typ == nil || typ == Invalid {
			t.Errorf("%v: %T has type %v in a clean program", e.Pos(), e, typ)
		}
	}
}

// TestSeeds runs the fuzz target's check of tables over every archive.
func TestSeeds(t *testing.T) {
	for _, s := range seeds(t) {
		info, diags := checkText(s.Name, s.Data)
		if diags.Errors() == 0 {
			verifyInfo(t, info)
		}
	}
}
