package devicetest

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"irgl/internal/device"
)

// Launches run in order, and CopyOut waits for them without a Sync.
func testOrder(t *testing.T, d *tester) {
	k := d.kernel("grid.ptx", "step")
	x := d.alloc("x", []uint32{1})
	want := uint32(1)
	got := make([]uint32, 1)
	for i := range uint32(300) {
		d.launch(k, 1, 1, x, i)
		want = 3*want + i
		if i%100 == 50 {
			d.read(x, got)
			equal(t, "x midway", got, []uint32{want})
		}
	}
	// CopyIn is in order too: it comes after the launches so far.
	if err := d.CopyIn(x, encode([]uint32{2})); err != nil {
		t.Fatal(err)
	}
	d.launch(k, 1, 1, x, uint32(5))
	d.read(x, got)
	equal(t, "x", got, []uint32{11})
}

func testEvents(t *testing.T, d *tester) {
	k := d.kernel("grid.ptx", "busy")
	x := d.allocSize("x", 8)
	var events []device.Event
	for range 3 {
		e, err := d.NewEvent()
		if err != nil {
			t.Fatalf("NewEvent: %v", err)
		}
		events = append(events, e)
	}
	if _, err := events[1].Since(events[0]); err == nil {
		t.Error("Since of events that are not recorded succeeded")
	}
	since := func(e, start int) float64 {
		t.Helper()
		ms, err := events[e].Since(events[start])
		if err != nil {
			t.Fatalf("Since: %v", err)
		}
		return ms
	}
	// Where a machine's clock is the device's, other work on the machine may
	// come in between: once out of a few times it does not.
	for try := 1; ; try++ {
		for i, trips := range []uint64{1, 20000, 0} {
			if err := events[i].Record(); err != nil {
				t.Fatalf("Record: %v", err)
			}
			d.launch(k, 1, 1, x, trips)
		}
		first, second, both := since(1, 0), since(2, 1), since(2, 0)
		if first >= 0 && second > first && both >= second {
			break
		}
		if try == 10 {
			t.Errorf("1 trip took %v ms, 20000 trips %v ms, both %v ms", first, second, both)
			break
		}
	}
	if err := events[0].Record(); err != nil {
		t.Fatalf("second Record: %v", err)
	}
	if ms, err := events[0].Since(events[2]); err != nil || ms < 0 {
		t.Errorf("Since after a second Record = %v, %v", ms, err)
	}
	for _, e := range events {
		if err := e.Close(); err != nil {
			t.Errorf("Close of an event: %v", err)
		}
	}
}

func testGridBarrier(t *testing.T, d *tester) {
	if !d.Info().Cooperative {
		t.Skip("the device has no cooperative launch")
	}
	k := d.kernel("grid.ptx", "gridbarrier")
	const threads = 64
	resident, err := k.Occupancy(threads, 0)
	if err != nil || resident < 1 {
		t.Fatalf("Occupancy = %d, %v", resident, err)
	}
	most := resident * d.Info().Multiprocessors
	for _, c := range []struct{ blocks, rounds int }{{1, 3}, {min(2, most), 10}, {min(150, most), 21}} {
		a := d.alloc("a", ramp(c.blocks, mix))
		b := d.allocSize("b", int64(4*c.blocks))
		arrived := d.allocSize("arrived", 4)
		d.launchWith(k, device.Launch{
			Grid: device.Dim3{X: uint32(c.blocks)}, Block: device.Dim3{X: threads}, Cooperative: true,
		}, a, b, arrived, uint32(c.rounds))
		want, next := ramp(c.blocks, mix), make([]uint32, c.blocks)
		for range c.rounds {
			for i := range want {
				next[i] = want[i] + want[(i+1)%c.blocks]
			}
			want, next = next, want
		}
		got := make([]uint32, c.blocks)
		if c.rounds%2 == 0 {
			d.read(a, got)
		} else {
			d.read(b, got)
		}
		equal(t, "cells", got, want)
	}
	// More blocks than can be resident would wait for each other forever.
	err = d.Launch(k, device.Launch{
		Grid: device.Dim3{X: uint32(most + 1)}, Block: device.Dim3{X: threads}, Cooperative: true,
		Params: pack(uint64(0), uint64(0), uint64(0), uint32(0)),
	})
	if err == nil {
		t.Errorf("cooperative launch of %d blocks succeeded; %d can be resident", most+1, most)
	}
	d.sync()
}

