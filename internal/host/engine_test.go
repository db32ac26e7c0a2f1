package host

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"irgl/graph"
	"irgl/internal/compile"
	"irgl/internal/device"
	"irgl/internal/device/simt"
	"irgl/internal/lower"
	"irgl/internal/run"
	"irgl/internal/source"
	"irgl/syntax"
)

// A tracked device counts the memory that is allocated, and can refuse more or
// call a function before each launch.
type tracked struct {
	device.Device
	live     map[device.Ptr]string
	refuse   string // name of an allocation to refuse
	onLaunch func()
}

func track() *tracked {
	return &tracked{Device: simt.Open(simt.Checked()), live: map[device.Ptr]string{}}
}

func (d *tracked) Alloc(name string, size int64) (device.Ptr, error) {
	if d.refuse != "" && strings.Contains(name, d.refuse) {
		return 0, &device.OutOfMemoryError{Name: name, Size: size, Free: -1}
	}
	p, err := d.Device.Alloc(name, size)
	if err == nil {
		d.live[p] = name
	}
	return p, err
}

func (d *tracked) Free(p device.Ptr) error {
	delete(d.live, p)
	return d.Device.Free(p)
}

func (d *tracked) Abandon() { d.Device.(device.Abandoning).Abandon() }

func (d *tracked) Launch(k device.Kernel, l device.Launch) error {
	if d.onLaunch != nil {
		d.onLaunch()
	}
	return d.Device.Launch(k, l)
}

// build compiles a text to PTX, every stage verified.
func build(t testing.TB, name, text string) *compile.Unit {
	t.Helper()
	return buildWith(t, name, text, outlined)
}

func buildWith(t testing.TB, name, text string, o lower.Options) *compile.Unit {
	t.Helper()
	d := syntax.IrGL
	if strings.HasSuffix(name, ".cu") {
		d = syntax.CUDA
	}
	co := compile.Options{Check: true, Lower: o}
	co.PTX.Target = "sm_90" // what the emulator is
	u, err := compile.Compile(source.NewFile(name, []byte(text)), d, "", co)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return u
}

// runCUDA runs the function main of a .cu text with kernels.
func runCUDA(t *testing.T, text string) (result uint64, out string, err error) {
	t.Helper()
	u := build(t, "a.cu", text)
	p, err := Compile(u.CUDAInfo)
	if err != nil {
		t.Fatal(err)
	}
	dev := track()
	defer dev.Close()
	module, err := dev.Load("a.cu", u.PTXText())
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	m := p.newMachine(context.Background(), dev, module, map[string]device.Kernel{}, &b)
	if err := m.init(); err != nil {
		t.Fatal(err)
	}
	fn := p.funcs["main"]
	err = protect(func() { result = m.call(fn.info.Decl, fn, nil) })
	return result, b.String(), err
}

