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
	"irgl/syntax"
)

// Scopes smaller than the grid: an outlined loop ends each round with a barrier of the
// grid, which costs a microsecond; one of a cluster of blocks costs a fifth of that and
// one of a block a thirtieth. A round that has no more items than a block has threads
// keeps one block busy, one of a few thousand a cluster. This row plans which loops go
// on in one block or cluster alone while their worklist is short; package lower has the
// others wait at a barrier (its scope.go):
//
//	[[outline(threads 512)]] Iterate BFS(graph, LEVEL) Initial [src] { LEVEL++; }
//
//	[[outline(threads 512)]] [[scope(block, 512)]] Iterate BFS(graph, LEVEL) Initial [src] { LEVEL++; }
//
// What is legal: the loop is an Iterate or a Pipe with no other rounds in it, all
// of whose kernels iterate over WL (or execute in one thread), with no barriers of
// their own, no items that conflict and no additions to a mesh; the variables that its
// rounds change are numbers. The runs of a kernel that respawns items are such a loop,
// too. All control kernels of a program have the same cluster size.
//
// It pays where many rounds are short, as in graphs of large diameter; it loses
// where the items of a short list have many edges, all of which one block then looks at.

// A roundsNote says which blocks execute the rounds of a node, and why not fewer.
type roundsNote struct {
	text string
	why  []analysis.Reason
}

// scope is the row scope.
func scope(w *Work, r *pass.Run) error {
	if w.facts == nil || w.diags.Errors() > 0 { // what is not outlined need not be said twice
		return nil
	}
	w.checkNodes("scope")
	cluster := w.clusterSize()
	for _, root := range w.facts.Outlines() {
		if err := r.Unit(root.Func().Object.Name, func() error {
			w.scopesIn(root, nil, cluster, r)
			return nil
		}); err != nil {
			return err
		}
	}
	return nil
}

// clusterSize returns how many blocks the clusters of the program have, 0 for none: what
// its first attribute says, or else the option.
func (w *Work) clusterSize() int {
	for _, root := range w.facts.Outlines() {
		for _, o := range root.Nodes() {
			if w.given(o.Key(), "scope") {
				return w.plan.Nodes[o.Key()].Cluster
			}
		}
	}
	return w.Options.Cluster
}

// scopesIn decides about a node and those below it; in is the outlined node that they are
// in, or nil.
func (w *Work) scopesIn(o, in *analysis.Outline, cluster int, r *pass.Run) {
	n, given := w.plan.Nodes[o.Key()], w.given(o.Key(), "scope")
	if n.Outline {
		in = o
	}
	if !given {
		n.Items, n.Cluster = w.Options.Scope, w.Options.Cluster
	}
	if n.Items > 0 && (given || in != nil && o.Rounds()) {
		w.scopeOf(in, o, n, cluster, r)
	}
	for _, child := range o.Children {
		w.scopesIn(child, in, cluster, r)
	}
}

// scopeOf decides about the rounds of node o in the outlined node in.
func (w *Work) scopeOf(in, o *analysis.Outline, n plan.Node, cluster int, r *pass.Run) {
	why := w.unscoped(in, o, n, cluster)
	given := w.given(o.Key(), "scope")
	switch {
	case len(why) > 0 && given:
		w.refuse(o.Key(), "scope", "the grid has to execute the rounds of "+o.Title(), why)
		return
	case len(why) > 0:
		w.rounds[o] = roundsNote{"rounds by the grid", why}
		for _, x := range why {
			r.Missed(o.Pos(), "the grid executes the rounds: at %d:%d: %s", x.Pos.Line(), x.Pos.Column(), x.Text)
		}
		return
	}
	w.plan.Nodes[o.Key()] = n
	what, who := "rounds", "block"
	if n.Cluster > 0 {
		who = fmt.Sprintf("cluster of %d blocks", n.Cluster)
	}
	if runs := respawning(o); len(runs) > 0 {
		var names []string
		for _, k := range runs {
			w.runs[k] = n.Items
			names = append(names, k.Object.Name)
		}
		what = "runs of " + strings.Join(names, ", ")
	}
	text := fmt.Sprintf("%s by one %s for up to %d items", what, who, n.Items)
	w.rounds[o] = roundsNote{text: text}
	r.Count("loops", 1)
	r.Applied(o.Pos(), "%s", text)
}

