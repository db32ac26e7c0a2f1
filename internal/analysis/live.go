package analysis

import (
	"irgl/internal/check"
	"irgl/syntax"
)

// Live returns, by node number, the locals and parameters whose values may
// still be read at the beginning of the node. Those in memory
// (check.Object.Addressed) count as read wherever they are used at all.
func (f *Func) Live() [][]*check.Object {
	objects := f.locals()
	number := map[*check.Object]int{}
	for i, o := range objects {
		number[o] = i
	}
	words := (len(objects) + 63) / 64
	n := len(f.Graph.Nodes)
	use, def := make([][]uint64, n), make([][]uint64, n)
	in := make([][]uint64, n)
	for i := range n {
		use[i], def[i] = make([]uint64, words), make([]uint64, words)
		in[i] = make([]uint64, words)
		for _, r := range f.Effects[i].Refs {
			k, ok := number[r.Object]
			if !ok {
				continue
			}
			bit := uint64(1) << (k % 64)
			if r.Mode&(Read|Escape) != 0 && def[i][k/64]&bit == 0 {
				use[i][k/64] |= bit
			}
			if r.Mode&(Write|Declare) != 0 && r.Mode&Read == 0 && !r.Part && !r.Maybe && !r.Object.Addressed {
				def[i][k/64] |= bit
			}
			if r.Object.Addressed {
				use[i][k/64] |= bit
			}
		}
	}
	queued := make([]bool, n)
	work := make([]int, 0, n)
	for i := range n {
		work, queued[i] = append(work, i), true
	}
	for len(work) > 0 {
		i := work[len(work)-1]
		work, queued[i] = work[:len(work)-1], false
		changed := false
		for w := range words {
			o := uint64(0)
			for _, e := range f.Graph.Nodes[i].Succs {
				o |= in[e.To.ID][w]
			}
			if v := use[i][w] | o&^def[i][w]; v != in[i][w] {
				in[i][w], changed = v, true
			}
		}
		if changed {
			for _, e := range f.Graph.Nodes[i].Preds {
				if p := e.From.ID; !queued[p] {
					work, queued[p] = append(work, p), true
				}
			}
		}
	}
	live := make([][]*check.Object, n)
	for i := range n {
		for k, o := range objects {
			if in[i][k/64]&(1<<(k%64)) != 0 {
				live[i] = append(live[i], o)
			}
		}
	}
	return live
}

// region returns which nodes are a part of s, by number; of the whole function
// when s is nil. The items of an Initial of s itself are not: they are put into
// the worklist before s begins.
func (f *Func) region(s syntax.Stmt) []bool {
	in := make([]bool, len(f.Graph.Nodes))
	for i, n := range f.Graph.Nodes {
		in[i] = s == nil || n.Within(s) && !(n.Kind == Initial && n.Stmt == s)
	}
	return in
}

// Copies returns the locals that code in s reads before it sets them, those
// that it sets and code after it reads, and those that only s uses; s nil is the
// whole function, whose parameters are copied in.
func (f *Func) Copies(s syntax.Stmt) (in, out, private []*check.Object) {
	region := f.region(s)
	live := f.Live()
	entry, after := map[*check.Object]bool{}, map[*check.Object]bool{}
	for _, e := range f.Graph.Edges {
		if !region[e.From.ID] && region[e.To.ID] || s == nil && e.From.Kind == Start {
			for _, o := range live[e.To.ID] {
				entry[o] = true
			}
		}
		if region[e.From.ID] && !region[e.To.ID] {
			for _, o := range live[e.To.ID] {
				after[o] = true
			}
		}
	}
	own := map[*check.Object]bool{} // declared in the region
	used, set, outside := map[*check.Object]bool{}, map[*check.Object]bool{}, map[*check.Object]bool{}
	for i, e := range f.Effects {
		for _, r := range e.Refs {
			switch {
			case !IsLocal(r.Object):
			case !region[i]:
				outside[r.Object] = true
			default:
				used[r.Object] = true
				own[r.Object] = own[r.Object] || f.declaredAt(r)
				if r.Mode&(Write|Escape) != 0 {
					set[r.Object] = true
				}
			}
		}
	}
	for _, o := range f.locals() {
		copied := false
		// What is set on some paths only keeps its old value on the others.
		if used[o] && !own[o] && (entry[o] || set[o] && after[o] && outside[o] && f.setBefore(o, region)) {
			in, copied = append(in, o), true
		}
		if set[o] && after[o] && !own[o] {
			out, copied = append(out, o), true
		}
		if used[o] && !copied {
			private = append(private, o)
		}
	}
	return in, out, private
}

// setBefore reports whether o, live after a region, may have been set before it
// and pass through it.
func (f *Func) setBefore(o *check.Object, region []bool) bool {
	if o.Kind == check.ParamObj {
		return true
	}
	for i, e := range f.Effects {
		if region[i] {
			continue
		}
		for _, r := range e.Refs {
			if r.Object == o && r.Mode&Write != 0 {
				return true
			}
		}
	}
	return false
}