// TestRuntime checks the calls of the CUDA runtime.
func TestRuntime(t *testing.T) {
	const kernels = `
__device__ int counter = 5;
__constant__ float scale[2] = {1.5f, 2.5f};
__global__ void add(int *a, int n, int by) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) a[i] += by; }
__global__ void count(float *out) { atomicAdd(&counter, 1); if (threadIdx.x == 0) *out = scale[1]; }
`
	for _, tt := range []struct{ name, main, want string }{
		{"memory", `int main() { int h[4] = {1, 2, 3, 4}; int *a, *b; cudaMalloc((void **)&a, 16); cudaMalloc(&b, 16);
			cudaMemcpy(a, h, 16, cudaMemcpyHostToDevice); add<<<2, 2>>>(a, 3, 10); cudaMemset(b, 1, 4);
			cudaMemcpy(b + 1, a, 12, cudaMemcpyDeviceToDevice); cudaMemcpy(h, b, 16, cudaMemcpyDeviceToHost);
			int g[1]; cudaMemcpy(g, h, 4, cudaMemcpyHostToHost); cudaFree(a); cudaFree(b); cudaFree(NULL);
			printf("%d %d %d %d", g[0], h[1], h[2], h[3]); return cudaDeviceSynchronize(); }`, "16843009 11 12 13"},
		{"symbols", `int main() { int c; float f, *out; void *at; cudaMalloc(&out, 4); count<<<dim3(2, 1), dim3(3)>>>(out);
			cudaMemcpyFromSymbol(&c, counter, sizeof(int)); cudaMemcpy(&f, out, 4, cudaMemcpyDeviceToHost); printf("%d %.1f ", c, f);
			float s[1] = {9}; cudaMemcpyToSymbol(scale, s, 4, 4); count<<<1, 1>>>(out); cudaMemcpy(&f, out, 4, cudaMemcpyDeviceToHost);
			cudaGetSymbolAddress(&at, counter); c = 70; cudaMemcpy(at, &c, 4, cudaMemcpyHostToDevice); count<<<1, 1>>>(out);
			cudaMemcpyFromSymbol(&c, counter, 4); printf("%.1f %d %s", f, c, cudaGetLastError() == cudaSuccess ? "ok" : cudaGetErrorString(1));
			cudaFree(out); return 0; }`, "11 2.5 9.0 71 ok"},
	} {
		_, out, err := runCUDA(t, kernels+tt.main)
		if err != nil || out != tt.want {
			t.Errorf("%s: got %q, %v; want %q", tt.name, out, err, tt.want)
		}
	}
	for _, tt := range []struct{ main, want string }{
		{"int main() { int *a; cudaMalloc(&a, 4);\n return *a; }", "a.cu:7:9: host code dereferences the device address"},
		{"int main() { int *a; cudaMalloc(&a, 4);\n cudaFree(a + 1); return 0; }", "a.cu:7:2: "},
		{"int main() { int *a; cudaMalloc(&a, 4); int h[9];\n cudaMemcpy(h, a, 36, cudaMemcpyDeviceToHost); return 0; }", "a.cu:7:2: "},
		{"int main() { int *a; cudaMalloc(&a, 4);\n add<<<1, 32>>>(a, 32, 1); cudaDeviceSynchronize(); return 0; }", "a.cu:7:"},
		{"int main() { int *a = NULL;\n cudaMalloc((void **)a, 4); return 0; }", "a.cu:7:2: null pointer"},
		{"int main() {\n add<<<1, 4096>>>(NULL, 0, 1); return 0; }", "a.cu:7:2: launch of add: "},
	} {
		_, _, err := runCUDA(t, kernels+tt.main)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s\n%v, want %s", tt.main, err, tt.want)
		}
	}
}

// TestLaunchParameters passes a parameter of every type, each at its place.
func TestLaunchParameters(t *testing.T) {
	_, out, err := runCUDA(t, `
struct s { char c; double d; short h[3]; };
__global__ void k(double *out, bool b, char c, unsigned char uc, short h, unsigned short uh, int i, unsigned u, long l, unsigned long ul,
	long long ll, float f, double d, struct s v, struct s *null) {
	out[0] = b; out[1] = c; out[2] = uc; out[3] = h; out[4] = uh; out[5] = i; out[6] = u; out[7] = l; out[8] = ul; out[9] = ll; out[10] = f;
	out[11] = d; out[12] = v.c; out[13] = v.d; out[14] = v.h[2]; out[15] = null == NULL;
}
int main() {
	double h[16], *d; cudaMalloc(&d, sizeof h); struct s v = {-3, 2.25, {1, 2, -9}};
	k<<<1, 1>>>(d, 2, -1, 255, -300, 65535, -5, 4000000000u, -6L, 1ul << 63, 7, 1.5, 2.5f, v, NULL);
	cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
	for (int i = 0; i < 16; i++) printf("%g ", h[i]);
	cudaFree(d); return 0;
}`)
	const want = "1 -1 255 -300 65535 -5 4e+09 -6 9.22337e+18 7 1.5 2.5 -3 2.25 -9 1 "
	if err != nil || out != want {
		t.Errorf("got %q, %v; want %q", out, err, want)
	}
}

// An irglRun is one run of an .irgl text.
type irglRun struct {
	text     string
	graph    string
	args     []run.Value
	capacity int
	options  Options
	lower    *lower.Options // outlined if nil
}

// outlined moves all loops to the device that can move.
var outlined = lower.Options{Outline: lower.Outline{Auto: true}}

// start compiles a program and places it on a device.
func (r irglRun) start(t testing.TB, dev device.Device) (*Engine, run.Input, *bytes.Buffer) {
	t.Helper()
	lo := outlined
	if r.lower != nil {
		lo = *r.lower
	}
	u := buildWith(t, "a.irgl", r.text, lo)
	g, err := graph.Generate(context.Background(), r.graph)
	if err != nil {
		t.Fatal(err)
	}
	r.options.Launches = u.Dynpar
	e, err := New(dev, u.Info, u.CUDAInfo, u.PTXText(), r.options)
	if err != nil {
		t.Fatal(err)
	}
	out := new(bytes.Buffer)
	return e, run.Input{Graph: g, Args: r.args, Capacity: r.capacity, Stdout: out}, out
}

