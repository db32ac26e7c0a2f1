package klap

import (
	"fmt"
	"slices"

	"irgl/internal/check"
	"irgl/internal/pass"
	"irgl/internal/tree"
	"irgl/syntax"
)

// Coarsening (Olabi et al., CGO 2022).
//
//	child<<<g, b, m, s>>>(p, i);      child_coarse<<<__klap_blocks(g, 4), b, m, s>>>(p, i, g);
//
//	__global__ void child_coarse(int *p, int i, unsigned int __klap_nx) {
//		for (unsigned int __klap_x = blockIdx.x; __klap_x < __klap_nx; __klap_x += gridDim.x) {
//			... // gridDim.x is __klap_nx, blockIdx.x is __klap_x
//			{ body; goto __klap_next where it returns }
//		__klap_next:
//			if (__klap_x + gridDim.x < __klap_nx) __syncthreads(); // if it has barriers or shared memory
//		}
//	}
//
// The grid of the child has ceil(g / N) blocks in its x dimension, and each does up to N of the blocks that
// the program has, one after the other. Those are gridDim.x apart, so that blocks differ by one round at most. Grids of several
// dimensions keep the others. The host launches the kernel itself.
//
// threadIdx and blockDim stay those of the launch, so that functions that read no more than these need no copy. A copy that
// thresholding has made of a function may read them all.
//
// Legality. Blocks of a grid may run in any order, and none can wait for another one that may not have begun. Shared
// memory is that of the round: a barrier separates rounds. A thread that returns early is a thread less for the barriers of its block, but
// in a copy it comes to the end of the round, and the barrier there would be another one: a return that barriers or operations of
// warps may follow must be one of all threads of the block. Parameters that the body assigns to begin each round with their values.
// Launches of the rounds of a thread into its stream follow each other, which is more order than they had.
//
// Profitability: N, or what the cost model says (model.go). Blocks cost a start and, in aggregated kernels, a search each. But children have
// fewer blocks to fill the device with.

// MaxCoarsen is the largest number of blocks that a block does.
const MaxCoarsen = 65535

// Reasons why a kernel is not coarsened.
const (
	reasonOneBlock = "its grid has one block in the x dimension"
	reasonSlow     = "its blocks work longer than they take to begin, or fill the device better as they are"
	reasonLeft     = "threads do its small launches, and few are left"
	reasonFlat     = "its aggregated kernel is flattened, and does not begin the blocks of its launches"
	reasonReturns  = "threads may return before a barrier or an operation of a warp, and not all of their block"
)

// coarsen makes the blocks of children do several blocks.
func coarsen(p *Program, run *pass.Run) error {
	if p.o.Coarsen != Auto && p.o.Coarsen < 2 {
		return nil
	}
	list := p.sites()
	q := *p
	q.o.Granularity = None
	q.streams(list)
	why := map[*check.FuncInfo]string{}
	statements := p.statements(list)
	var kernels []*check.FuncInfo
	for _, s := range list {
		s.reason = ""
		if s.child == nil || s.child.Decl.Body == nil {
			s.reason = reasonOutside
		} else {
			reason, known := why[s.child]
			if !known {
				reason = p.refuseCoarse(s.child, list)
				why[s.child] = reason
			}
			c := p.info.Consts[s.launch.Grid]
			switch {
			case reason != "":
				s.reason = reason
			case p.o.Granularity != None && p.o.Coarsen == Auto && p.fewLeft(s.child):
				s.reason = reasonLeft
			case p.o.Coarsen == Auto && p.flattens(s.child):
				s.reason = reasonFlat
			case p.coarsenOf(s.child) < 2:
				s.reason = reasonSlow
			case c != nil && c.Int == 1:
				s.reason = reasonOneBlock
			case !p.configured(s.launch):
				s.reason = reasonConfiguration
			case !statements[s]:
				s.reason = reasonExpression
			case !slices.Contains(kernels, s.child):
				kernels = append(kernels, s.child)
			}
		}
		done := ""
		if s.reason == "" {
			done = fmt.Sprintf("a block does %d blocks", p.coarsenOf(s.child))
		}
		p.note(run, s, done, "not coarsened")
	}
	if len(kernels) == 0 {
		return nil
	}
	return p.coarse(list, kernels)
}

// statements returns the launches that are a statement.
func (p *Program) statements(list []*site) map[*site]bool {
	t := &thresholding{p: p, list: list, statements: map[syntax.Stmt]*site{}}
	t.find()
	out := map[*site]bool{}
	for _, s := range t.statements {
		out[s] = true
	}
	return out
}

// refuseCoarse returns why a kernel cannot be coarsened; "" if it can.
func (p *Program) refuseCoarse(k *check.FuncInfo, list []*site) string {
	c := p.traitsOf(k, list)
	if reason := c.refuse(); reason != "" {
		return reason
	}
	if (c.block || c.warp) && p.leaves(k) {
		return reasonReturns
	}
	return p.joined(c)
}

