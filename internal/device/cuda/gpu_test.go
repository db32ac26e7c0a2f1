//go:build (linux || windows) && (amd64 || arm64) && !nogpu

package cuda

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"
	"unsafe"

	"irgl/internal/device"
	"irgl/internal/device/devicetest"
	"irgl/internal/memory"
)

// The structures that the driver reads have its header's layout.
func TestLayout(t *testing.T) {
	var c launchConfig
	var a launchAttribute
	for _, f := range []struct {
		name      string
		got, want uintptr
	}{
		{"CUlaunchConfig", unsafe.Sizeof(c), 56},
		{"blockDimX", unsafe.Offsetof(c.block), 12},
		{"sharedMemBytes", unsafe.Offsetof(c.shared), 24},
		{"hStream", unsafe.Offsetof(c.stream), 32},
		{"attrs", unsafe.Offsetof(c.attrs), 40},
		{"numAttrs", unsafe.Offsetof(c.count), 48},
		{"CUlaunchAttribute", unsafe.Sizeof(a), 72},
		{"value", unsafe.Offsetof(a.value), 8},
	} {
		if f.got != f.want {
			t.Errorf("%s: %d, want %d", f.name, f.got, f.want)
		}
	}
}

func TestBuffers(t *testing.T) {
	var b buffers
	m := new(module)
	for _, e := range []buffer{{0x1000, 16, "a", allocated, nil}, {0x3000, 0, "empty", allocated, nil}, {0x2000, 256, "v", variable, m}, {0x800, 8, "b", pageLocked, nil}} {
		b.add(e)
	}
	for _, c := range []struct {
		p    device.Ptr
		size int64
		want string
	}{
		{0x1000, 16, "ok"}, {0x100f, 1, "ok"}, {0x1000, 17, "17 bytes at offset 0 of a, which has 16"},
		{0x1010, 1, "none"}, {0x7ff, 1, "none"}, {0x807, 2, "2 bytes at offset 7 of b, which has 8"},
		{0x20ff, 1, "ok"}, {0x3000, 1, "1 bytes at offset 0 of empty, which has 0"}, {0x3001, 1, "none"},
	} {
		got := "none"
		if e, ok := b.containing(c.p); ok {
			got = "ok"
			if err := e.check(c.p, c.size); err != nil {
				got = err.Error()
			}
		}
		if got != c.want {
			t.Errorf("%d bytes at %#x: %s, want %s", c.size, uint64(c.p), got, c.want)
		}
	}
	b.removeModule(m)
	b.remove(0x1000)
	b.remove(0x1001)
	if len(b.list) != 2 || b.list[0].name != "b" || b.list[1].name != "empty" {
		t.Errorf("after removals: %v", b.list)
	}
}

func TestCountParams(t *testing.T) {
	got := countParams(withoutComments(`
// .entry commented(.param .u32 x)
.visible .entry none()
{ ret; }
.entry two ( .param .u64 a, /* .param .u32 gone, */
	.param .align 8 .b8 b[24] // .param
) .maxntid 128, 1, 1 { ret; }
.visible .entry $bare { ret; }
.visible .func f(.param .u32 x) { ret; }
`))
	want := map[string]int{"none": 0, "two": 2, "$bare": 0}
	if !maps.Equal(got, want) {
		t.Errorf("countParams = %v, want %v", got, want)
	}
	for name, text := range devicetest.Files() {
		total := 0
		for _, n := range countParams(withoutComments(text)) {
			total += n
		}
		if want := strings.Count(text, "\n\t.param ."); total != want {
			t.Errorf("%s: %d parameters, want %d", name, total, want)
		}
	}
}

// The log of the driver's compiler comes back with the lines that it names.
func TestLoadError(t *testing.T) {
	d := openTest(t)
	defer d.Close()
	_, err := d.Load("bad.ptx", ".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry k()\n{\n\tadd.zigzag %r1, %r2, %r3;\n}\n")
	var load *LoadError
	if !errors.As(err, &load) {
		t.Fatalf("Load: %v, want a LoadError", err)
	}
	t.Logf("the error: %v", err)
	if load.Name != "bad.ptx" || load.Log == "" || !strings.Contains(load.PTX, "6 | \tadd.zigzag") {
		t.Errorf("name %q, log %q, lines %q", load.Name, load.Log, load.PTX)
	}
	if _, err := d.Load("nul.ptx", "\x00"); !errors.As(err, &load) {
		t.Errorf("Load of a NUL: %v", err)
	}
}

