package parse

import (
	"fmt"
	"strings"
	"testing"

	"irgl/internal/cpp"
	"irgl/internal/source"
)

// kernelsText returns a text of n lines or a few more: kernels as C has them, each with a structure and
// a device function.
func kernelsText(n int) string {
	const unit = `struct point%[1]d {
  float x, y, z;
  int id;
};

__device__ float distance%[1]d(const struct point%[1]d *a, const struct point%[1]d *b) {
  float dx = a->x - b->x;
  float dy = a->y - b->y;
  float dz = a->z - b->z;
  return sqrtf(dx * dx + dy * dy + dz * dz);
}

__global__ void nearest%[1]d(const struct point%[1]d *points, int n, int *nearest, float *out) {
  __shared__ struct point%[1]d tile[256];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float best = 1e30f;
  int best_id = -1;
  for (int start = 0; start < n; start += 256) {
    if (start + threadIdx.x < n) {
      tile[threadIdx.x] = points[start + threadIdx.x];
    }
    __syncthreads();
    for (int j = 0; j < 256 && start + j < n; ++j) {
      float d = distance%[1]d(&points[i], &tile[j]);
      if (d < best && start + j != i) {
        best = d;
        best_id = tile[j].id;
      } else if (d == best) {
        best_id = min(best_id, tile[j].id);
      }
    }
    __syncthreads();
  }
  if (i < n) {
    nearest[i] = best_id;
    out[i] = (float)best * 0.5f + (i %% 2 ? 1.0f : 2.0f);
    atomicAdd(&out[n], best);
  }
}

`
	var b strings.Builder
	for i := 0; i*strings.Count(unit, "\n") < n; i++ {
		fmt.Fprintf(&b, unit, i)
	}
	return b.String()
}

// BenchmarkParse parses 100,000 lines of kernels with all bodies.
func BenchmarkParse(b *testing.B) {
	text := kernelsText(100_000)
	lines := strings.Count(text, "\n")
	diags := new(source.List)
	pre := cpp.Preprocess(source.NewFile("bench.cu", []byte(text)), cpp.Options{Dialect: cpp.CXX}, diags)
	b.ReportAllocs()
	for b.Loop() {
		u := Parse(pre, diags, Options{})
		readDevice(u.Decls, true)
		if n := diags.Errors(); n > 0 {
			b.Fatal(diags.Err())
		}
		if len(u.Decls) == 0 {
			b.Fatal("nothing parsed")
		}
	}
	b.ReportMetric(float64(lines)*float64(b.N)/b.Elapsed().Seconds(), "lines/s")
}
