package types

// typ matches a pattern with a type and binds the pattern's parameters.
func (s *deducer) typ(p, x Type, flags matchFlags) error {
	if !p.IsValid() || !x.IsValid() {
		if p.IsValid() == x.IsValid() {
			return nil
		}
		return s.mismatch(p, x)
	}
	if x.Is(Expansion) && !p.Is(Expansion) {
		return s.mismatch(p, x)
	}
	if p.Is(Param) && p.Param.Depth == s.d.Depth {
		return s.param(p, x, flags)
	}
	if !p.Dependent() {
		if p == x || flags&moreCV != 0 && s.similar(p, x) {
			return nil
		}
		return s.mismatch(p, x)
	}
	if p.Is(Dependent) || p.Is(Auto) {
		return nil // not deduced
	}
	if p.Kind != Array && p.CV != x.CV && (flags&moreCV == 0 || x.CV&^p.CV != 0) {
		return s.mismatch(p, x)
	}
	if p.Is(Spec) {
		return s.spec(p, x, flags)
	}
	if p.Kind != x.Kind {
		return s.mismatch(p, x)
	}
	return s.parts(p, x, flags)
}

// param binds a parameter that is a type, perhaps qualified.
func (s *deducer) param(p, x Type, flags matchFlags) error {
	cv := x.Qualifiers()
	if x.IsRef() || x.Is(Func) {
		cv = p.CV
	}
	if p.CV&^cv != 0 && flags&moreCV == 0 {
		return s.mismatch(p, x)
	}
	return s.bind(p.Param, Arg{Kind: TypeArg, Type: s.without(x, p.CV)})
}

// without returns x with the qualifiers cv removed, of an array from its elements.
func (s *deducer) without(x Type, cv CV) Type {
	if x.Kind == Array && cv != 0 {
		return s.t.rearray(x, s.without(x.Elem, cv))
	}
	x.CV &^= cv
	return x
}

// similar reports whether x becomes p by adding qualifiers at some levels, or by leaving
// out noexcept.
func (s *deducer) similar(p, x Type) bool {
	for {
		switch {
		case x.CV&^p.CV != 0:
			return false
		case p.Node == x.Node:
			return true
		case p.Kind != x.Kind:
			return false
		}
		switch p.Kind {
		case Pointer, Array:
			if p.Len != x.Len {
				return false
			}
		case MemberPointer:
			if p.Of != x.Of {
				return false
			}
		case Func:
			if !x.Func.Noexcept {
				return false
			}
			f := *x.Func
			f.Noexcept = false
			return s.t.Func(x.Elem, f).Node == p.Node
		default:
			return false
		}
		p, x = p.Elem, x.Elem
	}
}

// parts matches the parts of two types of one kind.
func (s *deducer) parts(p, x Type, flags matchFlags) error {
	switch p.Kind {
	case Pointer:
		if !p.Elem.Is(Spec) {
			flags &^= derived
		}
		return s.typ(p.Elem, x.Elem, flags)
	case LRef, RRef, Expansion:
		return s.typ(p.Elem, x.Elem, 0)
	case MemberPointer:
		if err := s.typ(p.Of, x.Of, 0); err != nil {
			return err
		}
		return s.typ(p.Elem, x.Elem, flags&^derived)
	case Array:
		return s.array(p, x, flags)
	case Func:
		return s.function(p, x)
	case ClassKind, Param:
		if p.Node == x.Node {
			return nil
		}
	}
	return s.mismatch(p, x)
}

func (s *deducer) array(p, x Type, flags matchFlags) error {
	switch {
	case p.Bound == nil && (p.Len != x.Len || x.Bound != nil):
		return s.mismatch(p, x)
	case p.Bound != nil && x.Bound != nil:
		if err := s.arg(*p.Bound, *x.Bound); err != nil {
			return err
		}
	case p.Bound != nil && x.Len < 0:
		return s.mismatch(p, x)
	case p.Bound != nil && p.Bound.Pattern != nil:
		n := Arg{Kind: ValueArg, Type: s.t.Basic(ULong), Value: Value{Int: uint64(x.Len)}}
		if err := s.bind(p.Bound.Pattern, n); err != nil {
			return err
		}
	}
	return s.typ(p.Elem, x.Elem, flags&moreCV)
}

