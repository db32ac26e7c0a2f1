package check

import (
	"math"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"irgl/internal/golden"
	"irgl/internal/source"
	"irgl/syntax"
)

// TestConstants checks types and values of constant expressions, one rule of
// C or of PTX a row.
func TestConstants(t *testing.T) {
	for _, tt := range []struct{ expr, typ, value string }{
		{"1", "int", "1"}, {"2147483648", "long", "2147483648"}, {"0x80000000", "unsigned int", "2147483648"},
		{"0xffffffffffffffff", "unsigned long", "18446744073709551615"}, {"1ull", "unsigned long long", "1"}, {"010", "int", "8"},
		{"'a'", "int", "97"}, {"'\\n'", "int", "10"}, {"'\\xff'", "int", "-1"}, {"1.5f", "float", "1.5"}, {"0.1f", "float", "0.10000000149011612"},
		{"2147483647 + 1", "int", "-2147483648"}, {"4294967295u + 1", "unsigned int", "0"}, {"-1 < 1u", "int", "0"}, {"-1L < 1u", "int", "1"},
		{"1u - 2", "unsigned int", "4294967295"}, {"1 << 31", "int", "-2147483648"}, {"1 << 32", "int", "0"}, {"-8 >> 1", "int", "-4"},
		{"-8 >> 40", "int", "-1"}, {"0x80000000u >> 31", "unsigned int", "1"}, {"1 << 1L", "int", "2"}, {"1L << 40", "long", "1099511627776"},
		{"-7 / 2", "int", "-3"}, {"-7 % 2", "int", "-1"}, {"18446744073709551615ull / 2", "unsigned long long", "9223372036854775807"},
		{"(int)3.9", "int", "3"}, {"(int)-3.9", "int", "-3"}, {"(int)1e20", "int", "2147483647"}, {"(unsigned)-1.0", "unsigned int", "0"},
		{"(int)NAN", "int", "0"}, {"(char)300", "char", "44"}, {"(unsigned char)-1", "unsigned char", "255"}, {"(bool)0.5", "bool", "1"},
		{"(float)16777217", "float", "1.6777216e+07"}, {"0.1f + 0.2f", "float", "0.30000001192092896"}, {"0.1f + 0.2", "double", "0.30000000149011613"},
		{"1.0 / 0", "double", "+Inf"}, {"!3", "int", "0"}, {"~0", "int", "-1"}, {"~0u", "unsigned int", "4294967295"}, {"-(-2147483647 - 1)", "int", "-2147483648"},
		{"1 ? 2 : 3.0", "double", "2"}, {"0 && 1 / 0", "int", "0"}, {"1 || x", "int", "1"}, {"sizeof(int *)", "unsigned long", "8"},
		{"sizeof \"abc\"", "unsigned long", "4"}, {"sizeof((\"abc\"))", "unsigned long", "4"}, {"sizeof(char[3])", "unsigned long", "3"}, {"INT_MAX", "int", "2147483647"},
		{"ULLONG_MAX", "unsigned long long", "18446744073709551615"}, {"FLT_MAX", "float", "3.4028234663852886e+38"}, {"true + true", "int", "2"},
		{"(short)40000 + 0", "int", "-25536"}, {"9223372036854775807LL + 1", "long long", "-9223372036854775808"}, {"(unsigned long long)1e19", "unsigned long long", "10000000000000000000"},
	} {
		_, value, typ := constOf(t, "x.cu", "void f(int x) { "+tt.expr+"; }")
		if typ != tt.typ || value != tt.value {
			t.Errorf("%s is %s %s, want %s %s", tt.expr, typ, value, tt.typ, tt.value)
		}
	}
}

// constOf returns the type and value of the first statement's expression.
func constOf(t *testing.T, name, text string) (*Info, string, string) {
	t.Helper()
	info, diags := checkText(name, []byte(text))
	for _, d := range diags.Diags {
		if d.Severity == source.Error {
			t.Errorf("%s: %v", text, d)
			return info, "", ""
		}
	}
	f := info.Funcs[len(info.Funcs)-1]
	e := f.Decl.Body.Stmts[0].(*syntax.ExprStmt).X
	typ, c := info.Types[e], info.Consts[e]
	if c == nil {
		return info, "none", typ.String()
	}
	return info, formatConst(c, typ), typ.String()
}

