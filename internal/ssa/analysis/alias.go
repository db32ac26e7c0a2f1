package analysis

import (
	"fmt"
	"slices"
	"strings"

	"irgl/internal/ssa"
)

// Aliases answers which memory accesses may alias. Source: gpucc, section 3.3
// (memory spaces are disjoint); underlying objects of pointers; constant
// distances; the restrict qualifier of parameters.
//
// The root of a pointer is its underlying object, found through arithmetic,
// casts, phis and selects: an alloca, a variable, a parameter, or a value loaded
// from memory or converted from an integer. Two different roots that are allocas
// or variables do not alias. Nor do a restrict parameter and any other root, as
// long as the parameter does not escape, and likewise an alloca. A parameter
// existed before any alloca of the function.
//
// C's strict aliasing rule is not used.
type Aliases struct {
	f         *ssa.Func
	root      []*ssa.Value // by value number, of pointers; nil when there are several
	escaped   []bool       // by number of a root: its address escapes
	class     []uint8      // by number of a root: its bit in a Mask
	roots     []*ssa.Value // the roots that have a bit in Masks
	dynamic   map[string]bool
	constants map[string]bool  // the variables that nothing writes
	shown     Mask             // the roots of memory that other threads may access
	near      map[pointer]Mask // results of Near
}

// A pointer is the key for Near: everything that its result depends on.
type pointer struct {
	root *ssa.Value
	typ  ssa.Type
}

// A Mask is a set of roots. The last bit is shared by all roots beyond 63, and
// by pointers with several roots.
type Mask uint64

const (
	lastClass = 63
	AllMemory = ^Mask(0)
)

// Alias analyses the pointers of f, a function of m. Shared variables of m of
// size 0 all begin at the start of dynamic shared memory, so they alias;
// without m, any two shared variables may alias.
func Alias(f *ssa.Func, m *ssa.Module) *Aliases {
	a := &Aliases{f: f, root: ssa.Make[*ssa.Value](f, f.NumValues()), escaped: ssa.Make[bool](f, f.NumValues()), class: ssa.Make[uint8](f, f.NumValues())}
	if m != nil {
		a.dynamic, a.constants = make(map[string]bool), make(map[string]bool)
		for _, g := range m.Globals {
			if g.Const {
				a.constants[g.Name] = true
			}
			if g.Space == ssa.PtrShared && g.Size == 0 {
				a.dynamic[g.Name] = true
			}
		}
	}
	a.findRoots()
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			if v.Type.IsPtr() && a.root[v.ID] == v {
				a.class[v.ID] = lastClass
				if len(a.roots) < lastClass {
					a.class[v.ID] = uint8(len(a.roots))
					a.roots = append(a.roots, v)
				}
			}
		}
	}
	a.findEscapes()
	a.shown = 1 << lastClass
	for _, r := range a.roots {
		if !a.hidden(r) {
			a.shown |= 1 << a.class[r.ID]
		}
	}
	return a
}

// hidden reports whether no other thread can access the object of r.
func (a *Aliases) hidden(r *ssa.Value) bool { return r.Op == ssa.OpAlloca && !a.escaped[r.ID] }

// derived returns the pointers that v is derived from, or nil if v is not derived.
func derived(v *ssa.Value) []*ssa.Value {
	switch v.Op {
	case ssa.OpPtrAdd, ssa.OpSpaceCast:
		return v.Args[:1]
	case ssa.OpSelect:
		return v.Args[1:]
	case ssa.OpPhi:
		return v.Args
	}
	return nil
}

// several stands for more than one root until all roots are known.
var several = &ssa.Value{}

