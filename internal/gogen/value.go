package gogen

import (
	"math"
	"math/bits"
	"slices"

	"irgl/internal/check"
	"irgl/syntax"
)

// A domainSet is a set of domains: nodes, edges, points, elements.
type domainSet uint8

const allDomains domainSet = 1<<syntax.NodeDomain | 1<<syntax.EdgeDomain | 1<<syntax.PointDomain | 1<<syntax.ElementDomain

// A value is an abstract integer: what is known of all the integers that an
// expression can have. They are from lo to hi, and those that are not negative are
// numbers of what exists in each of the domains. With lo = [math.MinInt64] it also stands
// for unsigned numbers beyond [math.MaxInt64].
type value struct {
	lo, hi int64
	of     domainSet
}

var (
	// never is the value of what is not executed.
	never = value{1, 0, allDomains}
	// anything is the value of which nothing is known.
	anything = value{math.MinInt64, math.MaxInt64, 0}
	// count is the value of a number of nodes, edges of a node, items.
	count = value{0, math.MaxInt32, 0}
)

func (v value) never() bool { return v.lo > v.hi }

// exists reports whether v is a number of what exists in d.
func (v value) exists(d syntax.Domain) bool { return !v.never() && v.lo >= 0 && v.of&(1<<d) != 0 }

// existsOrNegative reports whether v is such a number, or a negative one of 32 bits.
func (v value) existsOrNegative(d syntax.Domain) bool {
	return !v.never() && v.lo >= math.MinInt32 && v.of&(1<<d) != 0
}

// below reports whether v is from 0 to n-1.
func (v value) below(n int64) bool { return !v.never() && v.lo >= 0 && v.hi < n }

// in reports whether all of v is in w.
func (v value) in(w value) bool {
	return v.never() || !w.never() && v.lo >= w.lo && v.hi <= w.hi && w.of&^v.of == 0
}

// normal returns v with what its bounds imply.
func (v value) normal() value {
	if v.hi < 0 || v.never() {
		v.of = allDomains
	}
	return v
}

// join returns what is known of a value that is v or w.
func join(v, w value) value {
	if v.never() {
		return w
	}
	if w.never() {
		return v
	}
	return value{min(v.lo, w.lo), max(v.hi, w.hi), v.normal().of & w.normal().of}
}

// meet returns what is known of a value that is v and w.
func meet(v, w value) value {
	v = value{max(v.lo, w.lo), min(v.hi, w.hi), v.of | w.of}
	if v.never() {
		return never
	}
	return v.normal()
}

// widened returns w, of type t, with those bounds that have moved since v moved on: to the
// next of the limits, or to those of the type if there are none.
func widened(v, w value, limits []int64, t check.Type) value {
	if v.never() || w.never() {
		return w
	}
	all := valuesOf(t)
	if w.lo < v.lo {
		i, found := slices.BinarySearch(limits, w.lo)
		switch {
		case found:
		case i > 0:
			w.lo = max(all.lo, limits[i-1])
		default:
			w.lo = all.lo
		}
	}
	if w.hi > v.hi {
		if i, _ := slices.BinarySearch(limits, w.hi); i < len(limits) {
			w.hi = min(all.hi, limits[i])
		} else {
			w.hi = all.hi
		}
	}
	return w
}

// numbersOf returns the value of the numbers of a domain.
func (g *generator) numbersOf(d syntax.Domain) value {
	if d == syntax.EdgeDomain && !g.info.Needs.EdgeItems {
		return value{0, math.MaxInt64, 1 << d}
	}
	return value{0, math.MaxInt32 - 1, 1 << d}
}

// orNone returns the value of the numbers of a domain and -1.
func (g *generator) orNone(d syntax.Domain) value {
	v := g.numbersOf(d)
	v.lo = -1
	return v
}

// valuesOf returns the value of all integers of type t.
func valuesOf(t check.Type) value {
	size := t.Size()
	switch {
	case t == check.InEdge:
		size = 8
	case !isScalarInt(t):
		return anything
	}
	switch {
	case t == check.Bool:
		return value{0, 1, 0}
	case size >= 8:
		return anything
	case check.IsUnsigned(t):
		return value{0, 1<<(8*size) - 1, 0}
	}
	return value{-1 << (8*size - 1), 1<<(8*size-1) - 1, 0}
}

// converted returns v converted to type t.
func converted(v value, t check.Type) value {
	all := valuesOf(t)
	if v.never() || v.in(value{all.lo, all.hi, 0}) && (v.lo >= 0 || !check.IsUnsigned(t)) {
		return v
	}
	return all
}

// constant returns the value of a constant of type t.
func constant(c *check.Const, t check.Type) value {
	if c.Int < 0 && check.IsUnsigned(t) {
		return anything
	}
	return value{c.Int, c.Int, 0}.normal()
}

