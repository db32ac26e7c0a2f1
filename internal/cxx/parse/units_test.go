package parse

import (
	"strings"
	"testing"
	"time"

	"irgl/internal/cxx/ast"
	"irgl/internal/source"
)

// TestName checks names of instances as users write them.
func TestName(t *testing.T) {
	for text, want := range map[string]string{
		"k":                          "k",
		"ns::k":                      "ns::k",
		"reduce<float, 256>":         "reduce<float, 256>",
		"::a::b<int, c<3>>::k<'x'>":  "::a::b<int, c<3>?>::k<'x'>",
		"k<unsigned int*, sizeof 3>": "k<unsigned int*, (sizeof expr 3)>",
		"k<T>":                       "k<T?>",
		"k<>":                        "k<>",
	} {
		diags := new(source.List)
		if n := Name(text, diags); n.String() != want || diags.Errors() > 0 {
			t.Errorf("%s gives %s, want %s: %v", text, n, want, diags.Err())
		}
	}
	for _, text := range []string{"", "k<", "k<int", "k(3)", "3", "k<int>>", "a::", "k k", "@"} {
		diags := new(source.List)
		if n := Name(text, diags); n != nil || diags.Errors() != 1 {
			t.Errorf("%s gives %s and %d errors, want one", text, n, diags.Errors())
		}
	}
}

// TestLaunches checks that launches are found in a body of the host that is not parsed.
func TestLaunches(t *testing.T) {
	u, diags := parseText("x.cu", []byte(`
template <typename T> struct solver {
	static void run(T *p, int n) {
		nonsense ] here; kernel<<<n, 256>>>(p, n);
		ns::scale<T, 4> << < dim3(n / 256), 256, 0, s >> >(p); return detail::k2<std::pair<T, int>, (3 > 2)><<<1, 2>>>();
		if (n) k3<T><<<1, 2; k4<<<x ? 1 : 2, y>>>([] { return 3; }); (k5)<<<1, 2>>>(p);
	}
};`))
	var got []string
	f := u.Decls[0].(*ast.TemplateDecl).Decl.(*ast.ClassDecl).Members[0].(*ast.FuncDecl)
	for _, l := range f.Body.Launches() {
		got = append(got, l.Fun.(*ast.NameExpr).Name.String(), strings.Repeat("*", len(l.Config)), strings.Repeat("+", len(l.Args)))
	}
	want := "kernel ** ++ ns::scale<T, 4> **** + detail::k2<std::pair<T, int>?, (paren (> 3 2))> **  k3<T>   k4 ** +"
	if s := strings.Join(got, " "); s != want || len(diags.Diags) > 0 {
		t.Errorf("got  %s\nwant %s\n%v", s, want, diags.Diags)
	}
}

// TestDepth checks that nesting beyond the limit is one error, and nesting below it none.
func TestDepth(t *testing.T) {
	for _, open := range []string{"(", "-", "f(", "a[", "{", "a<", "(a)", "[]{", "a?", "int (*", "sizeof(", "if(1)", "A<A<", "*", "new ", "a=", "struct{", "namespace{", "template<", "[](", "decltype(", "noexcept(", "int(", "static_cast<int>(", "throw ", "__extension__ ", "[[a]] ", "extern \"C\" ", "template<template<", "#pragma unroll\n", "__attribute__((a)) ", "x::", "a.b", "a+"} {
		for _, n := range []int{40, 20000} {
			text := "__device__ void f() { x = " + strings.Repeat(open, n) + "; }\n__device__ " + strings.Repeat(open, n) + ";"
			start := time.Now()
			u, diags := parseText("x.cu", []byte(text))
			readDevice(u.Decls, true)
			if d := time.Since(start); d > 100*time.Millisecond {
				t.Logf("%d times %s takes %v", n, open, d)
			}
			if n > 256 && diags.Errors() > 4 {
				t.Errorf("%d times %s gives %d errors: %v", n, open, diags.Errors(), diags.Err())
			}
		}
	}
	deep := "__device__ int a = " + strings.Repeat("(", 200) + "1" + strings.Repeat(")", 200) + ";"
	if _, diags := parseText("x.cu", []byte(deep)); len(diags.Diags) > 0 {
		t.Errorf("200 parentheses give %v", diags.Diags[0])
	}
}

// TestHostNames checks that many names in front of a declaration, as of macros that are not defined,
// take linear time.
func TestHostNames(t *testing.T) {
	start := time.Now()
	u, _ := parseText("x.cu", []byte(strings.Repeat("MACRO ", 100_000)+"void f();"))
	if d := time.Since(start); d > time.Second {
		t.Errorf("100,000 names take %v", d)
	}
	if len(u.Decls) == 0 {
		t.Error("no declarations")
	}
}

// TestErrorLimit checks that 20 errors are reported and no more.
func TestErrorLimit(t *testing.T) {
	u, diags := parseText("x.cu", []byte(strings.Repeat("__device__ void f() { int a = ; b = ; }\n", 50)))
	readDevice(u.Decls, false)
	if n := diags.Errors(); n != 20 {
		t.Errorf("%d errors, want 20", n)
	}
}
