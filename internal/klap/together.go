package klap

import (
	"fmt"
	"slices"
	"strings"

	"irgl/internal/check"
	"irgl/internal/tree"
	"irgl/syntax"
)

// Small children done by the warps that launch them.
//
//	__klap_end_parent:                      if no warp of the group has more work than a launch takes:
//	  sum, store, launch child_agg          	end = sum of n of the lanes up to this one;
//	                                        	for (item = lane; item < the last lane's end; item += 32)
//	                                        		from = the lane with the item;
//	                                        		child_thread(arguments of that lane, thread item - start of from);
//	                                        else:
//	                                        	sum, store, launch child_agg
//
// An aggregated launch is one, and takes its time even if the child has little to do, as in the first and
// last rounds of a program that works off a frontier. At the end of the kernel all threads meet, so that a warp can do
// the launches of its lanes with all lanes: their threads are numbered through, each lane finds whose thread it does by a binary search, and
// configuration and arguments are passed by shuffles. That is in the
// place of thresholding, where a thread does its own launch alone: a thread does one of 32 threads 32 times as slowly as a warp, and
// while it does, its warp waits.
//
// Legality: as for thresholding (threshold.go). The child's threads run in lanes that do not meet in it. A launch must have no order with
// others of its thread: into cudaStreamFireAndForget, or one for each stream. Memory: the warp synchronises before.
//
// Profitability: threshold=auto with a granularity, for children without loops whose loads are known. Launches of N threads
// together have N / 32 rounds of W loads that follow each other, 0.5 µs each. A group with an aggregated launch takes 28 µs longer than
// one without (sums, stores, the launch, and the child's searches), and so 56 loads are one. n is what the
// program asks for, not whole blocks. A coarsened child is done as it was before.

// mostLoads is how many loads that follow each other a warp does in the place of a launch.
const mostLoads = 56

func (c *child) do() string { return "__klap_do_" + c.name() }

// together says which launches warps do.
func (p *Program) together(children []*child, list []*site, kernels []*kernel) {
	if p.o.Threshold != Auto {
		return
	}
	t := &thresholding{p: p, list: list}
	order := map[*site]bool{}
	for _, k := range kernels {
		for _, s := range k.sites {
			order[s] = order[s] || k.ordered || k.chained || p.traitsOf(k.fn, nil).nonCoherent
		}
	}
	for _, c := range children {
		k := p.uncoarsened(c)
		loads := t.small(c, k)
		if loads == 0 {
			continue
		}
		for _, s := range c.sites {
			if s.warps = t.knows(c, k, s) && !order[s] && !t.cyclic(&site{fn: s.fn, child: k}); s.warps {
				c.loads = loads
			}
		}
		if c.loads > 0 && !c.flat {
			t.ask(c, k)
		}
	}
}

// small returns the loads of a thread of a child, whose threads are those of kernel k, one after the other; 0 if warps cannot do its launches, or should not.
func (t *thresholding) small(c *child, k *check.FuncInfo) int {
	p := t.p
	if !c.block || c.gridDims != 1 || c.shared != noShared || c.chained || p.thresholdOf(k) != 0 {
		return 0
	}
	n, known := p.waits(k)
	if !known || n > mostLoads || t.refuse(p.traitsOf(k, t.list)) != "" || !p.placeable(k) {
		return 0
	}
	for _, q := range k.Params {
		if size := q.Type.Size(); size != 4 && size != 8 || !check.IsArithmetic(q.Type) && !isPointer(q.Type) {
			return 0
		}
	}
	return n
}

// knows reports whether the threads of a launch are known in front of it to be few or of a number that is cheap to have.
func (t *thresholding) knows(c *child, k *check.FuncInfo, s *site) bool {
	l := *s.launch
	if k != c.fn {
		l.Grid = l.Args[len(l.Args)-1]
	}
	grid, block := t.p.info.Consts[l.Grid], t.p.info.Consts[l.Block]
	return t.wanted(&l) != nil || grid != nil && block != nil && grid.Int >= 1 && block.Int >= 1 && grid.Int*block.Int <= 32*mostLoads
}

