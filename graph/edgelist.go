package graph

import (
	"context"
	"fmt"
	"slices"
)

// Edge lists, SNAP's among them: a line for each arc, "u v" or "u v w", with
// blanks, tabs or a comma between; lines that start with # or % are comments.
//
// The nodes are exactly the numbers that appear, in ascending order: SNAP's
// files leave out numbers, and start at 0 or 1 or neither. Comments can promise
// more: see promise.
//
// Some lists start with a line "NODES EDGES". It is read as that, and not
// as an arc, when EDGES is the number of lines that follow, no number after
// it exceeds NODES, and no more than NODES different ones appear; or when the
// lines after it have three columns. A list that starts with a # comment has
// no such line, so a comment prevents a mistake.
//
// A CSV file may start with the names of its columns.

// A listPart is what one piece of the text holds. I is uint32, or uint64 when
// a number needs it.
type listPart[I uint32 | uint64] struct {
	src, dst []I
	w        []int32
	wf       []float64 // instead of w from the first real weight on
	wide     bool      // stopped: a number does not fit in I
}

// parseEdgeList parses a list whose numbers nearly always fit in 32 bits, and
// parses it again with 64 when one does not.
func (in *input) parseEdgeList(ctx context.Context) (*Graph, error) {
	off := skipComments(in.data, 0, "#%")
	line := lineAt(in.data, off)
	if len(line) > 0 && isColumnNames(line) {
		off = skipComments(in.data, nextLine(in.data, off), "#%")
		line = lineAt(in.data, off)
	}
	// The first arc says how many columns all lines have. Only a first line
	// with two, before lines with three, can be recognised as a header here.
	columns := len(splitFields(line))
	header := -1 // offset of a line that can only be a header
	if columns == 2 {
		next := skipComments(in.data, nextLine(in.data, off), "#%")
		if len(splitFields(lineAt(in.data, next))) == 3 {
			header, off, columns = off, next, 3
		}
	}
	if len(line) > 0 && columns != 2 && columns != 3 {
		return nil, in.textError(off, `a line has %s; an arc is "FROM TO" or "FROM TO WEIGHT"%s`, columnCount(columns), in.asMETIS())
	}
	g, wide, err := parseList[uint32](ctx, in, off, header, columns)
	if wide {
		g, _, err = parseList[uint64](ctx, in, off, header, columns)
	}
	return g, err
}

// parseList parses the arcs from off on, with numbers of type I, and makes the
// graph. wide says that I is too narrow.
func parseList[I uint32 | uint64](ctx context.Context, in *input, off, header, columns int) (g *Graph, wide bool, err error) {
	parts, err := parseChunks(ctx, in, off, func(lo, hi int) (listPart[I], error) {
		return edgeLines[I](in, lo, hi, columns)
	})
	// A piece stops at a wide number, so an error found after it need not be
	// the first: whatever the error, parse again.
	if slices.ContainsFunc(parts, func(p listPart[I]) bool { return p.wide }) {
		return nil, true, nil
	}
	if err != nil {
		return nil, false, err
	}
	g = &Graph{}
	remap, err := nameNodes(ctx, in, g, parts, header, columns)
	if err != nil {
		return nil, false, err
	}
	n := int(remap.count)
	if n > MaxNodes {
		return nil, false, in.textError(0, "%d nodes; at most %d are supported", n, MaxNodes)
	}
	// One real weight anywhere makes all of them real.
	decimal := slices.ContainsFunc(parts, func(p listPart[I]) bool { return p.wf != nil })
	// The ends become nodes, in place where the numbers have 32 bits.
	pairs := make([]segment[none], len(parts))
	err = parallelTasks(ctx, len(parts), func(_, i int) error {
		p := &parts[i]
		pairs[i].src, pairs[i].dst = remap.apply(p.src), remap.apply(p.dst)
		p.src, p.dst = nil, nil
		if decimal {
			p.toFloat()
		}
		return nil
	})
	if err != nil {
		return nil, false, err
	}
	in.info.FileEdges = int64(countArcs(pairs))
	switch {
	case columns < 3:
		err = buildUnweighted(ctx, g, n, pairs, buildOptions{})
	case decimal:
		segs := make([]segment[float64], len(parts))
		for i, p := range pairs {
			segs[i] = segment[float64]{p.src, p.dst, parts[i].wf}
		}
		err = buildFloat(ctx, g, n, segs, buildOptions{})
	default:
		segs := make([]segment[int32], len(parts))
		for i, p := range pairs {
			segs[i] = segment[int32]{p.src, p.dst, parts[i].w}
		}
		err = buildInt(ctx, g, n, segs, buildOptions{})
	}
	return g, false, err
}

