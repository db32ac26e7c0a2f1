package types

import "errors"

// A Substitution replaces the parameters of templates by arguments. What it cannot know
// it asks its callbacks; nil ones leave the pattern as it is.
type Substitution struct {
	Table *Table
	Args  [][]Arg // by depth and index; parameters without one stay
	// Instance returns the type that is a class or alias template with arguments that
	// depend on nothing.
	Instance func(Template, []Arg) (Type, error)
	// Member returns the type that a DependentInfo stands for once it depends on nothing.
	Member func(DependentInfo) (Type, error)
	// Eval returns the value of an expression, whose parameters are still in it.
	Eval func(*Expr) (Arg, error)

	elem int // of packs in an expansion, from 1; 0 outside of one
}

var (
	errNotType     = errors.New("template argument is not a type")
	errNotTemplate = errors.New("template argument is not a template")
	errUnexpanded  = errors.New("parameter pack is not expanded")
	errVoidRef     = errors.New("cannot form a reference to 'void'")
	errPackLengths = errors.New("packs of different lengths in one expansion")
	errBadArray    = errors.New("array has a size or elements that it cannot have")
	errBadResult   = errors.New("function cannot return an array or a function")
)

// lookup returns the argument of a parameter; ok is false if there is none yet.
func (s *Substitution) lookup(p *ParamInfo) (Arg, bool, error) {
	if p.Depth >= len(s.Args) || p.Index >= len(s.Args[p.Depth]) {
		return Arg{}, false, nil
	}
	a := s.Args[p.Depth][p.Index]
	if a.Kind == NoArg {
		return a, false, nil
	}
	if a.Kind != PackArg {
		return a, true, nil
	}
	if s.elem == 0 {
		return a, false, errUnexpanded
	}
	if s.elem > len(a.Pack) {
		return a, false, errPackLengths
	}
	return a.Pack[s.elem-1], true, nil
}

// Type returns x with parameters replaced.
func (s *Substitution) Type(x Type) (Type, error) {
	if !x.Dependent() {
		return x, nil
	}
	t := s.Table
	switch x.Kind {
	case Param:
		a, ok, err := s.lookup(x.Param)
		if err != nil || !ok {
			return x, err
		}
		if a.Kind != TypeArg {
			return x, errNotType
		}
		return t.Qualify(a.Type, x.CV), nil
	case Pointer, LRef, RRef, Array, MemberPointer:
		return s.compound(x)
	case Func:
		return s.function(x)
	case Spec:
		y, err := s.spec(x)
		return t.qualified(y, x.CV), err
	case Dependent:
		y, err := s.dependent(x)
		return t.qualified(y, x.CV), err
	case Expansion:
		elem, err := s.Type(x.Elem)
		if err != nil {
			return x, err
		}
		return t.Expansion(elem), nil
	}
	return x, nil
}

// qualified qualifies a type that may be none.
func (t *Table) qualified(x Type, cv CV) Type {
	if !x.IsValid() {
		return x
	}
	return t.Qualify(x, cv)
}

// compound replaces in a type made of one other.
func (s *Substitution) compound(x Type) (Type, error) {
	t := s.Table
	elem, err := s.Type(x.Elem)
	if err != nil {
		return x, err
	}
	var y Type
	switch x.Kind {
	case Pointer:
		if elem.IsRef() {
			return x, errors.New("cannot form a pointer to '" + elem.String() + "'")
		}
		y = t.Pointer(elem)
	case LRef, RRef:
		if elem.IsVoid() {
			return x, errVoidRef
		}
		y = t.Ref(elem, x.Kind == RRef)
	case MemberPointer:
		of, err := s.Type(x.Of)
		if err != nil {
			return x, err
		}
		if !of.Dependent() && !of.IsClass() {
			return x, errors.New("cannot form a pointer to member of '" + of.String() + "', which is not a class")
		}
		y = t.MemberPointer(of, elem)
	case Array:
		if y, err = s.array(x, elem); err != nil {
			return x, err
		}
	}
	return t.Qualify(y, x.CV), nil
}

func (s *Substitution) array(x, elem Type) (Type, error) {
	if elem.IsRef() || elem.IsVoid() || elem.Is(Func) {
		return x, errBadArray
	}
	if x.Bound == nil {
		return s.Table.Array(elem, x.Len), nil
	}
	bound, err := s.arg(*x.Bound)
	if err != nil {
		return x, err
	}
	if bound.Kind != ValueArg {
		return s.Table.ArrayBound(elem, bound), nil
	}
	if n := int64(bound.Value.Int); n <= 0 {
		return x, errBadArray
	}
	return s.Table.Array(elem, int64(bound.Value.Int)), nil
}

func (s *Substitution) function(x Type) (Type, error) {
	result, err := s.Type(x.Elem)
	if err != nil {
		return x, err
	}
	if result.Is(Array) || result.Is(Func) {
		return x, errBadResult
	}
	f := *x.Func
	if f.Params, err = s.Types(f.Params); err != nil {
		return x, err
	}
	for _, p := range f.Params {
		if p.IsVoid() {
			return x, errors.New("argument may not have 'void' type")
		}
	}
	return s.Table.Func(result, f), nil
}

// Types returns the types with parameters replaced and expansions expanded.
func (s *Substitution) Types(list []Type) ([]Type, error) {
	out := make([]Type, 0, len(list))
	for _, p := range list {
		if !p.Is(Expansion) {
			y, err := s.Type(p)
			if err != nil {
				return nil, err
			}
			out = append(out, y)
			continue
		}
		known, err := s.each(Arg{Kind: TypeArg, Type: p}.element(), func(a Arg) { out = append(out, a.Type) })
		if err != nil {
			return nil, err
		}
		if !known {
			out = append(out, p)
		}
	}
	return out, nil
}

