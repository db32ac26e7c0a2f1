package ast

import "irgl/internal/cpp"

// An Ident is a plain identifier.
type Ident struct {
	Span
	Number int32 // cpp.Token.Name, or 0 where it is not known
	Name   string
}

// A Name is a name with what qualifies it: ::a::b<int>::c.
type Name struct {
	Span
	Global   bool       // begins with ::
	Number   int32      // of a plain identifier: cpp.Token.Name, or 0 where it is not known
	Decltype TypeExpr   // decltype(x)::c; nil otherwise
	Quals    []*Segment // before the last ::
	Last     *Segment
}

// A Segment is one part of a name.
type Segment struct {
	Span
	Ident    string // of Identifier, Destructor and LiteralOperator
	Kind     SegmentKind
	Template bool           // preceded by the keyword template
	HasArgs  bool           // has <...>, which may be empty
	Call     bool           // operator()
	Index    bool           // operator[]
	Array    bool           // operator new[], operator delete[]
	Op       cpp.Word       // of Operator; for (), [], new[] and delete[] see Call, Index and Array
	Type     TypeExpr       // of Conversion, and of a Destructor written ~decltype(x)
	Args     []*TemplateArg // of a template-id
}

// A SegmentKind says what a part of a name is.
type SegmentKind uint8

// The kinds of parts.
const (
	Identifier SegmentKind = iota
	Operator
	ConversionName // operator T
	DestructorName // ~T
	LiteralOperator
)

// A TemplateArg is one argument of a template. Where the parser cannot tell a type
// from a value, as with a name that depends on a template parameter or is not
// declared, both are set, and sema decides.
type TemplateArg struct {
	Span
	Type TypeExpr
	Expr Expr
	Pack bool // followed by ...
}

// Plain returns the identifier of a name that is nothing else, and "" otherwise.
func (n *Name) Plain() string {
	if n == nil || n.Global || n.Decltype != nil || len(n.Quals) > 0 || n.Last.Kind != Identifier || n.Last.HasArgs {
		return ""
	}
	return n.Last.Ident
}
