package opt

import (
	"fmt"
	"slices"
	"strings"

	"irgl/internal/analysis"
	"irgl/internal/check"
	"irgl/internal/lower"
	"irgl/internal/pass"
	"irgl/internal/plan"
	"irgl/internal/source"
	"irgl/internal/suggest"
	"irgl/syntax"
)

// Switches of parts of the program (report, section 5: optimisations are selected for a
// block). A switch is on the command line for the whole program, for a kernel or for an
// inner loop, and in the program's text for a kernel, a loop or a block. The innermost wins,
// and the text wins over the command line:
//
//	[[np(wp)]] in front of a block or loop, or of its kernel, --np=K.2:wp, --np=K:wp, --np=wp
//
// A row asks here for the switches at the place that it decides about. What it plans there
// is legal by the same rules, and where it is not the row leaves it and says why.

// A settings is the switches at a place.
type settings struct {
	lower.Options
	from map[string]string // of those of a part, by name: the flag or the attribute
}

// A kernelSettings is the switches in a kernel.
type kernelSettings struct {
	whole *settings                 // of the kernel
	at    map[syntax.Node]*settings // of what is in the loops and blocks that have others
	all   []*settings               // each of them once
}

// settingsOf returns the switches in a kernel.
func (w *Work) settingsOf(fn *check.FuncInfo) *kernelSettings {
	k := w.settings[fn]
	if k == nil {
		k = w.findSettings(fn)
		w.settings[fn] = k
	}
	return k
}

// findSettings is settingsOf, once for each kernel.
func (w *Work) findSettings(fn *check.FuncInfo) *kernelSettings {
	if len(w.Options.Parts)+len(w.plan.Parts) == 0 {
		s := &settings{Options: w.Options}
		return &kernelSettings{whole: s, all: []*settings{s}}
	}
	flags := map[int][]lower.PartSwitch{} // by the number of the loop
	for _, p := range w.Options.Parts {
		if p.Kernel == fn.Object.Name {
			flags[p.Loop] = append(flags[p.Loop], p)
		}
	}
	type chain struct { // of the parts around a node, the innermost last
		flags []lower.PartSwitch
		text  []plan.Setting
		made  *settings
	}
	k := &kernelSettings{}
	within := func(c chain, flags []lower.PartSwitch, text []plan.Setting) chain {
		if c.made == nil || len(flags)+len(text) > 0 {
			c.flags, c.text = slices.Concat(c.flags, flags), slices.Concat(c.text, text)
			c.made = w.settingsFrom(c.flags, c.text)
			k.all = append(k.all, c.made)
		}
		return c
	}
	open := []chain{within(chain{}, flags[0], w.plan.Parts[fn.Decl])}
	k.whole = open[0].made
	numbers := map[syntax.Node]int{}
	for i, s := range InnerLoops(fn) {
		numbers[s] = i + 1
	}
	syntax.Inspect(fn.Decl.Body, func(n syntax.Node) bool {
		if n == nil {
			open = open[:len(open)-1]
			return true
		}
		var of []lower.PartSwitch
		if number := numbers[n]; number > 0 {
			of = flags[number]
		}
		c := within(open[len(open)-1], of, w.plan.Parts[n])
		if c.made != k.whole {
			if k.at == nil {
				k.at = map[syntax.Node]*settings{}
			}
			k.at[n] = c.made
		}
		open = append(open, c)
		return true
	})
	return k
}

// settingsFrom returns the switches that follow from the parts around a place, the
// innermost last: from the command line, and over these from the text.
func (w *Work) settingsFrom(flags []lower.PartSwitch, text []plan.Setting) *settings {
	out := &settings{Options: w.Options.Whole()}
	set := func(name, value, from string) {
		if err := out.Set(name, value); err != nil {
			panic(fmt.Sprintf("%s=%s: %v", name, value, err)) // it has been read before
		}
		if out.from == nil {
			out.from = map[string]string{}
		}
		out.from[name] = from
	}
	for _, p := range flags {
		set(p.Name, p.Value, fmt.Sprintf("--%s=%s:%s", p.Name, p.Part, p.Value))
	}
	for _, s := range text {
		at := s.From.Pos()
		set(s.Name, s.Value, fmt.Sprintf("%s at %d:%d", s.From, at.Line(), at.Column()))
	}
	return out
}

// at returns the switches for what is at n in a kernel.
func (w *Work) at(fn *check.FuncInfo, n syntax.Node) *settings {
	k := w.settingsOf(fn)
	if s := k.at[n]; s != nil {
		return s
	}
	return k.whole
}

// at returns the switches for what is at n.
func (k *kernel) at(n syntax.Node) *settings { return k.Work.at(k.f.Fn, n) }

// anywhere reports whether the switches at some place of a kernel are such.
func (w *Work) anywhere(fn *check.FuncInfo, such func(lower.Options) bool) bool {
	return slices.ContainsFunc(w.settingsOf(fn).all, func(s *settings) bool { return such(s.Options) })
}

// limited has the rows that can be limited to a part of the program, each with its switch.
var limited = [...]struct{ row, name string }{
	{"batch", "batch"}, {"tally", "coop"}, {"lanes", "coop"}, {"np-gr", "np"}, {"np-tb", "np"}, {"np-wp", "np"}, {"np-fg", "np"}, {"np-serial", "np"},
	{"reserve", "coop"}, {"queue", "coop"}, {"deal", "deal"}, {"backoff", "backoff"}, {"gather", "coop"}, {"warp-push", "coop"}, {"ldg", "ldg"},
}

