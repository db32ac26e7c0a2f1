package opt

import (
	"math/rand/v2"
	"slices"
	"testing"

	"irgl/internal/ssa"
)

// duplicate gives one of the edges into each block of f that is entered by several a copy of the
// block, if it ends in a jump or return and no other block uses its values.
func duplicate(f *ssa.Func) int {
	used := make(map[*ssa.Block]bool)
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			for _, a := range v.Args {
				used[a.Block] = used[a.Block] || a.Block != b
			}
		}
	}
	made := 0
	for _, b := range slices.Clone(f.Blocks) {
		if len(b.Preds) < 2 || b.Kind == ssa.BlockIf || used[b] || len(b.Phis()) > 0 {
			continue
		}
		p := b.Preds[len(b.Preds)-1]
		c := newCopier(f)
		c.copyValues([]*ssa.Block{b})
		n := c.blocks[b]
		n.Preds = []*ssa.Block{p}
		b.Preds = b.Preds[:len(b.Preds)-1]
		p.Succs[lastIndex(p.Succs, b)] = n
		if b.Kind == ssa.BlockJump {
			n.AddEdge(b.Succs[0])
		}
		made++
	}
	return made
}

// TestCrossJumpRandom compares the behaviour of random kernels, of which blocks were duplicated,
// before and after merging, alone behind what it needs and in the whole list.
func TestCrossJumpRandom(t *testing.T) {
	n := uint64(300)
	if testing.Short() {
		n = 60
	}
	merged, made := 0, 0
	for seed := range n {
		m := structuredWith(rand.New(rand.NewPCG(seed, 9)), seed%2 == 0)
		made += duplicate(m.Funcs[0])
		text := m.String()
		before := mustParse(t, text)
		o := Options{Verify: true}
		if seed%4 < 3 {
			o.Switch = only("mem2reg", "constfold", "gvn", "crossjump")
			o.Switch["ifconvert"] = seed%4 == 1
		}
		report, err := Run(m, o)
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, text)
		}
		merged += report.Stats.Get("crossjump", "blocks")
		for input := range uint64(3) {
			want, ok := runModule(before, before.Funcs[0], seed+input, 40_000, true)
			if !ok {
				continue
			}
			if got, ok := runModule(m, m.Funcs[0], seed+input, 200_000, false); !ok || got != want {
				t.Fatalf("seed %d: got\n%s\nwant\n%s\nbefore\n%s\nafter\n%s", seed, got, want, text, m)
			}
		}
	}
	if merged < int(n)/4 {
		t.Errorf("%d of %d duplicates are merged", merged, made)
	}
}
