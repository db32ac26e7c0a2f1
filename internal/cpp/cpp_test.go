package cpp

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"testing/fstest"
	"time"
	"unsafe"

	"irgl/internal/source"
)

func preprocess(t *testing.T, text string, opts Options) (*Result, *source.List) {
	t.Helper()
	var diags source.List
	r := Preprocess(source.NewFile("in.cu", []byte(text)), opts, &diags)
	return r, &diags
}

func text(r *Result) string {
	var b strings.Builder
	for i := range r.Tokens[:len(r.Tokens)-1] {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(r.Tokens[i].Text())
	}
	return b.String()
}

func TestTokenSize(t *testing.T) {
	if n := unsafe.Sizeof(Token{}); n > 24 {
		t.Errorf("a token has %d bytes", n)
	}
}

// TestWords: each word has a spelling, and each spelling its word in the dialects that have it.
func TestWords(t *testing.T) {
	for w := LParen; w < numWords; w++ {
		if w.String() == "" {
			t.Errorf("the word %d has no spelling", w)
		}
	}
	for w := LParen; w <= HashHash; w++ {
		if w == Spaceship {
			continue
		}
		toks, _ := Scan(source.NewFile("", []byte("a "+w.String())), CXX)
		if toks[1].Word != w || toks[1].Kind != Punct || toks[1].Text() != w.String() {
			t.Errorf("%s is scanned as %+v", w, toks[1])
		}
	}
	for i := range keywords {
		k := &keywords[i]
		for _, d := range []Dialect{C, CXX} {
			toks, _ := Scan(source.NewFile("", []byte(k.text)), d)
			flag := [...]uint8{C: inC, CXX: inCXX | altToken}[d]
			want := Ident
			if k.flags&flag != 0 {
				want = Keyword
			}
			if k.flags&flag&altToken != 0 {
				want = Punct
			}
			if toks[0].Kind != want || want != Ident && toks[0].Word != k.word {
				t.Errorf("%s is scanned as %+v in dialect %d", k.text, toks[0], d)
			}
		}
	}
	if r, _ := preprocess(t, "concept <=>", Options{Dialect: CXX, Std: 202002}); r.Tokens[0].Word != KwConcept || r.Tokens[1].Word != Spaceship {
		t.Errorf("C++20 has %s", text(r))
	}
}

func TestSplitGreater(t *testing.T) {
	for _, in := range []string{">>", ">>>", ">=", ">>=", ">", "<<"} {
		toks, _ := Scan(source.NewFile("", []byte("a"+in+"b")), CXX)
		k := &toks[1]
		var parts []string
		for {
			first, ok := k.SplitGreater()
			if !ok {
				break
			}
			if first.Word != Greater || first.To()-first.From() != 1 || first.To() != k.From() || k.To() != int32(1+len(in)) || !k.Glued() {
				t.Errorf("%s is split into %+v and %+v", in, first, *k)
			}
			parts = append(parts, first.Text())
		}
		if got := strings.Join(parts, "") + k.Text(); got != in || k.Word.String() != k.Text() {
			t.Errorf("%s is split into %q and %s", in, parts, k.Text())
		}
	}
	r, _ := preprocess(t, "#define X >>\nX\n", Options{Dialect: CXX})
	k := r.Tokens[0]
	first, ok := k.SplitGreater()
	if !ok || first.Pos() != k.Pos() || first.End() != k.End() || k.From() != r.Tokens[0].From() {
		t.Errorf("a token of a macro is split into %+v and %+v", first, k)
	}
}

