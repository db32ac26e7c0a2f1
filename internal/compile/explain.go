package compile

import (
	"cmp"
	"errors"
	"io"
	"slices"
	"strings"

	"irgl/internal/analysis"
	"irgl/internal/lower"
	throughput "irgl/internal/opt"
	"irgl/internal/pass"
	"irgl/internal/source"
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
func (u *Unit) explained() ([]throughput.OutlineNode, []lower.Choice, error) {
	choices := lower.ExplainKernels(u.Info, u.Options.Lower)
	nodes, err := throughput.Explain(u.Info, throughput.Options{Lower: u.Options.Lower, Tree: u.Options.tree()})
	if err != nil {
		return nil, nil, err
	}
	pops, err := u.pops()
	if err != nil {
		return nil, nil, err
	}
	choices = append(choices, pops...)
	slices.SortStableFunc(choices, func(a, b lower.Choice) int { return cmp.Compare(a.Pos.Offset, b.Pos.Offset) })
	err = u.remarks(u.Options.Lower, func(r pass.Remark) {
		if r.Pass == "outline" || r.Pass == "scope" { // the nodes have it
			return
		}
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
	})
	return nodes, choices, err
}

// pops returns what the items that kernels pop bring with them, or could: what the
// pass bounds remarks when it runs.
func (u *Unit) pops() ([]lower.Choice, error) {
	o, on := u.Options.Lower, u.Options.Lower.Bounds
	o.Bounds = true
	var out []lower.Choice
	err := u.remarks(o, func(r pass.Remark) {
		c := lower.Choice{Depth: 1, Title: "pop", Pos: r.Pos, State: "the item alone"}
		switch {
		case r.Pass != "bounds":
			return
		case r.Missed && on:
			c.Why = []analysis.Reason{{Pos: r.Pos, Text: r.Text}}
		case !r.Missed && on:
			c.State = r.Text
		case !r.Missed:
			c.State += ", can bring the bounds of its edges (--bounds)"
		case !o.Ahead:
			return
		}
		out = append(out, c)
	})
	return out, err
}

// remarks calls say with what the passes over trees remark, once with each: a kernel
// may be there twice, as itself and as a function of control kernels.
func (u *Unit) remarks(l lower.Options, say func(pass.Remark)) error {
	o := throughput.Options{Lower: l, Tree: u.Options.tree()}
	o.Tree.PrintAfter = nil
	said := map[pass.Remark]bool{}
	o.Tree.Remark = func(r pass.Remark) {
		if r.Unit = ""; !said[r] {
			said[r] = true
			say(r)
		}
	}
	var diags source.List
	_, _, err := throughput.Run(u.Info, &diags, o)
	return err
}
