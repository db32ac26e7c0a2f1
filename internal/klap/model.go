package klap

import (
	"irgl/internal/check"
	"irgl/internal/tree"
	"irgl/syntax"
)

// The cost model of the options that are automatic.
//
// Figures of an H200 (docs/performance.md, "Launches in device code"). A launch by a thread takes 0.35 to 0.9 µs of the device
// when there are many, and 5 µs until the child runs. A block of an aggregated kernel takes 1 to 1.5 µs to
// begin and to find its launch. A load that the next one waits for takes about 0.5 µs.
//
// Threshold. A thread that does a child of N threads with W loads takes N * W * 0.5 µs, and its warp waits. Only loads whose
// address depends on the child's thread count: others are in the cache after the first, and nothing waits for a store. A
// plain launch waits 5 µs and in a queue of launches, about three times that: N = 32 / W. One that is
// aggregated is a block among hundreds that the device begins side by side, 1.5 µs / 264 for blocks of 1024 threads, which is less than one
// load. Only a group without any launch saves its 28 µs, and children of at most 56 / W threads are not
// all that a group launches: N = 0. Warps that do all that they launch with all lanes do 32 times as much in that time, if the group need not launch
// (together.go). A child
// without such loads takes about 20 ns a thread, and 5 µs are N = 256 threads. How long a loop of the child takes is not known, so that children
// with loops are always launched: threads that did them have been 60 times slower (bh). The limit counts
// the threads that the program asks for, n in child<<<(n + b - 1) / b, b>>>, not those of whole blocks.
//
// Coarsening pays where blocks are small: a processor has room for 2048 threads and 32 blocks, and each block
// takes a start and, in aggregated kernels, a search. So C blocks of B threads are one, C = 512 / B. Blocks of 256 threads
// and more fill the device better than fewer do (ccl takes 1.2 times as long with C = 4). Children with loops
// or barriers work longer than they take to begin, and stay; but where a kernel launches itself in grids of a constant
// size, the levels below have blocks enough, and C is that size. Flattened kernels have no blocks of launches, and C is 1.
//
// Flattening. Warps of a flattened kernel have nothing to do with each other, so that the size of its blocks is that of what a processor begins at a time:
// 256 threads, 8 of which are the 2048 that it has room for. Smaller blocks are more that begin, larger ones keep their place until the last of more warps ends,
// and 256 threads may have all the registers that a thread can have. Blocks of a few threads are what flattening saves: kernels of the grid take 0.62 (bt) to 1.0 of the
// time that they take with whole blocks. Where threads do small launches themselves, those that are left are large, and coarse blocks have no few threads either: there
// whole blocks take 0.81 (bt) to 0.97 of the time of flattened ones, since a block searches once.
//
// Granularity. Blocks that launch for themselves cost a launch each, 0.35 µs. To join them costs a grid about eight accesses that
// follow each other, 4 µs: each block enters and arrives, and the last one reads what there is and launches. So
// grids of up to 4 / 0.35 blocks launch by blocks and larger ones as a whole, which the kernel sees in gridDim when it
// runs; and in grids of so many threads each launches for itself. Where children launch in turn, small grids launched by small grids would never be joined: the grid. Where
// launches of a thread follow each other, blocks alone can keep their order: the block. Where threads do all small launches themselves, most blocks
// have none that is left, and see that by one barrier: the block, and children as they are (bt: 16.8 µs, of 24.3 over the grid with
// coarse children).

const (
	plainLoads    = 32  // of a thread that does a child, for a launch
	freeThreads   = 256 // of a child without loads that wait
	coarseThreads = 512 // of a block that does several
	fullThreads   = 256 // of a block that does one
	flatThreads   = 256 // of a block of a flattened kernel
	mostLevel     = 16  // blocks of a grid of a kernel that launches itself
	fewBlocks     = 12  // of a grid whose blocks launch for themselves
	fewLaunches   = 12  // threads of a grid that launch for themselves
)

// large reports whether what is launched are blocks of many threads, by the options.
func (o Options) large() bool { return o.Threshold != 0 || o.Coarsen != 0 && o.Coarsen != 1 }

