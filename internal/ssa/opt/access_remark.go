package opt

import (
	"fmt"
	"strings"

	"irgl/internal/pass"
	"irgl/internal/ssa"
	"irgl/internal/ssa/analysis"
)

// accessName is how remarks call a load, store or atomic.
func accessName(v *ssa.Value) string {
	switch {
	case v.Op == ssa.OpLoad:
		return "load of " + v.Type.String()
	case v.Op == ssa.OpStore:
		return "store of " + v.Args[1].Type.String()
	}
	return v.Op.String()
}

// reason says why the space of p, a generic pointer, is unknown: the first of
// its sources that may point to any space, or the spaces that differ.
func (s *spaces) reason(p *ssa.Value) string {
	seen := map[*ssa.Value]bool{p: true}
	found := make(map[ssa.Type]bool)
	for work := []*ssa.Value{p}; len(work) > 0; {
		v := work[0]
		work = work[1:]
		from := []*ssa.Value(nil)
		switch v.Op {
		case ssa.OpPtrAdd, ssa.OpPhi, ssa.OpSelect, ssa.OpSpaceCast:
			from = pointerArgs(v)
		}
		switch {
		case v.Type != ssa.Ptr:
			found[v.Type] = true
			continue
		case from != nil:
		case s.of[v.ID] != ssa.Ptr: // known, or null
			found[s.of[v.ID]] = true
		default:
			return s.origin(v)
		}
		for _, a := range from {
			if !seen[a] {
				seen[a] = true
				work = append(work, a)
			}
		}
	}
	var names []string
	for t := ssa.PtrGlobal; t <= ssa.PtrParam; t++ {
		if found[t] {
			names = append(names, strings.TrimPrefix(t.String(), "ptr."))
		}
	}
	return "its address may be in " + strings.Join(names, " or ") + " memory"
}

// origin describes v, a pointer of unknown space.
func (s *spaces) origin(v *ssa.Value) string {
	switch v.Op {
	case ssa.OpParam:
		return fmt.Sprintf("its address comes from parameter %s of %s, which is not a kernel", s.f.Params[v.Int].Name, s.f.Name)
	case ssa.OpLoad:
		return "its address was loaded from memory"
	case ssa.OpIntToPtr:
		return "its address was converted from an integer"
	case ssa.OpCall, ssa.OpCallPtr:
		return "its address is the result of a call"
	}
	return fmt.Sprintf("its address is computed by %s", v.Op)
}

// remarkReadOnly explains for each global load of f that is not marked
// readonly why it is not.
func remarkReadOnly(f *ssa.Func, a *analysis.Aliases, r *pass.Run) {
	writers := make(map[analysis.Mask]string) // by class of the load
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			if v.Op != ssa.OpLoad || v.Mem.ReadOnly || v.Args[0].Type != ssa.PtrGlobal {
				continue
			}
			reason := "it is volatile"
			if !f.Kernel {
				reason = f.Name + " is not a kernel, and its callers may write"
			} else if !v.Mem.Volatile {
				class := a.Class(v.Args[0])
				if _, ok := writers[class]; !ok {
					writers[class] = writer(f, a, class)
				}
				reason = writers[class]
			}
			r.Missed(v.Pos, "%s is not read-only: %s", accessName(v), reason)
		}
	}
}

// writer names the first operation of f that may write memory of a class.
func writer(f *ssa.Func, a *analysis.Aliases, class analysis.Mask) string {
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			var near analysis.Mask
			switch {
			case v.Op == ssa.OpStore || v.Op.IsAtomic():
				near = a.Near(v.Args[0])
			case v.Op.IsCall(), v.Op.IsAsm():
				near = a.Written(v)
			}
			if near&class == 0 {
				continue
			}
			name := v.Op.String()
			if v.Op == ssa.OpCall {
				name = "call of " + v.Callee()
			}
			where := fmt.Sprintf("at %d:%d", v.Pos.Line(), v.Pos.Column())
			if v.Pos.File != nil && strings.HasPrefix(v.Pos.File.Name, "devlib/") {
				where = "in the device library"
			}
			text := fmt.Sprintf("the %s %s may write what it reads", name, where)
			if p := v.Address(); p != nil {
				if root := a.Root(p); root != nil && root.Op == ssa.OpParam && a.Class(p) != class && !f.Params[root.Int].Restrict {
					text += fmt.Sprintf(" (%s is not __restrict__)", f.Params[root.Int].Name)
				}
			}
			return text
		}
	}
	return "the space of its address was unknown"
}

// remarks explains for each access of a block that is in no vector, though its
// neighbour in memory is in none either, why it is not vectorised.
func (x *vectoriser) remarks() {
	for i, g := range x.closed {
		for k, m := range g.left {
			if n := next(g, m, g.left); n != nil {
				x.run.Missed(g.left[k].v.Pos, "%s and its neighbour at %d:%d are not one access: their address is not known to be a multiple of %d",
					accessName(m.v), n.v.Pos.Line(), n.v.Pos.Column(), 2*g.typ.Size())
				continue
			}
			for _, h := range x.closed[i+1:] {
				if h.base != g.base || h.typ != g.typ || h.store != g.store || g.by == nil {
					continue
				}
				if n := next(g, m, h.left); n != nil {
					x.run.Missed(m.v.Pos, "%s and its neighbour at %d:%d are not one access: the %s at %d:%d is between them",
						accessName(m.v), n.v.Pos.Line(), n.v.Pos.Column(), g.by.Op, g.by.Pos.Line(), g.by.Pos.Column())
					break
				}
			}
		}
	}
}

// next returns the member of list that is adjacent to m in memory: after it,
// or, if it is of another group, before it.
func next(g *vectorGroup, m member, list []member) *member {
	size := int64(g.typ.Size())
	for i := range list {
		if d := list[i].off - m.off; d == size {
			return &list[i]
		}
	}
	return nil
}
