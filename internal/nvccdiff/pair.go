package nvccdiff

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
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
		align := int64(max(p.Align, p.Type.Size(), 1))
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
	runs   int        // valid ones
	failed []*attempt // those that differ
	diff   string     // the first difference
	reason string     // why the last attempt was not valid
}

// scales are of buffers, tried until the kernel stays within them.
var scales = []int64{1, 16, 128}

// compare runs a kernel of both compilers until enough runs are valid.
func (f *pairedFile) compare(ctx context.Context, k *kernelPair, seed uint64) comparison {
	var c comparison
	start := time.Now()
	for i := 0; i < maxAttempts && c.runs < enough && time.Since(start) < kernelTime && ctx.Err() == nil; i++ {
		scale, middle := 0, false
		for scale < len(scales) {
			a := newAttempt(seed, k, i, scales[scale])
			a.middle = middle
			err := f.try(ctx, k, a, &c)
			if err == nil {
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
		d = firstLine(err)
	} else {
		d = ours.compare(k, a, theirs, MaxULP)
	}
	if d != "" {
		if c.failed = append(c.failed, a); c.diff == "" {
			c.diff = fmt.Sprintf("%s (grid %v, block %v)", d, a.grid, a.block)
		}
	}
	return nil
}

// again runs the attempts that differed with the programs that do not contract.
func (f *pairedFile) again(ctx context.Context, k *kernelPair, failed []*attempt) string {
	for _, a := range failed {
		theirs, err := f.theirs.run(ctx, k, a)
		if err != nil {
			return "nvcc's, without contraction: " + firstLine(err)
		}
		ours, err := f.ours.run(ctx, k, a)
		if err != nil {
			return firstLine(err)
		}
		if d := ours.compare(k, a, theirs, MaxULP); d != "" {
			return d
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
