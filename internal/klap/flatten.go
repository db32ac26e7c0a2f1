package klap

import (
	"fmt"
	"slices"
	"strings"

	"irgl/internal/check"
	"irgl/internal/tree"
	"irgl/syntax"
)

// Flattening of aggregated launches, as compilers flatten nested data parallelism (Blelloch and Sabot, 1990).
//
//	child_agg<<<blocks, 128>>>(list, ...)         child_agg<<<(warps + 7) / 8, 256>>>(list, warps, ...)
//		block: launch = search(blockIdx.x)        	lane: launch = search(32 * warp + lane)
//		copy its arguments to shared memory       	arguments of that launch
//		__syncthreads();                          	__syncwarp();
//		body                                      	child_thread(arguments, thread of that launch);
//
// KLAP (section II-B) scans the blocks of launches, and a block of the aggregated kernel does one of a launch. A child of a
// frontier has a few threads for the neighbours of a node: its only block is almost empty, but takes a start, a search and a barrier. A
// flattened kernel numbers the threads that launches ask for, and its lanes do those of several launches: the scan is one of threads, the list of
// a group is padded to whole warps, and each warp finds the launches of its lanes alone, without a barrier: the list of its number, where a group has
// several blocks; in it the last launch that begins at or before its first thread, by the search of blocks; and the others among the next 31
// launches, as none is empty. If all launches have the same number of threads, that is a division.
//
// A launch asks for n threads where it has (n + b - 1) / b blocks of b and its kernel does nothing in threads from n on (idle.go), and for those
// of its blocks elsewhere.
//
// Legality: threads of a child that never meet, as for thresholding (threshold.go): they are in other warps and blocks than those of the launch. The
// built-in variables are those of the launch, in one dimension. A kernel that launches stays as it is, since the threads of its blocks
// meet at its end. Memory: each launch is one of the same kernel as before, at the same place.
//
// Profitability: always. The blocks of a child that was coarsened are again those that it had before; where the cost model coarsens, it leaves these children as
// they are (model.go).

// Reasons why an aggregated kernel is not flattened.
const (
	reasonFlatDims    = "a launch of it may have several dimensions"
	reasonFlatSize    = "a launch of it has blocks of a size that is no constant"
	reasonFlatDynamic = "a launch of it may have dynamic shared memory"
	reasonFlatCalls   = "a function of another file, a class or a namespace reads threadIdx or blockDim, and would need a copy"
)

// flatten says which children have a flattened aggregated kernel, and what their launches ask for.
func (p *Program) flatten(children []*child, list []*site) {
	if p.o.WholeBlocks {
		return
	}
	t := &thresholding{p: p, list: list}
	for _, c := range children {
		k := p.uncoarsened(c)
		if c.whole = p.refuseFlat(k, c.sites, list); c.whole == "" {
			c.flat = true
			t.ask(c, k)
		}
	}
}

// uncoarsened returns the kernel that a child is a coarsened copy of, or the child's own.
func (p *Program) uncoarsened(c *child) *check.FuncInfo {
	of, copied := p.notes.of[c.name()]
	if copied && of+coarseSuffix == c.name() {
		for _, f := range p.info.Funcs {
			if f.Object.Name == of && isKernel(f) {
				return f
			}
		}
	}
	return c.fn
}

// refuseFlat returns why launches of kernel k, or of a coarsened copy of it, have no flattened form; "" if they have.
func (p *Program) refuseFlat(k *check.FuncInfo, launches, list []*site) string {
	t := p.traitsOf(k, list)
	for _, reason := range []string{t.refuse(), t.refuseThreads()} {
		if reason != "" {
			return reason
		}
	}
	for _, s := range launches {
		shared, block := s.launch.Shared, p.info.Consts[s.launch.Block]
		switch {
		case p.dims(s.launch.Grid) != 1 || p.dims(s.launch.Block) != 1:
			return reasonFlatDims
		case block == nil || block.Int < 1:
			return reasonFlatSize
		case shared != nil && (p.info.Consts[shared] == nil || p.info.Consts[shared].Int != 0):
			return reasonFlatDynamic
		}
	}
	if !p.placeable(k) {
		return reasonFlatCalls
	}
	return ""
}

