package compile

import (
	"cmp"
	"errors"
	"io"
	"slices"
	"strings"

	"irgl/internal/analysis"
	throughput "irgl/internal/opt"
	"irgl/syntax"
)

// Explain writes what was made of the loops of the Host functions, and why: a
// line for each node of their outline trees; and of the inner loops, pushes and
// reductions of kernels. [Compile] must have reached check.
func (u *Unit) Explain(w io.Writer) error {
	if u.Dialect != syntax.IrGL || !u.done["check"] {
		return errors.New("only an IrGL program that checks can be explained")
	}
	var out strings.Builder
	nodes, choices, err := u.explained()
	if err != nil {
		return err
	}
	for _, n := range nodes {
		out.WriteString(n.String())
	}
	for _, c := range choices {
		out.WriteString(c.String())
	}
	_, err = io.WriteString(w, out.String())
	return err
}

// explained returns what becomes of the loops of Host functions and of places in
// kernels, with what the passes over the lowered tree remark on them.
func (u *Unit) explained() ([]throughput.OutlineNode, []throughput.Choice, error) {
	o := throughput.Options{Lower: u.Options.Lower, Tree: u.Options.tree(ofTree)}
	nodes, err := throughput.Explain(u.Info, o)
	if err != nil {
		return nil, nil, err
	}
	x, err := throughput.ExplainKernels(u.Info, o)
	if err != nil {
		return nil, nil, err
	}
	pops, err := u.pops()
	if err != nil {
		return nil, nil, err
	}
	choices := append(x.Kernels, pops...)
	slices.SortStableFunc(choices, func(a, b throughput.Choice) int { return cmp.Compare(a.Pos.Offset, b.Pos.Offset) })
	for _, r := range x.Remarks {
		why := analysis.Reason{Pos: r.Pos, Text: r.Text}
		for i := range nodes {
			switch n := &nodes[i]; {
			case n.Pos != r.Pos || !n.Outlined && !n.Inside:
			case r.Missed:
				n.Stays = append(n.Stays, why)
			default:
				n.Rounds = strings.TrimPrefix(n.Rounds+", "+r.Text, ", ")
			}
		}
		for i := range choices {
			switch c := &choices[i]; {
			case c.Depth == 0 || c.Pos != r.Pos || r.Pass == "bounds":
			case r.Missed:
				c.Why = append(c.Why, why)
			default:
				c.State += ", " + r.Text
			}
		}
	}
	return nodes, choices, nil
}

// pops returns what the items that kernels pop bring with them, or could: what the
// pass bounds remarks when it runs.
func (u *Unit) pops() ([]throughput.Choice, error) {
	o, on := u.Options.Lower, u.Options.Lower.Bounds
	o.Bounds = true
	var out []throughput.Choice
	x, err := throughput.ExplainKernels(u.Info, throughput.Options{Lower: o, Tree: u.Options.tree(ofTree)})
	if err != nil {
		return nil, err
	}
	for _, r := range x.Remarks {
		c := throughput.Choice{Depth: 1, Title: "pop", Pos: r.Pos, State: "the item alone"}
		switch {
		case r.Pass != "bounds":
			continue
		case r.Missed && on:
			c.Why = []analysis.Reason{{Pos: r.Pos, Text: r.Text}}
		case !r.Missed && on:
			c.State = r.Text
		case !r.Missed:
			c.State += ", can bring the bounds of its edges (--bounds)"
		case !o.Ahead:
			continue
		}
		out = append(out, c)
	}
	return out, nil
}
