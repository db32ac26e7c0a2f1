package check

import (
	"fmt"
	"slices"
	"strings"
)

// A Type is the type of an expression or object: a [Basic], *[Pointer],
// *[Array], *[Struct], *[Func] or one of IrGL's, which are Basics too. Types
// other than Struct are equal when [Identical] says so.
type Type interface {
	String() string // as C writes it
	Size() int64    // bytes; 0 for void, functions and IrGL's ranges
	Align() int64
}

// A Basic is a type without parts.
type Basic uint8

// The basic types. Edges and InEdges are the ranges of the edges that leave and
// lead to a node; Nodes, AllEdges, Points and Elements are those of all. Node,
// Edge, Point and Element are handles: an edge is a 64-bit, the others are
// 32-bit signed integers, with members. An InEdge is an element of InEdges, a
// value with members but no number. Ints is the range of ints from one to below
// another, which only loops have.
const (
	Invalid Basic = iota
	Void
	Bool
	Char // signed, as on every CUDA host we serve
	SChar
	UChar
	Short
	UShort
	Int
	UInt
	Long
	ULong
	LongLong
	ULongLong
	Float
	Double
	Node
	Edge
	Point
	Element
	Nodes
	Edges
	AllEdges
	InEdges
	InEdge
	Points
	Elements
	GraphType
	MeshType
	Worklist
	Ints
	String // a string literal before it decays to const char *
	numBasic
)

var basicInfo = [numBasic]struct {
	name string
	size int64
}{
	Invalid: {"invalid type", 0}, Void: {"void", 0}, Bool: {"bool", 1},
	Char: {"char", 1}, SChar: {"signed char", 1}, UChar: {"unsigned char", 1},
	Short: {"short", 2}, UShort: {"unsigned short", 2}, Int: {"int", 4}, UInt: {"unsigned int", 4},
	Long: {"long", 8}, ULong: {"unsigned long", 8}, LongLong: {"long long", 8}, ULongLong: {"unsigned long long", 8},
	Float: {"float", 4}, Double: {"double", 8}, Node: {"node", 4}, Edge: {"edge", 8},
	Point: {"point", 4}, Element: {"element", 4}, Points: {"points", 0}, Elements: {"elements", 0}, MeshType: {"mesh", 0},
	AllEdges: {"all edges", 0}, InEdges: {"in_edges", 0}, InEdge: {"in-edge", 0}, Ints: {"range", 0},
	Nodes: {"nodes", 0}, Edges: {"edges", 0}, GraphType: {"graph", 0}, Worklist: {"worklist", 0}, String: {"string", 0},
}

func (b Basic) String() string { return basicInfo[b].name }

// Size returns the size in bytes.
func (b Basic) Size() int64 { return basicInfo[b].size }

// Align returns the alignment in bytes, at least 1.
func (b Basic) Align() int64 { return max(1, b.Size()) }

// A Pointer is a pointer to Elem. Const and Volatile qualify what it points
// to; Restrict qualifies the pointer.
type Pointer struct {
	Elem                      Type
	Const, Volatile, Restrict bool
}

func (p *Pointer) String() string {
	q := ""
	if p.Const {
		q += "const "
	}
	if p.Volatile {
		q += "volatile "
	}
	return q + p.Elem.String() + " *"
}

// Size returns 8.
func (p *Pointer) Size() int64 { return 8 }

// Align returns 8.
func (p *Pointer) Align() int64 { return 8 }

// An Array has Len elements; Len is -1 when it is not known.
type Array struct {
	Elem Type
	Len  int64
}

// String writes the lengths from the outermost in, as C does: int[2][3] is two
// arrays of three.
func (a *Array) String() string {
	lens := ""
	var t Type = a
	for {
		a, ok := t.(*Array)
		if !ok {
			return t.String() + lens
		}
		if a.Len < 0 {
			lens += "[]"
		} else {
			lens += fmt.Sprintf("[%d]", a.Len)
		}
		t = a.Elem
	}
}

// Size returns the size in bytes of all elements.
func (a *Array) Size() int64 { return max(0, a.Len) * a.Elem.Size() }

// Align returns the alignment of an element.
func (a *Array) Align() int64 { return a.Elem.Align() }

// A Struct is a struct or union, identical only to itself.
type Struct struct {
	Tag      string
	Union    bool
	Complete bool
	Fields   []Field
	size     int64
	align    int64
}

// A Field is a member of a struct at a byte offset.
type Field struct {
	Name     string
	Type     Type
	Offset   int64
	Volatile bool
	ReadOnly bool // declared const
	Bits     *BitField
}

func (s *Struct) String() string {
	if s.Union {
		return "union " + s.Tag
	}
	return "struct " + s.Tag
}

// Size returns the size with padding; 0 while the type is incomplete.
func (s *Struct) Size() int64 { return s.size }

// Align returns the alignment in bytes, at least 1.
func (s *Struct) Align() int64 { return max(1, s.align) }

