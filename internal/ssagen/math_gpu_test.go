package ssagen_test

import (
	"context"
	"encoding/binary"
	"math"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"

	"irgl/internal/device"
	"irgl/internal/golden"
	"irgl/internal/ptx"
)

// gpuStride is the distance between the bit patterns that TestMathGPU tries;
// IRGL_MATH_STRIDE=1 makes it exhaustive, which takes minutes on 16 cores.
func gpuStride(t *testing.T) uint64 {
	s := os.Getenv("IRGL_MATH_STRIDE")
	if s == "" {
		return 1009
	}
	n, err := strconv.ParseUint(s, 10, 32)
	if err != nil || n == 0 {
		t.Fatalf("IRGL_MATH_STRIDE=%s is no distance", s)
	}
	return n
}

// TestMathGPU measures every function of one float on the GPU, over the bit
// patterns of all floats or every so many of them, against the double results
// of the host.
func TestMathGPU(t *testing.T) {
	d := gpu()
	if d == nil {
		t.Skip("no GPU")
	}
	stride := gpuStride(t)
	buf := make([]byte, 4*min((1<<32+stride-1)/stride, gpuPart))
	out, err := d.Alloc("out", int64(len(buf)))
	if err != nil {
		t.Fatal(err)
	}
	defer d.Free(out)
	for _, f := range floatFuncs {
		if f.two != nil {
			continue
		}
		t.Run(f.name, func(t *testing.T) {
			w := f.measureEvery(t, d, out, buf, stride)
			if w.dist > f.bound {
				t.Errorf("%s: bound %d: %s", f.name, f.bound, &w)
			}
			t.Logf("%s: %d %.3f", f.name, w.dist, w.ulps)
			if golden.Updating() && stride == 1 {
				if err := updateGPUErrors(f.name, w); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// gpuPart is how many results come back from the GPU at a time.
const gpuPart = 1 << 26

// measureEvery runs f on every stride-th bit pattern. The array out has room for
// the results of one part, buf for their bytes.
func (f *mathFunc) measureEvery(t *testing.T, d device.Device, out device.Ptr, buf []byte, stride uint64) worst {
	set := strings.ReplaceAll(f.body, "x[i]", "x")
	if set == "" {
		set = "z[i] = " + f.name + "(x);"
	}
	text := "__global__ void k(float *z, unsigned first, unsigned stride, int n) {\n" +
		"  int i = blockIdx.x * blockDim.x + threadIdx.x;\n" +
		"  float x = __uint_as_float(first + i * stride);\n  if (i < n) { " + set + " }\n}\n"
	m, err := d.Load(f.name, ptx.Print(compile(t, f.name, []byte(text), true)))
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	k, err := m.Kernel("k")
	if err != nil {
		t.Fatal(err)
	}
	var all worst
	total := (1<<32 + stride - 1) / stride
	for done := uint64(0); done < total; done += gpuPart {
		n := int(min(gpuPart, total-done))
		params := binary.LittleEndian.AppendUint64(nil, uint64(out))
		params = binary.LittleEndian.AppendUint32(params, uint32(done*stride))
		params = binary.LittleEndian.AppendUint32(params, uint32(stride))
		params = binary.LittleEndian.AppendUint32(params, uint32(n))
		l := device.Launch{Grid: device.Dim3{X: uint32(n+255) / 256}, Block: device.Dim3{X: 256}, Params: params}
		if err := d.Launch(k, l); err != nil {
			t.Fatal(err)
		}
		if err := d.Sync(context.Background()); err != nil {
			t.Fatal(err)
		}
		if err := d.CopyOut(buf[:4*n], out); err != nil {
			t.Fatal(err)
		}
		all.merge(compareAll(f, buf[:4*n], uint32(done*stride), uint32(stride)))
	}
	return all
}

// compareAll compares results with the reference on all cores.
func compareAll(f *mathFunc, buf []byte, first, stride uint32) worst {
	var mu sync.Mutex
	var all worst
	var wg sync.WaitGroup
	n := len(buf) / 4
	cores := runtime.GOMAXPROCS(0)
	for c := range cores {
		wg.Go(func() {
			var w worst
			for i := n * c / cores; i < n*(c+1)/cores; i++ {
				x := math.Float32frombits(first + uint32(i)*stride)
				if !exempt(f.name, float64(x)) {
					w.add(x, 0, math.Float32frombits(binary.LittleEndian.Uint32(buf[4*i:])), f.one(float64(x)))
				}
			}
			mu.Lock()
			defer mu.Unlock()
			all.merge(w)
		})
	}
	wg.Wait()
	return all
}

// merge takes what is worse of both.
func (w *worst) merge(v worst) {
	if v.dist > w.dist || v.dist == w.dist && v.ulps > w.ulps {
		w.at, w.got, w.want = v.at, v.got, v.want
	}
	w.ulps, w.dist, w.bad = max(w.ulps, v.ulps), max(w.dist, v.dist), w.bad+v.bad
}
