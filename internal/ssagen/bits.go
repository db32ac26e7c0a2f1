package ssagen

import (
	"irgl/internal/check"
	"irgl/internal/ssa"
)

// unit returns the place of the unit of a bit-field, an integer, and the type in which it
// is taken apart: 32 or 64 bits.
func unit(p place) (whole place, wide ssa.Type) {
	types := map[int64]check.Type{1: check.UChar, 2: check.UShort, 4: check.UInt, 8: check.ULongLong}
	wide = ssa.I32
	if p.bits.Unit == 8 {
		wide = ssa.I64
	}
	return place{addr: p.addr, typ: types[p.bits.Unit], volatile: p.volatile, readOnly: p.readOnly, align: p.align}, wide
}

// loadBits returns the value of a bit-field in its declared type.
func (g *fb) loadBits(p place) *ssa.Value {
	whole, wide := unit(p)
	v := g.resize(g.load(whole), wide, true)
	b, size := p.bits, int64(wide.Bits())
	if check.IsUnsigned(p.typ) || p.typ == check.Bool {
		if b.Bit > 0 {
			v = g.emit(ssa.OpLShr, wide, v, g.intConst(ssa.I32, b.Bit))
		}
		if b.Bit+b.Width < 8*b.Unit {
			v = g.emit(ssa.OpAnd, wide, v, g.intConst(wide, 1<<b.Width-1))
		}
	} else {
		if up := size - b.Bit - b.Width; up > 0 {
			v = g.emit(ssa.OpShl, wide, v, g.intConst(ssa.I32, up))
		}
		if b.Width < size {
			v = g.emit(ssa.OpAShr, wide, v, g.intConst(ssa.I32, size-b.Width))
		}
	}
	if p.typ == check.Bool {
		return g.nonZero(v)
	}
	return g.resize(v, typeOf(p.typ), check.IsUnsigned(p.typ))
}

// storeBits puts v into a bit-field; the other bits of the unit stay.
func (g *fb) storeBits(p place, v *ssa.Value) {
	whole, wide := unit(p)
	b := p.bits
	mask := int64(1)<<b.Width - 1
	if b.Width == 64 {
		mask = -1
	}
	v = g.resize(v, wide, true)
	if b.Width < 8*b.Unit {
		v = g.emit(ssa.OpAnd, wide, v, g.intConst(wide, mask))
		if b.Bit > 0 {
			v = g.emit(ssa.OpShl, wide, v, g.intConst(ssa.I32, b.Bit))
		}
		old := g.resize(g.load(whole), wide, true)
		old = g.emit(ssa.OpAnd, wide, old, g.intConst(wide, ^(mask<<b.Bit)))
		v = g.emit(ssa.OpOr, wide, old, v)
	}
	g.store(whole, g.resize(v, typeOf(whole.typ), true))
}

// unitLeaves returns the units of the bit-fields of s as leaves, each once, and false
// where two units overlap.
func unitLeaves(list []leaf, f check.Field, off int64, volatile bool) ([]leaf, bool) {
	whole, _ := unit(place{bits: f.Bits})
	at := off + f.Offset
	for i := len(list) - 1; i >= 0; i-- {
		l := list[i]
		if l.off == at && l.typ == whole.typ {
			return list, true
		}
		if l.off < at+whole.typ.Size() && at < l.off+l.typ.Size() {
			return list, false
		}
	}
	return append(list, leaf{off: at, typ: whole.typ, volatile: volatile || f.Volatile}), len(list) < maxLeaves
}