// leaves reports whether some threads of a block may return from a kernel while others go on to a barrier or an operation
// of a warp.
func (p *Program) leaves(k *check.FuncInfo) bool {
	u := &uniformity{p: p, assigned: p.assigned(k), fn: k}
	meets := map[*check.FuncInfo]bool{}
	type exit struct {
		at      int
		loops   []syntax.Node
		uniform bool
	}
	var exits, meetings []exit
	n := 0
	var stack, front []syntax.Node
	agrees := map[syntax.Expr]bool{} // conditions, where the analysis comes to them
	note := func() exit {
		e := exit{at: n, uniform: true}
		for _, x := range stack {
			switch x := x.(type) {
			case *syntax.Block, *syntax.ReturnStmt:
			case *syntax.IfStmt:
				e.uniform = e.uniform && (u.of(x.Cond) != nil || agrees[x.Cond])
			default:
				e.uniform = false
				if _, loop := x.(syntax.Loop); loop {
					e.loops = append(e.loops, x)
				}
			}
		}
		return e
	}
	syntax.Inspect(k.Decl.Body, func(x syntax.Node) bool {
		if x == nil {
			stack = stack[:len(stack)-1]
			return true
		}
		n++
		if f, ok := x.(*syntax.IfStmt); ok {
			agrees[f.Cond] = p.agreementAt(k, front).of(f.Cond)
		}
		front = append(front, x)
		stack = append(stack, x)
		if _, ok := x.(*syntax.ReturnStmt); ok {
			exits = append(exits, note())
		} else if p.meets(x, meets) {
			meetings = append(meetings, note())
		}
		return true
	})
	back := jumpsBack(k.Decl)
	for _, e := range exits {
		for _, m := range meetings {
			again := back || slices.ContainsFunc(e.loops, func(l syntax.Node) bool { return slices.Contains(m.loops, l) })
			if (m.at > e.at || again) && !e.uniform {
				return true
			}
		}
	}
	return false
}

// meets reports whether threads of a block or a warp meet in a node. known has what is known of functions.
func (p *Program) meets(x syntax.Node, known map[*check.FuncInfo]bool) bool {
	switch x := x.(type) {
	case *syntax.AsmStmt:
		text, a := syntax.String(x), patterns()
		return a.block.MatchString(text) || a.warp.MatchString(text)
	case *syntax.Ident:
		o := p.info.Uses[x]
		switch {
		case o == nil:
		case o.Kind == check.BuiltinObj:
			block, warp := synchronises(o.Name)
			return block || warp
		case o.Kind == check.FuncObj && o.Func != nil && !isKernel(o.Func): // the threads of a child meet among themselves
			found, ok := known[o.Func]
			if !ok {
				t := p.traitsOf(o.Func, nil)
				found = t.block || t.warp
				known[o.Func] = found
			}
			return found
		}
	}
	return false
}

// coarse adds the copies of kernels, and makes launches those of the copies.
func (p *Program) coarse(list []*site, kernels []*check.FuncInfo) error {
	positioned := p.reading("blockIdx", "gridDim")
	before, behind := map[*check.FuncInfo][]syntax.Decl{}, map[*check.FuncInfo][]syntax.Decl{}
	sites := map[syntax.Node]*site{}
	for _, s := range list {
		if s.reason == "" {
			sites[s.launch] = s
		}
	}
	for f := range p.helpers(kernels, positioned) {
		c := &placing{p: p, positioned: positioned, pointer: true, threads: true}
		c.stmt = func(x syntax.Stmt) []syntax.Stmt { return p.coarseLaunch(x, sites, c.origin) }
		out := c.function(f.Decl)
		out.Name = tree.Ident(tree.At(f.Decl.Name), f.Decl.Name.Name+atSuffix)
		asParameter(out)
		before[f] = append(before[f], prototypeOf(out))
		behind[f] = append(behind[f], out)
		p.copied(out.Name.Name, f.Object.Name)
		p.inherit(out.Name.Name, f.Object.Name)
	}
	for _, k := range kernels {
		out := p.coarseKernel(k, list, sites, positioned)
		before[k] = append(before[k], prototypeOf(out))
		behind[k] = append(behind[k], out)
		p.copied(out.Name.Name, k.Object.Name)
		p.inherit(out.Name.Name, k.Object.Name)
	}
	decls := p.insert(before, behind)
	for _, f := range p.info.Funcs {
		if onDevice(f) && len(f.Launches) > 0 {
			tree.Rewriter{Stmt: func(x syntax.Stmt) []syntax.Stmt { return p.coarseLaunch(x, sites, nil) }}.Rewrite(f.Decl.Body)
		}
	}
	return p.replace(decls)
}