// waits returns how many loads a thread of a kernel waits for; known is false if it has loops, launches or
// recursion, whose number is not known.
func (p *Program) waits(k *check.FuncInfo) (n int, known bool) {
	list := reachable(k)
	for _, f := range list {
		if len(f.Launches) > 0 || jumpsBack(f.Decl) || f != k && callsItself(f) {
			return 0, false
		}
		for x := range syntax.Preorder(f.Decl) {
			if _, ok := x.(syntax.Loop); ok {
				return 0, false
			}
		}
	}
	v := p.varying(list)
	for _, f := range list {
		stored := map[syntax.Node]bool{}
		for x := range syntax.Preorder(f.Decl) {
			if a, ok := x.(*syntax.AssignExpr); ok && a.Op == "=" {
				stored[syntax.Node(uncast(a.L))] = true
			}
			if e, ok := x.(syntax.Expr); ok && !stored[syntax.Node(e)] && v.load(e) {
				n++
			}
		}
	}
	return n, true
}

// A varying has the variables whose values depend on the thread or the block.
type varying struct {
	p    *Program
	vars map[*check.Object]bool
}

// varying returns the variables of functions that depend on the thread: those that are set to an expression with threadIdx or
// blockIdx, or with such a variable, by assignments, initial values and arguments.
func (p *Program) varying(list []*check.FuncInfo) *varying {
	v := &varying{p, map[*check.Object]bool{}}
	for before := -1; before != len(v.vars); {
		before = len(v.vars)
		for _, f := range list {
			for x := range syntax.Preorder(f.Decl) {
				switch x := x.(type) {
				case *syntax.VarDecl:
					if o := p.info.Defs[x.Name]; o != nil && x.Init != nil && v.in(x.Init) {
						v.vars[o] = true
					}
				case *syntax.AssignExpr:
					if id, ok := uncast(x.L).(*syntax.Ident); ok && v.in(x.R) {
						v.vars[p.info.Uses[id]] = true
					}
				case *syntax.CallExpr:
					v.call(list, x)
				}
			}
		}
	}
	return v
}

// call has the parameters vary that a call passes what varies.
func (v *varying) call(list []*check.FuncInfo, x *syntax.CallExpr) {
	id, ok := uncast(x.Fun).(*syntax.Ident)
	if !ok {
		return
	}
	for _, f := range list {
		if f.Object != v.p.info.Uses[id] {
			continue
		}
		for i, o := range f.Params {
			if i < len(x.Args) && v.in(x.Args[i]) {
				v.vars[o] = true
			}
		}
	}
}

// in reports whether an expression depends on the thread.
func (v *varying) in(x syntax.Expr) bool {
	for id := range idents(x) {
		if name := v.p.builtin(id); name == "threadIdx" || name == "blockIdx" || v.vars[v.p.info.Uses[id]] {
			return true
		}
	}
	return false
}

// load reports whether an expression is an access to memory whose address depends on the thread.
func (v *varying) load(x syntax.Expr) bool {
	switch x := x.(type) {
	case *syntax.IndexExpr:
		return v.in(x)
	case *syntax.UnaryExpr:
		return x.Op == "*" && v.in(x.X) && !ofVariable(x.X)
	case *syntax.MemberExpr:
		return x.Arrow && v.in(x.X) && !ofVariable(x.X)
	}
	return false
}

// ofVariable reports whether a pointer is the address of a variable, as that of the result of a call is: (t = f(), &t).
func ofVariable(x syntax.Expr) bool {
	x = uncast(x)
	if b, ok := x.(*syntax.BinaryExpr); ok && b.Op == "," {
		x = uncast(b.Y)
	}
	a, ok := x.(*syntax.UnaryExpr)
	if !ok || a.Op != "&" {
		return false
	}
	_, ok = uncast(a.X).(*syntax.Ident)
	return ok
}

func callsItself(f *check.FuncInfo) bool {
	for _, g := range f.Calls {
		for _, h := range reachable(g) {
			if h == f {
				return true
			}
		}
	}
	return false
}

