package types

import (
	"strconv"
	"strings"
)

var basicNames = [...]string{Invalid: "<invalid>", Void: "void", Nullptr: "std::nullptr_t", Bool: "bool", Char: "char", SChar: "signed char",
	UChar: "unsigned char", Char8: "char8_t", Short: "short", UShort: "unsigned short", Char16: "char16_t", WChar: "wchar_t", Int: "int",
	UInt: "unsigned int", Char32: "char32_t", Long: "long", ULong: "unsigned long", LongLong: "long long", ULongLong: "unsigned long long",
	Int128: "__int128", UInt128: "unsigned __int128", Float: "float", Double: "double", LongDouble: "long double",
	Auto: "auto", Overload: "<overloaded function type>", InitList: "initializer list"}

// String returns the type as C++ writes it, in clang's spacing: "const float *",
// "int (*)(float)", "ns::vec<float, 3> &".
func (x Type) String() string { return x.Declare("") }

// Declare returns the declaration of name with type x: "int (*name)(float)".
func (x Type) Declare(name string) string {
	var p printer
	p.declare(x, name)
	return p.b.String()
}

// A printer writes types.
type printer struct{ b strings.Builder }

// declare writes x around a declarator: the specifier, then the declarator that grows
// outwards from inner.
func (p *printer) declare(x Type, inner string) {
	for {
		switch {
		case x.Node == nil:
			p.end("<no type>", inner)
			return
		case x.Kind == Array:
			inner += "[" + arrayLen(x) + "]"
			x = Type{Node: x.Elem.Node, CV: x.Elem.CV | x.CV}
		case x.Kind == Func:
			inner = inner + paramList(x.Func)
			if x.Elem.Node == nil { // a constructor
				p.b.WriteString(inner)
				return
			}
			x = x.Elem
		case x.Kind == Pointer || x.Kind == LRef || x.Kind == RRef || x.Kind == MemberPointer:
			sign := pointerSign(x)
			if x.CV != 0 && inner != "" && isLetter(inner[0]) {
				sign += " "
			}
			inner = sign + inner
			x = x.Elem
			if x.Is(Array) || x.Is(Func) {
				inner = "(" + inner + ")"
			}
		default:
			p.end(x.specifier(), inner)
			return
		}
	}
}

func isLetter(c byte) bool { return c == '_' || c|0x20 >= 'a' && c|0x20 <= 'z' }

// end writes the specifier and the declarator behind it.
func (p *printer) end(spec, inner string) {
	p.b.WriteString(spec)
	if inner != "" && inner[0] != '[' {
		p.b.WriteByte(' ')
	}
	p.b.WriteString(inner)
}

func pointerSign(x Type) string {
	s := "*"
	switch x.Kind {
	case LRef:
		return "&"
	case RRef:
		return "&&"
	case MemberPointer:
		s = x.Of.String() + "::*"
	}
	return s + strings.TrimSuffix(cvPrefix(x.CV), " ")
}

func cvPrefix(cv CV) string {
	return [...]string{"", "const ", "volatile ", "const volatile "}[cv&3]
}

func arrayLen(x Type) string {
	switch {
	case x.Bound != nil:
		return x.Bound.String()
	case x.Len < 0:
		return ""
	}
	return strconv.FormatInt(x.Len, 10)
}

func paramList(f *FuncInfo) string {
	var b strings.Builder
	b.WriteByte('(')
	for i, t := range f.Params {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(t.String())
	}
	if f.Variadic {
		if len(f.Params) > 0 {
			b.WriteString(", ")
		}
		b.WriteString("...")
	}
	b.WriteByte(')')
	if f.CV != 0 {
		b.WriteString(" " + strings.TrimSuffix(cvPrefix(f.CV), " "))
	}
	b.WriteString([...]string{"", " &", " &&"}[f.Ref])
	if f.Noexcept {
		b.WriteString(" noexcept")
	} else if f.NoexceptIf != nil {
		b.WriteString(" noexcept(" + f.NoexceptIf.String() + ")")
	}
	return b.String()
}

// specifier returns the part of a type in front of a declarator.
func (x Type) specifier() string {
	q := cvPrefix(x.CV)
	switch x.Kind {
	case ClassKind:
		return q + x.Class.String()
	case EnumKind:
		return q + x.Enum.String()
	case Param:
		return q + x.Param.String()
	case Spec:
		name := ""
		if x.Spec.Param != nil {
			name = x.Spec.Param.String()
		} else {
			name = QualifiedName(x.Spec.Template.TemplateScope(), x.Spec.Template.TemplateName())
		}
		return q + name + ArgList(x.Spec.Args)
	case Expansion:
		return q + x.Elem.String() + "..."
	case Dependent:
		return q + x.Dep.String()
	}
	return q + basicNames[x.Kind]
}

// String returns the parameter's name.
func (p *ParamInfo) String() string {
	if p.Name != "" {
		return p.Name
	}
	return "type-parameter-" + strconv.Itoa(p.Depth) + "-" + strconv.Itoa(p.Index)
}

// String returns the type as C++ writes it.
func (d *DependentInfo) String() string {
	switch {
	case d == nil:
		return "<dependent type>"
	case d.Expr != nil:
		return "decltype(" + d.Expr.String() + ")"
	case d.Args != nil:
		return "typename " + d.Of.String() + "::template " + d.Name + ArgList(d.Args)
	}
	return "typename " + d.Of.String() + "::" + d.Name
}

// String returns the expression as C++ writes it, as far as it is known.
func (e *Expr) String() string {
	switch {
	case e.Text != "":
		return e.Text
	case e.Param != nil:
		return e.Param.String()
	case e.Op == "":
		return Arg{Kind: ValueArg, Type: e.Type, Value: e.Value}.String()
	}
	return "..."
}