// flattens reports whether the launches of a kernel will be flattened, if they are aggregated.
func (p *Program) flattens(k *check.FuncInfo) bool {
	if p.o.Granularity == None || p.o.WholeBlocks {
		return false
	}
	list := p.sites()
	return p.refuseFlat(k, slices.DeleteFunc(slices.Clone(list), func(s *site) bool { return s.child != k }), list) == ""
}

// refuseThreads returns why the threads of a kernel cannot be threads of another grid, in other warps and blocks; "" if they can.
func (c *traits) refuseThreads() string {
	switch {
	case c.block:
		return "the kernel has barriers"
	case c.warp:
		return reasonWarp
	case c.shared:
		return "the kernel has shared memory"
	case c.scope:
		return "the kernel has an atomic operation or a fence of a block alone"
	case c.spins:
		return reasonSpins
	case len(c.launches) > 0:
		return "the kernel launches, and its blocks meet at its end"
	}
	return ""
}

// placeable reports whether the functions that a kernel calls have copies with other built-in variables, or can: blocks of an aggregated kernel call those that read no
// more than threadIdx and blockDim as they are, and the text cannot change those of system headers, nor all members (package emit).
func (p *Program) placeable(k *check.FuncInfo) bool {
	positioned, copied := p.positioned(), p.reading("blockIdx", "gridDim")
	for _, f := range reachable(k)[1:] {
		if positioned[f] && !copied[f] && (f.Decl.Pos().File != k.Decl.Pos().File || strings.HasPrefix(f.Object.Name, "_ZN")) {
			return false
		}
	}
	return true
}

// ask has the launches of a child ask for threads of kernel k.
func (t *thresholding) ask(c *child, k *check.FuncInfo) {
	c.thread = k
	for _, s := range c.sites {
		s.asks = t.asks(c, k, s)
	}
	if c.flat && slices.ContainsFunc(c.sites, func(s *site) bool { return s.asks == nil }) {
		c.askMember(t.p, k)
	}
}

// askMember has the launches of a child ask for the threads that a member of an argument says, if kernel k does nothing in others.
func (c *child) askMember(p *Program, k *check.FuncInfo) {
	for i, s := range c.sites {
		param, member := p.guardedMember(k, p.info.Consts[s.launch.Block].Int)
		switch {
		case member == "" || c.uniform[param]:
			c.member = ""
			return
		case i == 0:
			c.of, c.member = param, member
		case param != c.of || member != c.member:
			c.member = ""
			return
		}
	}
}

// asks returns n of a launch whose threads from n on do nothing; nil if all do something.
func (t *thresholding) asks(c *child, k *check.FuncInfo, s *site) syntax.Expr {
	l := *s.launch
	if k != c.fn {
		l.Grid = l.Args[len(l.Args)-1]
	}
	n := t.wanted(&l)
	if n == nil {
		return nil
	}
	block := t.p.info.Consts[l.Block]
	for i, a := range l.Args[:len(k.Params)] {
		if t.p.same(t.p.kept(a), t.p.kept(n)) && t.p.guarded(k, k.Params[i], block.Int) {
			return n
		}
	}
	return nil
}

// same reports whether two expressions are the same text of the same variables.
func (p *Program) same(x, y syntax.Expr) bool {
	if syntax.String(x) != syntax.String(y) {
		return false
	}
	var of []*check.Object
	for id := range idents(x) {
		of = append(of, p.info.Uses[id])
	}
	for id := range idents(y) {
		if len(of) == 0 || of[0] != p.info.Uses[id] {
			return false
		}
		of = of[1:]
	}
	return true
}

