package check

import (
	"slices"

	"irgl/syntax"
)

// A BitField says where a field is that takes some bits. Its Field has the offset of the
// unit that is loaded and stored.
type BitField struct {
	Unit  int64 // bytes, at an offset that is a multiple of it
	Bit   int64 // the lowest bit in the unit
	Width int64 // in bits; 0 only during layout
}

// layoutBits is Layout for a struct with bit-fields, as the Itanium ABI and gcc for x86-64
// have it: a field begins at the next bit, unless it would cross a boundary of its type;
// a width of 0 goes to that boundary; fields without a name do not align the struct.
func (s *Struct) layoutBits() {
	var pos, end int64 // in bits
	plain := []Field{} // those that take whole bytes
	for i := range s.Fields {
		f := &s.Fields[i]
		if s.Union {
			pos = 0
		}
		a := 8 * f.Type.Align()
		up := (pos + a - 1) / a * a
		switch {
		case f.Bits == nil:
			pos = up
			f.Offset = pos / 8
			pos += 8 * f.Type.Size()
			plain = append(plain, *f)
		case f.Bits.Width == 0:
			pos = up
		default:
			if pos/a != (pos+f.Bits.Width-1)/a {
				pos = up
			}
			f.Offset, f.Bits.Bit = pos/a*a/8, pos%a
			pos += f.Bits.Width
		}
		if f.Bits == nil || f.Name != "" {
			s.align = max(s.align, f.Type.Align())
		}
		end = max(end, pos)
	}
	s.size = ((end+7)/8 + s.align - 1) / s.align * s.align
	s.Fields = slices.DeleteFunc(s.Fields, func(f Field) bool { return f.Bits != nil && f.Name == "" })
	for i := range s.Fields {
		if s.Fields[i].Bits != nil {
			s.Fields[i].chooseUnit(plain, s)
		}
	}
	s.Complete = true
}

// chooseUnit sets the unit of a bit-field: its type's, or, where that has bytes of other
// fields, which another thread may change, or none of the struct, the smallest that holds the bits.
func (f *Field) chooseUnit(plain []Field, s *Struct) {
	b := f.Bits
	b.Unit = f.Type.Size()
	shared := slices.ContainsFunc(plain, func(p Field) bool {
		return p.Offset < f.Offset+b.Unit && f.Offset < p.Offset+p.Type.Size()
	})
	if !shared && f.Offset+b.Unit <= s.size {
		return
	}
	first, last := 8*f.Offset+b.Bit, 8*f.Offset+b.Bit+b.Width-1
	for u := int64(1); u <= b.Unit; u *= 2 {
		if first/(8*u) == last/(8*u) {
			f.Offset, b.Bit, b.Unit = first/(8*u)*u, first%(8*u), u
			return
		}
	}
}

// bitField returns the width of a field of type t with the given type of the tree, nil if it is
// no bit-field.
func (c *checker) bitField(f *syntax.VarDecl, t Type) *BitField {
	bits, ok := f.Type.(*syntax.BitsType)
	if !ok || t == Invalid {
		return nil
	}
	if !IsInteger(t) {
		c.errorf(f, codeBits, "a bit-field cannot be of type %s", t)
		return nil
	}
	x := c.rvalue(bits.Width)
	most := 8 * t.Size()
	if t == Bool {
		most = 1
	}
	switch {
	case x.typ == Invalid:
	case x.cv == nil || !IsInteger(x.typ):
		c.errorf(bits.Width, codeBits, "the width of a bit-field must be an integer constant")
	case x.cv.Int < 0 || x.cv.Int > most:
		c.errorf(bits.Width, codeBits, "a bit-field of %s has at most %d bits", t, most)
	case x.cv.Int == 0 && f.Name != nil:
		c.errorf(bits.Width, codeBits, "a bit-field with a name has at least one bit")
	default:
		return &BitField{Width: x.cv.Int}
	}
	return nil
}

// promoted returns the type of the value of a bit-field: int if that has all its values.
func (b *BitField) promoted(t Type) Type {
	switch {
	case t == Bool:
		return t
	case b.Width < 32 || b.Width == 32 && !IsUnsigned(t):
		return Int
	case b.Width == 32:
		return UInt
	}
	return t
}
