package cpp

import (
	"bytes"
	"errors"
	"testing"

	"irgl/internal/golden"
	"irgl/internal/source"
)

// selfIncluder includes the text itself as "self", and a fixed file as every other name.
type selfIncluder struct {
	self, part *source.File
	left       int // if not 0, how many files more it opens, and one
}

func (i *selfIncluder) Open(name string, angled bool, _ *source.File) (*source.File, Found, error) {
	if i.left == 1 {
		return nil, NotFound, errors.New("too many files")
	}
	i.left = max(0, i.left-1)
	switch {
	case name == "self":
		return i.self, User, nil
	case name == "none":
		return nil, NotFound, errors.New("no such file")
	case angled:
		return nil, HostOnly, nil
	}
	return i.part, User, nil
}

// FuzzPreprocess checks that any text ends in tokens, within the limits, and that what is printed of them scans to the
// same tokens.
func FuzzPreprocess(f *testing.F) {
	for _, seed := range golden.Seeds(f, []string{".cu", ".c", ".h"}, "testdata/*.txtar") {
		f.Add(seed.Data, seed.Name == "in.c")
	}
	f.Fuzz(func(t *testing.T, text []byte, c bool) {
		if len(text) > 1<<13 {
			return
		}
		d := CXX
		if c {
			d = C
		}
		main := source.NewFile("in", text)
		opts := Options{Dialect: d, Arch: 900, Includer: &selfIncluder{main, source.NewFile("part", []byte("#ifndef P\n#define P(x) x part\n#endif\n")), 50}}
		var diags source.List
		r := Preprocess(main, opts, &diags)
		if len(r.Tokens) > maxProduced+len(text)*maxIncludes {
			t.Fatalf("%d tokens", len(r.Tokens))
		}
		checkTokens(t, r, d)
		for _, diag := range diags.Diags {
			if diag.Code == "" || diag.Message == "" || !diag.Pos.IsValid() {
				t.Fatalf("incomplete diagnostic %q", diag.Error())
			}
		}
		checkPrinted(t, r, d)
		Scan(main, d)
	})
}

// checkPrinted checks that the printed tokens scan to the same texts.
func checkPrinted(t *testing.T, r *Result, d Dialect) {
	for i := range r.Tokens {
		if k := r.Tokens[i].Kind; k == Bad || k == Unroll || k == Pack || len(r.Tokens) > 1<<16 {
			return // malformed text has no text, and pragmas are directives
		}
	}
	var b bytes.Buffer
	if err := Print(&b, r.Tokens, d); err != nil {
		t.Fatal(err)
	}
	again, _ := Scan(source.NewFile("printed", b.Bytes()), d)
	if len(again) != len(r.Tokens) {
		t.Fatalf("%d tokens are %d when they are printed:\n%q", len(r.Tokens), len(again), b.String())
	}
	for i := range again {
		if again[i].Text() != r.Tokens[i].Text() || again[i].Kind != r.Tokens[i].Kind {
			t.Fatalf("token %d, %s, is %s when it is printed:\n%q", i, r.Tokens[i].Describe(), again[i].Describe(), b.String())
		}
	}
}
