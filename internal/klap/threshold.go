package klap

import (
	"fmt"
	"strings"

	"irgl/internal/check"
	"irgl/internal/pass"
	"irgl/internal/tree"
	"irgl/syntax"
)

// Thresholding (Olabi et al., CGO 2022).
//
//	child<<<g, b, 0, s>>>(p, i);          if (__klap_few(g, b, 16, 1024))
//	                                      	child_serial(g, b, p, i);
//	                                      else
//	                                      	child<<<g, b, 0, s>>>(p, i);
//
// Where a launch has at most N threads, which is known when the program runs, the thread that launches does
// the work of the grid: a loop over blocks and threads, with their indices. A launch of no blocks, or of a
// configuration that is not valid, remains one, with its error.
//
// Legality. A child may begin at once, so that it may run before anything that its parent still does, and
// nothing waits for it. It sees what the thread has written, as before. Its threads run one after the other, which threads
// without barriers, shared memory and operations of warps cannot tell unless one waits for another in a loop.
// Its loads must not be those that read a cache without coherence, as the grid may have written what they read.
//
// Streams. Launches into cudaStreamFireAndForget have no order. Those into a stream of the thread, its own or the default
// stream that each thread has by --default-stream=per-thread, follow each other: once the thread has launched into
// such a stream, in a variable __klap_busyN, its later launches are launches, too. A launch that another may
// follow must be complete when its function returns, so that its child must not launch. Launches of several threads of a block into the
// block's default stream follow each other; a thread that does its child cannot know whether another thread has
// launched before. Tail launches follow the grid. Both stay.
//
// Launches of the child are then launches of the thread. Into streams they have no order but the one that the thread
// gives them, which is more than they had. Tail launches would follow another grid. In recursion the child of the child is launched.
//
// The threads of a launch are those that the program asks for: n, if its grid has (n + b - 1) / b blocks of b.
//
// Profitability: N, or what the cost model says (model.go). A launch costs microseconds, and a thread that does N iterations about as many
// as N times the latency of the child's memory accesses, while its warp waits.

// MaxThreshold is the largest threshold.
const MaxThreshold = 65535

// Reasons why a launch is not done by its thread.
const (
	reasonBarrier       = "the kernel has barriers, which its threads would not come to together"
	reasonWarp          = "the kernel has operations of warps"
	reasonShared        = "the kernel has shared memory, which its blocks would take from the block that launches"
	reasonDynamic       = "the launch has dynamic shared memory"
	reasonNonCoheren    = "loads by the non-coherent cache (__ldg, textures) would read what the same grid writes"
	reasonSpins         = "a loop of the kernel may wait for another thread: what ends it is volatile memory, or atomic"
	reasonForeign       = "the kernel calls a function of another file, which may do anything"
	reasonExpression    = "the launch is a part of an expression"
	reasonSerialNull    = "launches of a block into its default stream run one after the other, and threads that do them would not: launch into cudaStreamFireAndForget or a stream that the thread creates, or compile with --default-stream=per-thread"
	reasonSerialTail    = "tail launches run when their grid is complete"
	reasonNestedTail    = "the kernel has tail launches, which would run when the grid of the parent is complete"
	reasonNested        = "the kernel launches, and the launch that follows it in its stream would not wait for that"
	reasonFunctions     = "launches of a thread into its stream are in functions that it may call several times"
	reasonJoined        = "the kernel launches into a stream with order, and launches of a group of blocks into such streams are joined only if each thread has one"
	reasonAsync         = "the kernel has asm with asynchronous operations"
	reasonPlace         = "the kernel reads its place in the grid by asm"
	reasonIndirect      = "the kernel calls a function through a pointer, which may read the built-in variables"
	reasonClusters      = "the kernel has clusters"
	reasonMany          = "it always has more threads"
	reasonLong          = "the kernel has loops or launches, or too many memory accesses for one thread"
	reasonCyclic        = "the kernel calls the function that launches, which would call itself"
	reasonConfiguration = "its configuration is neither an integer nor a dim3"
	reasonLeaves        = "threads may leave the kernel by exit in asm"
)

// A thresholding is the state of the pass.
type thresholding struct {
	p    *Program
	list []*site
	// statements are those that are a launch.
	statements map[syntax.Stmt]*site
	wants      map[*site]syntax.Expr     // the threads that the program asks for, in place of those of whole blocks
	busy       map[*check.FuncInfo][]any // streams of a function that have a variable
}

