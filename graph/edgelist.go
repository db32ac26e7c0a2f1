package graph

import (
	"context"
	"math"
	"math/bits"
	"slices"
	"sync/atomic"
)

// Edge lists, SNAP's among them: a line for each arc, "u v" or "u v w", with
// blanks, tabs or a comma between; lines that start with # or % are comments.
//
// The nodes are exactly the numbers that appear, in ascending order: SNAP's
// files leave out numbers, and start at 0 or 1 or neither.
//
// Some lists start with a line "NODES EDGES". It is taken for that, and not
// for an arc, when EDGES is the number of lines that follow, no number after
// it exceeds NODES, and no more than NODES different ones appear; or when the
// lines after it have three columns. A list that starts with a # comment has
// no such line, so a comment is the way to prevent a mistake.
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

func (in *input) parseEdgeList(ctx context.Context) (*Graph, error) {
	off := skipComments(in.data, 0, "#%")
	line := lineAt(in.data, off)
	if len(line) > 0 && isColumnNames(line) {
		off = skipComments(in.data, nextLine(in.data, off), "#%")
		line = lineAt(in.data, off)
	}
	columns := len(splitFields(line))
	header := -1 // offset of a line that can only be a header
	if columns == 2 {
		next := skipComments(in.data, nextLine(in.data, off), "#%")
		if len(splitFields(lineAt(in.data, next))) == 3 {
			header, off, columns = off, next, 3
		}
	}
	if len(line) > 0 && columns != 2 && columns != 3 {
		return nil, in.textError(off, `a line has %d columns; an arc is "FROM TO" or "FROM TO WEIGHT"`, columns)
	}
	g, wide, err := parseList[uint32](ctx, in, off, header, columns)
	if wide && err == nil {
		in.done = 0
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
	if err != nil {
		return nil, false, err
	}
	for i := range parts {
		if parts[i].wide {
			return nil, true, nil
		}
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
	real := slices.ContainsFunc(parts, func(p listPart[I]) bool { return p.wf != nil })
	pairs := make([]segment[none], len(parts))
	err = parallelTasks(ctx, len(parts), func(_, i int) error {
		p := &parts[i]
		pairs[i].src, pairs[i].dst = remap.apply(p.src), remap.apply(p.dst)
		p.src, p.dst = nil, nil
		if real {
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
	case real:
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

// badEdge finds out what is wrong with the line at i.
func (in *input) badEdge(i, columns int) error {
	line := lineAt(in.data, i)
	fields := splitFields(line)
	if len(fields) != columns {
		return in.textError(i, "a line has %d columns, the first one has %d", len(fields), columns)
	}
	for _, f := range fields[:2] {
		if _, j := uintAt(f, 0); j < 0 {
			return in.textError(i, "node number %.24s does not fit in 64 bits", f)
		} else if j != len(f) {
			return in.textError(i, "%.20q is not a node number", f)
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

// A renaming maps the numbers that appear in a list to nodes.
type renaming[I uint32 | uint64] struct {
	count uint64
	base  I // when rank and ids are nil: node = number - base
	// rank and words are a set of numbers as bits, and how many there are
	// below each word.
	rank []uint32
	set  []uint64
	ids  []uint64 // when the set would be too large: the sorted numbers
}

// nameNodes finds the numbers that appear, drops the header line if there is
// one, and sets g.IDs and g.Base.
func nameNodes[I uint32 | uint64](ctx context.Context, in *input, g *Graph, parts []listPart[I], header, columns int) (*renaming[I], error) {
	total, first := 0, -1
	for i := range parts {
		if first < 0 && len(parts[i].src) > 0 {
			first = i
		}
		total += len(parts[i].src)
	}
	if header >= 0 {
		fields := splitFields(lineAt(in.data, header))
		if v, j := uintAt(fields[1], 0); j != len(fields[1]) || v != uint64(total) {
			return nil, in.textError(header, "the first line has two columns and the next three; as a header it would promise %s edges, but %d follow it", fields[1], total)
		}
	} else if in.info.Format != SNAP && columns == 2 && first >= 0 && uint64(parts[first].dst[0]) == uint64(total-1) {
		// Perhaps a header: look at the numbers without it.
		p := &parts[first]
		nodes, edges := p.src[0], p.dst[0]
		p.src, p.dst = p.src[1:], p.dst[1:]
		r, err := collect(ctx, parts, total-1)
		if err != nil {
			return nil, err
		}
		if edges > 0 && r.count <= uint64(nodes) && r.largest() <= uint64(nodes) {
			return r, r.name(ctx, g)
		}
		// No: put it back.
		p.src = append([]I{nodes}, p.src...)
		p.dst = append([]I{edges}, p.dst...)
	}
	r, err := collect(ctx, parts, total)
	if err != nil {
		return nil, err
	}
	return r, r.name(ctx, g)
}

// largest returns the largest number of a renaming by collect.
func (r *renaming[I]) largest() uint64 {
	switch {
	case r.ids != nil:
		return r.ids[len(r.ids)-1]
	case r.set != nil:
		last := len(r.set) - 1
		return uint64(last)*64 + uint64(bits.Len64(r.set[last])) - 1
	}
	return 0
}

// collect finds the set of numbers in parts, which have total arcs: as bits
// where they take no more memory than the arcs do, else by sorting.
func collect[I uint32 | uint64](ctx context.Context, parts []listPart[I], total int) (*renaming[I], error) {
	if total == 0 {
		return &renaming[I]{}, nil
	}
	tops := make([]I, len(parts))
	err := parallelTasks(ctx, len(parts), func(_, i int) error {
		for k, u := range parts[i].src {
			tops[i] = max(tops[i], u, parts[i].dst[k])
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	top := uint64(slices.Max(tops))
	if top/64 > uint64(total)+1<<13 || top > math.MaxUint32 {
		return collectSorted(ctx, parts)
	}
	r := &renaming[I]{set: make([]uint64, top/64+1)}
	err = parallelTasks(ctx, len(parts), func(_, i int) error {
		for _, list := range [2][]I{parts[i].src, parts[i].dst} {
			for _, u := range list {
				word, bit := &r.set[u/64], uint64(1)<<(u%64)
				if atomic.LoadUint64(word)&bit == 0 {
					atomic.OrUint64(word, bit)
				}
			}
		}
		return nil
	})
	r.rank = make([]uint32, len(r.set))
	for i, word := range r.set {
		r.rank[i] = uint32(r.count)
		r.count += uint64(bits.OnesCount64(word))
	}
	return r, err
}

// collectSorted is collect for numbers that are far apart.
func collectSorted[I uint32 | uint64](ctx context.Context, parts []listPart[I]) (*renaming[I], error) {
	lists := make([][]uint64, len(parts))
	err := parallelTasks(ctx, len(parts), func(_, i int) error {
		all := make([]uint64, 0, 2*len(parts[i].src))
		for _, list := range [2][]I{parts[i].src, parts[i].dst} {
			for _, u := range list {
				all = append(all, uint64(u))
			}
		}
		slices.Sort(all)
		lists[i] = slices.Compact(all)
		return nil
	})
	if err != nil {
		return nil, err
	}
	ids := slices.Concat(lists...)
	slices.Sort(ids)
	ids = slices.Compact(ids)
	return &renaming[I]{count: uint64(len(ids)), ids: ids}, nil
}

// name sets g.IDs and g.Base, and simplifies r when the numbers are
// consecutive.
func (r *renaming[I]) name(ctx context.Context, g *Graph) error {
	if r.count == 0 {
		return nil
	}
	least := uint64(0)
	if r.ids != nil {
		least = r.ids[0]
	} else {
		for i, word := range r.set {
			if word != 0 {
				least = uint64(i)*64 + uint64(bits.TrailingZeros64(word))
				break
			}
		}
	}
	if r.largest()-least+1 == r.count {
		g.Base = least
		r.base, r.ids, r.set, r.rank = I(least), nil, nil, nil
		return nil
	}
	if r.ids != nil {
		g.IDs = r.ids
		return nil
	}
	g.IDs = make([]uint64, r.count)
	return parallelRange(ctx, len(r.set), 1<<12, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			at := r.rank[i]
			for word := r.set[i]; word != 0; word &= word - 1 {
				g.IDs[at] = uint64(i)*64 + uint64(bits.TrailingZeros64(word))
				at++
			}
		}
	})
}

// apply translates a list of numbers to nodes; in place when I is uint32.
func (r *renaming[I]) apply(list []I) []uint32 {
	out, ok := any(list).([]uint32)
	if !ok {
		out = make([]uint32, len(list))
	}
	switch {
	case r.ids != nil:
		for i, u := range list {
			k, _ := slices.BinarySearch(r.ids, uint64(u))
			out[i] = uint32(k)
		}
	case r.set != nil:
		for i, u := range list {
			below := r.set[u/64] & (1<<(u%64) - 1)
			out[i] = r.rank[u/64] + uint32(bits.OnesCount64(below))
		}
	case r.base != 0 || !ok:
		for i, u := range list {
			out[i] = uint32(u - r.base)
		}
	}
	return out
}
