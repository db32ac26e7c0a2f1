package cpp

import (
	"fmt"
	"strings"
	"testing"

	"irgl/internal/source"
)

// kernels returns a text of about n lines of kernels as programs have them: comments, macros, indices.
func kernels(n int) []byte {
	var b strings.Builder
	b.WriteString("#include <cuda_runtime.h>\n#define BLOCK 256\n#define IDX(i, j, n) ((i) * (n) + (j))\n\n")
	for i := 0; 24*i < n; i++ {
		fmt.Fprintf(&b, `// kernel_%[1]d adds the scaled rows of two matrices.
__global__ void kernel_%[1]d(const float *__restrict__ a, const float *__restrict__ b, float *c, int rows, int cols, float alpha)
{
    __shared__ float tile[BLOCK];
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    if (row < rows && col < cols) {
        for (int k = 0; k < cols; k++) {
            float x = a[row * cols + k];
            float y = b[k * cols + col];
            sum += alpha * x * y + %[1]d.5f;
        }
        tile[threadIdx.x] = sum;   /* keep the sum of this thread */
        __syncthreads();
        for (int s = blockDim.x / 2; s > 0; s >>= 1) {
            if (threadIdx.x < s) {
                tile[threadIdx.x] += tile[threadIdx.x + s];
            }
            __syncthreads();
        }
        c[IDX(row, col, cols)] = tile[0] != 0 ? sum : -1;
    }
}
`, i)
	}
	return []byte(b.String())
}

// BenchmarkPreprocess scans and preprocesses 100,000 lines of kernels.
func BenchmarkPreprocess(b *testing.B) {
	text := kernels(100000)
	lines := strings.Count(string(text), "\n")
	f := source.NewFile("a.cu", text)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		var diags source.List
		r := Preprocess(f, Options{Dialect: CXX, Arch: 900}, &diags)
		if len(diags.Diags) > 0 || len(r.Tokens) < 8*lines {
			b.Fatal(diags.Err(), len(r.Tokens), lines)
		}
	}
	b.ReportMetric(float64(lines)*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mlines/s")
}

// BenchmarkScan scans the same text.
func BenchmarkScan(b *testing.B) {
	f := source.NewFile("a.cu", kernels(100000))
	b.SetBytes(int64(len(f.Content)))
	for b.Loop() {
		Scan(f, CXX)
	}
}

// BenchmarkSmall preprocesses a text of one line: what the predefined macros cost.
func BenchmarkSmall(b *testing.B) {
	for _, d := range []Dialect{C, CXX} {
		b.Run(fmt.Sprint(d), func(b *testing.B) {
			f := source.NewFile("a.cu", []byte("int a;\n"))
			b.ReportAllocs()
			for b.Loop() {
				var diags source.List
				Preprocess(f, Options{Dialect: d, Arch: 900}, &diags)
			}
		})
	}
}
