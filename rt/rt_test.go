package rt

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
	"unsafe"
)

// The expected texts are glibc's.
func TestFormat(t *testing.T) {
	inf := math.Inf(1)
	for _, tt := range []struct {
		format string
		args   []any
		want   string
	}{
		{"plain 100%%", nil, "plain 100%"},
		{"%d %i %u", []any{int32(-5), int32(7), uint32(1 << 31)}, "-5 7 2147483648"},
		{"%u", []any{int32(-1)}, "4294967295"},
		{"%d", []any{uint32(math.MaxUint32)}, "-1"},
		{"%ld %lld %lu", []any{int64(-1 << 40), int64(1), uint64(math.MaxUint64)}, "-1099511627776 1 18446744073709551615"},
		{"%hd %hhd %hu", []any{int32(70000), int32(200), int32(-1)}, "4464 -56 65535"},
		{"[%5d|%-5d|%05d|%+d|% d]", []any{int32(42), int32(42), int32(-42), int32(42), int32(42)}, "[   42|42   |-0042|+42| 42]"},
		{"[%.3d|%6.3d|%-6.3d|%06.3d|%.0d]", []any{int32(7), int32(-7), int32(7), int32(7), int32(0)}, "[007|  -007|007   |   007|]"},
		{"[%*d|%-*d|%.*f]", []any{int32(4), int32(1), int32(4), int32(1), int32(2), 1.005}, "[   1|1   |1.00]"},
		{"%x %X %#x %#X %o %#o %#x", []any{uint32(255), uint32(255), uint32(255), uint32(255), uint32(8), uint32(8), uint32(0)}, "ff FF 0xff 0XFF 10 010 0"},
		{"%#08x|%-8x|", []any{uint32(255), uint32(255)}, "0x0000ff|ff      |"},
		{"%f %.2f %10.3f|%-10.1f|%010.2f", []any{1.5, 2.675, -3.14159, 2.0, -1.5}, "1.500000 2.67     -3.142|2.0       |-000001.50"},
		{"%e %.2E %e %e", []any{12345.678, 0.00012, 0.0, 1e300}, "1.234568e+04 1.20E-04 0.000000e+00 1.000000e+300"},
		{"%g %g %g %g %g %g", []any{100000.0, 1000000.0, 0.0001, 0.00001, 0.1, 1.0}, "100000 1e+06 0.0001 1e-05 0.1 1"},
		{"%.3g %.10g %#g %G %.0g", []any{1234.5, 1.0 / 3, 1.0, 1e-10, 15.0}, "1.23e+03 0.3333333333 1.00000 1E-10 2e+01"},
		{"%.17g %g %g %F", []any{0.1, inf, math.NaN(), -inf}, "0.10000000000000001 inf nan -INF"},
		{"%5g|%05g|%+g", []any{inf, inf, 0.0}, "  inf|  inf|+0"},
		{"%a %a %A", []any{1.0, -0.75, 255.5}, "0x1p+0 -0x1.8p-1 0X1.FFP+7"},
		{"%c%c|%3c|%-3c|", []any{int32('a'), int32(0xe9), int32('b'), int32('c')}, "a\xe9|  b|c  |"},
		{"%s|%5s|%-5s|%.2s|", []any{"abc", "abc", "abc", "abc"}, "abc|  abc|abc  |ab|"},
		{"%s", []any{unsafe.Pointer(unsafe.StringData("from C\x00rest"))}, "from C"},
		{"%p %p|%7p|%-7p|", []any{unsafe.Pointer(nil), uint64(0xab), unsafe.Pointer(nil), uint64(0)}, "(nil) 0xab|  (nil)|(nil)  |"},
		{"%q %d %", []any{int32(1)}, "%q 1 %"},
		{"%d %d", []any{int32(1)}, "1 %d"},
	} {
		if got := string(Format(nil, tt.format, tt.args...)); got != tt.want {
			t.Errorf("printf(%q, %v) = %q, want %q", tt.format, tt.args, got, tt.want)
		}
	}
}

func FuzzFormat(f *testing.F) {
	f.Add("%d %s %5.2f %*d", int32(5), 1.5, "x")
	f.Fuzz(func(t *testing.T, format string, i int32, x float64, s string) {
		Format(nil, format, i, x, s, i, x, s)
	})
}

