package irgl_test

import (
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"irgl/internal/golden"
	"irgl/internal/source"
	"irgl/syntax"
)

// TestEveryStatementIsTested: the language's description, the checker's archives and
// those of lowering have each kind of statement of IrGL. (Package irgltest asks the same
// of its random programs.)
func TestEveryStatementIsTested(t *testing.T) {
	_, pkgs := loadHouse(t)
	kinds := nodeKinds(pkgs["syntax"].files)["IrGLStmt"]
	if len(kinds) < 8 {
		t.Fatalf("only %d kinds of statements of IrGL: %v", len(kinds), kinds)
	}
	var described []string
	for _, b := range blocks(t, "docs/language.md", "irgl") {
		described = append(described, b.text)
	}
	for where, texts := range map[string][]string{
		"docs/language.md":        described,
		"internal/check/testdata": archived(t, "internal/check/testdata"),
		"internal/lower/testdata": archived(t, "internal/lower/testdata"),
	} {
		seen := map[string]bool{}
		for _, text := range texts {
			var diags source.List
			for n := range syntax.Preorder(syntax.Parse(source.NewFile("p.irgl", []byte(text)), syntax.IrGL, &diags)) {
				seen[reflect.TypeOf(n).Elem().Name()] = true
			}
		}
		for _, k := range kinds {
			if !seen[k] {
				t.Errorf("%s has no %s", where, k)
			}
		}
	}
}

// archived returns the IrGL programs in the archives of a directory.
func archived(t *testing.T, dir string) (texts []string) {
	paths, err := filepath.Glob(filepath.Join(dir, "*.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		for _, f := range golden.Archive(t, path).Files {
			if strings.HasSuffix(f.Name, ".irgl") {
				texts = append(texts, string(f.Data))
			}
		}
	}
	return texts
}

// TestGrammarHasEveryWord: each word at which the parser begins a statement of IrGL is
// in the grammar.
func TestGrammarHasEveryWord(t *testing.T) {
	read := func(name string) string {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	grammar := read("syntax/grammar.txt")
	words := regexp.MustCompile(`word == "(\w+)"`).FindAllStringSubmatch(read("syntax/irgl_stmt.go"), -1)
	if len(words) < 11 {
		t.Fatalf("the parser has only %d words", len(words))
	}
	for _, w := range words {
		if !strings.Contains(grammar, "'"+w[1]+"'") {
			t.Errorf("syntax/grammar.txt has no %s", w[1])
		}
	}
}
