package nvccdiff

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/ianlancetaylor/demangle"

	"irgl/internal/check"
	"irgl/internal/device"
	"irgl/internal/device/simt"
	"irgl/internal/ptx"
	"irgl/syntax"
)

// A kernelPair is a kernel that both compilers have compiled.
type kernelPair struct {
	symbol        string // nvcc's
	own           string // ours, which differs for a static kernel
	params        []param
	bytes         int64 // of the parameters
	dims          int   // directions of the grid that it uses, 1 to 3
	maxThreads    int64
	reqThreads    device.Dim3
	dynamicShared bool
	cooperative   bool
	widens        bool      // doubles may be sums of floats, which are off by the last places of these
	words         bool      // it accesses no single bytes: buffers of bytes hold something else
	ordered       bool      // its result may depend on the order of threads: it has atomics
	globals       []*buffer // variables of both; data is nil for one with an initial value
}

// A param is a parameter at a place of the parameter block.
type param struct {
	at, size int64
	leaves   []leaf
}

// newPair describes a kernel by nvcc's PTX and the types of the checked program.
func newPair(symbol string, theirs *ptx.Module, text string, f *check.FuncInfo) (*kernelPair, error) {
	k := &kernelPair{symbol: symbol, own: f.Object.Name, dims: 1}
	e := entry(theirs, symbol)
	if e == nil {
		return nil, fmt.Errorf("nvcc's PTX has no kernel %s", symbol)
	}
	if len(e.Params) != len(f.Params) {
		return nil, fmt.Errorf("nvcc's kernel has %d parameters, ours %d", len(e.Params), len(f.Params))
	}
	for i, p := range e.Params {
		size, _ := p.ByteSize()
		align := p.Alignment()
		at := (k.bytes + align - 1) / align * align
		k.bytes = at + size
		t := f.Params[i].Type
		list, err := layout(t)
		if err != nil {
			if t.Size() > 1 {
				return nil, fmt.Errorf("parameter %d: %w", i, err)
			}
			list = nil // of an empty class
		}
		for _, l := range list {
			if l.at+l.size > size {
				return nil, fmt.Errorf("parameter %d has %d bytes in nvcc's PTX, %d in ours", i, size, t.Size())
			}
		}
		k.params = append(k.params, param{at, size, list})
	}
	for _, d := range e.Directives {
		switch d.Name {
		case "maxntid":
			k.maxThreads = 1
			for _, n := range d.Args {
				k.maxThreads *= n
			}
		case "reqntid":
			args := append(slices.Clone(d.Args), 1, 1)
			k.reqThreads = device.Dim3{X: uint32(args[0]), Y: uint32(args[1]), Z: uint32(args[2])}
		}
	}
	k.inspect(text)
	return k, nil
}

