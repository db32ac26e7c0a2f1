package lower

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"irgl/internal/analysis"
	"irgl/internal/check"
	"irgl/internal/source"
	"irgl/syntax"
)

// What the throughput passes make of the inner loops, pushes, reductions and shared
// counters of kernels, and why not more: what [Explain] is for loops of Host functions.

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

// ExplainKernels returns what the passes make of the kernels of a program, which
// checks without errors, in the order of the text.
func ExplainKernels(info *check.Info, o Options) []Choice {
	l := newLowerer(analysis.NewProgram(info), new(source.List), o)
	l.o.Batch = min(l.o.Batch, maxBatch)
	l.collectNames()
	l.classify()
	var out []Choice
	for _, f := range info.Funcs {
		if f.Decl.Kind != syntax.KernelFunc || f.Decl.Body == nil {
			continue
		}
		l.begin(f, false)
		l.popped, l.pushed, l.retried = "in", "out", "retry"
		v := variantsOf(f)[0]
		l.tp = l.newThroughput(v)
		l.planPasses(v)
		state := "each thread goes by itself"
		if slices.Contains(slices.Collect(maps.Values(l.tp.uniform)), true) {
			state = fmt.Sprintf("the threads of a block go together, %d at most", l.tp.threads)
		}
		if l.waits[variant{f, l.aggr}] {
			state += ", and the grid shares long lists at the end"
		}
		out = append(out, Choice{0, "Kernel " + f.Object.Name, f.Decl.Pos(), state, nil})
		places := slices.Concat(l.explainLoops(), l.explainSites(v), l.explainCounters())
		slices.SortStableFunc(places, func(a, b Choice) int {
			if d := a.Pos.Line() - b.Pos.Line(); d != 0 {
				return d
			}
			return a.Pos.Column() - b.Pos.Column()
		})
		out = append(out, places...)
	}
	return out
}

// explainLoops describes the inner ForAlls of a kernel, and its other loops over
// edges.
func (l *lowerer) explainLoops() []Choice {
	var out []Choice
	batches := map[*syntax.ForAllStmt]*analysis.Batch{}
	for _, b := range l.tp.f.Batches() {
		batches[b.Loop] = b
		if b.Loop.Serial {
			state, why := l.explainBatch(b)
			out = append(out, Choice{1, "for", b.Loop.Pos(), state, why})
		}
	}
	for _, nest := range l.tp.f.Nests() {
		state, why := l.explainNest(nest)
		if b := batches[nest.Loop]; b != nil && nest.Within == nil {
			also, but := l.explainBatch(b)
			state, why = state+"; "+also, append(why, but...)
		}
		out = append(out, Choice{1, "inner ForAll", nest.Loop.Pos(), state, why})
	}
	return out
}

// explainNest says which threads execute an inner ForAll.
func (l *lowerer) explainNest(nest *analysis.Nest) (state string, why []analysis.Reason) {
	why = l.staysIn(nest)
	switch {
	case len(why) > 0:
		return "in its thread", why
	case l.tp.nests[nest.Loop] == nil && l.o.NP != 0:
		return "in its thread", []analysis.Reason{{Pos: nest.Loop.Pos(), Text: "the block's shared memory has no room for it"}}
	case l.o.NP == 0:
		return "in its thread, can be shared (--np)", nil
	}
	np := l.o.NP
	if np&ByGrid != 0 && !l.putsOff(nest) {
		np &^= ByGrid
		why = slices.Clone(nest.NotLater)
		if len(why) == 0 {
			why = []analysis.Reason{{Pos: nest.Serial[0].Pos(), Text: "the rounds of the serial loop around it follow each other"}}
		}
	}
	if np == 0 || np == ByGrid {
		np |= Serially
	}
	state = "shared, np=" + np.String()
	for i, g := range nest.Gathers {
		state += [...]string{", gathers ", ", "}[min(i, 1)] + g.Object.Name
	}
	return state, why
}

// explainBatch says how many iterations of a loop over edges begin at once.
func (l *lowerer) explainBatch(b *analysis.Batch) (state string, why []analysis.Reason) {
	if text := l.unbatched(b); text != "" {
		return "one by one", []analysis.Reason{{Pos: b.Loop.Pos(), Text: text}}
	}
	switch {
	case l.o.Batch <= 1:
		return "one by one, can be batched (--batch)", nil
	case l.tp.batches[b.Loop] == nil:
		return "one by one", []analysis.Reason{{Pos: b.Loop.Pos(), Text: "it loads nothing that can be loaded early for sure (--eager, Racy)"}}
	}
	var first []string
	for _, x := range l.tp.loads[b.Loop] {
		first = append(first, syntax.String(x.Expr))
	}
	state = fmt.Sprintf("%d at once, first their %s", l.o.Batch, strings.Join(first, ", "))
	if l.tp.chains[b.Loop] != nil {
		state += ", atomics in step"
	}
	for _, x := range b.Loads {
		if x.Reason != "" {
			why = append(why, analysis.Reason{Pos: x.Expr.Pos(), Text: syntax.String(x.Expr) + " is loaded later: " + x.Reason})
		}
	}
	return state, why
}

