package klap

import (
	"errors"
	"fmt"
	"go/token"
	"strconv"
	"strings"
)

// A Granularity is the scope of threads whose launches become one.
type Granularity uint8

// The granularities, each wider than the one before.
const (
	None Granularity = iota
	Warp
	Block
	Multiblock // a number of consecutive blocks: Options.Blocks
	Grid
)

var granularities = [...]string{"none", "warp", "block", "multiblock", "grid"}

// String returns the name that [Options.SetGranularity] reads.
func (g Granularity) String() string { return granularities[g] }

// Options are the transformations that are wanted. The zero Options transform nothing.
type Options struct {
	Granularity Granularity
	Blocks      int // of a group of blocks (Multiblock); 0 for DefaultBlocks
	// Promote promotes launches of kernels by themselves. Aggregate is how many descendants one
	// launch has, 0 for 1, and Overlap says that what is in front of klap_overlap runs ahead.
	Promote   bool
	Aggregate int
	Overlap   bool
	Pool      int64 // bytes of the pool; 0 for DefaultPool
	// PerThread says that each thread has a default stream of its own, as nvcc's
	// --default-stream=per-thread. Launches of several threads into it have no order then.
	PerThread bool
	// Threshold is the most threads of a launch that the thread that launches does itself, and Coarsen
	// the number of blocks of a child that a block does; 0 for none. Auto has a cost model say so for each child (model.go).
	Threshold, Coarsen int
	// WholeBlocks has aggregated kernels do whole blocks of launches, and not the threads that launches ask for (flatten.go).
	WholeBlocks bool
	// AutoFlatten has the cost model say WholeBlocks.
	AutoFlatten bool
	// HostLaunch has the host launch what the kernels that it launches leave to it, at the granularity of grids (behind.go).
	HostLaunch bool
	// Automatic has the cost model say the granularity.
	Automatic bool
	// Parts and Residency are variables of the program for measurements (instrument.go); "" for none.
	Parts, Residency string
}

// Auto is a number that the cost model says.
const Auto = -1

// Defaults and limits of the options.
const (
	DefaultBlocks = 8
	DefaultPool   = 32 << 20
	MaxPool       = 4 << 30
	minPool       = 256
)

// On reports whether the options ask for a transformation.
func (o Options) On() bool {
	return o.Granularity != None || o.Automatic || o.Promote || o.large() ||
		o.Parts != "" || o.Residency != ""
}

// SetThreshold reads a number of threads.
func (o *Options) SetThreshold(text string) error {
	return setNumber(&o.Threshold, text, MaxThreshold, "threads")
}

// SetCoarsen reads a number of blocks.
func (o *Options) SetCoarsen(text string) error {
	return setNumber(&o.Coarsen, text, MaxCoarsen, "blocks")
}

func setNumber(n *int, text string, most int, of string) error {
	if text == "auto" {
		*n = Auto
		return nil
	}
	v, err := strconv.Atoi(text)
	if err != nil || v < 0 || v > most {
		return fmt.Errorf("want auto or a number of %s from 0, for none, to %d", of, most)
	}
	*n = v
	return nil
}

// SetFlatten reads auto, on or off.
func (o *Options) SetFlatten(text string) error {
	switch text {
	case "auto", "on", "off":
		o.AutoFlatten, o.WholeBlocks = text == "auto", text == "off"
	default:
		return fmt.Errorf("want auto, on or off")
	}
	return nil
}

// SetGridLaunch reads host or device.
func (o *Options) SetGridLaunch(text string) error {
	if text != "host" && text != "device" {
		return fmt.Errorf("want host or device")
	}
	o.HostLaunch = text == "host"
	return nil
}

// SetGranularity reads warp, block, multiblock, multiblock:M, grid, auto or none.
func (o *Options) SetGranularity(text string) error {
	if o.Automatic = text == "auto"; o.Automatic {
		o.Granularity, o.Blocks = None, 0
		return nil
	}
	name, count, given := strings.Cut(text, ":")
	for g, s := range granularities {
		if s != name {
			continue
		}
		o.Granularity, o.Blocks = Granularity(g), 0
		if !given {
			return nil
		}
		n, err := strconv.Atoi(count)
		if o.Granularity != Multiblock || err != nil || n < 1 || n > 1<<20 {
			break
		}
		o.Blocks = n
		return nil
	}
	return fmt.Errorf("want warp, block, multiblock, multiblock:M with M from 1 to %d, grid, auto or none", 1<<20)
}

// SetPool reads a number of bytes, with K, M or G behind it for powers of 1024.
func (o *Options) SetPool(text string) error {
	digits := strings.TrimRight(text, "KMG")
	n, err := strconv.ParseInt(digits, 10, 64)
	unit, ok := map[string]int64{"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}[text[len(digits):]]
	if err != nil || !ok || n < 0 || n > MaxPool || n*unit < minPool || n*unit > MaxPool {
		return fmt.Errorf("want a number of bytes from %d to %dG, such as 65536, 512K or 64M", minPool, MaxPool>>30)
	}
	o.Pool = n * unit
	return nil
}

// SetDefaultStream reads nvcc's legacy, null or per-thread.
func (o *Options) SetDefaultStream(text string) error {
	switch text {
	case "legacy", "null":
		o.PerThread = false
	case "per-thread":
		o.PerThread = true
	default:
		return fmt.Errorf("want legacy, null or per-thread")
	}
	return nil
}

// SetParts reads the name of a variable whose bits switch parts off.
func (o *Options) SetParts(text string) error { return setVariable(&o.Parts, text) }

// SetResidency reads the name of a variable that has the time of all warps.
func (o *Options) SetResidency(text string) error { return setVariable(&o.Residency, text) }

func setVariable(name *string, text string) error {
	if !token.IsIdentifier(text) {
		return errors.New("want the name of a variable in device memory")
	}
	*name = text
	return nil
}

func (o Options) blocks() int {
	if o.Blocks == 0 {
		return DefaultBlocks
	}
	return o.Blocks
}

func (o Options) pool() int64 {
	if o.Pool == 0 {
		return DefaultPool
	}
	return o.Pool
}
