package syntax

import (
	"strings"
	"testing"

	"irgl/internal/source"
)

func name(s string) *Ident { return &Ident{Name: s} }

// TestPrintMadeExpr prints trees that the compiler made, without brackets of
// their own: the printer must add those that keep the tree.
func TestPrintMadeExpr(t *testing.T) {
	a, b, c := name("a"), name("b"), name("c")
	intType := &BasicType{Name: "int"}
	bin := func(x Expr, op Op, y Expr) Expr { return &BinaryExpr{X: x, Op: op, Y: y} }
	neg := func(x Expr) Expr { return &UnaryExpr{Op: "-", X: x} }
	lit := func(s string) Expr { return &BasicLit{Text: s} }
	for _, test := range []struct {
		x    Expr
		want string
	}{
		{bin(bin(a, "+", b), "*", c), "(a + b) * c"},
		{bin(a, "-", bin(b, "-", c)), "a - (b - c)"},
		{bin(bin(a, "-", b), "-", c), "a - b - c"},
		{bin(bin(a, "*", b), "+", bin(b, "<<", c)), "a * b + (b << c)"},
		{neg(neg(a)), "- -a"},
		{neg(lit("-1")), "- -1"},
		{bin(a, "-", lit("-1")), "a - -1"},
		{&IndexExpr{X: lit("-1"), Index: bin(a, ",", b)}, "(-1)[a, b]"},
		{&UnaryExpr{Op: "*", X: bin(a, "+", b)}, "*(a + b)"},
		{&UnaryExpr{Op: "&", X: &UnaryExpr{Op: "&", X: a}}, "& &a"},
		{&CastExpr{Type: intType, X: bin(a, "+", b)}, "(int)(a + b)"},
		{&MemberExpr{X: &CastExpr{Type: intType, X: a}, Name: b}, "((int)a).b"},
		{&CallExpr{Fun: a, Args: []Expr{bin(a, ",", b), &AssignExpr{L: a, Op: "=", R: b}}}, "a((a, b), a = b)"},
		{&CondExpr{Cond: &CondExpr{Cond: a, Then: b, Else: c}, Then: a, Else: &CondExpr{Cond: a, Then: b, Else: c}}, "(a ? b : c) ? a : a ? b : c"},
		{bin(&AssignExpr{L: a, Op: "=", R: b}, "+", c), "(a = b) + c"},
		{&SizeofExpr{X: bin(a, "+", b)}, "sizeof (a + b)"},
		{&PostfixExpr{X: &UnaryExpr{Op: "*", X: a}, Op: "++"}, "(*a)++"},
		{&LaunchExpr{Fun: a, Grid: b, Block: bin(b, ",", c), Stream: c}, "a<<<b, (b, c), 0, c>>>()"},
	} {
		if got := String(test.x); got != test.want {
			t.Errorf("got %s, want %s", got, test.want)
		}
	}
}

// TestPrintMadeStmt prints statements without positions: braces keep an else
// with its if, and one base type in a declaration at a time.
func TestPrintMadeStmt(t *testing.T) {
	a, b := name("a"), name("b")
	call := &ExprStmt{X: &CallExpr{Fun: b}}
	inner := &IfStmt{Cond: a, Then: call}
	intType := &BasicType{Name: "int"}
	ptr := &PointerType{Elem: &BasicType{Name: "float"}, Const: true}
	body := &Block{Stmts: []Stmt{
		&IfStmt{Cond: a, Then: &WhileStmt{Cond: a, Body: inner}, Else: call},
		&VarDecls{Vars: []*VarDecl{{Name: a, Type: intType}, {Name: b, Type: ptr}}},
		&ForStmt{Body: &EmptyStmt{}, Unroll: -1},
		&Block{},
	}}
	f := &FuncDecl{Name: name("f"), Attrs: Device | Static, Params: []*Param{{Type: &ArrayType{Elem: ptr}, Name: a}}, Body: body}
	want := `static __device__ void f(float *const a[]) {
	if (a) {
		while (a)
			if (a)
				b();
	} else
		b();
	int a; float *const b;
	#pragma unroll
	for (;;)
		;
	{}
}`
	if got := String(f); got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}

// TestLimits gives texts that nest or repeat without end: each is read or
// refused in bounded time and stack.
func TestLimits(t *testing.T) {
	const n = 20000
	for what, text := range map[string]string{
		"brackets":   "int a = " + strings.Repeat("(", n),
		"unary":      "int a = " + strings.Repeat("-", n) + "1;",
		"blocks":     "void f() {" + strings.Repeat("{", n),
		"ifs":        "void f() {" + strings.Repeat("if (1) ", n),
		"elses":      "void f() {" + strings.Repeat("if (1) ; else ", n) + ";}",
		"chain":      "int a = 1" + strings.Repeat(" + 1", n) + ";",
		"commas":     "void f() { a" + strings.Repeat(", a", n) + "; }",
		"postfix":    "int a = b" + strings.Repeat("[0]", n) + ";",
		"pointers":   "int " + strings.Repeat("*", n) + "a;",
		"arrays":     "int a" + strings.Repeat("[1]", n) + ";",
		"declarator": "int " + strings.Repeat("(", n) + "a;",
		"lists":      "int a = " + strings.Repeat("{", n),
		"structs":    "struct {" + strings.Repeat("struct {", n),
		"linkage":    strings.Repeat(`extern "C" {`, n),
		"linkages":   strings.Repeat(`extern "C" `, n) + "int a;",
		"labels":     "void f() { if (1) " + strings.Repeat("a: ", n) + ";}",
		"ternaries":  "int a = " + strings.Repeat("1 ? ", n),
		"casts":      "int a = " + strings.Repeat("(int)", n) + "1;",
		"conditions": "#if " + strings.Repeat("(", n) + "\n#endif\n",
		"errors":     strings.Repeat("@ ", n),
		"strings":    "char a[] = " + strings.Repeat(`"\x1" `, n) + ";",
		"calls":      "#define F(x) x\nint a = " + strings.Repeat("F(", n) + "1" + strings.Repeat(")", n) + ";",
		"stringify":  "#define S(x) #x\n#define T(x) S(x)\nchar a[] = " + strings.Repeat("T(", 100) + `"\"` + strings.Repeat(")", 100) + ";",
		"pastes":     "#define P(x) x ## x\n#define Q(x) P(x)\nint a = " + strings.Repeat("Q(", 100) + "a" + strings.Repeat(")", 100) + ";",
		"comments":   strings.Repeat("// a\n", n) + strings.Repeat("/* b */", n),
	} {
		for _, d := range []Dialect{IrGL, CUDA} {
			var diags source.List
			tree := Parse(source.NewFile(what, []byte(text)), d, &diags)
			if len(diags.Diags) > maxErrors+10 {
				t.Errorf("%s: %d diagnostics", what, len(diags.Diags))
			}
			if !Equal(tree, tree) || len(String(tree)) > 10*len(text)+1000*n {
				t.Errorf("%s: the tree is not equal to itself, or prints too long", what)
			}
		}
	}
}
