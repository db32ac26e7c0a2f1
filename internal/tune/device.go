package tune

import (
	"context"

	"irgl/internal/device"
	"irgl/internal/prepare"
)

// InputOnDevice is [InputOf] for a graph in the memory of a device, without a name. The
// result is the same.
func InputOnDevice(ctx context.Context, k *prepare.Kit, g *prepare.Graph) (in Input, err error) {
	if g.Nodes == 0 {
		return InputOf(nil, 0), nil
	}
	d := new(degrees)
	nodes, edges, most, err := k.Degrees(ctx, g)
	if err != nil {
		return in, err
	}
	copy(d.nodes[:], nodes)
	copy(d.edges[:], edges)
	d.most = int64(most)
	found, err := k.Search(ctx, g, searches, searchedNodes)
	if err != nil {
		return in, err
	}
	symmetric, err := k.HaveReverses(ctx, g, sampledEdges, longRow)
	if err != nil {
		return in, err
	}
	in.Features = featuresOf(int(g.Nodes), int64(g.Arcs), d, levelsIn(found), symmetric)
	in.ID, err = identityOnDevice(ctx, k, g)
	return in, err
}

// identityOnDevice is Identity for a graph in the memory of a device.
func identityOnDevice(ctx context.Context, k *prepare.Kit, g *prepare.Graph) (string, error) {
	h := newIdentity(uint64(g.Nodes), uint64(g.Arcs))
	sample := func(at device.Ptr, length int64, value func(uint32) uint64) error {
		word(h, uint64(length))
		list, err := k.Pick(ctx, at, length, uint32(min(length, sampledWords)))
		for _, v := range list {
			word(h, value(v))
		}
		return err
	}
	unsigned := func(v uint32) uint64 { return uint64(v) }
	if err := sample(g.Row, int64(g.Nodes)+1, unsigned); err != nil {
		return "", err
	}
	if err := sample(g.Dst, int64(g.Arcs), unsigned); err != nil {
		return "", err
	}
	weights := int64(0)
	if g.Weight != 0 {
		weights = int64(g.Arcs)
	}
	if err := sample(g.Weight, weights, func(v uint32) uint64 { return uint64(int32(v)) }); err != nil {
		return "", err
	}
	return h.text(), nil
}