// explainSites describes the pushes and reductions of a kernel.
func (l *lowerer) explainSites(v variant) []Choice {
	var out []Choice
	for _, x := range l.tp.f.Sites() {
		c := Choice{Depth: 1, Title: x.Kind.String(), Pos: x.Pos()}
		switch {
		case x.Kind == analysis.Reduction:
			c.Title = "reduction"
			c.State, c.Why = l.explainReduction(x)
		case x.Kind > analysis.MergeItem:
			c.State = "at once: what it gives is used"
		default:
			c.State, c.Why = l.explainPush(x)
		}
		out = append(out, c)
	}
	return out
}

// explainReduction says how often a reduction contributes.
func (l *lowerer) explainReduction(x *analysis.Site) (state string, why []analysis.Reason) {
	if l.tp.leaves() || !l.tp.f.Fn.OuterFA {
		return "at once", []analysis.Reason{{Pos: x.Pos(), Text: "a thread can leave the kernel early"}}
	}
	switch l.o.Coop {
	case CoopWarp:
		return "gathered, once a warp", nil
	case CoopBlock:
		return "gathered, once a block", nil
	}
	return "at once, can be gathered (--coop)", nil
}

// explainPush says which threads share the atomic of a push.
func (l *lowerer) explainPush(x *analysis.Site) (state string, why []analysis.Reason) {
	loop, _ := innermost(x.Loops).(*syntax.ForAllStmt)
	_, batched := l.batchedSite(x)
	early := ""
	if loop != nil && l.tp.starts[siteKey(x)] == nil && l.tp.batches[loop] != nil && batched {
		early = ", together with its batch"
	}
	if l.o.Coop == CoopNone {
		return "an atomic each" + early + ", can be shared (--coop)", nil
	}
	var outer *syntax.ForAllStmt
	for _, s := range x.Loops {
		if s, ok := s.(*syntax.ForAllStmt); ok && !s.Serial {
			outer = s
			break
		}
	}
	if outer != nil {
		why = l.apart(outer)
	}
	switch {
	case l.tp.starts[siteKey(x)] != nil && l.tp.nests[loop] != nil:
		return "room for the loop, reserved by the " + coopNames[l.o.Coop], nil
	case l.tp.starts[siteKey(x)] != nil:
		return "room for the loop, reserved by the warp", nil
	case l.o.Coop == CoopWarp:
		return "an atomic for the lanes that push together" + early, nil
	case outer == nil:
		return "an atomic for the lanes that push together", []analysis.Reason{{Pos: x.Pos(), Text: "it is in no ForAll"}}
	case len(why) > 0:
		return "an atomic for the lanes that push together" + early, why
	}
	return "queue of the block" + early, nil
}

// innermost returns the last of some loops, or nil.
func innermost(loops []syntax.Stmt) syntax.Stmt {
	if len(loops) == 0 {
		return nil
	}
	return loops[len(loops)-1]
}

// apart returns why the threads of a block do not go through an outermost ForAll
// together.
func (l *lowerer) apart(s *syntax.ForAllStmt) []analysis.Reason {
	refuse := func(text string) []analysis.Reason { return []analysis.Reason{{Pos: s.Pos(), Text: text}} }
	f := l.tp.f
	if l.tp.focal == nil {
		l.tp.focal = f.FocalPoints(f.Uniform())
	}
	head := f.Graph.Heads[s]
	switch {
	case head == nil || !l.tp.focal.Has(head):
		return refuse("the threads of a block may come to the outermost ForAll differently often")
	case l.info.Groups[s]:
		return refuse("the iterations of the outermost ForAll wait for each other")
	case isRow(l.info.Types[s.Iter]):
		return refuse("the outermost ForAll is over edges")
	}
	return nil
}

// staysIn returns why an inner ForAll stays in the thread of its iteration.
func (l *lowerer) staysIn(nest *analysis.Nest) []analysis.Reason {
	why := slices.Clone(nest.Refused)
	refuse := func(at syntax.Node, format string, args ...any) {
		why = append(why, analysis.Reason{Pos: at.Pos(), Text: fmt.Sprintf(format, args...)})
	}
	why = append(why, l.apart(nest.Outer)...)
	if len(nest.Refused) == 0 {
		for _, s := range nest.Serial {
			if _, ok := s.(*syntax.ForStmt); !ok {
				refuse(s, "it is in a serial loop that is no for with a head")
			}
		}
	}
	if !copyable(nest.Loop.Body) {
		refuse(nest.Loop.Body, "it contains a label, a static variable or C text")
	}
	if at := l.dependent(nest.Loop); at != nil {
		refuse(at, "two of its iterations may write the same place")
	}
	for _, c := range nest.Closure {
		if !check.IsArithmetic(c.Type) && !analysis.IsHandle(c.Type) && !isRow(c.Type) && c.Type != check.InEdge {
			refuse(nest.Loop, "it uses %s, which is no number", c.Object.Name)
		}
	}
	if len(nest.Gathers) > 0 && l.tp.partial {
		refuse(nest.Gathers[0].Calls[0], "it gathers %s, and not all warps are whole", nest.Gathers[0].Object.Name)
	}
	return why
}
