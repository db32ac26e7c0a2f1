package host

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"irgl/internal/check"
	"irgl/internal/device"
	"irgl/internal/source"
	"irgl/syntax"
)

// program compiles the host functions of a .cu text.
func program(t testing.TB, text string) (*Program, error) {
	t.Helper()
	var diags source.List
	tree := syntax.Parse(source.NewFile("a.cu", []byte(text)), syntax.CUDA, &diags)
	info := check.Check(tree, &diags)
	if err := diags.Err(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return Compile(info)
}

// evaluate runs the function main of a .cu text and returns its result and
// what it printed.
func evaluate(ctx context.Context, t testing.TB, text string) (result uint64, out string, err error) {
	t.Helper()
	p, err := program(t, text)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	var b bytes.Buffer
	m := p.newMachine(ctx, nil, nil, map[string]device.Kernel{}, &b)
	if err := m.init(); err != nil {
		return 0, "", err
	}
	fn := p.funcs["main"]
	err = protect(func() { result = m.call(fn.info.Decl, fn, make([]uint64, len(fn.params))) })
	return result, b.String(), err
}

// TestExpressions checks C's semantics: each row is an expression whose value
// main returns as a long, after the declarations before it.
func TestExpressions(t *testing.T) {
	for _, tt := range []struct {
		before, expr string
		want         int64
	}{
		// Arithmetic wraps in its type.
		{"int a = 2147483647;", "a + 1", -2147483648},
		{"unsigned a = 0;", "a - 1", 4294967295},
		{"long a = 2147483647;", "a + 1", 2147483648},
		{"int a = -7, b = 2;", "a / b * 10 + a % b", -31},
		{"unsigned a = 7u, b = 2;", "a / b * 10 + a % b", 31},
		{"int a = 5, b = 0;", "a / b", -1},
		{"int a = 5, b = 0;", "a % b", 5},
		{"int a = -2147483647 - 1, b = -1;", "a / b", -2147483648},
		{"int a = -8;", "a >> 1", -4},
		{"unsigned a = 0xf0000000u;", "a >> 28", 15},
		{"int a = 1, b = 40;", "a << b", 0},
		{"int a = 1;", "a << 31", -2147483648},
		{"int a = 12, b = 10;", "(a & b) * 10000 + (a | b) * 100 + (a ^ b)", 81406},
		{"int a = 5;", "~a", -6},
		{"int a = 5;", "-a + +a * 2", 5},
		{"int a = -1; unsigned b = 1;", "a < b", 0},
		{"int a = -1; long b = 1;", "a < b", 1},
		{"double a = 7.9;", "(int)a", 7},
		{"double a = -1;", "(unsigned)a", 0},
		{"double a = 1e30;", "(int)a", 2147483647},
		{"double a = -1e30;", "(int)a", -2147483648},
		{"float a = 16777216.0f;", "a + 1.0f == a", 1},
		{"int a = 16777217;", "(long)(float)a", 16777216},
		{"double a = 0.1; float b = 0.1f;", "a == b", 0},
		{"double a = INFINITY - INFINITY;", "(a == a) + 10 * (a != a) + 100 * isnan(a)", 110},
		{"unsigned long a = 18446744073709551615ul;", "(double)a > 1.8e19", 1},
		{"int a = 300;", "(char)a", 44},
		{"int a = 200;", "(char)a", -56},
		{"int a = 70000;", "(unsigned short)a", 4464},
		{"int a = 256;", "(bool)a", 1},
		{"double a = 0.5;", "(bool)a", 1},
		// Assignment, steps, logic, comma, conditional.
		{"int a = 5;", "a++ * 100 + a", 506},
		{"int a = 5;", "--a * 100 + a--", 404},
		{"unsigned char a = 0;", "a-- + 1000 * a", 255000},
		{"unsigned char a = 250;", "(a += 10) + 1000 * a", 4004},
		{"int a = 7;", "a *= 1.5", 10},
		{"int a = 1; double b = 2.75;", "a = b", 2},
		{"int a = 1;", "(a <<= 4, a |= 3, a ^= 1, a %= 7, a)", 4},
		{"float f = 1.5f;", "f++ * 2 + f", 5},
		{"int a = 0, b = 0;", "(a++ || b++) * 10 + a + b + (a++ && b++)", 3},
		{"int a = 3;", "a > 2 ? a < 4 ? 1 : 2 : 3", 1},
		{"int a = 0;", "a ? 1 : 2.9", 2},
		{"int a = 3;", "!a + !!a * 10", 10},
		// Pointers.
		{"int a[5] = {1, 2, 3, 4, 5}; int *p = a + 1;", "*p * 1000 + p[2] * 100 + *(p - 1)", 2401},
		{"int a[5]; int *p = &a[5];", "p - a", 5},
		{"long a[5]; long *p = a; p += 3; p--;", "(p - a) * 10 + (p > a)", 21},
		{"int a = 1; int *p = &a; int **q = &p; **q = 9;", "a", 9},
		{"int a[2][3] = {{1, 2, 3}, {4, 5, 6}}; int (*r)[3] = a + 1;", "(*r)[2] * 10 + a[0][1]", 62},
		{"int x = 0x01020304; char *c = (char *)&x;", "c[0] * 10 + c[3]", 41},
		{"int *p = NULL;", "p == NULL && !p", 1},
		{"int a[3] = {7, 8, 9}; int *p = a;", "*p++ * 10 + *p", 78},
		{"int *p = (int *)malloc(8); p[1] = 4; int v = p[1] + p[0]; free(p);", "v", 4},
		{"char s[6] = \"hello\"; char d[6]; memcpy(d, s, 6); memset(d, 'j', 1);", "d[0] * 1000 + d[4]", 106111},
		{"const char *s = \"a\\n\\x41\";", "s[1] * 100 + s[2]", 1065},
		// Structs, unions, initialisers.
		{"struct p { int x; double y; } a = {1, 2.5}, b = a; b.x = 7;", "a.x + b.x * 10 + b.y * 2", 76},
		{"struct p { int x, y; } a[2] = {{1, 2}, {.y = 4}}; struct p *q = a + 1;", "q->y * 10 + q->x + q[-1].y", 42},
		{"union u { int i; float f; } a; a.f = 1.0f;", "a.i", 0x3f800000},
		{"int a[4] = {[2] = 5, 6};", "a[0] * 1000 + a[2] * 10 + a[3]", 56},
		{"struct p { char c; long l; };", "sizeof(struct p)", 16},
		{"struct p { int x; } a = {3}; a = (struct p){4};", "a.x", 4},
		// Builtins.
		{"int a = -3; long b = 4;", "max(a, b) * 10 + min(a, 2) + abs(a)", 40},
		{"double a = 2.0;", "(int)(sqrt(a * 8) + pow(a, 3) + fabs(-1.0) + fma(a, 3.0, 1.0))", 20},
		{"double a = NAN;", "fmin(a, 3.0) + fmax(2.0, a)", 5},
		{"float a = 2.25f;", "sqrtf(a) * 2 + floorf(a) + ceil(a)", 8},
		{"int a = 4; float4 v = make_float4(a, 2.5, 3, 4); dim3 d = dim3(2, 3);", "v.x * 100 + v.y * 10 + d.y * 2 + d.z", 432},
		{"enum { A = 3, B };", "A * 10 + B", 34},
	} {
		text := fmt.Sprintf("long main2(void) { %s return (long)(%s); }\nlong main() { return main2(); }", tt.before, tt.expr)
		got, _, err := evaluate(context.Background(), t, text)
		if err != nil || int64(got) != tt.want {
			t.Errorf("%s %s = %d, %v; want %d", tt.before, tt.expr, int64(got), err, tt.want)
		}
	}
}

// TestStatements checks control flow, calls and output.
func TestStatements(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"loops", `int main() {
			for (int i = 0; i < 5; i++) { if (i == 1) continue; if (i == 4) break; printf("%d ", i); }
			int n = 0; while (n < 3) n++; do { n += 10; } while (n < 20); for (;;) { if (n++ > 25) break; } printf("%d", n); return 0; }`, "0 2 3 27"},
		{"switch", `void f(int x) { switch (x) { case 1: printf("one "); case 2: printf("two "); break; default: printf("many "); case 9: { printf("nine "); break; } } }
			int main() { f(1); f(2); f(3); f(9);
			for (int i = 0; i < 3; i++) { switch (i) { case 1: continue; } printf("%d", i); } return 0; }`, "one two two many nine nine 02"},
		{"structs by value", `struct p { int x; int a[3]; };
			struct p make(int x) { struct p r = {x, {x, x + 1, x + 2}}; return r; }
			int sum(struct p a, struct p b) { a.x = 100; return a.x + b.x + a.a[2] * b.a[1]; }
			int main() { struct p q = make(1); printf("%d %d %d", sum(make(2), make(3)), sum(q, q), q.x); printf(" %d", make(make(4).x).a[2]); return 0; }`, "119 107 1 6"},
		{"recursion", `long fact(int n) { return n < 2 ? 1 : n * fact(n - 1); } bool odd(int); bool even(int n) { return n == 0 || odd(n - 1); }
			bool odd(int n) { return n != 0 && even(n - 1); } int main() { printf("%ld %d%d", fact(15), even(10), odd(10)); return 0; }`, "1307674368000 10"},
		{"globals and statics", `int g = 3; int a[3] = {1, 2}; const char *s = "text"; int next(void) { static int n = 40; return n++; }
			int main() { g += a[1]; next(); printf("%d %s %d %d", g, s, next(), a[2]); return 0; }`, "5 text 41 0"},
		{"printf", `int main() { char b[4] = "abc"; int n = printf("%5d|%-4u|%s|%c|%.2f|%e|%lx|%%|%05ld|%p\n", -3, 7u, b + 1, 'x', 2.345, 1e10, 255L, -42L, NULL);
			fprintf(stderr, "lost"); fprintf(stdout, "%d", n); return 0; }`, "   -3|7   |bc|x|2.35|1.000000e+10|ff|%|-0042|(nil)\n51"},
		{"scope", `int x = 1; int main() { int x = 2; { int x = 3; printf("%d", x); } printf("%d", x); return 0; }`, "32"},
		{"void calls and pointers to structs", `struct n { int v; struct n *next; }; void push(struct n **l, int v) { struct n *x = (struct n *)malloc(sizeof(struct n)); x->v = v; x->next = *l; *l = x; }
			int main() { struct n *l = NULL; for (int i = 0; i < 3; i++) push(&l, i); for (; l; l = l->next) printf("%d", l->v); return 0; }`, "210"},
	} {
		_, out, err := evaluate(context.Background(), t, tt.text)
		if err != nil || out != tt.want {
			t.Errorf("%s: got %q, %v; want %q", tt.name, out, err, tt.want)
		}
	}
}