// usesBytes matches an instruction that reads or writes single bytes.
var usesBytes = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\b(ld|st|cp|red|atom)[.\w:]*\.([usb]8|bulk|async)\b`)
})

// inspect looks for what the kernel, or any function of its module, uses.
func (k *kernelPair) inspect(text string) {
	own := text
	if i := strings.Index(text, ".entry "+k.symbol+"("); i >= 0 {
		own = text[i:]
		if j := strings.Index(own, "\n}\n"); j >= 0 {
			own = own[:j]
		}
	}
	if strings.Contains(own, "call") { // functions may use more
		own = text
	}
	for i, names := range [][]string{{"%tid.y", "%ctaid.y"}, {"%tid.z", "%ctaid.z"}} {
		for _, n := range names {
			if strings.Contains(own, n) {
				k.dims = i + 2
			}
		}
	}
	k.widens = strings.Contains(own, "cvt.f64.f32")
	k.words = !strings.Contains(own, "call") && !usesBytes().MatchString(own)
	k.dynamicShared = strings.Contains(text, ".extern .shared")
	k.ordered = strings.Contains(own, "atom.") || strings.Contains(own, "red.")
	k.cooperative = strings.Contains(own, "%grid_ctaid") || strings.Contains(own, "%envreg")
}

func entry(m *ptx.Module, symbol string) *ptx.Func {
	for _, d := range m.Decls {
		if f, ok := d.(*ptx.Func); ok && f.Entry && !f.Proto && f.Name == symbol {
			return f
		}
	}
	return nil
}

// entries returns the names of a module's kernels, in order.
func entries(m *ptx.Module) []string {
	var out []string
	for _, d := range m.Decls {
		if f, ok := d.(*ptx.Func); ok && f.Entry && !f.Proto {
			out = append(out, f.Name)
		}
	}
	return out
}

// sharedVariables returns the variables that both programs have, with their types.
func sharedVariables(ours, theirs *program, tree *syntax.File, info *check.Info) []*buffer {
	has := func(p *program, name string) bool {
		return slices.ContainsFunc(p.vars, func(v *variable) bool { return v.name == name })
	}
	var out []*buffer
	for _, decl := range tree.Decls {
		vars, ok := decl.(*syntax.VarDecls)
		if !ok {
			continue
		}
		for _, v := range vars.Vars {
			obj := info.Defs[v.Name]
			if obj == nil || obj.Type == nil || !has(ours, v.Name.Name) || !has(theirs, v.Name.Name) {
				continue
			}
			list, err := layout(obj.Type)
			if err != nil || slices.ContainsFunc(list, func(l leaf) bool { return l.kind == pointer }) {
				continue
			}
			b := &buffer{name: "variable " + v.Name.Name, leaves: list, stride: obj.Type.Size()}
			if v.Init == nil {
				b.data = make([]byte, b.stride)
			}
			b.name = v.Name.Name
			out = append(out, b)
		}
	}
	return out
}

const (
	// maxAttempts is how many launches are tried for a kernel, enough how many valid ones
	// are compared, and kernelTime how long it may take.
	maxAttempts = 72
	enough      = 3
	kernelTime  = 12 * time.Second
)

// A comparison is what is known of a kernel.
type comparison struct {
	runs    int       // valid ones
	exact   int       // of them, those whose results are equal bit for bit
	special int       // of them, those with special numbers
	failed  []failure // those that differ
	diff    string    // the first difference
	reason  string    // why the last attempt was not valid
}

// A failure is a run whose results differ.
type failure struct {
	a            *attempt
	ours, theirs *memory // ours is nil if our code does not run
}

// scales are of buffers, tried until the kernel stays within them.
var scales = []int64{1, 16, 128}

// compare runs a kernel of both compilers until enough runs are valid.
func (f *pairedFile) compare(ctx context.Context, k *kernelPair, seed uint64) comparison {
	var c comparison
	var valid []draw
	start := time.Now()
	more := func() bool { return time.Since(start) < kernelTime && ctx.Err() == nil }
	for i := 0; i < maxAttempts && c.runs < enough && more(); i++ {
		scale, middle := 0, false
		for scale < len(scales) {
			d := draw{seed: seed, number: i, scale: scales[scale], middle: middle}
			err := f.try(ctx, k, newAttempt(k, d), &c)
			if err == nil {
				valid = append(valid, d)
				break
			}
			c.reason = firstLine(err)
			fault, ok := errors.AsType[*simt.Fault](err)
			switch {
			case !ok || fault.Report.Kind != device.OutOfBounds:
				scale = len(scales)
			case fault.Before && !middle: // a stencil, perhaps: with a margin
				middle = true
			default:
				scale++
			}
		}
	}
	// Special numbers, in arguments that were valid without. Where they are indices or bounds, they
	// are not valid.
	for i := 0; i < maxSpecial && len(valid) > 0 && more(); i++ {
		d := valid[i%len(valid)]
		d.special = special(1 + i%int(numSpecials-1))
		d.seed += uint64(i+1) << 48
		before := c.runs
		_ = f.try(ctx, k, newAttempt(k, d), &c) // an error says that they are not valid
		c.special += c.runs - before
	}
	return c
}

// try runs one attempt. An error says why its arguments are not valid.
func (f *pairedFile) try(ctx context.Context, k *kernelPair, a *attempt, c *comparison) error {
	if err := a.arguments(k); err != nil {
		return err
	}
	theirs, err := f.theirs.run(ctx, k, a)
	if err != nil {
		return err
	}
	if k.ordered {
		again, err := f.reordered.run(ctx, k, a)
		if err != nil {
			return err
		}
		if again.compare(k, a, theirs, 0) != "" { // sums of floating-point numbers, too
			return errors.New("its result depends on the order of threads")
		}
	}
	c.runs++
	ours, err := f.ours.run(ctx, k, a)
	d := ""
	if err != nil {
		d, ours = firstLine(err), nil
	} else {
		d = ours.compare(k, a, theirs, MaxULP)
		if ours.compare(k, a, theirs, 0) == "" {
			c.exact++
		}
	}
	if d != "" {
		if c.failed = append(c.failed, failure{a, ours, theirs}); c.diff == "" {
			c.diff = fmt.Sprintf("%s (grid %v, block %v%s)", d, a.grid, a.block, suffix(", ", a.special.String()))
		}
	}
	return nil
}

// tooFar begins a reason: the results agree, but the differences are larger than what e makes.
const tooFar = "too far: "

// again runs the attempts that differed with the programs of explanation e, and returns why it does not
// explain the differences, "" if it does.
func (f *pairedFile) again(ctx context.Context, k *kernelPair, e explanation, failed []failure) string {
	for _, was := range failed {
		if was.ours == nil {
			return "our code does not run"
		}
		theirs, err := f.theirs.run(ctx, k, was.a)
		if err != nil {
			return "nvcc's, " + e.outcome.String() + ": " + firstLine(err)
		}
		ours, err := f.ours.run(ctx, k, was.a)
		if err != nil {
			return firstLine(err)
		}
		if d := ours.compare(k, was.a, theirs, MaxULP); d != "" {
			return d
		}
		if e.sameMath { // of other functions: no measure of what contraction changes
			ours, theirs = nil, nil
		}
		if d := was.unexplained(k, ours, theirs); d != "" {
			return tooFar + d
		}
	}
	return ""
}

// globals draws contents of variables.
func (a *attempt) globals(k *kernelPair) [][]byte {
	out := make([][]byte, len(k.globals))
	for i, g := range k.globals {
		if g.data == nil {
			continue
		}
		out[i] = make([]byte, g.stride)
		if a.fillGlobals {
			for j := range g.leaves {
				a.fill(&g.leaves[j], out[i][g.leaves[j].at:], int64(j), int64(len(g.leaves)))
			}
		}
	}
	return out
}

// sameKernel reports whether our symbol is that of the kernel that nvcc calls symbol: nvcc
// gives static kernels external names, and namespaces without a name one of its own.
func sameKernel(ours, symbol string) bool {
	if ours == symbol {
		return true
	}
	a, b := demangle.Filter(ours, demangle.NoClones), demangle.Filter(symbol, demangle.NoClones)
	return a == b && strings.Replace(ours, "_ZL", "_Z", 1) == symbol
}

func firstLine(err error) string {
	text, _, _ := strings.Cut(strings.TrimSpace(err.Error()), "\n")
	return text
}
