package mesh

import (
	"context"
	"fmt"
	"math/rand/v2"

	"irgl/internal/memory"
)

// RandomPoints returns n points drawn uniformly from the unit square, the same
// for the same seed on every machine.
func RandomPoints(n int, seed uint64) (x, y []float64) {
	r := rand.New(rand.NewPCG(seed, 0x6d657368))
	x, y = make([]float64, n), make([]float64, n)
	for i := range n {
		x[i], y[i] = r.Float64(), r.Float64()
	}
	return x, y
}

// Generate returns the Delaunay triangulation of n random points in the unit
// square, with the convex hull as its boundary. These are the inputs on which
// mesh refinement is measured: of n points come about 2n triangles, half of
// them with an angle below 30 degrees. Nodes are in the order drawn, which has
// no locality; see [Mesh.Reorder].
func Generate(ctx context.Context, n int, seed uint64) (*Mesh, error) {
	if n < 3 || n > MaxNodes {
		return nil, fmt.Errorf("generate mesh: %d points; from 3 to %d can be had", n, MaxNodes)
	}
	// 16 bytes a point, and 24 for each of two triangles.
	if need, limit := 64*int64(n), memory.Limit(); need > limit {
		return nil, fmt.Errorf("generate mesh: %d points take about %s of memory, and this process may use %s", n, memory.Format(need), memory.Format(limit))
	}
	x, y := RandomPoints(n, seed)
	m, err := Delaunay(ctx, x, y)
	if err != nil {
		return nil, fmt.Errorf("generate mesh: %w", err)
	}
	return m, nil
}
