package types

// deducible reports whether a pattern has a parameter in it whose argument is not given:
// one that deduction may find.
func (s *deducer) deducible(p Type) bool {
	found := false
	eachParam(p, func(q *ParamInfo) {
		found = found || q.Depth == s.d.Depth && q.Index < len(s.fixed) && !s.isGiven(q.Index)
	})
	return found
}

// isGiven reports whether the argument of a parameter was given explicitly.
func (s *deducer) isGiven(i int) bool { return s.fixed[i] && !s.d.Params[i].Pack }

// packs returns the indices of the packs in a pattern.
func (s *deducer) packs(p Type) []int {
	var out []int
	eachParam(p, s.collectPacks(&out))
	return out
}

func (s *deducer) packsOf(a Arg) []int {
	var out []int
	eachParamOf(a, s.collectPacks(&out))
	return out
}

func (s *deducer) collectPacks(out *[]int) func(*ParamInfo) {
	return func(q *ParamInfo) {
		if q.Depth != s.d.Depth || q.Index >= len(s.d.Params) || !s.d.Params[q.Index].Pack {
			return
		}
		for _, i := range *out {
			if i == q.Index {
				return
			}
		}
		*out = append(*out, q.Index)
	}
}

// eachParam calls f for the parameters in a pattern, with those in contexts that are not
// deduced left out.
func eachParam(p Type, f func(*ParamInfo)) {
	if !p.Dependent() {
		return
	}
	switch p.Kind {
	case Param:
		f(p.Param)
	case Spec:
		if p.Spec.Param != nil {
			f(p.Spec.Param)
		}
		for _, a := range p.Spec.Args {
			eachParamOf(a, f)
		}
	case Func:
		eachParam(p.Elem, f)
		if p.Func.NoexceptIf != nil {
			eachParamOf(*p.Func.NoexceptIf, f)
		}
		for _, q := range p.Func.Params {
			eachParam(q, f)
		}
	case Array:
		if p.Bound != nil {
			eachParamOf(*p.Bound, f)
		}
		eachParam(p.Elem, f)
	case MemberPointer:
		eachParam(p.Of, f)
		eachParam(p.Elem, f)
	case Pointer, LRef, RRef, Expansion:
		eachParam(p.Elem, f)
	}
}

func eachParamOf(a Arg, f func(*ParamInfo)) {
	switch a.Kind {
	case TypeArg:
		eachParam(a.Type, f)
	case PackArg:
		for _, x := range a.Pack {
			eachParamOf(x, f)
		}
	default:
		if a.Pattern != nil {
			f(a.Pattern)
		}
	}
}
