package simt

import (
	"testing"

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
		})
	}
}