// binaryValue returns the value of x op y of type t, of operands that have been converted
// to it; in a shift only x has.
func binaryValue(op syntax.Op, x, y value, t check.Type) value {
	if x.never() || y.never() {
		return never
	}
	v := anything
	unknown := check.IsUnsigned(t) && (x.lo < 0 || y.lo < 0) // beyond MaxInt64, too
	switch op {
	case "+", "-", "*":
		if !unknown {
			v = sumValue(op, x, y)
		}
	case "/":
		if y.lo > 0 && !unknown {
			v = value{min(x.lo/y.lo, x.lo/y.hi), max(x.hi/y.lo, x.hi/y.hi), 0}
		}
	case "%":
		if y.lo > 0 {
			v = remainderValue(x, y, check.IsUnsigned(t))
		}
	case "&":
		switch {
		case x.lo >= 0 && y.lo >= 0:
			v = value{0, min(x.hi, y.hi), 0}
		case x.lo >= 0:
			v = value{0, x.hi, 0}
		case y.lo >= 0:
			v = value{0, y.hi, 0}
		}
	case "|", "^":
		if x.lo >= 0 && y.lo >= 0 {
			v = value{0, 1<<bits.Len64(uint64(x.hi|y.hi)) - 1, 0}
		}
	case "<<":
		if x.lo >= 0 && y.lo >= 0 && y.hi < 63 && x.hi <= math.MaxInt64>>y.hi {
			v = value{x.lo << y.lo, x.hi << y.hi, 0}
		}
	case ">>":
		if y.lo >= 0 && y.hi < 8*t.Size() && !(check.IsUnsigned(t) && x.lo < 0) {
			v = value{min(x.lo>>y.lo, x.lo>>y.hi), max(x.hi>>y.lo, x.hi>>y.hi), 0}
		}
	default: // comparisons, && and ||
		return value{0, 1, 0}
	}
	return converted(v, t).normal()
}

// remainderValue returns the value of x % y, where y is positive. The remainder has the
// sign of x, and is not farther from 0 than x.
func remainderValue(x, y value, unsigned bool) value {
	m := y.hi - 1
	switch {
	case x.lo >= 0:
		return value{0, min(x.hi, m), 0}
	case unsigned:
		return value{0, m, 0}
	case x.hi <= 0:
		return value{max(x.lo, -m), 0, 0}
	}
	return value{max(x.lo, -m), min(x.hi, m), 0}
}

// sumValue returns the value of a sum, difference or product in 64 bits, anything if it
// may overflow.
func sumValue(op syntax.Op, x, y value) value {
	ends := [4][2]int64{{x.lo, y.lo}, {x.lo, y.hi}, {x.hi, y.lo}, {x.hi, y.hi}}
	v := value{math.MaxInt64, math.MinInt64, 0}
	for _, e := range ends {
		var r int64
		ok := true
		switch op {
		case "+":
			r = e[0] + e[1]
			ok = (r > e[0]) == (e[1] > 0)
		case "-":
			r = e[0] - e[1]
			ok = (r < e[0]) == (e[1] > 0)
		default:
			hi, lo := bits.Mul64(abs(e[0]), abs(e[1]))
			ok = hi == 0 && lo <= math.MaxInt64
			r = e[0] * e[1]
		}
		if !ok {
			return anything
		}
		v.lo, v.hi = min(v.lo, r), max(v.hi, r)
	}
	return v
}

func abs(x int64) uint64 {
	if x < 0 {
		return -uint64(x)
	}
	return uint64(x)
}

// unaryValue returns the value of op x of type t, of an operand that has been converted to it.
func unaryValue(op syntax.Op, x value, t check.Type) value {
	if x.never() {
		return never
	}
	switch {
	case op == "+":
		return x
	case op == "!":
		return value{0, 1, 0}
	case op == "-":
		return binaryValue("-", value{}, x, t)
	case op == "~" && !check.IsUnsigned(t):
		return value{^x.hi, ^x.lo, 0}.normal()
	}
	return valuesOf(t)
}

// limited returns what x and y are where x op y holds: numbers that the comparison sees as
// they are.
func limited(op syntax.Op, x, y value) (value, value) {
	switch op {
	case "<":
		if y.hi == math.MinInt64 || x.lo == math.MaxInt64 {
			return never, never
		}
		return meet(x, value{math.MinInt64, y.hi - 1, 0}), meet(y, value{x.lo + 1, math.MaxInt64, 0})
	case "<=":
		return meet(x, value{math.MinInt64, y.hi, 0}), meet(y, value{x.lo, math.MaxInt64, 0})
	case ">", ">=":
		y, x = limited(map[syntax.Op]syntax.Op{">": "<", ">=": "<="}[op], y, x)
	case "==":
		v := meet(x, y)
		return v, v
	case "!=":
		x, y = without(x, y), without(y, x)
	}
	return x, y
}

// without returns x where it is not y: without its least or greatest number if that is all
// that y is.
func without(x, y value) value {
	if y.lo != y.hi {
		return x
	}
	switch y.lo {
	case x.lo:
		return meet(x, value{x.lo + 1, math.MaxInt64, 0})
	case x.hi:
		return meet(x, value{math.MinInt64, x.hi - 1, 0})
	}
	return x
}

// opposite gives the comparison that holds where another does not.
var opposite = map[syntax.Op]syntax.Op{"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "=="}