// TestPrograms runs small programs, one construct each, on a path of five
// nodes 0 - 1 - 2 - 3 - 4, and compares what they print.
func TestPrograms(t *testing.T) {
	const (
		head = "Graph graph { Requires weights; Output Node int a = id; Node long b = degree; Node double c = 0; Edge int w = 7; }\nint total = 0;\n"
		walk = "Kernel step(graph, int k) { ForAll (i In WL) { n = WL.pop(i); n.a = k; ForAll (e In n.edges) { if (e.dst.id > n.id) WL.push(e.dst); } ReduceAndReturn(n.id < 2); } }\n"
		seed = "Kernel seed(graph) { ForAll (n In graph.nodes) { if (n.a == 0) WL.push(n); } }\n"
		show = "Host show() { for (int i = 0; i < graph.nnodes; i++) { printf(\"%d \", graph.nodes(i).a); } }\n"
	)
	for _, tt := range []struct{ name, text, want string }{
		{"init", "Kernel sum(graph) { ForAll (n In graph.nodes) { for (e In n.edges) { n.b += e.w + e.id; } } }\n" +
			"Host f() { Invoke sum(graph); printf(\"%ld %ld %d\", graph.nodes(0).b, graph.nodes(4).b, graph.nodes(2).degree); }", "8 15 2"},
		{"iterate", walk + show + "Host f() { int k = 10; Iterate step(graph, k) Initial [1] { k++; } show(); }", "0 10 11 12 13 "},
		{"iterate while any", walk + show + "Host f() { int k = 10; Iterate While Any step(graph, k) Initial [0] { k++; } show(); }", "10 11 12 3 4 "},
		{"iterate until all", walk + show + "Host f() { int k = 10; Iterate Until All step(graph, k) Initial [2] { k++; if (k > 20) break; } show(); printf(\"%d\", k); }", "0 1 10 11 12 13"},
		{"iterate until any", walk + show + "Host f() { int k = 10; Iterate Until Any step(graph, k) Initial [0] { k++; } show(); }", "10 1 2 3 4 "},
		{"pipe", walk + seed + show + "Host f() { int k = 20; Pipe { if (k == 20) { Invoke seed(graph); } Invoke step(graph, k); k++; } show(); }", "20 21 22 23 24 "},
		{"pipe once, break", walk + seed + show + "Host f() { Pipe Once { Invoke seed(graph); Invoke step(graph, 7); if (graph.nodes(0).a == 7) break; Invoke step(graph, 8); } show(); }", "7 1 2 3 4 "},
		{"nested", walk + show + "Host f() { int k = 30; Pipe Once Initial [2] { Invoke step(graph, 5); Pipe { Invoke step(graph, k); k++; } } show(); }", "0 1 5 30 31 "},
		{"own lists", walk + show + "Host f() { int k = 30; Iterate step(graph, k) Initial [3] { Iterate step(graph, 9) Initial [1]; k++; } show(); }", "0 9 9 9 9 "},
		{"return", walk + show + "Host g() { Iterate step(graph, 6) Initial [0] { if (graph.nodes(1).a == 6) return; } }\nHost f() { g(); show(); }", "6 6 2 3 4 "},
		{"mirror", "Kernel double_(graph) { ForAll (n In graph.nodes) { n.c = 2 * n.c + total; } }\n" +
			"Host f() { for (int i = 0; i < 50; i++) { graph.nodes(i % 5).c += i; } total = 1; Invoke double_(graph); total++; double s = 0;\n" +
			"for (int i = 0; i < 50; i++) { s += graph.nodes(i % 5).c++; } printf(\"%g %d\", s, total); }", "24775 2"},
		{"globals", "double grid[2][3] = {{1}, {0, 2}};\nKernel fill(graph) { ForAll (n In graph.nodes) { atomicAdd(&grid[1][n.id % 3], 0.5); atomicMax(&graph.nodes(0).b, 5 - n.id); } }\n" +
			"Host f() { grid[0][2] = 9; Invoke fill(graph); grid[1][1] *= 10; printf(\"%g %g %g %g %g %ld\", grid[0][0], grid[0][2], grid[1][0], grid[1][1], grid[1][2], graph.nodes(0).b); }", "1 9 1 30 0.5 5"},
		{"edges", "Kernel mark(graph, node v) { ForAll (e In v.edges) { e.dst.a = 100 + e.weight * 0; e.w = 1; } }\nHost f() { Invoke mark(graph, 2); printf(\"%d %d\", graph.nodes(1).a, graph.nodes(3).a); }", "100 100"},
		{"functions", "int third(int x) { return twice(x) + x; } int twice(int x) { return x << 1; } int at(node n) { return n.a; }\n" +
			"Kernel k(graph) { ForAll (n In graph.nodes) { n.a = third(at(n)) + __popc(7); } }\nHost f() { Invoke k(graph); printf(\"%d %d %d\", graph.nodes(2).a, third(5), __popc(255) + __ffs(8) + __clz(1)); }", "9 15 43"},
		{"any and all", "Kernel k(graph, int x) { ForAll (n In graph.nodes) { if (n.id < x) ReduceAndReturn(n.id > 0); } }\n" +
			"Host f() { printf(\"%d%d%d%d%d%d\", Any(Invoke k(graph, 0)), All(Invoke k(graph, 0)), Any(Invoke k(graph, 1)), All(Invoke k(graph, 1)), Any(Invoke k(graph, 5)), All(Invoke k(graph, 5))); }", "010010"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dev := track()
			defer dev.Close()
			e, in, out := irglRun{text: head + tt.text, graph: "path:5"}.start(t, dev)
			for i := range 2 { // the second run starts from the same values
				out.Reset()
				if _, err := e.Run(context.Background(), in); err != nil || out.String() != tt.want {
					t.Errorf("run %d: got %q, %v; want %q", i+1, out, err, tt.want)
				}
			}
			if err := e.Close(); err != nil || len(dev.live) > 0 {
				t.Errorf("left on the device: %v, %v", dev.live, err)
			}
		})
	}
}

