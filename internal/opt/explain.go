package opt

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"irgl/internal/analysis"
	"irgl/internal/check"
	"irgl/internal/lower"
	"irgl/internal/pass"
	"irgl/internal/plan"
	"irgl/internal/source"
	"irgl/syntax"
)

// What becomes of the inner loops, pushes, reductions and shared counters of kernels, and why
// not more: what [Explain] is for loops of Host functions. It is told from the plan
// and the remarks of the rows that ran, so that it holds whatever rows those are.

// A Choice says what was made of one place of a kernel.
type Choice struct {
	Depth int    // 0 for a kernel, 1 for what is in it
	Title string // "Kernel BFS", "inner ForAll", "push", "reduction"
	Pos   source.Pos
	State string            // what was made of it
	Why   []analysis.Reason // why not more was done
}

// String describes the choice in a line, and each reason in a line below it.
func (c Choice) String() string {
	indent := strings.Repeat("  ", c.Depth)
	s := fmt.Sprintf("%s%s at %d:%d: %s\n", indent, c.Title, c.Pos.Line(), c.Pos.Column(), c.State)
	for _, r := range c.Why {
		s += fmt.Sprintf("%s   at %d:%d: %s\n", indent, r.Pos.Line(), r.Pos.Column(), r.Text)
	}
	return s
}

// An Explanation is what a run made of the kernels of a program.
type Explanation struct {
	Kernels []Choice      // the kernels and places in them, in order of the text
	Remarks []pass.Remark // of the rows behind lowering on what Kernels does not tell, each once
}

// ExplainKernels runs the list over a checked IrGL program and returns what was made of its
// kernels.
func ExplainKernels(info *check.Info, o Options) (*Explanation, error) {
	var all []pass.Remark
	o.Tree.PrintAfter = nil
	o.Tree.Remark = func(r pass.Remark) {
		if r.Unit = ""; !slices.Contains(all, r) { // a kernel may be there twice
			all = append(all, r)
		}
	}
	w, report, err := run(info, new(source.List), o)
	if err != nil {
		return nil, err
	}
	x := &explainer{Work: w, ran: map[string]bool{}, reductions: map[source.Pos][]pass.Remark{}}
	for _, s := range report.Steps {
		x.ran[s.Pass] = true
	}
	out := &Explanation{}
	for _, r := range all {
		switch {
		case r.Pass == "gather":
			x.reductions[r.Pos] = append(x.reductions[r.Pos], r)
		case !slices.Contains(planning(), r.Pass):
			out.Remarks = append(out.Remarks, r)
		}
	}
	for _, fn := range w.kernels() {
		out.Kernels = append(out.Kernels, x.kernel(w.kernel(fn, nil))...)
	}
	return out, nil
}

// An explainer tells what a run made of kernels.
type explainer struct {
	*Work
	ran        map[string]bool              // rows
	reductions map[source.Pos][]pass.Remark // of the row gather
}

// kernel describes a kernel, and what is in it.
func (x *explainer) kernel(k *kernel) []Choice {
	state := "each thread executes its own iterations"
	if slices.ContainsFunc(analysis.OuterForAlls(k.f.Fn.Decl.Body), k.together) {
		state = fmt.Sprintf("the threads of a block execute iterations together, %d at most", k.threads)
	}
	if slices.ContainsFunc(k.f.Nests(), func(n *analysis.Nest) bool { return x.plan.Loops[n.Loop].NP[plan.ByGrid] > 0 }) {
		state += ", and the grid shares long loops at the end"
	}
	switch f := k.f.Fn; {
	case f.Threads > 0:
		state += fmt.Sprintf(", in blocks of %d threads", f.Threads)
	case len(f.Caches) > 0:
		state += fmt.Sprintf(", in blocks of at most %d threads, with %d bytes of __shared__ arrays a thread", f.MaxThreads, f.CacheBytes)
	}
	places := slices.Concat(x.loops(k), x.sites(k), x.counters(k))
	slices.SortStableFunc(places, func(a, b Choice) int { return cmp.Compare(a.Pos.Offset, b.Pos.Offset) })
	state += by(x.settingsOf(k.f.Fn).whole.from)
	return append([]Choice{{0, "Kernel " + k.f.Fn.Object.Name, k.f.Fn.Decl.Pos(), state, nil}}, places...)
}

