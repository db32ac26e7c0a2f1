package host

import (
	"math"

	"irgl/internal/check"
)

// A scalar is represented by 64 bits: an integer sign- or zero-extended
// according to its type, a float or double as the bits of a float64, a
// pointer as its address. A struct is represented by the address of its
// bytes.

func toFloat(v uint64) float64   { return math.Float64frombits(v) }
func fromFloat(f float64) uint64 { return math.Float64bits(f) }

// narrow wraps integer v to type t.
func narrow(t check.Type, v uint64) uint64 {
	unsigned := check.IsUnsigned(t)
	switch t.Size() {
	case 1:
		if t == check.Bool {
			if v != 0 {
				return 1
			}
			return 0
		}
		if unsigned {
			return uint64(uint8(v))
		}
		return uint64(int8(v))
	case 2:
		if unsigned {
			return uint64(uint16(v))
		}
		return uint64(int16(v))
	case 4:
		if unsigned {
			return uint64(uint32(v))
		}
		return uint64(int32(v))
	}
	return v
}

// round returns f as a value of the floating type t.
func round(t check.Type, f float64) uint64 {
	if t == check.Float {
		return fromFloat(float64(float32(f)))
	}
	return fromFloat(f)
}

// converter returns the conversion of a scalar from one type to another, or
// nil if the bits do not change.
func converter(from, to check.Type) func(uint64) uint64 {
	if from == to || !check.IsArithmetic(to) && !check.IsArithmetic(from) {
		return nil
	}
	fromFloat_, toFloat_ := check.IsFloat(from), check.IsFloat(to)
	switch {
	case fromFloat_ && to == check.Bool:
		return func(v uint64) uint64 { return truth(toFloat(v) != 0) }
	case fromFloat_ && toFloat_:
		if to == check.Double {
			return nil
		}
		return func(v uint64) uint64 { return round(to, toFloat(v)) }
	case fromFloat_:
		return func(v uint64) uint64 { return saturate(to, toFloat(v)) }
	case toFloat_ && check.IsUnsigned(from):
		if to == check.Float {
			return func(v uint64) uint64 { return fromFloat(float64(float32(v))) }
		}
		return func(v uint64) uint64 { return fromFloat(float64(v)) }
	case toFloat_:
		if to == check.Float {
			return func(v uint64) uint64 { return fromFloat(float64(float32(int64(v)))) }
		}
		return func(v uint64) uint64 { return fromFloat(float64(int64(v))) }
	case !check.IsArithmetic(to): // an integer as a pointer
		return nil
	}
	return func(v uint64) uint64 { return narrow(to, v) }
}

// saturate converts f to the integer type t as devices do.
func saturate(t check.Type, f float64) uint64 {
	if f != f {
		return 0
	}
	bits := int(8 * t.Size())
	f = math.Trunc(f)
	if check.IsUnsigned(t) {
		switch {
		case f <= 0:
			return 0
		case f >= math.Ldexp(1, bits):
			return math.MaxUint64 >> (64 - bits)
		}
		return uint64(f)
	}
	switch limit := math.Ldexp(1, bits-1); {
	case f >= limit:
		return math.MaxUint64 >> (65 - bits)
	case f < -limit:
		return math.MaxUint64 << (bits - 1)
	}
	return uint64(int64(f))
}

func truth(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// decode returns the scalar of type t that b holds.
func decode(t check.Type, b []byte) uint64 {
	v := load(b)
	switch {
	case t == check.Float:
		return fromFloat(float64(math.Float32frombits(uint32(v))))
	case check.IsInteger(t):
		return narrow(t, v)
	}
	return v
}

// encode stores the scalar v of type t in b.
func encode(t check.Type, b []byte, v uint64) {
	if t == check.Float {
		v = uint64(math.Float32bits(float32(toFloat(v))))
	}
	store(b, v)
}

// isAggregate reports whether values of t are kept in memory.
func isAggregate(t check.Type) bool {
	switch t.(type) {
	case *check.Struct, *check.Array:
		return true
	}
	return false
}