// each calls f for the elements of an expansion; known is false if a pack has no argument
// yet.
func (s *Substitution) each(a Arg, f func(Arg)) (known bool, err error) {
	n, known := -1, true
	all := func(p *ParamInfo) {
		if !p.Pack {
			return
		}
		if p.Depth >= len(s.Args) || p.Index >= len(s.Args[p.Depth]) || s.Args[p.Depth][p.Index].Kind != PackArg {
			known = false
			return
		}
		if k := len(s.Args[p.Depth][p.Index].Pack); n < 0 || n == k {
			n = k
		} else {
			err = errPackLengths
		}
	}
	everyParamOf(a, all)
	if err != nil || !known {
		return known, err
	}
	outer := s.elem
	defer func() { s.elem = outer }()
	for k := range max(n, 0) {
		s.elem = k + 1
		x, err := s.arg(a)
		if err != nil {
			return true, err
		}
		f(x)
	}
	return true, nil
}

// List returns arguments with parameters replaced and expansions expanded.
func (s *Substitution) List(args []Arg) ([]Arg, error) {
	out := make([]Arg, 0, len(args))
	for _, a := range args {
		if !a.expands() {
			x, err := s.arg(a)
			if err != nil {
				return nil, err
			}
			out = append(out, x)
			continue
		}
		known, err := s.each(a.element(), func(x Arg) { out = append(out, x) })
		if err != nil {
			return nil, err
		}
		if !known {
			out = append(out, a)
		}
	}
	return out, nil
}

func (s *Substitution) arg(a Arg) (Arg, error) {
	switch a.Kind {
	case TypeArg:
		x, err := s.Type(a.Type)
		a.Type = x
		return a, err
	case PackArg:
		list, err := s.List(a.Pack)
		a.Pack = list
		return a, err
	case TemplateArg, DependentValue:
		if a.Pattern != nil {
			x, ok, err := s.lookup(a.Pattern)
			if err != nil || !ok {
				return a, err
			}
			return x, nil
		}
		if a.Expr != nil && s.Eval != nil {
			return s.Eval(a.Expr)
		}
	}
	return a, nil
}

func (s *Substitution) spec(x Type) (Type, error) {
	info := SpecInfo{Template: x.Spec.Template, Param: x.Spec.Param}
	if info.Param != nil {
		a, ok, err := s.lookup(info.Param)
		if err != nil {
			return x, err
		}
		if ok {
			if a.Kind != TemplateArg {
				return x, errNotTemplate
			}
			info.Template, info.Param = a.Template, a.Pattern
		}
	}
	var err error
	if info.Args, err = s.List(x.Spec.Args); err != nil {
		return x, err
	}
	if info.Param != nil || s.Instance == nil || anyDependent(info.Args) {
		return s.Table.Spec(info), nil
	}
	return s.Instance(info.Template, info.Args)
}

func (s *Substitution) dependent(x Type) (Type, error) {
	if x.Dep == nil {
		return x, nil
	}
	d := *x.Dep
	var err error
	if d.Of.IsValid() {
		if d.Of, err = s.Type(d.Of); err != nil {
			return x, err
		}
	}
	if d.Args != nil {
		if d.Args, err = s.List(d.Args); err != nil {
			return x, err
		}
	}
	if s.Member == nil || d.Of.Dependent() || anyDependent(d.Args) {
		return s.Table.DependentType(d), nil
	}
	return s.Member(d)
}

// anyDependent reports whether an argument depends on a parameter.
func anyDependent(args []Arg) bool {
	for _, a := range args {
		if a.Dependent() {
			return true
		}
	}
	return false
}

// Dependent reports whether an argument depends on a parameter of a template.
func (a Arg) Dependent() bool {
	switch a.Kind {
	case TypeArg:
		return a.Type.Dependent()
	case TemplateArg:
		return a.Template == nil
	case PackArg:
		return anyDependent(a.Pack)
	}
	return a.Kind == DependentValue
}

// everyParamOf calls f for the parameters in an argument, those that are not deduced too.
func everyParamOf(a Arg, f func(*ParamInfo)) {
	if a.Pattern != nil {
		f(a.Pattern)
	}
	everyParamOfExpr(a.Expr, f)
	for _, x := range a.Pack {
		everyParamOf(x, f)
	}
	everyParam(a.Type, f)
}

func everyParam(x Type, f func(*ParamInfo)) {
	if !x.Dependent() {
		return
	}
	eachParam(x, f)
	switch x.Kind {
	case Spec:
		for _, a := range x.Spec.Args {
			everyParamOf(a, f)
		}
	case Dependent:
		if x.Dep != nil {
			everyParam(x.Dep.Of, f)
			for _, a := range x.Dep.Args {
				everyParamOf(a, f)
			}
			everyParamOfExpr(x.Dep.Expr, f)
		}
	case Func:
		for _, p := range x.Func.Params {
			everyParam(p, f)
		}
	case Array:
		if x.Bound != nil {
			everyParamOf(*x.Bound, f)
		}
	}
	if x.Elem.Node != nil {
		everyParam(x.Elem, f)
	}
}

func everyParamOfExpr(e *Expr, f func(*ParamInfo)) {
	if e == nil {
		return
	}
	if e.Param != nil {
		f(e.Param)
	}
	everyParam(e.Type, f)
	for _, a := range e.TArgs {
		everyParamOf(a, f)
	}
	for _, x := range e.Args {
		everyParamOfExpr(x, f)
	}
}
