package graph

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"irgl/internal/atomicfile"
)

// Write stores g in the file at path, compressed when the path ends in .gz or
// .zst. The file appears at once and complete, or not at all: it is written
// under another name beside it and then renamed.
//
// What a format cannot hold is refused, except for what [Graph.Losses] tells.
func Write(ctx context.Context, path string, g *Graph, format Format) error {
	err := atomicfile.WriteCompressed(ctx, path, func(w io.Writer) error { return WriteTo(ctx, w, g, format) })
	if _, named := errors.AsType[*fs.PathError](err); err == nil || named {
		return err // which names the file
	}
	return fmt.Errorf("write %s: %w", path, err)
}

// Losses says what of g a file of the format does not hold, although Write writes
// it, a line each. DIMACS has weights always: an unweighted graph gets weight 1. Edge
// lists (SNAP and plain) keep the names of nodes, but an isolated node has a name
// only if the nodes are numbered without gaps, and then in a comment. All other
// formats keep isolated nodes, but number the nodes themselves, from 0 or 1.
func (g *Graph) Losses(format Format) []string {
	var lost []string
	switch format {
	case SNAP, EdgeList:
		isolated := g.isolated()
		switch {
		case isolated == 0:
		case g.IDs != nil:
			lost = append(lost, fmt.Sprintf("isolated nodes left out: %d; no edge names them, and the numbers of nodes have gaps (galois1 keeps the nodes, but not their numbers)", isolated))
		default:
			lost = append(lost, fmt.Sprintf("isolated nodes: %d, in the comment \"# Nodes: %d\" only; a reader that skips comments sees %d nodes", isolated, g.NumNodes(), g.NumNodes()-isolated))
		}
		return lost
	case DIMACS:
		if !g.HasWeights() {
			lost = append(lost, "the graph has no weights, and format dimacs always has: all are 1")
		}
	}
	if g.IDs != nil {
		lost = append(lost, fmt.Sprintf("format %s numbers the nodes itself: their numbers in %s, %d to %d with gaps, are not kept", format, cmp.Or(g.Info.Name, "the graph"), g.IDs[0], g.IDs[len(g.IDs)-1]))
	}
	return lost
}

// WriteTo writes g to w, uncompressed. See Write for what is kept.
func WriteTo(ctx context.Context, w io.Writer, g *Graph, format Format) error {
	if err := g.Validate(ctx); err != nil {
		return err
	}
	switch format {
	case Galois1, Galois2:
		return writeGalois(ctx, w, g, format)
	case DIMACS:
		return writeDIMACS(ctx, w, g)
	case PACE:
		return writePACE(ctx, w, g)
	case SNAP, EdgeList:
		return writeEdgeList(ctx, w, g, format)
	case MatrixMarket:
		return writeMatrixMarket(ctx, w, g)
	case METIS:
		return writeMETIS(ctx, w, g)
	}
	_, err := ParseFormat(string(format))
	return err
}

// writeRows writes the text of every node: row(b, u) appends that of node u to
// b. Ranges of nodes are rendered in parallel, a few at a time, and written in
// order.
func writeRows(ctx context.Context, w io.Writer, g *Graph, row func(b []byte, u uint32) []byte) error {
	bounds := rowBounds(g)
	wave := 4 * workers()
	bufs := make([][]byte, wave)
	for first := 0; first < len(bounds)-1; first += wave {
		count := min(wave, len(bounds)-1-first)
		err := parallelTasks(ctx, count, func(_, i int) error {
			b := bufs[i][:0]
			for u := bounds[first+i]; u < bounds[first+i+1]; u++ {
				b = row(b, uint32(u))
			}
			bufs[i] = b
			return nil
		})
		if err != nil {
			return err
		}
		for _, b := range bufs[:count] {
			if _, err := w.Write(b); err != nil {
				return err
			}
		}
	}
	return nil
}

// integerWeights returns the weights for a format that has only integers, nil
// for an unweighted graph.
func (g *Graph) integerWeights(format Format) ([]int32, error) {
	if w, ok := g.IntWeights(); ok || !g.HasWeights() {
		return w, nil
	}
	return nil, fmt.Errorf("format %s has integer weights only, and the graph has weights with fractions", format)
}

// checkUndirected refuses a graph that a format of undirected graphs cannot
// hold.
func (g *Graph) checkUndirected(ctx context.Context, format Format) error {
	a, err := g.findOneWay(ctx)
	if err == nil && a != nil {
		reverse := "reverse"
		if g.HasWeights() {
			reverse = "reverse of its weight"
		}
		err = fmt.Errorf("format %s holds undirected graphs, and the arc from %d to %d has no %s: symmetrize the graph first (--symmetrize)",
			format, g.ExternalID(a.from), g.ExternalID(a.to), reverse)
	}
	return err
}
