package klap

import (
	"strings"
	"testing"

	"irgl/internal/source"
	"irgl/syntax"
)

// TestRuntimeText: text for nvcc makes streams by nvcc's runtime, not by ours.
func TestRuntimeText(t *testing.T) {
	var diags source.List
	f := syntax.Parse(source.NewFile("in.cu", []byte(`static __device__ int irgl_launch_stream(void **s) { return 0; }
static __device__ int irgl_launch_destroy(void *s) { return 0; }
static __device__ int irgl_launch_copy(void *to, const void *from, unsigned long n, int kind, void *s) { return 0; }
__global__ void k(void **s, int *p) {
	*p = irgl_launch_stream(s) + irgl_launch_destroy(*s) + irgl_launch_copy(p, p + 1, 4, 3, *s);
}
`)), syntax.CUDA, &diags)
	if err := diags.Err(); err != nil {
		t.Fatal(err)
	}
	before := syntax.String(f)
	const want = `__global__ void k(void **s, int *p) {
	*p = cudaStreamCreateWithFlags((cudaStream_t *)s, 1) + cudaStreamDestroy((cudaStream_t)(*s)) + cudaMemcpyAsync(p, p + 1, 4, (cudaMemcpyKind)3, (cudaStream_t)(*s));
}
`
	if got := syntax.String(Text(f)); got != want {
		t.Errorf("the text is\n%s, want\n%s", got, want)
	}
	if after := syntax.String(f); after != before || strings.Contains(after, "cudaStream") {
		t.Error("the program itself has changed")
	}
}