// maxText is the length of a name in bytes above which it is written without its middle: the names of
// instances inside of each other may double in length with each one.
const maxText = 1 << 13

// shortened returns a text without its middle if it is too long.
func shortened(text string) string {
	if len(text) <= maxText {
		return text
	}
	return text[:maxText/2] + "..." + text[len(text)-maxText/2:]
}

// String returns the class's name, qualified and with template arguments.
func (c *Class) String() string {
	if c.Template == nil {
		return c.name()
	}
	if c.text == "" {
		text := shortened(c.name())
		if !settled(c.Args) {
			return text
		}
		c.text = text
	}
	return c.text
}

// settled reports whether arguments are always written the same: an enumeration's value is not
// before its enumerators are known, nor is a class that a typedef may yet name.
func settled(args []Arg) bool {
	for i := range args {
		switch a := &args[i]; a.Kind {
		case TypeArg:
			if !a.Type.settled() {
				return false
			}
		case ValueArg:
			if a.Type.Node == nil || a.Value.Entity != nil || a.Type.Is(EnumKind) && !a.Type.Enum.Complete {
				return false
			}
		case PackArg:
			if !settled(a.Pack) {
				return false
			}
		case TemplateArg:
			if a.Template == nil {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// settled reports whether a type is always written the same.
func (x Type) settled() bool {
	switch x.Kind {
	case Pointer, LRef, RRef, Array:
		return x.Bound == nil && x.Elem.settled()
	case MemberPointer:
		return x.Of.settled() && x.Elem.settled()
	case Func:
		for _, t := range x.Func.Params {
			if !t.settled() {
				return false
			}
		}
		return x.Func.NoexceptIf == nil && x.Elem.Node != nil && x.Elem.settled()
	case ClassKind:
		if x.Class.Template != nil { // written, and so settled, before
			return x.Class.text != ""
		}
		return x.Class.Name != "" || x.Class.Title != ""
	case EnumKind:
		return x.Enum.Name != "" || x.Enum.Title != ""
	}
	return x.Kind <= LongDouble
}

// name writes the class's name.
func (c *Class) name() string {
	name := c.Name
	switch {
	case name != "":
	case c.Title != "":
		return c.Title
	case c.TypedefName != "":
		name = c.TypedefName
	case c.Lambda != 0:
		return "(lambda)"
	case c.Union:
		return "(anonymous union)"
	default:
		return "(anonymous struct)"
	}
	if c.Template != nil {
		name += ArgList(c.Args)
	}
	return QualifiedName(c.Scope, name)
}

// String returns the enumeration's name, qualified.
func (e *Enum) String() string {
	switch {
	case e.Name != "":
		return QualifiedName(e.Scope, e.Name)
	case e.Title != "":
		return e.Title
	}
	return "(anonymous enum)"
}

// QualifiedName returns name with the classes and namespaces around it.
func QualifiedName(s Scope, name string) string {
	for s != nil {
		if c, ok := s.(*Class); ok {
			return c.String() + "::" + name
		}
		if _, ok := s.(FuncScope); ok {
			return name
		}
		parent := s.ScopeParent()
		switch n := s.ScopeName(); {
		case n != "":
			name = n + "::" + name
		case parent != nil:
			name = "(anonymous namespace)::" + name
		}
		s = parent
	}
	return name
}

// ArgList returns the arguments of a template in angle brackets.
func ArgList(args []Arg) string { return shortened(argList(args)) }

func argList(args []Arg) string {
	var b strings.Builder
	b.WriteByte('<')
	for _, a := range args {
		if s := a.String(); s != "" {
			if b.Len() > 1 {
				b.WriteString(", ")
			}
			b.WriteString(s)
		}
	}
	b.WriteByte('>')
	return b.String()
}

// String returns the argument as C++ writes it; of a pack its arguments with commas.
func (a Arg) String() string {
	dots := ""
	if a.Expand {
		dots = "..."
	}
	switch a.Kind {
	case TypeArg:
		return a.Type.String()
	case ValueArg:
		return valueString(a.Type, a.Value)
	case TemplateArg:
		if a.Template == nil {
			return a.Pattern.String() + dots
		}
		return QualifiedName(a.Template.TemplateScope(), a.Template.TemplateName())
	case PackArg:
		s := argList(a.Pack)
		return s[1 : len(s)-1]
	case DependentValue:
		if a.Pattern != nil {
			return a.Pattern.String() + dots
		}
		return a.Expr.String() + dots
	}
	return "<no argument>"
}

// valueString returns a constant of type t as clang prints it in a template's arguments.
func valueString(t Type, v Value) string {
	switch {
	case v.Entity != nil && t.IsRef():
		return v.Entity.MangledName()
	case v.Entity != nil:
		return "&" + v.Entity.MangledName()
	case t.Node == nil:
		return strconv.FormatInt(int64(v.Int), 10)
	case t.Kind == Bool:
		return strconv.FormatBool(v.Int != 0)
	case t.Kind == Nullptr, t.Kind == Pointer, t.Kind == MemberPointer:
		return "nullptr"
	case t.Kind == Char && v.Int >= ' ' && v.Int < 0x7f:
		return strconv.QuoteRune(rune(v.Int))
	case t.Kind == EnumKind:
		return enumString(t.Enum, v.Int)
	case t.IsSigned():
		return strconv.FormatInt(int64(v.Int), 10)
	}
	return strconv.FormatUint(v.Int, 10)
}

func enumString(e *Enum, v uint64) string {
	for _, c := range e.Consts {
		if c.Value == v {
			if e.Scoped {
				return e.String() + "::" + c.Name
			}
			return QualifiedName(e.Scope, c.Name)
		}
	}
	return "(" + e.String() + ")" + strconv.FormatInt(int64(v), 10)
}
