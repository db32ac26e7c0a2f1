package eval

import (
	"math"
	"math/big"

	"irgl/internal/cxx/hir"
	"irgl/internal/cxx/types"
)

// convert evaluates a conversion to a prvalue of scalar type.
func (m *machine) convert(e *hir.Convert) scalar {
	switch e.Kind {
	case hir.Load:
		return m.lvalueToRvalue(e)
	case hir.Decay:
		return m.decay(e)
	case hir.FuncDecay:
		if f, ok := e.X.(*hir.FuncRef); ok {
			return scalar{fn: f.Func}
		}
		if d, ok := e.X.(*hir.Deref); ok {
			return m.scalar(d.X)
		}
		return m.read(e, m.glvalue(e.X))
	case hir.NullToPtr:
		m.scalar(e.X)
		return scalar{}
	case hir.PtrToInt, hir.Reinterpret:
		m.fail(e, "cast that performs the conversions of a reinterpret_cast is not allowed in a constant expression")
	case hir.ToBase, hir.FromBase:
		s := m.scalar(e.X)
		if !s.p.isNull() {
			s.p = m.upOrDown(e, s.p)
		}
		return s
	}
	x := m.scalar(e.X)
	if e.Kind == hir.MemberOfDerived || e.Kind == hir.MemberOfBase {
		return x // the field is known with its class
	}
	return m.convertValue(e, e.Kind, x, e.X.Type(), e.T)
}

// lvalueToRvalue reads a scalar from a glvalue; of a prvalue's field too.
func (m *machine) lvalueToRvalue(e *hir.Convert) scalar {
	if e.X.Category() == hir.PRValue {
		return m.scalar(e.X)
	}
	if f, ok := e.X.(*hir.FuncRef); ok {
		return scalar{fn: f.Func}
	}
	return m.read(e, m.glvalue(e.X))
}

// decay returns the pointer to the first element of an array.
func (m *machine) decay(e *hir.Convert) scalar {
	o := m.object(e, m.glvalue(e.X))
	if !o.typ.IsArray() {
		m.fail(e, "subexpression not valid in a constant expression")
	}
	p := pointer{array: o}
	if o.typ.Len > 0 || o.root.unknown {
		p.o = m.elem(e, o, 0)
	}
	return scalar{p: p}
}

// convertValue converts a scalar from one type to another.
func (m *machine) convertValue(at node, kind hir.Conversion, x scalar, from, to types.Type) scalar {
	switch kind {
	case hir.Integral:
		return wrap(x.i, x.hi, to)
	case hir.ToBool:
		return boolean(isTrue(&x, from))
	case hir.Floating:
		return scalar{f: round(x.f, to)}
	case hir.IntToFloat:
		return scalar{f: intToFloat(x, from, to)}
	case hir.FloatToInt:
		return m.floatToInt(at, x.f, to)
	case hir.IntToPtr:
		if x.i == 0 {
			return scalar{}
		}
		m.fail(at, "cast that performs the conversions of a reinterpret_cast is not allowed in a constant expression")
	case hir.PtrCast:
		return m.pointerCast(at, x, to)
	case hir.BitCast:
		return bitCast(x, from, to)
	}
	return x
}

func intToFloat(x scalar, from, to types.Type) float64 {
	if from.Underlying().Size() < 16 {
		if to.Is(types.Float) {
			if from.IsSigned() {
				return float64(float32(int64(x.i)))
			}
			return float64(float32(x.i))
		}
		if from.IsSigned() {
			return float64(int64(x.i))
		}
		return float64(x.i)
	}
	f := new(big.Float).SetInt(wide(x, from))
	if to.Is(types.Float) {
		v, _ := f.Float32()
		return float64(v)
	}
	v, _ := f.Float64()
	return v
}

func (m *machine) floatToInt(at node, f float64, t types.Type) scalar {
	if !math.IsNaN(f) && !math.IsInf(f, 0) {
		v, _ := new(big.Float).SetFloat64(math.Trunc(f)).Int(nil)
		s := narrow128(v)
		w := wrap(s.i, s.hi, t)
		if wide(w, t.Underlying()).Cmp(v) == 0 {
			return w
		}
	}
	m.fail(at, "value %v is outside the range of representable values of type '%s'", f, t)
	panic("unreachable")
}

// bitCast returns the bits of a scalar as one of another type of the size.
func bitCast(x scalar, from, to types.Type) scalar {
	bits := x.i
	switch {
	case from.Is(types.Float):
		bits = uint64(math.Float32bits(float32(x.f)))
	case from.Is(types.Double):
		bits = math.Float64bits(x.f)
	}
	switch {
	case to.Is(types.Float):
		return scalar{f: float64(math.Float32frombits(uint32(bits)))}
	case to.Is(types.Double):
		return scalar{f: math.Float64frombits(bits)}
	}
	return wrap(bits, x.hi, to)
}

// pointerCast converts a pointer: to void and its like, and back to what it is to.
func (m *machine) pointerCast(at node, x scalar, t types.Type) scalar {
	if x.p.isNull() || x.fn != nil || !t.IsPointer() || t.Elem.IsVoid() {
		return x
	}
	elem := types.Type{}
	switch {
	case x.p.o != nil:
		elem = x.p.o.typ
	case x.p.array != nil:
		elem = x.p.array.typ.Elem
	default:
		elem = x.p.past.typ
	}
	if t.Elem.Node != elem.Node {
		m.fail(at, "cast that performs the conversions of a reinterpret_cast is not allowed in a constant expression")
	}
	return x
}

// convertGlvalue evaluates a conversion of a glvalue.
func (m *machine) convertGlvalue(e *hir.Convert) pointer {
	switch e.Kind {
	case hir.Qualify:
		return m.glvalue(e.X)
	case hir.ToBase, hir.FromBase:
		if e.X.Category() == hir.PRValue {
			return m.upOrDown(e, to(m.objectOf(e, e.X)))
		}
		return m.upOrDown(e, m.glvalue(e.X))
	}
	m.fail(e, "cast that performs the conversions of a reinterpret_cast is not allowed in a constant expression")
	panic("unreachable")
}

// upOrDown converts a pointer to a class to one to a base, or the other way.
func (m *machine) upOrDown(e *hir.Convert, p pointer) pointer {
	o := m.object(e, p)
	for _, c := range e.Path.Classes() {
		next := (*object)(nil)
		if e.Kind == hir.ToBase {
			for _, b := range o.bases {
				if b.typ.Class == c {
					next = b
				}
			}
		} else if o.up != nil && o.up.typ.IsClass() && o.up.typ.Class == c {
			next = o.up
		}
		if next == nil {
			m.fail(e, "cannot cast object of dynamic type '%s' to type '%s'", o.typ, c)
		}
		o = next
	}
	return to(o)
}