func TestConversions(t *testing.T) {
	for _, x := range []float64{0, 1.9, -1.9, 1e10, -1e10, 1e30, -1e30, math.NaN(), math.Inf(1), math.Inf(-1), 127.5, -128.9, 255.9, 1 << 31, 1 << 63, -1 << 63, 1.5e19} {
		clamp := func(lo, hi float64) float64 {
			if x != x {
				return 0
			}
			return max(lo, min(math.Trunc(x), hi))
		}
		if got, want := ToInt[int8](x), int8(clamp(-128, 127)); got != want {
			t.Errorf("char of %g: %d, want %d", x, got, want)
		}
		if got, want := ToInt[uint8](x), uint8(clamp(0, 255)); got != want {
			t.Errorf("unsigned char of %g: %d, want %d", x, got, want)
		}
		if got, want := ToInt[int32](x), int32(clamp(math.MinInt32, math.MaxInt32)); got != want {
			t.Errorf("int of %g: %d, want %d", x, got, want)
		}
		if got, want := ToInt[uint32](x), uint32(clamp(0, math.MaxUint32)); got != want {
			t.Errorf("unsigned of %g: %d, want %d", x, got, want)
		}
		want64 := int64(math.MaxInt64)
		if c := clamp(math.MinInt64, 1<<63); c < 1<<63 {
			want64 = int64(c)
		}
		if got := ToInt[int64](x); got != want64 {
			t.Errorf("long of %g: %d, want %d", x, got, want64)
		}
		wantU := uint64(math.MaxUint64)
		if c := clamp(0, 1<<64); c < 1<<64 {
			wantU = uint64(c)
		}
		if got := ToInt[uint64](x); got != wantU {
			t.Errorf("unsigned long of %g: %d, want %d", x, got, wantU)
		}
	}
	// The exact sum lies just above the middle between two floats.
	if got := FMA32(1+0x1p-12, 1+0x1p-12, 0x1p-60); got != 1+0x1p-11+0x1p-23 {
		t.Errorf("fmaf = %v", got)
	}
	if Mul64hi(-1, 1) != -1 || Mul64hi(-1, -1) != 0 || Mul64hi(math.MinInt64, 2) != -1 || Mulhi(-1, 1) != -1 || Umulhi(math.MaxUint32, 2) != 1 {
		t.Error("upper halves of products are wrong")
	}
}

// program makes a Program of a function that is given the Run.
func program(main func(r *Run)) *Program { return &Program{Name: "test", Main: main} }

func pathGraph(n int) *Graph {
	g := &Graph{RowStart: make([]uint64, n+1)}
	for v := range n - 1 {
		g.Dst = append(g.Dst, uint32(v+1))
		g.RowStart[v+1] = uint64(len(g.Dst))
	}
	g.RowStart[n] = uint64(len(g.Dst))
	return g
}

// TestAtomics lets several workers do every atomic on the same memory.
func TestAtomics(t *testing.T) {
	const n = 20000
	var sum, lowest, highest int32
	var sum64 uint64
	var double float64
	var single float32
	var bits, circle uint32
	lowest = math.MaxInt32
	var held [2]float64
	var counts [2]uint32
	_, err := program(func(r *Run) {
		r.LaunchNodes(nil, 0, func(w *Worker, _ unsafe.Pointer, lo, hi int) {
			var doubles Sum[float64]
			var ints Sum[uint32]
			doubles.Flush()
			for i := lo; i < hi; i++ {
				doubles.Add(unsafe.Pointer(&held[i/100%2]), 0.25)
				ints.Add(unsafe.Pointer(&counts[1]), 3)
				Add(unsafe.Pointer(&sum), int32(1))
				Sub(unsafe.Pointer(&sum64), ^uint64(0))
				AddF64(unsafe.Pointer(&double), 0.5)
				AddF32(unsafe.Pointer(&single), 1)
				Min(unsafe.Pointer(&lowest), int32(i))
				Max(unsafe.Pointer(&highest), int32(i))
				Or(unsafe.Pointer(&bits), uint32(1)<<(i%32))
				Inc(unsafe.Pointer(&circle), 6)
			}
			doubles.Flush()
			ints.Flush()
			ints.Flush()
		}, nil, nil)

	}).Execute(context.Background(), Input{Graph: pathGraph(n), Workers: 4})
	if err != nil {
		t.Fatal(err)
	}
	if held != [2]float64{n / 8, n / 8} || counts != [2]uint32{0, 3 * n} {
		t.Errorf("held back %g and %d", held, counts)
	}
	if sum != n || sum64 != n || double != n/2 || single != n || lowest != 0 || highest != n-1 || bits != math.MaxUint32 || circle != n%7 {
		t.Errorf("sums %d %d %g %g, bounds %d %d, bits %x, circle %d", sum, sum64, double, single, lowest, highest, bits, circle)
	}
}

