package simt

import (
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"irgl/internal/device"
	"irgl/internal/device/devicetest"
)

func TestConformance(t *testing.T) {
	for _, c := range []struct {
		name string
		opts Options
	}{
		{"checked", Checked()},
		{"seeded", Options{Seed: 7, Schedule: Medium, CheckRaces: true, CheckUninitialised: true}},
	} {
		t.Run(c.name, func(t *testing.T) {
			devicetest.Run(t, func(t *testing.T) device.Device { return Open(c.opts) })
			devicetest.RunSystem(t, func(t *testing.T, n int) []device.Device {
				list, err := OpenSystem(n, c.opts)
				if err != nil {
					t.Fatal(err)
				}
				devices := make([]device.Device, n)
				for i, d := range list {
					devices[i] = d
				}
				return devices
			})
		})
	}
}

// A rig runs kernels of one text on a device.
type rig struct {
	t   testing.TB
	d   *Device
	mod device.Module
}

func newRig(t testing.TB, o Options, file string) *rig {
	t.Helper()
	text, err := os.ReadFile("testdata/" + file)
	if err != nil {
		t.Fatal(err)
	}
	return newRigText(t, o, string(text))
}

func newRigText(t testing.TB, o Options, text string) *rig {
	t.Helper()
	d := Open(o)
	mod, err := d.Load("test.ptx", text)
	if err != nil {
		t.Fatal(err)
	}
	return &rig{t, d, mod}
}

// buffer allocates memory that holds v.
func (r *rig) buffer(name string, v []int32) device.Ptr {
	r.t.Helper()
	p, err := r.d.Alloc(name, int64(4*len(v)))
	if err != nil {
		r.t.Fatal(err)
	}
	data, _ := binary.Append(nil, binary.LittleEndian, v)
	if err := r.d.CopyIn(p, data); err != nil {
		r.t.Fatal(err)
	}
	return p
}

func (r *rig) read(p device.Ptr, n int) []int32 {
	r.t.Helper()
	data := make([]byte, 4*n)
	if err := r.d.CopyOut(data, p); err != nil {
		r.t.Fatal(err)
	}
	out := make([]int32, n)
	for i := range out {
		out[i] = int32(binary.LittleEndian.Uint32(data[4*i:]))
	}
	return out
}

// run launches a kernel and waits for it.
func (r *rig) run(name string, grid, block uint32, args ...any) error {
	r.t.Helper()
	k, err := r.mod.Kernel(name)
	if err != nil {
		r.t.Fatal(err)
	}
	l := device.Launch{Grid: device.Dim3{X: grid}, Block: device.Dim3{X: block}, Params: params(r.t, args...)}
	if err := r.d.Launch(k, l); err != nil {
		r.t.Fatal(err)
	}
	return r.d.Sync(context.Background())
}

// params lays out a parameter block.
func params(t testing.TB, args ...any) (block []byte) {
	t.Helper()
	for _, a := range args {
		v, err := binary.Append(nil, binary.LittleEndian, a)
		if err != nil {
			t.Fatal(err)
		}
		for len(block)%len(v) != 0 {
			block = append(block, 0)
		}
		block = append(block, v...)
	}
	return block
}

func (r *rig) ok(name string, grid, block uint32, args ...any) {
	r.t.Helper()
	if err := r.run(name, grid, block, args...); err != nil {
		r.t.Fatal(err)
	}
}

// clean fails the test if the device has reported anything.
func (r *rig) clean() {
	r.t.Helper()
	for _, rep := range r.d.Reports() {
		r.t.Errorf("false report: %v", rep)
	}
}

// schedules are the options under which every well-defined kernel gives the
// same results.
func schedules(t *testing.T, f func(t *testing.T, o Options)) {
	for _, seed := range []uint64{0, 1, 2} {
		for _, s := range []Schedule{Coarse, Fine} {
			o := Checked()
			o.Seed, o.Schedule = seed, s
			t.Run(fmt.Sprintf("seed%d/%d", seed, s), func(t *testing.T) { f(t, o) })
		}
	}
}

func values(n int, f func(i int) int32) []int32 {
	v := make([]int32, n)
	for i := range v {
		v[i] = f(i)
	}
	return v
}

func equal(t *testing.T, what string, got, want []int32) {
	t.Helper()
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("%s (-want +got):\n%s", what, d)
	}
}

func goLoops(i, n int) int32 {
	s := 0
	if i%7 == 6 {
		return -1
	}
	for a := 0; a < i%11; a++ {
		if a == 8 {
			continue
		}
		for b := a; b < n; b++ {
			if (a*b+i)%13 == 5 {
				break
			}
			if (a+b)&1 != 0 {
				s += b
			} else {
				s -= a
			}
			if s > 1000 {
				return int32(s)
			}
		}
	}
	return int32(s)
}

