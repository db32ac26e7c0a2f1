package tune

import (
	"slices"

	"irgl/internal/check"
	"irgl/internal/lower"
	"irgl/internal/opt"
	"irgl/syntax"
)

// The last stage of a search limits switches to parts of the program (report, section 5:
// "a richer search space"): what is fast for one kernel may be slow for another.

// ofParts are the switches that are searched for each part, with their values. They are
// those of which the best value depends on the lengths of loops and on how many threads
// push, which differ between kernels.
var ofParts = []Axis{
	{Name: "np", Values: []string{"none", "fg", "wp", "tb", "wp,fg", "tb,fg", "gr,fg", "gr,wp,serial"}},
	{Name: "coop", Values: []string{"none", "warp", "block"}},
	{Name: "batch", Values: []string{"1", "2", "4", "8"}},
}

// The bounds of the search over parts.
const (
	maxParts   = 16    // how many parts of a program are searched, in the order of the text
	partSweeps = 2     // maximum sweeps over them
	costGain   = 0.999 // the same as worthwhile for a cost, which does not vary
)

// worthwhile returns the ratio to the best value from which on a choice for a part is worth
// a longer list of switches.
func (s *searcher) worthwhile() float64 {
	if s.m.Metric() == "cost" {
		return costGain
	}
	return worthwhile
}

// parts returns the parts of a program for which a search may choose apart: its kernels if
// there are several, and the inner loops of those that have several.
func parts(info *check.Info) []lower.Part {
	var kernels, loops []lower.Part
	for _, fn := range info.Funcs {
		if fn.Decl.Kind != syntax.KernelFunc || fn.Decl.Body == nil {
			continue
		}
		name := fn.Object.Name
		kernels = append(kernels, lower.Part{Kernel: name})
		if n := len(opt.InnerLoops(fn)); n > 1 {
			for i := range n {
				loops = append(loops, lower.Part{Kernel: name, Loop: i + 1})
			}
		}
	}
	if len(kernels) == 1 {
		kernels = nil
	}
	all := append(kernels, loops...)
	return all[:min(maxParts, len(all))]
}

// refine is a coordinate descent from the best choice over the parts of the program. It
// skips a part of which the choices do not matter: without any the program is as fast.
func (s *searcher) refine() {
	at := s.best
	for range partSweeps {
		improved := false
		for _, p := range s.space.Parts {
			matters, over := s.matters(at, p)
			if over {
				return
			}
			if !matters {
				continue
			}
			for _, a := range ofParts {
				list := partValues(at.o, p, a)
				s.ahead(list)
				for _, o := range list {
					t := s.try(o, "part")
					if t == nil {
						return
					}
					if t.Failed == "" && t.Value < s.worthwhile()*at.Value {
						at, improved = t, true
					}
				}
			}
		}
		if !improved {
			return
		}
	}
}

// partValues returns o with each value of a switch for a part, first with that of what is
// around it.
func partValues(o lower.Options, p lower.Part, a Axis) []lower.Options {
	o.ClearPart(a.Name, p)
	list := []lower.Options{o}
	for _, v := range a.Values {
		one := o
		if one.Set(a.Name, p.String()+":"+v) == nil {
			list = append(list, one)
		}
	}
	return list
}

// matters measures a choice without the switches in a part, and reports whether the time
// differs, as far as that can be seen; over says that the search is.
func (s *searcher) matters(at *Trial, p lower.Part) (matters, over bool) {
	o := at.o
	for _, a := range ofParts {
		if err := o.Set(a.Name, p.String()+":"+a.Values[0]); err != nil {
			return false, false
		}
	}
	t := s.try(o, "part")
	switch {
	case t == nil:
		return false, true
	case t == at || t.Failed != "": // there is no choice to leave out, or no telling
		return true, false
	}
	return t.Value < s.worthwhile()*at.Value || at.Value < s.worthwhile()*t.Value, false
}

// partGains returns the gain of each switch that the best choice limits to a part.
func (s *searcher) partGains(ranked []*Trial) []Gain {
	var out []Gain
	for _, p := range s.best.o.Parts {
		i := slices.IndexFunc(ranked, func(t *Trial) bool {
			return !slices.ContainsFunc(t.o.Parts, func(x lower.PartSwitch) bool { return x.Part == p.Part && x.Name == p.Name })
		})
		if i >= 0 && s.best.Value > 0 {
			out = append(out, Gain{p.Name + " of " + p.Part.String(), *s.best, *ranked[i], ranked[i].Value / s.best.Value})
		}
	}
	return out
}
