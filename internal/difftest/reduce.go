package difftest

import "slices"

// Reduce returns the finding with a smaller program that goes wrong in the same
// way: it takes statements away, puts the insides of statements in their place,
// and makes operands constants or parts of themselves, as long as the
// finding stays. It tries so many times at most.
func (c *Checker) Reduce(f *Finding, tries int) *Finding {
	r := &reducer{c: c, f: f, p: f.Program, left: tries}
	if f.long && f.Kind == "differs" { // without gcc it is faster, if it shows
		f2 := *f
		f2.long = false
		if c.again(&f2, f.Program) {
			r.f = &f2
		}
	}
	if !c.again(r.f, r.p) {
		return f // it does not repeat: nothing can be said about parts of it
	}
	for r.changed = true; r.changed; {
		r.changed = false
		r.block(r.p.root)
		r.operands(r.p.root)
	}
	if small := c.finding(f, r.p); small != nil {
		return small
	}
	return f
}

// finding describes what is wrong with the reduced program.
func (c *Checker) finding(f *Finding, p *Program) *Finding {
	only := &Checker{GCC: c.GCC, Others: -1}
	for _, v := range c.Variants {
		if v.Name == f.Variant || v.Name == c.Variants[0].Name {
			only.Variants = append(only.Variants, v)
		}
	}
	if found, err := only.Check([]*Program{p}); err == nil && len(found) > 0 {
		return found[0]
	}
	return nil
}

// A reducer edits the program in place, and takes an edit back when the
// finding is gone.
type reducer struct {
	c       *Checker
	f       *Finding
	p       *Program
	left    int // tries
	changed bool
}

func (r *reducer) holds() bool {
	if r.left--; r.left < 0 || !r.c.again(r.f, r.p) {
		return false
	}
	r.changed = true
	return true
}

// block takes statements of b away: halves, quarters and so on, then one by
// one, then what they are made of.
func (r *reducer) block(b *block) {
	for size := (len(b.list) + 1) / 2; size > 0; size /= 2 {
		for i := 0; i < len(b.list); {
			old := b.list
			j := min(i+size, len(old))
			b.list = slices.Concat(old[:i:i], slices.DeleteFunc(slices.Clone(old[i:j]), func(s *stmt) bool { return !s.keep }), old[j:])
			if len(b.list) == len(old) || !r.holds() {
				b.list = old
				i += size
			}
		}
	}
	for i := 0; i < len(b.list); i++ {
		s := b.list[i]
		if len(s.blocks) > 0 {
			old := b.list
			var flat []*stmt
			for _, inner := range s.blocks {
				flat = append(flat, inner.list...)
			}
			b.list = slices.Concat(old[:i:i], flat, old[i+1:])
			if r.holds() {
				i--
				continue
			}
			b.list = old
		}
		for _, inner := range s.blocks {
			r.block(inner)
		}
	}
}

// operands makes the expressions in b simpler.
func (r *reducer) operands(b *block) {
	for _, s := range b.list {
		for i := range s.args {
			r.simplify(&s.args[i])
		}
		for _, inner := range s.blocks {
			r.operands(inner)
		}
	}
}

// simplify replaces *e by a constant or one of its operands, as far as the
// finding stays, and does the same to the operands of what is left.
func (r *reducer) simplify(e **exp) {
	for again := true; again; {
		again = false
		old := *e
		if old.t == nil || len(old.args) == 0 {
			break
		}
		try := []*exp{{old.t, "((" + old.t.name + ")1)", nil}, {old.t, "((" + old.t.name + ")0)", nil}}
		for _, a := range old.args {
			if a.t != nil {
				inner := cast(old.t, a)
				if inner != a {
					inner = &exp{old.t, "($)", []*exp{inner}}
				}
				try = append(try, inner)
			}
		}
		for _, t := range try {
			if len(t.String()) >= len(old.String()) {
				continue
			}
			if *e = t; r.holds() {
				again = len(t.args) > 0
				break
			}
			*e = old
		}
	}
	for i := range (*e).args {
		r.simplify(&(*e).args[i])
	}
}
