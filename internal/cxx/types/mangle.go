package types

import (
	"strconv"
	"sync"
)

// Mangle returns the symbol of a function or variable by the Itanium ABI, as g++ names
// it. Constructors and destructors are those of complete objects.
func Mangle(s *Symbol) string {
	name, _ := Encode(s)
	return name
}

// Encode is Mangle, and returns an expression in the signature of a function that cannot be
// encoded as g++ does, or nil: the symbol is one that only this compiler uses then.
func Encode(s *Symbol) (name string, unencoded *Expr) {
	if s.plain() {
		return s.Name, nil
	}
	m := manglers.Get().(*mangler)
	m.str("_Z")
	m.encoding(s)
	name, unencoded = string(m.b), m.unknown
	clear(m.subs)
	*m = mangler{b: m.b[:0], subs: m.subs[:0]}
	manglers.Put(m)
	return name, unencoded
}

// manglers are those that are not in use.
var manglers = sync.Pool{New: func() any { return new(mangler) }}

// UnencodedIn returns an expression in a type that has no encoding, or nil. Types without
// one are the same declared with other names of parameters ([temp.over.link]).
func UnencodedIn(t Type) *Expr {
	var m mangler
	m.typ(t)
	return m.unknown
}

// plain reports whether the name is not mangled: extern "C", main, and the variables
// of the global namespace.
func (s *Symbol) plain() bool {
	if s.External {
		return true
	}
	if !isGlobal(s.Scope) || s.Internal || s.Template {
		return false
	}
	return s.Kind == VarSymbol || s.isMain()
}

func (s *Symbol) isMain() bool { return s.Kind == FuncSymbol && s.Name == "main" && isGlobal(s.Scope) }

// A mangler writes one mangled name.
type mangler struct {
	b    []byte
	subs []component // that may be substituted, in order
	// unknown is an expression that has no encoding here.
	unknown *Expr
}

// A component is a part of a mangled name: a type, or else a *Class, *Enum, Template, Scope,
// paramKey, memberTemplate or *Symbol.
type component struct {
	typ   Type
	other any
}

func (m *mangler) str(s string) { m.b = append(m.b, s...) }

func (m *mangler) name(s string) {
	m.b = strconv.AppendInt(m.b, int64(len(s)), 10)
	m.str(s)
}

// sub writes the substitution of a component that has been written before.
func (m *mangler) sub(x any) bool {
	for i := range m.subs {
		if m.subs[i].other == x {
			m.b = append(m.b, 'S')
			m.seq(i)
			return true
		}
	}
	return false
}

// subType is sub for a type.
func (m *mangler) subType(t Type) bool {
	for i := range m.subs {
		if m.subs[i].typ == t {
			m.b = append(m.b, 'S')
			m.seq(i)
			return true
		}
	}
	return false
}

func (m *mangler) add(x any) { m.subs = append(m.subs, component{other: x}) }

func (m *mangler) addType(t Type) { m.subs = append(m.subs, component{typ: t}) }

// seq writes the i-th number of a sequence: _, 0_, 1_ ... in base 36.
func (m *mangler) seq(i int) {
	if i > 0 {
		const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
		var d []byte
		for n := i - 1; ; n /= 36 {
			d = append(d, digits[n%36])
			if n < 36 {
				break
			}
		}
		for k := len(d) - 1; k >= 0; k-- {
			m.b = append(m.b, d[k])
		}
	}
	m.b = append(m.b, '_')
}

// decimalSeq writes the i-th number of a sequence of parameters: _, 0_, 1_ ... 10_.
func (m *mangler) decimalSeq(i int) {
	if i > 0 {
		m.b = strconv.AppendInt(m.b, int64(i-1), 10)
	}
	m.b = append(m.b, '_')
}

// encoding writes a function's name and type, or a variable's name.
func (m *mangler) encoding(s *Symbol) {
	if s.External || s.isMain() {
		m.name(s.Name)
		return
	}
	m.symbolName(s)
	if s.Kind == VarSymbol {
		return
	}
	f := s.Type.Func
	if s.Template && s.Kind != ConstructorSymbol && s.Kind != DestructorSymbol && s.Kind != ConversionSymbol {
		m.typ(s.Type.Elem)
	}
	m.params(f)
}

func (m *mangler) params(f *FuncInfo) {
	for _, p := range f.Params {
		m.typ(p)
	}
	switch {
	case f.Variadic:
		m.b = append(m.b, 'z')
	case len(f.Params) == 0:
		m.b = append(m.b, 'v')
	}
}

var basicCodes = [...]string{Void: "v", Nullptr: "Dn", Bool: "b", Char: "c", SChar: "a", UChar: "h", Char8: "Du", Short: "s", UShort: "t",
	Char16: "Ds", WChar: "w", Int: "i", UInt: "j", Char32: "Di", Long: "l", ULong: "m", LongLong: "x", ULongLong: "y", Int128: "n",
	UInt128: "o", Float: "f", Double: "d", LongDouble: "e"}

// typ writes a type.
func (m *mangler) typ(x Type) {
	switch {
	case x.Node == nil:
		m.b = append(m.b, 'v')
		return
	case x.CV != 0 && x.Kind != Func:
		if m.subType(x) {
			return
		}
		m.cv(x.CV)
		m.typ(x.Unqualified())
		m.addType(x)
		return
	case int(x.Kind) < len(basicCodes):
		m.str(basicCodes[x.Kind])
		return
	}
	switch x.Kind {
	case ClassKind:
		m.class(x.Class)
	case EnumKind:
		m.enum(x.Enum)
	case Param:
		m.param(x.Param)
	case Auto:
		m.str("Da")
	default:
		if m.subType(x) {
			return
		}
		m.derived(x)
		m.addType(x)
	}
}

