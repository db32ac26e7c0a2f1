package opt

import (
	"slices"

	"irgl/internal/pass"
	"irgl/internal/ssa"
)

// Memory space inference, in its simple forward form.
// Source: gpucc, section 3.2, Algorithm 1.
//
// An access through a generic address is slower than one that names its
// space: the hardware must determine which space the address is in
// ("roughly 10%" for shared memory). Only declarations name a space in the
// source; the pass propagates it to the accesses.
//
//	v0 = globaladdr ptr.shared @s
//	v1 = spacecast ptr v0
//	v2 = ptradd ptr v1, v9          v2' = ptradd ptr.shared v0, v9
//	v3 = load i32 v2 align 4        v3 = load i32 v2' align 4
//
// A pointer's space is known when it is cast from that space, when it is a
// pointer parameter of a kernel (the host passes pointers to global memory),
// or when it is loaded from a kernel's aggregate parameter (likewise). A
// generic pointer computed by ptradd, phi or select has a space when all its
// operands have that space. The analysis is optimistic, for cycles of phis:
// every pointer starts as unknown, takes the space of its known operands, and
// becomes generic when they differ, until nothing changes.
//
// For each such pointer that is accessed, a pointer of the specific space is
// created next to it, and the access uses that. Comparisons and differences of two
// pointers of one space use it too (spaces_compare.go). The generic pointer stays for
// other uses (stores of the pointer, calls), where its bits matter; dce removes it if
// there are none.
//
// What it will not do: name constant memory in a write, which PTX cannot: it stays
// generic, and faults when it runs; track pointers through memory, calls or integers;
// infer the spaces of parameters of functions that are not inlined;
// dispatch on the space of an address at run time.
func inferSpaces(f *ssa.Func, r *pass.Run) {
	if len(f.Blocks) == 0 {
		return
	}
	removeUnreachable(f)
	s := newSpaces(f)
	s.infer()
	list := s.comparisons()
	changed := 0
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			if p := v.Address(); p != nil && s.known(p) && !(s.of[p.ID] == ssa.PtrConst && v.Op.Effects()&ssa.Writes != 0) {
				v.Args[0] = s.specialise(p)
				changed++
			} else if p != nil && p.Type == ssa.Ptr && r.Remarks() {
				r.Missed(v.Pos, "%s stays generic: %s", accessName(v), s.reason(p))
			}
		}
	}
	compared := s.compare(list)
	if len(s.before) > 0 {
		s.insert()
	}
	r.Count("accesses", changed)
	r.Count("comparisons", compared)
}

type spaces struct {
	f *ssa.Func
	// By value number, the space of a generic pointer: Void while unknown, Ptr
	// when it may be any.
	of   []ssa.Type
	from []origins // by value number, of a generic pointer
	// By value number, the pointer of the specific space.
	special []*ssa.Value
	valid   []*ssa.Value // by value number, whether a pointer is not null: see notNull
	before  []*ssa.Value // the new values, in order of creation, and
	place   []*ssa.Value // the generic pointers that they correspond to
}

func newSpaces(f *ssa.Func) *spaces {
	n := f.NumValues()
	return &spaces{f: f, of: ssa.Make[ssa.Type](f, n), from: ssa.Make[origins](f, n), special: ssa.Make[*ssa.Value](f, n)}
}

// known reports whether p is a generic pointer with a known space.
func (s *spaces) known(p *ssa.Value) bool {
	return p.Type == ssa.Ptr && s.of[p.ID] != ssa.Void && s.of[p.ID] != ssa.Ptr
}

// infer runs to the fixed point. A pointer's space only changes from unknown
// to known to generic, and its set of origins only grows, so each changes at most
// four times.
func (s *spaces) infer() {
	var derived []*ssa.Value
	for _, b := range s.f.Blocks {
		for _, v := range b.Values {
			if v.Type != ssa.Ptr {
				continue
			}
			switch v.Op {
			case ssa.OpPtrAdd, ssa.OpPhi, ssa.OpSelect:
				derived = append(derived, v)
			case ssa.OpSpaceCast:
				if v.Args[0].Type == ssa.Ptr {
					derived = append(derived, v)
				} else {
					s.of[v.ID], s.from[v.ID] = v.Args[0].Type, originsOf(v)
				}
			default:
				s.of[v.ID], s.from[v.ID] = s.source(v), originsOf(v)
			}
		}
	}
	// The users of each pointer, as chains: few values are pointers.
	type link struct {
		user *ssa.Value
		next int32 // index in links + 1
	}
	links := make([]link, 0, len(derived)+len(derived)/4)
	users := ssa.Make[int32](s.f, len(s.of)) // index of the first link + 1
	for _, v := range derived {
		for _, a := range pointerArgs(v) {
			links = append(links, link{v, users[a.ID]})
			users[a.ID] = int32(len(links))
		}
	}
	work := slices.Clone(derived)
	for len(work) > 0 {
		v := work[len(work)-1]
		work = work[:len(work)-1]
		was, from := s.of[v.ID], s.from[v.ID]
		for _, a := range pointerArgs(v) {
			s.of[v.ID] = meet(s.of[v.ID], s.of[a.ID])
			s.from[v.ID] |= s.from[a.ID]
		}
		if v.Op == ssa.OpPtrAdd && s.from[v.ID]&fromNull != 0 {
			s.from[v.ID] |= fromOther // null plus an offset
		}
		if s.of[v.ID] != was || s.from[v.ID] != from {
			for i := users[v.ID]; i != 0; i = links[i-1].next {
				work = append(work, links[i-1].user)
			}
		}
	}
}