// TestWorklist pushes every item of a large list twice and pops each once.
func TestWorklist(t *testing.T) {
	const n = 3*blockItems + 17
	for _, workers := range []int{1, 3} {
		var popped []int32
		_, err := program(func(r *Run) {
			items := make([]int32, n)
			for i := range items {
				items[i] = int32(i)
			}
			wl := r.NewWL(items...)
			for range 3 {
				r.LaunchWL(wl, 0, func(w *Worker, items unsafe.Pointer, lo, hi int) {
					for i := lo; i < hi; i++ {
						x := *(*int32)(unsafe.Add(items, (i-lo)*4))
						if got := wl.At(int32(i), 0); got != x {
							r.Fail("item %d is %d, At says %d", i, x, got)
						}
						w.Push(x)
					}
				}, nil, nil)

			}
			for i := range wl.Len() {
				popped = append(popped, wl.At(int32(i), 0))
			}
			wl.Close()
		}).Execute(context.Background(), Input{Graph: pathGraph(1), Workers: workers})
		if err != nil {
			t.Fatal(err)
		}
		if workers == 1 && !slices.IsSorted(popped) {
			t.Error("one worker changed the order")
		}
		slices.Sort(popped)
		if len(popped) != n || popped[0] != 0 || popped[n-1] != n-1 {
			t.Errorf("%d workers: %d items", workers, len(popped))
		}
	}
}

// TestPool posts many small jobs with pauses, so that workers spin, sleep and
// wake, and counts what was done.
func TestPool(t *testing.T) {
	const n = 5000
	count := make([]int32, n)
	_, err := program(func(r *Run) {
		for round := range 300 {
			r.LaunchNodes(nil, 0, func(w *Worker, _ unsafe.Pointer, lo, hi int) {
				for i := lo; i < hi; i++ {
					count[i]++
				}
			}, nil, nil)

			if round%100 == 0 {
				time.Sleep(2 * time.Millisecond)
			}
		}
	}).Execute(context.Background(), Input{Graph: pathGraph(n), Workers: 4})
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range count {
		if c != 300 {
			t.Fatalf("iteration %d ran %d times", i, c)
		}
	}
}

func TestReduce(t *testing.T) {
	_, err := program(func(r *Run) {
		for _, tt := range []struct{ lo, hi int }{{0, 0}, {0, 1}, {100, 5000}, {0, 5000}} {
			got := r.LaunchNodes(nil, 0, func(w *Worker, _ unsafe.Pointer, lo, hi int) {
				for i := lo; i < hi; i++ {
					is := i >= tt.lo && i < tt.hi
					w.Reduce(is, !is)
				}
			}, nil, nil)

			if got.Any() != (tt.hi > tt.lo) || got.All() != (tt.hi-tt.lo == 5000) {
				r.Fail("%v: any %v, all %v", tt, got.Any(), got.All())
			}
		}
	}).Execute(context.Background(), Input{Graph: pathGraph(5000), Workers: 3})
	if err != nil {
		t.Fatal(err)
	}
}

