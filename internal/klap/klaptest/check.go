package klaptest

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"irgl/internal/check"
	"irgl/internal/compile"
	"irgl/internal/device"
	"irgl/internal/device/simt"
	"irgl/internal/klap"
	"irgl/internal/source"
	"irgl/internal/tree"
	"irgl/syntax"
)

// A Variant is a transformation, by the name of its options.
type Variant struct {
	Name    string
	Options klap.Options
}

// Variants returns the transformations, alone and together.
func Variants() []Variant {
	var out []Variant
	for _, g := range []string{"none", "warp", "block", "multiblock:2", "multiblock:3", "grid"} {
		for _, c := range []struct{ threshold, coarsen int }{{0, 0}, {24, 0}, {0, 3}, {70, 2}} {
			for _, pool := range []int64{1 << 17, 1 << 10} {
				if g == "none" && (c.threshold == 0 && c.coarsen == 0 || pool < 1<<17) {
					continue
				}
				for _, perThread := range []bool{true, false} {
					v := Variant{Options: klap.Options{Threshold: c.threshold, Coarsen: c.coarsen, Pool: pool, PerThread: perThread}}
					v.Options.WholeBlocks = pool < 1<<17 && c.threshold > 0
					if err := v.Options.SetGranularity(g); err != nil {
						panic(err)
					}
					v.Name = fmt.Sprintf("%s threshold %d coarsen %d pool %d per-thread %v flattened %v", g, c.threshold, c.coarsen, pool, perThread, !v.Options.WholeBlocks)
					out = append(out, v)
				}
			}
		}
	}
	return out
}

// choose returns a variant of each granularity, with other options from seed to seed.
func choose(seed uint64) []Variant {
	r := rand.New(rand.NewPCG(seed, 0xc405e))
	of := map[string][]Variant{}
	for _, v := range Variants() {
		g, _, _ := strings.Cut(v.Name, " ")
		g, _, _ = strings.Cut(g, ":")
		of[g] = append(of[g], v)
	}
	var out []Variant
	for _, g := range slices.Sorted(maps.Keys(of)) {
		list := of[g]
		if g != "none" && r.IntN(3) > 0 { // aggregation alone more often than in combinations
			list = slices.DeleteFunc(slices.Clone(list), func(v Variant) bool { return v.Options.Threshold != 0 || v.Options.Coarsen != 0 })
		}
		if r.IntN(4) > 0 { // most launches into default streams are transformed
			list = slices.DeleteFunc(slices.Clone(list), func(v Variant) bool { return !v.Options.PerThread })
		}
		out = append(out, list[r.IntN(len(list))])
	}
	return out
}

// A Result is what a program does: what it computes, and how its launches fail.
type Result struct {
	Out    []byte
	Errors int
	// Launched are its launches in device code, and Exhausted how often the pool had no room.
	Launched  []Launched
	Exhausted uint32
}

// A Finding is a program that does not do what it does as it is.
type Finding struct {
	Program *Program
	Variant Variant
	Kind    string // does not compile, fails, reports, differs, errors, text: what Reduce keeps
	Text    string
}

func (f *Finding) String() string {
	return fmt.Sprintf("seed %d, %s: %s: %s", f.Program.Seed, f.Variant.Name, f.Kind, f.Text)
}

// reports is the error of reports of the emulator.
type reports struct{ text string }

func (r *reports) Error() string { return r.text }

// verified is how many programs have one that the compiler verifies behind each pass, which takes half of its time.
const verified = 8

// compiled compiles the text of a program of a seed.
func compiled(text string, o klap.Options, seed uint64) (*compile.Unit, error) {
	u, err := compile.Compile(source.NewFile("in.cu", []byte(text)), syntax.CUDA, "", compile.Options{Klap: o, Check: seed%verified == 0})
	if err == nil {
		err = u.Diags.Err()
	}
	return u, err
}

// Transformed returns the text of a transformed program, which compiles without options.
func Transformed(text string, o klap.Options) (string, error) {
	diags := &source.List{}
	info := check.Check(syntax.Parse(source.NewFile("in.cu", []byte(text)), syntax.CUDA, diags), diags)
	if err := diags.Err(); err != nil {
		return "", err
	}
	out, _, err := klap.Transform(info, o, tree.Options{Verify: true})
	if err != nil {
		return "", err
	}
	return syntax.String(out.File), nil
}

// most is how many warp instructions a launch may execute.
const most = 20e6