// unscoped returns why the blocks that n says cannot execute the rounds of a node alone; cluster is the size of the program's clusters.
func (w *Work) unscoped(in, o *analysis.Outline, n plan.Node, cluster int) (why []analysis.Reason) {
	refuse := func(at syntax.Node, format string, args ...any) {
		why = append(why, analysis.Reason{Pos: at.Pos(), Text: fmt.Sprintf(format, args...)})
	}
	switch {
	case in == nil:
		refuse(o.Key(), "it is not outlined")
		return why
	case w.plan.Nodes[in.Key()].Launches:
		refuse(o.Key(), "the control kernel launches the kernels, and one thread executes it")
		return why
	case !o.Rounds():
		refuse(o.Key(), "it is neither an Iterate nor a Pipe that loops")
		return why
	case n.Cluster != cluster:
		refuse(o.Key(), "the rounds of another loop are executed by %s", clusterText(cluster))
		return why
	}
	for _, child := range o.Children {
		if child.Loops() {
			refuse(child.Stmt, "%s in it has rounds of its own", child.Title())
			return why
		}
	}
	for _, x := range o.Calls {
		if text := w.unscopedKernel(x.Kernel, w.given(o.Key(), "scope")); text != "" {
			refuse(x.Node.Stmt, "the kernel %s %s", x.Kernel.Object.Name, text)
		}
	}
	syntax.Inspect(o.Stmt, func(n syntax.Node) bool {
		switch n.(type) {
		case *syntax.GotoStmt, *syntax.LabelStmt:
			refuse(n, "a jump may lead into its rounds or out of them")
		}
		return true
	})
	for _, k := range respawning(o) {
		if items := w.runs[k]; items > 0 && items != n.Items {
			refuse(o.Stmt, "another loop has the runs of %s by one block for up to %d items", k.Object.Name, items)
		}
	}
	_, more := in.Carried(o.Stmt)
	return append(why, more...)
}

// unscopedKernel returns why some blocks cannot execute a kernel alone, or "".
func (w *Work) unscopedKernel(k *check.FuncInfo, given bool) string {
	for _, s := range analysis.OuterForAlls(k.Decl.Body) {
		switch {
		case w.facts.Info.Types[s.Iter] != check.Worklist:
			return "iterates over more than WL"
		case w.facts.Info.Groups[s]:
			return "has iterations that wait for each other"
		}
	}
	switch {
	case k.Syncs:
		return "has barriers of the grid"
	case k.Retries:
		return "retries items that conflict"
	case len(k.Adds) > 0:
		return "adds to the mesh"
	case w.hubs(k, given):
		return "may share long lists with the grid (np=gr)"
	}
	return ""
}

// hubs reports whether the grid may share the long inner loops of a kernel: as is planned,
// and, for a node that is not given, as the options say, which plan it for other kernels.
func (w *Work) hubs(k *check.FuncInfo, given bool) bool {
	if !given && w.anywhere(k, func(o lower.Options) bool { return o.NP&lower.ByGrid != 0 }) {
		return true
	}
	if len(w.plan.Loops) == 0 {
		return false
	}
	for n := range syntax.Preorder(k.Decl.Body) {
		if s, ok := n.(*syntax.ForAllStmt); ok && w.plan.Loops[s].NP[plan.ByGrid] > 0 {
			return true
		}
	}
	return false
}

// oneBlock returns why the grid cannot share the inner loops of a kernel: the program has
// one block execute the rounds of a loop that calls it.
func (w *Work) oneBlock(k *check.FuncInfo) (why []analysis.Reason) {
	w.callers(k, "scope", func(o *analysis.Outline) {
		why = append(why, analysis.Reason{Pos: o.Pos(), Text: fmt.Sprintf("the program has %s execute the rounds of %s", clusterText(w.plan.Nodes[o.Key()].Cluster), o.Title())})
	})
	return why
}

// clusterText names the blocks that execute rounds alone.
func clusterText(size int) string {
	if size == 0 {
		return "one block"
	}
	return fmt.Sprintf("a cluster of %d blocks", size)
}

// respawning returns the kernels of a node whose runs are loops that respawn items,
// without neighbours that are equal.
func respawning(o *analysis.Outline) []*check.FuncInfo {
	var out []*check.FuncInfo
	for _, x := range o.Calls {
		if x.Kernel.Respawns {
			out = append(out, x.Kernel)
		}
	}
	return slices.Compact(out)
}
