package devicetest

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"irgl/internal/device"
)

// races returns how many races the devices have reported, and whether they look
// for them.
func races(devices ...*tester) (n int, checking bool) {
	for _, d := range devices {
		c, ok := d.Device.(device.Checking)
		if !ok {
			return 0, false
		}
		for _, r := range c.Reports() {
			if r.Kind == "race" {
				n++
			} else {
				d.t.Errorf("unexpected report: %s", r)
			}
		}
	}
	return n, true
}

// expectRaces runs f, during which a checking device must report a race or must not.
func expectRaces(t *testing.T, what string, want bool, devices []*tester, f func()) {
	t.Helper()
	before, checking := races(devices...)
	f()
	for _, d := range devices {
		d.sync()
	}
	after, _ := races(devices...)
	if got := after > before; checking && got != want {
		t.Errorf("%s: race reported: %v, want %v", what, got, want)
		for _, d := range devices {
			t.Logf("reports: %v", d.Device.(device.Checking).Reports())
		}
	}
}

// Accesses from two streams race if no event orders them.
func testStreamRaces(t *testing.T, d *tester) {
	if _, checking := races(d); !checking {
		t.Skip("the device does not look for races")
	}
	a, b := d.stream(device.StreamOptions{Name: "a"}), d.stream(device.StreamOptions{Name: "b"})
	block := d.stream(device.StreamOptions{Name: "blocking", Blocking: true})
	m := d.module("streams.ptx")
	put, move := d.kernelOf(m, "put"), d.kernelOf(m, "move")
	e := d.event()
	host := d.hostMemory("h", 1)
	for i, c := range []struct {
		name          string
		race          bool
		first, second queue
		between       func() error
	}{
		{"two streams", true, a, b, nil},
		{"a stream and the default stream", true, a, d, nil},
		{"the default stream and a stream", true, d, b, nil},
		{"one stream", false, a, a, nil},
		{"a blocking stream and the default stream", false, block, d, nil},
		{"the default stream and a blocking stream", false, d, block, nil},
		{"event", false, a, b, func() error { return errors.Join(a.Record(e), b.Wait(e)) }},
		{"event of the default stream", false, d, b, func() error { return errors.Join(e.Record(), b.Wait(e)) }},
		{"event of another stream", true, a, b, func() error { return errors.Join(block.Record(e), b.Wait(e)) }},
		{"event recorded before", true, a, b, func() error { return b.Wait(e) }},
		{"host that waits for the event", false, a, b, func() error { return errors.Join(a.Record(e), e.Sync(t.Context())) }},
		{"host that waits for the stream", false, a, b, func() error { return a.Sync(t.Context()) }},
		{"host that waits for another stream", true, a, b, func() error { return b.Sync(t.Context()) }},
	} {
		x, out := d.allocSize(fmt.Sprintf("x%d", i), 4), d.allocSize("out", 4)
		if c.name == "event recorded before" {
			d.must(a.Record(e))
		}
		d.sync()
		expectRaces(t, c.name, c.race, []*tester{d}, func() {
			d.start(c.first, put, x, uint32(1))
			if c.between != nil {
				d.must(c.between())
			}
			d.start(c.second, move, out, x, uint32(1))
		})
	}
	// Copies race as kernels do.
	for i, race := range []bool{true, false} {
		x := d.allocSize(fmt.Sprintf("y%d", i), 4)
		d.sync()
		expectRaces(t, fmt.Sprintf("copy, race %v", race), race, []*tester{d}, func() {
			d.start(a, put, x, uint32(1))
			if !race {
				d.must(errors.Join(a.Record(e), b.Wait(e)))
			}
			d.must(b.CopyOut(host.bytes(), x))
		})
	}
}

// message runs a kernel of scopes.ptx that sends 42 from thread 0 to thread 32.
type message struct {
	k               device.Kernel
	data, flag, out device.Ptr
}

func (d *tester) message(m device.Module, kind, scope string) *message {
	name := "message_" + kind + "_" + scope
	msg := &message{d.kernelOf(m, name), d.allocSize("data of "+name, 4), d.allocSize("flag", 4), d.allocSize("out", 4)}
	d.sync()
	return msg
}

