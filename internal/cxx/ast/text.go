package ast

import (
	"strconv"
	"strings"
)

func flag(b bool, word string) string {
	if b {
		return word
	}
	return ""
}

func decimal(n int) string { return strconv.Itoa(n) }

func quoted(s string) string {
	if s == "" {
		return ""
	}
	return strconv.Quote(s)
}

func idents(list []*Ident, sep string) string {
	var names []string
	for _, x := range list {
		names = append(names, x.Name)
	}
	return strings.Join(names, sep)
}

// String returns the keyword, "" for the default.
func (a Access) String() string { return [...]string{"", "public", "protected", "private"}[a] }

var specNames = [...]string{"typedef", "static", "extern", "inline", "constexpr", "explicit", "virtual", "friend", "mutable",
	"thread_local", "register", "__forceinline__", "__noinline__", "__global__", "__device__", "__host__", "__shared__",
	"__constant__", "__managed__", "__grid_constant__", "noreturn", `"C"`}

// String returns the specifiers as they are written.
func (s Specs) String() string {
	var words []string
	for i, name := range specNames {
		if s&(1<<i) != 0 {
			words = append(words, name)
		}
	}
	return strings.Join(words, " ")
}

// String returns the name as it is written, with its template arguments as [Dump] has them.
func (n *Name) String() string {
	if n == nil {
		return ""
	}
	return new(dumper).name(n)
}

func (d *dumper) name(n *Name) string {
	var b strings.Builder
	if n.Global {
		b.WriteString("::")
	}
	if n.Decltype != nil {
		b.WriteString(d.typ(n.Decltype) + "::")
	}
	for _, q := range n.Quals {
		b.WriteString(d.segment(q) + "::")
	}
	b.WriteString(d.segment(n.Last))
	return b.String()
}

func (d *dumper) segment(s *Segment) string {
	var b strings.Builder
	if s.Template {
		b.WriteString("template ")
	}
	switch s.Kind {
	case Identifier:
		b.WriteString(s.Ident)
	case DestructorName:
		b.WriteString("~" + s.Ident)
		if s.Type != nil {
			b.WriteString(d.typ(s.Type))
		}
	case LiteralOperator:
		b.WriteString(`operator""` + s.Ident)
	case ConversionName:
		b.WriteString("operator " + d.typ(s.Type))
	case Operator:
		b.WriteString("operator")
		switch {
		case s.Call:
			b.WriteString("()")
		case s.Index:
			b.WriteString("[]")
		case s.Array:
			b.WriteString(" " + s.Op.String() + "[]")
		default:
			b.WriteString(s.Op.String())
		}
	}
	if s.HasArgs {
		b.WriteString("<")
		for i, a := range s.Args {
			if i > 0 {
				b.WriteString(", ")
			}
			b.WriteString(d.arg(a))
		}
		b.WriteString(">")
	}
	return b.String()
}

// arg returns a template's argument; one that may be a type or a value ends in ?.
func (d *dumper) arg(a *TemplateArg) string {
	if a == nil {
		return ""
	}
	s := ""
	switch {
	case a.Type != nil && a.Expr != nil:
		s = d.typ(a.Type) + "?"
	case a.Type != nil:
		s = d.typ(a.Type)
	default:
		s = d.expr(a.Expr)
	}
	return s + flag(a.Pack, "...")
}

func (d *dumper) params(list []*TemplateParam) string {
	var out []string
	for _, x := range list {
		var words []string
		switch x.Kind {
		case TypeParam:
			words = append(words, "typename"+flag(x.Pack, "..."))
		case ValueParam:
			words = append(words, d.typ(x.Type)+flag(x.Pack, "..."))
		case TemplateTemplateParam:
			words = append(words, "template "+d.params(x.Params)+flag(x.Pack, "..."))
		}
		if x.Name != nil {
			words = append(words, x.Name.Name)
		}
		if x.Default != nil {
			words = append(words, "= "+d.arg(x.Default))
		}
		out = append(out, strings.Join(words, " "))
	}
	return "<" + strings.Join(out, ", ") + ">"
}

func (d *dumper) attrs(a *Attributes) string {
	if a == nil {
		return ""
	}
	var out []string
	if a.LaunchBounds != nil {
		out = append(out, "launch_bounds("+d.exprs(a.LaunchBounds)+")")
	}
	if a.Cluster != nil {
		out = append(out, "cluster("+d.exprs(a.Cluster)+")")
	}
	for _, x := range a.Align {
		out = append(out, "align("+d.expr(x)+")")
	}
	for _, x := range a.AlignTypes {
		out = append(out, "align("+d.typ(x)+")")
	}
	if a.Packed {
		out = append(out, "packed")
	}
	if a.Builtin != "" {
		out = append(out, "builtin("+a.Builtin+")")
	}
	if a.Deprecated != "" {
		out = append(out, "deprecated")
	}
	out = append(out, a.Others...)
	return "[[" + strings.Join(out, ", ") + "]]"
}