// loops describes the inner ForAlls of a kernel, and its other loops over edges.
func (x *explainer) loops(k *kernel) []Choice {
	var out []Choice
	batches, names := map[*syntax.ForAllStmt]*analysis.Batch{}, map[*syntax.ForAllStmt]string{}
	for i, s := range InnerLoops(k.f.Fn) {
		names[s] = lower.Part{Kernel: k.f.Fn.Object.Name, Loop: i + 1}.String()
	}
	for _, b := range k.f.Batches() {
		batches[b.Loop] = b
		if b.Loop.Serial {
			state, why := x.batch(k, b)
			out = append(out, Choice{1, "for " + names[b.Loop], b.Loop.Pos(), state + x.by(k, b.Loop), why})
		}
	}
	for _, nest := range k.f.Nests() {
		state, why := x.nest(k, nest)
		if b := batches[nest.Loop]; b != nil && nest.Within == nil {
			also, but := x.batch(k, b)
			state, why = state+"; "+also, append(slices.Clip(why), but...)
		}
		out = append(out, Choice{1, "inner ForAll " + names[nest.Loop], nest.Loop.Pos(), state + x.by(k, nest.Loop), why})
	}
	return out
}

// nest says which threads execute an inner ForAll.
func (x *explainer) nest(k *kernel, nest *analysis.Nest) (state string, why []analysis.Reason) {
	np, can := x.plan.Loops[nest.Loop].NP, ""
	if s := k.at(nest.Loop); s.NP == 0 && s.from["np"] == "" {
		can = ", can be shared (--np)"
	}
	switch {
	case x.given(nest.Loop, "np") && np == [plan.Policies]int{}:
		return "in its thread, as the program says", nil
	case np == [plan.Policies]int{plan.Serially: 1} && !x.decides("np-serial", k, nest.Loop) && !x.given(nest.Loop, "np"):
		return "in its thread, where the block converges" + can, nil
	case np == [plan.Policies]int{}:
		if why = k.unscheduled(nest); len(why) > 0 {
			can = ""
		}
		return "in its thread" + can, why
	case x.decides("np-gr", k, nest.Loop) && np[plan.ByGrid] == 0 && !x.given(nest.Loop, "np"):
		why = notLater(nest)
	}
	var names []string
	for p, size := range np {
		if size > 0 {
			names = append(names, plan.PolicyNames[p])
		}
	}
	state = "shared, np=" + strings.Join(names, ",")
	for i, g := range nest.Gathers {
		state += [...]string{", gathers ", ", "}[min(i, 1)] + g.Object.Name
	}
	return state, why
}

// batch says how many iterations of a loop over edges begin at once.
func (x *explainer) batch(k *kernel, b *analysis.Batch) (state string, why []analysis.Reason) {
	d, at := x.plan.Loops[b.Loop], k.at(b.Loop)
	reason := func(text string) []analysis.Reason { return []analysis.Reason{{Pos: b.Loop.Pos(), Text: text}} }
	if d.Batch < 2 {
		never := k.unbatchable(b)
		switch {
		case never != "":
			return "one by one", reason(never)
		case x.given(b.Loop, "batch"):
			return "one by one, as the program says", nil
		case at.Batch < 2 && at.from["batch"] == "":
			return "one by one, can be batched (--batch)", nil
		case at.Batch < 2 || !x.ran["batch"]:
			return "one by one", nil
		}
		return "one by one", reason(k.unbatched(b, at.Eager))
	}
	var first []string
	loads := k.f.EarlyLoads(b, d.Eager)
	for _, l := range loads {
		if text := syntax.String(l.Expr); !slices.Contains(first, text) {
			first = append(first, text)
		}
	}
	state = fmt.Sprintf("%d at once, first their %s", d.Batch, strings.Join(first, ", "))
	if k.f.CondChain(b.Loop, loads) != nil {
		state += ", atomics in step"
	}
	for _, l := range b.Loads {
		if l.Reason != "" {
			why = append(why, analysis.Reason{Pos: l.Expr.Pos(), Text: syntax.String(l.Expr) + " is loaded later: " + l.Reason})
		}
	}
	return state, why
}

// sites describes the pushes and reductions of a kernel.
func (x *explainer) sites(k *kernel) []Choice {
	var out []Choice
	for _, s := range k.f.Sites() {
		c := Choice{Depth: 1, Title: s.Kind.String(), Pos: s.Pos()}
		switch {
		case s.Kind == analysis.Reduction:
			c.Title = "reduction"
			c.State, c.Why = x.reduction(k, s)
		case s.Kind > analysis.MergeItem:
			c.State = "at once: what it gives is used"
		default:
			c.State, c.Why = x.push(k, s)
		}
		out = append(out, c)
	}
	return out
}

// reduction says how often a reduction contributes: what the row gather remarked.
func (x *explainer) reduction(k *kernel, s *analysis.Site) (state string, why []analysis.Reason) {
	for _, r := range x.reductions[s.Pos()] {
		if r.Missed {
			why = append(why, analysis.Reason{Pos: r.Pos, Text: r.Text})
		} else {
			state = r.Text
		}
	}
	switch {
	case state != "" && len(why) > 0:
		return state + ", but for what comes late", why
	case state != "":
		return state, nil
	case len(why) > 0 || x.ran["gather"] && x.settingsOf(k.f.Fn).whole.wants(x.Work, "gather"):
		return "at once", why
	case k.early || !k.f.Fn.OuterFA:
		return "at once", []analysis.Reason{{Pos: s.Pos(), Text: "a thread can leave the kernel early"}}
	}
	return "at once" + x.can("be gathered", k, nil), nil
}

