package opt

import "irgl/internal/ssa"

// Comparisons and differences of pointers, for pass spaces.
//
// A comparison is a use of the generic pointer: in a loop such as that of gpucc's
// Figure 4,
//
//	while (p != end) { float v = *p; ...; ++p; }
//
// it keeps the generic p, with an addition per iteration and the conversion of the
// start, alive beside the p of the specific space that the load uses. Two pointers of
// one space are compared, or subtracted, in that space.
//
// The generic address is the address in the space plus the start of the space's
// window, so equality and differences are the same in both forms. Order is the same
// if the addresses in the space are compared as signed numbers: a pointer just before
// a variable at address 0 is below it. Global memory has no window: its addresses are
// the generic ones.
//
// Null is not an address of a window: address 0 of shared memory is a valid one, whose
// generic form is not null. So
//
//   - a null test of a pointer that can only point into variables is false: C has no
//     arithmetic from a variable to null;
//   - a null test of a pointer that is null on some paths and points into variables of
//     such a space on the others becomes an i1 that is computed along the same paths;
//   - other comparisons of a pointer that may be null remain generic, except those in
//     global memory, where null is 0.
//
// Pointers into variables of two different spaces are not equal.
//
// A comparison remains generic if that is cheaper: if the generic form of an operand
// is needed anyway, by a store of the pointer or a call, and its specific form is not.

// An origins is the set of what a generic pointer may be, other than an address in a
// variable.
type origins uint8

const (
	fromNull  origins = 1 << iota // null
	fromOther                     // a parameter, a loaded pointer, an integer
)

// maxOriginSteps bounds the additions between a cast and the variable that its pointer is in.
const maxOriginSteps = 8

// originsOf returns the origins of a pointer that is not derived from other generic
// pointers.
func originsOf(v *ssa.Value) origins {
	switch v.Op {
	case ssa.OpUndef:
		return 0
	case ssa.OpConst:
		if v.Int == 0 {
			return fromNull
		}
		return fromNull | fromOther
	case ssa.OpSpaceCast:
		p := v.Args[0]
		for n := 0; p.Op == ssa.OpPtrAdd && n < maxOriginSteps; n++ {
			p = p.Args[0]
		}
		if p.Op == ssa.OpGlobalAddr || p.Op == ssa.OpAlloca || p.Op == ssa.OpParam && p.Type == ssa.PtrParam {
			return 0
		}
	}
	return fromOther
}

// A comparisonForm says how a comparison is specialised.
type comparisonForm uint8

const (
	remainsGeneric comparisonForm = iota
	inSpace                       // both operands are of one space
	isNull                        // a null test, by an i1 computed along the same paths
	neverEqual                    // the operands are never equal
)

// A comparison is a comparison or difference of generic pointers.
type comparison struct {
	v    *ssa.Value
	x, y *ssa.Value // the pointers; x is the one that is tested for null
	form comparisonForm
}

// comparisons returns the comparisons that are to be specialised.
func (s *spaces) comparisons() []comparison {
	var list []comparison
	for _, b := range s.f.Blocks {
		for _, v := range b.Values {
			if x, y := comparedPointers(v); x != nil {
				if c := s.formOf(comparison{v: v, x: x, y: y}); c.form != remainsGeneric {
					list = append(list, c)
				}
			}
		}
	}
	if len(list) == 0 {
		return nil
	}
	n := newNeeds(s, list)
	for again := true; again; {
		again = false
		for i := range list {
			c := &list[i]
			if c.form != remainsGeneric && c.form != neverEqual && !n.pays(c) {
				c.form = remainsGeneric
				n.generic(c.x)
				n.generic(c.y)
				again = true
			}
		}
	}
	return list
}