// toFloat turns the weights into real ones.
func (p *listPart[I]) toFloat() {
	if p.wf == nil {
		p.wf = make([]float64, len(p.w), cap(p.w))
		for i, w := range p.w {
			p.wf[i] = float64(w)
		}
		p.w = nil
	}
}

// edgeLines parses the lines of data[lo:hi], which have the given number of
// columns.
func edgeLines[I uint32 | uint64](in *input, lo, hi, columns int) (p listPart[I], err error) {
	b := in.data[:hi]
	guess := (hi-lo)/10 + 16
	p.src, p.dst = make([]I, 0, guess), make([]I, 0, guess)
	if columns == 3 {
		p.w = make([]int32, 0, guess)
	}
	for i := lo; i < hi; i++ {
		i = blanksAt(b, i)
		if i == hi || b[i] == '\n' {
			continue
		}
		if b[i] == '#' || b[i] == '%' {
			i = nextLine(b, i) - 1
			continue
		}
		u, j := uintAt(b, i)
		second := separatorAt(b, max(j, 0))
		v, end := uintAt(b, second)
		if j <= i || second == j || end <= second {
			return p, in.badEdge(i, columns)
		}
		if uint64(I(u)) != u || uint64(I(v)) != v {
			p.wide = true
			return p, nil
		}
		p.src, p.dst = append(p.src, I(u)), append(p.dst, I(v))
		if columns == 3 {
			third := separatorAt(b, end)
			if third == end {
				return p, in.badEdge(i, columns)
			}
			if end = p.weightAt(b, third); end <= third {
				return p, in.badEdge(i, columns)
			}
		}
		if end = blanksAt(b, end); end < hi && b[end] != '\n' {
			return p, in.badEdge(i, columns)
		}
		i = end
	}
	return p, nil
}

// weightAt appends the weight at i, and returns the index after it, or one
// that is not greater than i when there is no weight there or it does not fit.
func (p *listPart[I]) weightAt(b []byte, i int) int {
	if p.wf == nil {
		w, j := intAt(b, i)
		if j < 0 {
			// An integer part too long for an int is fine in a real number.
			for j = i + 1; j < len(b) && isDigit(b[j]); j++ {
			}
			if j == len(b) || b[j] != '.' && b[j] != 'e' && b[j] != 'E' {
				return -1
			}
		}
		if j > i && (j == len(b) || isBlank(b[j]) || b[j] == '\n') {
			p.w = append(p.w, w)
			return j
		}
	}
	x, j := floatAt(b, i)
	if j > i {
		p.toFloat()
		p.wf = append(p.wf, x)
	}
	return j
}

func columnCount(n int) string {
	if n == 1 {
		return "1 column"
	}
	return fmt.Sprintf("%d columns", n)
}

// badEdge finds out what is wrong with the line at i.
func (in *input) badEdge(i, columns int) error {
	line := lineAt(in.data, i)
	fields := splitFields(line)
	if len(fields) != columns {
		return in.textError(i, "a line has %s, the first one has %d%s", columnCount(len(fields)), columns, in.asMETIS())
	}
	for _, f := range fields[:2] {
		if _, j := uintAt(f, 0); j < 0 {
			return in.textError(i, "node number %.24s has more than 19 digits", f)
		} else if j != len(f) {
			named := ""
			if in.namedMETIS() {
				named = in.asMETIS()
			}
			return in.textError(i, "%.20q is not a node number%s", f, named)
		}
	}
	if columns == 3 {
		if _, j := intAt(fields[2], 0); j < 0 {
			return in.badWeight(i, fields[2])
		} else if _, k := floatAt(fields[2], 0); j != len(fields[2]) && k != len(fields[2]) {
			return in.textError(i, "weight %.20q is not a finite number", fields[2])
		}
	}
	return in.textError(i, "expected two or three numbers, found %.30q", line)
}
