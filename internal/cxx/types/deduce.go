package types

// A TemplateParam is a parameter of a template whose arguments are deduced.
type TemplateParam struct {
	Kind ArgKind // TypeArg, ValueArg or TemplateArg
	Name string
	Pack bool
	Type Type // of a value; it may depend on other parameters, or be auto
}

// A CallArg is an argument of a call, as the deduction of a template's arguments sees it.
type CallArg struct {
	Type   Type // without a reference
	LValue bool
	// List is set for {...}; Elems are its elements.
	List  bool
	Elems []CallArg
	// Overloads are the types of the functions that the name of an overload set may
	// mean; Type is Overload then. An empty list is not deduced from.
	Overloads []Type
}

// A Deduction asks for the arguments of a template. What is matched is the Patterns with
// Args by the rules of calls, and the pairs of Types and of TemplateArgs as they are.
type Deduction struct {
	Depth    int // of Params: those of other depths are constants
	Params   []TemplateParam
	Explicit []Arg // the arguments that are given; a pack at the end may grow
	// Of a call: the types of the function's parameters and the arguments.
	Patterns []Type
	Args     []CallArg
	// Of the address of a function, a conversion, an explicit specialisation.
	Types [][2]Type // pattern and type, which must be equal
	// Of a partial specialisation: its arguments, and the class's.
	TemplateArgs [2][]Arg
	// Default returns the argument of a parameter that is not deduced, with those found
	// so far; ok is false if it has no default. Nil: none has.
	Default func(param int, args []Arg) (arg Arg, ok bool, err error)
	// Complete makes the class complete, so that its bases are known. Nil: they all are.
	Complete func(*Class)
	// Partial leaves parameters that are not deduced without an argument.
	Partial bool

	// Result has an argument for each of Params.
	Result []Arg
}

// Deduce finds a template's arguments. The error says why there are none, as clang words
// it behind "candidate template ignored: ". Values that depend on parameters in patterns
// are not compared: the caller substitutes and compares where that matters.
func (t *Table) Deduce(d *Deduction) error {
	s := deducer{t: t, d: d, args: make([]Arg, len(d.Params))}
	if err := s.explicit(); err != nil {
		return err
	}
	if err := s.call(); err != nil {
		return err
	}
	for _, p := range d.Types {
		if err := s.typ(p[0], p[1], 0); err != nil {
			return err
		}
	}
	if err := s.argLists(d.TemplateArgs[0], d.TemplateArgs[1]); err != nil {
		return err
	}
	if err := s.finish(); err != nil {
		return err
	}
	d.Result = s.args
	return nil
}

// A deducer is the state of one deduction.
type deducer struct {
	t    *Table
	d    *Deduction
	args []Arg
	// given[i] is how many elements of a pack are explicit; fixed marks parameters whose
	// argument is given as a whole.
	given int
	fixed []bool
	// elems are the arguments of packs for the element that is being matched; nil when no
	// expansion is.
	elems []Arg
}

// explicit binds the arguments that are given.
func (s *deducer) explicit() error {
	s.fixed = make([]bool, len(s.args))
	for i, a := range s.d.Explicit {
		if i >= len(s.args) {
			return &failure{kind: tooManyArgs}
		}
		p := &s.d.Params[i]
		if p.Pack {
			rest := s.d.Explicit[i:]
			if len(rest) == 1 && rest[0].Kind == PackArg {
				rest = rest[0].Pack
			}
			for _, x := range rest {
				if x.Kind != p.Kind {
					return &failure{kind: badExplicit, name: p.Name}
				}
			}
			s.args[i] = Arg{Kind: PackArg, Pack: rest}
			s.given = len(rest)
			return nil
		}
		if a.Kind != p.Kind {
			return &failure{kind: badExplicit, name: p.Name}
		}
		s.args[i], s.fixed[i] = a, true
	}
	return nil
}