// coarseLaunch returns what a launch becomes; origin has the nodes that those of a copy come from.
func (p *Program) coarseLaunch(x syntax.Stmt, sites map[syntax.Node]*site, origin map[syntax.Node]syntax.Node) []syntax.Stmt {
	e, ok := x.(*syntax.ExprStmt)
	if !ok {
		return []syntax.Stmt{x}
	}
	l, ok := uncast(e.X).(*syntax.LaunchExpr)
	if !ok {
		return []syntax.Stmt{x}
	}
	var old syntax.Node = l
	if origin != nil {
		old = origin[l]
	}
	s := sites[old]
	if s == nil {
		return []syntax.Stmt{x}
	}
	sp := tree.At(x)
	dims, t := p.dims(s.launch.Grid), &thresholding{p: p}
	var front []syntax.Stmt
	if p.info.Consts[s.launch.Grid] == nil && (effects(l) || !t.simple(s.launch.Grid)) {
		v := tree.Basic(sp, "unsigned int")
		if dims == 3 {
			v = tree.Named(sp, "dim3")
		}
		front = append(front, tree.Variable(sp, v, "__klap_size", l.Grid))
		l.Grid = tree.Ident(sp, "__klap_size")
	}
	count := tree.Clone(l.Grid)
	by := tree.Number(sp, int64(p.coarsenOf(s.child)))
	if dims == 3 {
		count = &syntax.MemberExpr{Span: sp, X: tree.Paren(count), Name: tree.Ident(sp, "x")}
		l.Grid = tree.Call(sp, "__klap_coarse", l.Grid, by)
	} else {
		l.Grid = tree.Call(sp, "__klap_blocks", l.Grid, by)
	}
	l.Fun = tree.Ident(tree.At(l.Fun), s.child.Object.Name+coarseSuffix)
	l.Args = append(l.Args, count)
	if front == nil {
		return []syntax.Stmt{x}
	}
	return []syntax.Stmt{tree.Block(sp, append(front, x)...)}
}

// coarseKernel returns the copy of a kernel whose blocks do several blocks.
func (p *Program) coarseKernel(k *check.FuncInfo, list []*site, sites map[syntax.Node]*site, positioned map[*check.FuncInfo]bool) *syntax.FuncDecl {
	c := &placing{p: p, positioned: positioned, threads: true}
	returns := false
	c.stmt = func(x syntax.Stmt) []syntax.Stmt {
		if _, ok := x.(*syntax.ReturnStmt); ok {
			returns = true
			return []syntax.Stmt{&syntax.GotoStmt{Span: tree.At(x), Name: tree.Ident(tree.At(x), "__klap_next")}}
		}
		return p.coarseLaunch(x, sites, c.origin)
	}
	out := c.function(k.Decl)
	sp := tree.At(k.Decl.Body)
	out.Name = tree.Ident(tree.At(k.Decl.Name), k.Decl.Name.Name+coarseSuffix)
	var front []syntax.Stmt
	if positioned[k] {
		front = tree.Template("struct __klap_place " + here + ";\n" + here + ".gridDim = gridDim;\n" + here + ".gridDim.x = __klap_nx;\n" +
			here + ".blockIdx = blockIdx;\n" + here + ".blockIdx.x = __klap_x;\n")
		if addressed(out.Body, here) { // thresholding has copies of functions that read all
			front = append(front, tree.Template(here+".blockDim = blockDim;\n"+here+".threadIdx = threadIdx;\n")...)
		}
	}
	assigned := p.assigned(k)
	for i, q := range out.Params {
		if i < len(k.Params) && assigned[k.Params[i]] && !k.Params[i].ReadOnly && q.Name != nil {
			name := fmt.Sprintf("__klap_a%d", i)
			front = append(front, tree.Variable(sp, variableType(q.Type), q.Name.Name, tree.Ident(sp, name)))
			q.Name = tree.Ident(tree.At(q.Name), name)
		}
	}
	addParams(out, tree.Declarations("void f(unsigned int __klap_nx);\n")[0].(*syntax.FuncDecl).Params)
	round := append(front, out.Body)
	if returns {
		round = append(round, &syntax.LabelStmt{Span: sp, Name: tree.Ident(sp, "__klap_next")})
	}
	if t := p.traitsOf(k, list); t.block || t.shared {
		round = append(round, tree.Template("if (__klap_x + gridDim.x < __klap_nx) {\n\t__syncthreads();\n}\n")...)
	} else if returns {
		round = append(round, &syntax.EmptyStmt{Span: sp})
	}
	out.Body = tree.Block(sp, tree.Template("for (unsigned int __klap_x = blockIdx.x; __klap_x < __klap_nx; __klap_x += gridDim.x) {\nirgl_hole(0);\n}\n", round)...)
	return out
}
