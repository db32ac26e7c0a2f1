package lower

import (
	"fmt"
	"slices"
	"strings"

	"irgl/internal/analysis"
	"irgl/internal/check"
	"irgl/internal/source"
)

// An OutlineNode is a node of the outline tree of a Host function: the whole
// function, a Pipe, an Iterate or a loop that invokes kernels.
type OutlineNode struct {
	ID    int        // its number in the program, in the order of the text
	Depth int        // 0 for a whole function
	Title string     // "Host bfs", "Iterate", "Pipe Once"
	Pos   source.Pos //
	// Outlined says that the node has a control kernel, of blocks of Threads
	// threads.
	Outlined bool
	Threads  int
	// Inside says that it is part of a node that has one.
	Inside bool
	Loops  bool              // it has rounds, or there are some in it
	Why    []analysis.Reason // it cannot move; none if it can
	// Rounds says which blocks execute its rounds, where that is a choice, and what
	// later passes made of them; Stays why not more was done.
	Rounds string
	Stays  []analysis.Reason
}

// String describes the node in a line, and each reason in a line below it.
func (n OutlineNode) String() string {
	state := "can be outlined"
	switch {
	case n.Outlined:
		state = fmt.Sprintf("outlined, blocks of %d threads", n.Threads)
	case n.Inside:
		state = "part of it"
	case len(n.Why) > 0:
		state = "stays on the host"
	case !n.Loops:
		state = "can be outlined, but does not loop"
	}
	indent := strings.Repeat("  ", n.Depth)
	s := fmt.Sprintf("%s%d: %s at %d:%d: %s\n", indent, n.ID, n.Title, n.Pos.Line(), n.Pos.Column(), state)
	if n.Rounds != "" {
		s = strings.TrimSuffix(s, "\n") + "; " + n.Rounds + "\n"
	}
	for _, r := range slices.Concat(n.Why, n.Stays) {
		s += fmt.Sprintf("%s   at %d:%d: %s\n", indent, r.Pos.Line(), r.Pos.Column(), r.Text)
	}
	return s
}

// Explain returns the nodes of the outline trees of a program, which checks
// without errors, in order, and what o makes of them.
func Explain(info *check.Info, o Options) []OutlineNode {
	c := newChooser(analysis.NewProgram(info), o)
	c.outline(new(source.List))
	c.scope()
	var out []OutlineNode
	for _, root := range c.facts.Outlines() {
		out = c.explain(out, root, 0, false)
	}
	return out
}

// explain adds a node and those below it; inside says that one around it has a control
// kernel.
func (c *chooser) explain(out []OutlineNode, o *analysis.Outline, depth int, inside bool) []OutlineNode {
	made, note := c.nodes[o.Key()], c.rounds[o]
	n := OutlineNode{ID: o.ID, Depth: depth, Title: o.Title(), Pos: o.Pos(), Outlined: made.Outline, Threads: made.Threads, Inside: inside, Loops: o.Loops(),
		Rounds: note.text, Stays: note.why}
	_, n.Why = c.movable(o)
	out = append(out, n)
	for _, child := range o.Children {
		out = c.explain(out, child, depth+1, inside || made.Outline)
	}
	return out
}
