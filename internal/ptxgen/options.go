package ptxgen

import (
	"fmt"
	"strconv"
	"strings"
)

// Options selects the dialect of PTX and steers code generation.
type Options struct {
	// Target is the oldest device the text is for, "sm_75" when empty. Newer
	// devices take it too.
	Target string
	// Version is the PTX version, when empty the oldest that has Target but at
	// least 7.0.
	Version string
	// FuseMulAdd makes one operation of a product and a sum, rounded once, as
	// nvcc does by default: fma.rn where the product is used for sums alone.
	// The rounding of the other additions, subtractions and multiplications is
	// left open, so that ptxas may do more of it. Results then depend on ptxas.
	FuseMulAdd bool
	// Lines ties the instructions to lines of the source (.loc), for
	// profilers and debuggers. Instructions of an IrGL program are tied to the
	// lines of the .irgl text, since lowering keeps its places; those of the
	// device library to its own text.
	Lines bool
	// Paths gives, for the names of source files, those to stand in .file.
	Paths map[string]string
}

// FastDoubles reports whether the target computes with doubles at half the rate
// of floats: the chips for data centres do, those for graphics do at 1/32 or
// 1/64 (CUDA C++ programming guide, table of arithmetic throughput). A text for
// sm_80 is taken by sm_86 too, where it then is slower but right.
func (o Options) FastDoubles() bool {
	switch strings.TrimRight(o.Target, "af") {
	case "sm_80", "sm_90", "sm_100":
		return true
	}
	return false
}

// targetVersions gives the first PTX version, at least 7.0, of each target.
var targetVersions = map[string]string{
	"sm_75": "7.0", "sm_80": "7.0", "sm_86": "7.1", "sm_87": "7.4", "sm_89": "7.8",
	"sm_90": "7.8", "sm_90a": "8.0", "sm_100": "8.6", "sm_100a": "8.6", "sm_103": "8.8",
	"sm_110": "9.0", "sm_120": "8.7", "sm_121": "8.8",
}

// latestVersion serves targets that the table does not have yet.
const latestVersion = "9.0"

// resolve fills in the defaults.
func (o Options) resolve() (Options, error) {
	if o.Target == "" {
		o.Target = "sm_75"
	}
	digits, ok := strings.CutPrefix(o.Target, "sm_")
	n, err := strconv.Atoi(strings.TrimRight(digits, "af"))
	if !ok || err != nil {
		return o, fmt.Errorf("target %q is not of the form sm_75", o.Target)
	}
	if n < 75 {
		return o, fmt.Errorf("target %s is too old: sm_75 is the oldest supported", o.Target)
	}
	if o.Version == "" {
		if o.Version, ok = targetVersions[o.Target]; !ok {
			o.Version = latestVersion
		}
	}
	return o, nil
}