// asked returns the most threads that a launch asks for, in a copy of the function. Of a coarsened child that is all: its blocks are not those
// of the launch.
func (c *copying) asked(child *child, s *site, sp syntax.Span) syntax.Expr {
	most := func(n syntax.Expr, by int64) syntax.Expr {
		return tree.Call(sp, "__klap_asked", c.copyOf(n), tree.Number(sp, by))
	}
	var n syntax.Expr
	if s.asks != nil {
		n = most(s.asks, 1)
	}
	switch {
	case child.thread == child.fn && n == nil:
		return &syntax.BasicLit{Span: sp, Kind: syntax.IntLit, Text: "0xffffffffu"}
	case child.thread == child.fn:
		return n
	}
	args := s.launch.Args
	all := most(args[len(args)-1], c.g.p.info.Consts[s.launch.Block].Int)
	if n == nil {
		return all
	}
	return tree.Call(sp, "__klap_min", n, all)
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

// askedParam returns a parameter for them.
func askedParam() *syntax.Param {
	return tree.Declarations("void f(unsigned int n);\n")[0].(*syntax.FuncDecl).Params[0]
}

// setAsked is text that sets the threads of a launch. A launch that asks for none does its first, which does nothing, so that no launch in a list is empty; one of too
// many is its thread's, as the sum of a block's must not need more than 40 bits.
func (c *child) setAsked() string {
	n := "n"
	if c.thread == c.fn {
		n = "__klap_min(n, __klap_asked(grid.x, block.x))"
	}
	if c.member != "" {
		n = fmt.Sprintf("__klap_min(%s, __klap_asked(a%d.%s, 1))", n, c.of, c.member)
	}
	text := "\tk->n = __klap_max(" + n + ", 1u);\n"
	if c.flat {
		text += "\tif (k->pred == 1 && k->n > 1u << 29) {\n\t\tk->pred = 2;\n\t}\n"
	}
	return text
}

// size returns the size of a flattened child's blocks: a number, if all launches have that, or an expression in its aggregated kernel.
func (c *child) size(p *Program) string {
	first := p.info.Consts[c.sites[0].launch.Block].Int
	for _, s := range c.sites {
		switch {
		case p.info.Consts[s.launch.Block].Int == first:
		case c.block:
			return "__klap_bx"
		default:
			return "__klap_mine->bx"
		}
	}
	return fmt.Sprint(first)
}

// passesSize reports whether a flattened kernel has the size of blocks as a parameter.
func (c *child) passesSize(p *Program) bool { return c.block && (!c.flat || c.size(p) == "__klap_bx") }

// flatBounds returns the launch bounds of a flattened kernel. The blocks that a child wants at a time are so many threads.
func (g *generator) flatBounds(c *child) []syntax.Expr {
	sp := tree.At(c.fn.Decl)
	out := []syntax.Expr{tree.Number(sp, flatThreads)}
	if b := c.fn.Decl.Bounds; len(b) > 1 {
		size, most := g.p.info.Consts[b[0]], g.p.info.Consts[b[1]]
		if size != nil && most != nil && size.Int*most.Int > flatThreads {
			out = append(out, tree.Number(sp, size.Int*most.Int/flatThreads))
		}
	}
	return out
}

// flatKernel returns the flattened aggregated kernel of a child.
func (g *generator) flatKernel(c *child) syntax.Decl {
	f := g.agg(c)
	front := tree.Template(fmt.Sprintf(`unsigned int __klap_warp = blockIdx.x * %d + threadIdx.x / 32, __klap_all = __klap_warps, __klap_i;
if (__klap_warp >= __klap_all) {
	return;
}
`, flatThreads/32))
	f.Body = tree.Block(tree.At(c.fn.Decl.Body), append(front, g.flatWarp(c, true)...)...)
	return f
}

// flatWarp returns the statements by which a warp does what is its in a flattened list, and counts in that if counts is true.
func (g *generator) flatWarp(c *child, counts bool) []syntax.Stmt {
	var b strings.Builder
	own := "__klap_launch"
	if g.p.o.Granularity >= Multiblock {
		own = "__klap_mine_of"
		b.WriteString("struct __klap_launch __klap_mine_of = __klap_own(__klap_launch, &__klap_all, &__klap_warp);\n")
	}
	fmt.Fprintf(&b, "unsigned int __klap_from = __klap_lane(%s, __klap_all, __klap_warp, &__klap_i);\n", own)
	fmt.Fprintf(&b, "const struct %[1]s *__klap_mine = (const struct %[1]s *)%[2]s.items + __klap_from;\nunsigned int __klap_n = __klap_mine->n;\n", c.tag(), own)
	grid := "__klap_mine->gx"
	if c.thread != c.fn {
		last := len(c.uniform) - 1
		if grid = fmt.Sprintf("__klap_mine->a%d", last); c.uniform[last] {
			grid = c.own(last)
		}
	}
	b.WriteString(placeText(place, grid, c.size(g.p), "__klap_i"))
	front := tree.Template(b.String())
	var args []syntax.Expr
	for i, q := range parameters(c.fn) {
		sp := tree.At(q)
		if !c.uniform[i] && i < len(c.thread.Params) {
			mine := &syntax.MemberExpr{Span: sp, X: tree.Ident(sp, "__klap_mine"), Arrow: true, Name: c.argument(i)}
			front = append(front, tree.Variable(sp, variableType(q.Type), c.own(i), mine))
		}
		if i < len(c.thread.Params) {
			args = append(args, tree.Ident(sp, c.own(i)))
		}
	}
	text, done := "", "__klap_done_warps"
	if own != "__klap_launch" {
		done += "_of"
		own += ".list, __klap_launch"
	}
	if counts {
		text = fmt.Sprintf("__syncwarp(0xffffffffu);\nif ((threadIdx.x & 31) == 0) {\n%s(%s.list, __klap_mine, 32 * __klap_warp - __klap_i, __klap_n);\n}\n", done, own)
	}
	does := "__klap_i < __klap_n"
	if g.p.o.Parts != "" {
		does += fmt.Sprintf(" && (%s & %d) == 0", g.p.o.Parts, PartChildren)
	}
	text += "if (" + does + ") {\n\tirgl_hole(0);\n}\n"
	sp := tree.At(c.fn.Decl.Body)
	call := tree.Do(tree.Call(sp, c.thread.Object.Name+threadSuffix, append(args, tree.Addr(tree.Ident(sp, place)))...))
	return append(front, tree.Template(text, []syntax.Stmt{call})...)
}

// own returns the name of a parameter of a child in its flattened kernel.
func (c *child) own(i int) string {
	if q := c.fn.Decl.Params[i]; q.Name != nil {
		return q.Name.Name
	}
	return fmt.Sprintf("a%d", i)
}

// placeText is text that declares a variable of the built-in variables of a thread, by its number, in one dimension.
func placeText(name, grid, block, thread string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "struct __klap_place %s;\n", name)
	for _, v := range []struct{ field, x, rest string }{
		{"gridDim", grid, "1"}, {"blockDim", block, "1"}, {"blockIdx", thread + " / " + block, "0"}, {"threadIdx", thread + " % " + block, "0"},
	} {
		fmt.Fprintf(&b, "%[1]s.%[2]s.x = %[3]s;\n%[1]s.%[2]s.y = %[4]s;\n%[1]s.%[2]s.z = %[4]s;\n", name, v.field, v.x, v.rest)
	}
	return b.String()
}

// threadOf returns the function that does one thread of a child, which thresholding may have made.
func (g *generator) threadOf(c *child) *syntax.FuncDecl {
	if f := g.made(c.thread); f != nil {
		return f
	}
	copied := &copying{g: g, placed: true, pointer: true}
	out := copied.function(c.thread.Decl)
	out.Name = tree.Ident(tree.At(c.thread.Decl.Name), c.thread.Object.Name+threadSuffix)
	out.Attrs = out.Attrs&^(syntax.Global|syntax.ExternC|syntax.Extern) | syntax.Static | syntax.Device
	out.Bounds = nil
	at := tree.Declarations("void f(const struct __klap_place *" + place + ");\n")[0].(*syntax.FuncDecl)
	addParams(out, at.Params)
	unrestricted(out)
	return out
}

// made returns the function of thresholding that does one thread of a kernel; nil if there is none.
func (g *generator) made(k *check.FuncInfo) *syntax.FuncDecl {
	for _, f := range g.p.info.Funcs {
		if f.Object.Name == k.Object.Name+threadSuffix {
			return f.Decl
		}
	}
	return nil
}
