package klap

import (
	"slices"

	"irgl/internal/check"
	"irgl/internal/tree"
	"irgl/syntax"
)

// Which launches can be promoted, and what is known of their arguments at the kernel's begin.

// Reasons why a launch is not promoted.
const (
	reasonOther     = "only launches of a kernel by itself are promoted"
	reasonSeveral   = "the kernel has other launches, in its text or in functions that it calls"
	reasonAgain     = "the launch is in a loop, or the kernel jumps back: there may be several"
	reasonGrid      = "the grid of the launch is not one block that is known at compile time"
	reasonThreads   = "several threads may launch: no condition around the launch has threadIdx.x equal to a constant"
	reasonSize      = "the size of the block or of its shared memory changes from launch to launch"
	reasonWithin    = "the launch is a part of an expression"
	reasonStatic    = "the kernel has a static variable, which its two forms would not share"
	reasonWide      = "a function that the kernel calls reads blockIdx or gridDim, which blocks of a pool have other values of"
	reasonBoundary  = "klap_overlap is not called once, in the kernel itself, outside of branches and loops, in front of the launch"
	reasonFull      = "klap_overlap is not an empty function"
	reasonSpeculate = "whether the next instance is launched is not known at the kernel's begin, and what is in front of klap_overlap would run for instances that the program does not launch"
	reasonStale     = "loads by the non-coherent cache (__ldg, textures) would not see what instances in front write while the block waits"
	reasonNoRoom    = "the shared memory of the kernel leaves no room for what an instance keeps there"
	reasonPromoted  = "the kernel is promoted"
	reasonReturn    = "threads may leave the kernel in front of klap_overlap, or not come to the launch"
)

// promotion returns how a launch is promoted, or why it is not.
func (p *Program) promotion(s *site, list []*site) (*promotion, string) {
	if s.child != s.fn {
		return nil, reasonOther
	}
	if reason := p.refuseSite(s, list); reason != "" {
		return nil, reason
	}
	m := &promotion{p: p, fn: s.fn, s: s, boundary: -1}
	number, constant := p.number(s.launch.Stream)
	m.tail = constant && number == tailStream
	if s.launch.Stream != nil && !constant && p.private(s) == nil {
		return nil, reasonUnknown
	}
	path, exact := around(s.fn.Decl.Body, s.launch)
	if path == nil {
		return nil, reasonWithin
	}
	m.parameters()
	thread, ok := m.conditions(path)
	if !ok {
		return nil, reasonThreads
	}
	m.conditional = m.conditional && exact
	if !m.conditional {
		m.speculate()
	}
	if !m.size() {
		return nil, reasonSize
	}
	if p.o.Overlap {
		if reason := m.overlap(thread); reason != "" {
			return nil, reason
		}
	}
	return m, ""
}

// refuseSite returns why a kernel's launch of itself cannot be promoted, whatever its arguments.
func (p *Program) refuseSite(s *site, list []*site) string {
	if s.again {
		return reasonAgain
	}
	if !p.single(s.launch.Grid) {
		return reasonGrid
	}
	if len(s.fn.Decl.Cluster) > 0 {
		return "the kernel has clusters"
	}
	for i, t := range s.fn.Type.Params {
		if s.fn.Decl.Params[i].Name != nil && t.Align() > maxAlign {
			return "parameter " + s.fn.Params[i].Name + " of the kernel has an alignment of more than 16 bytes"
		}
	}
	if reason := p.named(s.fn); reason != "" {
		return reason
	}
	if p.traitsOf(s.fn, nil).nonCoherent {
		return reasonStale
	}
	if p.sharedBytes(s.fn) > mostShared-instanceBytes {
		return reasonNoRoom
	}
	for n := range syntax.Preorder(s.fn.Decl.Body) {
		if v, ok := n.(*syntax.VarDecls); ok && v.Attrs.Has(syntax.Static) && !v.Attrs.Has(syntax.Shared) {
			return reasonStatic
		}
	}
	for _, f := range reachable(s.fn) {
		for _, other := range list {
			if other != s && other.fn == f {
				return reasonSeveral
			}
		}
		for n := range syntax.Preorder(f.Decl) {
			if c, ok := n.(*syntax.CallExpr); ok && copies().MatchString(tree.Callee(c)) {
				return reasonCopy
			}
		}
		if reason := p.refuseFunction(f, s.fn); reason != "" {
			return reason
		}
	}
	return ""
}

