package graph

import (
	"bytes"
	"context"
	"fmt"
)

// The METIS format:
//
//	% a comment
//	NODES EDGES [FLAGS [NCON]]
//	[SIZE] [WEIGHT ...] NEIGHBOUR [WEIGHT] NEIGHBOUR [WEIGHT] ...
//
// with a line for each of the nodes 1..NODES (an empty one for a node without
// neighbours) and every undirected edge listed at both ends. FLAGS is up to
// three digits: vertex sizes, vertex weights (NCON of them, 1 when left out),
// edge weights. Sizes and weights of vertices are checked and left out.

// A metisHeader is the first line.
type metisHeader struct {
	problem
	skip     int // numbers before the neighbours of a line
	weighted bool
}

// metisHeader reads the comments and the header. A node takes at least a line
// end and an edge four bytes, so the file's size bounds both counts.
func (in *input) metisHeader() (h metisHeader, err error) {
	b := in.data
	h.line = skipComments(b, 0, "%")
	fields := bytes.Fields(lineAt(b, h.line))
	if len(fields) < 2 || len(fields) > 4 {
		return h, in.textError(h.line, `expected "NODES EDGES [FLAGS [NCON]]", found %.30q`, lineAt(b, h.line))
	}
	for i, to := range []*uint64{&h.nodes, &h.edges} {
		v, j := uintAt(fields[i], 0)
		if j != len(fields[i]) {
			return h, in.textError(h.line, "%.20q is not a count", fields[i])
		}
		*to = v
	}
	var reason string
	if h.skip, h.weighted, reason = metisFlags(fields); reason != "" {
		return h, in.textError(h.line, "%s", reason)
	}
	h.body = nextLine(b, h.line)
	left := uint64(len(b) - h.body + 1)
	if h.nodes > left || h.edges > left/4 {
		return h, in.textError(h.line, "the METIS header promises %d nodes and %d edges, but only %d bytes follow it", h.nodes, h.edges, left-1)
	}
	return h, in.checkNodes(h.nodes, h.line)
}

// metisFlags reads FLAGS and NCON, the third and fourth field of a header, if
// they are there. reason says what is wrong with them.
func metisFlags(fields [][]byte) (skip int, weighted bool, reason string) {
	if len(fields) < 3 {
		return 0, false, ""
	}
	flags, ncon := fields[2], uint64(1)
	for _, c := range flags {
		if c != '0' && c != '1' || len(flags) > 3 {
			return 0, false, fmt.Sprintf("flags %.20q; expected up to three digits 0 or 1", flags)
		}
	}
	if len(fields) > 3 {
		v, j := uintAt(fields[3], 0)
		if j != len(fields[3]) || v > 1<<10 {
			return 0, false, fmt.Sprintf("%.20q weights a vertex; expected up to 1024", fields[3])
		}
		ncon = v
	}
	set := func(fromRight int) bool { return len(flags) >= fromRight && flags[len(flags)-fromRight] == '1' }
	if set(3) {
		skip++
	}
	if set(2) {
		skip += int(ncon)
	}
	return skip, set(1), ""
}

// A metisPart is the rows of one piece of the text.
type metisPart struct {
	first int // node of the first line
	end   []uint64
	dst   []uint32
	w     []int32
}

// parseMETIS parses a file in two walks, the first to count lines, and then
// makes sure that every edge is listed at both ends.
func (in *input) parseMETIS(ctx context.Context) (*Graph, error) {
	h, err := in.metisHeader()
	if err != nil {
		return nil, err
	}
	// Lines are nodes: count them first, so that each piece knows its own.
	bounds := in.chunks(h.body)
	parts := make([]metisPart, len(bounds)-1)
	err = parallelTasks(ctx, len(parts), func(_, i int) error {
		parts[i].first = countRows(in.data[bounds[i]:bounds[i+1]])
		return nil
	})
	if err != nil {
		return nil, err
	}
	rows := 0
	for i := range parts {
		parts[i].first, rows = rows, rows+parts[i].first
	}
	err = parallelTasks(ctx, len(parts), func(_, i int) error {
		in.advanceParsed(bounds[i+1] - bounds[i])
		return in.metisRows(bounds[i], bounds[i+1], h, &parts[i])
	})
	if err != nil {
		return nil, err
	}
	if uint64(rows) < h.nodes {
		return nil, in.textError(len(in.data), "the METIS header promises %d nodes, but %d lines follow it", h.nodes, rows)
	}
	var total uint64
	for i := range parts {
		total += uint64(len(parts[i].dst))
	}
	if total != 2*h.edges {
		return nil, in.textError(h.line, "the METIS header promises %d edges, so %d neighbours, but the lists hold %d", h.edges, 2*h.edges, total)
	}
	in.info.FileEdges, in.info.Undirected = int64(h.edges), true
	g, err := joinRows(ctx, parts, int(h.nodes), int(total), h.weighted)
	if err != nil {
		return nil, err
	}
	a, err := g.findOneWay(ctx)
	if err == nil && a != nil {
		err = in.textError(in.rowOffset(h, int(a.from)), "node %d lists node %d, but node %d does not list node %d with the same weight",
			a.from+1, a.to+1, a.to+1, a.from+1)
	}
	return g, err
}