// threshold makes threads do launches of few threads themselves.
func threshold(p *Program, run *pass.Run) error {
	if p.o.Threshold == 0 {
		return nil
	}
	t := p.thresholding()
	any := false
	for _, s := range t.list {
		any = any || s.reason == ""
		p.note(run, s, t.done(s), "not done by its thread")
	}
	if !any {
		return nil
	}
	return t.transform()
}

// thresholding returns the state of the pass, with a reason for each launch that stays: it is worked out once for a program, since the
// cost model asks for each launch.
func (p *Program) thresholding() *thresholding {
	if k := &p.serial; k.t == nil || k.info != p.info || k.o != p.o {
		*k = serialised{p.info, p.o, p.newThresholding()}
	}
	return p.serial.t
}

// serialised is what thresholding finds in a program with some options.
type serialised struct {
	info *check.Info
	o    Options
	t    *thresholding
}

func (p *Program) newThresholding() *thresholding {
	t := &thresholding{p: p, list: p.sites(), statements: map[syntax.Stmt]*site{}, busy: map[*check.FuncInfo][]any{}}
	t.find()
	t.wants = map[*site]syntax.Expr{}
	for _, s := range t.list {
		if n := t.wanted(s.launch); n != nil {
			t.wants[s] = tree.Clone(n)
		}
	}
	t.legal()
	return t
}

// done says what becomes of a launch.
func (t *thresholding) done(s *site) string {
	if s.reason != "" {
		return ""
	}
	return fmt.Sprintf("done by its thread up to %d threads", t.p.thresholdOf(s.child))
}

// find finds the statements that launches are.
func (t *thresholding) find() {
	of := map[*syntax.LaunchExpr]*site{}
	for _, s := range t.list {
		of[s.launch] = s
	}
	for n := range syntax.Preorder(t.p.info.File) {
		if x, ok := n.(*syntax.ExprStmt); ok {
			if l, ok := uncast(x.X).(*syntax.LaunchExpr); ok && of[l] != nil {
				t.statements[x] = of[l]
			}
		}
	}
}

// legal gives the launches that stay their reasons.
func (t *thresholding) legal() {
	q := *t.p
	q.o.Granularity = None
	q.streams(t.list)
	statement := map[*site]bool{}
	for _, s := range t.statements {
		statement[s] = true
	}
	why := map[*check.FuncInfo]string{}
	for _, s := range t.list {
		switch s.reason {
		case reasonStream:
			s.reason = reasonSerialNull
		case reasonTail:
			s.reason = reasonSerialTail
		}
		if s.child == nil || s.child.Decl.Body == nil {
			s.reason = reasonOutside
			continue
		}
		if _, known := why[s.child]; !known {
			why[s.child] = t.refuse(t.p.traitsOf(s.child, t.list))
		}
		switch {
		case s.reason != "":
		case why[s.child] != "":
			s.reason = why[s.child]
		case !statement[s]:
			s.reason = reasonExpression
		case !t.p.configured(s.launch):
			s.reason = reasonConfiguration
		case t.p.thresholdOf(s.child) == 0:
			s.reason = reasonLong
		case t.many(s):
			s.reason = reasonMany
		case !isKernel(s.fn) && t.cyclic(s):
			s.reason = reasonCyclic
		case s.launch.Shared != nil && (t.p.info.Consts[s.launch.Shared] == nil || t.p.info.Consts[s.launch.Shared].Int != 0):
			s.reason = reasonDynamic
		}
	}
	kernels := t.p.kernels(t.list)
	q.wait(kernels)
	for _, k := range kernels {
		t.coherent(k)
		t.order(k, statement)
	}
}

// refuse returns why a kernel cannot be done by one thread; "" if it can.
func (t *thresholding) refuse(c *traits) string {
	if reason := c.refuse(); reason != "" {
		return reason
	}
	switch {
	case c.block:
		return reasonBarrier
	case c.shared:
		return reasonShared
	case c.warp:
		return reasonWarp
	case c.nonCoherent:
		return reasonNonCoheren
	case c.spins:
		return reasonSpins
	}
	for _, s := range c.launches {
		if number, known := t.p.number(s.launch.Stream); known && number == tailStream {
			return reasonNestedTail
		}
	}
	return t.p.joined(c)
}

