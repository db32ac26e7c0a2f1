package difftest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"irgl/internal/compile"
	"irgl/internal/device/simt"
	"irgl/internal/source"
	"irgl/internal/ssa"
	"irgl/internal/ssa/opt"
	"irgl/syntax"
)

// A Variant is one configuration of the compiler and the emulator.
type Variant struct {
	Name    string
	Options compile.Options
	Device  simt.Options
}

// reordered is how many orders of the passes there are among [Variants].
const reordered = 24

// Variants returns the configurations that are compared: no optional pass; all; all with
// the order of values shuffled before each pass and another schedule of
// threads; all but one, for each row of the list of passes; all, with signed
// integers that wrap; all without inlining; all for a device that is fast at
// doubles; and all, in other orders that the constraints of the list allow, each
// second one for such a device.
func Variants() []Variant {
	rows := opt.Passes().Passes()
	off := map[string]bool{}
	for _, p := range rows {
		if !p.Required {
			off[p.Name] = false
		}
	}
	list := []Variant{{Name: "none"}, {Name: "all"}, {Name: "shuffled"}}
	list[0].Options.Opt = opt.Options{Switch: off, InlineBudget: -1}
	list[2].Options.Opt.Before = shuffler(1)
	list[2].Device = simt.Options{Seed: 5, Schedule: simt.Fine}
	for _, p := range rows {
		if p.Required {
			continue
		}
		v := Variant{Name: "no " + p.Name}
		v.Options.Opt.Switch = map[string]bool{p.Name: false}
		list = append(list, v)
	}
	list = append(list, Variant{Name: "wrapv", Options: compile.Options{WrapSigned: true}})
	list = append(list, Variant{Name: "no inlining", Options: compile.Options{Opt: opt.Options{InlineBudget: -1}}})
	list = append(list, Variant{Name: "doubles", Options: compile.Options{Opt: opt.Options{Doubles: true}}})
	for i := range uint64(reordered) {
		v := Variant{Name: fmt.Sprintf("order %d", i)}
		v.Options.Opt.Passes = opt.Passes().Shuffled(i).Names()
		v.Options.Opt.Doubles = i%2 == 1
		list = append(list, v)
	}
	for i := range list {
		list[i].Options.Check = true
		list[i].Device.CheckRaces, list[i].Device.CheckUninitialised = true, true
		list[i].Device.MaxInstructions = 20e6
	}
	return list
}

// Some returns the first three of the variants and n others that depend on the
// seed, so that many seeds together see them all.
func Some(variants []Variant, seed uint64, n int) []Variant {
	const always = 3
	list := slices.Clone(variants[:always])
	rest := variants[always:]
	for i := range uint64(n) {
		list = append(list, rest[(seed*uint64(n)+i)%uint64(len(rest))])
	}
	return list
}

// PTX compiles the program.
func (p *Program) PTX(o compile.Options) (string, error) {
	u, err := compile.Compile(source.NewFile(p.Name+".cu", []byte(p.Text())), syntax.CUDA, "", o)
	if err != nil {
		var b strings.Builder
		u.Diags.Render(&b)
		return "", fmt.Errorf("compile: %w\n%s", err, b.String())
	}
	return u.PTXText(), nil
}

// Run takes the program through the compiler and the emulator and returns the
// memory after it ran. What the emulator reports is an error.
func Run(p *Program, v Variant) ([]byte, error) {
	text, err := p.PTX(v.Options)
	if err != nil {
		return nil, err
	}
	return runPTX(p, text, v.Device)
}

func runPTX(p *Program, text string, o simt.Options) ([]byte, error) {
	o.CheckUninitialised = o.CheckUninitialised && !p.Padded
	d := simt.Open(o)
	defer d.Close()
	out, err := Launch(context.Background(), d, p, text)
	if err != nil {
		return nil, err
	}
	if r := d.Reports(); len(r) > 0 {
		return nil, fmt.Errorf("report: %s", r[0])
	}
	return out, nil
}

// shuffler returns a function that gives the values of each block another
// order that means the same: phis stay first, arguments before users, and what
// has effects or depends on memory in order.
func shuffler(seed uint64) func(string, *ssa.Module) {
	return func(pass string, m *ssa.Module) {
		rng := rand.New(rand.NewPCG(seed, uint64(len(pass))))
		for _, f := range m.Funcs {
			for _, b := range f.Blocks {
				n := len(b.Phis())
				rng.Shuffle(n, func(i, j int) { b.Values[i], b.Values[j] = b.Values[j], b.Values[i] })
				copy(b.Values[n:], shuffle(rng, b.Values[n:]))
			}
		}
	}
}

// shuffle returns the values, which are not phis, in another order.
func shuffle(rng *rand.Rand, values []*ssa.Value) []*ssa.Value {
	rest := slices.Clone(values)
	waiting := make(map[*ssa.Value]bool, len(rest))
	for _, v := range rest {
		waiting[v] = true
	}
	var out []*ssa.Value
	for len(rest) > 0 {
		var ready []int
		effects := false // one that is still to come
		for i, v := range rest {
			ordered := v.Op.Effects() != 0
			ok := !ordered || !effects
			for _, a := range v.Args {
				ok = ok && !waiting[a]
			}
			if ok {
				ready = append(ready, i)
			}
			effects = effects || ordered
			if i > 40 && len(ready) > 0 {
				break // a window is enough, and not quadratic
			}
		}
		i := ready[rng.IntN(len(ready))]
		delete(waiting, rest[i])
		out = append(out, rest[i])
		rest = slices.Delete(rest, i, i+1)
	}
	return out
}
