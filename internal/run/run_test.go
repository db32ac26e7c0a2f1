package run

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"irgl/graph"
	"irgl/internal/check"
	"irgl/syntax"
)

// arcs makes a graph from "u v w" triples; weights are kept when weighted.
func arcs(t *testing.T, n int, weighted bool, list ...int) *graph.Graph {
	t.Helper()
	var src, dst []uint32
	var w []int32
	for i := 0; i < len(list); i += 3 {
		src, dst, w = append(src, uint32(list[i])), append(dst, uint32(list[i+1])), append(w, int32(list[i+2]))
	}
	if !weighted {
		w = nil
	}
	g, err := graph.FromEdges(n, src, dst, w)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// list is the inverse of arcs.
func list(g *graph.Graph) []int {
	var out []int
	for u := range g.NumNodes() {
		for e := g.RowStart[u]; e < g.RowStart[u+1]; e++ {
			w := 0
			if g.Weight != nil {
				w = int(g.Weight[e])
			}
			out = append(out, u, int(g.Dst[e]), w)
		}
	}
	return out
}

func TestPrepare(t *testing.T) {
	messy := []int{0, 2, 7, 0, 1, 5, 0, 2, 3, 1, 1, 4, 2, 0, 9}
	for _, tt := range []struct {
		name string
		r    check.Requires
		in   []int
		want []int
	}{
		{"nothing", check.Requires{}, messy, messy},
		{"weights", check.Requires{Weights: true}, messy, messy},
		{"sorted", check.Requires{Weights: true, Sorted: true}, messy, []int{0, 1, 5, 0, 2, 7, 0, 2, 3, 1, 1, 4, 2, 0, 9}},
		{"noloops", check.Requires{Weights: true, NoLoops: true}, messy, []int{0, 2, 7, 0, 1, 5, 0, 2, 3, 2, 0, 9}},
		{"nodups keeps the smallest", check.Requires{Weights: true, NoDups: true}, messy, []int{0, 1, 5, 0, 2, 3, 1, 1, 4, 2, 0, 9}},
		{"nodups found in rows that are not sorted", check.Requires{Weights: true, NoDups: true},
			[]int{0, 1, 5, 0, 2, 1, 0, 1, 2}, []int{0, 1, 2, 0, 2, 1}},
		{"noloops and nodups", check.Requires{Weights: true, NoLoops: true, NoDups: true}, messy, []int{0, 1, 5, 0, 2, 3, 2, 0, 9}},
		{"symmetric keeps the smallest of both directions", check.Requires{Weights: true, Symmetric: true}, messy,
			[]int{0, 1, 5, 0, 2, 3, 1, 0, 5, 2, 0, 3}},
		{"all", check.Requires{Weights: true, Symmetric: true, Sorted: true, NoLoops: true, NoDups: true}, messy,
			[]int{0, 1, 5, 0, 2, 3, 1, 0, 5, 2, 0, 3}},
		{"other weight back", check.Requires{Weights: true, Symmetric: true}, []int{0, 1, 5, 1, 0, 6}, []int{0, 1, 5, 1, 0, 5}},
		{"symmetric already, loop and repeats stay", check.Requires{Weights: true, Symmetric: true},
			[]int{0, 1, 5, 0, 1, 6, 0, 0, 1, 1, 0, 6, 1, 0, 5}, []int{0, 1, 5, 0, 1, 6, 0, 0, 1, 1, 0, 6, 1, 0, 5}},
		{"symmetric already, loops go", check.Requires{Weights: true, Symmetric: true, NoLoops: true},
			[]int{0, 1, 5, 0, 0, 1, 1, 0, 5}, []int{0, 1, 5, 1, 0, 5}},
		{"repeated in one direction only", check.Requires{Weights: true, Symmetric: true},
			[]int{0, 1, 5, 0, 1, 5, 1, 0, 5}, []int{0, 1, 5, 1, 0, 5}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			in := arcs(t, 3, true, tt.in...)
			got, err := Prepare(context.Background(), in, tt.r)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(list(got), tt.want) {
				t.Errorf("got %v, want %v", list(got), tt.want)
			}
			if !slices.Equal(list(in), tt.in) {
				t.Error("the given graph has changed")
			}
			if slices.Equal(tt.in, tt.want) && got != in {
				t.Error("a graph that fits was copied")
			}
			again, err := Prepare(context.Background(), got, tt.r)
			if err != nil || again != got {
				t.Errorf("preparing twice changes the graph again: %v", err)
			}
		})
	}
}

func TestPrepareIgnoresWeights(t *testing.T) {
	in := arcs(t, 2, true, 0, 1, 5, 1, 0, 6)
	if got, err := Prepare(context.Background(), in, check.Requires{Symmetric: true}); err != nil || got != in {
		t.Errorf("weights that the program does not use made the graph asymmetric: %v", err)
	}
}