// source returns the space of a pointer that is not derived from others.
func (s *spaces) source(v *ssa.Value) ssa.Type {
	if s.f.Kernel {
		switch {
		case v.Op == ssa.OpParam:
			return ssa.PtrGlobal
		case v.Op == ssa.OpLoad && v.Args[0].Type == ssa.PtrParam:
			return ssa.PtrGlobal
		}
	}
	if v.Op == ssa.OpUndef || v.Op == ssa.OpConst {
		return ssa.Void // undef and null take the space of the pointers they are merged with
	}
	return ssa.Ptr
}

// pointerArgs returns the pointers that a derived pointer is based on.
func pointerArgs(v *ssa.Value) []*ssa.Value {
	switch v.Op {
	case ssa.OpPtrAdd:
		return v.Args[:1]
	case ssa.OpSelect:
		return v.Args[1:]
	}
	return v.Args
}

// meet is the meet operator of the lattice of spaces.
func meet(a, b ssa.Type) ssa.Type {
	switch {
	case a == ssa.Void:
		return b
	case b == ssa.Void || a == b:
		return a
	}
	return ssa.Ptr
}

// specialise returns the pointer of p's space with p's address, creating it
// and its operands. The work list replaces recursion, since chains of
// pointers can be long; arguments are set last, since phis form cycles.
func (s *spaces) specialise(p *ssa.Value) *ssa.Value {
	result, work := s.specific(p)
	for len(work) > 0 {
		v := work[len(work)-1]
		work = work[:len(work)-1]
		twin := s.special[v.ID]
		twin.MakeArgs(len(v.Args))
		copy(twin.Args, v.Args)
		from := twin.Args[len(v.Args)-len(pointerArgs(v)):]
		if v.Op == ssa.OpPtrAdd {
			from = twin.Args[:1]
		}
		for i, a := range from {
			arg, more := s.specificAs(a, s.of[v.ID])
			from[i] = arg
			work = append(work, more...)
		}
	}
	return result
}

// specificAs is specific, for an operand of a pointer of space t. An operand
// of unknown space, such as null, gets space t.
func (s *spaces) specificAs(a *ssa.Value, t ssa.Type) (*ssa.Value, []*ssa.Value) {
	if s.of[a.ID] == ssa.Void {
		return s.cast(a, t), nil
	}
	return s.specific(a)
}

// specific returns the pointer of the specific space for p, and p itself in a
// list if the pointer was just created and its arguments are missing.
func (s *spaces) specific(p *ssa.Value) (*ssa.Value, []*ssa.Value) {
	if twin := s.special[p.ID]; twin != nil {
		return twin, nil
	}
	t := s.of[p.ID]
	switch {
	case p.Op == ssa.OpSpaceCast && p.Args[0].Type == t:
		s.special[p.ID] = p.Args[0]
		return p.Args[0], nil
	case p.Op == ssa.OpPtrAdd || p.Op == ssa.OpPhi || p.Op == ssa.OpSelect:
		twin := s.f.NewValue(p.Op, t)
		s.add(twin, p)
		return twin, []*ssa.Value{p}
	case p.Op == ssa.OpSpaceCast: // a cast from generic to generic
		twin, more := s.specific(p.Args[0])
		s.special[p.ID] = twin
		return twin, more
	}
	return s.cast(p, t), nil
}

// cast returns the cast of p to t, created once.
func (s *spaces) cast(p *ssa.Value, t ssa.Type) *ssa.Value {
	if twin := s.special[p.ID]; twin != nil && twin.Type == t {
		return twin
	}
	var twin *ssa.Value
	switch {
	case p.Op == ssa.OpConst && t == ssa.PtrGlobal: // of the same bits
		twin = s.f.NewConst(t, p.Int)
	case p.Op == ssa.OpUndef:
		twin = s.f.NewValue(ssa.OpUndef, t)
	default:
		twin = s.f.NewValue(ssa.OpSpaceCast, t, p)
	}
	s.add(twin, p)
	return twin
}

// add notes twin as the form of p in its space, to be placed after p.
func (s *spaces) add(twin, p *ssa.Value) {
	s.special[p.ID] = twin
	s.put(twin, p)
}

// put places a new value after p.
func (s *spaces) put(v, p *ssa.Value) {
	v.Block, v.Pos = p.Block, p.Pos
	s.before = append(s.before, v)
	s.place = append(s.place, p)
}

// insert places the new pointers after their generic ones; casts of phis are
// placed after all phis.
func (s *spaces) insert() {
	twins := ssa.Make[[]*ssa.Value](s.f, len(s.of))
	touched := ssa.Make[bool](s.f, s.f.NumBlocks())
	for i, p := range s.place {
		twins[p.ID] = append(twins[p.ID], s.before[i])
		touched[p.Block.ID] = true
	}
	var out []*ssa.Value
	for _, b := range s.f.Blocks {
		if !touched[b.ID] {
			continue
		}
		out = out[:0]
		phis := b.Phis()
		var late []*ssa.Value
		for i, v := range b.Values {
			if i == len(phis) {
				out = append(out, late...)
				late = nil
			}
			out = append(out, v)
			if v.ID >= len(twins) {
				continue
			}
			for _, twin := range twins[v.ID] {
				if v.Op == ssa.OpPhi && twin.Op != ssa.OpPhi {
					late = append(late, twin)
				} else {
					out = append(out, twin)
				}
			}
		}
		out = append(out, late...)
		setValues(b, out)
	}
}