// comparedPointers returns the generic pointers that v compares or subtracts, or nil.
func comparedPointers(v *ssa.Value) (x, y *ssa.Value) {
	if v.Op != ssa.OpSub && !v.Op.IsIntCompare() {
		return nil, nil
	}
	x, y = v.Args[0], v.Args[1]
	if x.Op == ssa.OpPtrToInt && y.Op == ssa.OpPtrToInt && (v.Op == ssa.OpSub || v.Op == ssa.OpEq || v.Op == ssa.OpNe) {
		x, y = x.Args[0], y.Args[0]
	}
	if x.Type != ssa.Ptr || y.Type != ssa.Ptr {
		return nil, nil
	}
	return x, y
}

// formOf returns c with the form that its operands allow.
func (s *spaces) formOf(c comparison) comparison {
	if isConst(c.x, 0) {
		c.x, c.y = c.y, c.x
	}
	x, y := s.of[c.x.ID], s.of[c.y.ID]
	from := s.from[c.x.ID] | s.from[c.y.ID]
	equality := c.v.Op == ssa.OpEq || c.v.Op == ssa.OpNe
	switch {
	case !s.known(c.x):
	case isConst(c.y, 0):
		switch {
		case equality && s.from[c.x.ID] == 0:
			c.form = neverEqual
		case x == ssa.PtrGlobal && c.v.Op != ssa.OpSub:
			c.form = inSpace
		case equality && s.from[c.x.ID] == fromNull && windowed(x):
			c.form = isNull
		}
	case !s.known(c.y):
	case x == y && (x == ssa.PtrGlobal || windowed(x) && from&fromNull == 0):
		c.form = inSpace
	case equality && s.disjoint(c.x, c.y):
		c.form = neverEqual
	}
	return c
}

// windowed reports whether the generic addresses of t are a window of the generic
// space.
func windowed(t ssa.Type) bool { return t == ssa.PtrShared || t == ssa.PtrLocal || t == ssa.PtrConst }

// disjoint reports whether p and q, of known spaces, cannot be equal. Constant memory
// may be accessed as global memory too.
func (s *spaces) disjoint(p, q *ssa.Value) bool {
	x, y := s.of[p.ID], s.of[q.ID]
	private := func(p *ssa.Value, t ssa.Type) bool {
		return (t == ssa.PtrShared || t == ssa.PtrLocal) && s.from[p.ID] == 0
	}
	return x != y && (private(p, x) && y == ssa.PtrGlobal || private(q, y) && x == ssa.PtrGlobal || private(p, x) && private(q, y))
}

// A needs says which forms of the pointers of a function have uses.
type needs struct {
	s        *spaces
	asIs     []bool // by value number: the generic form is used
	specific []bool // by value number: the form of the specific space is used
	work     []*ssa.Value
}

// newNeeds returns the needs of all but the comparisons of list.
func newNeeds(s *spaces, list []comparison) *needs {
	n := &needs{s: s, asIs: ssa.Make[bool](s.f, len(s.of)), specific: ssa.Make[bool](s.f, len(s.of))}
	compared := ssa.Make[bool](s.f, len(s.of))
	for _, c := range list {
		compared[c.v.ID] = true
	}
	for _, b := range s.f.Blocks {
		for _, v := range b.Values {
			if compared[v.ID] || derivedGeneric(v) || v.Op == ssa.OpPtrToInt {
				continue
			}
			for _, a := range v.Args {
				switch {
				case a.Op == ssa.OpPtrToInt:
					n.generic(a.Args[0])
				case a.Type != ssa.Ptr:
				case a == v.Address() && s.known(a):
					n.mark(n.specific, a)
				default:
					n.generic(a)
				}
			}
		}
		if b.Ctrl != nil {
			n.generic(b.Ctrl)
		}
	}
	return n
}

// derivedGeneric reports whether v is a generic pointer that is derived from others.
func derivedGeneric(v *ssa.Value) bool {
	if v.Type != ssa.Ptr {
		return false
	}
	switch v.Op {
	case ssa.OpPtrAdd, ssa.OpPhi, ssa.OpSelect:
		return true
	case ssa.OpSpaceCast:
		return v.Args[0].Type == ssa.Ptr
	}
	return false
}

// generic notes a use of p's generic form.
func (n *needs) generic(p *ssa.Value) {
	if p.Op == ssa.OpPtrToInt {
		p = p.Args[0]
	}
	if p.Type == ssa.Ptr {
		n.mark(n.asIs, p)
	}
}