// findRoots propagates to the fixed point. A pointer has no root at first, then
// one, then several, so it changes at most twice. Without loops, one walk
// suffices.
func (a *Aliases) findRoots() {
	var canonical map[string]*ssa.Value // the representative of each variable
	params := make([]*ssa.Value, len(a.f.Params))
	var work []*ssa.Value // derived from a value not yet visited, or from null or undef
	for _, b := range a.f.Blocks {
		for _, v := range b.Values {
			if !v.Type.IsPtr() {
				continue
			}
			from := derived(v)
			switch {
			case from != nil:
				a.root[v.ID] = a.join(nil, from)
				if slices.ContainsFunc(from, func(x *ssa.Value) bool { return a.root[x.ID] == nil }) {
					work = append(work, v)
				}
			case v.Op == ssa.OpUndef, v.Op == ssa.OpConst && v.Int == 0: // null and undef have no root
			case v.Op == ssa.OpGlobalAddr:
				if canonical[v.Callee()] == nil {
					if canonical == nil {
						canonical = make(map[string]*ssa.Value)
					}
					canonical[v.Callee()] = v
				}
				a.root[v.ID] = canonical[v.Callee()]
			case v.Op == ssa.OpParam:
				if params[v.Int] == nil {
					params[v.Int] = v
				}
				a.root[v.ID] = params[v.Int]
			default:
				a.root[v.ID] = v
			}
		}
	}
	if len(work) > 0 {
		a.propagate(work)
	}
	for i, r := range a.root {
		if r == several {
			a.root[i] = nil
		}
	}
}

// join returns the union of now and the roots of from.
func (a *Aliases) join(now *ssa.Value, from []*ssa.Value) *ssa.Value {
	for _, x := range from {
		switch r := a.root[x.ID]; {
		case r == nil:
		case now == nil:
			now = r
		case now != r:
			now = several
		}
	}
	return now
}

// propagate visits the pointers in work again, and the pointers derived from
// those that change.
func (a *Aliases) propagate(work []*ssa.Value) {
	// The pointer users of each pointer, as linked lists in one slice: a
	// separate list per value of the function, most of which are not pointers,
	// would take most of the memory here.
	type link struct {
		user *ssa.Value
		next int32 // index in links + 1
	}
	n := 0
	for _, b := range a.f.Blocks {
		for _, v := range b.Values {
			if v.Type.IsPtr() {
				n += len(derived(v))
			}
		}
	}
	links := make([]link, 0, n)
	users := ssa.Make[int32](a.f, len(a.root)) // index of the first link + 1
	for _, b := range a.f.Blocks {
		for _, v := range b.Values {
			if !v.Type.IsPtr() {
				continue
			}
			for _, x := range derived(v) {
				links = append(links, link{v, users[x.ID]})
				users[x.ID] = int32(len(links))
			}
		}
	}
	slices.Reverse(work) // visit the first definition first
	for len(work) > 0 {
		v := work[len(work)-1]
		work = work[:len(work)-1]
		now := a.join(a.root[v.ID], derived(v))
		if now != a.root[v.ID] {
			a.root[v.ID] = now
			for i := users[v.ID]; i != 0; i = links[i-1].next {
				work = append(work, links[i-1].user)
			}
		}
	}
}

// findEscapes marks roots whose address, or a pointer derived from it, is
// stored, passed to a call, or converted to an integer.
func (a *Aliases) findEscapes() {
	escape := func(p *ssa.Value) {
		if r := a.root[p.ID]; r != nil {
			a.escaped[r.ID] = true
		}
	}
	for _, b := range a.f.Blocks {
		for _, v := range b.Values {
			for i, x := range v.Args {
				if !x.Type.IsPtr() {
					continue
				}
				switch {
				case i == 0 && v.Address() != nil, v.Op.IsIntCompare():
				case derived(v) != nil:
					// A pointer with several roots may access each of them, though it has none
					// itself.
					if a.root[v.ID] == nil {
						escape(x)
					}
				default:
					escape(x)
				}
			}
		}
		if b.Kind == ssa.BlockRet && b.Ctrl != nil && b.Ctrl.Type.IsPtr() {
			escape(b.Ctrl)
		}
	}
}

