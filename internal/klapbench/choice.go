package klapbench

import (
	"slices"
	"strconv"
	"strings"

	"irgl/internal/klap/suite"
)

// A Choice is a program that is made of a benchmark, and how it is run.
type Choice struct {
	Compiler string `json:"compiler"`          // "irgl" or "nvcc"
	Form     string `json:"form"`              // formPlain, formNone or formCounted
	Stream   string `json:"stream,omitempty"`  // that kernels launch into: null, private, forget, tail
	Flags    string `json:"flags,omitempty"`   // of irgl cuda build
	Pending  int    `json:"pending,omitempty"` // launches that may wait; 0 for the program's own number
	Probe    string `json:"probe,omitempty"`   // what is measured beside the time: "", probeParts or probeOccupancy
}

// The probes.
const (
	probeParts     = "parts"     // the longest launch of the host, whole and with parts switched off
	probeOccupancy = "occupancy" // the resident warps, in percent of those that the device can hold
)

// probed returns a choice with a probe.
func (c Choice) probed(probe string) Choice {
	c.Probe = probe
	return c
}

// instruments returns the flags of the compiler for the probe of a choice.
func (c Choice) instruments() []string {
	switch c.Probe {
	case probeParts:
		return []string{"-DPARTS", "--parts=partsOff"}
	case probeOccupancy:
		return []string{"-DOCCUPANCY", "--residency=warpTime"}
	}
	return nil
}

// The forms.
const (
	formPlain   = "plain"   // kernels launch kernels
	formNone    = "none"    // without dynamic parallelism
	formCounted = "counted" // plain, and launches count themselves; its time is of no use
)

// streams are the names of where kernels launch.
var streams = []string{suite.Null: "null", suite.Private: "private", suite.Forget: "forget", suite.Tail: "tail"}

const perThread = "--default-stream=per-thread"

// Forms that tables name.
var (
	without = Choice{Compiler: "irgl", Form: formNone}
	counted = Choice{Compiler: "irgl", Form: formCounted, Stream: streams[suite.Forget]}
)

func plain(s suite.Stream) Choice {
	return Choice{Compiler: "irgl", Form: formPlain, Stream: streams[s]}
}

// transformed returns the choice with flags of a transformation, of the source that is best for it.
func transformed(b *suite.Benchmark, flags string) Choice {
	c := plain(suite.Forget)
	if b.Kind == suite.Promotion {
		c = plain(suite.Null)
	}
	c.Flags = flags
	return c
}

// isPlain reports whether a choice is the program as it is written, by our compiler.
func (c Choice) isPlain() bool {
	return c.Compiler == "irgl" && c.Form == formPlain && !isTransforming(c.Flags)
}

// isTransforming reports whether flags ask for a transformation of launches.
func isTransforming(flags string) bool { return flags != "" && flags != perThread }

// macros returns what the source is compiled with.
func (c Choice) macros() []string {
	if c.Form == formNone {
		return suite.Flags(suite.NoDP, suite.Null)
	}
	flags := suite.Flags(suite.Plain, suite.Stream(slices.Index(streams, c.Stream)))
	if c.Form == formCounted {
		flags = append(flags, "-DCOUNT")
	}
	return flags
}

// String returns the name in tables.
func (c Choice) String() string {
	var words []string
	if c.Compiler != "irgl" {
		words = append(words, c.Compiler)
	}
	switch {
	case c.Form == formNone:
		words = append(words, "without launches")
	case c.Form == formCounted:
		words = append(words, "counted")
	case c.Flags == perThread:
		words = append(words, "plain", "per-thread")
	case c.Flags == "":
		words = append(words, "plain", c.Stream)
	default:
		words = append(words, shorten(c.Flags))
	}
	if c.Probe != "" {
		words = append(words, "with "+c.Probe)
	}
	if c.Pending > 0 {
		words = append(words, strconv.Itoa(c.Pending), "waiting")
	}
	return strings.Join(words, " ")
}

// shorten returns flags as tables have them: block, threshold=32 coarsen=4.
func shorten(flags string) string {
	if flags == DefaultAggregation {
		return "auto"
	}
	return strings.NewReplacer("--granularity=", "", "--", "").Replace(flags)
}