// thresholdOf returns the most threads of a launch of a kernel that the thread that launches does itself.
func (p *Program) thresholdOf(k *check.FuncInfo) int {
	if p.o.Threshold != Auto {
		return p.o.Threshold
	}
	n, known := p.waits(k)
	switch {
	case !known:
		return 0
	case n == 0:
		return freeThreads
	case p.o.Granularity == None:
		return plainLoads / n
	}
	return 0
}

// coarsenOf returns how many blocks of a kernel a block does.
func (p *Program) coarsenOf(k *check.FuncInfo) int {
	if p.o.Coarsen != Auto {
		return p.o.Coarsen
	}
	if p.o.Granularity == None || p.fewLeft(k) || p.flattens(k) {
		return 1
	}
	block := int64(0) // the smallest that a launch has
	level := int64(mostLevel)
	for _, s := range p.sites() {
		if s.child != k {
			continue
		}
		if c := p.info.Consts[s.launch.Block]; c != nil && c.Int > 0 && (block == 0 || c.Int < block) {
			block = c.Int
		}
		if c := p.info.Consts[s.launch.Grid]; c == nil || s.fn != k {
			level = min(level, 1)
		} else {
			level = min(level, c.Int)
		}
	}
	if callsItself(k) || level > 1 {
		return int(level)
	}
	if t := p.traitsOf(k, nil); t.block || t.shared || block == 0 || block >= fullThreads {
		return 1
	}
	if _, known := p.waits(k); !known {
		return 1
	}
	return int(max(1, coarseThreads/block))
}

// granularity returns that of the program, if it is automatic: the grid, unless a launch would stay that a block joins, or few are left.
func (p *Program) granularity() Granularity {
	list := p.sites()
	p.o.Granularity = Grid
	p.legal(list)
	p.streams(list)
	p.mixed(p.kernels(list))
	for _, s := range list {
		if s.reason == reasonLoop || s.reason == reasonMixed {
			return Block
		}
	}
	if p.fewLeft(nil) {
		return Block
	}
	return Grid
}

// fewLeft reports whether threads do all small launches themselves, by the cost model: all launches of a kernel, or, for nil, of the program.
func (p *Program) fewLeft(k *check.FuncInfo) bool {
	if p.o.Threshold != Auto {
		return false
	}
	any := false
	for _, s := range p.thresholding().list {
		if k != nil && s.child != k {
			continue
		}
		if s.reason != "" {
			return false
		}
		any = true
	}
	return any
}

// switches reports whether the blocks of a kernel launch for themselves in grids of few blocks.
func (p *Program) switches(k *kernel) bool {
	if !p.o.Automatic || p.o.Granularity != Grid || k.behind {
		return false
	}
	for _, f := range p.info.Funcs {
		for _, child := range f.Launches {
			if child == k.fn && onDevice(f) {
				return false
			}
		}
	}
	for _, s := range k.sites {
		for _, f := range reachable(s.child) {
			if len(f.Launches) > 0 {
				return false
			}
		}
	}
	return true
}

