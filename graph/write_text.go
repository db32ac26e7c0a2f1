package graph

import (
	"context"
	"fmt"
	"io"
	"strconv"
)

// appendArcs appends a line for every arc of u, in the style of the text
// formats: prefix, the two ends as name gives them, and the weight.
func (g *Graph) appendArcs(b []byte, u uint32, prefix string, sep byte, name func(uint32) uint64) []byte {
	from := name(u)
	for e := g.RowStart[u]; e < g.RowStart[u+1]; e++ {
		b = append(b, prefix...)
		b = strconv.AppendUint(b, from, 10)
		b = append(b, sep)
		b = strconv.AppendUint(b, name(g.Dst[e]), 10)
		switch {
		case g.Weight != nil:
			b = strconv.AppendInt(append(b, sep), int64(g.Weight[e]), 10)
		case g.WeightF != nil:
			b = appendReal(append(b, sep), g.WeightF[e])
		}
		b = append(b, '\n')
	}
	return b
}

// appendReal appends the shortest text that reads back as x and as a real
// number, not an integer.
func appendReal(b []byte, x float64) []byte {
	at := len(b)
	b = strconv.AppendFloat(b, x, 'g', -1, 64)
	for _, c := range b[at:] {
		if c == '.' || c == 'e' {
			return b
		}
	}
	return append(b, ".0"...)
}

// fromOne numbers nodes from 1.
func fromOne(v uint32) uint64 { return uint64(v) + 1 }

// writeDIMACS writes "p sp" and an "a" line for every arc.
func writeDIMACS(ctx context.Context, w io.Writer, g *Graph) error {
	weights, err := g.integerWeights(DIMACS)
	if err != nil {
		return err
	}
	if weights == nil {
		weights = make([]int32, len(g.Dst))
		for i := range weights {
			weights[i] = 1
		}
	}
	whole := &Graph{RowStart: g.RowStart, Dst: g.Dst, Weight: weights}
	if _, err := fmt.Fprintf(w, "p sp %d %d\n", g.NumNodes(), g.NumEdges()); err != nil {
		return err
	}
	return writeRows(ctx, w, whole, func(b []byte, u uint32) []byte {
		return whole.appendArcs(b, u, "a ", ' ', fromOne)
	})
}

// writePACE writes "p tw" and every edge once, from its lower end.
func writePACE(ctx context.Context, w io.Writer, g *Graph) error {
	if g.HasWeights() {
		return fmt.Errorf("format %s has no weights", PACE)
	}
	if err := g.checkUndirected(ctx, PACE); err != nil {
		return err
	}
	edges := 0
	for u := range g.NumNodes() {
		for _, v := range g.Neighbors(uint32(u)) {
			if v >= uint32(u) {
				edges++
			}
		}
	}
	if _, err := fmt.Fprintf(w, "p tw %d %d\n", g.NumNodes(), edges); err != nil {
		return err
	}
	return writeRows(ctx, w, g, func(b []byte, u uint32) []byte {
		for _, v := range g.Neighbors(u) {
			if v >= u {
				b = strconv.AppendUint(b, fromOne(u), 10)
				b = strconv.AppendUint(append(b, ' '), fromOne(v), 10)
				b = append(b, '\n')
			}
		}
		return b
	})
}

// writeEdgeList writes SNAP's two comment lines and tabs, or a plain list, which has
// comments only where a reader needs them.
func writeEdgeList(ctx context.Context, w io.Writer, g *Graph, format Format) error {
	sep, head := byte(' '), ""
	isolated := g.isolated()
	nodes := g.NumNodes()
	if g.IDs != nil {
		nodes -= isolated // what has a name of its own cannot be counted: see Losses
	}
	if format == SNAP || isolated > 0 && g.IDs == nil {
		head = fmt.Sprintf("# Nodes: %d Edges: %d\n", nodes, g.NumEdges())
		if isolated > 0 && g.IDs == nil && g.Base > 0 {
			head += fmt.Sprintf("# First node: %d\n", g.Base)
		}
	}
	if format == SNAP {
		sep = '\t'
		head += "# FromNodeId\tToNodeId\n"
	} else if head == "" && g.ambiguousList() {
		head = "# FROM TO\n"
	}
	if _, err := io.WriteString(w, head); err != nil {
		return err
	}
	return writeRows(ctx, w, g, func(b []byte, u uint32) []byte {
		return g.appendArcs(b, u, "", sep, g.ExternalID)
	})
}

// isolated returns the number of nodes without arcs in or out.
func (g *Graph) isolated() int {
	reached := make([]bool, g.NumNodes())
	for _, v := range g.Dst {
		reached[v] = true
	}
	count := 0
	for u := range reached {
		if !reached[u] && g.RowStart[u] == g.RowStart[u+1] {
			count++
		}
	}
	return count
}

// ambiguousList says whether the first line of g's edge list could be taken
// for the header of another format; a comment before it prevents that.
func (g *Graph) ambiguousList() bool {
	if len(g.Dst) == 0 {
		return true // an empty file is no graph
	}
	first := 0
	for g.RowStart[first+1] == 0 {
		first++
	}
	rest := uint64(len(g.Dst) - 1)
	return g.ExternalID(uint32(first)) == rest || g.ExternalID(g.Dst[0]) == rest
}

// writeMatrixMarket writes a general matrix, with the weights as values.
func writeMatrixMarket(ctx context.Context, w io.Writer, g *Graph) error {
	field := "pattern"
	if g.Weight != nil {
		field = "integer"
	} else if g.WeightF != nil {
		field = "real"
	}
	n := g.NumNodes()
	if _, err := fmt.Fprintf(w, "%%%%MatrixMarket matrix coordinate %s general\n%d %d %d\n", field, n, n, g.NumEdges()); err != nil {
		return err
	}
	return writeRows(ctx, w, g, func(b []byte, u uint32) []byte {
		return g.appendArcs(b, u, "", ' ', fromOne)
	})
}

// writeMETIS writes a line of neighbours for every node.
func writeMETIS(ctx context.Context, w io.Writer, g *Graph) error {
	weights, err := g.integerWeights(METIS)
	if err != nil {
		return err
	}
	for u := range g.NumNodes() {
		for _, v := range g.Neighbors(uint32(u)) {
			if v == uint32(u) {
				return fmt.Errorf("format %s has no self-loops, and node %d has one: drop them first", METIS, g.ExternalID(v))
			}
		}
	}
	if err := g.checkUndirected(ctx, METIS); err != nil {
		return err
	}
	flags := ""
	if weights != nil {
		flags = " 001"
	}
	if _, err := fmt.Fprintf(w, "%d %d%s\n", g.NumNodes(), g.NumEdges()/2, flags); err != nil {
		return err
	}
	return writeRows(ctx, w, g, func(b []byte, u uint32) []byte {
		for e := g.RowStart[u]; e < g.RowStart[u+1]; e++ {
			if e > g.RowStart[u] {
				b = append(b, ' ')
			}
			b = strconv.AppendUint(b, fromOne(g.Dst[e]), 10)
			if weights != nil {
				b = strconv.AppendInt(append(b, ' '), int64(weights[e]), 10)
			}
		}
		return append(b, '\n')
	})
}
