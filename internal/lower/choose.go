package lower

import (
	"fmt"
	"slices"

	"irgl/internal/analysis"
	"irgl/internal/check"
	"irgl/internal/plan"
	"irgl/internal/source"
	"irgl/syntax"
)

// This file decides which nodes of the outline trees get control kernels.

// outlineThreads is the number of threads of a control kernel's blocks where nothing
// else is asked for.
const outlineThreads = 512

// A chooser decides about the nodes of a program's outline trees.
type chooser struct {
	facts *analysis.Program
	o     Options
	nodes map[syntax.Node]plan.Node

	verdicts map[*analysis.Outline]verdict
	rounds   map[*analysis.Outline]roundsNote
}

// A verdict says whether a node can have a control kernel.
type verdict struct {
	why   []analysis.Reason // it cannot
	sizes analysis.Sizes    // of the blocks that it can have
}

// newChooser returns a chooser that has decided nothing.
func newChooser(facts *analysis.Program, o Options) *chooser {
	return &chooser{facts: facts, o: o, nodes: map[syntax.Node]plan.Node{}, verdicts: map[*analysis.Outline]verdict{}, rounds: map[*analysis.Outline]roundsNote{}}
}

// outline chooses among all nodes, and reports which of those that are asked for by
// their numbers cannot be outlined.
func (c *chooser) outline(diags *source.List) {
	var all []*analysis.Outline
	for _, root := range c.facts.Outlines() {
		if c.facts.FromHost[root.Func()] {
			c.outlineIn(root)
		}
		all = append(all, root.Nodes()...)
	}
	for _, n := range c.o.Outline.Nodes {
		if n >= len(all) {
			at := c.facts.Info.File.Pos()
			diags.Errorf(at, at, CodeOutline, "there is no node %d to outline: there are %d", n, len(all)).Hint = explainHint
		} else if _, why := c.movable(all[n]); len(why) > 0 {
			at := all[n].Pos()
			diags.Errorf(at, at, CodeOutline, "node %d, %s, cannot be outlined: %s", n, all[n].Title(), why[0].Text).Hint = explainHint
		}
	}
}

const explainHint = "irgl build --explain lists the nodes and says what stands in the way"

// outlineIn chooses o or, if it is not wanted or stays, among the nodes below it.
func (c *chooser) outlineIn(o *analysis.Outline) {
	if c.o.Outline.Auto && o.Loops() || slices.Contains(c.o.Outline.Nodes, o.ID) {
		if threads, why := c.movable(o); len(why) == 0 {
			c.nodes[o.Key()] = plan.Node{Outline: true, Threads: threads, Blocks: c.o.OutlineBlocks}
			return
		}
	}
	for _, child := range o.Children {
		c.outlineIn(child)
	}
}

// movable returns the block size that a node's control kernel gets, or why it cannot
// have one.
func (c *chooser) movable(o *analysis.Outline) (threads int, why []analysis.Reason) {
	v, known := c.verdicts[o]
	if !known {
		v = c.judge(o)
		c.verdicts[o] = v
	}
	want := c.o.OutlineThreads
	switch {
	case v.sizes.Empty():
		return 0, v.why
	case want == 0:
		want = max(v.sizes.Min, min(v.sizes.Max, outlineThreads))
	case want < v.sizes.Min || want > v.sizes.Max:
		return 0, append(slices.Clone(v.why), analysis.Reason{Pos: o.Pos(), Text: fmt.Sprintf("its kernels take blocks of %s threads, not of %d", v.sizes, want)})
	}
	return want, v.why
}

// judge returns whether a node can have a control kernel: what the analysis found, and
// what package lower has no form for.
func (c *chooser) judge(o *analysis.Outline) verdict {
	if why := refusedIn(o); len(why) > 0 {
		return verdict{why: why, sizes: analysis.Sizes{Min: 1}} // there is no size
	}
	v := verdict{sizes: o.Threads}
	refuse := func(at source.Pos, format string, args ...any) {
		if n := (analysis.Reason{Pos: at, Text: fmt.Sprintf(format, args...)}); !slices.Contains(v.why, n) {
			v.why = append(v.why, n)
		}
	}
	if len(o.Calls) == 0 {
		refuse(o.Pos(), "it invokes no kernel")
	}
	for _, x := range inexactIn(o) {
		refuse(x.Pos(), "the last digit may differ between host and device")
	}
	together := c.o.Coop == CoopBlock || c.o.NP != 0
	for _, x := range o.Calls {
		if x.Kernel == nil {
			continue
		}
		name := x.Kernel.Object.Name
		if x.Kernel.Retries && together {
			refuse(x.Node.Stmt.Pos(), "the kernel %s retries in fewer threads, and its blocks work together", name)
		}
		if text := c.callable(x.Kernel); text != "" {
			refuse(x.Node.Stmt.Pos(), "the kernel %s %s", name, text)
		}
		if roomy(x.Kernel) && !o.Alone(x) {
			refuse(x.Invoke.Pos(), "%s, which may run out of room, is invoked in a condition or beside another kernel", name)
		}
		if together { // shared memory is sized by the kernels' blocks
			v.sizes.Max = min(v.sizes.Max, blockThreads(c.o, x.Kernel))
		}
	}
	c.judgeCode(o, refuse)
	if v.sizes.Empty() {
		refuse(o.Pos(), "its kernels have no block size in common")
	}
	return v
}

