package opt

import (
	"slices"

	"irgl/internal/ssa"
)

// This file recognises addresses in rows: accesses to the same column of
// several rows of an array whose row length is not a constant. Unrolling a loop
// over the rows yields indices i, i + n, i + 2*n, ...: each is a 32-bit sum,
// and stays live as long as another array is accessed with it. As addresses
// they are n elements apart. strengthReduce then computes each with one
// addition, and only the last address and the distance are live.
//
//	v3 = mul i32 v1, 3                 v4' = ptradd ptr v0, (4 * v2)
//	v4 = add i32 v2, v3                v4 = ptradd ptr v4', (12 * v1)
//	... ptradd ptr v0, (4 * v4)
//
// It pays when minRows addresses have the same column and row length.

// minRows is the minimum number of different rows.
const minRows = 4

// A column is the position of an element within its row: a pointer and the main
// terms of its addresses, without the constant.
type column struct {
	base *ssa.Value
	key  linearKey
}

// A row is the distance of an address from its column.
type row struct {
	block *ssa.Block
	len   term // with the scale, which differs between rows
}

// rowOf splits v, an i64, into a column and one stride.
func (a *addresser) rowOf(v *ssa.Value) (*linear, bool) {
	l := &linear{steps: maxLinear, rows: true}
	if !a.wide(l, v, 1) || len(l.strides) != 1 || len(l.main) == 0 || len(l.main) > maxTerms || l.off != int64(int32(l.off)) {
		return nil, false
	}
	slices.SortStableFunc(l.main, byNumber)
	return l, true
}

// candidates returns the splits of the current address, whose terms are full,
// into a column and a stride. The second row, i + n, has no constant factor to
// identify the stride: either term may be the column.
func (a *addresser) candidates(full *linear) []*linear {
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

// noteRow records the columns that the current address may belong to.
func (a *addresser) noteRow(full *linear) {
	for _, l := range a.candidates(full) {
		k := l.key()
		a.rows[k] = append(a.rows[k], row{a.at.Block, l.strides[0]})
	}
}

// inRows returns the current address as a column and a stride if enough other
// addresses are in its column, or nil.
func (a *addresser) inRows(full *linear) *linear {
	for _, l := range a.candidates(full) {
		if a.enough(l) {
			return l
		}
	}
	return nil
}

// enough reports whether at least minRows rows of l's column occur, counting
// its own row and the column itself, which has no stride.
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

// start returns the address of l's column from the pointer base, which make
// computes if it is not available.
func (a *addresser) start(l *linear, base *ssa.Value, make func() *ssa.Value) *ssa.Value {
	k := column{base, l.key()}
	if p := a.columns[k]; p != nil && a.dom.Dominates(p.Block, a.at.Block) {
		return p
	}
	p := make()
	a.columns[k] = p
	return p
}