// run runs a compiled program in the schedule of a seed.
func (p *Program) run(u *compile.Unit, seed uint64) (*Result, error) {
	o := simt.Checked()
	o.Seed, o.Schedule = seed, simt.Schedule(seed%3)
	o.MaxInstructions, o.SpinLimit, o.Multiprocessors = most, 1e6, int(1+3*(seed%2))
	r, err := NewRunner(u, o)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	in := make([]byte, 4*max(1, p.N))
	for i := range p.N {
		binary.LittleEndian.PutUint32(in[4*i:], uint32(i)*2654435761)
	}
	out := make([]byte, 4*Outputs)
	var at [2]device.Ptr
	for i, data := range [][]byte{out, in} {
		if at[i], err = r.Device.Alloc([]string{"out", "in"}[i], int64(len(data))); err != nil {
			return nil, err
		}
		if err := r.Device.CopyIn(at[i], data); err != nil {
			return nil, err
		}
	}
	params := binary.LittleEndian.AppendUint64(nil, uint64(at[0]))
	params = binary.LittleEndian.AppendUint64(params, uint64(at[1]))
	params = binary.LittleEndian.AppendUint32(params, uint32(p.N))
	if err := r.Run("root", device.Launch{Grid: p.Grid, Block: p.Block, Params: params}); err != nil {
		return nil, err
	}
	if err := r.Device.CopyOut(out, at[0]); err != nil {
		return nil, err
	}
	if out, err = p.withBare(r, out); err != nil {
		return nil, err
	}
	for _, report := range r.Device.Reports() {
		return nil, &reports{fmt.Sprint(report)}
	}
	if r.Held != 0 {
		return nil, &reports{fmt.Sprintf("the pool is not given back: its state is %#x", r.Held)}
	}
	return &Result{out, r.Errors, r.Launched, r.Exhausted}, nil
}

// withBare returns out with what kernels without parameters have recorded behind it.
func (p *Program) withBare(r *Runner, out []byte) ([]byte, error) {
	bare := make([]byte, 4*Outputs)
	if at, _, err := r.Module.Global("bare_out"); err == nil { // else no kernel names it
		if err := r.Device.CopyOut(bare, at); err != nil {
			return nil, err
		}
	}
	return append(out, bare...), nil
}

// Plain runs a program as it is.
func (p *Program) Plain(seed uint64) (*Result, error) {
	list, err := p.plain(seed)
	if err != nil {
		return nil, err
	}
	return list[0], nil
}

// plain runs a program as it is in some schedules.
func (p *Program) plain(seeds ...uint64) ([]*Result, error) {
	u, err := compiled(p.Text(), klap.Options{}, p.Seed)
	if err != nil {
		return nil, err
	}
	var out []*Result
	for _, seed := range seeds {
		r, err := p.run(u, seed)
		if err != nil {
			return nil, err
		}
		out = append(out, r)
	}
	return out, nil
}

// Check compares a program in the form of a variant, in some schedules, with what it does as it is. With
// text the form is printed and read before. It returns nil for a finding if they agree, and what the
// transformed program does.
func Check(p *Program, want *Result, v Variant, text bool, seeds ...uint64) (*Finding, *compile.Unit, *Result) {
	return checkWith(p, want, v, text, func(s string) string { return s }, seeds...)
}

// checkWith checks a program whose transformed text is changed.
func checkWith(p *Program, want *Result, v Variant, text bool, change func(string) string, seeds ...uint64) (*Finding, *compile.Unit, *Result) {
	found := func(kind, format string, args ...any) *Finding {
		text, _, _ := strings.Cut(fmt.Sprintf(format, args...), "\n")
		return &Finding{p, v, kind, text}
	}
	in, o := p.Text(), v.Options
	if text {
		var err error
		if in, err = Transformed(in, o); err != nil {
			return found("does not compile", "%v", err), nil, nil
		}
		if again := syntax.String(syntax.Parse(source.NewFile("out.cu", []byte(in)), syntax.CUDA, &source.List{})); again != in {
			return found("text", "it does not parse back as it is printed"), nil, nil
		}
		in, o = change(in), klap.Options{}
	}
	u, err := compiled(in, o, p.Seed)
	if err != nil {
		return found("does not compile", "%v", err), nil, nil
	}
	var last *Result
	for _, seed := range seeds {
		got, err := p.run(u, seed)
		if r, ok := err.(*reports); ok {
			return found("reports", "schedule %d: %s", seed, r.text), u, nil
		}
		if err != nil {
			return found("fails", "schedule %d: %v", seed, err), u, nil
		}
		if !bytes.Equal(got.Out, want.Out) {
			return found("differs", "schedule %d: %s", seed, difference(got.Out, want.Out)), u, nil
		}
		if got.Errors != want.Errors {
			return found("errors", "schedule %d: %d launches fail, want %d", seed, got.Errors, want.Errors), u, nil
		}
		last = got
	}
	return nil, u, last
}

func difference(got, want []byte) string {
	n, first := 0, -1
	for i := 0; i < len(want); i += 4 {
		if !bytes.Equal(got[i:i+4], want[i:i+4]) {
			if n++; first < 0 {
				first = i
			}
		}
	}
	return fmt.Sprintf("%d of %d numbers differ: out[%d] is %#x, want %#x", n, len(want)/4, first/4,
		binary.LittleEndian.Uint32(got[first:]), binary.LittleEndian.Uint32(want[first:]))
}
