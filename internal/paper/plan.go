package paper

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"

	"irgl/internal/compile"
	"irgl/internal/engine"
	"irgl/internal/programs"
)

// The choices of switches of the tables.

// optimisations are those of Figures 8 and 9, by the paper's names if it has
// them.
var optimisations = []struct{ name, switches string }{
	{"iter", "outline=auto"}, {"cc", "coop=block"}, {"np", "np=tb,wp,fg"}, {"batch", "batch=4"},
}

// combination returns the switches of a set of optimisations, and its name.
func combination(set int) (switches compile.Switches, name string) {
	var list, names []string
	for i, o := range optimisations {
		if set&(1<<i) != 0 {
			list, names = append(list, o.switches), append(names, o.name)
		}
	}
	if len(names) == 0 {
		names = []string{"none"}
	}
	return compile.MustSwitches(strings.Join(list, " ")), strings.Join(names, "+")
}

// loops are the two variants of loops of Figure 1 and Table 1: on the host, outlined.
var loops = sync.OnceValue(func() []compile.Switches { return []compile.Switches{{}, outlined()} })

// launching is outlining by launches in device code: the rows "with DP" of Table 1.
var launching = sync.OnceValue(func() compile.Switches { return compile.MustSwitches("outline=dp") })

// launchingChoices returns the choices of Figure 1 and Table 1 for a program: by launches in device code those
// that the paper's Table 1 has, Bellman-Ford and Near-Far.
func launchingChoices(program string) []compile.Switches {
	switch program {
	case "sssp_bf", "sssp_nf":
		return append(slices.Clone(loops()), launching())
	}
	return loops()
}

// outlined is iteration outlining alone.
var outlined = sync.OnceValue(func() compile.Switches { return compile.MustSwitches("outline=auto") })

// schedulers are the rows of Table 2.
var schedulers = []string{"", "fg", "wp", "tb", "tb,wp", "tb,fg", "wp,fg", "tb,wp,fg"}

func schedulerSwitches(policy string) compile.Switches {
	if policy == "" {
		return outlined()
	}
	return compile.MustSwitches("outline=auto np=" + policy)
}

// traversals are the rows of Table 4's microbenchmark. Its kernel is timed alone,
// so it is not outlined.
var traversals = sync.OnceValue(func() []compile.Switches {
	return parsed("", "coop=warp", "coop=block", "np=tb,wp,fg", "coop=warp np=tb,wp,fg", "coop=block np=tb,wp,fg", "batch=4 coop=warp", "batch=4 coop=block", "batch=4 coop=block np=tb,wp,fg")
})

// parsed parses constant choices.
func parsed(texts ...string) []compile.Switches {
	var out []compile.Switches
	for _, text := range texts {
		out = append(out, compile.MustSwitches(text))
	}
	return out
}

// A stage is measured for all programs on all inputs before the next one.
type stage struct {
	name    string // for the report
	search  bool   // the choices are searched
	listing bool   // for Listing 5 only; other stages exclude it
	choices func(rep *Report, id key) []compile.Switches
}

// stages returns the stages, the most important first.
func (s *session) stages() []stage {
	if s.o.Switches != nil {
		return []stage{{name: "given switches", choices: func(rep *Report, _ key) []compile.Switches { return rep.Switches }}}
	}
	list := []stage{{name: "default and tuned", choices: func(rep *Report, id key) []compile.Switches {
		out := []compile.Switches{rep.defaults[id]}
		if best, ok := rep.tuned[id]; ok {
			out = append(out, best)
		}
		return out
	}}}
	if s.o.Candidates > 0 {
		list = append(list, stage{name: "search", search: true, choices: func(rep *Report, id key) []compile.Switches {
			if best, ok := rep.tuned[id]; ok {
				return []compile.Switches{best}
			}
			return nil
		}})
	}
	last := s.fastestStage()
	if s.o.Best { // sufficient for the table of problems
		return append(list, last...)
	}
	fixed := func(list []compile.Switches) func(*Report, key) []compile.Switches {
		return func(*Report, key) []compile.Switches { return list }
	}
	var policies, sets []compile.Switches
	for _, policy := range schedulers {
		policies = append(policies, schedulerSwitches(policy))
	}
	for set := range 1 << len(optimisations) {
		switches, _ := combination(set)
		sets = append(sets, switches)
	}
	list = append(list,
		stage{name: "Figure 1 and Table 1", choices: func(_ *Report, id key) []compile.Switches { return launchingChoices(id.program) }},
		stage{name: "Table 2", choices: fixed(policies)},
		stage{name: "Table 4", listing: true, choices: fixed(traversals())})
	return append(append(list, last...), stage{name: "Figures 7 to 9", choices: fixed(sets)})
}

