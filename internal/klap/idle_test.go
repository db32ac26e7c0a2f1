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