// mostShared is the most static shared memory that a kernel may have, and instanceBytes what a promoted one adds.
const (
	mostShared    = 48 << 10
	instanceBytes = 64
)

// sharedBytes returns the static shared memory that a kernel and the functions that it calls name.
func (p *Program) sharedBytes(k *check.FuncInfo) (n int64) {
	seen := map[*check.Object]bool{}
	for _, f := range reachable(k) {
		for id := range idents(f.Decl) {
			if o := p.info.Uses[id]; o != nil && o.Kind == check.VarObj && o.Attrs.Has(syntax.Shared) && !o.Attrs.Has(syntax.Extern) && !seen[o] {
				seen[o] = true
				n += int64(o.Type.Size())
			}
		}
	}
	return n
}

// refuseFunction returns why what a function does cannot be in a promoted kernel.
func (p *Program) refuseFunction(f, kernel *check.FuncInfo) string {
	switch {
	case p.hasAsm(f, exits()):
		return reasonExit
	case p.hasAsm(f, coordinates()):
		return "the kernel reads its place in the grid by asm"
	case p.indirect(f):
		return "the kernel calls a function through a pointer, which may launch or read the built-in variables"
	case f == kernel || p.o.descendants() == 1:
		return ""
	}
	for id := range idents(f.Decl) {
		if name := p.builtin(id); name == "blockIdx" || name == "gridDim" {
			return reasonWide
		}
	}
	return ""
}

// dim3 returns the dimensions of a configuration, if they can be told apart: of an integer, a variable, or a call of the
// constructor that is lowered from C++.
func (p *Program) dim3(x syntax.Expr) (out [3]syntax.Expr, ok bool) {
	one := func() syntax.Expr { return tree.Number(tree.At(x), 1) }
	if check.IsInteger(p.info.Types[x]) {
		return [3]syntax.Expr{x, one(), one()}, true
	}
	if id, ok := syntax.Unparen(x).(*syntax.Ident); ok {
		for i, d := range []string{"x", "y", "z"} {
			out[i] = &syntax.MemberExpr{Span: tree.At(x), X: id, Name: tree.Ident(tree.At(x), d)}
		}
		return out, true
	}
	u, ok := syntax.Unparen(x).(*syntax.UnaryExpr)
	if !ok || u.Op != "*" {
		return out, false
	}
	b, ok := syntax.Unparen(u.X).(*syntax.BinaryExpr)
	if !ok || b.Op != "," {
		return out, false
	}
	c, ok := syntax.Unparen(b.X).(*syntax.CallExpr)
	if !ok || tree.Callee(c) != "_ZN4dim3C1Ejjj" || len(c.Args) != 4 {
		return out, false
	}
	return [3]syntax.Expr(c.Args[1:]), true
}

// single reports whether a grid is one block.
func (p *Program) single(grid syntax.Expr) bool {
	dims, ok := p.dim3(grid)
	if !ok {
		return false
	}
	for i, x := range dims {
		c := p.info.Consts[x]
		if (i == 0 || c != nil || p.info.Types[x] != nil) && (c == nil || c.Int != 1) {
			return false
		}
	}
	return true
}

// A guard is a condition that a launch is under.
type guard struct {
	x   syntax.Expr // nil for one that has no expression
	not bool
}

// around returns the conditions around the launch, outermost first, and whether a thread for which they are true comes to it.
// It returns nil if the launch is no statement.
func around(body *syntax.Block, launch *syntax.LaunchExpr) (path []guard, exact bool) {
	path, exact = []guard{}, true
	found := false
	var visit func(s syntax.Stmt) bool
	list := func(stmts []syntax.Stmt) bool { return slices.ContainsFunc(stmts, visit) }
	visit = func(s syntax.Stmt) bool {
		switch s := s.(type) {
		case *syntax.ExprStmt:
			found = found || syntax.Unparen(s.X) == syntax.Expr(launch)
			return found
		case *syntax.Block:
			return list(s.Stmts)
		case *syntax.IfStmt:
			n := len(path)
			for i, arm := range []syntax.Stmt{s.Then, s.Else} {
				if path = append(path[:n], guard{s.Cond, i == 1}); arm != nil && visit(arm) {
					return true
				}
			}
			path = path[:n]
		case *syntax.SwitchStmt:
			if path = append(path, guard{}); visit(s.Body) {
				return true
			}
			path = path[:len(path)-1]
		}
		return false
	}
	if !visit(body) {
		return nil, false
	}
	before := true
	for n := range syntax.Preorder(body) {
		switch n := n.(type) {
		case *syntax.LaunchExpr:
			before = before && n != launch
		case *syntax.ReturnStmt:
			exact = exact && !before
		case *syntax.GotoStmt, *syntax.LabelStmt:
			exact = false
		}
	}
	return path, exact
}