// TestFaults checks that what C leaves undefined is an error at its place, and
// never a crash.
func TestFaults(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"int main() { int *p = NULL;\n return *p; }", "a.cu:2:9: null pointer"},
		{"struct s { int a, b; }; int main() { struct s *p = NULL;\n p->b = 1; return 0; }", "a.cu:2:2: null pointer"},
		{"int main() { int a[3] = {0}; int i = 3;\n return a[i]; }", "a.cu:2:9: index 3 is out of range: the array has 3 elements"},
		{"int main() { int a[3] = {0}; int i = -1;\n a[i] = 1; return 0; }", "a.cu:2:2: index -1 is out of range: the array has 3 elements"},
		{"int main() { int *p = (int *)malloc(8);\n return p[2]; }", "a.cu:2:9: host access of 4 bytes at offset 8 of an object of 8"},
		{"int main() { int *p = (int *)malloc(8); free(p);\n return *p; }", "a.cu:2:9: host code accesses memory that is not allocated"},
		{"int main() { int *p = (int *)malloc(8);\n free(p + 1); return 0; }", "a.cu:2:2: free of an address"},
		{"int main() { int x;\n free(&x); return 0; }", "a.cu:2:2: free of an address"},
		{"int main() { int *p = (int *)0x7f0000000000ul;\n return *p; }", "a.cu:2:9: host code dereferences the device address 0x7f0000000000"},
		{"int main() { char a[2] = {'a', 'b'};\n char *p = (char *)malloc(2); memcpy(p, a, 2);\n printf(\"%s\", p); return 0; }", "a.cu:3:2: a string in host code has no terminating zero"},
		{"int f(int n) {\n return f(n + 1); }\nint main() { return f(0); }", "a.cu:2:9: recursion too deep: 1000 calls have not returned"},
		{"int f(int n) { char big[100000]; big[0] = n;\n return f(n + 1) + big[0]; }\nint main() { return f(0); }", "a.cu:2:9: recursion too deep: 11 calls have not returned, and their variables take"},
		{"int main() {\n exit(3); return 0; }", "a.cu:2:2: the program exited with status 3"},
		{"int main() {\n abort(); return 0; }", "a.cu:2:2: the program aborted"},
		{"int main() {\n assert(1 > 2); return 0; }", "a.cu:2:2: assertion failed"},
		{"int main() { long n = 1L << 60;\n int *p = (int *)malloc(n); *p = 1; return 0; }", "null pointer"},
	} {
		_, _, err := evaluate(context.Background(), t, tt.text)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s\n%v, want %s", tt.text, err, tt.want)
		}
	}
}

