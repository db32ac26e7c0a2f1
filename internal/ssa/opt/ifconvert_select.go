package opt

import (
	"math"
	"slices"

	"irgl/internal/ssa"
	"irgl/internal/ssa/analysis"
)

// This file joins selects of selects.
//
// Nested branches, and consecutive ones that set a variable to the same value, become selects
// of which one is an argument of the other and has another argument in common with it. They
// are one select, on both conditions or on either: a comparison of the device takes the
// conjunction or disjunction with another one along, and a select of 64 bits is two
// instructions.
//
//	v3 = select f64 v1, v0, v2         v5 = and i1 v4, v1
//	v6 = select f64 v4, v3, v2         v6 = select f64 v5, v0, v2
//
// A select with other uses stays, and so does the one that uses it.

// joinSelects joins selects of selects, and returns their number.
func joinSelects(f *ssa.Func) int {
	var uses *analysis.UseLists
	ins := &inserter{f: f}
	n := 0
	for _, b := range f.Blocks {
		if !slices.ContainsFunc(b.Values, ofSelect) {
			continue
		}
		if uses == nil {
			uses = analysis.Uses(f)
		}
		ins.out = ins.out[:0]
		for _, v := range b.Values {
			for ins.at = v; ofSelect(v) && joinSelect(v, uses, ins); n++ {
			}
			ins.out = append(ins.out, v)
		}
		setValues(b, ins.out)
	}
	return n
}

// ofSelect reports whether v is a select with a select among its arguments.
func ofSelect(v *ssa.Value) bool {
	return v.Op == ssa.OpSelect && v.Type != ssa.I1 && (v.Args[1].Op == ssa.OpSelect || v.Args[2].Op == ssa.OpSelect)
}

// joinSelect makes v, a select, one that uses the arguments of a select among its own.
func joinSelect(v *ssa.Value, uses *analysis.UseLists, ins *inserter) bool {
	for i := 1; i <= 2; i++ {
		inner, other := v.Args[i], v.Args[3-i]
		if inner.Op != ssa.OpSelect || len(uses.Of(inner)) != 1 {
			continue
		}
		for j := 1; j <= 2; j++ {
			if !sameArm(inner.Args[j], other) {
				continue
			}
			// o is other, x the inner select's other argument:
			//
			//	c ? (d ? x : o) : o   =   c && d  ? x : o
			//	c ? (d ? o : x) : o   =   c && !d ? x : o
			//	c ? o : (d ? o : x)   =   c || d  ? o : x
			//	c ? o : (d ? x : o)   =   c || !d ? o : x
			c, d := v.Args[0], inner.Args[0]
			if i != 3-j {
				d = ins.make(ssa.OpNot, ssa.I1, d)
			}
			op := ssa.OpAnd
			if i == 2 {
				op = ssa.OpOr
			}
			v.Args[0], v.Args[i] = ins.make(op, ssa.I1, c, d), inner.Args[3-j]
			return true
		}
	}
	return false
}

// sameArm reports whether x and y are the same value, or constants of the same bits.
func sameArm(x, y *ssa.Value) bool {
	if x == y {
		return true
	}
	return x.Op == y.Op && x.Op.IsLiteral() && x.Int == y.Int && math.Float64bits(x.Float) == math.Float64bits(y.Float)
}
