package ptxtest_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"irgl/internal/device"
	"irgl/internal/device/cuda"
	"irgl/internal/device/ptxtest"
	"irgl/internal/device/simt"
)

// The variables that say which programs run on which device, and, to a process of this test, that it is one.
const (
	which  = "IRGL_PTXTEST"
	worker = "IRGL_PTXTEST_WORKER"
)

// chosen returns the device and the programs of IRGL_PTXTEST="DEVICE FIRST COUNT", and otherwise a few for a GPU.
func chosen(t *testing.T) (dev string, first, n uint64) {
	t.Helper()
	dev, n = "cuda", 200
	if s := os.Getenv(which); s != "" {
		if _, err := fmt.Sscan(s, &dev, &first, &n); err != nil || dev != "cuda" && dev != "simt" {
			t.Fatalf("%s=%q: it is a device, cuda or simt, the first seed and the number of programs: %v", which, s, err)
		}
	}
	return dev, first, n
}

// open opens the device that is compared with the emulator; simt is another emulator, for a test of this test.
func open(t *testing.T, dev string) device.Device {
	t.Helper()
	if dev == "simt" {
		return simt.Open(simt.Options{Seed: 77, Schedule: simt.Fine})
	}
	gpu, err := cuda.Open(0)
	if errors.Is(err, cuda.ErrNoDriver) || errors.Is(err, cuda.ErrNoDevice) {
		t.Skip("no GPU to compare with: ", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return gpu
}

// TestGPU compares programs on a GPU with the emulator: IRGL_PTXTEST="cuda 0 10000" ten thousand of them.
// The driver compiles the programs of a process one after another, so that processes of this test, one for each CPU, share them. A
// group whose process dies is split, down to the program that does it.
func TestGPU(t *testing.T) {
	dev, first, n := chosen(t)
	if os.Getenv(worker) != "" {
		compareGroup(t, dev, first, n)
		return
	}
	if err := open(t, dev).Close(); err != nil {
		t.Fatal(err)
	}
	const at, most = 50, 10 // programs of a process, and programs that are told of
	type seeds struct{ first, n uint64 }
	var mu sync.Mutex
	var wg sync.WaitGroup
	failed, done := 0, uint64(0)
	slots := make(chan bool, runtime.NumCPU())
	begin := time.Now()
	var run func(s seeds)
	run = func(s seeds) {
		slots <- true
		mu.Lock()
		enough := failed >= most
		mu.Unlock()
		if enough {
			<-slots
			return
		}
		out, err := runWorker(dev, s.first, s.n)
		<-slots
		if err != nil && !strings.Contains(out, "differs") && s.n > 1 {
			run(seeds{s.first, s.n / 2})
			run(seeds{s.first + s.n/2, s.n - s.n/2})
			return
		}
		mu.Lock()
		defer mu.Unlock()
		if done += s.n; done/1000 != (done-s.n)/1000 {
			t.Logf("%d programs in %.0f s", done, time.Since(begin).Seconds())
		}
		if err != nil {
			failed++
			t.Errorf("programs %d to %d: %v\n%s", s.first, s.first+s.n-1, err, out)
		}
	}
	for i := uint64(0); i < n; i += at {
		wg.Go(func() { run(seeds{first + i, min(at, n-i)}) })
	}
	wg.Wait()
	t.Logf("%d programs in %.1f s", done, time.Since(begin).Seconds())
}

// runWorker runs programs in a process of their own.
func runWorker(dev string, first, n uint64) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, os.Args[0], "-test.run=^TestGPU$", "-test.timeout=0")
	cmd.Env = append(os.Environ(), worker+"=1", fmt.Sprintf("%s=%s %d %d", which, dev, first, n))
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	return out.String(), err
}

// compareGroup compares programs, and shows the first that differs as small as it can be made.
func compareGroup(t *testing.T, dev string, first, n uint64) {
	other := open(t, dev)
	defer other.Close()
	difference := func(programs ...*ptxtest.Program) (*ptxtest.Program, *ptxtest.Difference) {
		want, err := emulate(simt.Options{}, programs...)
		if err != nil {
			t.Fatal(err)
		}
		got, err := ptxtest.Run(context.Background(), other, programs...)
		if err != nil {
			t.Fatal(err)
		}
		for i, p := range programs {
			if d := p.Compare(want[i], got[i]); d != nil {
				return p, d
			}
		}
		return nil, nil
	}
	p, d := difference(group(first, n)...)
	if p == nil {
		return
	}
	t.Errorf("program %d differs: emulator, %v", p.Seed, d)
	deadline := time.Now().Add(time.Minute)
	small := ptxtest.Reduce(p, func(p *ptxtest.Program) bool {
		if time.Now().After(deadline) {
			return false
		}
		_, d := difference(p)
		return d != nil
	})
	if _, d := difference(small); d != nil {
		t.Errorf("program %d differs, reduced to %d statements: emulator, %v\n%s\nof\n%s", p.Seed, small.Statements(), d, small.Body(), ptxtest.Module(small))
	}
}
