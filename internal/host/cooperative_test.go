package host

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"

	"irgl/internal/device"
	"irgl/internal/device/simt"
)

// A rig is a .cu text loaded on a device.
type rig struct {
	dev     *tracked
	program *Program
	module  device.Module
}

func newRig(t testing.TB, o simt.Options, text string) *rig {
	t.Helper()
	u := build(t, "a.cu", text)
	p, err := Compile(u.CUDAInfo)
	if err != nil {
		t.Fatal(err)
	}
	dev := &tracked{Device: simt.Open(o), live: map[device.Ptr]string{}}
	t.Cleanup(func() { dev.Close() })
	module, err := dev.Load("a.cu", u.PTXText())
	if err != nil {
		t.Fatal(err)
	}
	return &rig{dev, p, module}
}

// run runs the function main and returns what it printed.
func (r *rig) run(t testing.TB) (string, error) {
	t.Helper()
	var b bytes.Buffer
	m := r.program.newMachine(context.Background(), r.dev, r.module, map[string]device.Kernel{}, &b)
	if err := m.init(); err != nil {
		t.Fatal(err)
	}
	fn := r.program.funcs["main"]
	err := protect(func() { m.call(fn.info.Decl, fn, nil) })
	return b.String(), err
}

// barrier is a barrier of the grid that needs no reset: blocks arrive at a
// count, the last one sets it back and begins a new generation. FENCE stands
// where a fence must be.
const barrier = `
__device__ unsigned arrived, generation;
__device__ void grid_barrier(void) {
  __syncthreads();
  if (threadIdx.x == 0) {
    unsigned now = *(volatile unsigned *)&generation;
    FENCE;
    if (atomicAdd(&arrived, 1u) == gridDim.x - 1) {
      *(volatile unsigned *)&arrived = 0;
      __threadfence();
      *(volatile unsigned *)&generation = now + 1;
    } else {
      while (*(volatile unsigned *)&generation == now) { }
    }
    __threadfence();
  }
  BLOCK;
}
`

// rotate has every thread read in each round what another block wrote in the
// one before, with plain loads and stores.
const rotate = `
__global__ void rotate(int *a, int *b, int rounds) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
  for (int r = 0; r < rounds; r++) {
    b[i] = a[(i + 37) % n] + 1;
    WAIT;
    int *c = a; a = b; b = c;
  }
}
static void run(int blocks, int threads, int rounds) {
  int n = blocks * threads, *a, *b;
  int *h = (int *)malloc(n * sizeof(int));
  for (int i = 0; i < n; i++) { h[i] = i; }
  cudaMalloc(&a, n * sizeof(int)); cudaMalloc(&b, n * sizeof(int));
  cudaMemcpy(a, h, n * sizeof(int), cudaMemcpyHostToDevice);
  void *args[] = {&a, &b, &rounds};
  cudaLaunchCooperativeKernel((const void *)rotate, dim3(blocks), dim3(threads), args, 0, 0);
  cudaMemcpy(h, rounds % 2 ? b : a, n * sizeof(int), cudaMemcpyDeviceToHost);
  int wrong = 0;
  for (int i = 0; i < n; i++) { wrong += h[i] != (i + 37 * rounds) % n + rounds; }
  printf("%d ", wrong);
  cudaFree(a); cudaFree(b); free(h);
}
static int resident(const void *kernel, int threads) {
  int blocks, count, device;
  cudaGetDevice(&device);
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, 0);
  cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device);
  return blocks * count;
}
`

// gridText puts the parts in place of the marks.
func gridText(fence, block, wait, main string) string {
	return strings.NewReplacer("FENCE", fence, "BLOCK", block, "WAIT", wait).Replace(barrier+rotate) + "int main() { " + main + " return 0; }\n"
}