// Blocks of a cluster synchronise without the rest of the grid, in launches of all kinds.
func testClusters(t *testing.T, d *tester) {
	if !d.Info().Clusters {
		t.Skip("the device has no clusters of blocks")
	}
	k := d.kernel("cluster.ptx", "turn")
	if got, want := k.Info().Cluster, (device.Dim3{X: 4, Y: 1, Z: 1}); got != want {
		t.Errorf("Cluster = %v, want %v", got, want)
	}
	const size, threads, rounds = 4, 96, 5
	most, err := k.Clusters(threads, 0)
	if err != nil || most < 1 {
		t.Fatalf("Clusters = %d, %v", most, err)
	}
	for _, c := range []struct {
		clusters    int
		cooperative bool
	}{{1, false}, {7, false}, {min(3, most), true}, {most, true}} {
		n := c.clusters * size * threads
		a, b := d.alloc("a", ramp(n, mix)), d.allocSize("b", int64(4*n))
		d.launchWith(k, device.Launch{
			Grid: device.Dim3{X: uint32(c.clusters * size)}, Block: device.Dim3{X: threads}, Cooperative: c.cooperative,
		}, a, b, uint32(rounds))
		got := make([]uint32, n)
		d.read(b, got) // after an odd number of rounds
		equal(t, fmt.Sprintf("%d clusters", c.clusters), got, ramp(n, func(i int) uint32 {
			block := i / threads
			cluster := block / size
			return mix((cluster*size+(block+rounds)%size)*threads+i%threads) + uint32(rounds*cluster)
		}))
	}
	for _, c := range []struct {
		blocks      int
		cooperative bool
	}{{size + 1, false}, {size*most + 1, true}, {size * (most + 1), true}} {
		err := d.Launch(k, device.Launch{
			Grid: device.Dim3{X: uint32(c.blocks)}, Block: device.Dim3{X: threads}, Cooperative: c.cooperative, Params: pack(uint64(0), uint64(0), uint32(0)),
		})
		if err == nil {
			t.Errorf("launch of %d blocks succeeded; the device holds %d clusters of %d", c.blocks, most, size)
		}
	}
	d.sync()
}

func testOccupancy(t *testing.T, d *tester) {
	k := d.kernel("vector.ptx", "vadd")
	last := 1 << 30
	for _, threads := range []int{32, 64, 128, 256, 512, 1024} {
		n, err := k.Occupancy(threads, 0)
		if err != nil {
			t.Fatalf("Occupancy(%d): %v", threads, err)
		}
		if n < 1 || n > last || n*threads > d.Info().MaxThreadsPerSM {
			t.Errorf("Occupancy(%d) = %d; the smaller block had %d, an SM has %d threads", threads, n, last, d.Info().MaxThreadsPerSM)
		}
		last = n
	}
	few, err := k.Occupancy(32, 40<<10)
	if err != nil {
		t.Fatalf("Occupancy(32, 40 KiB): %v", err)
	}
	if many, _ := k.Occupancy(32, 0); few < 1 || few >= many {
		t.Errorf("Occupancy with 40 KiB of shared memory = %d, without = %d", few, many)
	}
	if i := k.Info(); i.Name != "vadd" || i.MaxThreads < 1 || i.SharedBytes != 0 || i.LocalBytes < 0 {
		t.Errorf("Info = %+v", i)
	}
}