func TestPrepareWeights(t *testing.T) {
	ctx := context.Background()
	need := check.Requires{Weights: true, Symmetric: true}
	_, err := Prepare(ctx, arcs(t, 2, false, 0, 1, 0), need)
	e, ok := errors.AsType[*NeedWeightsError](err)
	if !ok || e.Real || !strings.Contains(err.Error(), "has none") || e.Hint() == "" {
		t.Errorf("no weights: %v", err)
	}
	g := arcs(t, 2, false, 0, 1, 0)
	g.WeightF = []float64{1.5}
	g.Info.Name = "a.mtx"
	_, err = Prepare(ctx, g, need)
	e, ok = errors.AsType[*NeedWeightsError](err)
	if !ok || !e.Real || !strings.Contains(err.Error(), "a.mtx") || !strings.Contains(err.Error(), "integer") || e.Hint() == "" {
		t.Errorf("real weights: %v", err)
	}
	g.WeightF[0] = 3
	got, err := Prepare(ctx, g, need)
	if err != nil || !slices.Equal(list(got), []int{0, 1, 3, 1, 0, 3}) {
		t.Errorf("whole real weights: %v", err)
	}
	if g.Weight != nil {
		t.Error("the given graph has changed")
	}
	if got, err := Prepare(ctx, arcs(t, 2, false), check.Requires{Weights: true}); err != nil || got.Weight == nil {
		t.Errorf("no arcs: %v", err)
	}
}

func TestPrepareCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Prepare(ctx, arcs(t, 2, true, 0, 1, 5), check.Requires{Symmetric: true}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestConvert(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	float := func(f float64) Value { return Value{Type: check.Double, Float: f} }
	of := func(t check.Basic, n int64) Value { return Value{Type: t, Int: n} }
	for _, tt := range []struct {
		v    Value
		to   check.Basic
		want string
	}{
		{of(check.Long, 1<<32+5), check.Int, "5"},
		{of(check.Int, -1), check.UInt, "4294967295"},
		{of(check.Int, -1), check.ULong, "18446744073709551615"},
		{of(check.Int, 300), check.UChar, "44"},
		{of(check.Int, 200), check.Char, "-56"},
		{of(check.Int, 70000), check.Short, "4464"},
		{of(check.Int, -1), check.UShort, "65535"},
		{of(check.Int, 256), check.Bool, "true"},
		{of(check.ULong, -1), check.Double, "1.8446744073709552e+19"},
		{of(check.ULong, -1), check.Float, "1.8446744e+19"},
		{of(check.Long, 1<<54+1<<30+1), check.Float, "1.80144e+16"}, // rounds up only when rounded once
		{float(2.9), check.Int, "2"},
		{float(-2.9), check.Int, "-2"},
		{float(-1), check.UInt, "0"},
		{float(1e20), check.Int, "2147483647"},
		{float(-1e20), check.Int, "-2147483648"},
		{float(inf), check.Long, "9223372036854775807"},
		{float(-inf), check.Long, "-9223372036854775808"},
		{float(1e19), check.ULong, "10000000000000000000"},
		{float(inf), check.ULong, "18446744073709551615"},
		{float(300), check.UChar, "255"},
		{float(nan), check.Int, "0"},
		{float(nan), check.Bool, "true"},
		{float(0.5), check.Bool, "true"},
		{float(0), check.Bool, "false"},
		{float(0.1), check.Float, "0.1"},
	} {
		if got := tt.v.Convert(tt.to); got.String() != tt.want || got.Type != tt.to {
			t.Errorf("%s %s to %s: %s, want %s", tt.v.Type, tt.v, tt.to, got, tt.want)
		}
	}
}

// TestColumn stores -1 in a column of each type and reads it back.
func TestColumn(t *testing.T) {
	want := map[check.Basic]float64{
		check.Char: -1, check.SChar: -1, check.Short: -1, check.Int: -1, check.Long: -1, check.LongLong: -1, check.Node: -1,
		check.Edge: -1, check.Float: -1, check.Double: -1, check.Bool: 1, check.UChar: 255, check.UShort: 65535,
		check.UInt: 1<<32 - 1, check.ULong: 1<<64 - 1, check.ULongLong: 1<<64 - 1,
	}
	for typ, w := range want {
		c := NewColumn("p", syntax.EdgeDomain, typ, 3)
		if c.Len() != 3 || c.Name != "p" || c.Of != syntax.EdgeDomain {
			t.Errorf("%s: %+v", typ, c)
		}
		c.Set(1, IntValue(-1))
		if got := c.Float(1); got != w {
			t.Errorf("%s: %v, want %v", typ, got, w)
		}
		if c.Float(0) != 0 || c.Float(2) != 0 {
			t.Errorf("%s: a neighbour changed", typ)
		}
		if v := c.Value(1); v.Type != typ {
			t.Errorf("%s: the value has type %s", typ, v.Type)
		}
	}
}

func TestResult(t *testing.T) {
	r := &Result{Props: []*Column{NewColumn("a", syntax.NodeDomain, check.Int, 1)}, Globals: []Global{{Name: "g"}}}
	if r.Column("a") == nil || r.Column("b") != nil {
		t.Error("Column")
	}
	if _, ok := r.Global("g"); !ok {
		t.Error("Global")
	}
	if _, ok := r.Global("h"); ok {
		t.Error("Global finds what is not there")
	}
}
