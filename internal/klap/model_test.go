package klap

import (
	"strings"
	"testing"
)

// TestGranularity compares what the cost model says of launches with what is wanted.
func TestGranularity(t *testing.T) {
	const (
		grid     = "aggregated over the grid"
		flat     = grid + ", flattened"
		few      = ", over the block in grids of at most 12 blocks, by the thread in those of at most 12 threads"
		switches = flat + few
		block    = "aggregated over the block, flattened"
		children = "__global__ void leaf(int *p) { p[threadIdx.x] = 1; }\n__global__ void inner(int *p) { leaf<<<p[0], 64, 0, (cudaStream_t)4>>>(p); }\n"
	)
	for _, test := range []struct{ name, parent, want string }{
		{"children that launch nothing", "leaf<<<p[threadIdx.x], 64>>>(p);", switches + "; " + switches},
		{"children that launch", "inner<<<p[threadIdx.x], 64>>>(p);", flat + "; " + grid},
		{"launches in a loop", "for (int i = 0; i < p[0]; i++) leaf<<<i, 64, 0, (cudaStream_t)4>>>(p);", switches + "; " + switches},
		{"launches that follow each other", "for (int i = 0; i < p[0]; i++) leaf<<<i, 64>>>(p);", block + "; " + block},
	} {
		text := children + "__global__ void parent(int *p) { " + test.parent + " }\n"
		_, report := transformed(t, []byte(text), "auto per-thread")
		var done []string
		for _, s := range report.Sites {
			done = append(done, s.Done)
		}
		if got := strings.Join(done, "; "); got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}

// TestGranularityOfFew has blocks launch what is left where threads do all small launches themselves, and the grid where a child waits for loads.
func TestGranularityOfFew(t *testing.T) {
	for child, want := range map[string]string{
		"p[blockIdx.x * 64 + threadIdx.x] = 1;":                                   "done by its thread up to 256 threads; not coarsened: " + reasonLeft + "; aggregated over the block, flattened",
		"p[p[blockIdx.x * 64 + threadIdx.x]] = 1;":                                reasonFlat + "; aggregated over the grid, flattened, over the block in grids of at most 12 blocks, by the thread in those of at most 12 threads",
		"__syncthreads(); p[blockIdx.x * 64 + threadIdx.x] = 1; __syncthreads();": "aggregated over the grid, over the block in grids of at most 12 blocks, by the thread in those of at most 12 threads",
	} {
		text := "__global__ void leaf(int *p) { " + child + " }\n__global__ void parent(int *p) { leaf<<<p[threadIdx.x], 64, 0, (cudaStream_t)4>>>(p); }\n"
		_, report := transformed(t, []byte(text), "auto threshold=auto coarsen=auto")
		s := report.Sites[0]
		if got := strings.Join(append(s.Before, s.Done), "; "); !strings.HasSuffix(got, want) || len(report.Sites) > 2 {
			t.Errorf("%s: %q, want %q", child, got, want)
		}
	}
}
