package irgl

import "irgl/internal/engine"

// A Device is a device of this machine that programs can run on.
type Device struct {
	Name   string // as [Options].Device takes it: "cuda:0", "cpu", "interp", "simt"
	Model  string // the maker's name of a GPU, or what the device is
	Detail string // for people: its size, its driver, what it is good for
}

// Devices lists the devices of this machine. The error, if any, says why no GPU is
// among them; the others are always there.
func Devices() ([]Device, error) {
	list, err := engine.Devices()
	var out []Device
	for _, d := range list {
		out = append(out, Device{Name: d.Device, Model: d.Name, Detail: d.Detail})
	}
	return out, public(err)
}
