package opt

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"irgl/internal/pass"
	"irgl/internal/ssa"
)

// run calls the last function of m, the outermost, and returns its observable
// behaviour, and whether it ended within the fuel and, with watch, without
// depending on a broken promise.
func runModule(m *ssa.Module, f *ssa.Func, seed uint64, fuel int, watch bool) (string, bool) {
	rng := rand.New(rand.NewPCG(seed, 9))
	vm := &machine{mod: m, memory: make(map[uint64]byte), frame: localBase0, fuel: fuel, watch: watch}
	const buffer, aggregate = 1 << 20, 1 << 21
	for i := range uint64(48) {
		vm.memory[buffer+i] = byte(rng.IntN(256))
	}
	vm.write(buffer+16, ssa.F32, uint64(math.Float32bits(float32(rng.NormFloat64()))))
	vm.write(buffer+24, ssa.F64, math.Float64bits(rng.NormFloat64()))
	for i := range uint64(16) {
		vm.memory[aggregate+i] = byte(rng.IntN(256))
	}
	args := []uint64{buffer, aggregate, uint64(rng.IntN(64)), rng.Uint64(), math.Float64bits(rng.NormFloat64() * 100)}
	result, err := vm.call(f, args)
	if err == errFuel || err == errBroken {
		return "", false
	}
	seen := fmt.Sprintf("result %x error %v\n", result, err)
	for i := range uint64(48) {
		seen += fmt.Sprintf("%02x", vm.memory[buffer+i])
	}
	for _, line := range vm.trace {
		seen += "\n" + line
	}
	return seen, true
}

// shuffle permutes the values within blocks as far as their order is
// irrelevant: phis stay first, definitions before uses, effects and memory
// accesses in order.
func shuffle(rng *rand.Rand, m *ssa.Module) {
	for _, f := range m.Funcs {
		for _, b := range f.Blocks {
			phis := len(b.Phis())
			rest := slices.Clone(b.Values[phis:])
			placed := make(map[*ssa.Value]bool)
			here := make(map[*ssa.Value]bool)
			for _, v := range rest {
				here[v] = true
			}
			ordered := func(v *ssa.Value) bool { return v.Op.Effects() != 0 }
			out := b.Values[:phis:phis]
			rng.Shuffle(phis, func(i, j int) { out[i], out[j] = out[j], out[i] })
			for len(rest) > 0 {
				var ready []int
				effects := false // a later effect
				for i, v := range rest {
					ok := !ordered(v) || !effects
					for _, a := range v.Args {
						ok = ok && (!here[a] || placed[a])
					}
					if ok {
						ready = append(ready, i)
					}
					effects = effects || ordered(v)
				}
				i := ready[rng.IntN(len(ready))]
				placed[rest[i]] = true
				out = append(out, rest[i])
				rest = slices.Delete(rest, i, i+1)
			}
			b.Values = out
		}
	}
}

// differential generates a random module, runs random passes over it, with
// values shuffled before each and verification after each, and compares the
// behaviour of all its functions before and after. In half of the modules
// values promise not to wrap; if a promise is broken and matters before, the
// result is unconstrained.
func differential(t *testing.T, seed uint64) (ended bool) {
	rng := rand.New(rand.NewPCG(seed, 1))
	m := randomModule(rng)
	if seed%2 == 1 {
		promise(rng, m)
	}
	if err := ssa.Verify(m); err != nil {
		t.Fatalf("seed %d: the generator is wrong: %v\n%s", seed, err, m)
	}
	text := m.String()
	before := mustParse(t, text)
	switches := make(map[string]bool)
	if rng.IntN(3) > 0 {
		for _, p := range Passes().Passes() {
			switches[p.Name] = rng.IntN(4) > 0
		}
	}
	budget := []int{0, -1, 50}[rng.IntN(3)]
	_, err := Run(m, Options{
		InlineBudget: budget, Switch: switches, Verify: true,
		Before: func(_ string, m *ssa.Module) { shuffle(rng, m) },
	})
	if err != nil {
		if internal, ok := err.(*pass.InternalError); ok {
			t.Logf("%s", internal.Stack)
		}
		t.Fatalf("seed %d: %v\n%s\nnow\n%s", seed, err, text, m)
	}
	for _, f := range before.Funcs {
		after := m.Func(f.Name)
		if after == nil {
			continue // inlined and removed
		}
		for input := range uint64(3) {
			const fuel = 5000
			want, ok := runModule(before, f, seed+input, fuel, true)
			if !ok {
				continue
			}
			ended = true
			got, ok := runModule(m, after, seed+input, 4*fuel, false)
			if !ok || got != want {
				t.Fatalf("seed %d, @%s, budget %d, switches %v: got\n%s\nwant\n%s\nbefore\n%s\nafter\n%s", seed, f.Name, budget, switches, got, want, text, m)
			}
		}
	}
	return ended
}

func TestDifferential(t *testing.T) {
	n := uint64(400)
	if testing.Short() {
		n = 60
	}
	ended := uint64(0)
	for seed := range n {
		if differential(t, seed) {
			ended++
		}
	}
	if ended < n*3/4 {
		t.Errorf("only %d of %d modules have a function that ends", ended, n)
	}
}

func FuzzOpt(f *testing.F) {
	for seed := range uint64(8) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) { differential(t, seed) })
}