// TestExpansions: in C++ a token of a macro is at the macro's name, and one of an argument where it was written; each
// says which expansion it is of.
func TestExpansions(t *testing.T) {
	r, diags := preprocess(t, "#define ADD(x) (x + 1)\n#define TWO ADD(2)\nint a = ADD(b) * TWO ADD(TWO);\n", Options{Dialect: CXX})
	if diags.Err() != nil {
		t.Fatal(diags.Err())
	}
	var got []string
	for i := range r.Tokens {
		k := &r.Tokens[i]
		s := fmt.Sprintf("%s@%d:%d", k.Text(), k.Pos().Line(), k.Pos().Column())
		for e := k.Macro(); e != 0; e = r.Expansions[e].Outer {
			x := &r.Expansions[e]
			s += fmt.Sprintf(" %s(%d:%d)", x.Name, x.Def.Line(), x.Def.Column())
		}
		got = append(got, s)
	}
	want := `int@3:1; a@3:5; =@3:7; (@3:9 ADD(1:9); b@3:13; +@3:9 ADD(1:9); 1@3:9 ADD(1:9); )@3:9 ADD(1:9); *@3:16; ` +
		`(@3:18 ADD(1:9) TWO(2:9); 2@3:18 TWO(2:9); +@3:18 ADD(1:9) TWO(2:9); 1@3:18 ADD(1:9) TWO(2:9); )@3:18 ADD(1:9) TWO(2:9); ` +
		`(@3:22 ADD(1:9); (@3:26 ADD(1:9) TWO(2:9); 2@3:26 TWO(2:9); +@3:26 ADD(1:9) TWO(2:9); 1@3:26 ADD(1:9) TWO(2:9); )@3:26 ADD(1:9) TWO(2:9); ` +
		`+@3:22 ADD(1:9); 1@3:22 ADD(1:9); )@3:22 ADD(1:9); ;@3:30; @4:1`
	if s := strings.Join(got, "; "); s != want {
		t.Errorf("the places are\n%s\nnot\n%s", s, want)
	}
}

// TestGuards: a file whose guard is defined is not read again.
func TestGuards(t *testing.T) {
	for _, test := range []struct {
		header  string
		skipped bool
	}{
		{"#ifndef G\n#define G\nx\n#endif\n", true},
		{"// comment\n\n#if !defined(G)\n#define G\nx\n#endif // G\n/* end */", true},
		{"# if ! defined G\n#define G\nx\n#endif", true},
		{"#ifndef G\n#define G\nx\n#if 1\ny\n#else\nz\n#endif\n#endif\n", true},
		{"#ifndef G\n#define G\n#else\nz\n#endif\n", false},
		{"#ifndef G\n#define G\n#endif\nafter\n", false},
		{"before\n#ifndef G\n#define G\n#endif\n", false},
		{"#define E\nE\n#ifndef G\n#define G\n#endif\n", false},
		{"#ifndef G\n#define G\n#endif\n#ifndef G\n#endif\n", false},
		{"#ifdef G\n#else\n#define G\n#endif\n", false},
	} {
		main := source.NewFile("in.cu", []byte("#include \"h\"\n#include \"h\"\n"))
		header := source.NewFile("h", []byte(test.header))
		p := &preprocessor{main: main, diags: &source.List{}, dialect: CXX, files: map[*source.File]*fileState{}, names: newNames(CXX)}
		p.opts.Includer = &selfIncluder{part: header}
		p.result.Expansions = []Expansion{{}}
		p.file(main)
		want := 2
		if test.skipped {
			want = 1
		}
		if p.includes != want {
			t.Errorf("%q was read %d times", test.header, p.includes)
		}
	}
}

