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

// A smallChild is a child whose launches warps may do.
type smallChild struct {
	fn    *check.FuncInfo // as it is, if what is launched does several blocks
	loads int             // of a thread, one after the other
}

func (c *child) do() string { return "__klap_do_" + c.name() }

// together says which children have launches that warps do, and gives these their number of threads.
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
		small := t.small(c)
		if small == nil {
			continue
		}
		for _, s := range c.sites {
			if s.asking = t.threads(c, small, s); s.asking != nil && !order[s] && !t.cyclic(&site{fn: s.fn, child: small.fn}) {
				c.small = small
			} else {
				s.asking = nil
			}
		}
	}
}

// small returns what a warp needs to know to do launches of a child; nil if it cannot, or should not.
func (t *thresholding) small(c *child) *smallChild {
	p, fn := t.p, c.fn
	if of, copied := p.notes.of[c.name()]; copied {
		k := slices.IndexFunc(p.info.Funcs, func(f *check.FuncInfo) bool { return f.Object.Name == of && isKernel(f) })
		if k < 0 || of+coarseSuffix != c.name() {
			return nil
		}
		fn = p.info.Funcs[k]
	}
	if !c.block || c.gridDims != 1 || c.shared != noShared || c.chained || p.thresholdOf(fn) != 0 {
		return nil
	}
	n, known := p.waits(fn)
	if !known || n == 0 || n > mostLoads || t.refuse(p.traitsOf(fn, t.list)) != "" {
		return nil
	}
	for _, q := range fn.Params {
		if size := q.Type.Size(); size != 4 && size != 8 || !check.IsArithmetic(q.Type) && !isPointer(q.Type) {
			return nil
		}
	}
	// A function that needs no copy for the aggregated kernel has none.
	positioned, place := p.positioned(), p.reading("blockIdx", "gridDim")
	for _, f := range reachable(fn)[1:] {
		if positioned[f] && !place[f] {
			return nil
		}
	}
	return &smallChild{fn, n}
}

// threads returns the number of a launch's threads that do something, or nil.
func (t *thresholding) threads(c *child, small *smallChild, s *site) *asking {
	l := *s.launch
	if small.fn != c.fn {
		l.Grid = l.Args[len(l.Args)-1]
	}
	block := t.p.info.Consts[l.Block]
	if n := t.wanted(&l); n != nil {
		for i, a := range l.Args[:len(small.fn.Params)] {
			if syntax.String(t.p.kept(a)) == syntax.String(t.p.kept(n)) && t.p.guarded(small.fn, small.fn.Params[i], block.Int) {
				return &asking{l.Grid, block.Int, n}
			}
		}
		return &asking{l.Grid, block.Int, nil}
	}
	grid := t.p.info.Consts[l.Grid]
	if grid == nil || block == nil || grid.Int < 1 || block.Int < 1 || grid.Int*block.Int > 32*mostLoads {
		return nil
	}
	return &asking{l.Grid, block.Int, nil}
}

// An asking is the number of threads of a launch that do something: those of its blocks, and no more than n, if that is not nil.
type asking struct {
	grid  syntax.Expr
	block int64
	n     syntax.Expr
}

// asked returns the number of threads of a launch in a copy of the function: 0xffffffff if warps do not do it.
func (c *copying) asked(s *site, sp syntax.Span) syntax.Expr {
	if s.asking == nil {
		return &syntax.BasicLit{Span: sp, Kind: syntax.IntLit, Text: "0xffffffffu"}
	}
	threads := tree.Call(sp, "__klap_asked", c.copyOf(s.asking.grid), tree.Number(sp, s.asking.block))
	if s.asking.n == nil {
		return threads
	}
	return tree.Call(sp, "min", tree.Call(sp, "__klap_asked", c.copyOf(s.asking.n), tree.Number(sp, 1)), threads)
}

// copyOf returns a copy of what an expression of the program is in the copy of its function.
func (c *copying) copyOf(x syntax.Expr) syntax.Expr {
	for n, old := range c.origin {
		if old == syntax.Node(x) {
			return tree.Clone(n.(syntax.Expr))
		}
	}
	return tree.Clone(x)
}

// doDecl returns the function by which a warp does the launches of its lanes.
func (g *generator) doDecl(c *child) syntax.Decl {
	var b strings.Builder
	fn := c.small.fn
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
	b.WriteString("struct __klap_place at;\n")
	fmt.Fprintf(&b, "at.gridDim.x = %s;\nat.gridDim.y = 1;\nat.gridDim.z = 1;\nat.blockDim.x = bx;\nat.blockDim.y = 1;\nat.blockDim.z = 1;\n", grid)
	b.WriteString("at.blockIdx.x = i / bx;\nat.blockIdx.y = 0;\nat.blockIdx.z = 0;\nat.threadIdx.x = i % bx;\nat.threadIdx.y = 0;\nat.threadIdx.z = 0;\n")
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

// threadOf returns the function that does one thread of a child.
func (g *generator) threadOf(c *child) *syntax.FuncDecl {
	fn := c.small.fn
	copied := &copying{g: g, placed: true, pointer: true}
	out := copied.function(fn.Decl)
	out.Name = tree.Ident(tree.At(fn.Decl.Name), fn.Object.Name+threadSuffix)
	out.Attrs = out.Attrs&^(syntax.Global|syntax.ExternC|syntax.Extern) | syntax.Static | syntax.Device
	out.Bounds = nil
	at := tree.Declarations("void f(const struct __klap_place *" + place + ");\n")[0].(*syntax.FuncDecl)
	addParams(out, at.Params)
	unrestricted(out)
	return out
}

// few reports whether the warps of a kernel may do launches.
func (e *ending) few() bool {
	return !e.k.chained && slices.ContainsFunc(e.sites, func(v local) bool { return v.c.small != nil && v.site.asking != nil })
}

// some writes the variable many, by which a thread knows whether its warp launches: if there is more to do than the warp does
// itself.
func (e *ending) many() {
	var many, work []string
	for _, v := range e.sites {
		if v.c.small == nil || v.site.asking == nil {
			many = append(many, v.k+"->pred != 0")
			continue
		}
		most := mostLoads / v.c.small.loads * 32
		many = append(many, fmt.Sprintf("%[1]s->pred > 1 || %[1]s->pred && %[1]s->n > %[2]d", v.k, most))
		work = append(work, fmt.Sprintf("(%[1]s->pred ? %[1]s->n * %[2]d : 0)", v.k, v.c.small.loads))
	}
	e.f("int many = %s;\n", strings.Join(many, " || "))
	e.f("many = __klap_many(many, many ? 0 : %s, %d, thread, threads);\n", strings.Join(work, " + "), mostLoads*32)
}

// small reports whether warps of a kernel may do launches.
func (k *kernel) small() bool {
	return slices.ContainsFunc(k.sites, func(s *site) bool { return s.asking != nil })
}

// do writes the launches that a warp does.
func (e *ending) do() {
	for j, v := range e.sites {
		if v.c.small == nil || v.site.asking == nil {
			continue
		}
		names, _ := v.c.scalars(j)
		e.f("%s(%s, thread, threads, %s);\n", v.c.do(), v.k, strings.Join(names, ", "))
	}
}