// TestCancel checks that a loop without end stops with its context.
func TestCancel(t *testing.T) {
	for _, loop := range []string{"for (;;) { }", "while (1) { x++; }", "do { } while (x == 0);"} {
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
		start := time.Now()
		_, _, err := evaluate(ctx, t, "int main() { int x = 0; "+loop+" return x; }")
		cancel()
		if !errors.Is(err, context.DeadlineExceeded) || time.Since(start) > 5*time.Second {
			t.Errorf("%s: %v", loop, err)
		}
	}
}

// TestRefused checks what host code cannot do, by code.
func TestRefused(t *testing.T) {
	for _, tt := range []struct {
		text string
		code source.Code
	}{
		{"int main() { again: goto again; }", CodeGoto},
		{"int main() { switch (1) { case 0: { case 1: return 1; } } return 0; }", CodeGoto},
		{"extern int f(void); int main() { return f(); }", CodeNoBody},
		{"int f(void) { return 1; } int main() { int (*p)(void) = f; return p(); }", CodeNoBody},
		{"__managed__ int n; int main() { return n; }", CodeDeviceVariable},
		{"__device__ int a[2]; int main() { int x; return cudaMemcpyFromSymbol(&x, a[1], 4); }", CodeBuiltin},
	} {
		_, err := program(t, tt.text)
		diags := source.Diagnostics(err)
		if diags == nil || diags.Diags[0].Code != tt.code || !diags.Diags[0].Pos.IsValid() {
			t.Errorf("%s: %v, want %s", tt.text, err, tt.code)
		}
	}
}
