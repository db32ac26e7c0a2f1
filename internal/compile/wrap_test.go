package compile_test

import (
	"strings"
	"testing"

	"irgl/internal/compile"
)

// TestWrapSigned: signed sums of CUDA text promise not to wrap, unless the
// options let them; those of the device library and of IrGL never do.
func TestWrapSigned(t *testing.T) {
	const kernel = "extern \"C\" __global__ void k(float *p, int i) {\n\tp[i + 1] = expf(p[i]);\n}\n"
	const program = "Graph graph { Output Node int n; }\nKernel K(graph) { ForAll (v In graph.nodes) { v.n = v.n * 3 + 1; } }\nHost main() { Invoke K(graph); }\n"
	for _, test := range []struct {
		name, text string
		o          compile.Options
		want       int // flags
	}{
		{"k.cu", kernel, compile.Options{}, 1},
		{"k.cu", kernel, compile.Options{WrapSigned: true}, 0},
		{"p.irgl", program, compile.Options{}, 0},
	} {
		u, err := compiled(test.name, test.text, "ssagen", test.o)
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(u.SSA.String(), " nsw\n"); n != test.want {
			t.Errorf("%s, wrapping %v: %d flags, not %d\n%s", test.name, test.o.WrapSigned, n, test.want, u.SSA)
		}
	}
	// The sum is seen in the address, or not.
	for _, wrap := range []bool{false, true} {
		u, err := compiled("k.cu", kernel, "", compile.Options{WrapSigned: wrap})
		if err != nil {
			t.Fatal(err)
		}
		if outside := strings.Contains(u.PTXText(), "+4]"); outside == wrap {
			t.Errorf("wrapping %v: the constant is outside of the address: %v\n%s", wrap, outside, u.PTXText())
		}
	}
}