func (s *deducer) function(p, x Type) error {
	f, g := p.Func, x.Func
	if f.Variadic != g.Variadic || f.CV != g.CV || f.Ref != g.Ref || f.Noexcept && !g.Noexcept {
		return s.mismatch(p, x)
	}
	switch b := f.NoexceptIf; {
	case b == nil && g.NoexceptIf != nil:
		return s.mismatch(p, x)
	case b != nil && g.NoexceptIf != nil:
		if err := s.arg(*b, *g.NoexceptIf); err != nil {
			return err
		}
	case b != nil && b.Pattern != nil:
		v := Arg{Kind: ValueArg, Type: s.t.Basic(Bool), Value: Value{Int: uint64(flags(g.Noexcept, false))}}
		if err := s.bind(b.Pattern, v); err != nil {
			return err
		}
	}
	if err := s.typ(p.Elem, x.Elem, 0); err != nil {
		return err
	}
	return s.typeLists(f.Params, g.Params, func() error { return s.mismatch(p, x) })
}

// typeLists matches the parameter types of two functions.
func (s *deducer) typeLists(ps, xs []Type, differ func() error) error {
	for i, p := range ps {
		if p.Is(Expansion) {
			if i < len(ps)-1 {
				return nil
			}
			rest := xs[min(i, len(xs)):]
			if len(rest) == 1 && rest[0].Is(Expansion) {
				return s.expand(p.Elem, 1, func(int) error { return s.typ(p.Elem, rest[0].Elem, 0) })
			}
			return s.expand(p.Elem, len(rest), func(k int) error { return s.typ(p.Elem, rest[k], 0) })
		}
		if i >= len(xs) {
			return differ()
		}
		if err := s.typ(p, xs[i], 0); err != nil {
			return err
		}
	}
	if len(xs) > len(ps) {
		return differ()
	}
	return nil
}

// spec matches a template's name and arguments with a class, or a base of it.
func (s *deducer) spec(p, x Type, flags matchFlags) error {
	if x.Is(Spec) {
		return s.specArgs(p, x.Spec.Template, x.Spec.Args, x)
	}
	if !x.IsClass() {
		return s.mismatch(p, x)
	}
	c := x.Class
	err := error(nil)
	saved := append([]Arg(nil), s.args...)
	if c.Template != nil {
		if err = s.specArgs(p, c.Template, c.Args, x); err == nil {
			return nil
		}
	} else {
		err = s.mismatch(p, x)
	}
	if flags&derived == 0 {
		return err
	}
	if s.d.Complete != nil && !c.Complete {
		s.d.Complete(c)
	}
	if len(c.Bases) == 0 {
		return err
	}
	copy(s.args, saved)
	return s.bases(p, x, err)
}

// bases matches a template with the bases of a class: one of them must match, and those
// that are bases of one that does are not looked at.
func (s *deducer) bases(p, x Type, err error) error {
	var found []Arg
	var walk func(c *Class) bool
	walk = func(c *Class) bool {
		if s.d.Complete != nil && !c.Complete {
			s.d.Complete(c)
		}
		for _, b := range c.Bases {
			if b.Class.Template != nil {
				try := *s
				try.args = append([]Arg(nil), s.args...)
				if try.specArgs(p, b.Class.Template, b.Class.Args, x) == nil {
					if found != nil && !s.sameArgs(found, try.args) {
						return false
					}
					found = try.args
					continue
				}
			}
			if !walk(b.Class) {
				return false
			}
		}
		return true
	}
	if !walk(x.Class) || found == nil {
		return err
	}
	copy(s.args, found)
	return nil
}