// fastestStage is the stage of the fastest choices tried, if requested.
func (s *session) fastestStage() []stage {
	if s.o.Fastest == 0 {
		return nil
	}
	return []stage{{name: "fastest", choices: func(rep *Report, id key) []compile.Switches {
		var tried []Trial
		for _, t := range s.trials[id] {
			if t.Failed == "" {
				tried = append(tried, Trial{id.program, id.input, t})
			}
		}
		normal := rep.defaults[id]
		return append([]compile.Switches{normal}, fastest(append(tried, rep.trials()...), id.program, id.input, s.o.Fastest, normal)...)
	}}}
}

// rankOf returns the rank of a program among those that solve the same problem.
func rankOf(program string) int {
	return max(0, slices.Index(programs.Family(program), program))
}

// placeOf returns the index of a program's problem in the table of problems.
func placeOf(program string) int {
	if at := slices.Index(problemOrder, programs.Problem(program)); at >= 0 {
		return at
	}
	return len(problemOrder)
}

// sorted returns the programs of the report, grouped by problem.
func (rep *Report) sorted() []string {
	return slices.SortedStableFunc(slices.Values(rep.Programs), func(a, b string) int {
		return cmp.Or(cmp.Compare(placeOf(a), placeOf(b)), cmp.Compare(rankOf(a), rankOf(b)))
	})
}

// tiers returns the programs by their rank among those that solve the same problem,
// each tier in the order of the table of problems.
func tiers(list []*engine.Program) [][]*engine.Program {
	rank := func(p *engine.Program) int { return rankOf(p.Name()) }
	place := func(p *engine.Program) int { return placeOf(p.Name()) }
	sorted := slices.Clone(list)
	slices.SortStableFunc(sorted, func(a, b *engine.Program) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(place(a), place(b)))
	})
	var out [][]*engine.Program
	for i, p := range sorted {
		if i == 0 || rank(p) != rank(sorted[i-1]) {
			out = append(out, nil)
		}
		out[len(out)-1] = append(out[len(out)-1], p)
	}
	return out
}

// A leftKey identifies the reason why choices of a stage on an input were omitted.
type leftKey struct{ stage, input, why string }

// leave records that n of the choices of a stage for a program on an input were
// omitted.
func (s *session) leave(st stage, program, input, why string, n int) {
	id := leftKey{stage: st.name, input: input, why: why}
	if s.left[id] == nil {
		s.order = append(s.order, id)
	}
	text := program
	if n > 1 {
		text = fmt.Sprintf("%s (%d choices)", program, n)
	}
	s.left[id] = append(s.left[id], text)
}

// leftOut returns a line for each omission, and for each answer that is not verified.
func (s *session) leftOut() []string {
	var out []string
	for _, id := range s.order {
		out = append(out, fmt.Sprintf("%s on %s: %s: %s", id.stage, id.input, strings.Join(s.left[id], ", "), id.why))
	}
	return append(out, s.rep.unverified()...)
}

// unverified returns a line per input and program with cells whose answers were not
// verified.
func (rep *Report) unverified() []string {
	var out []string
	for _, in := range rep.Inputs {
		for _, p := range rep.Programs {
			n := 0
			for _, c := range rep.Cells {
				if c.Program == p && c.Input == in && c.Failed == "" && !c.Verified {
					n++
				}
			}
			if n > 0 {
				out = append(out, fmt.Sprintf("%s on %s: %d answers were not verified: the budget was spent", p, in, n))
			}
		}
	}
	return out
}
