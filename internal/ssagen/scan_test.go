package ssagen

import (
	"strings"
	"testing"

	"irgl/internal/ssa"
)

// TestChangedParams translates functions with a struct for a parameter. Only where
// the function changes it, or gives its address away, is it copied to a local.
func TestChangedParams(t *testing.T) {
	for _, c := range []struct {
		body   string
		copied bool
	}{
		{"return s.n + s.a[1] + s.m[1][0];", false},
		{"return (s.a)[s.n] + ((s.in).n);", false},
		{"return s.p[0] + *s.p;", false},
		{"s.p[0] = 1; s.in.q->n = 2; return 0;", false},
		{"return (int)sizeof(s.a) + (int)sizeof s;", false},
		{"s.n = 1; return 0;", true},
		{"(s.a)[2] += 1; return 0;", true},
		{"s.in.n++; return 0;", true},
		{"--s.m[1][0]; return 0;", true},
		{"return g(&s.n);", true},
		{"return g(s.a);", true},
		{"return g((s.m)[1]);", true},
		{"int x = 3; return x > 2 ? g(s.a) : 0;", true},
		{"for (int i = 0; i < 3; i++) { if (i) s.n = i; } return s.n;", true},
		{"switch (s.n) { case 1: s.n = 2; } return s.n;", true},
		{"int *q[1] = {s.a}; return *q[0];", true},
	} {
		const types = "struct inner { int n; struct inner *q; };\nstruct all { int n; int a[3]; int m[2][2]; int *p; struct inner in; };\n__device__ int g(int *p) { return *p; }\n"
		m, diags := build("f.cu", []byte(types+"__device__ int f(struct all s) { "+c.body+" }\n"))
		if err := diags.Err(); err != nil {
			t.Errorf("%s: %v", c.body, err)
			continue
		}
		var text strings.Builder
		if err := ssa.Print(&text, m); err != nil {
			t.Fatal(err)
		}
		_, f, _ := strings.Cut(text.String(), "func @f(")
		if got := strings.Contains(f, "alloca ptr.local 56 "); got != c.copied {
			t.Errorf("%s: copied %v, want %v\n%s", c.body, got, c.copied, f)
		}
	}
}
