package graph

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// TestFactsOfSmallGraphs compares what graphs say of themselves, in any order of the
// questions, with what a look at all pairs of arcs says.
func TestFactsOfSmallGraphs(t *testing.T) {
	ctx := context.Background()
	r := rand.New(rand.NewPCG(1, 2))
	graphs := []*Graph{
		{RowStart: []uint64{0, 3, 3, 3}, Dst: []uint32{2, 1, 2}}, // a repeat in a row that is not sorted
		{RowStart: []uint64{0, 1, 2}, Dst: []uint32{1, 0}, WeightF: []float64{0, math.Copysign(0, -1)}},
	}
	for range 300 {
		graphs = append(graphs, randomGraph(t, 1+r.IntN(4), r.IntN(7), r.IntN(2) == 0, r.Uint64()))
	}
	for i, g := range graphs {
		type arc struct {
			src, dst uint32
			weight   float64
		}
		var arcs []arc
		for u := range uint32(g.NumNodes()) {
			for e := g.RowStart[u]; e < g.RowStart[u+1]; e++ {
				a := arc{u, g.Dst[e], 0}
				if g.Weight != nil {
					a.weight = float64(g.Weight[e])
				} else if g.WeightF != nil {
					a.weight = g.WeightF[e]
				}
				arcs = append(arcs, a)
			}
		}
		sorted, loops, repeats, symmetric, mirrored := true, false, false, true, true
		for j, a := range arcs {
			loops = loops || a.src == a.dst
			plain, weighed := 0, 0
			for k, b := range arcs {
				same := b.src == a.src && b.dst == a.dst
				back := b.src == a.dst && b.dst == a.src
				repeats = repeats || same && k != j
				sorted = sorted && !(b.src == a.src && k > j && b.dst < a.dst)
				for was, by := range map[bool]int{same: 1, back: -1} {
					if was && same != back {
						plain += by
						if a.weight == b.weight {
							weighed += by
						}
					}
				}
			}
			symmetric, mirrored = symmetric && plain == 0, mirrored && weighed == 0
		}
		questions := []struct {
			name string
			ask  func() (bool, error)
			want bool
		}{
			{"sorted", func() (bool, error) { return g.IsSorted(ctx) }, sorted},
			{"loops", func() (bool, error) { return g.HasSelfLoops(ctx) }, loops},
			{"duplicates", func() (bool, error) { return g.HasDuplicates(ctx) }, repeats},
			{"symmetric", func() (bool, error) { return g.IsSymmetric(ctx, false) }, symmetric},
			{"symmetric with weights", func() (bool, error) { return g.IsSymmetric(ctx, true) }, mirrored},
		}
		if i > 1 {
			r.Shuffle(len(questions), func(i, j int) { questions[i], questions[j] = questions[j], questions[i] })
		}
		for _, q := range slices.Concat(questions, questions) {
			if got, err := q.ask(); err != nil || got != q.want {
				t.Errorf("%v: %s is %v, %v", arcs, q.name, got, err)
			}
		}
	}
}

// TestSkewSymmetric: the arcs of a skew-symmetric matrix have reverses, of other weights.
func TestSkewSymmetric(t *testing.T) {
	ctx := context.Background()
	g, err := Read(ctx, "skew.mtx", strings.NewReader("%%MatrixMarket matrix coordinate integer skew-symmetric\n3 3 2\n2 1 5\n3 1 7\n"))
	if err != nil {
		t.Fatal(err)
	}
	if plain, err := g.IsSymmetric(ctx, false); err != nil || !plain {
		t.Errorf("without weights: %v, %v", plain, err)
	}
	if mirrored, err := g.IsSymmetric(ctx, true); err != nil || mirrored {
		t.Errorf("with weights: %v, %v", mirrored, err)
	}
}