// cv writes qualifiers.
func (m *mangler) cv(cv CV) {
	if cv&Volatile != 0 {
		m.b = append(m.b, 'V')
	}
	if cv&Const != 0 {
		m.b = append(m.b, 'K')
	}
}

// derived writes a type that is made of others.
func (m *mangler) derived(x Type) {
	switch x.Kind {
	case Pointer:
		m.b = append(m.b, 'P')
		m.typ(x.Elem)
	case LRef:
		m.b = append(m.b, 'R')
		m.typ(x.Elem)
	case RRef:
		m.b = append(m.b, 'O')
		m.typ(x.Elem)
	case MemberPointer:
		m.b = append(m.b, 'M')
		m.typ(x.Of)
		m.typ(x.Elem)
	case Array:
		m.array(x)
	case Func:
		m.funcType(x)
	case Expansion:
		m.str("Dp")
		m.typ(x.Elem)
	case Spec:
		m.spec(x.Spec)
	case Dependent:
		m.dependent(x.Dep)
	}
}

func (m *mangler) array(x Type) {
	m.b = append(m.b, 'A')
	switch {
	case x.Bound != nil && x.Bound.Pattern != nil:
		m.valueParam(x.Bound.Pattern)
	case x.Bound != nil:
		m.expr(x.Bound.Expr)
	case x.Len >= 0:
		m.b = strconv.AppendInt(m.b, x.Len, 10)
	}
	m.b = append(m.b, '_')
	m.typ(x.Elem)
}

func (m *mangler) funcType(x Type) {
	m.cv(x.Func.CV)
	if x.Func.Noexcept {
		m.str("Do")
	} else if b := x.Func.NoexceptIf; b != nil {
		m.str("DO")
		if b.Pattern != nil {
			m.valueParam(b.Pattern)
		} else {
			m.expr(b.Expr)
		}
		m.str("E")
	}
	m.b = append(m.b, 'F')
	m.typ(x.Elem)
	m.params(x.Func)
	m.str([...]string{"", "R", "O"}[x.Func.Ref])
	m.b = append(m.b, 'E')
}

// param writes a parameter of a template.
func (m *mangler) param(p *ParamInfo) {
	k := paramKey{int32(p.Depth), int32(p.Index), p.Pack}
	if m.sub(k) {
		return
	}
	m.valueParam(p)
	m.add(k)
}

// valueParam writes a parameter that is a value, which is never substituted.
func (m *mangler) valueParam(p *ParamInfo) {
	m.b = append(m.b, 'T')
	m.decimalSeq(p.Index)
}

// dependent writes a type that is a member of one that depends on parameters.
func (m *mangler) dependent(d *DependentInfo) {
	switch {
	case d == nil:
		m.str("Da")
	case !d.Of.IsValid() && d.Expr == nil:
		m.unknown = &Expr{Op: "?"}
		m.str("Da")
	case d.Expr != nil:
		m.str(decltypeCode(d.Expr))
		m.expr(d.Expr)
		m.b = append(m.b, 'E')
	default:
		m.b = append(m.b, 'N')
		m.memberType(d)
		m.b = append(m.b, 'E')
	}
}

// decltypeCode returns the code of decltype: of a name or member access another one than
// of other expressions.
func decltypeCode(e *Expr) string {
	switch e.Op {
	case "", "fp", "fL0p", "sr", "dt", "pt":
		return "Dt"
	}
	return "DT"
}

// A memberTemplate is a template that is a member of a type that depends on parameters.
type memberTemplate struct {
	of   Type
	name string
}

// memberType writes a member of a type without N and E around it.
func (m *mangler) memberType(d *DependentInfo) {
	if d.Args == nil {
		m.prefixType(d.Of)
		m.name(d.Name)
		return
	}
	if t := (memberTemplate{d.Of, d.Name}); !m.sub(t) {
		m.prefixType(d.Of)
		m.name(d.Name)
		m.add(t)
	}
	m.args(d.Args)
}

// prefixType writes a type in front of a member's name.
func (m *mangler) prefixType(x Type) {
	switch {
	case x.Is(ClassKind):
		m.classPrefix(x.Class)
	case x.Is(Spec):
		if !m.subType(x) {
			m.templatePrefix(x.Spec)
			m.args(grouped(x.Spec))
			m.addType(x)
		}
	case x.Is(Dependent) && x.Dep != nil && x.Dep.Expr == nil:
		if !m.subType(x) {
			m.memberType(x.Dep)
			m.addType(x)
		}
	default:
		m.typ(x)
	}
}

// spec writes a template's name with arguments that depend on parameters.
func (m *mangler) spec(s *SpecInfo) {
	if s.Param != nil {
		m.param(s.Param)
		m.args(s.Args)
		return
	}
	nested := isNested(s.Template.TemplateScope())
	if nested {
		m.b = append(m.b, 'N')
	}
	m.templatePrefix(s)
	m.args(grouped(s))
	if nested {
		m.b = append(m.b, 'E')
	}
}

// grouped returns the arguments of s with those of a pack as one.
func grouped(s *SpecInfo) []Arg {
	t, ok := s.Template.(PackTemplate)
	if !ok {
		return s.Args
	}
	i := t.TemplatePack()
	if i < 0 || i > len(s.Args) || i < len(s.Args) && s.Args[i].Kind == PackArg {
		return s.Args
	}
	return append(append([]Arg(nil), s.Args[:i]...), Arg{Kind: PackArg, Pack: s.Args[i:]})
}

func (m *mangler) templatePrefix(s *SpecInfo) {
	if s.Param != nil {
		m.param(s.Param)
		return
	}
	m.template(s.Template)
}
