package opt

import (
	"fmt"
	"slices"
	"strings"

	"irgl/internal/analysis"
	"irgl/internal/pass"
	"irgl/internal/plan"
	"irgl/internal/source"
	"irgl/syntax"
)

// What the attributes of the program itself decide is checked like the decisions of rows,
// by the row given, which is required and the first: so that none is ignored, whatever rows
// run. The rows then leave the statements alone that have attributes of theirs.

// checkGiven is the row given.
func checkGiven(w *Work, r *pass.Run) error {
	w.checked = true
	if w.facts == nil {
		return nil
	}
	if w.refuseParts(); w.diags.Errors() > 0 {
		return w.diags.Err()
	}
	for _, fn := range w.kernels() {
		if len(w.settingsOf(fn).all) > 1 {
			w.kernel(fn, r).ownAtomics()
		}
	}
	if len(w.facts.Info.File.Attributes) == 0 {
		return nil
	}
	for _, fn := range w.kernels() {
		k := w.kernel(fn, r)
		k.converge()
		k.check(func(n syntax.Node, name string, why []analysis.Reason) {
			a := attributeOf(w.facts.Info.File, n, name)
			if a == nil {
				return // of what converge has decided
			}
			d := w.diags.Errorf(a.Pos(), a.End(), plan.CodeRefused, "%s cannot be: %s", name, why[0].Text)
			d.Hint = "leave the attribute out"
			if _, policy, one := strings.Cut(strings.TrimSuffix(name, ")"), "("); one && len(a.Args) > 1 {
				d.Hint = fmt.Sprintf("leave %s out of the attribute", policy)
			}
			if why[0].Pos.IsValid() {
				d.Notes = append(d.Notes, source.Diagnostic{Severity: source.Note, Pos: why[0].Pos, End: why[0].Pos, Message: "here"})
			}
		})
	}
	return w.diags.Err()
}

// legal returns an error if a row has planned something that is not legal.
func (w *Work) legal() error {
	var err error
	if !w.checked {
		return nil
	}
	for _, fn := range w.kernels() {
		w.kernel(fn, nil).check(func(n syntax.Node, name string, why []analysis.Reason) {
			if err == nil {
				err = fmt.Errorf("%s: [[%s]] is planned and not legal: %s", n.Pos(), name, why[0].Text)
			}
		})
	}
	return err
}

// attributeOf returns an attribute of a node; behind its name may be an argument.
func attributeOf(f *syntax.File, n syntax.Node, name string) *syntax.Attribute {
	name, _, _ = strings.Cut(name, "(")
	i := slices.IndexFunc(f.Attributes[n], func(a *syntax.Attribute) bool { return a.Name.Name == name })
	if i < 0 {
		return nil
	}
	return f.Attributes[n][i]
}

// converge has the blocks converge at loops for which the program says that blocks reserve
// room.
func (k *kernel) converge() {
	for _, x := range k.pushes() {
		if k.plan.Shares[x.Syntax()] == (plan.Share{How: plan.Reserve, Level: plan.Block}) {
			if s, why := k.countedIn(x); why == "" {
				k.convergesAt(x, s)
			}
		}
	}
}

// check calls refuse with what is decided about a kernel and not legal: the statement, the
// attribute that says so, and the reasons.
func (k *kernel) check(refuse func(n syntax.Node, name string, why []analysis.Reason)) {
	report := func(n syntax.Node, name string, why []analysis.Reason) {
		if len(why) > 0 {
			refuse(n, name, why)
		}
	}
	one := func(at syntax.Node, text string) []analysis.Reason {
		if text == "" {
			return nil
		}
		return []analysis.Reason{{Pos: at.Pos(), Text: text}}
	}
	k.checkLoops(report, one)
	pushes, counters := map[syntax.Node]*analysis.Site{}, map[syntax.Node]*analysis.Counter{}
	for _, x := range k.pushes() {
		pushes[x.Syntax()] = x
		s := k.plan.Shares[x.Syntax()]
		if s.How != plan.Reserve {
			continue
		}
		loop, why := k.countedIn(x)
		if why != "" {
			report(owner(x.Node), "reserve", one(x.Node.Stmt, why))
		} else if s.Level == plan.Block {
			report(owner(x.Node), "reserve", k.notConvergedBefore(x, loop))
		}
	}
	if k.tallies > tallyLimit {
		for _, c := range k.f.Counters() {
			if k.plan.Shares[c.Call].How == plan.Gather {
				report(owner(c.Node), "gather", one(c.Call, noRoom))
			}
		}
	}
	for _, c := range k.f.Counters() {
		counters[c.Call] = c
		switch s := k.plan.Shares[c.Call]; s.How {
		case plan.Gather:
			report(owner(c.Node), "gather", k.ungathered(c, s.Level))
		case plan.Lanes:
			report(owner(c.Node), "lanes", c.NotShared)
		}
	}
	// The rest are calls that control reaches and that are no counters.
	for i, n := range k.f.Graph.Nodes {
		for _, call := range k.f.Effects[i].Calls {
			s, decided := k.plan.Shares[call.Expr]
			if decided && (s.How == plan.Gather || s.How == plan.Lanes) && counters[call.Expr] == nil && k.f.Dom.Has(n) {
				report(owner(n), s.How.String(), one(call.Expr, fmt.Sprintf("%s is no atomic on a counter that all threads share", syntax.String(call.Expr))))
			}
			if decided && s.How == plan.Reserve && pushes[call.Expr] == nil && k.f.Dom.Has(n) {
				report(owner(n), "reserve", one(call.Expr, fmt.Sprintf("%s pushes nothing to a worklist", syntax.String(call.Expr))))
			}
		}
	}
}

// checkLoops is check for what is decided about loops.
func (k *kernel) checkLoops(report func(syntax.Node, string, []analysis.Reason), one func(syntax.Node, string) []analysis.Reason) {
	for _, nest := range k.f.Nests() {
		l := k.plan.Loops[nest.Loop]
		if !l.Scheduled() {
			continue
		}
		report(nest.Loop, "np", k.unscheduled(nest))
		if l.NP[plan.ByGrid] > 0 {
			report(nest.Loop, "np(gr)", notLater(nest))
		}
	}
	if k.tallies+k.closures > closureLimit {
		for _, nest := range k.f.Nests() {
			if k.plan.Loops[nest.Loop].Scheduled() {
				report(nest.Loop, "np", one(nest.Loop, noRoom))
			}
		}
	}
	batches := map[*syntax.ForAllStmt]*analysis.Batch{}
	for _, b := range k.f.Batches() {
		batches[b.Loop] = b
	}
	for n := range syntax.Preorder(k.f.Fn.Decl.Body) {
		s, ok := n.(*syntax.ForAllStmt)
		if !ok || k.plan.Loops[s].Batch < 2 || k.f.Graph.Heads[s] == nil || !k.f.Dom.Has(k.f.Graph.Heads[s]) {
			continue
		}
		if b := batches[s]; b == nil {
			report(s, "batch", one(s, "the loop is not over edges"))
		} else {
			report(s, "batch", one(s, k.unbatched(b, k.plan.Loops[s].Eager)))
		}
	}
	for _, s := range analysis.OuterForAlls(k.f.Fn.Decl.Body) {
		l := k.plan.Loops[s]
		if l.Queue {
			report(s, "queue", slices.Concat(k.notConverged(s), k.anyBlock(k.f.Fn)))
		}
		if l.Deal {
			report(s, "deal", k.undealt(s))
		}
	}
}