// TestLimits: texts that would run for ever, or fill the memory, end soon with one error.
func TestLimits(t *testing.T) {
	var doubling strings.Builder
	doubling.WriteString("#define A0 x\n#define F0(x) x x\n")
	for i := 1; i < 60; i++ {
		fmt.Fprintf(&doubling, "#define A%d A%d A%d\n#define F%d(x) F%d(F%d(x))\n", i, i-1, i-1, i, i-1, i-1)
	}
	deep := "#define F(x) x\n" + strings.Repeat("F(", 5000) + strings.Repeat(")", 5000)
	paste := "#define C2(a, b) a ## b\n#define C(a, b) C2(a, b)\n#define D(x) C(x, x)\n#define E(x) D(D(D(D(D(D(x))))))\nE(E(E(E(aaaaaaaa))))\n"
	str := "#define S2(x) #x\n#define S(x) S2(x)\n" + strings.Repeat("S(", 100) + `"\""` + strings.Repeat(")", 100)
	for name, test := range map[string]struct{ text, want string }{
		"tokens":   {doubling.String() + "A59\nA59 A59\n", "too many tokens"},
		"calls":    {doubling.String() + "F40(1)\n", "too many tokens"},
		"depth":    {deep, "nest too deeply"},
		"paste":    {paste, "too many tokens"},
		"string":   {str, "too many tokens"},
		"brackets": {"#if " + strings.Repeat("(", 100000) + "1\n#endif\n", "nested too deeply"},
		"unary":    {"#if " + strings.Repeat("- ", 100000) + "1\n#endif\n", "nested too deeply"},
		"include":  {"#include \"self\"\n", "too many files are included"},
		"includes": {"#include \"self\"\n#include \"self\"\n", "too many files are included"},
		"params":   {"#define F(" + strings.Repeat("a,", 100) + "b) x\n", "malformed parameters"},
	} {
		t.Run(name, func(t *testing.T) {
			start := time.Now()
			var diags source.List
			main := source.NewFile("in.cu", []byte(test.text))
			r := Preprocess(main, Options{Dialect: CXX, Includer: &selfIncluder{self: main}}, &diags)
			if took := time.Since(start); took > 5*time.Second {
				t.Errorf("it took %v", took)
			}
			if len(r.Tokens) > maxProduced {
				t.Errorf("%d tokens", len(r.Tokens))
			}
			if diags.Errors() != 1 || !strings.Contains(diags.Diags[0].Message, test.want) {
				t.Errorf("the diagnostics are %.300v, not one of %q", diags.Err(), test.want)
			}
		})
	}
}

// TestLargeMacros: what programs do with macros is within the limits.
func TestLargeMacros(t *testing.T) {
	r, diags := preprocess(t, "#define M(x) ((x) < 0 ? -(x) : (x))\n"+strings.Repeat("a = M(b) + M(M(c));\n", 20000), Options{Dialect: CXX})
	if diags.Err() != nil {
		t.Fatal(diags.Err())
	}
	if n := len(r.Tokens); n < 1<<20 {
		t.Errorf("%d tokens", n)
	}
}

// TestDeterminism: the same text gives the same tokens.
func TestDeterminism(t *testing.T) {
	in := "#include <a.h>\n__DATE__ __TIME__ __COUNTER__ __LINE__\n#define F(x) x\nF(__FILE__)\n"
	a, _ := preprocess(t, in, Options{Dialect: CXX})
	b, _ := preprocess(t, in, Options{Dialect: CXX})
	if text(a) != text(b) {
		t.Errorf("%s is not %s", text(a), text(b))
	}
}

// TestEncodings: a mark of the byte order, the line ends of Windows, and bytes that are not UTF-8.
func TestEncodings(t *testing.T) {
	for _, test := range []struct{ in, want, diag string }{
		{"\ufeff#define A 1\r\nA\r\n", "1", ""},
		{"#define A(x) \\\r\n  x\r\nA(2) \\\r\n3\r\n", "2 3", ""},
		{"#if 0\r\nno\r\n#else\r\nyes\r\n#endif\r\n", "yes", ""},
		{"\"a\\\r\nb\" // c \\\r\n d\r\ne", `"ab" e`, ""},
		{"R\"(a\r\nb)\"", "R\"(a\r\nb)\"", ""},
		{"größe \xff\xfe b", `größe S0001unexpected character "\xff\xfe" b`, ""},
		{"a\x00b", `a S0001unexpected character "\x00" b`, ""},
		{"#include \"a\nb", "b", "expected <header>"},
		{"/* no end", "S0002this comment has no end", ""},
		{"#define A /* no end\nA", "", "this comment has no end"},
		{"#if 0\n/* no end\n#endif\nA", "", "unterminated conditional"},
	} {
		r, diags := preprocess(t, test.in, Options{Dialect: CXX})
		message := ""
		if len(diags.Diags) > 0 {
			message = diags.Diags[0].Message
		}
		if got := text(r); got != test.want || !strings.Contains(message, test.diag) || test.diag == "" && message != "" {
			t.Errorf("%q gives %q and %q", test.in, got, message)
		}
	}
}