// TestGridBarrier runs barriers of the grid under many schedules: one block,
// two, and as many as the device holds, launches of different sizes one after
// the other. All come through, and no race is reported.
func TestGridBarrier(t *testing.T) {
	text := gridText("__threadfence()", "__syncthreads()", "grid_barrier()",
		`run(1, 64, 3); run(2, 32, 9); run(7, 96, 6); run(1, 1, 4); run(resident((const void *)rotate, 512), 512, 3);`)
	for seed := range uint64(6) {
		for _, schedule := range []simt.Schedule{simt.Coarse, simt.Medium, simt.Fine} {
			o := simt.Checked()
			o.Seed, o.Schedule, o.Multiprocessors = seed, schedule, 2
			r := newRig(t, o, text)
			out, err := r.run(t)
			if err != nil || out != "0 0 0 0 0 " {
				t.Errorf("seed %d, schedule %d: %q, %v", seed, schedule, out, err)
			}
			for _, report := range r.dev.Device.(*simt.Device).Reports() {
				t.Errorf("seed %d, schedule %d: %v", seed, schedule, report)
			}
		}
	}
}

// TestGridRaces leaves out what orders the accesses of blocks: each is a race.
func TestGridRaces(t *testing.T) {
	const fence, block, wait = "__threadfence()", "__syncthreads()", "grid_barrier()"
	for _, tt := range []struct{ name, fence, block, wait string }{
		{"no barrier", fence, block, ";"},
		{"no fence before the arrival", ";", block, wait},
		{"threads go on before the first of their block", fence, ";", wait},
		{"block barrier only", fence, block, "__syncthreads()"},
	} {
		for _, schedule := range []simt.Schedule{simt.Coarse, simt.Fine} {
			o := simt.Checked()
			o.Seed, o.Schedule = 3, schedule
			r := newRig(t, o, gridText(tt.fence, tt.block, tt.wait, "run(4, 64, 6);"))
			if _, err := r.run(t); err != nil {
				t.Errorf("%s: %v", tt.name, err)
			}
			races := 0
			for _, report := range r.dev.Device.(*simt.Device).Reports() {
				if report.Kind != "race" || report.Kernel != "rotate" {
					t.Errorf("%s: %v", tt.name, report)
				}
				races++
			}
			if races == 0 {
				t.Errorf("%s: no race is reported", tt.name)
			}
		}
	}
}