// What is assembled without optimisation asks for other registers.
func TestUnoptimised(t *testing.T) {
	registers := func(d device.Device) map[string]int {
		defer d.Close()
		found := map[string]int{}
		for file, text := range devicetest.Files() {
			m, err := d.Load(file, text)
			if err != nil {
				t.Fatal(err)
			}
			for name := range countParams(withoutComments(text)) {
				k, err := m.Kernel(name)
				if err != nil {
					t.Fatal(err)
				}
				found[file+" "+name] = k.Info().Registers
			}
		}
		return found
	}
	optimised := registers(openTest(t))
	d, err := OpenWith(0, Options{Unoptimised: true})
	if err != nil {
		t.Fatal(err)
	}
	if plain := registers(d); maps.Equal(plain, optimised) || len(plain) != len(optimised) {
		t.Errorf("%d kernels have the registers of %d optimised ones: %v", len(plain), len(optimised), plain)
	}
}

// Staged copies of sizes around multiples of the chunk and of the ring, one
// after the other without a wait between, bring every byte to its place.
func TestStaging(t *testing.T) {
	d := openTest(t).(*gpu)
	defer d.Close()
	const chunk, most = 4 << 10, 200 << 10
	data := make([]byte, most)
	for i := range data {
		data[i] = byte(i) ^ byte(i>>8)*3 ^ byte(i>>16)
	}
	p, err := d.Alloc("p", most)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.enter(); err != nil {
		t.Fatal(err)
	}
	defer d.leave()
	for _, count := range []int{2, 3, 8} {
		s, err := d.newStaging(chunk, count)
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range []int{1, chunk - 1, chunk, chunk + 1, 2 * chunk, 3*chunk + 7, 8 * chunk, 9*chunk + 1, 17 * chunk, most} {
			got := make([]byte, n+1)
			err := d.Fill(p, 0xee, most)
			if err == nil {
				err = d.main.copyInStaged(s, p, data[:n])
			}
			if err == nil {
				err = d.main.copyInStaged(s, p, data[:n]) // finds the slots in use
			}
			if err == nil {
				err = d.waitAll(context.Background())
			}
			if err == nil {
				err = d.main.copyOutStaged(s, got[:n], p)
			}
			if err != nil {
				t.Fatalf("%d bytes through %d chunks: %v", n, count, err)
			}
			if !bytes.Equal(got[:n], data[:n]) || got[n] != 0 {
				t.Errorf("%d bytes through %d chunks came back changed", n, count)
			}
			tail := make([]byte, 1)
			if n < most {
				if err := d.CopyOut(tail, p+device.Ptr(n)); err != nil || tail[0] != 0xee {
					t.Errorf("%d bytes through %d chunks: byte after the end is %#x, %v", n, count, tail[0], err)
				}
			}
		}
	}
}

// A copy large enough to make the staging area, through the interface.
func TestCopyHuge(t *testing.T) {
	d := openTest(t).(*gpu)
	defer d.Close()
	const n = stagingFirst + 3*chunkSize + 12345
	data, got := make([]byte, n), make([]byte, n)
	for i := range data {
		data[i] = byte(i) ^ byte(i>>9) ^ byte(i>>19)
	}
	p, err := d.Alloc("p", n)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(d.CopyIn(p, data), d.CopyOut(got, p)); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, data) {
		t.Errorf("%d bytes came back changed", n)
	}
	if d.staging == nil && runtime.GOMAXPROCS(0) >= stagingCores {
		t.Error("the copy did not go through the staging area")
	}
}