// refusedIn returns the reasons of a node, and which nodes below it stay.
func refusedIn(o *analysis.Outline) []analysis.Reason {
	why := slices.Clone(o.Refused)
	for _, c := range o.Children {
		if len(refusedIn(c)) > 0 {
			why = append(why, analysis.Reason{Pos: c.Pos(), Text: c.Title() + " in it stays"})
		}
	}
	return why
}

// inexactIn returns the calls of a node and of those below it that may give
// something else on the device.
func inexactIn(o *analysis.Outline) []*syntax.CallExpr {
	out := slices.Clone(o.Inexact)
	for _, c := range o.Children {
		out = append(out, inexactIn(c)...)
	}
	return out
}

// judgeCode refuses host code that a control kernel could execute, but which package
// lower has no form for.
func (c *chooser) judgeCode(o *analysis.Outline, refuse func(at source.Pos, format string, args ...any)) {
	for _, a := range o.Accesses {
		_, scalar := a.Object.Type.(check.Basic)
		switch {
		case slices.Contains(o.HostOnly, a.Object):
			if !scalar || a.Object.Volatile || c.facts.OnDevice[a.Object] {
				refuse(a.Expr.Pos(), "%s is in the host's memory", a.Object.Name)
			}
		case a.Mode&^analysis.Read == 0:
		case !isPlainStmt(a.Node):
			refuse(a.Expr.Pos(), "%s is written other than by a statement of its own", a.Object.Name)
		}
	}
	for _, n := range o.Barriers {
		switch n.Kind {
		case analysis.If, analysis.Switch, analysis.Loop, analysis.Iterate, analysis.Invoke:
		default:
			if n.Kind != analysis.Plain || n.InInit() {
				refuse(n.Stmt.Pos(), "the threads would have to wait for each other before a part of a statement")
			}
		}
	}
	syntax.Inspect(o.Code(), func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CallExpr:
			if id, ok := syntax.Unparen(n.Fun).(*syntax.Ident); ok {
				if g := c.facts.Info.Uses[id]; g != nil && g.Func != nil {
					if text := c.private(g.Func); text != "" {
						refuse(n.Pos(), "%s %s", id.Name, text)
					}
				}
			}
		case *syntax.ReturnStmt:
			if n.X != nil {
				refuse(n.Pos(), "return gives a value")
			}
		}
		return true
	})
}

// private returns why a function of the file cannot be called from a control
// kernel, or "".
func (c *chooser) private(g *check.FuncInfo) string {
	switch {
	case g.Decl.Kind != syntax.PlainFunc:
		return "is a Host function"
	case len(g.Reads)+len(g.Writes) > 0 || c.facts.UsesGraph[g]:
		return "uses the graph or a variable of the program"
	}
	return ""
}

// isPlainStmt reports whether a node is an expression statement of its own.
func isPlainStmt(n *analysis.Node) bool {
	_, ok := n.Stmt.(*syntax.ExprStmt)
	return ok && n.Kind == analysis.Plain && !n.InInit()
}

// roomy reports whether a kernel may need more room than there is.
func roomy(k *check.FuncInfo) bool { return k.UsesWL || len(k.Adds) > 0 }

// callable returns why a kernel cannot be called from a control kernel, or "". In the
// runs of a kernel that retries some threads may have no work.
func (c *chooser) callable(k *check.FuncInfo) string {
	loops := analysis.OuterForAlls(k.Decl.Body)
	switch {
	case k.Retries && k.Syncs:
		return "retries items and has barriers"
	case k.Retries && (len(loops) != 1 || len(k.Decl.Body.Stmts) != 1 || c.facts.Info.Types[loops[0].Iter] != check.Worklist):
		return "retries items and does more than to go through WL"
	}
	return ""
}
