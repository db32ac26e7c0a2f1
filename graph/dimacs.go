package graph

import "context"

// The DIMACS shortest path format:
//
//	c a comment
//	p sp NODES ARCS
//	a FROM TO WEIGHT
//
// and the PACE format, which lists every undirected edge once:
//
//	p tw NODES EDGES
//	1 2
//
// Nodes are 1..NODES in both.

// A problem is a "p" line.
type problem struct {
	nodes, edges uint64
	line, body   int // offsets of the line and of the one after it
}

// problemLine reads the comments and the "p KIND NODES EDGES" line.
func (in *input) problemLine() (p problem, err error) {
	b := in.data
	p.line = skipComments(b, 0, "c")
	fields := splitFields(lineAt(b, p.line))
	if len(fields) != 4 || string(fields[0]) != "p" {
		return p, in.textError(p.line, `expected a problem line such as "p sp NODES ARCS"`)
	}
	for i, to := range []*uint64{&p.nodes, &p.edges} {
		v, j := uintAt(fields[2+i], 0)
		if j != len(fields[2+i]) {
			return p, in.textError(p.line, "%.20q is not a count", fields[2+i])
		}
		*to = v
	}
	p.body = nextLine(b, p.line)
	// The shortest edge line has four bytes, and the last may lack its end.
	if p.edges > uint64(len(b)-p.body+1)/4 {
		return p, in.textError(p.line, "the problem line promises %d edges, but only %d bytes follow it", p.edges, len(b)-p.body)
	}
	return p, in.checkNodes(p.nodes, p.line)
}

// checkCount compares the edges found with those promised.
func (in *input) checkCount(p problem, found int) error {
	if uint64(found) != p.edges {
		return in.textError(p.line, "the problem line promises %d edges, but %d follow it", p.edges, found)
	}
	in.info.FileEdges = int64(found)
	return nil
}

// parseDIMACS parses a shortest path file. Arcs may come in any order.
func (in *input) parseDIMACS(ctx context.Context) (*Graph, error) {
	p, err := in.problemLine()
	if err != nil {
		return nil, err
	}
	segs, err := parseChunks(ctx, in, p.body, func(lo, hi int) (segment[int32], error) {
		return in.arcLines(lo, hi, p.nodes)
	})
	if err != nil {
		return nil, err
	}
	if err := in.checkCount(p, countArcs(segs)); err != nil {
		return nil, err
	}
	g := &Graph{Base: 1}
	return g, buildInt(ctx, g, int(p.nodes), segs, buildOptions{})
}

// countArcs returns the number of arcs of all segments.
func countArcs[W weight](segs []segment[W]) int {
	total := 0
	for i := range segs {
		total += len(segs[i].src)
	}
	return total
}

// arcLines parses the lines "a FROM TO WEIGHT" of data[lo:hi].
func (in *input) arcLines(lo, hi int, n uint64) (s segment[int32], err error) {
	b := in.data[:hi]
	guess := (hi-lo)/16 + 16 // typical arcs have 15 to 20 bytes
	s.src, s.dst, s.w = make([]uint32, 0, guess), make([]uint32, 0, guess), make([]int32, 0, guess)
	for i := lo; i < hi; i++ {
		switch c := b[i]; c {
		case 'a':
			i++
			first := blanksAt(b, i)
			u, j := uintAt(b, first)
			second := blanksAt(b, max(j, 0))
			v, k := uintAt(b, second)
			third := blanksAt(b, max(k, 0))
			w, end := intAt(b, third)
			// All checks of a correct line in one place, so that the loop stays
			// short; badArc finds out which one failed. Node 0 wraps round.
			if first == i || j <= first || second == j || k <= second || third == k || end <= third ||
				u-1 >= n || v-1 >= n {
				return s, in.badArc(i, n)
			}
			if i = blanksAt(b, end); i < hi && b[i] != '\n' {
				return s, in.textError(i, "unexpected text after the weight: %.20q", lineAt(b, end))
			}
			s.src = append(s.src, uint32(u-1))
			s.dst = append(s.dst, uint32(v-1))
			s.w = append(s.w, w)
		case '\n', ' ', '\t', '\r':
		case 'c':
			i = nextLine(b, i) - 1
		case 'p':
			return s, in.textError(i, "a second problem line")
		default:
			return s, in.textError(i, `expected an arc "a FROM TO WEIGHT", found %.20q`, lineAt(b, i))
		}
	}
	return s, nil
}

// badArc finds out what is wrong with the arc whose fields start at i.
func (in *input) badArc(i int, n uint64) error {
	fields := splitFields(lineAt(in.data, i))
	if len(fields) != 3 || i < len(in.data) && !isBlank(in.data[i]) {
		return in.textError(i, `expected "a FROM TO WEIGHT", found %.30q`, lineAt(in.data, i-1))
	}
	for _, f := range fields[:2] {
		if v, j := uintAt(f, 0); j != len(f) {
			return in.textError(i, "%.20q is not a node", f)
		} else if v < 1 || v > n {
			return in.textError(i, "node %d is not in 1..%d", v, n)
		}
	}
	return in.badWeight(i, fields[2])
}

// badWeight says why the text w is not an integer weight.
func (in *input) badWeight(i int, w []byte) error {
	if _, j := intAt(w, 0); j < 0 {
		return in.textError(i, "weight %.24s does not fit in 32 bits", w)
	}
	return in.textError(i, "weight %.20q is not an integer", w)
}

// parsePACE parses a treewidth file: the graph gets both arcs of each edge.
func (in *input) parsePACE(ctx context.Context) (*Graph, error) {
	p, err := in.problemLine()
	if err != nil {
		return nil, err
	}
	segs, err := parseChunks(ctx, in, p.body, func(lo, hi int) (segment[none], error) {
		return in.pairLines(lo, hi, p.nodes)
	})
	if err != nil {
		return nil, err
	}
	if err := in.checkCount(p, countArcs(segs)); err != nil {
		return nil, err
	}
	in.info.Undirected = true
	g := &Graph{Base: 1}
	return g, buildUnweighted(ctx, g, int(p.nodes), segs, buildOptions{both: true})
}

// pairLines parses the lines "U V" of data[lo:hi].
func (in *input) pairLines(lo, hi int, n uint64) (s segment[none], err error) {
	b := in.data[:hi]
	guess := (hi-lo)/12 + 16
	s.src, s.dst = make([]uint32, 0, guess), make([]uint32, 0, guess)
	for i := lo; i < hi; i++ {
		i = blanksAt(b, i)
		if i == hi || b[i] == '\n' {
			continue
		}
		if b[i] == 'c' {
			i = nextLine(b, i) - 1
			continue
		}
		u, j := uintAt(b, i)
		second := blanksAt(b, max(j, 0))
		v, k := uintAt(b, second)
		end := blanksAt(b, max(k, 0))
		if j <= i || second == j || k <= second || end < hi && b[end] != '\n' {
			return s, in.textError(i, `expected an edge "U V", found %.30q`, lineAt(b, i))
		}
		if u-1 >= n || v-1 >= n {
			if u-1 < n { // then it is v that is wrong
				u = v
			}
			return s, in.textError(i, "node %d is not in 1..%d", u, n)
		}
		s.src = append(s.src, uint32(u-1))
		s.dst = append(s.dst, uint32(v-1))
		i = end
	}
	return s, nil
}