func (s *deducer) sameArgs(a, b []Arg) bool {
	for i := range a {
		if !s.t.SameArg(a[i], b[i]) {
			return false
		}
	}
	return true
}

// specArgs matches a template's name and arguments with those of an instance.
func (s *deducer) specArgs(p Type, template Template, args []Arg, x Type) error {
	if p.Spec.Param == nil {
		if p.Spec.Template != template {
			return s.mismatch(p, x)
		}
		return s.argLists(p.Spec.Args, args)
	}
	if p.Spec.Param.Depth == s.d.Depth && template != nil {
		if err := s.bind(p.Spec.Param, Arg{Kind: TemplateArg, Template: template}); err != nil {
			return err
		}
	}
	args = flatten(args)
	if n := len(flatten(p.Spec.Args)); n < len(args) && !endsWithExpansion(p.Spec.Args) {
		args = args[:n] // the others are the template's default arguments
	}
	return s.argLists(p.Spec.Args, args)
}

// flatten returns arguments with those of packs among them.
func flatten(args []Arg) []Arg {
	for i, a := range args {
		if a.Kind == PackArg {
			out := append([]Arg(nil), args[:i]...)
			for _, a := range args[i:] {
				if a.Kind == PackArg {
					out = append(out, flatten(a.Pack)...)
				} else {
					out = append(out, a)
				}
			}
			return out
		}
	}
	return args
}

func endsWithExpansion(args []Arg) bool {
	args = flatten(args)
	return len(args) > 0 && args[len(args)-1].expands()
}

// expands reports whether an argument is followed by "...".
func (a Arg) expands() bool { return a.Expand || a.Kind == TypeArg && a.Type.Is(Expansion) }

// argLists matches the arguments of a template with those of an instance.
func (s *deducer) argLists(ps, xs []Arg) error {
	if len(ps) == 0 && len(xs) == 0 {
		return nil
	}
	ps, xs = flatten(ps), flatten(xs)
	for i, p := range ps {
		if p.expands() {
			if i < len(ps)-1 {
				return nil // not deduced
			}
			rest := xs[min(i, len(xs)):]
			return s.expandPacks(s.packsOf(p), len(rest), func(k int) error { return s.arg(p.element(), rest[k].element()) })
		}
		if i >= len(xs) || xs[i].expands() {
			return &failure{kind: mismatchLists, a: Arg{Kind: PackArg, Pack: ps}, b: Arg{Kind: PackArg, Pack: xs}}
		}
		if err := s.arg(p, xs[i]); err != nil {
			return err
		}
	}
	if len(xs) > len(ps) {
		return &failure{kind: mismatchLists, a: Arg{Kind: PackArg, Pack: ps}, b: Arg{Kind: PackArg, Pack: xs}}
	}
	return nil
}

// element returns the argument without the "..." behind it.
func (a Arg) element() Arg {
	a.Expand = false
	if a.Kind == TypeArg && a.Type.Is(Expansion) {
		a.Type = a.Type.Elem
	}
	return a
}

// arg matches one argument of a template with that of an instance.
func (s *deducer) arg(p, x Arg) error {
	switch {
	case p.Kind == TypeArg && x.Kind == TypeArg:
		return s.typ(p.Type, x.Type, 0)
	case p.Kind == DependentValue && p.Pattern != nil && p.Pattern.Depth == s.d.Depth && (x.Kind == ValueArg || x.Kind == DependentValue):
		return s.bind(p.Pattern, x)
	case p.Kind == DependentValue && p.Pattern == nil && (x.Kind == ValueArg || x.Kind == DependentValue):
		return nil // not deduced
	case p.Kind == TemplateArg && x.Kind == TemplateArg && p.Template == nil && p.Pattern.Depth == s.d.Depth:
		return s.bind(p.Pattern, x)
	case p.Kind == x.Kind && s.same(p, x):
		return nil
	}
	return &failure{kind: mismatchArgs, a: p, b: x}
}
