package graph

import (
	"bytes"
	"context"
	"math"
	"strings"
)

// The Matrix Market coordinate format:
//
//	%%MatrixMarket matrix coordinate pattern|integer|real general|symmetric|skew-symmetric
//	% a comment
//	ROWS COLUMNS ENTRIES
//	ROW COLUMN [VALUE]
//
// An entry in row i and column j is an arc from i to j; values are weights.
// A symmetric matrix lists its lower triangle: the other half is added (with
// the opposite sign in a skew-symmetric one). Nodes are 1..ROWS.

// A matrix is what the first lines of the file say.
type matrix struct {
	problem
	integer, real   bool // neither: no values
	symmetric, skew bool
}

// matrixHeader reads the banner and the size line.
func (in *input) matrixHeader() (m matrix, err error) {
	b := in.data
	words := strings.Fields(strings.ToLower(string(lineAt(b, 0)[:min(200, len(lineAt(b, 0)))])))
	if len(words) != 5 || words[0] != "%%matrixmarket" || words[1] != "matrix" {
		return m, in.textError(0, `expected "%%%%MatrixMarket matrix coordinate FIELD SYMMETRY"`)
	}
	if words[2] != "coordinate" {
		return m, in.textError(0, "matrix format %.20q; only coordinate is a graph", words[2])
	}
	switch words[3] {
	case "pattern":
	case "integer":
		m.integer = true
	case "real":
		m.real = true
	default:
		return m, in.textError(0, "values of kind %.20q; known are pattern, integer and real", words[3])
	}
	switch words[4] {
	case "general":
	case "symmetric":
		m.symmetric = true
	case "skew-symmetric":
		m.symmetric, m.skew = true, true
	default:
		return m, in.textError(0, "symmetry %.20q; known are general, symmetric and skew-symmetric", words[4])
	}
	// The size line follows, after any comments and empty lines.
	m.line = skipComments(b, nextLine(b, 0), "%")
	fields := bytes.Fields(lineAt(b, m.line))
	var size [3]uint64
	for i := range size {
		if len(fields) != 3 {
			return m, in.textError(m.line, `expected "ROWS COLUMNS ENTRIES", found %.30q`, lineAt(b, m.line))
		}
		v, j := uintAt(fields[i], 0)
		if j != len(fields[i]) {
			return m, in.textError(m.line, "%.20q is not a count", fields[i])
		}
		size[i] = v
	}
	if size[0] != size[1] {
		return m, in.textError(m.line, "the matrix has %d rows and %d columns; the matrix of a graph is square", size[0], size[1])
	}
	m.nodes, m.edges, m.body = size[0], size[2], nextLine(b, m.line)
	if m.edges > uint64(len(b)-m.body+1)/4 {
		return m, in.textError(m.line, "the size line promises %d entries, but only %d bytes follow it", m.edges, len(b)-m.body)
	}
	return m, in.checkNodes(m.nodes, m.line)
}

// parseMatrixMarket parses a matrix; the kind of its values decides the type of
// the weights.
func (in *input) parseMatrixMarket(ctx context.Context) (*Graph, error) {
	m, err := in.matrixHeader()
	if err != nil {
		return nil, err
	}
	in.info.Undirected = m.symmetric && !m.skew
	g := &Graph{Base: 1}
	switch {
	case m.skew && m.integer:
		err = matrixGraph(ctx, in, g, m, negatableAt, buildInt)
	case m.integer:
		err = matrixGraph(ctx, in, g, m, intAt, buildInt)
	case m.real:
		err = matrixGraph(ctx, in, g, m, floatAt, buildFloat)
	default:
		err = matrixGraph(ctx, in, g, m, nil, buildUnweighted)
	}
	return g, err
}

// matrixGraph parses entries with values of type W and builds g.
func matrixGraph[W weight](ctx context.Context, in *input, g *Graph, m matrix, valueAt func([]byte, int) (W, int),
	build func(context.Context, *Graph, int, []segment[W], buildOptions) error) error {
	segs, err := parseChunks(ctx, in, m.body, func(lo, hi int) (segment[W], error) {
		return entryLines(in, lo, hi, m, valueAt)
	})
	if err != nil {
		return err
	}
	if found := countArcs(segs); uint64(found) != m.edges {
		return in.textError(m.line, "the size line promises %d entries, but %d follow it", m.edges, found)
	}
	in.info.FileEdges = int64(m.edges)
	return build(ctx, g, int(m.nodes), segs, buildOptions{both: m.symmetric, negate: m.skew})
}

// negatableAt is intAt without the one value that cannot change its sign.
func negatableAt(b []byte, i int) (int32, int) {
	v, j := intAt(b, i)
	if v == math.MinInt32 {
		return 0, -1
	}
	return v, j
}

// entryLines parses the lines of data[lo:hi]. valueAt is nil for a pattern.
func entryLines[W weight](in *input, lo, hi int, m matrix, valueAt func([]byte, int) (W, int)) (s segment[W], err error) {
	b := in.data[:hi]
	guess := (hi-lo)/12 + 16
	s.src, s.dst = make([]uint32, 0, guess), make([]uint32, 0, guess)
	for i := lo; i < hi; i++ {
		i = blanksAt(b, i)
		if i == hi || b[i] == '\n' {
			continue
		}
		if b[i] == '%' {
			i = nextLine(b, i) - 1
			continue
		}
		u, j := uintAt(b, i)
		second := blanksAt(b, max(j, 0))
		v, end := uintAt(b, second)
		if j <= i || second == j || end <= second {
			return s, in.textError(i, "expected an entry, found %.30q", lineAt(b, i))
		}
		if u-1 >= m.nodes || v-1 >= m.nodes {
			return s, in.textError(i, "entry (%d, %d) is outside the matrix of %d rows", u, v, m.nodes)
		}
		if m.symmetric && (u < v || m.skew && u == v) {
			return s, in.textError(i, "entry (%d, %d) is not in the lower triangle, which is all that the file lists", u, v)
		}
		if valueAt != nil {
			third := blanksAt(b, end)
			w, j := valueAt(b, third)
			if third == end || j <= third {
				return s, in.badValue(third, m)
			}
			s.w = append(s.w, w)
			end = j
		}
		if end = blanksAt(b, end); end < hi && b[end] != '\n' {
			return s, in.textError(end, "unexpected text after an entry: %.20q", lineAt(b, end))
		}
		s.src = append(s.src, uint32(u-1))
		s.dst = append(s.dst, uint32(v-1))
		i = end
	}
	return s, nil
}

// badValue says what is wrong with the value at i.
func (in *input) badValue(i int, m matrix) error {
	value := lineAt(in.data, i)
	if i > 0 && in.data[i-1] == '\n' || len(value) == 0 {
		return in.textError(max(i-1, 0), "an entry has no value")
	}
	if _, j := intAt(value, 0); m.skew && m.integer && j > 0 {
		return in.textError(i, "weight %.24s with its sign changed does not fit in 32 bits", value)
	}
	if m.integer {
		return in.badWeight(i, value)
	}
	return in.textError(i, "value %.20q is not a finite number", value)
}