// Errors of a closed device and module, and of things of another device.
func TestMisuse(t *testing.T) {
	d, e := openTest(t), openTest(t)
	defer e.Close()
	text := devicetest.Files()["grid.ptx"]
	m, err := d.Load("grid.ptx", text)
	if err != nil {
		t.Fatal(err)
	}
	k, err := m.Kernel("empty")
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Launch(k, device.Launch{}); err == nil {
		t.Error("launch of another device's kernel succeeded")
	}
	if err := e.Launch(nil, device.Launch{}); err == nil {
		t.Error("launch of no kernel succeeded")
	}
	ed, _ := d.NewEvent()
	ee, _ := e.NewEvent()
	if _, err := ee.Since(ed); err == nil {
		t.Error("Since another device's event succeeded")
	}
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
	if err := d.Launch(k, device.Launch{}); !errors.Is(err, errModuleClosed) {
		t.Errorf("launch from a closed module: %v", err)
	}
	for range 2 {
		if err := d.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := d.Alloc("late", 4); !errors.Is(err, errClosed) {
		t.Errorf("Alloc of a closed device: %v", err)
	}
	if err := d.Sync(context.Background()); !errors.Is(err, errClosed) {
		t.Errorf("Sync of a closed device: %v", err)
	}
	if err := errors.Join(ed.Close(), m.Close()); err != nil {
		t.Errorf("closing after the device: %v", err)
	}
}

// BenchmarkLaunch measures what an iteration of a loop on the host costs: a
// launch alone, with parameters, a launch that is waited for, and one whose
// four-byte result is read.
//
// The first rows are the driver's own cost, of calls without checks. The last are
// what a run does between its launches.
func BenchmarkLaunch(b *testing.B) {
	d := openTest(b)
	defer d.Close()
	m, err := d.Load("grid.ptx", devicetest.Files()["grid.ptx"])
	if err != nil {
		b.Fatal(err)
	}
	empty, _ := m.Kernel("empty")
	step, err := m.Kernel("step")
	if err != nil {
		b.Fatal(err)
	}
	x, err := d.Alloc("x", 4)
	if err != nil {
		b.Fatal(err)
	}
	params := make([]byte, 12)
	for i := range 8 {
		params[i] = byte(x >> (8 * i))
	}
	counts, err := d.Alloc("counts", 17<<10)
	if err != nil {
		b.Fatal(err)
	}
	event, err := d.NewEvent()
	if err != nil {
		b.Fatal(err)
	}
	ctx := context.Background()
	word, item := make([]byte, 4), make([]byte, 16)
	raw := d.(*gpu)
	for _, c := range []struct {
		name string
		f    func() error
	}{
		{"driver-launch", func() error {
			return raw.check(call(raw.cu.launch, empty.(*kernel).handle, 1, 1, 1, 1, 1, 1, 0, raw.main.handle, 0, 0), "cuLaunchKernel")
		}},
		{"async", func() error { return d.Launch(empty, device.Launch{}) }},
		{"async-params", func() error { return d.Launch(step, device.Launch{Params: params}) }},
		{"sync", func() error { return errors.Join(d.Launch(empty, device.Launch{}), d.Sync(ctx)) }},
		{"driver-sync", func() error {
			err := d.Launch(empty, device.Launch{})
			return errors.Join(err, raw.check(call(raw.cu.streamSynchronize, raw.main.handle), "cuStreamSynchronize"))
		}},
		{"copy4", func() error { return errors.Join(d.Launch(empty, device.Launch{}), d.CopyOut(word, x)) }},
		{"async-100-sync", func() error {
			for range 100 {
				if err := d.Launch(empty, device.Launch{}); err != nil {
					return err
				}
			}
			return d.Sync(ctx)
		}},
		{"sync-copy4", func() error {
			return errors.Join(d.Launch(empty, device.Launch{}), d.Sync(ctx), d.CopyOut(word, x))
		}},
		{"set-context", func() error {
			err := raw.enter()
			raw.leave()
			return err
		}},
		{"cooperative", func() error { return d.Launch(empty, device.Launch{Cooperative: true}) }},
		{"copy-in-4", func() error { return d.CopyIn(x, word) }},
		{"copy-in-16", func() error { return d.CopyIn(counts, item) }},
		{"fill-17k", func() error { return d.Fill(counts, 0, 17<<10) }},
		{"event", func() error { return event.Record() }},
		{"occupancy", func() error {
			_, err := empty.Occupancy(256, 0)
			return err
		}},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			// For the rows that do without enter.
			if err := raw.enter(); err != nil {
				b.Fatal(err)
			}
			defer raw.leave()
			for range b.N {
				if err := c.f(); err != nil {
					b.Fatal(err)
				}
			}
			if err := d.Sync(ctx); err != nil {
				b.Fatal(err)
			}
		})
	}
}

