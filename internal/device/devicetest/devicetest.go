package devicetest

import (
	"bytes"
	"context"
	"embed"
	"encoding/binary"
	"fmt"
	"io/fs"
	"math"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"

	"irgl/internal/device"
)

//go:embed testdata/*.ptx
var testdata embed.FS

// Files returns the suite's PTX texts by file name, such as "warp.ptx", for
// tests of tools that read PTX.
func Files() map[string]string {
	files := make(map[string]string)
	// The file system is the embedded one above: its errors cannot happen
	// at run time, only when the directory is renamed, and Run would say so.
	names, _ := fs.Glob(testdata, "testdata/*.ptx")
	for _, name := range names {
		text, _ := testdata.ReadFile(name)
		files[name[len("testdata/"):]] = string(text)
	}
	return files
}

// Run tests the devices that open returns. Open is called once for each
// subtest and once before them; it must return a device that shares no state
// with an earlier one, or fail or skip t. A
// [device.Checking] device must be opened with all checks on. Run closes what it
// opened.
func Run(t *testing.T, open func(t *testing.T) device.Device) {
	// Opening once here lets open skip the whole suite with one reason.
	first := &tester{Device: open(t), t: t}
	ruinous := first.ruinous()
	if err := first.Close(); err != nil {
		t.Fatalf("Close of an unused device: %v", err)
	}
	for _, tt := range []struct {
		name   string
		test   func(t *testing.T, d *tester)
		expect expectation
	}{
		{"Info", testInfo, clean},
		{"AllocZero", testAllocZero, clean},
		{"AllocErrors", testAllocErrors, clean},
		{"Copies", testCopies, clean},
		{"CopyLarge", testCopyLarge, clean},
		{"CopyErrors", testCopyErrors, clean},
		{"Fill", testFill, clean},
		{"Globals", testGlobals, clean},
		{"VectorAdd", testVectorAdd, clean},
		{"GridStride", testGridStride, clean},
		{"Coordinates", testCoordinates, clean},
		{"Params", testParams, clean},
		{"SharedReduction", testSharedReduction, clean},
		{"DynamicShared", testDynamicShared, clean},
		{"LocalMemory", testLocalMemory, clean},
		{"GenericAddress", testGenericAddress, clean},
		{"Atomics", testAtomics, clean},
		{"AtomicsNoResult", testRed, clean},
		{"AtomicCAS", testCAS, clean},
		{"AtomicsShared", testSharedHistogram, clean},
		{"Votes", testVotes, clean},
		{"PartialWarp", testPartialWarp, clean},
		{"Divergence", testDivergence, clean},
		{"EarlyExit", testEarlyExit, clean},
		{"Order", testOrder, clean},
		{"Events", testEvents, clean},
		{"GridBarrier", testGridBarrier, clean},
		{"Clusters", testClusters, clean},
		{"Occupancy", testOccupancy, clean},
		{"LaunchErrors", testLaunchErrors, clean},
		{"LoadErrors", testLoadErrors, clean},
		{"Modules", testModules, clean},
		{"SyncContext", testSyncContext, clean},
		{"Goroutines", testGoroutines, clean},
		{"TwoDevices", func(t *testing.T, d *tester) { testTwoDevices(t, d, open) }, clean},
		{"HostMemory", testHostMemory, clean},
		{"StreamOrder", testStreamOrder, clean},
		{"StreamAllocZero", testStreamAllocZero, clean},
		{"StreamOverlap", testStreamOverlap, clean},
		{"StreamNoOverlap", testStreamNoOverlap, clean},
		{"StreamSync", testStreamSync, clean},
		{"StreamClose", testStreamClose, clean},
		{"StreamErrors", func(t *testing.T, d *tester) { testStreamErrors(t, d, open) }, clean},
		{"StreamEvents", testStreamEvents, clean},
		{"StreamWaitMoves", testStreamWaitMoves, clean},
		{"AsyncCopies", testAsyncCopies, clean},
		{"StreamRaces", testStreamRaces, racy},
		{"StreamScopes", testStreamScopes, racy},
		{"Scopes", testScopes, racy},
		{"StreamFault", testStreamFault, faulty},
		{"OutOfBounds", func(t *testing.T, d *tester) { testFault(t, d, open, "poke", 1<<36, false) }, faulty},
		{"NullPointer", func(t *testing.T, d *tester) { testFault(t, d, open, "peek", 16, true) }, faulty},
		{"Misaligned", func(t *testing.T, d *tester) { testFault(t, d, open, "peek", 2, false) }, faulty},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.expect == faulty && ruinous && os.Getenv(childVariable) == "" {
				runInChild(t)
				return
			}
			d := &tester{Device: open(t), t: t}
			defer func() {
				if err := d.Close(); err != nil && tt.expect != faulty {
					t.Errorf("Close: %v", err)
				}
			}()
			tt.test(t, d)
			d.expect(tt.expect)
		})
	}
}

// An expectation says what the kernels of a subtest do.
type expectation uint8

const (
	clean  expectation = iota // nothing wrong: a checking device reports nothing
	racy                      // some races, which the subtest expects
	faulty                    // a fault, after which the device may be unusable
)

// expect compares the reports of a checking device with what was expected.
func (d *tester) expect(e expectation) {
	d.t.Helper()
	if c, ok := d.Device.(device.Checking); ok && e == clean {
		for _, r := range c.Reports() {
			d.t.Errorf("false report: %s", r)
		}
	}
}

// ruinous reports whether a fault on the device is one for the whole process.
func (d *tester) ruinous() bool { return d.Info().Kind == "cuda" }