// call matches the parameters of a function with the arguments of a call.
func (s *deducer) call() error {
	n := 0
	for i, p := range s.d.Patterns {
		if p.Is(Expansion) {
			if i < len(s.d.Patterns)-1 {
				return nil // a pack that is not last is not deduced, nor what is behind it
			}
			return s.expand(p.Elem, len(s.d.Args)-n, func(k int) error { return s.callArg(p.Elem, &s.d.Args[n+k]) })
		}
		if n >= len(s.d.Args) {
			return nil // has a default argument
		}
		if err := s.callArg(p, &s.d.Args[n]); err != nil {
			return err
		}
		n++
	}
	return nil
}

// Flags of a match.
type matchFlags uint8

const (
	moreCV  matchFlags = 1 << iota // the pattern may have more qualifiers
	derived                        // the type may derive from what the pattern matches
)

// callArg matches one parameter of a function with an argument.
func (s *deducer) callArg(p Type, a *CallArg) error {
	if !s.deducible(p) {
		return nil
	}
	switch {
	case a.List:
		return s.initList(p, a)
	case a.Type.Is(Overload):
		return s.overloads(p, a)
	}
	x := a.Type
	flags := moreCV | derived
	switch {
	case p.Is(RRef) && p.Elem.Is(Param) && p.Elem.CV == 0 && p.Elem.Param.Depth == s.d.Depth:
		p = p.Elem
		if a.LValue {
			x = s.t.Ref(x, false)
		}
		flags = 0
	case p.IsRef():
		p = p.Elem
	default:
		p = p.Unqualified()
		x = s.t.Decayed(x)
	}
	return s.typ(p, x, flags)
}

// initList matches a parameter with {...}.
func (s *deducer) initList(p Type, a *CallArg) error {
	p = p.Unref()
	var elem Type
	switch {
	case p.Is(Spec) && p.Spec.Template != nil && p.Spec.Template.TemplateName() == "initializer_list" && len(p.Spec.Args) == 1 && isStd(p.Spec.Template.TemplateScope()):
		elem = p.Spec.Args[0].Type
	case p.Is(Array):
		elem = p.Elem
		if p.Bound != nil && p.Bound.Pattern != nil {
			n := Arg{Kind: ValueArg, Type: s.t.Basic(ULong), Value: Value{Int: uint64(len(a.Elems))}}
			if err := s.bind(p.Bound.Pattern, n); err != nil {
				return err
			}
		}
	default:
		return nil
	}
	for i := range a.Elems {
		if err := s.callArg(elem, &a.Elems[i]); err != nil {
			return err
		}
	}
	return nil
}

// overloads matches a parameter with an overload set: if one function matches, and it
// alone, it is deduced from.
func (s *deducer) overloads(p Type, a *CallArg) error {
	p = p.Unref()
	var found []Arg
	for _, f := range a.Overloads {
		try := *s
		try.args = append([]Arg(nil), s.args...)
		x := f
		if p.Is(Pointer) {
			x = s.t.Pointer(f)
		}
		if try.typ(p, x, moreCV) != nil {
			continue
		}
		if found != nil {
			return nil
		}
		found = try.args
	}
	if found == nil && len(a.Overloads) > 0 {
		return &failure{kind: noOverload, p: p}
	}
	if found != nil {
		copy(s.args, found)
	}
	return nil
}

// expand matches n types with a pattern that is expanded, by match.
func (s *deducer) expand(pattern Type, n int, match func(int) error) error {
	return s.expandPacks(s.packs(pattern), n, match)
}

func (s *deducer) expandPacks(packs []int, n int, match func(int) error) error {
	if len(packs) == 0 {
		return nil
	}
	outer := s.elems
	defer func() { s.elems = outer }()
	lists := make([][]Arg, len(packs))
	for k := range max(n, 0) {
		s.elems = make([]Arg, len(s.args))
		for _, p := range packs {
			if have := s.args[p]; have.Kind == PackArg && k < len(have.Pack) {
				s.elems[p] = have.Pack[k]
			}
		}
		if err := match(k); err != nil {
			return err
		}
		for i, p := range packs {
			lists[i] = append(lists[i], s.elems[p])
		}
	}
	for i, p := range packs {
		if err := s.bindPack(p, lists[i], outer); err != nil {
			return err
		}
	}
	return nil
}

