package simt

import (
	"io"
	"math"
	"runtime"

	"irgl/internal/device"
)

// A Schedule says how long a warp runs before the next one's turn.
type Schedule uint8

const (
	// Coarse turns are of some hundred instructions: fast.
	Coarse Schedule = iota
	// Fine turns are of one to eight instructions: most interleavings.
	Fine
	// Medium turns are of some ten instructions.
	Medium
)

// Options configure a device. The zero value is the canonical schedule with
// all checks that cost time off; [Checked] turns them on.
type Options struct {
	// Seed permutes the order of blocks and warps, the points where one warp
	// stops and another goes on, and the order of atomics in a warp. Seed
	// zero is the canonical order. The same seed gives the same run.
	Seed     uint64
	Schedule Schedule

	// MaxInstructions bounds the warp instructions of one launch; exceeding
	// it is an error. Zero means 20 000 000 000.
	MaxInstructions uint64
	// SpinLimit is how many warp instructions a launch may run without any
	// change of memory while it polls; then it is taken for deadlocked, and sooner
	// where all of its warps only poll. Zero means 20 000 000.
	SpinLimit uint64

	CheckRaces         bool // report races between threads
	CheckUninitialised bool // report reads of what was never written
	CheckDeclared      bool // fail at what [device.RestrictingModule] does not allow

	// Workers is how many goroutines execute a launch whose blocks are independent of each other; results and
	// reports do not depend on it. Zero means as many as the process has CPUs; one, where Go's race detector watches.
	Workers int
	bound   uint64 // instructions of a group of blocks that they execute; 0 for mostExecuted

	Memory          int64     // bytes of global memory; zero means 4 GiB
	Multiprocessors int       // zero means 4
	Stdout          io.Writer // what kernels print; nil discards it

	// Machine makes the device one that runs the host's side of programs, a thread at a
	// time: it is called in place of vprintf. Launches have no limits of time then, and a
	// thread the stack of a process.
	Machine func(c *MachineCall)
	// Watch is told of the machine's accesses to memory that was adopted; stack returns where. Nil for none.
	Watch func(addr, n uint64, write bool, stack func() []device.Frame)
	// Library reports whether positions in a file are not the program's, as those in files of
	// devlib are not: what calls the code there is named. Nil for no other files.
	Library func(file string) bool
}

// Checked returns options with every check on.
func Checked() Options {
	return Options{CheckRaces: true, CheckUninitialised: true, CheckDeclared: true}
}

const (
	maxThreadsPerBlock = 1024
	maxThreadsPerSM    = 2048
	maxBlocksPerSM     = 32
	sharedPerBlock     = 48 << 10
	sharedPerBlockMost = 227 << 10 // with opting in, as the driver does for us
	sharedPerSM        = 228 << 10
	sharedReserved     = 1 << 10 // a block's, as on compute capability 9.0
)

func (o Options) withDefaults() Options {
	if o.Machine != nil {
		o.MaxInstructions, o.SpinLimit = math.MaxUint64, math.MaxUint64
	}
	if o.MaxInstructions == 0 {
		o.MaxInstructions = 20e9
	}
	if o.SpinLimit == 0 {
		o.SpinLimit = 20e6
	}
	if o.Memory == 0 {
		o.Memory = 4 << 30
	}
	if o.Workers == 0 {
		o.Workers = runtime.GOMAXPROCS(0)
		if conflictsRace {
			o.Workers = 1
		}
	}
	if o.Multiprocessors == 0 {
		o.Multiprocessors = 4
	}
	if o.Stdout == nil {
		o.Stdout = io.Discard
	}
	return o
}

func (o Options) info() device.Info {
	return device.Info{
		Kind: "simt", Name: "SIMT emulator", Major: 9, Minor: 0,
		Multiprocessors: o.Multiprocessors, WarpSize: 32,
		MaxThreadsPerBlock: maxThreadsPerBlock, MaxThreadsPerSM: maxThreadsPerSM,
		SharedMemoryPerBlock: sharedPerBlock, Memory: o.Memory, Cooperative: true, Clusters: true,
	}
}