func testLaunchErrors(t *testing.T, d *tester) {
	m := d.module("grid.ptx")
	if _, err := m.Kernel("absent"); err == nil || !strings.Contains(err.Error(), "absent") {
		t.Errorf("Kernel(absent): %v, want an error with the name", err)
	}
	x := d.allocSize("x", 4)
	bounded := d.kernelOf(m, "bounded")
	if n := bounded.Info().MaxThreads; n != 128 {
		t.Errorf("MaxThreads of a kernel with .maxntid 128 = %d", n)
	}
	one := device.Dim3{X: 1}
	step := d.kernelOf(m, "step")
	for _, c := range []struct {
		what string
		k    device.Kernel
		l    device.Launch
	}{
		{"1025 threads", step, device.Launch{Grid: one, Block: device.Dim3{X: 1025}, Params: pack(x, uint32(0))}},
		{"32x33 threads", step, device.Launch{Grid: one, Block: device.Dim3{X: 32, Y: 33}, Params: pack(x, uint32(0))}},
		{"z of 65", step, device.Launch{Grid: one, Block: device.Dim3{Z: 65}, Params: pack(x, uint32(0))}},
		{"y of 65536 blocks", step, device.Launch{Grid: device.Dim3{Y: 65536}, Block: one, Params: pack(x, uint32(0))}},
		{"129 threads for .maxntid 128", bounded, device.Launch{Grid: one, Block: device.Dim3{X: 129}, Params: pack(x)}},
	} {
		err := d.Launch(c.k, c.l)
		if err == nil {
			err = d.Sync(context.Background())
		}
		if err == nil {
			t.Errorf("launch with %s succeeded", c.what)
		} else if !strings.Contains(err.Error(), c.k.Info().Name) {
			t.Errorf("launch with %s: error %q does not name the kernel", c.what, err)
		}
	}
	if step.Info().ParamsLength > 0 {
		for _, params := range [][]byte{nil, pack(x), pack(x, uint64(0))} {
			if err := d.Launch(step, device.Launch{Params: params}); err == nil {
				t.Errorf("launch with %d bytes of parameters instead of 12 succeeded", len(params))
			}
		}
	}
	// None of these did harm.
	d.launch(bounded, 2, 128, x)
	got := make([]uint32, 1)
	d.read(x, got)
	equal(t, "x", got, []uint32{256})
}

// PTX that is refused: the error holds the name of the text and a log.
func testLoadErrors(t *testing.T, d *tester) {
	const head = ".version 7.0\n.target sm_75\n.address_size 64\n"
	for _, c := range []struct{ name, ptx, want string }{
		{"syntax", head + ".visible .entry k()\n{\n\tadd.zigzag %r1, %r2, %r3;\n\tret;\n}\n", "zigzag"},
		{"undeclared", head + ".visible .entry k()\n{\n\tmov.u32 %nowhere, 1;\n\tret;\n}\n", "nowhere"},
		{"empty", "", ""},
		{"text", "this is no PTX", ""},
	} {
		_, err := d.Load("file-"+c.name, c.ptx)
		if err == nil {
			t.Errorf("Load of %s succeeded", c.name)
			continue
		}
		for _, want := range []string{"file-" + c.name, c.want} {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("Load of %s: error %q does not contain %q", c.name, err, want)
			}
		}
	}
	d.kernel("grid.ptx", "empty") // a good text loads after the bad ones
}

// Modules are independent: the same text loaded twice has its own variables,
// and closing one leaves the other.
func testModules(t *testing.T, d *tester) {
	m1, m2 := d.module("params.ptx"), d.module("params.ptx")
	k1, k2 := d.kernelOf(m1, "noparams"), d.kernelOf(m2, "noparams")
	d.launch(k1, 1, 3)
	d.launch(k2, 1, 4)
	d.launch(k2, 1, 4)
	got := make([]uint32, 1)
	for _, c := range []struct {
		m    device.Module
		want uint32
	}{{m1, 3}, {m2, 8}} {
		p, _, err := c.m.Global("noparams_count")
		if err != nil {
			t.Fatal(err)
		}
		d.read(p, got)
		equal(t, "count", got, []uint32{c.want})
	}
	if err := m1.Close(); err != nil {
		t.Fatalf("Close: %v", err)
	}
	d.launch(k2, 1, 1)
	d.sync()
	if _, err := m1.Kernel("noparams"); err == nil {
		t.Error("Kernel of a closed module succeeded")
	}
}

// Sync returns the error of a context that ends while a kernel runs; a later
// Sync works. Without work a device may also return nil.
func testSyncContext(t *testing.T, d *tester) {
	trips := uint64(1) << 17
	if d.Info().Kind == "cuda" {
		trips = 1 << 21 // about a second
	}
	k := d.kernel("grid.ptx", "busy")
	x := d.allocSize("x", 8)
	d.sync()
	d.launch(k, 1, 1, x, trips)
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Millisecond)
	defer cancel()
	err := d.Sync(ctx)
	if err != nil && !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Sync = %v, want the context's error", err)
	}
	if err == nil && d.Info().Kind == "cuda" {
		t.Error("Sync = nil although its context ended long before the kernel")
	}
	d.sync()
	if err != nil && d.Info().Kind != "cuda" {
		return // the kernel was stopped; what it did is not defined
	}
	got := make([]uint64, 1)
	d.read(x, got)
	equal(t, "trips", got, []uint64{trips})
}