// Root returns the root of p, or nil if there are several. Of a pointer created after
// the analysis it is that of the pointers that it is derived from, which such pointers must not
// depend on in a cycle: no pass that asks for them adds phis of pointers at loop headers.
func (a *Aliases) Root(p *ssa.Value) *ssa.Value {
	if p.ID < len(a.root) {
		return a.root[p.ID]
	}
	var root *ssa.Value
	for i, from := range derived(p) {
		r := a.Root(from)
		if r == nil || i > 0 && r != root {
			return nil
		}
		root = r
	}
	return root
}

// private reports whether only pointers with root r can reach its object.
func (a *Aliases) private(r *ssa.Value) bool {
	return (r.Op == ssa.OpAlloca || a.restrict(r)) && !a.escaped[r.ID]
}

// restrict reports whether r is a kernel's restrict parameter.
func (a *Aliases) restrict(r *ssa.Value) bool {
	return r.Op == ssa.OpParam && a.f.Kernel && a.f.Params[r.Int].Restrict
}

// space returns the state space of what p points to, or ssa.Ptr.
func (a *Aliases) space(p *ssa.Value) ssa.Type {
	if p.Type != ssa.Ptr {
		return p.Type
	}
	if r := a.Root(p); r != nil {
		if r.Op == ssa.OpParam && a.f.Kernel {
			return ssa.PtrGlobal
		}
		return r.Type
	}
	return ssa.Ptr
}

// Split returns p as a base pointer and a constant offset.
func Split(p *ssa.Value) (base *ssa.Value, off int64) {
	for {
		switch {
		case p.Op == ssa.OpPtrAdd && p.Args[1].Op == ssa.OpConst:
			off += p.Args[1].Int
		case p.Op != ssa.OpSpaceCast:
			return p, off
		}
		p = p.Args[0]
	}
}

// MayAlias reports whether an access of n bytes at p and one of m bytes at q may
// overlap. It compares values of the same iteration: the instruction that
// computes p may give another address in the next one.
func (a *Aliases) MayAlias(p *ssa.Value, n int64, q *ssa.Value, m int64) bool {
	x, i := Split(p)
	y, j := Split(q)
	if x == y || x.Op == ssa.OpGlobalAddr && y.Op == ssa.OpGlobalAddr && x.Sym == y.Sym {
		return i < j+m && j < i+n
	}
	return a.mayShare(p, q)
}

// MayAliasLater reports whether an access at p and one at q may alias in different
// iterations of a loop: whether they may access the same object.
func (a *Aliases) MayAliasLater(p, q *ssa.Value) bool { return a.mayShare(p, q) }

// Same reports whether p and q are known to be equal.
func (a *Aliases) Same(p, q *ssa.Value) bool {
	x, i := Split(p)
	y, j := Split(q)
	return i == j && (x == y || x.Op == ssa.OpGlobalAddr && y.Op == ssa.OpGlobalAddr && x.Sym == y.Sym)
}

// mayShare reports whether p and q may point into the same object, at the given
// offsets.
func (a *Aliases) mayShare(p, q *ssa.Value) bool {
	s, t := a.space(p), a.space(q)
	if s != t && s != ssa.Ptr && t != ssa.Ptr {
		return false
	}
	x, y := a.Root(p), a.Root(q)
	switch {
	case x == nil && y == nil:
		return true
	case x == nil:
		return !a.private(y)
	case y == nil:
		return !a.private(x)
	case x == y:
		return true
	case a.private(x) || a.private(y):
		return false
	case object(x) && object(y):
		both := x.Type == ssa.PtrShared && y.Type == ssa.PtrShared
		return both && (a.dynamic == nil || a.dynamic[x.Callee()] && a.dynamic[y.Callee()])
	case x.Op == ssa.OpAlloca && y.Op == ssa.OpParam, y.Op == ssa.OpAlloca && x.Op == ssa.OpParam:
		return false
	}
	return true
}