// refuse returns why a kernel has no copy with other built-in variables.
func (c *traits) refuse() string {
	switch {
	case c.promoted:
		return reasonPromoted
	case c.named != "":
		return c.named
	case c.cluster:
		return reasonClusters
	case c.pointer:
		return reasonIndirect
	case c.coordinates:
		return reasonPlace
	case c.exits:
		return reasonLeaves
	case c.async:
		return reasonAsync
	case c.foreign:
		return reasonForeign
	}
	return ""
}

// joined refuses kernels whose launches would be several of a thread into a stream, which aggregation over
// blocks leaves alone.
func (p *Program) joined(c *traits) string {
	if p.o.Granularity < Multiblock {
		return ""
	}
	for _, s := range c.launches {
		if o, private := s.stream.(*check.Object); s.stream != nil && !(private && p.once(s, o, c.launches)) {
			return reasonJoined
		}
	}
	return ""
}

// many reports whether a launch has more threads than the threshold, whatever the program does.
func (t *thresholding) many(s *site) bool {
	l, n := s.launch, int64(1)
	if t.wants[s] != nil {
		return false
	}
	for _, x := range []syntax.Expr{l.Grid, l.Block} {
		if c := t.p.info.Consts[x]; c != nil && c.Int > 0 {
			n *= min(c.Int, MaxThreshold+1)
		}
	}
	return n > int64(t.p.thresholdOf(s.child))
}

// configured reports whether the configuration of a launch can be the value of a variable.
func (p *Program) configured(l *syntax.LaunchExpr) bool {
	for _, x := range []syntax.Expr{l.Grid, l.Block} {
		if t := p.info.Types[x]; !check.IsInteger(t) && t != check.Type(check.Dim3()) {
			return false
		}
	}
	return true
}

// coherent refuses launches in kernels with loads by the non-coherent cache.
func (t *thresholding) coherent(k *kernel) {
	if !t.p.traitsOf(k.fn, nil).nonCoherent {
		return
	}
	for _, s := range k.all {
		if s.reason == "" {
			s.reason = reasonNonCoheren
		}
	}
}

// order refuses launches into streams with order, where a thread cannot know what it has launched, and
// says which streams have a variable for that.
func (t *thresholding) order(k *kernel, statement map[*site]bool) {
	groups := map[any][]*site{}
	for _, s := range k.all {
		if s.stream != nil {
			groups[s.stream] = append(groups[s.stream], s)
		}
	}
	for _, s := range k.all { // in order
		list := groups[s.stream]
		if s.stream == nil || len(list) == 0 || list[0] != s {
			continue
		}
		_, private := s.stream.(*check.Object)
		again, reason := len(list) > 1, ""
		for _, o := range list {
			switch {
			case !private && o.fn != k.fn:
				reason = reasonFunctions
			case !statement[o]:
				reason = reasonExpression
			}
			again = again || o.loop != nil || jumpsBack(o.fn.Decl)
		}
		if !again && reason == "" {
			continue
		}
		for _, o := range list {
			if o.reason == "" && reason == "" && len(t.p.traitsOf(o.child, t.list).launches) > 0 {
				o.reason = reasonNested
			}
			if o.reason == "" {
				o.reason = reason
			}
		}
		t.flag(list)
	}
}

// flag gives a stream a variable, if a thread does a launch into it.
func (t *thresholding) flag(list []*site) {
	for _, s := range list {
		if s.reason == "" {
			for _, o := range t.busy[s.fn] {
				if o == s.stream {
					return
				}
			}
			t.busy[s.fn] = append(t.busy[s.fn], s.stream)
			return
		}
	}
}

// variable returns the name of the variable that says whether a thread has launched into the stream of a launch.
func (t *thresholding) variable(s *site) string {
	if s.stream != nil {
		for i, o := range t.busy[s.fn] {
			if o == s.stream {
				return fmt.Sprintf("__klap_busy%d", i)
			}
		}
	}
	return ""
}