// childVariable is set in the environment of a process that runInChild made.
const childVariable = "IRGL_DEVICETEST_CHILD"

// runInChild runs the present subtest, alone, in a process of its own: a fault
// in a kernel can leave a driver unusable for the rest of the process.
func runInChild(t *testing.T) {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	parts := strings.Split(t.Name(), "/")
	for i, part := range parts {
		parts[i] = "^" + regexp.QuoteMeta(part) + "$"
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, "-test.run="+strings.Join(parts, "/"), "-test.v")
	cmd.Env = append(os.Environ(), childVariable+"=1")
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "--- PASS: "+t.Name()) {
		t.Errorf("in its own process: %v\n%s", err, out)
		return
	}
	t.Logf("in its own process:\n%s", out)
}

// A tester is a device under test whose helpers end the test at an error.
type tester struct {
	device.Device
	t *testing.T
}

// alloc allocates memory that holds v, a slice of fixed-size values.
func (d *tester) alloc(name string, v any) device.Ptr {
	d.t.Helper()
	data := encode(v)
	p := d.allocSize(name, int64(len(data)))
	if err := d.CopyIn(p, data); err != nil {
		d.t.Fatalf("CopyIn(%s): %v", name, err)
	}
	return p
}

func (d *tester) allocSize(name string, size int64) device.Ptr {
	d.t.Helper()
	p, err := d.Alloc(name, size)
	if err != nil {
		d.t.Fatalf("Alloc(%s, %d): %v", name, size, err)
	}
	return p
}

// read fills out, a slice of fixed-size values, from p.
func (d *tester) read(p device.Ptr, out any) {
	d.t.Helper()
	data := make([]byte, binary.Size(out))
	if err := d.CopyOut(data, p); err != nil {
		d.t.Fatalf("CopyOut: %v", err)
	}
	if err := binary.Read(bytes.NewReader(data), binary.LittleEndian, out); err != nil {
		d.t.Fatal(err)
	}
}

// module loads a file of testdata.
func (d *tester) module(file string) device.Module {
	d.t.Helper()
	text, err := testdata.ReadFile("testdata/" + file)
	if err != nil {
		d.t.Fatal(err)
	}
	m, err := d.Load(file, string(text))
	if err != nil {
		d.t.Fatalf("Load(%s): %v", file, err)
	}
	return m
}

func (d *tester) kernel(file, name string) device.Kernel {
	d.t.Helper()
	return d.kernelOf(d.module(file), name)
}

func (d *tester) kernelOf(m device.Module, name string) device.Kernel {
	d.t.Helper()
	k, err := m.Kernel(name)
	if err != nil {
		d.t.Fatalf("Kernel(%s): %v", name, err)
	}
	return k
}

// launch starts k on grid blocks of block threads in one dimension.
func (d *tester) launch(k device.Kernel, grid, block uint32, args ...any) {
	d.t.Helper()
	d.launchWith(k, device.Launch{Grid: device.Dim3{X: grid}, Block: device.Dim3{X: block}}, args...)
}

func (d *tester) launchWith(k device.Kernel, l device.Launch, args ...any) {
	d.t.Helper()
	l.Params = pack(args...)
	if err := d.Launch(k, l); err != nil {
		d.t.Fatalf("Launch(%s): %v", k.Info().Name, err)
	}
}

func (d *tester) sync() {
	d.t.Helper()
	if err := d.Sync(context.Background()); err != nil {
		d.t.Fatalf("Sync: %v", err)
	}
}

// encode returns the little-endian bytes of v.
func encode(v any) []byte {
	data, err := binary.Append(nil, binary.LittleEndian, v)
	if err != nil {
		panic(fmt.Sprintf("devicetest: %v", err)) // a mistake in this package
	}
	return data
}

// pack lays out a parameter block: each value at the next multiple of its
// size, a byte slice (a structure passed by value) at the next multiple of 8.
func pack(args ...any) []byte {
	var b []byte
	for _, arg := range args {
		v, align := encode(arg), 8
		if _, ok := arg.([]byte); !ok {
			align = len(v)
		}
		for len(b)%align != 0 {
			b = append(b, 0)
		}
		b = append(b, v...)
	}
	return b
}

// equal compares got with want and reports the first difference.
func equal[T comparable](t *testing.T, what string, got, want []T) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d values, want %d", what, len(got), len(want))
	}
	bad := 0
	first := -1
	for i := range got {
		if got[i] != want[i] {
			if first < 0 {
				first = i
			}
			bad++
		}
	}
	if bad > 0 {
		t.Errorf("%s[%d] = %v, want %v; %d of %d values differ", what, first, got[first], want[first], bad, len(got))
	}
}

// ramp returns f(0), ..., f(n-1).
func ramp[T any](n int, f func(i int) T) []T {
	s := make([]T, n)
	for i := range s {
		s[i] = f(i)
	}
	return s
}

// mix is a small hash (the finaliser of MurmurHash3) that makes inputs
// without order, the same in every run.
func mix(i int) uint32 {
	h := uint32(i)*0x9e3779b1 + 0x7f4a7c15
	h ^= h >> 16
	h *= 0x85ebca6b
	h ^= h >> 13
	h *= 0xc2b2ae35
	return h ^ h>>16
}

// f32 is exact for the small integers that tests add up.
func f32(i int) float32 { return float32(i) }

// bits64 returns the bits of x.
func bits64(x float64) uint64 { return math.Float64bits(x) }

// f32bits returns the bits of x as a float32.
func f32bits(x float32) uint32 { return math.Float32bits(x) }