// object reports whether r is the address of a distinct object.
func object(r *ssa.Value) bool { return r.Op == ssa.OpAlloca || r.Op == ssa.OpGlobalAddr }

// Written returns the roots whose memory v may change, or to which v may make
// another thread's writes visible. Atomics and synchronising operations count
// for all memory that other threads can access.
func (a *Aliases) Written(v *ssa.Value) Mask {
	switch {
	case v.Op.Effects()&(ssa.Writes|ssa.Syncs) == 0:
		if !v.Mem.Volatile {
			return 0
		}
	case v.Op == ssa.OpStore && !v.Mem.Volatile:
		return a.Near(v.Args[0])
	}
	if p := v.Address(); p != nil {
		if r := a.Root(p); r != nil {
			return a.shown | 1<<a.class[r.ID]
		}
	}
	return a.shown
}

// Reached returns the roots whose memory v, which is not a load or store, may read.
func (a *Aliases) Reached(v *ssa.Value) Mask {
	if v.Op == ssa.OpAsmRead {
		return a.shown
	}
	return a.Written(v)
}

// Private reports whether only pointers derived from p's root can access p's
// object.
func (a *Aliases) Private(p *ssa.Value) bool {
	r := a.Root(p)
	return r != nil && a.private(r)
}

// Near returns the roots of all accesses that may alias one at p.
func (a *Aliases) Near(p *ssa.Value) Mask {
	key := pointer{a.Root(p), p.Type}
	mask, ok := a.near[key]
	if !ok {
		if a.near == nil {
			a.near = make(map[pointer]Mask)
		}
		mask = a.nearRoots(p)
		a.near[key] = mask
	}
	return mask
}

func (a *Aliases) nearRoots(p *ssa.Value) Mask {
	var mask Mask
	for _, r := range a.roots {
		if a.mayShare(p, r) {
			mask |= 1 << a.class[r.ID]
		}
	}
	if r := a.Root(p); r == nil || !a.private(r) || a.class[r.ID] == lastClass {
		mask |= 1 << lastClass
	}
	return mask
}

// Class returns the set with p's root alone.
func (a *Aliases) Class(p *ssa.Value) Mask {
	if r := a.Root(p); r != nil {
		return 1 << a.class[r.ID]
	}
	return 1 << lastClass
}

// Fixed reports whether the load v reads the same value whenever it is executed.
func Fixed(v *ssa.Value) bool {
	t := v.Args[0].Type
	return !v.Mem.Volatile && (v.Mem.ReadOnly || t == ssa.PtrConst || t == ssa.PtrParam)
}

// String returns a line for each pointer that has a root other than itself, and
// each pair of accesses that cannot alias.
func (a *Aliases) String() string {
	var s strings.Builder
	var accesses []*ssa.Value
	for _, b := range a.f.Blocks {
		for _, v := range b.Values {
			if v.Type.IsPtr() && a.root[v.ID] == v && a.escaped[v.ID] {
				fmt.Fprintf(&s, "%s escapes\n", v)
			}
			if v.Type.IsPtr() && a.root[v.ID] != v {
				fmt.Fprintf(&s, "%s: root %s\n", v, a.root[v.ID])
			}
			if v.Address() != nil {
				accesses = append(accesses, v)
			}
		}
	}
	for i, v := range accesses {
		for _, w := range accesses[:i] {
			if !a.MayAlias(v.Args[0], AccessSize(v), w.Args[0], AccessSize(w)) {
				fmt.Fprintf(&s, "%s at %s and %s at %s do not alias\n", w.Op, w.Args[0], v.Op, v.Args[0])
			}
		}
	}
	return s.String()
}

// AccessSize returns the number of bytes that a load, store or atomic accesses.
func AccessSize(v *ssa.Value) int64 {
	if v.Type == ssa.Void && len(v.Args) > 1 {
		return int64(v.Args[1].Type.Size())
	}
	return int64(v.Type.Size())
}