// Scopes within a device: that of a block orders nothing between blocks.
func testScopes(t *testing.T, d *tester) {
	m := d.module("scopes.ptx")
	_, checking := races(d)
	for _, kind := range []string{"load", "atom", "fence"} {
		for _, scope := range []string{"cta", "gpu", "sys"} {
			for _, blocks := range []uint32{1, 2} {
				narrow := scope == "cta" && blocks == 2
				if narrow && !checking {
					continue // what it does is not defined
				}
				c := d.message(m, kind, scope)
				expectRaces(t, fmt.Sprintf("%s.%s in %d blocks", kind, scope, blocks), narrow, []*tester{d}, func() {
					d.startGrid(d, c.k, blocks, 64/blocks, c.data, c.flag, c.out, d.patience(), uint32(0))
				})
				if got := d.words(c.out, 1)[0]; got != 42 && !narrow {
					t.Errorf("%s.%s in %d blocks: received %d, want 42", kind, scope, blocks, got)
				}
			}
		}
	}
	for _, scope := range []string{"cta", "gpu", "sys"} {
		for _, blocks := range []uint32{1, 4} {
			narrow := scope == "cta" && blocks > 1
			if narrow && !checking {
				continue
			}
			k, p := d.kernelOf(m, "count_"+scope), d.allocSize("count "+scope, 4)
			d.sync()
			expectRaces(t, fmt.Sprintf("count.%s in %d blocks", scope, blocks), narrow, []*tester{d}, func() {
				d.startGrid(d, k, blocks, 64, p)
			})
			if got := d.words(p, 1)[0]; got != 64*blocks && !narrow {
				t.Errorf("count.%s in %d blocks: %d, want %d", scope, blocks, got, 64*blocks)
			}
		}
	}
}

// Scopes between streams are those of the device: a block is in one launch.
func testStreamScopes(t *testing.T, d *tester) {
	a, b := d.stream(device.StreamOptions{Name: "a"}), d.stream(device.StreamOptions{Name: "b"})
	m := d.module("scopes.ptx")
	_, checking := races(d)
	for _, kind := range []string{"load", "atom", "fence"} {
		for _, scope := range []string{"cta", "gpu", "sys"} {
			narrow := scope == "cta"
			if narrow && !checking {
				continue
			}
			c := d.message(m, kind, scope)
			expectRaces(t, fmt.Sprintf("%s.%s in two streams", kind, scope), narrow, []*tester{d}, func() {
				d.startGrid(a, c.k, 1, 32, c.data, c.flag, c.out, d.patience(), uint32(32))
				d.startGrid(b, c.k, 1, 32, c.data, c.flag, c.out, d.patience(), uint32(0))
			})
			if got := d.words(c.out, 1)[0]; got != 42 && !narrow {
				t.Errorf("%s.%s in two streams: received %d, want 42", kind, scope, got)
			}
		}
	}
}

// Scopes between devices: that of a device orders nothing on another.
func testPeerScopes(t *testing.T, d, e *tester) {
	d.peers(e)
	m, n := d.module("scopes.ptx"), e.module("scopes.ptx")
	_, checking := races(d, e)
	both := []*tester{d, e}
	for _, kind := range []string{"load", "atom", "fence"} {
		for _, scope := range []string{"gpu", "sys"} {
			narrow := scope == "gpu"
			if narrow && !checking {
				continue
			}
			c := e.message(n, kind, scope)
			first := d.kernelOf(m, "message_"+kind+"_"+scope)
			expectRaces(t, fmt.Sprintf("%s.%s on two devices", kind, scope), narrow, both, func() {
				d.startGrid(d, first, 1, 32, c.data, c.flag, c.out, d.patience(), uint32(0))
				e.startGrid(e, c.k, 1, 32, c.data, c.flag, c.out, e.patience(), uint32(32))
			})
			if got := e.words(c.out, 1)[0]; got != 42 && !narrow {
				t.Errorf("%s.%s on two devices: received %d, want 42", kind, scope, got)
			}
		}
	}
	for _, scope := range []string{"gpu", "sys"} {
		narrow := scope == "gpu"
		if narrow && !checking {
			continue
		}
		p := e.allocSize("count "+scope, 4)
		e.sync()
		expectRaces(t, "count."+scope+" on two devices", narrow, both, func() {
			d.startGrid(d, d.kernelOf(m, "count_"+scope), 2, 64, p)
			e.startGrid(e, e.kernelOf(n, "count_"+scope), 2, 64, p)
		})
		if got := e.words(p, 1); !narrow && !slices.Equal(got, []uint32{256}) {
			t.Errorf("count.%s on two devices: %v, want 256", scope, got)
		}
	}
}
