package ptxgen

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"irgl/internal/ptx"
	"irgl/internal/suggest"
)

// Options selects the dialect of PTX and steers code generation.
type Options struct {
	// Target is the oldest device that the module must run on, "sm_75" if empty.
	// Newer devices run it, too.
	Target string
	// Version is the PTX version; if empty, the oldest that supports Target, but
	// at least 7.0.
	Version string
	// FuseMulAdd allows the contraction of a product and a sum into one operation, rounded once, as
	// nvcc does by default: additions, subtractions and multiplications of floats have no rounding
	// modifier, so that ptxas may contract them. Results then depend on ptxas. Most are
	// contracted before, by pass contract of ssa/opt.
	FuseMulAdd bool
	// FlushDenormals flushes subnormal floats, as operands and results, to zero.
	FlushDenormals bool
	// Division and SquareRoot are the modes of float division and square root: "" for rounded to
	// nearest, "approx", and for a division also "full" (within 2 ulp in the whole range).
	Division, SquareRoot string
	// MaxRegisters bounds the registers of kernels without launch bounds; 0 does not.
	MaxRegisters int
	// Lines emits .loc directives, for profilers and debuggers. Instructions
	// of an IrGL program have the lines of the .irgl file, since lowering
	// keeps positions; those of the device library have its own.
	Lines bool
	// Paths maps the names of source files to those in .file directives.
	Paths map[string]string
	// Linkage, if it is not nil, makes a module that is linked with others. It has the linkage
	// that the text says ("visible", "weak", "extern") by symbol. Other functions and variables
	// are local to the module, except kernels and recursive functions, which stay visible.
	Linkage map[string]string
}

// FastDoubles reports whether the target computes with doubles at half the rate
// of floats: data-centre GPUs do; others compute at 1/32 or 1/64 (CUDA C++
// programming guide, table of arithmetic throughput). PTX for sm_80 also runs
// on sm_86, where it is correct but slower.
func (o Options) FastDoubles() bool {
	switch strings.TrimRight(o.Target, "af") {
	case "sm_80", "sm_90", "sm_100":
		return true
	}
	return false
}

// targetVersions gives the first PTX version, at least 7.0, of each target; that of sm_80 is the one of 7.1, which waits for the parity of a barrier.
var targetVersions = map[string]string{
	"sm_75": "7.0", "sm_80": "7.1", "sm_86": "7.1", "sm_87": "7.4", "sm_89": "7.8",
	"sm_90": "7.8", "sm_90a": "8.0", "sm_100": "8.6", "sm_100a": "8.6", "sm_103": "8.8",
	"sm_110": "9.0", "sm_120": "8.7", "sm_121": "8.8",
}

// Arch returns the value of __CUDA_ARCH__ for the target: 900 for sm_90 and sm_90a; 0
// if the target is wrong.
func (o Options) Arch() int {
	o, err := o.resolve()
	if err != nil {
		return 0
	}
	target, _ := o.number()
	return 10 * target
}

// The bytes that the parameters of a kernel may have (PTX ISA, "Kernel Function Parameters"): more than
// fewParams need a version of PTX, which every target has.
const (
	fewParams         = 4352
	manyParams        = 32764
	manyParamsVersion = "8.1"
)

// MaxParams returns the bytes that the parameters of a kernel may have; 0 if the target is wrong.
func (o Options) MaxParams() int64 {
	resolved, err := o.resolve()
	if err != nil {
		return 0
	}
	if o.Version == "" || versionNumber(resolved.Version) >= versionNumber(manyParamsVersion) {
		return manyParams
	}
	return fewParams
}

// versionFor returns the version for a module that is made with o: a later one than the target needs if the version was not
// chosen and a kernel has many parameters, or inline PTX needs the version asm.
func (o Options) versionFor(m *ptx.Module, asm float64) string {
	if o.Version != "" || m.Version == "" {
		return m.Version
	}
	latest := m.Version
	later := func(version string) {
		if versionNumber(version) > versionNumber(latest) {
			latest = version
		}
	}
	later(strconv.FormatFloat(asm, 'f', 1, 64))
	for _, d := range m.Decls {
		if f, ok := d.(*ptx.Func); ok && f.Entry && paramBytes(f) > fewParams {
			later(manyParamsVersion)
		}
	}
	return latest
}

// paramBytes returns the size of a function's parameters.
func paramBytes(f *ptx.Func) int64 {
	at := int64(0)
	for _, p := range f.Params {
		size, _ := p.ByteSize()
		align := p.Alignment()
		at = (at+align-1)/align*align + size
	}
	return at
}

// CheckTarget returns an error for the name of a target that is not known: Options
// take any that is not too old, for the devices that are newer than this table.
func CheckTarget(target string) error {
	if _, err := (Options{Target: target}).resolve(); err != nil {
		return err
	}
	base := strings.TrimRight(target, "af")
	_, known := targetVersions[base]
	suffix := target[len(base):]
	if n, _ := strconv.Atoi(strings.TrimPrefix(base, "sm_")); known && (suffix == "" || suffix == "a" && n >= 90 || suffix == "f" && n >= 100) {
		return nil
	}
	names := slices.DeleteFunc(slices.Collect(maps.Keys(targetVersions)), func(name string) bool { return strings.HasSuffix(name, "a") })
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(len(a)-len(b), strings.Compare(a, b)) })
	return fmt.Errorf("there is no target %q (there are %s)%s", target, strings.Join(names, ", "), suggest.Hint(target, names))
}

// latestVersion is used for targets that are not in the table yet.
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
