package opt

import "irgl/internal/ssa"

// Differences and equality of two pointers with a common base: p + i - p is i. Sums of
// pointers wrap, so that holds for any offsets; order does not.

// An offset is a pointer as a base plus a variable, which may be nil, plus a constant.
type offset struct {
	base, index *ssa.Value
	n           int64
}

// offsets returns the forms of p whose base is p, and what p is a sum of.
func offsets(p *ssa.Value) []offset {
	list := append(make([]offset, 0, 3), offset{base: p})
	n := int64(0)
	if inner, c, ok := withConstant(p, ssa.OpPtrAdd); ok {
		p, n = inner, c
		list = append(list, offset{base: p, n: n})
	}
	if p.Op == ssa.OpPtrAdd {
		list = append(list, offset{p.Args[0], p.Args[1], n})
	}
	return list
}

// distance returns x - y as i - j + n, where i and j may be nil, and at most two of the
// three are there. ok is false if x and y have no common base.
func distance(x, y *ssa.Value) (i, j *ssa.Value, n int64, ok bool) {
	if x.Op != ssa.OpPtrAdd && y.Op != ssa.OpPtrAdd {
		return nil, nil, 0, false
	}
	list := offsets(y)
	for _, a := range offsets(x) {
		for _, b := range list {
			if a.base != b.base {
				continue
			}
			if n = a.n - b.n; a.index == b.index {
				return nil, nil, n, true
			}
			return a.index, b.index, n, a.index == nil || b.index == nil || n == 0
		}
	}
	return nil, nil, 0, false
}

// difference simplifies the difference of the addresses x and y.
func (fo *folder) difference(v, x, y *ssa.Value) *ssa.Value {
	if x.Op != ssa.OpPtrToInt || y.Op != ssa.OpPtrToInt || x.Args[0].Type != y.Args[0].Type {
		return nil
	}
	i, j, n, ok := distance(x.Args[0], y.Args[0])
	switch {
	case !ok:
		return nil
	case i == nil && j == nil:
		return fo.becomeInt(v, n)
	case j == nil && n == 0:
		return i
	case j == nil:
		return fo.become(v, ssa.OpAdd, i, fo.int(ssa.I64, n))
	case i == nil:
		return fo.become(v, ssa.OpSub, fo.int(ssa.I64, n), j)
	}
	return fo.become(v, ssa.OpSub, i, j)
}

// equalPointers simplifies the equality of pointers.
func (fo *folder) equalPointers(v, x, y *ssa.Value) *ssa.Value {
	if v.Op != ssa.OpEq && v.Op != ssa.OpNe {
		return nil
	}
	i, j, n, ok := distance(x, y)
	switch {
	case !ok:
		return nil
	case i == nil && j == nil:
		return fo.truth(v, (n == 0) == (v.Op == ssa.OpEq))
	case j == nil:
		return fo.become(v, v.Op, i, fo.int(ssa.I64, -n))
	case i == nil:
		return fo.become(v, v.Op, j, fo.int(ssa.I64, n))
	}
	return fo.become(v, v.Op, i, j)
}
