package check

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"irgl/internal/golden"
	"irgl/syntax"
)

// seeds returns the programs of all archives here and beside the parser.
func seeds(t testing.TB) []txtar.File {
	return golden.Seeds(t, []string{".cu", ".irgl"}, "testdata/*.txtar", "../../syntax/testdata/*.txtar")
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
// expression, type name and identifier has its entries.
func verifyInfo(t *testing.T, info *Info) {
	t.Helper()
	names := map[*syntax.Ident]bool{} // that are no expressions of their own
	for n := range syntax.Preorder(info.File) {
		switch n := n.(type) {
		case *syntax.MemberExpr:
			names[n.Name] = true
		case *syntax.GotoStmt:
			names[n.Name] = true
		case *syntax.LabelStmt:
			names[n.Name] = true
		case *syntax.TagType:
			names[n.Tag] = true
		case *syntax.InitElem:
			names[n.Field] = true
		case *syntax.ForAllStmt:
			names[n.Var] = true
		case *syntax.Param:
			names[n.Name] = true
		case *syntax.GraphDecl:
			names[n.Name] = true
			for _, id := range n.Requires {
				names[id] = true
			}
		case *syntax.MeshDecl:
			names[n.Name] = true
			for _, id := range n.Requires {
				names[id] = true
			}
		case *syntax.RacyDecl:
			names[n.Name] = true
		case *syntax.NamesDecl:
			for _, id := range n.Names {
				names[id] = true
			}
		case *syntax.CBlock:
			for _, id := range slices.Concat(n.Reads, n.Writes) {
				names[id] = true
			}
		default:
			names[declName(n)] = true
		}
	}
	for n := range syntax.Preorder(info.File) {
		switch n := n.(type) {
		case *syntax.Ident:
			if names[n] {
				continue
			}
			if info.Uses[n] == nil && info.Defs[n] == nil {
				t.Errorf("%v: %s refers to nothing in a clean program", n.Pos(), n.Name)
			}
			if typ := info.Types[n]; typ == nil || typ == Invalid {
				t.Errorf("%v: %s has type %v in a clean program", n.Pos(), n.Name, typ)
			}
		case syntax.Expr:
			if typ := info.Types[n]; typ == nil || typ == Invalid {
				t.Errorf("%v: %T has type %v in a clean program", n.Pos(), n, typ)
			}
		case syntax.TypeExpr:
			if typ := info.Named[n]; typ == nil || typ == Invalid {
				t.Errorf("%v: %T names %v in a clean program", n.Pos(), n, typ)
			}
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