func (cv CV) String() string {
	return [...]string{"", "const", "volatile", "const volatile"}[cv]
}

// typ returns a type from left to right: int*[3] is an array of pointers.
func (d *dumper) typ(t TypeExpr) string {
	switch t := t.(type) {
	case nil:
		return ""
	case *BasicType:
		return string(t.Name)
	case *NamedType:
		return flag(t.Typename, "typename ") + d.name(t.Name)
	case *ClassType:
		return t.Decl.Kind.String() + " " + t.Decl.Name.String()
	case *EnumType:
		return "enum " + t.Decl.Name.String()
	case *QualType:
		return d.typ(t.Elem) + " " + t.CV.String()
	case *PointerType:
		return d.typ(t.Elem) + "*" + flag(t.Restrict, " restrict")
	case *RefType:
		return d.typ(t.Elem) + "&" + flag(t.RValue, "&") + flag(t.Restrict, " restrict")
	case *ArrayType:
		return d.typ(t.Elem) + "[" + d.expr(t.Len) + "]"
	case *FuncType:
		return d.funcType(t)
	case *MemberPointerType:
		return d.typ(t.Elem) + " " + d.name(t.Class) + "::*"
	case *AutoType:
		return flag(t.Decltype, "decltype(auto)") + flag(!t.Decltype, "auto")
	case *DecltypeType:
		return flag(t.Typeof, "typeof") + flag(!t.Typeof, "decltype") + "(" + d.expr(t.X) + ")"
	case *TraitType:
		return t.Trait + "(" + d.types(t.Args) + ")"
	case *PackType:
		return d.typ(t.Elem) + "..."
	}
	return "?"
}

func (d *dumper) types(list []TypeExpr) string {
	var out []string
	for _, t := range list {
		out = append(out, d.typ(t))
	}
	return strings.Join(out, ", ")
}

func (d *dumper) funcType(t *FuncType) string {
	s := d.typ(t.Result) + d.parameters(t.Params, t.Variadic)
	if t.CV != 0 {
		s += " " + t.CV.String()
	}
	s += [...]string{"", " &", " &&"}[t.Ref]
	if l, ok := t.Noexcept.(*Literal); ok && l.Text == "true" {
		s += " noexcept"
	} else if t.Noexcept != nil {
		s += " noexcept(" + d.expr(t.Noexcept) + ")"
	}
	return s + flag(t.Trailing, " trailing")
}

func (d *dumper) parameters(list []*Param, variadic bool) string {
	var out []string
	for _, x := range list {
		words := []string{d.typ(x.Type) + flag(x.Pack, "...")}
		if s := x.Specs.String(); s != "" {
			words = append(words, s)
		}
		if x.Attrs != nil {
			words = append(words, d.attrs(x.Attrs))
		}
		if x.Name != nil {
			words = append(words, x.Name.Name)
		}
		if x.Default != nil {
			words = append(words, "= "+d.expr(x.Default))
		}
		out = append(out, strings.Join(words, " "))
	}
	if variadic {
		out = append(out, "...")
	}
	return "(" + strings.Join(out, ", ") + ")"
}

func (d *dumper) exprs(list []Expr) string {
	var out []string
	for _, x := range list {
		out = append(out, d.expr(x))
	}
	return strings.Join(out, " ")
}

// form returns (head args).
func (d *dumper) form(head string, args ...Expr) string {
	var b strings.Builder
	b.WriteString("(" + head)
	for _, x := range args {
		b.WriteByte(' ')
		b.WriteString(d.expr(x))
	}
	b.WriteByte(')')
	return b.String()
}