// wanted returns n of a launch <<<(n + b - 1) / b, b>>>, the threads that the program asks for, or nil. Other forms of that
// are (n - 1) / b + 1 and n / b + (n % b != 0).
func (t *thresholding) wanted(l *syntax.LaunchExpr) syntax.Expr {
	grid := uncast(t.initial(l.Grid))
	b := t.p.info.Consts[l.Block]
	x, ok := grid.(*syntax.BinaryExpr)
	if b == nil || b.Int < 1 || !ok {
		return nil
	}
	is := func(x syntax.Expr, v int64) bool {
		c := t.p.info.Consts[x]
		return c != nil && c.Int == v
	}
	divided := func(x syntax.Expr) syntax.Expr { // y of y / b
		if q, ok := uncast(x).(*syntax.BinaryExpr); ok && q.Op == "/" && is(q.Y, b.Int) {
			return uncast(q.X)
		}
		return nil
	}
	var n syntax.Expr
	if y, ok := divided(x).(*syntax.BinaryExpr); ok {
		z, nested := uncast(y.X).(*syntax.BinaryExpr)
		switch {
		case y.Op == "+" && is(y.Y, b.Int-1): // (n + (b - 1)) / b
			n = y.X
		case y.Op == "-" && is(y.Y, 1) && nested && z.Op == "+" && is(z.Y, b.Int): // (n + b - 1) / b
			n = z.X
		}
	} else if x.Op == "+" {
		y, ok := divided(x.X).(*syntax.BinaryExpr)
		r, remains := uncast(x.Y).(*syntax.BinaryExpr)
		switch {
		case is(x.Y, 1) && ok && y.Op == "-" && is(y.Y, 1): // (n - 1) / b + 1
			n = y.X
		case remains && (r.Op == "!=" || r.Op == ">") && is(r.Y, 0): // n / b + (n % b != 0)
			m, ok := uncast(r.X).(*syntax.BinaryExpr)
			if y := divided(x.X); ok && y != nil && m.Op == "%" && is(m.Y, b.Int) && syntax.String(y) == syntax.String(uncast(m.X)) {
				n = y
			}
		}
	}
	if n == nil || !check.IsInteger(t.p.info.Types[n]) || !t.pure(n) {
		return nil
	}
	return n
}

// initial returns the initial value of a variable that is never assigned, and x for anything else.
func (t *thresholding) initial(x syntax.Expr) syntax.Expr {
	o := t.p.variable(x)
	if o == nil || o.Kind != check.VarObj || o.Global || o.Volatile || o.Attrs != 0 {
		return x
	}
	v, ok := o.Decl.(*syntax.VarDecl)
	if !ok || v.Init == nil {
		return x
	}
	for _, s := range t.list {
		for id := range idents(s.fn.Decl) {
			if t.p.info.Uses[id] == o && t.p.assigned(s.fn)[o] {
				return x
			}
		}
	}
	if !t.constant(v.Init) {
		return x
	}
	return v.Init
}

// constant reports whether the variables of an expression are never assigned, so that it has one value.
func (t *thresholding) constant(x syntax.Expr) bool {
	if !t.pure(x) {
		return false
	}
	for id := range idents(x) {
		o := t.p.info.Uses[id]
		for _, s := range t.list {
			if t.p.assigned(s.fn)[o] {
				return false
			}
		}
	}
	return true
}

// pure reports whether an expression is made of variables of the thread, numbers and arithmetic.
func (t *thresholding) pure(x syntax.Expr) bool {
	switch x := x.(type) {
	case *syntax.CastExpr:
		return t.pure(x.X)
	case *syntax.ParenExpr:
		return t.pure(x.X)
	case *syntax.UnaryExpr:
		return (x.Op == "-" || x.Op == "+" || x.Op == "~") && t.pure(x.X)
	case *syntax.BinaryExpr:
		switch x.Op {
		case "+", "-", "*", "<<", ">>", "&", "|":
			return t.pure(x.X) && t.pure(x.Y)
		case "/", "%":
			c := t.p.info.Consts[x.Y]
			return c != nil && c.Int != 0 && t.pure(x.X)
		}
		return false
	}
	return t.simple(x)
}

// few returns the condition of a launch that a thread does itself: it has so many threads at most.
func (t *thresholding) few(s *site, grid, block syntax.Expr, most int64) syntax.Expr {
	sp := tree.At(s.launch)
	limit := int64(t.p.thresholdOf(s.child))
	n := t.wants[s]
	whole := limit
	if n != nil {
		whole += t.p.info.Consts[s.launch.Block].Int - 1
	}
	var cond syntax.Expr = tree.Call(sp, "__klap_few", tree.Clone(grid), tree.Clone(block), tree.Number(sp, whole), tree.Number(sp, most))
	if n != nil {
		cond = tree.Binary(tree.Binary(tree.Paren(tree.Clone(n)), "<=", tree.Number(sp, limit)), "&&", cond)
	}
	return cond
}