// doDecl returns the function by which a warp does the launches of its lanes.
func (g *generator) doDecl(c *child) syntax.Decl {
	var b strings.Builder
	fn := c.thread
	fmt.Fprintf(&b, "static __device__ void %s(const struct %s *k, unsigned int thread, unsigned int threads, unsigned int bx) {\n", c.do(), c.tag())
	b.WriteString("unsigned int mask = __klap_mask(thread, threads), lanes = __popc(mask), n = k->pred ? k->n : 0;\n")
	b.WriteString("unsigned int end = __klap_ends(n, thread, threads), start = end - n, all = __shfl_sync(mask, end, lanes - 1);\n__syncwarp(mask);\n")
	b.WriteString("for (unsigned int base = 0; base < all; base += lanes) {\nunsigned int item = base + (thread & 31);\n")
	b.WriteString("unsigned int from = __klap_owner(end, item, mask, lanes), i = item - __shfl_sync(mask, start, from);\n")
	grid := "__shfl_sync(mask, k->gx, from)"
	if fn != c.fn {
		last := len(c.uniform) - 1
		grid = fmt.Sprintf("a%d", last)
		if !c.uniform[last] {
			grid = fmt.Sprintf("__shfl_sync(mask, k->a%d, from)", last)
		}
	}
	b.WriteString(placeText("at", grid, "bx", "i"))
	var args []string
	for i := range fn.Params {
		if !c.uniform[i] {
			fmt.Fprintf(&b, "irgl_hole(%d);\n", i)
		}
		args = append(args, fmt.Sprintf("a%d", i))
	}
	fmt.Fprintf(&b, "if (item < all) {\n%s(%s);\n}\n__syncwarp(mask);\n}\n}\n", fn.Object.Name+threadSuffix, strings.Join(append(args, "&at"), ", "))
	f := tree.Declarations(b.String())[0].(*syntax.FuncDecl)
	tree.Rewriter{Stmt: func(x syntax.Stmt) []syntax.Stmt {
		e, ok := x.(*syntax.ExprStmt)
		if !ok {
			return []syntax.Stmt{x}
		}
		call := tree.CallOf(e.X, "irgl_hole")
		if call == nil {
			return []syntax.Stmt{x}
		}
		var i int
		fmt.Sscan(call.Args[0].(*syntax.BasicLit).Text, &i)
		return []syntax.Stmt{c.shuffled(i, tree.At(call))}
	}}.Rewrite(f.Body)
	for i, u := range c.uniform {
		if u {
			f.Params = append(f.Params, c.param(i, c.argument(i).Name))
		}
	}
	return f
}

// shuffled returns the variable of argument i of the launch of lane from. The inner conversion is of no parameter, and so at
// another place.
func (c *child) shuffled(i int, inner syntax.Span) syntax.Stmt {
	q := c.fn.Decl.Params[i]
	sp, typ := tree.At(q), argument(q.Type)
	var x syntax.Expr = &syntax.MemberExpr{Span: sp, X: tree.Ident(sp, "k"), Arrow: true, Name: c.argument(i)}
	switch t := c.fn.Params[i].Type; {
	case isPointer(t):
		x = tree.Cast(inner, tree.Basic(inner, "unsigned long long"), x)
	case check.IsInteger(t):
		x = tree.Cast(inner, tree.Clone(typ), x)
	}
	x = tree.Call(sp, "__shfl_sync", tree.Ident(sp, "mask"), x, tree.Ident(sp, "from"))
	return tree.Variable(sp, typ, c.argument(i).Name, tree.Cast(sp, tree.Clone(typ), x))
}

// shuffledNone is text that sets what lanes pass on of a launch that a thread does not have.
func (c *child) shuffledNone(s *site, name string) string {
	if !s.warps {
		return ""
	}
	text := name + ".gx = 0;\n"
	for i := range c.fn.Params {
		if !c.uniform[i] {
			text += fmt.Sprintf("%s.a%d = 0;\n", name, i)
		}
	}
	return text
}

// few reports whether the warps of a kernel may do launches.
func (e *ending) few() bool {
	return !e.k.chained && slices.ContainsFunc(e.sites, func(v local) bool { return v.site.warps })
}

// many writes the variable many, by which a thread knows whether its warp launches: if there is more to do than the warp does
// itself.
func (e *ending) many() {
	var many, work []string
	for _, v := range e.sites {
		if !v.site.warps {
			many = append(many, v.k+"->pred != 0")
			continue
		}
		most := mostLoads / v.c.loads * 32
		many = append(many, fmt.Sprintf("%[1]s->pred > 1 || %[1]s->pred && %[1]s->n > %[2]d", v.k, most))
		work = append(work, fmt.Sprintf("(%[1]s->pred ? %[1]s->n * %[2]d : 0)", v.k, v.c.loads))
	}
	e.f("int many = %s;\n", strings.Join(many, " || "))
	e.f("many = __klap_many(many, many ? 0 : %s, %d, thread, threads);\n", strings.Join(work, " + "), mostLoads*32)
}

// small reports whether warps of a kernel may do launches.
func (k *kernel) small() bool {
	return slices.ContainsFunc(k.sites, func(s *site) bool { return s.warps })
}

// do writes the launches that a warp does.
func (e *ending) do() {
	for j, v := range e.sites {
		if !v.site.warps {
			continue
		}
		names, _ := v.c.scalars(j)
		e.f("%s(%s, thread, threads, %s);\n", v.c.do(), v.k, strings.Join(names, ", "))
	}
}