// BenchmarkCopy compares ways to copy between host and device, of 1 GiB:
// ordinary memory left to the driver, and staging areas of several shapes.
func BenchmarkCopy(b *testing.B) {
	d := openTest(b).(*gpu)
	defer d.Close()
	const size = 1 << 30
	p, err := d.Alloc("p", size)
	if err != nil {
		b.Fatal(err)
	}
	host := make([]byte, size)
	for i := 0; i < size; i += 4096 {
		host[i] = byte(i >> 12)
	}
	ctx := context.Background()
	run := func(name string, f func() error) {
		b.Run(name, func(b *testing.B) {
			if err := d.enter(); err != nil {
				b.Fatal(err)
			}
			defer d.leave()
			b.SetBytes(size)
			for range b.N {
				if err := errors.Join(f(), d.waitAll(ctx)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	run("pageable-in", func() error { return d.main.copyInDriver(p, host) })
	run("pageable-out", func() error { return d.main.copyOutDriver(host, p) })
	for _, count := range []int{2, 8, 16} {
		for _, chunk := range []int{1 << 20, 4 << 20, 16 << 20} {
			shape := fmt.Sprintf("%dx%dMiB", count, chunk>>20)
			var s *staging
			run("staging-"+shape, func() (err error) {
				s, err = d.newStaging(chunk, count)
				return err
			})
			run("staged-in-"+shape, func() error { return d.main.copyInStaged(s, p, host) })
			run("staged-out-"+shape, func() error { return d.main.copyOutStaged(s, host, p) })
		}
	}
}

// BenchmarkCopySmall shows where going through the staging area begins to pay.
func BenchmarkCopySmall(b *testing.B) {
	d := openTest(b).(*gpu)
	defer d.Close()
	p, err := d.Alloc("p", 64<<20)
	if err != nil {
		b.Fatal(err)
	}
	host := make([]byte, 64<<20)
	var s *staging
	if err = d.enter(); err == nil {
		s, err = d.newStaging(chunkSize, chunkCount)
		d.leave()
	}
	if err != nil {
		b.Fatal(err)
	}
	for _, n := range []int{4, 4 << 10, 64 << 10, 256 << 10, 1 << 20, 4 << 20, 16 << 20, 64 << 20} {
		for _, c := range []struct {
			name string
			f    func() error
		}{
			{"pageable-in", func() error { return d.main.copyInDriver(p, host[:n]) }},
			{"staged-in", func() error { return d.main.copyInStaged(s, p, host[:n]) }},
			{"pageable-out", func() error { return d.main.copyOutDriver(host[:n], p) }},
			{"staged-out", func() error { return d.main.copyOutStaged(s, host[:n], p) }},
			{"CopyOut", func() error { return d.CopyOut(host[:n], p) }},
		} {
			b.Run(fmt.Sprintf("%s-%s", c.name, strings.ReplaceAll(memory.Format(int64(n)), " ", "")), func(b *testing.B) {
				if err := d.enter(); err != nil {
					b.Fatal(err)
				}
				defer d.leave()
				b.SetBytes(int64(n))
				for range b.N {
					if err := errors.Join(c.f(), d.waitAll(context.Background())); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// BenchmarkOpen measures opening and closing, and the first launch of a module
// that the driver's cache may hold.
func BenchmarkOpen(b *testing.B) {
	for i := range b.N {
		start := time.Now()
		d := openTest(b)
		opened := time.Since(start)
		m, err := d.Load("warp.ptx", devicetest.Files()["warp.ptx"]+fmt.Sprintf("// %d %d\n", i, start.UnixNano()))
		if err != nil {
			b.Fatal(err)
		}
		loaded := time.Since(start) - opened
		if err := errors.Join(m.Close(), d.Close()); err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(opened.Microseconds())/1000, "ms/open")
		b.ReportMetric(float64(loaded.Microseconds())/1000, "ms/load")
	}
}

// TestReopen records what the driver does after a fault; it expects only that
// nothing hangs and that the error, if there is one, is the driver's.
func TestReopen(t *testing.T) {
	if os.Getenv("IRGL_CUDA_REOPEN") == "" {
		t.Skip("ruins the process; run alone with IRGL_CUDA_REOPEN=1")
	}
	d := openTest(t)
	m, err := d.Load("fault.ptx", devicetest.Files()["fault.ptx"])
	if err != nil {
		t.Fatal(err)
	}
	k, err := m.Kernel("peek")
	if err != nil {
		t.Fatal(err)
	}
	err = errors.Join(d.Launch(k, device.Launch{Params: make([]byte, 24)}), d.Sync(context.Background()))
	t.Logf("fault: %v", err)
	if !hasCode(err, codeIllegalAddress) {
		t.Errorf("fault: %v, want an illegal address", err)
	}
	raw := d.(*gpu)
	r := call(raw.cu.ctxDestroy, raw.ctx)
	t.Logf("cuCtxDestroy: %v", raw.cu.check(r, "cuCtxDestroy"))
	raw.closed = true
	e, err := Open(0)
	t.Logf("Open: %v", err)
	if err == nil {
		t.Logf("Close: %v", e.Close())
	}
}