// transform adds the functions, and makes launches calls of them.
func (t *thresholding) transform() error {
	p := t.p
	positioned := p.positioned()
	var kernels []*check.FuncInfo
	for _, f := range p.info.Funcs {
		for _, s := range t.list {
			if s.child == f && s.reason == "" {
				kernels = append(kernels, f)
				break
			}
		}
	}
	before, behind := map[*check.FuncInfo][]syntax.Decl{}, map[*check.FuncInfo][]syntax.Decl{}
	copied := func(f *check.FuncInfo, suffix string) *syntax.FuncDecl {
		c := &placing{p: p, positioned: positioned, pointer: true}
		c.stmt = func(s syntax.Stmt) []syntax.Stmt {
			old, _ := c.origin[s].(syntax.Stmt)
			return t.statement(s, t.statements[old], true)
		}
		out := c.function(f.Decl)
		t.flags(out, f)
		out.Name = tree.Ident(tree.At(f.Decl.Name), f.Decl.Name.Name+suffix)
		asParameter(out)
		unrestricted(out)
		p.copied(out.Name.Name, f.Decl.Name.Name)
		return out
	}
	for f := range p.helpers(kernels, positioned) {
		out := copied(f, atSuffix)
		before[f] = append(before[f], prototypeOf(out))
		behind[f] = append(behind[f], out)
	}
	for _, k := range kernels {
		out := copied(k, threadSuffix)
		out.Attrs = out.Attrs&^(syntax.Global|syntax.ExternC|syntax.Extern) | syntax.Static | syntax.Device
		out.Bounds = nil
		all := t.serial(k)
		before[k] = append(before[k], prototypeOf(all))
		behind[k] = append(behind[k], out, all)
	}
	decls := p.insert(before, behind)
	t.rewrite()
	return p.replace(decls)
}

// rewrite rewrites the launches of the program itself.
func (t *thresholding) rewrite() {
	does := map[*check.FuncInfo]bool{}
	for _, s := range t.list {
		does[s.fn] = does[s.fn] || s.reason == ""
	}
	for _, f := range t.p.info.Funcs {
		for _, g := range reachable(f) {
			if does[g] {
				unrestricted(f.Decl)
				break
			}
		}
		if !does[f] {
			continue
		}
		tree.Rewriter{Stmt: func(s syntax.Stmt) []syntax.Stmt { return t.statement(s, t.statements[s], false) }}.Rewrite(f.Decl.Body)
		t.flags(f.Decl, f)
	}
}

// flags declares the variables of the streams of a function.
func (t *thresholding) flags(f *syntax.FuncDecl, of *check.FuncInfo) {
	var front []syntax.Stmt
	for i := range t.busy[of] {
		front = append(front, tree.Template(fmt.Sprintf("unsigned int __klap_busy%d = 0;\n", i))...)
	}
	f.Body.Stmts = append(front, f.Body.Stmts...)
}

// statement returns what a launch becomes, in a function or in its copy.
func (t *thresholding) statement(x syntax.Stmt, s *site, copied bool) []syntax.Stmt {
	if s == nil {
		return []syntax.Stmt{x}
	}
	busy := t.variable(s)
	if s.reason != "" || copied && t.cyclic(s) {
		if busy == "" {
			return []syntax.Stmt{x}
		}
		return []syntax.Stmt{tree.Block(tree.At(x), append(tree.Template(busy+" = 1;\n"), x)...)}
	}
	sp := tree.At(x)
	l := uncast(x.(*syntax.ExprStmt).X).(*syntax.LaunchExpr)
	free := !effects(l)
	var out []syntax.Stmt
	hoist := func(place *syntax.Expr, old syntax.Expr, name string) syntax.Expr {
		if t.p.info.Consts[old] == nil && !(free && t.simple(old)) {
			v := tree.Basic(sp, "unsigned int")
			if t.p.dims(old) == 3 {
				v = tree.Named(sp, "dim3")
			}
			out = append(out, tree.Variable(sp, v, name, *place))
			*place = tree.Ident(sp, name)
		}
		return tree.Clone(*place)
	}
	grid := hoist(&l.Grid, s.launch.Grid, "__klap_grid_dim")
	block := hoist(&l.Block, s.launch.Block, "__klap_block_dim")
	args := []syntax.Expr{grid, block}
	for _, a := range l.Args {
		args = append(args, tree.Clone(a))
	}
	most := int64(1024)
	if list := s.child.Decl.Bounds; len(list) > 0 {
		if v := t.p.info.Consts[list[0]]; v != nil && v.Int > 0 {
			most = min(most, v.Int)
		}
	}
	cond := t.few(s, grid, block, most)
	launch := x
	if busy != "" {
		cond = tree.Binary(&syntax.UnaryExpr{Span: sp, Op: "!", X: tree.Ident(sp, busy)}, "&&", cond)
		launch = tree.Block(sp, append(tree.Template(busy+" = 1;\n"), x)...)
	}
	serial := tree.Do(tree.Call(sp, s.child.Object.Name+serialSuffix, args...))
	out = append(out, &syntax.IfStmt{Span: sp, Cond: cond, Then: tree.Block(sp, serial), Else: braced(launch)})
	return []syntax.Stmt{tree.Block(sp, out...)}
}

