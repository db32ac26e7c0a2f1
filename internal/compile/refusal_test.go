package compile

import (
	"strings"
	"testing"

	"irgl/internal/cxx"
	"irgl/internal/source"
	"irgl/syntax"
)

// TestFinish compiles CUDA text as irgl check does: to PTX only where a stage behind ssagen may refuse
// it, and then with the errors of a build.
func TestFinish(t *testing.T) {
	const callee = "__device__ __noinline__ int f(int i) { __shared__ int t[7500]; t[i] = i; __syncthreads(); return t[i ^ 1]; }\n"
	for _, test := range []struct {
		name, text, refused string
		whole               bool // compiled to PTX
	}{
		{"plain", "__global__ void k(int *p) { __shared__ int s[7500]; s[threadIdx.x] = 1; __syncthreads(); *p = s[5]; }", "", false},
		{"kernels", "__global__ void k(int *p) { __shared__ int s[7500]; s[threadIdx.x] = 1; __syncthreads(); *p = s[5]; }\n" +
			"__global__ void l(int *p) { __shared__ int s[7500]; s[threadIdx.x] = 1; __syncthreads(); *p = s[5]; }", "", false},
		{"callee", callee + "__global__ void k(int *p) { __shared__ int s[7500]; s[threadIdx.x] = 1; __syncthreads(); *p = s[5] + f(threadIdx.x); }",
			"the shared arrays of", true},
		{"file", "__shared__ int a[7500], b[7500]; __global__ void k(int *p) { a[threadIdx.x] = b[threadIdx.x] = 1; __syncthreads(); *p = a[5] + b[6]; }",
			"the shared arrays of", true},
		{"not called", callee + "__device__ int g(int i) { return f(i); }\n" +
			"__global__ void k(int *p) { __shared__ int s[7500]; s[threadIdx.x] = 1; __syncthreads(); *p = s[5]; }\n" +
			"__global__ void l(int *p) { *p = g(3); }", "", true},
		{"asm", "__global__ void k(int *p) { asm(\"redux.sync.add.s32 %0, %1, -1;\" : \"=r\"(*p) : \"r\"(3)); }", "sm_80", true},
		{"dead asm", "__global__ void k(int *p) { int n = 4; if (n == 8) asm(\"redux.sync.add.s32 %0, %1, -1;\" : \"=r\"(*p) : \"r\"(3)); }", "", true},
	} {
		u, err := Compile(source.NewFile("k.cu", []byte(test.text)), syntax.CUDA, "ssagen", Options{CXX: &cxx.Options{}})
		if err == nil {
			err = u.Finish()
		}
		_, built := Compile(source.NewFile("k.cu", []byte(test.text)), syntax.CUDA, "", Options{CXX: &cxx.Options{}})
		if (err == nil) != (built == nil) || err != nil && err.Error() != built.Error() {
			t.Errorf("%s: %v, but a build says %v", test.name, err, built)
		}
		if (err != nil) != (test.refused != "") || err != nil && !strings.Contains(err.Error(), test.refused) {
			t.Errorf("%s: %v, want %q", test.name, err, test.refused)
		}
		if u.done["opt"] != test.whole {
			t.Errorf("%s: compiled to PTX: %t, want %t", test.name, u.done["opt"], test.whole)
		}
	}
}
