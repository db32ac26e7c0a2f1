package irgl

import (
	"io"
	"strings"

	"irgl/internal/compile"
	"irgl/internal/engine"
)

// Options chooses how a program is compiled and run. The zero Options are the
// defaults.
type Options struct {
	// Device is "auto" (the default), "cuda", "cuda:1", "cpu", "interp" or
	// "simt"; see [Devices]. auto is cuda where a GPU can be opened, and cpu
	// otherwise.
	Device string
	// Workers is the number of threads of the cpu device, up to 65536; 0 for all
	// processors.
	Workers int
	// Runs is how many runs on a graph [Choose] counts on: for several it may take a
	// program for which the graph takes longer to prepare. 0 is for one.
	Runs int
	// Switches are the throughput switches with which the program is compiled for
	// cuda and simt. The zero Switches leave the choice to the executable, which
	// makes it when it knows the graph: those that irgl tune has found for it or for
	// one like it, of the file Tuning, or else by the graph's features.
	Switches Switches
	// Tuning is the file that irgl tune writes; "" for none.
	Tuning string
	// Seed permutes the order in which simt and interp do what has no order;
	// 0 is the plain order.
	Seed uint64
	// Capacity is the initial size of worklists in items; 0 for the program's
	// own. Lists that overflow grow.
	Capacity int
	// MeshRoom is the number of points and elements for which a mesh has spare
	// capacity at first; 0 leaves the choice to the device. Meshes without room grow.
	MeshRoom int
	// Profile records what each kernel took and did in [Result.Kernels], which
	// makes runs a little slower.
	Profile bool
	// Unchecked turns the fault detection of simt off, which makes it several times
	// as fast.
	Unchecked bool
	// Stdout receives what the program prints; nil discards it.
	Stdout io.Writer
}

// Switches are throughput switches: which optimisations of IrGL's compiler are on,
// and their parameters. The zero Switches leave the choice to the compiler.
// Two are equal if they choose the same.
type Switches struct {
	given bool
	s     compile.Switches
}

// ParseSwitches returns the switches of a text such as "outline=auto batch=4
// coop=warp np=gr,fg np=K2:wp": their names are those of the flags of irgl run, in the form in
// which irgl tune prints them. "none" turns all of them off; "" and "auto" are the
// zero Switches. A kernel and a colon in front of a value limit it to that kernel (K2:wp), with
// a dot and a number to an inner loop of it (K2.1:wp).
func ParseSwitches(text string) (Switches, error) {
	switch strings.TrimSpace(text) {
	case "", "auto":
		return Switches{}, nil
	case "none":
		return Switches{given: true}, nil
	}
	s, err := compile.ParseSwitches(text)
	return Switches{given: err == nil, s: s}, err
}

// String returns the text that [ParseSwitches] reads.
func (s Switches) String() string {
	if !s.given {
		return "auto"
	}
	return s.s.OrNone()
}

// engine returns the options as package engine has them.
func (o Options) engine() engine.Options {
	e := engine.Options{
		Device: o.Device, Workers: o.Workers, Runs: o.Runs, Seed: o.Seed, Capacity: o.Capacity, Room: o.MeshRoom,
		Stats: o.Profile, Stdout: o.Stdout, Auto: !o.Switches.given, Tuning: o.Tuning, Unchecked: o.Unchecked,
	}
	e.Compile.Lower = o.Switches.s.Options()
	return e
}
