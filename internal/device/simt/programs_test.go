package simt

import (
	"context"
	"testing"

	"irgl/internal/device"
	"irgl/internal/device/ptxtest"
)

// An eachLane is a device that executes everything lane by lane.
type eachLane struct{ *Device }

func (d eachLane) Load(name, text string) (device.Module, error) {
	m, err := d.Device.Load(name, text)
	if err == nil {
		laneByLane(m.(*module))
	}
	return m, err
}

// TestPrograms: random programs of all kinds of instructions give the same values with vector instructions of the CPU, with Go's loops
// over lanes, and lane by lane.
func TestPrograms(t *testing.T) {
	n := uint64(160)
	if testing.Short() {
		n = 20
	}
	const at = 20
	for first := uint64(0); first < n; first += at {
		var programs []*ptxtest.Program
		for s := range uint64(at) {
			programs = append(programs, ptxtest.Generate(1000+first+s))
		}
		run := func(d device.Device) [][]byte {
			t.Helper()
			out, err := ptxtest.Run(context.Background(), d, programs...)
			if err != nil {
				t.Fatal(err)
			}
			return out
		}
		want := run(Open(Options{}))
		results := map[string][][]byte{"lane by lane": run(eachLane{Open(Options{})})}
		withoutVectors(func() { results["Go's loops"] = run(Open(Options{})) })
		for name, got := range results {
			for i, p := range programs {
				if d := p.Compare(got[i], want[i]); d != nil {
					t.Errorf("program %d, %s: %v", p.Seed, name, d)
				}
			}
		}
	}
}
