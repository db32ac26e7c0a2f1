package analysis

import (
	"fmt"
	"strings"
)

// Text forms that only the archives compare.

// Idom returns the parent of n; nil for the root or a node that control never
// reaches.
func (t *Tree) Idom(n *Node) *Node {
	if d := t.idom[n.ID]; d >= 0 {
		return t.g.Nodes[d]
	}
	return nil
}

// String returns the parents, a node a line: "3 <- 2".
func (t *Tree) String() string {
	var b strings.Builder
	for _, n := range t.g.Nodes {
		if d := t.Idom(n); d != nil {
			fmt.Fprintf(&b, "%s <- %s\n", n.Name(), d.Name())
		}
	}
	return b.String()
}

// String prints the effects in the order of evaluation, for goldens: "r:n
// rw:level w:*"; ! marks an atomic operation and ? what may be left out.
func (x *Effects) String() string {
	var out []string
	for _, r := range x.Refs {
		word := ""
		for _, m := range []struct {
			mode Mode
			text string
		}{{Read, "r"}, {Write, "w"}, {Declare, "d"}, {Escape, "&"}, {AtomicOp, "!"}} {
			if r.Mode&m.mode != 0 {
				word += m.text
			}
		}
		if r.Maybe {
			word += "?"
		}
		name := "*"
		if r.Object != nil {
			name = r.Object.Name
		}
		if r.Part {
			name += "[]"
		}
		out = append(out, word+":"+name)
	}
	return strings.Join(out, " ")
}

// Tree prints the tree as in Figure 4 of the paper, children indented, with what
// can be moved.
func (o *Outline) Tree() string {
	var b strings.Builder
	o.tree(&b, 0)
	return b.String()
}

func (o *Outline) tree(b *strings.Builder, depth int) {
	state := "movable"
	switch {
	case len(o.Refused) > 0:
		state = "stays: " + o.Refused[0].String()
	case !o.Movable():
		state = "stays: a node in it does"
	}
	fmt.Fprintf(b, "%*s%s (%s)\n", 2*depth, "", o.Title(), state)
	for _, c := range o.Children {
		c.tree(b, depth+1)
	}
}