func braced(s syntax.Stmt) syntax.Stmt {
	if b, ok := s.(*syntax.Block); ok {
		return b
	}
	return tree.Block(tree.At(s), s)
}

// cyclic reports whether the child of a launch comes to the launch again: in copies, which would call
// themselves, it remains a launch.
func (t *thresholding) cyclic(s *site) bool {
	seen := map[*check.FuncInfo]bool{}
	work := []*check.FuncInfo{s.child}
	for len(work) > 0 {
		f := work[len(work)-1]
		work = work[:len(work)-1]
		if f == s.fn {
			return true
		}
		if !seen[f] {
			seen[f] = true
			work = append(append(work, f.Calls...), f.Launches...)
		}
	}
	return false
}

// simple reports whether an expression can be evaluated twice.
func (t *thresholding) simple(x syntax.Expr) bool {
	switch x := x.(type) {
	case *syntax.BasicLit:
		return true
	case *syntax.Ident:
		o := t.p.info.Uses[x]
		return o != nil && !o.Volatile && !o.Global
	case *syntax.ParenExpr:
		return t.simple(x.X)
	}
	return false
}

// effects reports whether arguments of a launch may change variables.
func effects(l *syntax.LaunchExpr) bool {
	for _, a := range l.Args {
		for n := range syntax.Preorder(a) {
			switch n := n.(type) {
			case *syntax.AssignExpr, *syntax.PostfixExpr, *syntax.CallExpr:
				return true
			case *syntax.UnaryExpr:
				if n.Op == "++" || n.Op == "--" {
					return true
				}
			}
		}
	}
	return false
}

// serial returns the function that does a grid of a kernel in one thread.
func (t *thresholding) serial(k *check.FuncInfo) *syntax.FuncDecl {
	grid, block := 1, 1
	for _, s := range t.list {
		if s.child == k && s.reason == "" {
			grid, block = max(grid, t.p.dims(s.launch.Grid)), max(block, t.p.dims(s.launch.Block))
		}
	}
	var b strings.Builder
	name := k.Object.Name
	kind := map[int]string{1: "unsigned int", 3: "dim3"}
	fmt.Fprintf(&b, "static __device__ void %s(%s __klap_grid_dim, %s __klap_block_dim) {\n\tstruct __klap_place __klap_at;\n", name+serialSuffix, kind[grid], kind[block])
	depth := 1
	loops := func(dims int, size, count, index string) {
		for i, d := range []string{"z", "y", "x"} {
			bound := count
			if dims == 3 {
				bound += "." + d
			}
			if dims == 1 && i < 2 {
				fmt.Fprintf(&b, "\t__klap_at.%s.%s = 1;\n\t__klap_at.%s.%s = 0;\n", size, d, index, d)
			} else {
				fmt.Fprintf(&b, "\t__klap_at.%s.%s = %s;\n", size, d, bound)
			}
		}
	}
	loops(grid, "gridDim", "__klap_grid_dim", "blockIdx")
	loops(block, "blockDim", "__klap_block_dim", "threadIdx")
	open := func(dims int, count, index string) {
		for i, d := range []string{"z", "y", "x"} {
			if dims == 1 && i < 2 {
				continue
			}
			bound := count
			if dims == 3 {
				bound += "." + d
			}
			fmt.Fprintf(&b, "for (__klap_at.%[1]s.%[2]s = 0; __klap_at.%[1]s.%[2]s < %[3]s; __klap_at.%[1]s.%[2]s++) {\n", index, d, bound)
			depth++
		}
	}
	open(grid, "__klap_grid_dim", "blockIdx")
	open(block, "__klap_block_dim", "threadIdx")
	params, args := generated(k)
	var list []string
	for _, a := range args {
		list = append(list, syntax.String(a))
	}
	fmt.Fprintf(&b, "%s(%s);\n%s", name+threadSuffix, strings.Join(append(list, "&__klap_at"), ", "), strings.Repeat("}\n", depth))
	f := tree.Declarations(b.String())[0].(*syntax.FuncDecl)
	f.Params = append(f.Params, params...)
	return f
}
