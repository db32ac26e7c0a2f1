package plan

import (
	"slices"

	"irgl/syntax"
)

// Write returns the program with a plan as attributes of its statements. The file is a
// copy; its nodes are those of f. What the attributes of f decide stays as it is
// written.
func (p *Plan) Write(f *syntax.File) *syntax.File {
	out := *f
	out.Attributes = map[syntax.Node][]*syntax.Attribute{}
	var head syntax.Stmt // of a for, whose calls are those of the for
	for n := range syntax.Preorder(f) {
		if s, ok := n.(*syntax.ForStmt); ok && s.Init != nil {
			head = s.Init
		}
		if n == head {
			continue
		}
		list := slices.Clone(f.Attributes[n])
		for _, a := range p.attributes(n) {
			if !Given(f, n, a.Name.Name) {
				list = append(list, a)
			}
		}
		if len(list) > 0 {
			out.Attributes[n] = list
		}
	}
	return &out
}

// Given reports whether the text of a program decides about a node what the attribute
// called name does: with that one, or for one that says which threads share an atomic
// with any that does.
func Given(f *syntax.File, n syntax.Node, name string) bool {
	return slices.ContainsFunc(f.Attributes[n], func(a *syntax.Attribute) bool {
		return a.Name.Name == name || slices.Contains(shareNames[:], name) && slices.Contains(shareNames[:], a.Name.Name)
	})
}

// attributes returns what is decided about a node, in the order of kinds.
func (p *Plan) attributes(n syntax.Node) []*syntax.Attribute {
	var out []*syntax.Attribute
	add := func(name string, list ...*syntax.AttributeArg) {
		out = append(out, &syntax.Attribute{Name: &syntax.Ident{Name: name}, Args: list})
	}
	if f, ok := n.(*syntax.FuncDecl); ok && p.Threads[f] > 0 {
		add("threads", number(p.Threads[f]))
	}
	if d := p.Nodes[n]; d.Outline {
		var list []*syntax.AttributeArg
		if d.Launches {
			list = append(list, word("dp"))
		}
		if d.Threads > 0 {
			list = append(list, &syntax.AttributeArg{Word: "threads", Number: d.Threads})
		}
		if d.Blocks > 0 {
			list = append(list, &syntax.AttributeArg{Word: "blocks", Number: d.Blocks})
		}
		add("outline", list...)
	}
	if d := p.Nodes[n]; d.Items > 0 {
		scope := word("block")
		if d.Cluster > 0 {
			scope = &syntax.AttributeArg{Word: "cluster", Number: d.Cluster}
		}
		add("scope", scope, number(d.Items))
	}
	if s, ok := n.(*syntax.ForAllStmt); ok {
		l := p.Loops[s]
		if l.Deal {
			add("deal")
		}
		if l.Queue {
			add("queue")
		}
		if l.Scheduled() {
			add("np", l.policies()...)
		}
		if l.Batch > 1 && l.Eager {
			add("batch", number(l.Batch), word("eager"))
		} else if l.Batch > 1 {
			add("batch", number(l.Batch))
		}
	}
	if s, ok := n.(syntax.Stmt); ok && len(p.Shares) > 0 {
		out = append(out, p.shares(s)...)
	}
	return out
}

func word(text string) *syntax.AttributeArg { return &syntax.AttributeArg{Word: text, Number: -1} }

func number(n int) *syntax.AttributeArg { return &syntax.AttributeArg{Number: n} }

// policies returns the arguments of np.
func (l Loop) policies() []*syntax.AttributeArg {
	var out []*syntax.AttributeArg
	for p, size := range l.NP {
		if size > 0 {
			out = append(out, &syntax.AttributeArg{Word: PolicyNames[p], Number: size})
		}
	}
	out[len(out)-1].Number = -1
	return out
}

// shares returns the attributes of what a statement pushes and adds to counters.
func (p *Plan) shares(s syntax.Stmt) []*syntax.Attribute {
	var out []*syntax.Attribute
	all := sites(s)
	for _, share := range []Share{
		{Each, 0}, {Reserve, Thread}, {Reserve, Warp}, {Reserve, Block}, {Gather, Thread}, {Gather, Warp}, {Gather, Block}, {Lanes, Warp},
	} {
		suits := isAtomic
		switch share.How {
		case Reserve:
			suits = isPush
		case Each:
			suits = func(syntax.Node) bool { return true }
		}
		var list, numbers []*syntax.AttributeArg
		if share.Level > 0 && share.How != Lanes {
			list = append(list, word(share.Level.String()))
		}
		others := false
		for i, n := range all {
			if s, said := p.Shares[n]; said && s == share {
				numbers = append(numbers, number(i+1))
			} else {
				others = others || suits(n)
			}
		}
		if len(numbers) == 0 {
			continue
		}
		if others {
			list = append(list, numbers...)
		}
		out = append(out, &syntax.Attribute{Name: &syntax.Ident{Name: share.How.String()}, Args: list})
	}
	return out
}