// TestIncludeErrors: files that cannot be read are errors with their reasons.
func TestIncludeErrors(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.MkdirAll("folder.h", 0o777); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ in, want string }{
		{`#include "folder.h"`, "'folder.h' file not found"},
		{`#include "/no/such/file.h"`, "'/no/such/file.h' file not found"},
		{`#include "in.cu/x.h"`, "'in.cu/x.h' file not found"},
		{`#include "` + os.DevNull + `"`, "no regular file"},
	} {
		_, diags := preprocess(t, test.in, Options{Dialect: CXX, Includer: &Folders{}})
		if len(diags.Diags) != 1 || !strings.Contains(diags.Diags[0].Message, test.want) {
			t.Errorf("%s gives %v", test.in, diags.Err())
		}
	}
}

// TestQuietHeaders: warnings about a system's headers are not reported, errors are.
func TestQuietHeaders(t *testing.T) {
	header := "#define A 1\n#define A 2\n#pragma unknown\n#endif\n"
	for found, want := range map[Found]int{User: 3, System: 1, Embedded: 1} {
		_, diags := preprocess(t, "#include <a.h>\n", Options{Dialect: CXX, Includer: foundAs{found, header}})
		if len(diags.Diags) != want {
			t.Errorf("%v: %d diagnostics", found, len(diags.Diags))
		}
	}
}

type foundAs struct {
	found Found
	text  string
}

func (f foundAs) Open(name string, _ bool, _ *source.File) (*source.File, Found, error) {
	return source.NewFile(name, []byte(f.text)), f.found, nil
}

// TestNotes: a diagnostic about a token of a macro says where the macro is defined.
func TestNotes(t *testing.T) {
	r, diags := preprocess(t, "#define INNER(x) (x + y)\n#define OUTER(x) INNER(x)\nint a = OUTER(b); int c = __LINE__;\n", Options{Dialect: CXX})
	notes := func(list []source.Diagnostic) string {
		var s []string
		for i := range list {
			s = append(s, list[i].Error())
		}
		return strings.Join(s, "; ")
	}
	for i := range r.Tokens {
		k := &r.Tokens[i]
		want := ""
		if k.Text() == "y" {
			want = "in.cu:1:9: note: expanded from macro 'INNER'; in.cu:2:9: note: expanded from macro 'OUTER'"
		}
		if k.Text() == "y" || k.Text() == "b" || k.Text() == "3" {
			if got := notes(r.Notes(k)); got != want {
				t.Errorf("the notes of %s are %q", k.Text(), got)
			}
		}
	}
	for _, offset := range []int{strings.Index("#define", "#"), 60} {
		diags.Errorf(r.Tokens[0].File().Pos(offset), source.Pos{}, "XS001", "use of undeclared identifier")
	}
	diags.Errorf(r.Tokens[3].Pos(), r.Tokens[3].End(), "XS001", "use of undeclared identifier 'y'")
	r.AddNotes(diags)
	r.AddNotes(diags)
	if got := notes(diags.Diags[2].Notes); got != "in.cu:2:9: note: expanded from macro 'OUTER'" || len(diags.Diags[0].Notes)+len(diags.Diags[1].Notes) > 0 {
		t.Errorf("the notes are %q", got)
	}
}