// One device used by several goroutines in turn, each on its own thread: what
// a driver binds to threads must not show.
func testGoroutines(t *testing.T, d *tester) {
	k := d.kernel("grid.ptx", "step")
	x := d.alloc("x", []uint32{1})
	want := uint32(1)
	var mu sync.Mutex
	var wg sync.WaitGroup
	for i := range uint32(8) {
		want = 3*want + 1
		wg.Go(func() {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			mu.Lock()
			defer mu.Unlock()
			if err := d.Launch(k, device.Launch{Params: pack(x, uint32(1))}); err != nil {
				t.Errorf("goroutine %d: %v", i, err)
			}
			p, err := d.Alloc("scratch", 1000)
			if err == nil {
				err = d.Free(p)
			}
			if err == nil {
				err = d.Sync(context.Background())
			}
			if err != nil {
				t.Errorf("goroutine %d: %v", i, err)
			}
		})
	}
	wg.Wait()
	got := make([]uint32, 1)
	d.read(x, got)
	equal(t, "x", got, []uint32{want})
}

// Two open devices do not disturb each other; the calls alternate.
func testTwoDevices(t *testing.T, d *tester, open func(t *testing.T) device.Device) {
	e := &tester{Device: open(t), t: t}
	kd, ke := d.kernel("grid.ptx", "step"), e.kernel("grid.ptx", "step")
	xd, xe := d.alloc("x", []uint32{1}), e.alloc("x", []uint32{2})
	for i := range uint32(5) {
		d.launch(kd, 1, 1, xd, i)
		e.launch(ke, 1, 1, xe, i)
	}
	var got [2]uint32
	d.read(xd, got[:1])
	e.read(xe, got[1:])
	equal(t, "x", got[:], []uint32{301, 544})
	if err := e.Close(); err != nil {
		t.Fatalf("Close: %v", err)
	}
	d.launch(kd, 1, 1, xd, uint32(0))
	d.read(xd, got[:1])
	equal(t, "x after the other's Close", got[:1], []uint32{903})
}

// testFault launches a kernel of fault.ptx that accesses a wrong address: off
// from memory of 64 bytes, or from the null pointer. The launch or the next
// call that waits fails. On cuda so does every later call, since the context
// is lost, and nothing is said about new devices; elsewhere a new one works.
func testFault(t *testing.T, d *tester, open func(t *testing.T) device.Device, name string, off int64, null bool) {
	k := d.kernel("fault.ptx", name)
	p := d.allocSize("victim", 64)
	params := pack(p, off)
	if null {
		params = pack(uint64(0), off)
	}
	if name == "peek" {
		params = append(params, pack(d.allocSize("out", 4))...)
	}
	d.sync()
	err := d.Launch(k, device.Launch{Grid: device.Dim3{X: 1}, Block: device.Dim3{X: 32}, Params: params})
	if err == nil {
		err = d.Sync(context.Background())
	}
	if err == nil {
		t.Fatal("the access went unnoticed")
	}
	if !strings.Contains(err.Error(), name) {
		t.Errorf("error %q does not name the kernel", err)
	}
	t.Logf("the error: %v", err)
	if d.Info().Kind == "cuda" {
		if err := d.Sync(context.Background()); err == nil {
			t.Error("Sync after the fault succeeded")
		}
		if err := d.CopyOut(make([]byte, 4), p); err == nil {
			t.Error("CopyOut after the fault succeeded")
		}
		if _, err := d.Alloc("more", 4); err == nil {
			t.Error("Alloc after the fault succeeded")
		}
		// What a new device would do is the driver's affair: that of
		// 2025 (CUDA 13.0) refuses one until the process ends.
		return
	}
	e := &tester{Device: open(t), t: t}
	x := e.alloc("x", []uint32{1})
	e.launch(e.kernel("grid.ptx", "step"), 1, 1, x, uint32(4))
	got := make([]uint32, 1)
	e.read(x, got)
	equal(t, "x on a new device", got, []uint32{7})
	if err := e.Close(); err != nil {
		t.Errorf("Close of the new device: %v", err)
	}
}