// TestFailure checks that a panic of any worker ends the run with an error, and
// that so does a cancelled context.
func TestFailure(t *testing.T) {
	for _, at := range []int{0, 4999} {
		_, err := program(func(r *Run) {
			r.LaunchNodes(nil, 0, func(w *Worker, _ unsafe.Pointer, lo, hi int) {
				if lo <= at && at < hi {
					var p *int
					*p = 1
				}
			}, nil, nil)

		}).Execute(context.Background(), Input{Graph: pathGraph(5000), Workers: 3})
		if err == nil || !strings.Contains(err.Error(), "nil pointer") {
			t.Errorf("a failing worker: %v", err)
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	_, err := program(func(r *Run) {
		for {
			r.LaunchNodes(nil, 0, func(*Worker, unsafe.Pointer, int, int) {}, nil, nil)
		}
	}).Execute(ctx, Input{Graph: pathGraph(5000), Workers: 3})
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a cancelled run: %v", err)
	}
}

// TestProtocol passes graphs and results through files as subprocesses do.
func TestProtocol(t *testing.T) {
	for _, g := range []*Graph{pathGraph(1), pathGraph(8), {RowStart: []uint64{0, 1, 3}, Dst: []uint32{1, 0, 1}, Weight: []int32{5, -6, 7}}} {
		name := filepath.Join(t.TempDir(), "graph")
		var b bytes.Buffer
		if err := WriteInput(&b, g, nil); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, b.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
		got, err := readGraph(name)
		if err != nil || !slices.Equal(got.RowStart, g.RowStart) || !slices.Equal(got.Dst, g.Dst) || !slices.Equal(got.Weight, g.Weight) {
			t.Errorf("a graph of %d nodes comes back as %v (%v)", len(g.RowStart)-1, got, err)
		}
		os.WriteFile(name, b.Bytes()[:b.Len()-1], 0o666)
		if _, err := readGraph(name); err == nil {
			t.Error("a file that is too short is accepted")
		}
		// A graph turned round, with its weights and without.
		for _, in := range []*Graph{{RowStart: g.RowStart, Dst: g.Dst, Weight: g.Weight}, {RowStart: g.RowStart, Dst: g.Dst}} {
			b.Reset()
			with := *g
			if with.In = in; len(g.RowStart) == 0 {
				continue
			}
			if err := WriteInput(&b, &with, nil); err != nil {
				t.Fatal(err)
			}
			os.WriteFile(name, b.Bytes(), 0o666)
			got, err := readGraph(name)
			if err != nil || got.In == nil || !slices.Equal(got.In.Dst, in.Dst) || !slices.Equal(got.In.Weight, in.Weight) || !slices.Equal(got.Weight, g.Weight) {
				t.Errorf("turned round, a graph of %d nodes comes back as %+v (%v)", len(g.RowStart)-1, got, err)
			}
		}
	}
	m := &Mesh{X: []float64{0, 1, 0}, Y: []float64{0, 0, 1}, Points: [][3]int32{{0, 1, 2}, {0, 1, -1}}, Neighbors: [][3]int32{{1, -1, -1}, {0, -1, -1}}, Deleted: []bool{false, true}}
	for _, m := range []*Mesh{m, {X: m.X, Y: m.Y, Points: m.Points, Neighbors: m.Neighbors}, {X: []float64{}, Y: []float64{}, Points: [][3]int32{}, Neighbors: [][3]int32{}}} {
		name := filepath.Join(t.TempDir(), "input")
		var b bytes.Buffer
		if err := WriteInput(&b, pathGraph(4), m); err != nil {
			t.Fatal(err)
		}
		for n := range b.Len() + 1 {
			os.WriteFile(name, b.Bytes()[:n], 0o666)
			g, got, err := readInput(name)
			if (err == nil) != (n == b.Len()) || err == nil && (!reflect.DeepEqual(got, m) || !slices.Equal(g.Dst, pathGraph(4).Dst)) {
				t.Errorf("%d bytes of %d: %+v (%v)", n, b.Len(), got, err)
			}
		}
	}
	res := &Result{Iterations: 3, Launches: 4, Restarts: 5, Mesh: m,
		Props:   []Column{{Name: "x", Type: "node", Kind: Int32, Data: []int32{1, -2}}, {Name: "y", Type: "bool", Of: 1, Kind: Uint8, Data: []uint8{1}}},
		Globals: []Global{{Name: "sum", Type: "double", Kind: Float64, Data: []float64{0.5, math.Inf(1)}}},
	}
	var b bytes.Buffer
	if err := WriteResult(&b, res); err != nil {
		t.Fatal(err)
	}
	all := b.Bytes()
	got, err := ReadResult(bytes.NewReader(all), int64(len(all)))
	if err != nil || !reflect.DeepEqual(got, res) {
		t.Errorf("%+v comes back as %+v (%v)", res, got, err)
	}
	for n := range all {
		if _, err := ReadResult(bytes.NewReader(all[:n]), int64(n)); err == nil {
			t.Fatalf("%d of %d bytes are accepted", n, len(all))
		}
	}
}

func ExampleFormat() {
	fmt.Printf("%s", Format(nil, "%5.1f%% of %d\n", 12.34, int32(7)))
	// Output:  12.3% of 7
}

func readInput(name string) (*Graph, *Mesh, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, nil, err
	}
	return ReadInput(f)
}

func readGraph(name string) (*Graph, error) {
	g, _, err := readInput(name)
	return g, err
}