// Field returns the field of that name. Those of a struct or union without a name are
// fields of the struct that it is in.
func (s *Struct) Field(name string) (Field, bool) {
	if name == "" {
		return Field{}, false
	}
	for _, f := range s.Fields {
		if f.Name == name {
			return f, true
		}
		if inner, ok := f.Type.(*Struct); ok && f.Name == "" {
			if g, ok := inner.Field(name); ok {
				g.Offset += f.Offset
				g.Volatile, g.ReadOnly = g.Volatile || f.Volatile, g.ReadOnly || f.ReadOnly
				return g, true
			}
		}
	}
	return Field{}, false
}

// Layout sets the offsets of the fields, the size and the alignment, which is
// at least minAlign (__align__), and completes the type.
func (s *Struct) Layout(minAlign int64) {
	s.align = max(1, minAlign)
	var off int64
	if slices.ContainsFunc(s.Fields, func(f Field) bool { return f.Bits != nil }) {
		s.layoutBits()
		return
	}
	for i := range s.Fields {
		f := &s.Fields[i]
		a := f.Type.Align()
		s.align = max(s.align, a)
		if s.Union {
			s.size = max(s.size, f.Type.Size())
			continue
		}
		off = (off + a - 1) / a * a
		f.Offset = off
		off += f.Type.Size()
		s.size = off
	}
	s.size = (s.size + s.align - 1) / s.align * s.align
	s.Complete = true
}

// A Func is the type of a function.
type Func struct {
	Result   Type
	Params   []Type
	Variadic bool
}

func (f *Func) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s (", f.Result)
	for i, p := range f.Params {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(p.String())
	}
	if f.Variadic {
		b.WriteString(", ...")
	}
	return b.String() + ")"
}

// Size returns 0.
func (f *Func) Size() int64 { return 0 }

// Align returns 1.
func (f *Func) Align() int64 { return 1 }

// IsInteger reports whether t is an integer type: bool, char and the rest, and
// a handle.
func IsInteger(t Type) bool {
	b, ok := t.(Basic)
	return ok && (b >= Bool && b <= ULongLong || isHandleType(b))
}

// isHandleType reports whether b is a number with members.
func isHandleType(b Basic) bool { return b >= Node && b <= Element }

// IsFloat reports whether t is float or double.
func IsFloat(t Type) bool { return t == Float || t == Double }

// IsArithmetic reports whether t is an integer or floating type.
func IsArithmetic(t Type) bool { return IsInteger(t) || IsFloat(t) }

// IsUnsigned reports whether t is an unsigned integer type, bool included.
func IsUnsigned(t Type) bool {
	switch t {
	case Bool, UChar, UShort, UInt, ULong, ULongLong:
		return true
	}
	return false
}

// IsScalar reports whether t is arithmetic or a pointer.
func IsScalar(t Type) bool {
	_, ptr := t.(*Pointer)
	return ptr || IsArithmetic(t)
}

// Promote returns the type of t after C's integer promotion; an edge becomes
// long, the other handles int.
func Promote(t Type) Type {
	switch t {
	case Bool, Char, SChar, UChar, Short, UShort, Node, Point, Element:
		return Int
	case Edge:
		return Long
	}
	return t
}

// UsualArithmetic returns the common type of two arithmetic operands (C99
// 6.3.1.8), or Invalid when one is not arithmetic.
func UsualArithmetic(x, y Type) Type {
	if !IsArithmetic(x) || !IsArithmetic(y) {
		return Invalid
	}
	if x == Double || y == Double {
		return Double
	}
	if x == Float || y == Float {
		return Float
	}
	a, b := Promote(x).(Basic), Promote(y).(Basic)
	if a == b {
		return a
	}
	rank := func(k Basic) Basic { return (k - Int) / 2 } // int, long, long long
	if IsUnsigned(a) == IsUnsigned(b) {
		return max(a, b)
	}
	u, s := a, b
	if IsUnsigned(b) {
		u, s = b, a
	}
	switch {
	case rank(u) >= rank(s):
		return u
	case s.Size() > u.Size():
		return s
	}
	return s + 1 // the unsigned type of s's rank
}

// Decay returns t, an array as a pointer to its first element and a string as
// const char *.
func Decay(t Type) Type {
	switch t := t.(type) {
	case *Array:
		return &Pointer{Elem: t.Elem}
	case Basic:
		if t == String {
			return &Pointer{Elem: Char, Const: true}
		}
	}
	return t
}

// decayed returns the type that a value of type t has as an operand: [Decay], and a
// pointer to a function for the function.
func decayed(t Type) Type {
	if f, ok := t.(*Func); ok {
		return &Pointer{Elem: f}
	}
	return Decay(t)
}

// Identical reports whether x and y are the same type, qualifiers included.
func Identical(x, y Type) bool {
	switch x := x.(type) {
	case *Pointer:
		y, ok := y.(*Pointer)
		return ok && x.Const == y.Const && x.Volatile == y.Volatile && Identical(x.Elem, y.Elem)
	case *Array:
		y, ok := y.(*Array)
		return ok && x.Len == y.Len && Identical(x.Elem, y.Elem)
	case *Func:
		y, ok := y.(*Func)
		if !ok || len(x.Params) != len(y.Params) || x.Variadic != y.Variadic || !Identical(x.Result, y.Result) {
			return false
		}
		for i := range x.Params {
			if !Identical(x.Params[i], y.Params[i]) {
				return false
			}
		}
		return true
	}
	return x == y
}