const spread = `Graph graph { Output Node int a = 0; }
Output long sums[2][2];
Output int pushes = 1;
Kernel all(graph, int k) { ForAll (i In WL) { n = WL.pop(i); ForAll (m In graph.nodes) { if (n.a < k) { WL.push(m); atomicAdd(&pushes, 1); } } n.a = k; } }
Host f(int k) { printf("once "); sums[1][0] = 3; Pipe Initial [0] { Invoke all(graph, k); if (pushes > 40) return; } }
`

// TestRestart checks that a run begins again when a worklist is too small,
// prints once, counts, and that results do not depend on it.
func TestRestart(t *testing.T) {
	dev := track()
	defer dev.Close()
	e, in, out := irglRun{text: spread, graph: "empty:8", args: []run.Value{run.IntValue(1)}, capacity: 1}.start(t, dev)
	defer e.Close()
	res, err := e.Run(context.Background(), in)
	if err != nil {
		t.Fatal(err)
	}
	pushes, _ := res.Global("pushes")
	sums, _ := res.Global("sums")
	if out.String() != "once " || res.Restarts < 1 || res.Iterations < 2 || res.Launches < 3 || pushes.Values[0].Int < 9 || len(sums.Values) != 4 || sums.Values[2].Int != 3 {
		t.Errorf("%q, %+v, %v %v", out, res.Stats, pushes, sums)
	}
	if col := res.Column("a"); col.Len() != 8 || col.Int(7) != 1 {
		t.Errorf("column a: %+v", col)
	}
	for _, limit := range []int64{2, 8} {
		e.o.MaxCapacity = limit
		out.Reset()
		_, err = e.Run(context.Background(), in)
		if limit == 2 && (err == nil || !strings.Contains(err.Error(), "needs room for 8 items; the limit is 2") || out.String() != "") {
			t.Errorf("with a limit: %q, %v", out, err)
		}
	}
	if in.Args = nil; true {
		if _, err := e.Run(context.Background(), in); err == nil || !strings.Contains(err.Error(), "takes 1 arguments, not 0") {
			t.Errorf("no arguments: %v", err)
		}
	}
}

// TestCancelRun checks that a run ends with its context, between launches and
// inside one, and that all it allocated is freed.
func TestCancelRun(t *testing.T) {
	const text = "Graph graph { Node int a = 0; }\nKernel k(graph) { ForAll (n In graph.nodes) { WL.push(n); } }\nHost f() { Pipe { Invoke k(graph); } }\n"
	dev := track()
	defer dev.Close()
	e, in, _ := irglRun{text: text, graph: "path:5", lower: &lower.Options{}}.start(t, dev)
	if err := e.Place(t.Context(), in.Graph, in.Views); err != nil {
		t.Fatal(err)
	}
	before := fmt.Sprint(dev.live)
	ctx, cancel := context.WithCancel(context.Background())
	launches := 0
	dev.onLaunch = func() {
		if launches++; launches == 20 {
			cancel()
		}
	}
	if _, err := e.Run(ctx, in); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if after := fmt.Sprint(dev.live); after != before || launches != 20 {
		t.Errorf("after %d launches %s is left, before %s", launches, after, before)
	}
	dev.onLaunch = nil
	ctx, cancel = context.WithTimeout(context.Background(), 30*time.Millisecond)
	defer cancel()
	if _, err := e.Run(ctx, in); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
	if err := e.Close(); err != nil || len(dev.live) > 0 {
		t.Errorf("left after Close: %v, %v", dev.live, err)
	}
}

