package ptxtest

import "slices"

// Reduce returns a smaller program that fails as p does: without the statements that do not matter, with bodies in the place of the
// branches and loops around them, and with fewer threads. It calls fails with programs that are changed afterwards.
func Reduce(p *Program, fails func(*Program) bool) *Program {
	r := &reducer{p: p.clone(), fails: fails}
	for r.changed = true; r.changed; {
		r.changed = false
		r.list(&r.p.body)
		for i := range r.p.funcs {
			r.list(&r.p.funcs[i])
		}
	}
	for _, n := range []*int{&r.p.Blocks, &r.p.Threads} {
		old := *n
		if *n = min(old, 32); n == &r.p.Blocks {
			*n = 1
		}
		if *n != old && !r.fails(r.p) {
			*n = old
		}
	}
	return r.p
}

func (p *Program) clone() *Program {
	q := *p
	q.body = cloneList(p.body)
	for i, f := range p.funcs {
		q.funcs[i] = cloneList(f)
	}
	return &q
}

func cloneList(list []*stmt) []*stmt {
	list = slices.Clone(list)
	for i, s := range list {
		c := *s
		c.bodies = slices.Clone(s.bodies)
		for k, b := range c.bodies {
			c.bodies[k] = cloneList(b)
		}
		list[i] = &c
	}
	return list
}

// Statements returns the number of statements of a program, with those of the functions that it calls.
func (p *Program) Statements() int {
	n := count(p.body)
	for _, i := range p.called(p.main()) {
		n += count(p.funcs[i])
	}
	return n
}

func count(list []*stmt) int {
	n := len(list)
	for _, s := range list {
		for _, b := range s.bodies {
			n += count(b)
		}
	}
	return n
}

// A reducer cuts statements out of p.
type reducer struct {
	p       *Program
	fails   func(*Program) bool
	changed bool
}

// try replaces a list, if the program then still fails.
func (r *reducer) try(list *[]*stmt, by []*stmt) bool {
	old := *list
	*list = by
	if r.fails(r.p) {
		r.changed = true
		return true
	}
	*list = old
	return false
}

// list reduces a list: it cuts out runs of statements, long ones first, then reduces what is left of them.
func (r *reducer) list(list *[]*stmt) {
	for n := len(*list); n > 0; n /= 2 {
		for i := 0; i < len(*list); {
			end := min(i+n, len(*list))
			if !r.try(list, slices.Concat((*list)[:i], (*list)[end:])) {
				i = end
			}
		}
	}
	for i := 0; i < len(*list); i++ {
		s := (*list)[i]
		if len(s.bodies) > 0 && r.try(list, slices.Concat((*list)[:i], slices.Concat(s.bodies...), (*list)[i+1:])) {
			i--
			continue
		}
		for k := range s.bodies {
			r.list(&s.bodies[k])
		}
	}
}
