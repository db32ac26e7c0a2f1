package types

// IsValid reports whether x is a type at all.
func (x Type) IsValid() bool { return x.Node != nil }

// Is reports whether x is of kind k, whatever its qualifiers.
func (x Type) Is(k Kind) bool { return x.Node != nil && x.Kind == k }

// IsVoid reports whether x is void.
func (x Type) IsVoid() bool { return x.Is(Void) }

// IsInteger reports whether x is an integral type: bool and the character types are,
// enumerations are not.
func (x Type) IsInteger() bool { return x.Node != nil && x.Kind >= Bool && x.Kind <= UInt128 }

// IsFloat reports whether x is a floating type.
func (x Type) IsFloat() bool { return x.Node != nil && x.Kind >= Float && x.Kind <= LongDouble }

// IsArithmetic reports whether x is an integral or floating type.
func (x Type) IsArithmetic() bool { return x.Node != nil && x.Kind >= Bool && x.Kind <= LongDouble }

// IsEnum reports whether x is an enumeration.
func (x Type) IsEnum() bool { return x.Is(EnumKind) }

// IsScopedEnum reports whether x is an enum class.
func (x Type) IsScopedEnum() bool { return x.IsEnum() && x.Enum.Scoped }

// IsIntegerOrEnum reports whether x is an integral type or an unscoped enumeration: what
// converts to an integer.
func (x Type) IsIntegerOrEnum() bool { return x.IsInteger() || x.IsEnum() && !x.Enum.Scoped }

// IsPointer reports whether x is a pointer to an object, void or function.
func (x Type) IsPointer() bool { return x.Is(Pointer) }

// IsRef reports whether x is a reference.
func (x Type) IsRef() bool { return x.Is(LRef) || x.Is(RRef) }

// IsArray reports whether x is an array.
func (x Type) IsArray() bool { return x.Is(Array) }

// IsFunc reports whether x is a function's type.
func (x Type) IsFunc() bool { return x.Is(Func) }

// IsClass reports whether x is a class, struct or union.
func (x Type) IsClass() bool { return x.Is(ClassKind) }

// IsUnion reports whether x is a union.
func (x Type) IsUnion() bool { return x.IsClass() && x.Class.Union }

// IsScalar reports whether x is arithmetic, an enumeration, a pointer, a pointer to a
// member or std::nullptr_t.
func (x Type) IsScalar() bool {
	if x.Node == nil {
		return false
	}
	switch x.Kind {
	case Nullptr, Pointer, MemberPointer, EnumKind:
		return true
	}
	return x.IsArithmetic()
}

// IsObject reports whether x is the type of objects: no reference, function or void.
func (x Type) IsObject() bool {
	return x.Node != nil && !x.IsRef() && x.Kind != Func && x.Kind != Void
}

// IsConst reports whether x, or the elements of the array x, are const.
func (x Type) IsConst() bool { return x.Qualifiers()&Const != 0 }

// IsVolatile reports whether x, or the elements of the array x, are volatile.
func (x Type) IsVolatile() bool { return x.Qualifiers()&Volatile != 0 }

// Qualifiers returns the qualifiers of x, or of the elements of the array x.
func (x Type) Qualifiers() CV {
	cv := x.CV
	for x.Is(Array) {
		x = x.Elem
		cv |= x.CV
	}
	return cv
}

// Dependent reports whether x depends on a parameter of a template, or on what auto
// is deduced to.
func (x Type) Dependent() bool { return x.Node != nil && x.dependent }

// Complete reports whether objects of type x can be made: the size is known.
func (x Type) Complete() bool {
	switch {
	case x.Node == nil || x.dependent:
		return false
	case x.Kind == Array:
		return x.Len >= 0 && x.Elem.Complete()
	case x.Kind == ClassKind:
		return x.Class.Complete
	case x.Kind == EnumKind:
		return x.Enum.Base.IsValid()
	}
	return x.Kind >= Nullptr && x.Kind <= MemberPointer
}

// Unref returns what the reference x refers to, and x for other types.
func (x Type) Unref() Type {
	if x.IsRef() {
		return x.Elem
	}
	return x
}

// Unqualified returns x without its own qualifiers. Those of an array's elements stay:
// [Table.Unqualify] removes them.
func (x Type) Unqualified() Type { return Type{Node: x.Node} }

// Element returns the type at the bottom of an array of arrays, and x for other types.
func (x Type) Element() Type {
	for x.Is(Array) {
		x = x.Elem
	}
	return x
}

// Qualify returns x with the qualifiers cv added: for an array to its elements, and
// for a reference or function not at all.
func (t *Table) Qualify(x Type, cv CV) Type {
	switch x.Kind {
	case LRef, RRef, Func:
		return x
	case Array:
		return t.rearray(x, t.Qualify(x.Elem, cv))
	}
	x.CV |= cv
	return x
}

// Unqualify returns x without qualifiers, and an array without those of its elements.
func (t *Table) Unqualify(x Type) Type {
	if x.Kind == Array {
		return t.rearray(x, t.Unqualify(x.Elem))
	}
	return x.Unqualified()
}

// rearray returns the array x with other elements.
func (t *Table) rearray(x, elem Type) Type {
	switch {
	case elem == x.Elem:
		return x
	case x.Bound != nil:
		return t.ArrayBound(elem, *x.Bound)
	}
	return t.Array(elem, x.Len)
}

// Decayed returns what a value of type x is passed as: a reference's referent, an array
// as a pointer to its elements, a function as a pointer, others without qualifiers.
func (t *Table) Decayed(x Type) Type { return t.AdjustParam(x.Unref()) }

const (
	hugeSize          = 1 << 62 // of arrays that are too large to have a size
	pointerSize       = 8
	memberFuncPtrSize = 16
)

// basicSizes are the sizes of the arithmetic types, which are their alignments too.
var basicSizes = [...]uint8{Nullptr: pointerSize, Bool: 1, Char: 1, SChar: 1, UChar: 1, Char8: 1, Short: 2, UShort: 2, Char16: 2, WChar: 4,
	Int: 4, UInt: 4, Char32: 4, Long: 8, ULong: 8, LongLong: 8, ULongLong: 8, Int128: 16, UInt128: 16, Float: 4, Double: 8, LongDouble: 16}

// Size returns the size of an object of type x in bytes; of a reference that of the
// pointer that it is stored as; 0 for what has no size.
func (x Type) Size() int64 {
	switch x.Kind {
	case Pointer, LRef, RRef:
		return pointerSize
	case MemberPointer:
		if x.Elem.Is(Func) {
			return memberFuncPtrSize
		}
		return pointerSize
	case Array:
		n, size := max(x.Len, 0), x.Elem.Size()
		if size > 0 && n > hugeSize/size {
			return hugeSize
		}
		return n * size
	case ClassKind:
		return x.Class.Size
	case EnumKind:
		if !x.Enum.Base.IsValid() {
			return 0
		}
		return x.Enum.Base.Size()
	}
	if int(x.Kind) < len(basicSizes) {
		return int64(basicSizes[x.Kind])
	}
	return 0
}

// Align returns the alignment of an object of type x in bytes; 1 for what has none.
func (x Type) Align() int64 {
	switch x.Kind {
	case Array:
		return x.Elem.Align()
	case ClassKind:
		return max(x.Class.Align, 1)
	case MemberPointer:
		return pointerSize
	}
	return max(x.Size(), 1)
}
