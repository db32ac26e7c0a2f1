package lower

import (
	"fmt"
	"slices"
	"strings"

	"irgl/internal/analysis"
	"irgl/internal/check"
	"irgl/syntax"
)

// This file decides which loops of control kernels one block or cluster may go through
// alone.
//
// What is legal: the loop is an Iterate or a Pipe with no other rounds in it, all
// of whose kernels go through WL (or do what one thread does), with no barriers of
// their own, no items that conflict and no additions to a mesh; the variables that its
// rounds change are numbers. The runs of a kernel that respawns items are such a loop,
// too. It pays where many rounds are short, as in graphs of large diameter; it loses
// where the items of a short list have many edges, all of which one block then looks at.

// A roundsNote says which blocks execute the rounds of a node, and why not fewer.
type roundsNote struct {
	text string
	why  []analysis.Reason
}

// scope decides about all nodes with rounds in those that are outlined.
func (c *chooser) scope() {
	if c.o.Scope == 0 {
		return
	}
	for _, root := range c.facts.Outlines() {
		for _, in := range root.Nodes() {
			if !c.nodes[in.Key()].Outline {
				continue
			}
			for _, o := range in.Nodes() {
				if o.Rounds() {
					c.scopeOf(in, o)
				}
			}
		}
	}
}

// scopeOf decides about the rounds of node o in the outlined node in.
func (c *chooser) scopeOf(in, o *analysis.Outline) {
	if why := c.unscoped(in, o); len(why) > 0 {
		c.rounds[o] = roundsNote{"rounds by the grid", why}
		return
	}
	n := c.nodes[o.Key()]
	n.Items, n.Cluster = c.o.Scope, c.o.Cluster
	c.nodes[o.Key()] = n
	who := "block"
	if n.Cluster > 0 {
		who = fmt.Sprintf("cluster of %d blocks", n.Cluster)
	}
	what := "rounds"
	if runs := respawning(o); len(runs) > 0 {
		var names []string
		for _, k := range runs {
			names = append(names, k.Object.Name)
		}
		what = "runs of " + strings.Join(names, ", ")
	}
	c.rounds[o] = roundsNote{text: fmt.Sprintf("%s by one %s for up to %d items", what, who, n.Items)}
}

// unscoped returns why a block or cluster cannot go through the rounds of a node alone.
func (c *chooser) unscoped(in, o *analysis.Outline) (why []analysis.Reason) {
	refuse := func(at syntax.Node, format string, args ...any) {
		why = append(why, analysis.Reason{Pos: at.Pos(), Text: fmt.Sprintf(format, args...)})
	}
	for _, child := range o.Children {
		if child.Loops() {
			refuse(child.Stmt, "%s in it has rounds of its own", child.Title())
			return why
		}
	}
	for _, x := range o.Calls {
		if text := c.unscopedKernel(x.Kernel); text != "" {
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
	_, more := in.Carried(o.Stmt)
	return append(why, more...)
}

// unscopedKernel returns why some blocks cannot execute a kernel alone, or "".
func (c *chooser) unscopedKernel(k *check.FuncInfo) string {
	for _, s := range analysis.OuterForAlls(k.Decl.Body) {
		switch {
		case c.facts.Info.Types[s.Iter] != check.Worklist:
			return "goes through more than WL"
		case c.facts.Info.Groups[s]:
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
	case c.o.NP&ByGrid != 0:
		return "may share long lists with the grid (np=gr)"
	}
	return ""
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
