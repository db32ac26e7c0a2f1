package types

// IsSigned reports whether x is a signed integer, an enumeration based on one, or a
// floating type. Plain char and wchar_t are signed.
func (x Type) IsSigned() bool {
	switch x = x.Underlying(); x.Kind {
	case Char, SChar, Short, WChar, Int, Long, LongLong, Int128, Float, Double, LongDouble:
		return true
	}
	return false
}

// IsUnsigned reports whether x is an unsigned integer, bool, or an enumeration based on
// one.
func (x Type) IsUnsigned() bool { return x.Underlying().IsInteger() && !x.IsSigned() }

// Underlying returns the integer that an enumeration is based on, and x for other types.
func (x Type) Underlying() Type {
	if x.Is(EnumKind) && x.Enum.Base.IsValid() {
		return x.Enum.Base
	}
	return x
}

// Width returns the bits of an integer's value, or of an enumeration's: 1 for bool.
func (x Type) Width() int {
	x = x.Underlying()
	if x.Kind == Bool {
		return 1
	}
	return int(x.Size()) * 8
}

// Truncate returns the value v converted to the integer or enumeration x: reduced to
// its width and extended to 64 bits by its sign. It is the low half of an __int128.
func (x Type) Truncate(v uint64) uint64 {
	w := x.Width()
	if w >= 64 {
		return v
	}
	if x.IsSigned() {
		return uint64(int64(v<<(64-w)) >> (64 - w))
	}
	return v << (64 - w) >> (64 - w)
}

// Min returns the least value of an integer of at most 64 bits, extended to 64 bits.
func (x Type) Min() uint64 {
	if !x.IsSigned() {
		return 0
	}
	return ^uint64(0) << (min(x.Width(), 64) - 1)
}

// Max returns the greatest value of an integer of at most 64 bits.
func (x Type) Max() uint64 {
	w := min(x.Width(), 64)
	if x.IsSigned() {
		w--
	}
	return ^uint64(0) >> (64 - w)
}

// Fits reports whether the value v of the integer type from is one of the integer x.
func (x Type) Fits(v uint64, from Type) bool {
	negative := from.IsSigned() && int64(v) < 0
	if x.Width() >= 64 {
		switch {
		case x.Width() > 64:
			return !negative || x.IsSigned()
		case x.IsSigned():
			return negative || int64(v) >= 0
		}
		return !negative
	}
	return x.Truncate(v) == v && (!negative || x.IsSigned())
}

// Rank returns the conversion rank of an integer: greater for wider ones. The signed
// and unsigned forms of a type, and the types based on it, have the same.
func (x Type) Rank() int {
	switch x.Kind {
	case Bool:
		return 1
	case Char, SChar, UChar, Char8:
		return 2
	case Short, UShort, Char16:
		return 3
	case Int, UInt, WChar, Char32:
		return 4
	case Long, ULong:
		return 5
	case LongLong, ULongLong:
		return 6
	case Int128, UInt128:
		return 7
	}
	return 0
}

// Promote returns the type that the integral promotions give to a value of type x:
// x itself for all but small integers, bool and unscoped enumerations.
func (t *Table) Promote(x Type) Type {
	x = x.Unqualified()
	if x.Kind == EnumKind {
		if x.Enum.Scoped || !x.Enum.Base.IsValid() {
			return x
		}
		if x.Enum.Fixed {
			return t.Promote(x.Enum.Base)
		}
		return t.promoteEnum(x.Enum)
	}
	switch x.Kind {
	case Bool, Char, SChar, UChar, Char8, Short, UShort, Char16, WChar:
		return t.Basic(Int)
	case Char32:
		return t.Basic(UInt)
	}
	return x
}

// promoteEnum returns the first of int, unsigned int, long and unsigned long that has all
// values of an enumeration without a given underlying type.
func (t *Table) promoteEnum(e *Enum) Type {
	for _, k := range [...]Kind{Int, UInt, Long} {
		x := t.Basic(k)
		fits := true
		for _, c := range e.Consts {
			fits = fits && x.Fits(c.Value, e.Base)
		}
		if fits {
			return x
		}
	}
	return t.Basic(ULong)
}

// PromoteBits returns the type that the integral promotions give to a bit-field of
// type x and width bits.
func (t *Table) PromoteBits(x Type, width int) Type {
	x = x.Unqualified()
	if !x.IsInteger() || x.Rank() > t.Basic(Int).Rank() && width > 32 {
		return t.Promote(x)
	}
	switch {
	case width < 32 || width == 32 && x.IsSigned():
		return t.Basic(Int)
	case width == 32:
		return t.Basic(UInt)
	}
	return t.Promote(x)
}

// UsualArithmetic returns the type in which an operator computes with operands of types
// x and y, which are arithmetic or unscoped enumerations.
func (t *Table) UsualArithmetic(x, y Type) Type {
	x, y = x.Unqualified(), y.Unqualified()
	if x.IsFloat() || y.IsFloat() {
		if !y.IsFloat() || x.IsFloat() && x.Kind >= y.Kind {
			return x
		}
		return y
	}
	x, y = t.Promote(x), t.Promote(y)
	if x == y {
		return x
	}
	if x.IsSigned() == y.IsSigned() {
		if x.Rank() >= y.Rank() {
			return x
		}
		return y
	}
	if x.IsSigned() {
		x, y = y, x
	}
	switch { // x is unsigned, y signed
	case x.Rank() >= y.Rank():
		return x
	case y.Width() > x.Width():
		return y
	}
	return t.Unsigned(y)
}

// Unsigned returns the unsigned integer of the size of x.
func (t *Table) Unsigned(x Type) Type {
	switch x.Underlying().Kind {
	case Char, SChar:
		return t.Basic(UChar)
	case Short:
		return t.Basic(UShort)
	case Int, WChar:
		return t.Basic(UInt)
	case Long:
		return t.Basic(ULong)
	case LongLong:
		return t.Basic(ULongLong)
	case Int128:
		return t.Basic(UInt128)
	}
	return x.Underlying().Unqualified()
}

// Signed returns the signed integer of the size of x.
func (t *Table) Signed(x Type) Type {
	switch x.Underlying().Kind {
	case Char, UChar, Char8:
		return t.Basic(SChar)
	case UShort, Char16:
		return t.Basic(Short)
	case UInt, Char32:
		return t.Basic(Int)
	case ULong:
		return t.Basic(Long)
	case ULongLong:
		return t.Basic(LongLong)
	case UInt128:
		return t.Basic(Int128)
	}
	return x.Underlying().Unqualified()
}
