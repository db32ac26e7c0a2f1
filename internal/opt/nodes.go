package opt

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"irgl/internal/analysis"
	"irgl/internal/check"
	"irgl/internal/pass"
	"irgl/internal/source"
	"irgl/internal/tree"
)

// An OutlineNode is a node of the outline tree of a Host function: the whole
// function, a Pipe, an Iterate or a loop that invokes kernels.
type OutlineNode struct {
	ID    int        // its number in the program, in the order of the text
	Depth int        // 0 for a whole function
	Title string     // "Host bfs", "Iterate", "Pipe Once"
	Pos   source.Pos //
	// Outlined says that the node has a control kernel, of blocks of Threads
	// threads, or Launches, one that launches the kernels.
	Outlined bool
	Threads  int
	Launches bool
	// Inside says that it is part of a node that has one.
	Inside bool
	Loops  bool              // it or a node in it has rounds
	Why    []analysis.Reason // it cannot move; none if it can
	// Rounds says which blocks execute its rounds, where that is a choice, and what
	// later passes made of them; Stays why not more was done.
	Rounds string
	Stays  []analysis.Reason
}

// state says what becomes of the node.
func (n OutlineNode) state() string {
	switch {
	case n.Outlined && n.Launches:
		return "outlined, by launches in device code"
	case n.Outlined:
		return fmt.Sprintf("outlined, blocks of %d threads", n.Threads)
	case n.Inside:
		return "part of it"
	case len(n.Why) > 0:
		return "stays on the host"
	case !n.Loops:
		return "can be outlined, but does not loop"
	}
	return "can be outlined"
}

// String describes the node in a line, and each reason in a line below it.
func (n OutlineNode) String() string {
	indent, rounds := strings.Repeat("  ", n.Depth), ""
	if n.Rounds != "" {
		rounds = "; " + n.Rounds
	}
	s := fmt.Sprintf("%s%d: %s at %d:%d: %s%s\n", indent, n.ID, n.Title, n.Pos.Line(), n.Pos.Column(), n.state(), rounds)
	for _, r := range slices.Concat(n.Why, n.Stays) {
		s += fmt.Sprintf("%s   at %d:%d: %s\n", indent, r.Pos.Line(), r.Pos.Column(), r.Text)
	}
	return s
}

// Remark describes the node in a line with the reasons, and says whether it stays.
func (n OutlineNode) Remark() (text string, missed bool) {
	text = n.Title + ": " + n.state()
	for _, why := range n.Why {
		text += fmt.Sprintf("; at %d:%d: %s", why.Pos.Line(), why.Pos.Column(), why.Text)
	}
	return text, len(n.Why) > 0
}

// say remarks what becomes of the node.
func (n OutlineNode) say(r *pass.Run) {
	text, missed := n.Remark()
	if missed {
		r.Missed(n.Pos, "%s", text)
	} else {
		r.Applied(n.Pos, "%s", text)
	}
}

// Explain returns the nodes of the outline trees of a program, which checks
// without errors, in order, and what the rows outline and scope make of them.
func Explain(info *check.Info, o Options) ([]OutlineNode, error) {
	w := newPlan(info, new(source.List), o.Lower)
	o.Passes, o.Tree = planning(), tree.Options{Switch: maps.Clone(o.Tree.Switch)}
	maps.DeleteFunc(o.Tree.Switch, func(name string, _ bool) bool { return !slices.Contains(planning(), name) })
	if _, err := w.run(o); err != nil {
		return nil, err
	}
	var out []OutlineNode
	for _, root := range w.facts.Outlines() {
		out = w.explained(out, root, 0, false)
	}
	return out, nil
}

// explained adds a node and those below it; inside says that one around it has a control
// kernel.
func (w *Work) explained(out []OutlineNode, o *analysis.Outline, depth int, inside bool) []OutlineNode {
	made, note := w.plan.Nodes[o.Key()], w.rounds[o]
	n := OutlineNode{ID: o.ID, Depth: depth, Title: o.Title(), Pos: o.Pos(), Outlined: made.Outline, Threads: made.Threads, Launches: made.Launches, Inside: inside, Loops: o.Loops(),
		Rounds: note.text, Stays: note.why}
	_, n.Why = w.movable(o)
	out = append(out, n)
	for _, child := range o.Children {
		out = w.explained(out, child, depth+1, inside || made.Outline)
	}
	return out
}