// begin returns x in terms of parameters, with the value that it has at the kernel's begin and at the launch; nil
// if it has none or it depends on postponed parameters.
func (m *promotion) begin(x syntax.Expr) syntax.Expr {
	u := &uniformity{p: m.p, fn: m.fn, assigned: m.p.assigned(m.fn)}
	y := u.of(x)
	if y == nil {
		return nil
	}
	for id := range idents(y) {
		for i, o := range m.fn.Params {
			if o.Name == id.Name && m.pass[i] == postponed {
				return nil
			}
		}
	}
	return y
}

// parameters says how the parameters are passed on.
func (m *promotion) parameters() {
	assigned := m.p.assigned(m.fn)
	args := m.s.launch.Args
	m.pass = make([]passing, len(m.fn.Params))
	for i, o := range m.fn.Params {
		m.pass[i] = known
		if id, ok := syntax.Unparen(args[i]).(*syntax.Ident); ok && m.p.info.Uses[id] == o && !assigned[o] {
			m.pass[i] = same
		}
	}
	for changed := true; changed; {
		changed = false
		for i := range m.pass {
			if m.pass[i] == known && m.begin(args[i]) == nil {
				m.pass[i], changed = postponed, true
			}
		}
	}
	m.next = make([]syntax.Expr, len(m.pass))
	for i := range m.pass {
		if m.pass[i] == known {
			m.next[i] = m.begin(args[i])
		}
	}
}

// speculate has all values that change postponed, since there is one chain of flags.
func (m *promotion) speculate() {
	for i := range m.pass {
		if m.pass[i] == known {
			m.pass[i] = postponed
		}
	}
}

// conditions finds the launch condition at the kernel's begin, and returns the number of the thread that
// launches; false if several may.
func (m *promotion) conditions(path []guard) (thread int64, one bool) {
	m.conditional = true
	var flatten func(g guard)
	flatten = func(g guard) {
		if b, ok := syntax.Unparen(g.x).(*syntax.BinaryExpr); g.x != nil && ok && b.Op == "&&" && !g.not {
			flatten(guard{b.X, false})
			flatten(guard{b.Y, false})
			return
		}
		if n, ok := m.thread(g, "x"); ok && !one {
			thread, one = n, true
			return
		}
		for _, d := range []string{"y", "z"} {
			if n, ok := m.thread(g, d); ok && n == 0 {
				return // the first thread is one of these
			}
		}
		var y syntax.Expr
		if g.x != nil {
			y = m.begin(g.x)
		}
		if y == nil {
			m.conditional = false
			return
		}
		y = tree.Paren(y)
		if g.not {
			y = &syntax.UnaryExpr{Span: tree.At(y), Op: "!", X: tree.Paren(y)}
		}
		if m.condition != nil {
			y = tree.Binary(m.condition, "&&", y)
		}
		m.condition = y
	}
	for _, g := range path {
		flatten(g)
	}
	m.conditional = m.conditional && thread == 0
	return thread, one
}

// thread returns the number that a condition has a dimension of threadIdx equal to.
func (m *promotion) thread(g guard, dim string) (int64, bool) {
	if g.x == nil {
		return 0, false
	}
	switch x := uncast(g.x).(type) {
	case *syntax.BinaryExpr:
		op := syntax.Op("==")
		if g.not {
			op = "!="
		}
		for _, pair := range [][2]syntax.Expr{{x.X, x.Y}, {x.Y, x.X}} {
			if c := m.p.info.Consts[pair[1]]; x.Op == op && c != nil && m.isThread(pair[0], dim) {
				return c.Int, true
			}
		}
	case *syntax.UnaryExpr:
		if x.Op == "!" && !g.not && m.isThread(x.X, dim) {
			return 0, true
		}
	default:
		if g.not && m.isThread(x, dim) {
			return 0, true
		}
	}
	return 0, false
}

