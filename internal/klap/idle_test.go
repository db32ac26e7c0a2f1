package klap

import (
	"regexp"
	"strings"
	"testing"

	"irgl/syntax"
)

// TestIdle has warps leave out the threads of a child that do nothing, and no others.
func TestIdle(t *testing.T) {
	const i = "int i = blockIdx.x * blockDim.x + threadIdx.x; "
	guarded, whole := ", __klap_asked(n, 1));", ", 0xffffffffu);"
	for _, test := range []struct{ params, args, body, want string }{
		{"int *p, int n", "p, n", i + "if (i < n) p[p[i]] = 1;", guarded},
		{"int *p, int n", "p, n", i + "if (i >= n) return; p[p[i]] = 1;", guarded},
		{"int *p, int n", "p, n", "int first = blockIdx.x * 64, i = threadIdx.x + first, k = i + 1; if (n > i && k > 3) p[p[i]] = 1;", guarded},
		{"int *p, long n", "p, n", "unsigned i = 64 * blockIdx.x + threadIdx.x; if (n <= (long)i) { return; } p[p[i]] = 1;", guarded},
		{"int *p, int n", "p, n", i + "p[p[i]] = n;", whole},
		{"int *p, int n", "p, n", i + "if (i < n) p[p[i]] = 1; p[i] = 2;", whole},
		{"int *p, int n", "p, n", i + "if (i < n) p[p[i]] = 1; else p[i] = 2;", whole},
		{"int *p, int n", "p, n", i + "if (i < n || p[i]) p[p[i]] = 1;", whole},
		{"int *p, int n", "p, n", i + "if (i >= n && p[i]) return; p[p[i]] = 1;", whole},
		{"int *p, int n", "p, n", i + "if (i <= n) p[p[i]] = 1;", whole},
		{"int *p, int n", "p, n", i + "i++; if (i < n) p[p[i]] = 1;", whole},
		{"int *p, int n", "p, n", i + "n += 3; if (i < n) p[p[i]] = 1;", whole},
		{"int *p, int n", "p, n", i + "int k = p[i]++; if (i < n) p[k] = 1;", whole},
		{"int *p, int n", "p, n + 1", i + "if (i < n) p[p[i]] = 1;", whole},
		{"int *p, int n", "p, (unsigned char)n", i + "if (i < n) p[p[i]] = 1;", whole},
		{"int *p, int n", "p, n", "short i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) p[p[i]] = 1;", whole},
		{"int *p, int n", "p, (unsigned)n", i + "if (i < n) p[p[i]] = 1;", guarded},
		{"int *p, long n", "p, n + 0L", i + "if (i < n) p[p[i]] = 1;", whole},
		{"int *p, int n", "p, n", "int i = blockIdx.x * 32 + threadIdx.x; if (i < n) p[p[i]] = 1;", whole},
		{"int *p, int n", "p, n", "int i = threadIdx.x; if (i < n) p[p[i]] = 1;", whole},
	} {
		text := "__global__ void leaf(" + test.params + ") { " + test.body + " }\n" +
			"__global__ void parent(int *p) { int n = p[threadIdx.x]; leaf<<<(n + 63) / 64, 64, 0, (cudaStream_t)4>>>(" + test.args + "); }\n"
		for _, options := range []string{"block", "block threshold=auto", "block threshold=auto flatten=off"} {
			out, _ := transformed(t, []byte(text), options)
			if got := regexp.MustCompile(`, (__klap_asked\(n, 1\)|0xffffffffu)\);`).FindString(syntax.String(out)); got != test.want {
				t.Errorf("%s, leaf<<<(n + 63) / 64, 64>>>(%s): %s: %q, want %q", options, test.args, test.body, got, test.want)
			}
		}
	}
	const asks = "__klap_asked(a0.n, 1)"
	for _, test := range []struct{ params, body, want string }{
		{"struct work w", i + "if (i < w.n) w.p[f(&w, i)] = 1;", asks},
		{"struct work w", "int i = blockIdx.x * 64 + threadIdx.x, k = w.n; if (i >= k) return; w.p[w.p[i]] = 1;", asks},
		{"struct work w", i + "w.n = 3; if (i < w.n) w.p[w.p[i]] = 1;", ""},
		{"struct work w", i + "int k = f(&w, 1); if (i < w.n) w.p[w.p[i]] = k;", ""},
		{"struct work w", i + "if (i < w.n) w.p[w.p[i]] = 1; w.n = i;", ""},
		{"struct work w", i + "if (i < w.in.n) w.p[w.p[i]] = 1;", ""},
		{"struct work w", i + "if (i < w.s) w.p[w.p[i]] = 1;", ""},
		{"struct work w", i + "if (i < w.q->n) w.p[w.p[i]] = 1;", ""},
		{"struct work w", i + "struct work v = w; if (i < v.n) w.p[w.p[i]] = 1;", ""},
		{"volatile struct work w", i + "if (i < w.n) w.p[w.p[i]] = 1;", ""},
	} {
		text := "struct part { int n; };\nstruct work { int *p; int n; short s; struct part in, *q; };\n" +
			"__device__ int f(struct work *w, int i) { return w->n++ + i; }\n__global__ void leaf(" + test.params + ") { " + test.body + " }\n" +
			"__global__ void parent(struct work w, int g) { w.n = threadIdx.x; leaf<<<g + w.n, 64, 0, (cudaStream_t)4>>>(w); }\n"
		out, _ := transformed(t, []byte(text), "block")
		if got := syntax.String(out); !strings.Contains(got, "__klap_asked(grid.x, block.x)") || strings.Contains(got, asks) != (test.want == asks) {
			t.Errorf("leaf(%s): %s: asks by a member is %v", test.params, test.body, strings.Contains(got, asks))
		}
	}
	// A conversion to fewer bits is not the argument.
	text := "__global__ void leaf(int *p, long n) { " + i + "if (i < n) p[p[i]] = 1; }\n" +
		"__global__ void parent(int *p, long n) { leaf<<<((unsigned)n + 31) / 32, 32, 0, (cudaStream_t)4>>>(p, n); }\n"
	out, _ := transformed(t, []byte(text), "block threshold=auto")
	if got := syntax.String(out); !strings.Contains(got, "32, 0, 0xffffffffu)") {
		t.Errorf("(unsigned)n of a long n: %s", got)
	}
	// Nor is another variable of the name.
	text = "__global__ void leaf(int *p, int n) { " + i + "if (i < n) p[p[i]] = 1; }\n" +
		"__global__ void parent(int *p, int n) { int b = (n + 31) / 32; { int n = p[1]; leaf<<<b, 32, 0, (cudaStream_t)4>>>(p, n); } }\n"
	out, _ = transformed(t, []byte(text), "block")
	if got := syntax.String(out); !strings.Contains(got, "32, 0, n, 0xffffffffu)") {
		t.Errorf("another n: %s", got)
	}
}
