package graph

import (
	"cmp"
	"context"
	"math"
	"slices"
)

// A oneWay is an arc without a reverse of the same weight.
type oneWay struct{ from, to uint32 }

// findOneWay looks for an arc without a reverse of the same weight; parallel
// arcs need as many. It returns nil if there is none, which is the usual answer
// and found without a transposition.
func (g *Graph) findOneWay(ctx context.Context) (*oneWay, error) {
	if is, err := g.IsSymmetric(ctx, true); err != nil || is {
		return nil, err
	}
	transposed, err := g.Transpose(ctx)
	if err != nil {
		return nil, err
	}
	for u := range g.NumNodes() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		out, in := g.sortedRow(u), transposed.sortedRow(u)
		for k := range min(len(out), len(in)) {
			if c := out[k].compare(in[k]); c < 0 {
				return &oneWay{uint32(u), out[k].v}, nil
			} else if c > 0 {
				return &oneWay{in[k].v, uint32(u)}, nil
			}
		}
		if len(out) > len(in) {
			return &oneWay{uint32(u), out[len(in)].v}, nil
		} else if len(in) > len(out) {
			return &oneWay{in[len(out)].v, uint32(u)}, nil
		}
	}
	return nil, nil
}

// weightBits returns the weight of arc e as bits, 0 without weights.
func (g *Graph) weightBits(e uint64) uint64 {
	switch {
	case g.Weight != nil:
		return uint64(g.Weight[e])
	case g.WeightF != nil:
		// Adding 0 makes -0 equal to 0.
		return math.Float64bits(g.WeightF[e] + 0)
	}
	return 0
}

// A neighbour is the head of an arc and the arc's weight.
type neighbour struct {
	v uint32
	w uint64 // weightBits
}

func (x neighbour) compare(y neighbour) int {
	return cmp.Or(cmp.Compare(x.v, y.v), cmp.Compare(x.w, y.w))
}

// sortedRow returns the arcs of u in order.
func (g *Graph) sortedRow(u int) []neighbour {
	var row []neighbour
	for e := g.RowStart[u]; e < g.RowStart[u+1]; e++ {
		row = append(row, neighbour{g.Dst[e], g.weightBits(e)})
	}
	slices.SortFunc(row, neighbour.compare)
	return row
}