// TestPreIncludes: files of -include are read behind the macros of -D and in front of the text, of which they are not part.
func TestPreIncludes(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{"a.h": "#pragma once\na __INCLUDE_LEVEL__ M\n#define A 2\n", "dir/b.h": "#include \"c.h\"\n", "dir/c.h": "c\n"} {
		if err := os.MkdirAll("dir", 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	opts := Options{Dialect: CXX, Defines: []Define{{Name: "M", Value: "1"}}, Includes: []string{`"a.h"`, "<b.h>", "<iostream>"}, Includer: &Folders{User: []string{"dir"}}}
	r, diags := preprocess(t, "#include \"a.h\"\nint A __INCLUDE_LEVEL__ // comment\n", opts)
	if got := text(r); got != "a 1 1 c int 2 0" || diags.Err() != nil || len(r.Comments) != 1 {
		t.Errorf("%s, %d comments, %v", got, len(r.Comments), diags.Err())
	}
	opts.Includes = []string{`"none.h"`}
	if _, diags = preprocess(t, "int a;\n", opts); diags.Err() == nil || diags.Err().Error() != "<command line>:2:10: error: 'none.h' file not found [S0023]" {
		t.Errorf("a missing file gives %v", diags.Err())
	}
}

// TestOwnHeaders: a program's macros have no effect on the text of headers that the compiler
// brings, but in conditions; macros of such headers take them in their arguments.
func TestOwnHeaders(t *testing.T) {
	own := fstest.MapFS{"h.h": {Data: []byte("N f(N);\n#if N == 3\nthree\n#endif\n#define OWN(x) x N\n#define _T t\n_T\n")}}
	var diags source.List
	main := source.NewFile("m.cu", []byte("#include <h.h>\nN OWN(N)\n"))
	r := Preprocess(main, Options{Dialect: CXX, Defines: []Define{{Name: "N", Value: "3"}}, Includer: &Folders{Embedded: own}}, &diags)
	var got []string
	for i := range r.Tokens {
		got = append(got, r.Tokens[i].Text())
	}
	if s, want := strings.Join(got, " "), "N f ( N ) ; three t 3 3 3 "; s != want {
		t.Errorf("%q, want %q", s, want)
	}
}

// TestRests checks that the rest of an embedded header is left, and where parts of it are put.
func TestRests(t *testing.T) {
	own := fstest.MapFS{
		"a.h": {Data: []byte("#pragma once\nint first;\nint a1;\nint N;\nint a2;\n")},
		"b.h": {Data: []byte("\nint b1;\n")},
	}
	main := source.NewFile("main.cu", []byte("#define N 3\nint x;\n#include <a.h>\nint y;\n#include <a.h>\n#include <b.h>\nint z;\n"))
	rest := func(f *source.File) (int, bool) {
		from := max(strings.Index(string(f.Content), "int a1"), strings.Index(string(f.Content), "int b1"))
		return from, from > 0
	}
	for _, demand := range []bool{false, true} {
		var diags source.List
		o := Options{Dialect: CXX, Includer: &Folders{Embedded: own}}
		if demand {
			o.Rest = rest
		}
		r := Preprocess(main, o, &diags)
		if len(diags.Diags) > 0 {
			t.Error(diags.Diags)
		}
		want := "int x ; int first ; int a1 ; int N ; int a2 ; int y ; int b1 ; int z ;"
		if demand {
			want = "int x ; int first ; int y ; int z ;"
		}
		if got := text(r); got != want {
			t.Errorf("%v: %s, want %s", demand, got, want)
		}
		if !demand {
			continue
		}
		for i := len(r.Rests) - 1; i >= 0; i-- {
			rest := r.Rests[i]
			content := string(rest.File.Content)
			part := func(s string) Part {
				at := int32(rest.From + strings.Index(content[rest.From:], s))
				return Part{From: at, To: at + int32(len(s))}
			}
			if i == 0 {
				r.Insert(rest.At, rest.File, content, []Part{part("int N;"), part("int a2;")})
			} else {
				r.Insert(rest.At, rest.File, content, []Part{part("int b1;")})
			}
		}
		many := strings.Repeat("m ", maxRoom+1)
		r.Insert(0, source.NewFile("many", []byte(many)), many, []Part{{0, 2}, {4, 6}})
		if got, want := text(r), "m m int x ; int first ; int N ; int a2 ; int y ; int b1 ; int z ;"; got != want {
			t.Errorf("%s, want %s", got, want)
		}
		r.Insert(2, source.NewFile("many", []byte(many)), many, []Part{{0, int32(len(many))}}) // more than there is room for
		if got := text(r); !strings.HasPrefix(got, many+"m m int x ;") {
			t.Errorf("%d tokens: %.80s", len(r.Tokens), got)
		}
	}
}
