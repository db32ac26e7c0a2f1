package host

import (
	"context"
	"testing"

	"irgl/internal/device"
	"irgl/internal/device/simt"
	"irgl/internal/run"
)

// A timeline is a device on which launches take 10 and copies 100.
type timeline struct {
	nullDevice
	now   float64
	marks int
}

type mark struct {
	device.Event
	d  *timeline
	at float64
}

func (d *timeline) NewEvent() (device.Event, error) { return &mark{d: d}, nil }
func (d *timeline) Launch(device.Kernel, device.Launch) error {
	d.now += 10
	return nil
}

func (d *timeline) CopyIn(p device.Ptr, b []byte) error {
	d.now += 100
	return d.nullDevice.CopyIn(p, b)
}

func (d *timeline) CopyOut(b []byte, p device.Ptr) error {
	d.now += 100
	return d.nullDevice.CopyOut(b, p)
}

func (e *mark) Record() error {
	e.d.marks++
	e.at = e.d.now
	return nil
}
func (e *mark) Close() error                              { return nil }
func (e *mark) Since(start device.Event) (float64, error) { return e.at - start.(*mark).at, nil }

// TestSpan: a run's time on the device is from its first launch to the end of the
// last, with what is between and nothing around it.
func TestSpan(t *testing.T) {
	for _, tt := range []struct {
		name, host string
		want       float64
		marks      int
	}{
		{"nothing", "Host f() { }", 10, 2}, // the initial values
		{"before and after", "Host f() { node s = graph.nodes(0); s.a = 1; Invoke K(graph); out = s.a; out = s.a + 1; }", 10 + 100 + 10, 2},
		{"between", "Host f() { node s = graph.nodes(0); Invoke K(graph); out = s.a; Invoke K(graph); out = s.a; }", 10 + 10 + 100 + 10, 3},
	} {
		t.Run(tt.name, func(t *testing.T) {
			emulator := simt.Open(simt.Options{})
			defer emulator.Close()
			dev := &timeline{nullDevice: nullDevice{emulator}}
			const text = "Graph graph { Node int a = 0; } Output int out = 0; Kernel K(graph) { ForAll (n In graph.nodes) { n.a = 2; } } "
			e, in, _ := irglRun{text: text + tt.host, graph: "path:5"}.start(t, dev)
			for range 2 {
				dev.marks = 0
				res, err := e.Run(context.Background(), in)
				if err != nil {
					t.Fatal(err)
				}
				if res.DeviceTime != tt.want || dev.marks != tt.marks {
					t.Errorf("%v in %d marks, want %v in %d", res.DeviceTime, dev.marks, tt.want, tt.marks)
				}
			}
			in.Collect = run.CollectKernels
			dev.marks = 0
			if _, err := e.Run(context.Background(), in); err != nil || dev.marks < 2 {
				t.Errorf("recorded: %v, %d marks", err, dev.marks)
			}
			if err := e.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}