// TestCancelOutlined checks that a run ends with its context in the middle of
// rounds that are one launch.
func TestCancelOutlined(t *testing.T) {
	const text = "Graph graph { Node int a = 0; }\nKernel k(graph) { ForAll (n In graph.nodes) { WL.push(n); } }\nHost f() { Pipe { Invoke k(graph); } }\n"
	dev := track()
	e, in, _ := irglRun{text: text, graph: "path:5"}.start(t, dev)
	launches := 0
	dev.onLaunch = func() { launches++ }
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Millisecond)
	defer cancel()
	if _, err := e.Run(ctx, in); !errors.Is(err, context.DeadlineExceeded) || launches != 2 {
		t.Errorf("got %v after %d launches", err, launches)
	}
	if err := errors.Join(e.Close(), dev.Close()); err != nil || len(dev.live) > 0 {
		t.Errorf("left after Close: %v, %v", dev.live, err)
	}
}

// TestOutOfMemory checks that the device's error arrives and nothing is left.
func TestOutOfMemory(t *testing.T) {
	for _, what := range []string{"graph dst", "property a", "cudaMalloc"} {
		dev := track()
		dev.refuse = what
		e, in, _ := irglRun{text: spread, graph: "empty:8", args: []run.Value{run.IntValue(1)}}.start(t, dev)
		_, err := e.Run(context.Background(), in)
		if oom, ok := errors.AsType[*device.OutOfMemoryError](err); !ok || !strings.Contains(oom.Name, what) {
			t.Errorf("%s: %v", what, err)
		}
		if err := errors.Join(e.Close(), dev.Close()); err != nil || len(dev.live) > 0 {
			t.Errorf("%s: left: %v, %v", what, dev.live, err)
		}
	}
}

// TestNewErrors checks what New refuses.
func TestNewErrors(t *testing.T) {
	dev := track()
	defer dev.Close()
	u := build(t, "a.irgl", spread)
	if _, err := New(dev, u.Info, u.CUDAInfo, "no PTX", Options{}); err == nil {
		t.Error("invalid PTX was loaded")
	}
	e, err := New(dev, u.Info, u.CUDAInfo, ".version 7.0\n.target sm_75\n.address_size 64\n", Options{})
	if err == nil {
		g, _ := graph.Generate(context.Background(), "path:2")
		if _, err = e.Run(context.Background(), run.Input{Graph: g, Args: []run.Value{run.IntValue(1)}}); err == nil {
			t.Error("a module without the kernels ran")
		}
	}
}

// A nullDevice runs no kernel: what is left is the work of the evaluator.
type nullDevice struct{ device.Device }

func (nullDevice) Launch(device.Kernel, device.Launch) error         { return nil }
func (nullDevice) Copy(dst, src device.Ptr, size int64) error        { return nil }
func (nullDevice) CopyIn(dst device.Ptr, src []byte) error           { return nil }
func (nullDevice) Fill(dst device.Ptr, value byte, size int64) error { return nil }
func (nullDevice) CopyOut(dst []byte, src device.Ptr) error          { copy(dst, "\x01"); return nil }

// BenchmarkRound is the evaluator's share of a round of Iterate, without the
// device's. The wish is less than 3 µs.
func BenchmarkRound(b *testing.B) {
	const rounds = 10000
	const text = `Graph graph { Output Node int level = INF; }
Kernel BFS(graph, int LEVEL) { ForAll (i In WL) { n = WL.pop(i); n.level = LEVEL; WL.push(n); } }
Host f(node src) { LEVEL = 1; Iterate BFS(graph, LEVEL) Initial [src] { LEVEL++; if (LEVEL > 10000) break; } }
`
	dev := simt.Open(simt.Options{})
	defer dev.Close()
	e, in, _ := irglRun{text: text, graph: "path:5", args: []run.Value{run.IntValue(0)}}.start(b, nullDevice{dev})
	var n int64
	for b.Loop() {
		res, err := e.Run(context.Background(), in)
		if err != nil {
			b.Fatal(err)
		}
		n = res.Iterations
	}
	_ = n
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*rounds), "ns/round")
}