// expr returns an expression in prefix notation.
//
//irgl:flatswitch
func (d *dumper) expr(x Expr) string {
	switch x := x.(type) {
	case nil:
		return ""
	case *Literal:
		return x.Text
	case *NameExpr:
		return d.name(x.Name)
	case *ThisExpr:
		return "this"
	case *ParenExpr:
		return d.form("paren", x.X)
	case *UnaryExpr:
		return d.form(x.Op.String(), x.X)
	case *PostfixExpr:
		return d.form("post"+x.Op.String(), x.X)
	case *BinaryExpr:
		return d.form(x.Op.String(), x.X, x.Y)
	case *CondExpr:
		return d.form("?", x.Cond, x.Then, x.Else)
	case *CallExpr:
		return d.form("call "+d.expr(x.Fun), x.Args...)
	case *LaunchExpr:
		return "(launch " + d.expr(x.Fun) + " <<<" + d.exprs(x.Config) + ">>> " + d.exprs(x.Args) + ")"
	case *IndexExpr:
		return d.form("[]", x.X, x.Index)
	case *MemberExpr:
		return "(" + flag(x.Arrow, "->") + flag(!x.Arrow, ".") + " " + d.expr(x.X) + " " + d.name(x.Name) + ")"
	case *CastExpr:
		return d.form("cast "+d.typ(x.Type), x.X)
	case *NamedCastExpr:
		return d.form(x.Kind.String()+" "+d.typ(x.Type), x.X)
	case *ConstructExpr:
		if x.Brace != nil {
			return d.form("construct "+d.typ(x.Type), x.Brace)
		}
		return d.form("construct "+d.typ(x.Type), x.Args...)
	case *InitList:
		var out []string
		for _, e := range x.Elems {
			switch {
			case e.Field != nil:
				out = append(out, "."+e.Field.Name+" = "+d.expr(e.Value))
			case e.Index != nil:
				out = append(out, "["+d.expr(e.Index)+"] = "+d.expr(e.Value))
			default:
				out = append(out, d.expr(e.Value))
			}
		}
		return "{" + strings.Join(out, ", ") + "}"
	case *LambdaExpr:
		return d.lambda(x)
	case *SizeofExpr:
		head := flag(x.Align, "alignof") + flag(!x.Align, "sizeof") + flag(x.Ambiguous, "?")
		if x.Type != nil {
			return "(" + head + " " + d.typ(x.Type) + ")"
		}
		return d.form(head+" expr", x.X)
	case *SizeofPackExpr:
		return "(sizeof... " + x.Name.Name + ")"
	case *NoexceptExpr:
		return d.form("noexcept", x.X)
	case *NewExpr:
		s := "(" + flag(x.Global, "::") + "new"
		if x.Place != nil {
			s += " at " + d.exprs(x.Place)
		}
		s += " " + d.typ(x.Type)
		if x.Init != nil {
			s += " " + d.initializer(x.Init)
		}
		return s + ")"
	case *DeleteExpr:
		return d.form(flag(x.Global, "::")+"delete"+flag(x.Array, "[]"), x.X)
	case *ThrowExpr:
		return d.form("throw", x.X)
	case *TypeidExpr:
		return "(typeid)"
	case *FoldExpr:
		switch {
		case x.X == nil:
			return "(fold ... " + x.Op.String() + " " + d.expr(x.Y) + ")"
		case x.Y == nil:
			return "(fold " + d.expr(x.X) + " " + x.Op.String() + " ...)"
		}
		return "(fold " + d.expr(x.X) + " " + x.Op.String() + " ... " + d.expr(x.Y) + ")"
	case *PackExpansion:
		return d.expr(x.X) + "..."
	case *StmtExpr:
		in := &dumper{bodies: d.bodies}
		for _, s := range x.Body.Stmts {
			in.stmt(s)
		}
		return "({" + strings.ReplaceAll(strings.TrimSpace(in.b.String()), "\n", "; ") + "})"
	case *TraitExpr:
		return "(" + x.Trait + " " + d.types(x.Args) + ")"
	case *OffsetofExpr:
		return "(offsetof " + d.typ(x.Type) + " " + d.expr(x.Member) + ")"
	}
	return "?"
}

// lambda returns a lambda without its body, which follows the line.
func (d *dumper) lambda(x *LambdaExpr) string {
	var caps []string
	if x.Default != NoDefault {
		caps = append(caps, [...]string{"", "=", "&"}[x.Default])
	}
	for _, c := range x.Captures {
		s := flag(c.Ref, "&") + flag(c.Star, "*") + flag(c.This, "this")
		if c.Name != nil {
			s += c.Name.Name
		}
		if c.Init != nil {
			s += " " + d.initializer(c.Init)
		}
		caps = append(caps, s+flag(c.Pack, "..."))
	}
	words := []string{"(lambda [" + strings.Join(caps, ", ") + "]"}
	if x.Template != nil {
		words = append(words, d.params(x.Template))
	}
	if s := x.Specs.String(); s != "" {
		words = append(words, s)
	}
	d.lambdas = append(d.lambdas, x)
	return strings.Join(append(words, d.typ(x.Type)+")"), " ")
}
