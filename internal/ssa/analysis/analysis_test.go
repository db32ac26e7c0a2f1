package analysis_test

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"testing"
	"time"

	"irgl/internal/golden"
	"irgl/internal/source"
	"irgl/internal/ssa"
	"irgl/internal/ssa/analysis"
)

// TestReports compares the reports of the analyses with the sections of each
// archive; the section "ssa" is the function.
func TestReports(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no archives: %v", err)
	}
	for _, file := range files {
		ar := golden.Archive(t, file)
		m, err := ssa.Parse(source.NewFile(file, ar.Files[0].Data))
		if err != nil {
			t.Fatal(err)
		}
		if err := ssa.Verify(m); err != nil {
			t.Fatal(err)
		}
		for i := range ar.Files[1:] {
			section := &ar.Files[i+1]
			got := analysis.ReportOf(m, m.Funcs[0], section.Name)
			golden.Data(t, section, got)
		}
	}
}

// randomFunc has n blocks with random edges and a value in each, which uses
// one of a block that dominates it.
func randomFunc(rng *rand.Rand, n int) *ssa.Func {
	f := &ssa.Func{Name: "f"}
	for range n {
		f.NewBlock(ssa.BlockRet)
	}
	target := func() *ssa.Block { return f.Blocks[1+rng.IntN(n-1)] }
	for _, b := range f.Blocks {
		cond := b.Append(ssa.OpUndef, ssa.I1)
		switch rng.IntN(4) {
		case 0:
			if b != f.Blocks[0] {
				continue
			}
			fallthrough
		case 1:
			b.Kind = ssa.BlockJump
			b.AddEdge(target())
		default:
			b.Kind = ssa.BlockIf
			b.Ctrl = cond
			b.AddEdge(target())
			b.AddEdge(target())
		}
	}
	return f
}

// reach returns the blocks that control reaches from start without passing
// avoid, along successors or, backward, predecessors.
func reach(f *ssa.Func, start []*ssa.Block, avoid *ssa.Block, next func(*ssa.Block) []*ssa.Block) []bool {
	seen := make([]bool, f.NumBlocks())
	work := start
	for len(work) > 0 {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		if b == avoid || seen[b.ID] {
			continue
		}
		seen[b.ID] = true
		work = append(work[:len(work):len(work)], next(b)...)
	}
	return seen
}

// TestDominatorsByDefinition checks both trees against what dominance means: a
// dominates b when no path to b avoids a. Postdominance is checked where every
// block reaches the end.
func TestDominatorsByDefinition(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	succs := func(b *ssa.Block) []*ssa.Block { return b.Succs }
	preds := func(b *ssa.Block) []*ssa.Block { return b.Preds }
	checkedPost := 0
	for range 300 {
		f := randomFunc(rng, 2+rng.IntN(12))
		if err := ssa.Verify(&ssa.Module{Funcs: []*ssa.Func{f}}); err != nil {
			t.Fatal(err)
		}
		dom, post := analysis.Dominators(f), analysis.PostDominators(f)
		entry := []*ssa.Block{f.Blocks[0]}
		reached := reach(f, entry, nil, succs)
		var exits []*ssa.Block
		for _, b := range f.Blocks {
			if len(b.Succs) == 0 && reached[b.ID] {
				exits = append(exits, b)
			}
		}
		ends := reach(f, exits, nil, preds)
		allEnd := true
		for _, b := range f.Blocks {
			allEnd = allEnd && (ends[b.ID] || !reached[b.ID])
		}
		for _, a := range f.Blocks {
			without := reach(f, entry, a, succs)
			endsWithout := reach(f, exits, a, preds)
			for _, b := range f.Blocks {
				both := reached[a.ID] && reached[b.ID]
				if got, want := dom.Dominates(a, b), both && !without[b.ID]; got != want {
					t.Fatalf("%s dominates %s: got %t in\n%s", a, b, got, f)
				}
				if got, want := post.Dominates(a, b), both && !endsWithout[b.ID]; allEnd && got != want {
					t.Fatalf("%s postdominates %s: got %t in\n%s", a, b, got, f)
				}
			}
		}
		if allEnd {
			checkedPost++
		}
		if len(post.Order()) != len(dom.Order()) {
			t.Fatalf("postdominators have %d blocks, dominators %d, in\n%s", len(post.Order()), len(dom.Order()), f)
		}
	}
	if checkedPost < 50 {
		t.Errorf("only %d functions in which all blocks reach the end", checkedPost)
	}
}

// TestLoopsByDefinition: a block is in the loop of a header when it is the
// header or reaches a latch without passing the header.
func TestLoopsByDefinition(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	found := 0
	for range 300 {
		f := randomFunc(rng, 2+rng.IntN(12))
		dom := analysis.Dominators(f)
		loops := analysis.FindLoops(f, dom)
		found += len(loops.All)
		for _, l := range loops.All {
			in := reach(f, l.Latches, l.Header, func(b *ssa.Block) []*ssa.Block { return b.Preds })
			for _, b := range dom.Order() {
				if want := in[b.ID] || b == l.Header; loops.Contains(l, b) != want {
					t.Fatalf("loop %s contains %s: want %t in\n%s\n%s", l.Header, b, want, f, loops)
				}
			}
		}
	}
	if found < 100 {
		t.Errorf("only %d loops", found)
	}
}

// ladder is a function of n steps that jump ahead or to the next step, inside
// a loop: a shape that the compiler's own output has.
func ladder(n int) *ssa.Func {
	f := &ssa.Func{Name: "f"}
	entry := f.NewBlock(ssa.BlockJump)
	cond := entry.Append(ssa.OpUndef, ssa.I1)
	for range n {
		f.NewBlock(ssa.BlockIf).Ctrl = cond
	}
	entry.AddEdge(f.Blocks[1])
	for i, b := range f.Blocks[1:n] {
		b.Append(ssa.OpNot, ssa.I1, cond)
		b.AddEdge(f.Blocks[min(i+2, n)])
		b.AddEdge(f.Blocks[min(i+3, n)])
	}
	f.Blocks[n].Kind, f.Blocks[n].Ctrl = ssa.BlockJump, nil
	f.Blocks[n].AddEdge(f.Blocks[1])
	return f
}

// TestLinear lets the time a block grow by at most ten times while the number
// of blocks grows by forty. A busy machine disturbs single measurements, so
// one good one of several is enough; what is quadratic has none.
func TestLinear(t *testing.T) {
	measure := func(n int) time.Duration {
		f := ladder(n)
		start := time.Now()
		dom := analysis.Dominators(f)
		analysis.PostDominators(f)
		analysis.FindLoops(f, dom)
		analysis.Live(f, dom)
		analysis.Ranges(f, dom)
		analysis.Vary(f, dom)
		analysis.Clobbers(f, dom, analysis.Alias(f, nil))
		return time.Since(start) / time.Duration(n)
	}
	var small, large time.Duration
	for range 8 {
		small, large = measure(500), measure(20_000)
		if large <= 10*small {
			return
		}
	}
	t.Errorf("%v a block for 500 blocks, %v for 20,000", small, large)
}

func BenchmarkAnalyses(b *testing.B) {
	for _, n := range []int{100, 10_000} {
		f := ladder(n)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				dom := analysis.Dominators(f)
				analysis.FindLoops(f, dom)
				analysis.Live(f, dom)
			}
		})
	}
}