// TestKernelValues checks how kernels are named, and what cooperative launches
// pass and refuse.
func TestKernelValues(t *testing.T) {
	const text = `
struct pair { char c; double d; };
__global__ void k(double *out, char c, struct pair p, int n) { out[0] = c; out[1] = p.c; out[2] = p.d; out[3] = n; out[4] = gridDim.x * 100 + blockDim.x; }
__global__ void __launch_bounds__(64) small(double *out) { out[0] = 1; }
static void show(double *out) { double h[5]; cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost); printf("%g %g %g %g %g;", h[0], h[1], h[2], h[3], h[4]); }
const void *table[2] = {(const void *)k, (const void *)small};
`
	const start = "double *out; cudaMalloc(&out, 40); char c = -3; struct pair p = {7, 2.5}; int n = -9; void *args[] = {&out, &c, &p, &n}; int i = 5;\n"
	for _, tt := range []struct{ main, want string }{
		{`cudaLaunchCooperativeKernel((const void *)k, dim3(2), dim3(3), args, 0, 0); show(out);`, "-3 7 2.5 -9 203;"},
		{`n = 4; void (*f)(double *, char, struct pair, int) = k; cudaLaunchCooperativeKernel((void *)f, 1, 2, args); show(out);`, "-3 7 2.5 4 102;"},
		{`cudaLaunchCooperativeKernel(table[0], 1, 1, args, 64); cudaLaunchCooperativeKernel(table[1], 1, 1, args); cudaLaunchCooperativeKernel(&k, 1, 1, args); show(out);`, "-3 7 2.5 -9 101;"},
		{`printf("%d%d%d", table[0] == (const void *)k, table[0] == table[1], table[1] == NULL);`, "100"},
		{`cudaDeviceGetAttribute(&i, cudaDevAttrWarpSize, 0); printf("%d ", i); cudaDeviceGetAttribute(&i, cudaDevAttrCooperativeLaunch, 0); printf("%d ", i);
			cudaOccupancyMaxActiveBlocksPerMultiprocessor(&i, k, 1024, 0); printf("%d ", i); cudaOccupancyMaxActiveBlocksPerMultiprocessor(&i, k, 256, 100000); printf("%d", i);`, "32 1 2 2"},
	} {
		out, err := newRig(t, simt.Checked(), text+"int main() { "+start+tt.main+"cudaFree(out); return 0; }").run(t)
		if err != nil || out != tt.want {
			t.Errorf("%s: got %q, %v; want %q", tt.main, out, err, tt.want)
		}
	}
	for _, tt := range []struct{ main, want string }{
		{"cudaLaunchCooperativeKernel(k, 1000, 256, args);", "a.cu:8:1: launch of k: launch k: cooperative grid of 1000 blocks, 32 can be resident"},
		{"cudaLaunchCooperativeKernel(small, 1, 128, args);", "a.cu:8:1: launch of small: "},
		{"cudaLaunchCooperativeKernel(NULL, 1, 1, args);", "a.cu:8:1: a kernel is needed here, not null"},
		{"cudaLaunchCooperativeKernel((char *)table[0] + 1, 1, 1, args);", "a.cu:8:1: a kernel is needed here, not another pointer"},
		{"cudaLaunchCooperativeKernel((const void *)out, 1, 1, args);", "a.cu:8:1: a kernel is needed here, not another pointer"},
		{"cudaLaunchCooperativeKernel(k, 1, 1, NULL);", "a.cu:8:1: null pointer"},
		{"args[2] = NULL; cudaLaunchCooperativeKernel(k, 1, 1, args);", "launch of k: argument 3: null pointer"},
		{"args[0] = out; cudaLaunchCooperativeKernel(k, 1, 1, args);", "launch of k: argument 1: host code dereferences the device address"},
		{"void *few[] = {&out}; cudaLaunchCooperativeKernel(k, 1, 1, few);", "a.cu:8:"},
		{"cudaOccupancyMaxActiveBlocksPerMultiprocessor(&i, small, 128, 0);", "a.cu:8:1: occupancy of small: "},
		{"cudaOccupancyMaxActiveBlocksPerMultiprocessor(NULL, small, 12, 0);", "a.cu:8:1: null pointer"},
		{"cudaDeviceGetAttribute(&i, 1000, 0);", "a.cu:8:1: device attribute 1000"},
		{"const char *s = (const char *)table[0]; i = *s;", "host code dereferences the address of a kernel"},
	} {
		_, err := newRig(t, simt.Checked(), text+"int main() { "+start+tt.main+" return 0; }").run(t)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s\n%v, want %s", tt.main, err, tt.want)
		}
	}
}

// A lonely device has no cooperative launches.
type lonely struct{ device.Device }

func (d lonely) Info() device.Info {
	i := d.Device.Info()
	i.Cooperative = false
	return i
}

func TestNotCooperative(t *testing.T) {
	r := newRig(t, simt.Checked(), "__global__ void k(void) { }\nint main() { void *args[1];\n cudaLaunchCooperativeKernel(k, 1, 1, args); return 0; }\n")
	r.dev.Device = lonely{r.dev.Device}
	if _, err := r.run(t); err == nil || !strings.Contains(err.Error(), "a.cu:3:2: launch of k: its blocks wait for each other") {
		t.Errorf("got %v", err)
	}
}

// BenchmarkGridBarrier measures one barrier of the grid on the emulator: what
// the blocks that wait burn.
func BenchmarkGridBarrier(b *testing.B) {
	for _, blocks := range []int{2, 16, 64} {
		for _, schedule := range []simt.Schedule{simt.Coarse, simt.Fine} {
			b.Run(fmt.Sprintf("%dblocks/%d", blocks, schedule), func(b *testing.B) {
				const rounds = 50
				o := simt.Checked()
				o.Schedule, o.Multiprocessors = schedule, 16
				r := newRig(b, o, gridText("__threadfence()", "__syncthreads()", "grid_barrier()", fmt.Sprintf("run(%d, 256, %d);", blocks, rounds)))
				for b.Loop() {
					if out, err := r.run(b); err != nil || out != "0 " {
						b.Fatal(out, err)
					}
				}
				n := r.dev.Device.(*simt.Device).Counters().Instructions
				b.ReportMetric(float64(n)/float64(b.N*rounds), "insts/round")
				b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*rounds), "µs/round")
			})
		}
	}
}