// mark adds p, and the pointers that it is derived from, to a set.
func (n *needs) mark(set []bool, p *ssa.Value) {
	n.work = append(n.work[:0], p)
	for len(n.work) > 0 {
		p := n.work[len(n.work)-1]
		n.work = n.work[:len(n.work)-1]
		if set[p.ID] {
			continue
		}
		set[p.ID] = true
		if derivedGeneric(p) {
			n.work = append(n.work, pointerArgs(p)...)
		}
	}
}

// pays reports whether specialising c may remove a generic pointer, and creates no
// pointer that is not needed anyway.
func (n *needs) pays(c *comparison) bool {
	removes := false
	for _, p := range [...]*ssa.Value{c.x, c.y} {
		switch {
		case !derivedGeneric(p) && p.Op != ssa.OpSpaceCast: // generic, without an instruction
		case !n.asIs[p.ID]:
			removes = true
		case derivedGeneric(p) && (!n.specific[p.ID] || c.form == isNull):
			return false
		}
	}
	return removes
}

// compare specialises the comparisons of list, and returns their number.
func (s *spaces) compare(list []comparison) int {
	changed := 0
	same := newSubst(s.f)
	for _, c := range list {
		v := c.v
		switch c.form {
		case remainsGeneric:
			continue
		case neverEqual:
			unequal := v.Op == ssa.OpNe
			reset(v, ssa.OpConst)
			if unequal {
				v.Int = -1
			}
		case isNull:
			valid := s.notNull(c.x)
			if v.Op == ssa.OpNe {
				same.replace(v, valid)
			} else {
				reset(v, ssa.OpNot, valid)
			}
		case inSpace:
			t := s.of[c.x.ID]
			for i, a := range v.Args {
				v.Args[i] = s.operand(a, t)
			}
			if t != ssa.PtrGlobal {
				v.Op = v.Op.Signed()
			}
		}
		changed++
	}
	same.apply(s.f)
	return changed
}

// operand returns the operand of a comparison or difference in space t for a generic
// one, a.
func (s *spaces) operand(a *ssa.Value, t ssa.Type) *ssa.Value {
	switch {
	case a.Op == ssa.OpPtrToInt:
		if s.special[a.ID] == nil {
			s.add(s.f.NewValue(ssa.OpPtrToInt, a.Type, s.operand(a.Args[0], t)), a)
		}
		return s.special[a.ID]
	case s.of[a.ID] == ssa.Void:
		return s.cast(a, t)
	}
	return s.specialise(a)
}

// notNull returns an i1: whether p, whose origins are variables and null, is not null.
// Like specialise, it sets the arguments last.
func (s *spaces) notNull(p *ssa.Value) *ssa.Value {
	if s.valid == nil {
		s.valid = ssa.Make[*ssa.Value](s.f, len(s.of))
	}
	var work []*ssa.Value
	get := func(p *ssa.Value) *ssa.Value {
		for p.Op == ssa.OpSpaceCast && s.from[p.ID] != 0 {
			p = p.Args[0]
		}
		valid := s.valid[p.ID]
		if valid != nil {
			return valid
		}
		switch {
		case s.from[p.ID] == 0:
			valid = s.f.NewConst(ssa.I1, -1)
		case p.Op == ssa.OpConst:
			valid = s.f.NewConst(ssa.I1, 0)
		default:
			valid = s.f.NewValue(p.Op, ssa.I1)
			work = append(work, p)
		}
		s.valid[p.ID] = valid
		s.put(valid, p)
		return valid
	}
	result := get(p)
	for len(work) > 0 {
		p := work[len(work)-1]
		work = work[:len(work)-1]
		valid := s.valid[p.ID]
		valid.MakeArgs(len(p.Args))
		copy(valid.Args, p.Args)
		pointers := valid.Args[len(p.Args)-len(pointerArgs(p)):]
		for i, a := range pointers {
			pointers[i] = get(a)
		}
	}
	return result
}
