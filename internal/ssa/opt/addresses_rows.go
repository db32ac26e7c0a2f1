package opt

import (
	"slices"

	"irgl/internal/ssa"
)

// This file finds addresses in rows: those of one column in several rows of an
// array, of which the length is not a constant. Laid out, a loop over the rows
// leaves indexes i, i + n, i + 2*n, ...: each is a sum in 32 bits, and live as
// long as another array is to be accessed by it. As addresses they are n
// elements apart, which strengthReduce makes one addition each, and nothing but
// the last address and the distance is live.
//
//	v3 = mul i32 v1, 3                 v4' = ptradd ptr v0, (4 * v2)
//	v4 = add i32 v2, v3                v4 = ptradd ptr v4', (12 * v1)
//	... ptradd ptr v0, (4 * v4)
//
// It pays when minRows addresses have the same column and row length.

// minRows is the least number of different rows.
const minRows = 4

// A column is where the rows of an array at a place begin: a pointer and the main
// terms of its addresses, without the constant.
type column struct {
	base *ssa.Value
	key  linearKey
}

// A row is an address's distance from its column.
type row struct {
	block *ssa.Block
	len   term // with the scale, which tells the rows apart
}

// rowOf returns v, an i64, as a column and one stride.
func (a *addresser) rowOf(v *ssa.Value) (*linear, bool) {
	l := &linear{steps: maxLinear, rows: true}
	if !a.wide(l, v, 1) || len(l.strides) != 1 || len(l.main) == 0 || len(l.main) > maxTerms || l.off != int64(int32(l.off)) {
		return nil, false
	}
	slices.SortStableFunc(l.main, byNumber)
	return l, true
}

// ways returns the address looked at, of which full are the parts, as a column
// and a stride. The second row, i + n, has no factor to be known by: either part
// may be the column.
func (a *addresser) ways(full *linear) []*linear {
	if l, ok := a.rowOf(a.at.Args[1]); ok {
		return []*linear{l}
	}
	if len(full.strides) > 0 || len(full.main) < 2 {
		return nil
	}
	var list []*linear
	for i, t := range full.main {
		if t.ext == ssa.OpSExt && t.y == nil {
			list = append(list, &linear{main: slices.Delete(slices.Clone(full.main), i, i+1), strides: []term{t}, off: full.off, rows: true})
		}
	}
	return list
}

// noteRow remembers where the address looked at may be.
func (a *addresser) noteRow(full *linear) {
	for _, l := range a.ways(full) {
		k := l.key()
		a.rows[k] = append(a.rows[k], row{a.at.Block, l.strides[0]})
	}
}

// inRows returns the address looked at as a column and a stride if enough others
// are in its column, or nil.
func (a *addresser) inRows(full *linear) *linear {
	for _, l := range a.ways(full) {
		if a.enough(l) {
			return l
		}
	}
	return nil
}

// enough reports whether minRows rows of l's column are here, its own and the
// column itself, which needs no row, with them.
func (a *addresser) enough(l *linear) bool {
	length := l.strides[0]
	scales := []int64{0, length.scale}
	for i, r := range a.rows[l.key()] {
		if i == maxNeighbours || len(scales) >= minRows {
			break
		}
		if r.len.x == length.x && (a.dom.Dominates(r.block, a.at.Block) || a.dom.Dominates(a.at.Block, r.block)) && !slices.Contains(scales, r.len.scale) {
			scales = append(scales, r.len.scale)
		}
	}
	return len(scales) >= minRows
}

// start returns the address of l's column, made before or by make, from the
// pointer base.
func (a *addresser) start(l *linear, base *ssa.Value, make func() *ssa.Value) *ssa.Value {
	k := column{base, l.key()}
	if p := a.columns[k]; p != nil && a.dom.Dominates(p.Block, a.at.Block) {
		return p
	}
	p := make()
	a.columns[k] = p
	return p
}