// TestInf checks that INF takes the type of its context.
func TestInf(t *testing.T) {
	const text = `#define FAR INF
Graph g { Node float a = INF; Node int b = -INF; }
Host main(double x) { double d = -INF; float f = (FAR); d = x < INF ? INF : 1.0; int i = min(3, INF); x = fmin(x, INF); i = INF - 1; }`
	info, diags := checkText("x.irgl", []byte(text))
	if err := diags.Err(); err != nil {
		t.Fatal(err)
	}
	got := map[string]int{}
	for e, typ := range info.Types {
		if id, ok := e.(*syntax.Ident); ok && (id.Name == "INF" || id.Name == "FAR") {
			c := info.Consts[e]
			if c == nil || IsFloat(typ) && !math.IsInf(c.Float, 1) || typ == Int && c.Int != math.MaxInt32 {
				t.Errorf("%v: %s is %s %v", id.Pos(), id.Name, typ, c)
			}
			got[typ.String()]++
		}
	}
	// float: a, f; double: d, <, ?:, fmin; int: FAR's value, b, min, INF - 1.
	if got["float"] != 2 || got["double"] != 4 || got["int"] != 4 {
		t.Errorf("types of INF: %v", got)
	}
}

// TestDepth checks that trees deeper than the stack should follow are refused
// and not followed. The parser's own limit is lower, so the tree is built here.
func TestDepth(t *testing.T) {
	file := source.NewFile("x.cu", []byte("1"))
	span := syntax.Span{From: file.Pos(0), To: file.Pos(1)}
	var e syntax.Expr = &syntax.BasicLit{Span: span, Text: "1"}
	for range 200000 {
		e = &syntax.ParenExpr{Span: span, X: e}
	}
	f := &syntax.File{Dialect: syntax.CUDA, Decls: []syntax.Decl{&syntax.VarDecls{Span: span, Vars: []*syntax.VarDecl{{
		Span: span, Type: &syntax.BasicType{Span: span, Name: "int"}, Name: &syntax.Ident{Span: span, Name: "x"}, Init: e}}}}}
	diags := new(source.List)
	Check(f, diags)
	if len(diags.Diags) != 1 || diags.Diags[0].Code != codeDepth {
		t.Errorf("got %v", diags.Diags)
	}
}

// TestNilParts checks that missing parts of a tree do no harm: of each kind of node in
// the archives, each field with nodes is left out, the first element of each list, and
// all fields at once.
func TestNilParts(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, path := range files {
		for _, f := range golden.Archive(t, path).Files {
			d := syntax.IrGL
			switch filepath.Ext(f.Name) {
			case ".cu":
				d = syntax.CUDA
			case ".irgl":
			default:
				continue
			}
			file := syntax.Parse(source.NewFile(f.Name, f.Data), d, new(source.List))
			nodes := slices.Collect(syntax.Preorder(file))
			for _, n := range nodes {
				leaveOut(reflect.ValueOf(n).Elem(), seen, func() { Dump(Check(file, new(source.List))) })
			}
		}
	}
	if len(seen) < 150 {
		t.Errorf("%d parts were left out", len(seen))
	}
}

// leaveOut calls run without each part of a node that is not in seen.
func leaveOut(n reflect.Value, seen map[string]bool, run func()) {
	without := func(name string, places ...reflect.Value) {
		if seen[name] || len(places) == 0 {
			return
		}
		seen[name] = true
		var old []reflect.Value
		for _, p := range places {
			old = append(old, reflect.ValueOf(p.Interface()))
			p.SetZero()
		}
		run()
		for i, p := range places {
			p.Set(old[i])
		}
	}
	var all []reflect.Value
	kind := n.Type().Name()
	for i := range n.NumField() {
		f, name := n.Field(i), kind+"."+n.Type().Field(i).Name
		switch f.Kind() {
		case reflect.Pointer, reflect.Interface, reflect.Slice:
			if f.IsNil() {
				continue
			}
			all = append(all, f)
			without(name, f)
			if f.Kind() == reflect.Slice && f.Len() > 0 && f.Index(0).Kind() != reflect.Struct {
				without(name+"[0]", f.Index(0))
			}
		}
	}
	without(kind, all...)
}

// TestSuggest checks which slips of the hand get a suggestion.
func TestSuggest(t *testing.T) {
	all := strings.Fields("level dist weight id Level2")
	for _, tt := range []struct{ name, want string }{
		{"levle", "level"}, {"lvl", "level"}, {"LEVEL", "level"}, {"dis", "dist"}, {"wieght", "weight"}, {"x", ""}, {"xyzzy", ""},
	} {
		want := ""
		if tt.want != "" {
			want = "did you mean " + tt.want + "?"
		}
		if got := nearest(tt.name, all); got != want {
			t.Errorf("nearest(%s) = %q, want %q", tt.name, got, want)
		}
	}
}