// bindPack sets the elements of a pack, which must agree with those that it has.
func (s *deducer) bindPack(p int, list []Arg, outer []Arg) error {
	for _, a := range list {
		if a.Kind == NoArg {
			return nil // the pattern does not deduce it
		}
	}
	have := &s.args[p]
	if have.Kind == PackArg && !s.growing(p) && len(have.Pack) != len(list) || have.Kind == PackArg && len(have.Pack) > len(list) {
		return &failure{kind: conflictPack, name: s.d.Params[p].Name, a: *have, b: Arg{Kind: PackArg, Pack: list}}
	}
	*have = Arg{Kind: PackArg, Pack: list}
	s.fixed[p] = true
	return nil
}

// growing reports whether the elements of a pack are those given explicitly so far.
func (s *deducer) growing(p int) bool { return !s.fixed[p] }

// bind gives a parameter its argument, which must be the one that it has.
func (s *deducer) bind(p *ParamInfo, a Arg) error {
	i := p.Index
	if p.Depth != s.d.Depth || i >= len(s.args) {
		return &failure{kind: mismatchArgs, a: Arg{Kind: DependentValue, Pattern: p}, b: a}
	}
	par := &s.d.Params[i]
	slot := &s.args[i]
	if par.Pack {
		if s.elems == nil {
			return &failure{kind: mismatchArgs, a: Arg{Kind: DependentValue, Pattern: p}, b: a}
		}
		slot = &s.elems[i]
	}
	if par.Kind == ValueArg {
		var err error
		if a, err = s.bindValue(par, a); err != nil {
			return err
		}
	}
	if slot.Kind == NoArg {
		*slot = a
		return nil
	}
	if !s.same(*slot, a) {
		return &failure{kind: conflict, name: par.Name, a: *slot, b: a}
	}
	return nil
}

// bindValue converts a value to the type of its parameter, which it may determine.
func (s *deducer) bindValue(par *TemplateParam, a Arg) (Arg, error) {
	if a.Kind != ValueArg || !par.Type.IsValid() || par.Type.Is(Auto) {
		return a, nil
	}
	if par.Type.Dependent() {
		return a, s.typ(par.Type, a.Type, moreCV)
	}
	if par.Type.IsIntegerOrEnum() && a.Type.IsIntegerOrEnum() {
		if !par.Type.Fits(a.Value.Int, a.Type) {
			return a, &failure{kind: mismatchTypes, p: par.Type, x: a.Type}
		}
		a.Type = par.Type.Unqualified()
	}
	return a, nil
}

// same reports whether two arguments are equal; values of any integer types are by
// their values.
func (s *deducer) same(a, b Arg) bool {
	if a.Kind == ValueArg && b.Kind == ValueArg && a.Value.Entity == nil && a.Type.IsInteger() && b.Type.IsInteger() {
		return a.Value == b.Value
	}
	return s.t.SameArg(a, b)
}

// finish gives parameters that were not deduced their default arguments.
func (s *deducer) finish() error {
	for i := range s.args {
		p := &s.d.Params[i]
		switch {
		case s.args[i].Kind != NoArg:
		case p.Pack:
			s.args[i] = Arg{Kind: PackArg}
		case s.d.Default != nil:
			a, ok, err := s.d.Default(i, s.args)
			if err != nil {
				return err
			}
			if ok {
				s.args[i] = a
				continue
			}
			fallthrough
		default:
			if !s.d.Partial {
				return &failure{kind: notInferred, name: p.Name}
			}
		}
	}
	return nil
}