// can says that a place of a kernel can have what --coop asks for, if nothing says whether
// it does.
func (x *explainer) can(text string, k *kernel, n syntax.Node) string {
	if s := k.at(n); s.Coop != lower.CoopNone || s.from["coop"] != "" {
		return ""
	}
	return ", can " + text + " (--coop)"
}

// decides reports whether a row has run and decides about what is at n.
func (x *explainer) decides(row string, k *kernel, n syntax.Node) bool {
	return x.ran[row] && k.wants(row, n)
}

// by says which flags and attributes have set switches for a loop that its kernel has not.
func (x *explainer) by(k *kernel, s *syntax.ForAllStmt) string {
	whole, here := x.settingsOf(k.f.Fn).whole, k.at(s)
	own := map[string]string{}
	for name, from := range here.from {
		attribute := name
		switch {
		case strings.HasPrefix(name, "np-"):
			attribute = "np"
		case name == "eager":
			attribute = "batch"
		}
		if whole.from[name] != from && !x.given(s, attribute) {
			own[name] = from
		}
	}
	return by(own)
}

// by says which flags and attributes have set switches.
func by(from map[string]string) string {
	text := ""
	for _, s := range lower.Switches() {
		if f := from[s.Name]; f != "" && !strings.Contains(text+",", " "+f+",") {
			text += ", " + f
		}
	}
	if text == "" {
		return ""
	}
	return "; by" + text[1:]
}

// push says which threads share the atomic of a push.
func (x *explainer) push(k *kernel, s *analysis.Site) (state string, why []analysis.Reason) {
	d := x.plan.Shares[s.Syntax()]
	if d.How == plan.Reserve {
		return "room for the loop, reserved by the " + d.Level.String(), nil
	}
	if x.given(owner(s.Node), "each") {
		return "an atomic each, as the program says", nil
	}
	early := ""
	if x.waits(k, s) {
		early = ", together with its batch"
	}
	var outer *syntax.ForAllStmt
	for _, loop := range s.Loops {
		if loop, ok := loop.(*syntax.ForAllStmt); ok && !loop.Serial {
			outer = loop
			break
		}
	}
	if outer != nil && x.plan.Loops[outer].Queue {
		return "queue of the block" + early, nil
	}
	if outer != nil && x.decides("queue", k, outer) || outer == nil && x.decides("queue", k, s.Syntax()) {
		if outer == nil {
			why = []analysis.Reason{{Pos: s.Pos(), Text: "it is in no ForAll"}}
		} else {
			why = k.notConverged(outer)
		}
	}
	if _, own := x.plan.Shares[s.Syntax()]; x.ran["warp-push"] && !own && x.pushesTogetherIn(k.f.Fn) {
		return "an atomic for the lanes that push together" + early, why
	}
	return "an atomic each" + early + x.can("be shared", k, s.Syntax()), why
}

// waits reports whether a push waits for the end of a round of its loop.
func (x *explainer) waits(k *kernel, s *analysis.Site) bool {
	for _, b := range k.f.Batches() {
		if x.plan.Loops[b.Loop].Batch > 1 && slices.Contains(b.Deferrable(), s) {
			return true
		}
	}
	return false
}

// counters describes the atomics of a kernel on counters.
func (x *explainer) counters(k *kernel) []Choice {
	var out []Choice
	for _, c := range k.f.Counters() {
		d := x.plan.Shares[c.Call]
		choice := Choice{Depth: 1, Title: syntax.String(c.Call.Fun) + " of " + syntax.String(c.Place), Pos: c.Call.Pos()}
		ungathered := k.notGathered(c)
		tally, lanes := x.decides("tally", k, c.Call), x.decides("lanes", k, c.Call)
		if tally && len(ungathered) == 0 && d.How != plan.Gather {
			ungathered = k.ungathered(c, max(k.level, plan.Level(k.at(c.Call).Coop)))
		}
		switch {
		case d.How == plan.Gather:
			choice.State = "gathered, once a " + d.Level.String()
		case d.How == plan.Lanes:
			choice.State, choice.Why = "an atomic for the lanes that come together", ungathered
		case x.given(owner(c.Node), "each"):
			choice.State = "an atomic each, as the program says"
		case len(ungathered) == 0 && !tally:
			choice.State = "an atomic each" + x.can("be gathered", k, c.Call)
		case len(c.NotShared) == 0 && !lanes:
			choice.State, choice.Why = "an atomic each"+x.can("be shared", k, c.Call), ungathered
		default:
			choice.State, choice.Why = "an atomic each", slices.Clone(ungathered)
			for _, r := range c.NotShared {
				if !slices.Contains(choice.Why, r) {
					choice.Why = append(choice.Why, r)
				}
			}
		}
		out = append(out, choice)
	}
	return out
}
