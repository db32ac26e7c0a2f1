package klaptest

import "slices"

// Reduce takes statements of the program away, or puts the statements of a block in the place of one, as
// long as the program finds a difference of the same kind. It tries so many times at most.
func Reduce(f *Finding, text bool, tries int, seeds ...uint64) *Finding {
	r := &reducer{f: f, p: f.Program, text: text, left: tries, seeds: seeds}
	for r.changed = true; r.changed; {
		r.changed = false
		r.block(f.Program.root)
	}
	return r.f
}

// A reducer edits the program in place, and takes an edit back when the finding is gone.
type reducer struct {
	f       *Finding
	p       *Program
	text    bool
	left    int
	seeds   []uint64
	changed bool
}

func (r *reducer) holds() bool {
	if r.left--; r.left < 0 {
		return false
	}
	want, err := r.p.Plain(0)
	if err != nil {
		return false
	}
	for seed := range uint64(3) { // the program has one result still
		if again, err := r.p.Plain(seed + 1); err != nil || string(again.Out) != string(want.Out) {
			return false
		}
	}
	f, _, _ := Check(r.p, want, r.f.Variant, r.text, r.seeds...)
	if f == nil || f.Kind != r.f.Kind {
		return false
	}
	r.f, r.changed = f, true
	return true
}

func (r *reducer) block(b *block) {
	for size := (len(b.list) + 1) / 2; size > 0; size /= 2 {
		for i := 0; i < len(b.list); {
			old := b.list
			j := min(i+size, len(old))
			b.list = slices.Concat(old[:i:i], kept(old[i:j]), old[j:])
			if len(b.list) == len(old) || !r.holds() {
				b.list = old
				i += size
			}
		}
	}
	for i := 0; i < len(b.list); i++ {
		s := b.list[i]
		if s.body == nil {
			continue
		}
		if b != r.p.root { // the statements in place of the block
			old := b.list
			b.list = slices.Concat(old[:i:i], s.body.list, old[i+1:])
			if r.holds() {
				i--
				continue
			}
			b.list = old
		}
		r.block(s.body)
	}
}

// kept returns the statements without which there is no program.
func kept(list []*stmt) []*stmt {
	var out []*stmt
	for _, s := range list {
		if s.keep {
			out = append(out, s)
		}
	}
	return out
}
