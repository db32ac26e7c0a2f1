package run

import (
	"fmt"
	"math"

	"irgl/internal/check"
	"irgl/syntax"
)

// A Column is the values of a property. Data is a slice of the Go type that
// matches Type: []bool as []uint8, char []int8, ..., int, node, point and
// element []int32, long []int64, unsigned long []uint64, float []float32, double []float64.
type Column struct {
	Name string
	Of   syntax.Domain // what it has one value each of
	Type check.Basic
	Data any
}

// NewColumn returns a column of n zeros.
func NewColumn(name string, of syntax.Domain, t check.Basic, n int) *Column {
	c := newColumn(t, n)
	c.Name, c.Of = name, of
	return c
}

//irgl:flatswitch
func newColumn(t check.Basic, n int) *Column {
	c := &Column{Type: t}
	switch t {
	case check.Char, check.SChar:
		c.Data = make([]int8, n)
	case check.Bool, check.UChar:
		c.Data = make([]uint8, n)
	case check.Short:
		c.Data = make([]int16, n)
	case check.UShort:
		c.Data = make([]uint16, n)
	case check.Int, check.Node, check.Point, check.Element:
		c.Data = make([]int32, n)
	case check.UInt:
		c.Data = make([]uint32, n)
	case check.Long, check.LongLong, check.Edge:
		c.Data = make([]int64, n)
	case check.ULong, check.ULongLong:
		c.Data = make([]uint64, n)
	case check.Float:
		c.Data = make([]float32, n)
	case check.Double:
		c.Data = make([]float64, n)
	default:
		panic(fmt.Sprintf("run: a column cannot have type %s", t))
	}
	return c
}

// Len returns the number of values.
func (c *Column) Len() int {
	switch d := c.Data.(type) {
	case []int8:
		return len(d)
	case []uint8:
		return len(d)
	case []int16:
		return len(d)
	case []uint16:
		return len(d)
	case []int32:
		return len(d)
	case []uint32:
		return len(d)
	case []int64:
		return len(d)
	case []uint64:
		return len(d)
	case []float32:
		return len(d)
	case []float64:
		return len(d)
	}
	return 0
}

// Value returns the value at i.
func (c *Column) Value(i int) Value {
	v := Value{Type: c.Type}
	switch d := c.Data.(type) {
	case []int8:
		v.Int = int64(d[i])
	case []uint8:
		v.Int = int64(d[i])
	case []int16:
		v.Int = int64(d[i])
	case []uint16:
		v.Int = int64(d[i])
	case []int32:
		v.Int = int64(d[i])
	case []uint32:
		v.Int = int64(d[i])
	case []int64:
		v.Int = d[i]
	case []uint64:
		v.Int = int64(d[i])
	case []float32:
		v.Float = float64(d[i])
	case []float64:
		v.Float = d[i]
	}
	return v
}

// Int returns the value at i of an integer column.
func (c *Column) Int(i int) int64 { return c.Value(i).Int }

// Float returns the value at i as a float64.
func (c *Column) Float(i int) float64 {
	v := c.Value(i)
	switch {
	case check.IsFloat(c.Type):
		return v.Float
	case check.IsUnsigned(c.Type):
		return float64(uint64(v.Int))
	}
	return float64(v.Int)
}

// set stores v at i, converted as C converts.
func (c *Column) set(i int, v Value) {
	n, f := v.Int, v.Float
	if check.IsFloat(v.Type) {
		n = saturate(c.Type, f)
	} else if check.IsUnsigned(v.Type) {
		f = float64(uint64(n))
	} else {
		f = float64(n)
	}
	switch d := c.Data.(type) {
	case []int8:
		d[i] = int8(n)
	case []uint8:
		d[i] = uint8(n)
		if c.Type == check.Bool {
			d[i] = 0
			if v.Int != 0 || v.Float != 0 {
				d[i] = 1
			}
		}
	case []int16:
		d[i] = int16(n)
	case []uint16:
		d[i] = uint16(n)
	case []int32:
		d[i] = int32(n)
	case []uint32:
		d[i] = uint32(n)
	case []int64:
		d[i] = n
	case []uint64:
		d[i] = uint64(n)
	case []float32:
		d[i] = float32(f)
		if check.IsInteger(v.Type) { // rounded once, not first to a double
			d[i] = float32(n)
			if check.IsUnsigned(v.Type) {
				d[i] = float32(uint64(n))
			}
		}
	case []float64:
		d[i] = f
	}
}

// Set stores v at i, converted to the column's type as C converts.
func (c *Column) Set(i int, v Value) { c.set(i, v) }

// saturate converts f to the integer type t as the target machine does: toward
// zero, to the nearest representable value, NaN to 0.
func saturate(t check.Basic, f float64) int64 {
	if f != f {
		return 0
	}
	f = math.Trunc(f)
	if check.IsUnsigned(t) {
		limit := math.Ldexp(1, int(8*t.Size()))
		switch {
		case f <= 0:
			return 0
		case f >= limit:
			return int64(^uint64(0) >> (64 - 8*t.Size()))
		}
		return int64(uint64(f))
	}
	limit := math.Ldexp(1, int(8*t.Size()-1))
	switch {
	case f >= limit:
		return int64(^uint64(0) >> (65 - 8*t.Size()))
	case f < -limit:
		return -1 << (8*t.Size() - 1)
	}
	return int64(f)
}
