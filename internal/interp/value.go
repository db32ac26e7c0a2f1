package interp

import (
	"math"

	"irgl/internal/check"
)

// A val is a compiled expression. Integers of all types, handles and pointers
// are int64s in canonical form: extended from their width by their own sign. A
// float is a float64 that holds a value of its type. The value of a struct is
// the bytes of its memory.
type val struct {
	t check.Type
	i func() int64   // of integers, handles, ranges, pointers; of void for its effect
	f func() float64 // of float and double
	s func() []byte  // of structs and unions

	konst bool // i or f always gives ci or cf
	ci    int64
	cf    float64
	cell  *int64 // i only reads this
}

// isFloat, isStruct and isPointer say which field of a val holds a value of t.
func isFloat(t check.Type) bool { return t == check.Float || t == check.Double }

func isStruct(t check.Type) bool { _, ok := t.(*check.Struct); return ok }

func isPointer(t check.Type) bool { _, ok := t.(*check.Pointer); return ok }

// intVal returns an integer, handle or pointer.
func intVal(t check.Type, i func() int64) val { return val{t: t, i: i} }

// floatVal returns a float or double.
func floatVal(t check.Type, f func() float64) val { return val{t: t, f: f} }

// intConst returns a constant in canonical form.
func intConst(t check.Type, v int64) val {
	return val{t: t, i: func() int64 { return v }, konst: true, ci: v}
}

// floatConst returns a constant that t can hold.
func floatConst(t check.Type, v float64) val {
	return val{t: t, f: func() float64 { return v }, konst: true, cf: v}
}

// wrap reduces v to the width of t and extends it by t's sign. A bool keeps the
// bit that says whether v is 0.
func wrap(v int64, t check.Type) int64 {
	if t == check.Bool {
		if v != 0 {
			return 1
		}
		return 0
	}
	unsigned := check.IsUnsigned(t)
	switch t.Size() {
	case 1:
		if unsigned {
			return int64(uint8(v))
		}
		return int64(int8(v))
	case 2:
		if unsigned {
			return int64(uint16(v))
		}
		return int64(int16(v))
	case 4:
		if unsigned {
			return int64(uint32(v))
		}
		return int64(int32(v))
	}
	return v
}

// holds reports whether every canonical value of type from is one of type to.
func holds(to, from check.Type) bool {
	switch {
	case from == check.Bool:
		return true
	case to == check.Bool:
		return false
	case to.Size() == 8:
		return true // the bits of an int64 are the value whatever its sign
	case check.IsUnsigned(to) == check.IsUnsigned(from):
		return to.Size() >= from.Size()
	}
	return check.IsUnsigned(from) && to.Size() > from.Size()
}

// truncate returns a function that converts an integer to type t.
func truncate(i func() int64, t check.Type) func() int64 {
	switch t {
	case check.Int, check.Node, check.Point, check.Element:
		return func() int64 { return int64(int32(i())) }
	case check.UInt:
		return func() int64 { return int64(uint32(i())) }
	}
	return func() int64 { return wrap(i(), t) }
}

// saturate converts f to integer type t as PTX's cvt.rzi does: toward zero, to
// the nearest value of the type, NaN to 0.
func saturate(f float64, t check.Type) int64 {
	if f != f {
		return 0
	}
	f = math.Trunc(f)
	width := uint(8 * t.Size())
	if check.IsUnsigned(t) {
		switch {
		case f <= 0:
			return 0
		case f >= math.Ldexp(1, int(width)):
			return int64(^uint64(0) >> (64 - width))
		case f >= 1<<63:
			return int64(uint64(f-1<<63) | 1<<63)
		}
		return int64(f)
	}
	limit := math.Ldexp(1, int(width)-1)
	switch {
	case f >= limit:
		return int64(^uint64(0) >> (65 - width))
	case f < -limit:
		return -1 << (width - 1)
	}
	return int64(f)
}

// floatOf converts an integer of type from to floating type to, rounding once.
func floatOf(v int64, from, to check.Type) float64 {
	if check.IsUnsigned(from) && from.Size() == 8 {
		if to == check.Float {
			return float64(float32(uint64(v)))
		}
		return float64(uint64(v))
	}
	if to == check.Float {
		return float64(float32(v))
	}
	return float64(v)
}

// convert returns v in type t, as C converts it.
func convert(v val, t check.Type) val {
	from := v.t
	switch {
	case t == check.Void:
		return toVoid(v)
	case isStruct(t) || isStruct(from):
		return v
	case isFloat(from) && isFloat(t):
		return toFloat(v, t)
	case isFloat(from):
		if v.konst {
			return intConst(t, intOf(v.cf, t))
		}
		f := v.f
		return intVal(t, func() int64 { return intOf(f(), t) })
	case isFloat(t):
		if v.konst {
			return floatConst(t, floatOf(v.ci, from, t))
		}
		i := v.i
		if t == check.Double && !(check.IsUnsigned(from) && from.Size() == 8) {
			return floatVal(t, func() float64 { return float64(i()) })
		}
		return floatVal(t, func() float64 { return floatOf(i(), from, t) })
	case v.konst:
		return intConst(t, wrap(v.ci, t))
	case holds(t, from):
		v.t = t
		return v
	}
	return intVal(t, truncate(v.i, t))
}

// toFloat converts between float and double. Every float is a double.
func toFloat(v val, t check.Type) val {
	if v.konst {
		if t == check.Float {
			v.cf = float64(float32(v.cf))
		}
		return floatConst(t, v.cf)
	}
	if t == check.Float && v.t == check.Double {
		f := v.f
		return floatVal(t, func() float64 { return float64(float32(f())) })
	}
	v.t = t
	return v
}

// toVoid keeps only the effect of v.
func toVoid(v val) val {
	switch {
	case v.f != nil:
		f := v.f
		return intVal(check.Void, func() int64 { f(); return 0 })
	case v.s != nil:
		s := v.s
		return intVal(check.Void, func() int64 { s(); return 0 })
	}
	return intVal(check.Void, v.i)
}

// intOf converts a float to type t, a bool being whether it is 0.
func intOf(f float64, t check.Type) int64 {
	if t == check.Bool {
		if f != 0 {
			return 1
		}
		return 0
	}
	return saturate(f, t)
}

// truth returns v as a condition.
func truth(v val) func() bool {
	switch {
	case v.konst && v.f != nil:
		is := v.cf != 0
		return func() bool { return is }
	case v.konst:
		is := v.ci != 0
		return func() bool { return is }
	case v.f != nil:
		f := v.f
		return func() bool { return f() != 0 }
	case v.cell != nil:
		p := v.cell
		return func() bool { return *p != 0 }
	}
	i := v.i
	return func() bool { return i() != 0 }
}

// ofCond returns a condition as C's 0 or 1, of type t.
func ofCond(t check.Type, b func() bool) val {
	return intVal(t, func() int64 {
		if b() {
			return 1
		}
		return 0
	})
}
