package cpp

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"irgl/internal/golden"
	"irgl/internal/source"
)

// unpack writes the files of an archive into an empty folder, which becomes the working one, and returns the main
// file: in.cu of the dialect CXX, or in.c of C.
func unpack(t *testing.T, a *txtar.Archive) (*source.File, Options) {
	t.Helper()
	t.Chdir(t.TempDir())
	var main *source.File
	opts := Options{Dialect: CXX, Arch: 900, Includer: &Folders{Quote: []string{"quote"}, User: []string{"user", "more"}, System: []string{"system"}, Embedded: os.DirFS("embedded")},
		Defines: []Define{{Name: "VALUE", Value: "7"}, {Name: "TWICE(x)", Value: "x x"}, {Name: "GONE", Value: "1"}, {Name: "GONE", Undef: true}}}
	for _, f := range a.Files {
		if strings.HasPrefix(f.Name, "want") {
			continue
		}
		if err := os.MkdirAll(filepath.Dir(f.Name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(f.Name, f.Data, 0o666); err != nil {
			t.Fatal(err)
		}
		if f.Name == "in.cu" || f.Name == "in.c" {
			main = source.NewFile(f.Name, f.Data)
			if f.Name == "in.c" {
				opts.Dialect = C
			}
		}
	}
	if main == nil {
		t.Fatal("the archive has no in.cu")
	}
	return main, opts
}

// TestGolden compares the tokens of each archive's in.cu with its section want, and the diagnostics with
// want.diags. Where g++ is, the tokens are also those that it prints, unless the comment says "no g++".
func TestGolden(t *testing.T) {
	golden.Each(t, "testdata/*.txtar", func(t *testing.T, a *txtar.Archive) {
		main, opts := unpack(t, a)
		var diags source.List
		r := Preprocess(main, opts, &diags)
		var out, messages bytes.Buffer
		if err := Print(&out, r.Tokens, opts.Dialect); err != nil {
			t.Fatal(err)
		}
		diags.Sort()
		for _, d := range diags.Diags {
			writeDiagnostic(&messages, d)
		}
		if golden.Find(a, "want.includes") != nil {
			var b strings.Builder
			for _, inc := range r.Includes {
				name := "-"
				if inc.File != nil {
					name = filepath.ToSlash(inc.File.Name)
				}
				fmt.Fprintf(&b, "%s: %s: %s %s\n", inc.Pos, inc.Name, inc.Found, name)
			}
			golden.Section(t, a, "want.includes", b.String())
		}
		golden.Section(t, a, "want", out.String())
		golden.Section(t, a, "want.diags", messages.String())
		if !bytes.Contains(a.Comment, []byte("no g++")) {
			compareWithGxx(t, main.Name, r.Tokens)
		}
		checkTokens(t, r, opts.Dialect)
	})
}

func writeDiagnostic(b *bytes.Buffer, d *source.Diagnostic) {
	fmt.Fprintln(b, d.Error())
	if d.Hint != "" {
		fmt.Fprintf(b, "\thint: %s\n", d.Hint)
	}
	for i := range d.Notes {
		b.WriteString("\t")
		writeDiagnostic(b, &d.Notes[i])
	}
}

// compareWithGxx compares tokens with those that g++ prints for a file of the working folder.
func compareWithGxx(t *testing.T, name string, toks []Token) {
	t.Run("g++", func(t *testing.T) {
		run := gxx(t)
		want, err := run(name, nil, "-iquote", "quote", "-I", "user", "-I", "more", "-isystem", "system", "-isystem", "embedded",
			"-DVALUE=7", "-DTWICE(x)=x x")
		if err != nil {
			t.Fatal(err)
		}
		if err := compareTokens(toks, want); err != nil {
			t.Errorf("%v\n%s", err, want)
		}
	})
}

// checkTokens checks what holds for the tokens of any text: places inside of their files, expansions that are there,
// and texts that scan to the same tokens when they are printed.
func checkTokens(t *testing.T, r *Result, d Dialect) {
	t.Helper()
	n := len(r.Tokens)
	if n == 0 || r.Tokens[n-1].Kind != EOF {
		t.Fatal("the tokens have no EOF")
	}
	for i := range r.Tokens {
		k := &r.Tokens[i]
		if k.File() == nil || k.From() < 0 || k.To() < k.From() || int(k.To()) > len(k.File().Content) {
			t.Fatalf("token %d, %s, is at %d to %d", i, k.Describe(), k.From(), k.To())
		}
		if k.Macro() < 0 || int(k.Macro()) >= len(r.Expansions) {
			t.Fatalf("token %d, %s, has the expansion %d", i, k.Describe(), k.Macro())
		}
		if k.Kind == EOF && i < n-1 || k.Flags&fromArgument != 0 {
			t.Fatalf("token %d is %s of the kind %d", i, k.Describe(), k.Kind)
		}
		if int(k.Word) >= int(numWords) || (k.Kind == Keyword || k.Kind == Punct) && k.Word == NoWord {
			t.Fatalf("token %d, %s, has the word %d", i, k.Describe(), k.Word)
		}
	}
	for i := 1; i < len(r.Expansions); i++ {
		if e := &r.Expansions[i]; e.Name == "" || int(e.Outer) >= i {
			t.Fatalf("expansion %d is %+v", i, e)
		}
	}
}