// isThread reports whether x is a dimension of threadIdx, or a variable with its value.
func (m *promotion) isThread(x syntax.Expr, dim string) bool {
	switch x := uncast(x).(type) {
	case *syntax.MemberExpr:
		id, ok := x.X.(*syntax.Ident)
		return ok && x.Name.Name == dim && m.p.builtin(id) == "threadIdx"
	case *syntax.Ident:
		o := m.p.info.Uses[x]
		if o == nil || o.Kind != check.VarObj || o.Global || o.Attrs != 0 || o.Volatile || m.p.assigned(m.fn)[o] || o.Type.Size() < 4 || !check.IsInteger(o.Type) {
			return false
		}
		v, ok := o.Decl.(*syntax.VarDecl)
		return ok && v.Init != nil && m.isThread(v.Init, dim)
	}
	return false
}

// size finds the size of the block and of its dynamic shared memory, and reports whether all instances have the same.
func (m *promotion) size() bool {
	dims, ok := m.p.dim3(m.s.launch.Block)
	if !ok {
		return false
	}
	for i, x := range dims {
		if m.block[i] = m.same(x); m.block[i] == nil {
			return false
		}
	}
	m.shared = tree.Number(tree.At(m.s.launch), 0)
	if x := m.s.launch.Shared; x != nil {
		m.shared = m.same(x)
	}
	return m.shared != nil
}

// same returns x as begin does, if all instances have the same value.
func (m *promotion) same(x syntax.Expr) syntax.Expr {
	y := m.begin(x)
	if y == nil {
		return nil
	}
	for id := range idents(y) {
		switch id.Name {
		case "blockIdx", "gridDim": // the first instance may have others
			return nil
		}
		for i, o := range m.fn.Params {
			if o.Name == id.Name && m.pass[i] != same {
				return nil
			}
		}
	}
	return y
}

// overlap finds the boundary, and returns why the kernel cannot be overlapped.
func (m *promotion) overlap(thread int64) string {
	calls := 0
	for _, f := range reachable(m.fn) {
		for n := range syntax.Preorder(f.Decl) {
			c, ok := n.(*syntax.CallExpr)
			if !ok || !overlapNames[tree.Callee(c)] {
				continue
			}
			calls++
			if o := m.p.info.Uses[syntax.Unparen(c.Fun).(*syntax.Ident)]; o == nil || o.Func == nil || o.Func.Decl.Body == nil || len(o.Func.Decl.Body.Stmts) > 0 {
				return reasonFull
			}
		}
	}
	if calls == 0 {
		return ""
	}
	body := m.fn.Decl.Body.Stmts
	at := slices.IndexFunc(body, isBoundary)
	if calls != 1 || at < 0 {
		return reasonBoundary
	}
	used := map[*check.Object]bool{}
	for _, s := range body[:at] {
		for n := range syntax.Preorder(s) {
			switch n := n.(type) {
			case *syntax.ReturnStmt, *syntax.GotoStmt, *syntax.LabelStmt:
				return reasonReturn
			case *syntax.LaunchExpr:
				return reasonBoundary
			case *syntax.Ident:
				used[m.p.info.Uses[n]] = true
			}
		}
	}
	if !m.conditional || thread != 0 {
		return reasonSpeculate
	}
	for i, o := range m.fn.Params {
		if used[o] && m.pass[i] == postponed {
			return "what is in front of klap_overlap uses parameter " + o.Name + ", whose value is not known at the begin of the kernel that launches"
		}
	}
	m.boundary = at
	return ""
}

// isBoundary reports whether a statement is a call of klap_overlap.
func isBoundary(s syntax.Stmt) bool {
	x, ok := s.(*syntax.ExprStmt)
	if !ok {
		return false
	}
	c, ok := uncast(x.X).(*syntax.CallExpr)
	return ok && overlapNames[tree.Callee(c)]
}