// TestClusters runs kernels whose blocks form clusters, launched both ways, and asks
// how many clusters fit.
func TestClusters(t *testing.T) {
	const text = `
__global__ void __cluster_dims__(2, 2) turn(int *a, int *b) {
  int at = blockIdx.y * gridDim.x + blockIdx.x, next = (int)__clusterRelativeBlockRank() + 1;
  a[at] = at;
  __cluster_barrier_arrive();
  __cluster_barrier_wait();
  dim3 of = __clusterIdx(), size = __clusterDim();
  int x = of.x * size.x + next % 2, y = of.y * size.y + next / 2 % 2;
  b[at] = a[y * gridDim.x + x] + 100 * (int)__clusterSizeInBlocks() + 1000 * (int)__clusterGridDimInClusters().x;
}
__global__ void __cluster_dims__(16) large(int *a, int *b) { b[blockIdx.x] = __clusterRelativeBlockIdx().x; }
__global__ void plain(int *a, int *b) { b[blockIdx.x] = __clusterSizeInBlocks(); }
static void show(int *b, int n) { int h[16]; cudaMemcpy(h, b, n * sizeof(int), cudaMemcpyDeviceToHost); for (int i = 0; i < n; i++) { printf("%d ", h[i]); } }
static int fit(const void *kernel, int threads, size_t shared) {
  cudaLaunchConfig_t c;
  c.gridDim = dim3(16); c.blockDim = dim3(threads / 2, 2); c.dynamicSmemBytes = shared; c.stream = 0; c.attrs = 0; c.numAttrs = 0;
  int n;
  cudaOccupancyMaxActiveClusters(&n, kernel, &c);
  return n;
}
`
	run := func(main string) (string, error) {
		r := newRig(t, simt.Checked(), text+"int main() { int *a, *b; cudaMalloc(&a, 64); cudaMalloc(&b, 64); void *args[] = {&a, &b}; int n = 0;\n"+main+"cudaFree(a); cudaFree(b); return n; }")
		defer func() {
			for _, report := range r.dev.Device.(*simt.Device).Reports() {
				t.Error(report)
			}
		}()
		return r.run(t)
	}
	const turned = "2401 2404 2403 2406 2405 2400 2407 2402 "
	for _, tt := range []struct{ main, want string }{
		{`turn<<<dim3(4, 2), 1>>>(a, b); show(b, 8);`, turned},
		{`cudaLaunchCooperativeKernel((const void *)turn, dim3(4, 2), dim3(1), args, 0, 0); show(b, 8);`, turned},
		{`large<<<16, 1>>>(a, b); show(b, 16); plain<<<3, 1>>>(a, b); show(b, 3);`, "0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 1 1 1 "},
		// 4 multiprocessors of 2048 threads, or of two blocks that share 228 KiB.
		{`printf("%d %d %d %d", fit((const void *)turn, 1024, 0), fit((const void *)turn, 256, 100000), fit((const void *)large, 64, 0), fit((const void *)plain, 64, 0));`, "2 2 8 128"},
		{`cudaFuncSetAttribute(large, cudaFuncAttributeNonPortableClusterSizeAllowed, 1); cudaDeviceGetAttribute(&n, cudaDevAttrClusterLaunch, 0); printf("%d", n);`, "1"},
	} {
		out, err := run(tt.main)
		if err != nil || out != tt.want {
			t.Errorf("%s: got %q, %v; want %q", tt.main, out, err, tt.want)
		}
	}
	for _, tt := range []struct{ main, want string }{
		{`turn<<<dim3(4, 3), 1>>>(a, b);`, "grid 4x3x1: it is no multiple of the kernel's cluster of 2x2x1"},
		{`cudaLaunchCooperativeKernel(turn, dim3(2, 6), 1024, args, 0, 0);`, "cooperative grid of 12 blocks, 8 can be resident"},
		{`n = fit((const void *)turn, 4096, 0);`, "clusters of turn: kernel turn: 4096 threads a block"},
		{`cudaFuncSetAttribute(large, cudaFuncAttributeNonPortableClusterSizeAllowed - 6, 1000);`, "attribute 8 of large is not known here"},
	} {
		if _, err := run(tt.main); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s\n%v, want %s", tt.main, err, tt.want)
		}
	}
}