// rowOffset returns the place of the line of node u.
func (in *input) rowOffset(h metisHeader, u int) int {
	i := h.body
	for i < len(in.data) && (u > 0 || in.data[i] == '%') {
		if in.data[i] != '%' {
			u--
		}
		i = nextLine(in.data, i)
	}
	return i
}

// joinRows puts the rows of all parts together: they are CSR already.
func joinRows(ctx context.Context, parts []metisPart, n, total int, weighted bool) (*Graph, error) {
	g := &Graph{Base: 1, RowStart: make([]uint64, n+1), Dst: make([]uint32, total)}
	if weighted {
		g.Weight = make([]int32, total)
	}
	at := make([]uint64, len(parts)+1)
	for i := range parts {
		at[i+1] = at[i] + uint64(len(parts[i].dst))
	}
	err := parallelTasks(ctx, len(parts), func(_, i int) error {
		p := &parts[i]
		for k, end := range p.end {
			g.RowStart[p.first+k+1] = at[i] + end
		}
		copy(g.Dst[at[i]:], p.dst)
		if weighted {
			copy(g.Weight[at[i]:], p.w)
		}
		return nil
	})
	return g, err
}

// countRows counts the lines that describe nodes.
func countRows(b []byte) int {
	k := 0
	for i := 0; i < len(b); i = nextLine(b, i) {
		if b[i] != '%' {
			k++
		}
	}
	return k
}

// metisRows parses the lines of data[lo:hi].
func (in *input) metisRows(lo, hi int, h metisHeader, p *metisPart) error {
	b := in.data[:hi]
	p.dst = make([]uint32, 0, (hi-lo)/6+16)
	node := uint64(p.first)
	for i := lo; i < hi; i++ {
		if b[i] == '%' {
			i = nextLine(b, i) - 1
			continue
		}
		if node >= h.nodes {
			if len(lineAt(b, i)) == 0 { // an empty line at the end of the file
				i = nextLine(b, i) - 1
				continue
			}
			return in.textError(i, "a line after those of the %d nodes", h.nodes)
		}
		end, err := in.metisRow(b, i, h, p)
		if err != nil {
			return err
		}
		p.end = append(p.end, uint64(len(p.dst)))
		node++
		i = end
	}
	return nil
}

// metisRow parses one line and returns the index of its end.
func (in *input) metisRow(b []byte, i int, h metisHeader, p *metisPart) (int, error) {
	start := i
	for skip := h.skip; ; {
		before := i
		i = blanksAt(b, i)
		if i == len(b) || b[i] == '\n' {
			if skip > 0 {
				return 0, in.textError(start, "a line ends before the %d sizes and weights of its vertex", h.skip)
			}
			return i, nil
		}
		v, j := uintAt(b, i)
		if j <= i || i == before && i > start {
			return 0, in.textError(i, "%.20q is not a number", lineAt(b, i))
		}
		i = j
		if skip > 0 {
			skip--
			continue
		}
		if v-1 >= h.nodes {
			return 0, in.textError(i, "neighbour %d is not in 1..%d", v, h.nodes)
		}
		p.dst = append(p.dst, uint32(v-1))
		if !h.weighted {
			continue
		}
		third := blanksAt(b, i)
		w, end := intAt(b, third)
		if third == i || end <= third {
			if end < 0 {
				return 0, in.badWeight(third, splitFields(lineAt(b, third))[0])
			}
			return 0, in.textError(i, "neighbour %d has no weight", v)
		}
		p.w = append(p.w, w)
		i = end
	}
}