// switchOf returns the switch of a row, or "" if it cannot be limited.
func switchOf(row string) string {
	for _, l := range limited {
		if l.row == row {
			return l.name
		}
	}
	return ""
}

// wants reports whether a row that runs is to decide about what is at n: a part has its
// switch on, or no part says anything and the row is on for the whole program.
func (s *settings) wants(w *Work, row string) bool {
	if s.from == nil || s.from[switchOf(row)] == "" {
		return w.everywhere[row]
	}
	return switches(s.Options)[row]
}

// wants reports whether the row is to decide about what is at n.
func (k *kernel) wants(row string, n syntax.Node) bool { return k.at(n).wants(k.Work, row) }

// addParts adds to the rows that are on those that only a part of the program has on, and
// notes which are on for the whole program. asked has those that are switched by name.
func (w *Work) addParts(list *pass.List[*Work], on, asked map[string]bool, chosen bool) {
	w.everywhere = map[string]bool{}
	for _, row := range list.Passes() {
		is, said := on[row.Name]
		w.everywhere[row.Name] = is || !said && (!row.Off || chosen)
	}
	for _, fn := range w.kernels() {
		for _, s := range w.settingsOf(fn).all {
			if s.from == nil {
				continue
			}
			for name, is := range switches(s.Options) {
				if _, said := asked[name]; is && !said && w.plans(list, name) {
					on[name] = true
				}
			}
		}
	}
}

func (w *Work) plans(list *pass.List[*Work], name string) bool {
	return switchOf(name) != "" && slices.Contains(list.Names(), name)
}

// ofFunc returns the switches of the kernel that a function of the lowered program is made
// of, or those of the whole program.
func (w *Work) ofFunc(f *syntax.FuncDecl) *settings {
	if k := w.kernelOf(f); k != nil {
		return w.settingsOf(k).whole
	}
	return &settings{Options: w.Options}
}

// kernelOf returns the kernel that a function of the lowered program is made of, or nil.
func (w *Work) kernelOf(f *syntax.FuncDecl) *check.FuncInfo {
	if w.lowered == nil {
		w.lowered = map[source.Pos]*check.FuncInfo{}
		for _, fn := range w.kernels() {
			w.lowered[fn.Decl.Pos()] = fn
		}
	}
	if !f.Pos().IsValid() || !onDevice(f) {
		return nil
	}
	return w.lowered[f.Pos()]
}

// ownAtomics gives pushes atomics of their own that are in parts of a kernel without
// sharing by lanes: its other parts have it, and the rows behind lowering see the
// kernel alone.
func (k *kernel) ownAtomics() {
	shared := func(o lower.Options) bool { return o.Coop >= lower.CoopWarp }
	if !k.anywhere(k.f.Fn, shared) {
		return
	}
	for _, x := range k.pushes() {
		if _, said := k.plan.Shares[x.Syntax()]; !said && k.at(x.Syntax()).Coop < lower.CoopWarp {
			k.plan.Shares[x.Syntax()] = plan.Share{How: plan.Each}
		}
	}
}

// Parts returns the switches that a program and its options limit to kernels, and to loops
// and blocks in them: a line each, with the flag or the attribute that says so.
func Parts(info *check.Info, o lower.Options) []string {
	w := newPlan(info, new(source.List), o)
	var out []string
	for _, fn := range w.kernels() {
		for _, s := range w.settingsOf(fn).all {
			for _, x := range lower.Switches() {
				if from := s.from[x.Name]; from != "" {
					line := fmt.Sprintf("%s: %s=%s, by %s", fn.Object.Name, x.Name, x.Value(s.Options), from)
					if !slices.Contains(out, line) {
						out = append(out, line)
					}
				}
			}
		}
	}
	return out
}

// InnerLoops returns the loops over ranges of a kernel but for its outermost ForAlls, in
// order of the text: the parts of it that switches can be limited to by their numbers,
// which count from 1.
func InnerLoops(fn *check.FuncInfo) []*syntax.ForAllStmt {
	outer := analysis.OuterForAlls(fn.Decl.Body)
	var out []*syntax.ForAllStmt
	for n := range syntax.Preorder(fn.Decl.Body) {
		if s, ok := n.(*syntax.ForAllStmt); ok && !slices.Contains(outer, s) {
			out = append(out, s)
		}
	}
	return out
}

// refuseParts reports switches of the command line for parts that there are not.
func (w *Work) refuseParts() {
	if len(w.Options.Parts) == 0 {
		return
	}
	loops := map[string]int{}
	var names []string
	for _, fn := range w.kernels() {
		names = append(names, fn.Object.Name)
		loops[fn.Object.Name] = len(InnerLoops(fn))
	}
	var at source.Pos // a fact about a flag has no place in the program
	for _, p := range w.Options.Parts {
		n, is := loops[p.Kernel]
		flag := fmt.Sprintf("--%s=%s:%s", p.Name, p.Part, p.Value)
		switch {
		case len(names) == 0:
			w.diags.Errorf(at, at, CodePart, "%s: the program has no kernels", flag)
		case !is:
			w.diags.Errorf(at, at, CodePart, "%s: the program has no kernel %s, only %s%s", flag, p.Kernel, strings.Join(names, ", "), suggest.Hint(p.Kernel, names))
		case p.Loop > n:
			w.diags.Errorf(at, at, CodePart, "%s: the kernel %s has %s", flag, p.Kernel, countLoops(n)).Hint = "irgl build --explain numbers the loops of each kernel"
		}
	}
}

// countLoops says how many inner loops there are.
func countLoops(n int) string {
	switch n {
	case 0:
		return "no inner loop"
	case 1:
		return "1 inner loop"
	}
	return fmt.Sprintf("%d inner loops", n)
}