// TestBehaviour: control flow, locks and synchronisation give the right
// results and no reports under every schedule.
func TestBehaviour(t *testing.T) {
	schedules(t, func(t *testing.T, o Options) {
		r := newRig(t, o, "behaviour.ptx")
		defer r.clean()
		for _, k := range []string{"spin", "spin_try"} {
			lock, count := r.buffer("lock", []int32{0}), r.buffer("count", []int32{0})
			r.ok(k, 2, 96, lock, count)
			equal(t, k, r.read(count, 1), []int32{192})
		}
		counter, out := r.buffer("counter", []int32{0}), r.buffer("out", make([]int32, 400))
		r.ok("aggregate", 4, 96, counter, out, int32(300))
		n := r.read(counter, 1)[0]
		equal(t, "aggregate", []int32{n}, []int32{200})
		pushed := r.read(out, 200)
		slices.Sort(pushed)
		want := []int32{}
		for i := range int32(300) {
			if i%3 != 1 {
				want = append(want, i)
			}
		}
		equal(t, "pushed", pushed, want)
		r.ok("loops", 3, 96, out, int32(40))
		equal(t, "loops", r.read(out, 288), values(288, func(i int) int32 { return goLoops(i, 40) }))
		r.ok("recurse", 1, 64, out)
		fib := []int32{0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89}
		equal(t, "recurse", r.read(out, 64), values(64, func(i int) int32 { return fib[i%12] }))
		r.ok("indirect", 1, 64, out)
		dbl := func(x int) int32 {
			if x%5 == 2 {
				return 0
			}
			return int32(2 * x)
		}
		equal(t, "indirect", r.read(out, 64), values(64, func(i int) int32 {
			if i%3 == 0 {
				return 2 * dbl(i)
			}
			return int32(i+1) + dbl(i)
		}))
		r.ok("choose", 1, 64, out)
		equal(t, "choose", r.read(out, 64), values(64, func(i int) int32 {
			return []int32{int32(i * 3), int32(i + 100), int32(i - 7), int32(i ^ 55), int32(i << 2), int32(^i), int32(i / 3), 77, 0}[i%9]
		}))
		in := r.buffer("in", values(64*9, func(i int) int32 { return int32(i) }))
		part, sum := r.buffer("part", make([]int32, 9)), r.buffer("sum", []int32{0})
		for range 2 {
			r.ok("lastblock", 9, 64, in, part, sum)
		}
		equal(t, "lastblock", r.read(sum, 1), []int32{576 * 575 / 2})
		a, b := r.buffer("a", values(320, func(i int) int32 { return int32(i) })), r.buffer("b", make([]int32, 320))
		r.ok("gridsync", 5, 64, a, b, r.buffer("arrived", []int32{0}), int32(4))
		equal(t, "gridsync", r.read(a, 320), values(320, func(i int) int32 { return int32((i+4*37)%320 + 4) }))
		flag := r.buffer("flag", []int32{0})
		r.ok("message", 2, 1, r.buffer("data", []int32{0}), flag, out)
		equal(t, "message", r.read(out, 1), []int32{42})
		r.ok("sync_warp", 1, 32, out)
		equal(t, "sync_warp", r.read(out, 32), values(32, func(i int) int32 { return int32(i ^ 1) }))
		r.ok("only_atomic", 3, 64, out)
		r.ok("reduce_bar", 1, 64, out)
		equal(t, "reduce_bar", r.read(out, 64), values(64, func(i int) int32 { return 2201 }))
		heap, err := r.d.Alloc("heap", 8*32)
		if err != nil {
			t.Fatal(err)
		}
		r.ok("heap", 1, 32, heap)
		equal(t, "heap", r.read(heap, 64), values(64, func(i int) int32 { return int32(i / 2 * (1 - i%2)) }))
	})
}

// TestWaiting checks that blocks that wait for others cost little, under every
// schedule: a warp runs less than 100 instructions from one barrier of the grid to the
// next, and hundreds if it polls for as long as its turns last.
func TestWaiting(t *testing.T) {
	const blocks, warps, rounds = 30, 2, 6
	schedules(t, func(t *testing.T, o Options) {
		r := newRig(t, o, "behaviour.ptx")
		defer r.clean()
		n := blocks * warps * 32
		a, b := r.buffer("a", make([]int32, n)), r.buffer("b", make([]int32, n))
		r.ok("gridsync", blocks, warps*32, a, b, r.buffer("arrived", []int32{0}), int32(rounds))
		equal(t, "gridsync", r.read(a, n), values(n, func(int) int32 { return rounds }))
		if each := r.d.Counters().Instructions / (blocks * warps * rounds); each > 100 {
			t.Errorf("%d instructions a warp and round", each)
		}
	})
}

// TestClosedModule: what is kept of a module's variables, to name them, does not keep its code.
func TestClosedModule(t *testing.T) {
	d := Open(Options{})
	defer func() { _ = d.Close() }()
	gone := func() chan bool {
		text := ".version 7.0\n.target sm_70\n.address_size 64\n.global .align 4 .u32 seen;\n.visible .entry k()\n{\n\tret;\n}\n"
		m, err := d.Load("m.ptx", text)
		if err != nil {
			t.Fatal(err)
		}
		if err := m.Close(); err != nil {
			t.Fatal(err)
		}
		gone := make(chan bool, 1)
		runtime.AddCleanup(m.(*module), func(gone chan bool) { gone <- true }, gone)
		return gone
	}()
	for range 10 {
		runtime.GC()
		select {
		case <-gone:
			return
		case <-time.After(100 * time.Millisecond):
		}
	}
	t.Error("a closed module is still there")
}
