package types

// A Signature is a template as partial ordering compares it with another: the types of
// its function's parameters that have arguments in the call, or the arguments of a
// partial specialisation.
type Signature struct {
	Depth  int
	Params []TemplateParam
	Types  []Type // of a function
	Args   []Arg  // of a partial specialisation
}

// MoreSpecialized returns -1 if the function template or partial specialisation a is more
// specialised than b, 1 if b is, and 0 if neither is.
func (t *Table) MoreSpecialized(a, b *Signature) int {
	ab, ba := t.atLeast(a, b), t.atLeast(b, a)
	switch {
	case ab && !ba:
		return -1
	case ba && !ab:
		return 1
	case !ab:
		return 0
	}
	return t.tieBreak(a, b)
}

// atLeast reports whether a is at least as specialised as b: whether b's patterns match
// a's types, with a's parameters as types of their own.
func (t *Table) atLeast(a, b *Signature) bool {
	d := Deduction{Depth: b.Depth, Params: b.Params, Partial: true}
	s := deducer{t: t, d: &d, args: make([]Arg, len(b.Params)), fixed: make([]bool, len(b.Params))}
	if s.argLists(b.Args, a.Args) != nil {
		return false
	}
	for i, p := range b.Types {
		if p.Is(Expansion) {
			rest := a.Types[min(i, len(a.Types)):]
			p, _ := strip(p.Elem)
			return s.expand(p, len(rest), func(k int) error {
				x := rest[k]
				if x.Is(Expansion) {
					x = x.Elem
				}
				x, _ = strip(x)
				return s.typ(p, x, 0)
			}) == nil
		}
		if i >= len(a.Types) {
			return true
		}
		p, _ := strip(p)
		x, _ := strip(a.Types[i])
		if s.typ(p, x, 0) != nil {
			return false
		}
	}
	return len(a.Types) <= len(b.Types)
}

// stripped is what partial ordering takes from a parameter's type.
type stripped struct {
	ref, rvalue bool
	cv          CV // of what the reference refers to
}

// strip returns a type without its reference and qualifiers.
func strip(x Type) (Type, stripped) {
	var out stripped
	if x.IsRef() {
		out.ref, out.rvalue = true, x.Is(RRef)
		x = x.Elem
		out.cv = x.CV
	}
	return x.Unqualified(), out
}

// tieBreak orders two templates that are at least as specialised as each other: by the
// references of their parameters, and by packs that have no counterpart.
func (t *Table) tieBreak(a, b *Signature) int {
	aWins, bWins := false, false
	for i := range min(len(a.Types), len(b.Types)) {
		_, x := strip(a.Types[i])
		_, y := strip(b.Types[i])
		if !x.ref || !y.ref {
			continue
		}
		switch {
		case !x.rvalue && y.rvalue, x.rvalue == y.rvalue && x.cv != y.cv && x.cv&y.cv == y.cv:
			aWins = true
		case x.rvalue && !y.rvalue, x.rvalue == y.rvalue && x.cv != y.cv && x.cv&y.cv == x.cv:
			bWins = true
		}
	}
	if aWins != bWins {
		if aWins {
			return -1
		}
		return 1
	}
	return trailingPacks(a, b)
}

// trailingPacks orders two templates one of which ends with a pack that the other has no
// counterpart of: the other one is more specialised.
func trailingPacks(a, b *Signature) int {
	ends := func(s *Signature) bool {
		return len(s.Types) > 0 && s.Types[len(s.Types)-1].Is(Expansion) || endsWithExpansion(s.Args)
	}
	switch x, y := ends(a), ends(b); {
	case x && !y:
		return 1
	case y && !x:
		return -1
	}
	return len(b.Types) - len(a.Types)
}
