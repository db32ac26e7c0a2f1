package gogen

import (
	"slices"

	"irgl/internal/check"
	"irgl/syntax"
)

// A path interprets a function, statement by statement, with the values that its
// variables have on all paths to the present one. Where paths meet, the values are joined;
// a loop is interpreted until the values at its head no longer change.
type path struct {
	*bounds
	slots map[*check.Object]int
	vars  []*check.Object // the variables in scope, by slot
	// env has the values of the variables; nil where no path leads.
	env []value
	// kept says that the values of expressions are noted: not in a loop whose values may
	// still change.
	kept    bool
	targets []*target // loops and switches around the statement
	// learnt is what holds of variables once the present expression has been evaluated.
	learnt []learnt
	// unsettled are the variables that the present expression changes before its end, of
	// which nothing is known.
	unsettled map[int]bool
	heads     map[syntax.Node]*loopHead
	here      domainSet // domains that have a number 0, as a loop over them has an iteration
	kernel    bool      // a return may end one iteration only
	jumps     bool      // a label may lead to any statement, and no variable is followed
}

// A target is a loop or switch that break and continue lead out of.
type target struct {
	loop          bool
	leave, repeat []value // joined at break, and at continue; nil for none
}

// A learnt is a value that a variable has for certain.
type learnt struct {
	slot  int
	value value
}

// A loopHead has the values at the head of a loop when it was last interpreted. An inner
// loop starts with them in the next iteration of the outer one, so that the time is in
// proportion to the depth.
type loopHead struct {
	env   []value
	turns int // how often the values have changed
}

// maxTurns is how often the values at the head of a loop change before nothing is known of
// what the loop changes, and maxVisit how often they do in one iteration of the loop around it.
const (
	maxTurns = 24
	maxVisit = 6
)

// analyse interprets a unit.
func (b *bounds) analyse(u *unit) {
	b.unit = u
	defer func() { b.unit = nil }()
	p := &path{bounds: b, slots: map[*check.Object]int{}, heads: map[syntax.Node]*loopHead{}, kept: true, env: []value{}}
	if u.fn == nil {
		for _, x := range u.initial {
			p.full(x)
		}
		return
	}
	p.kernel = u.fn.Decl.Kind == syntax.KernelFunc
	p.jumps = b.jumps(u.fn.Decl.Body)
	for _, o := range u.fn.Params {
		if o != nil && b.followed(o) {
			v := b.of(o)
			if d, ok := domainOf(o.Type); ok && b.demands[o] != nil {
				v = meet(v, b.numbersOf(d))
			}
			p.declare(o, v)
		}
	}
	p.block(u.fn.Decl.Body)
	if p.env != nil && u.fn.Object != nil { // a function that ends without return has the result 0
		b.grow(u.fn.Object, value{})
	}
}

// jumps reports whether control enters statements of a function other than from those
// around them: through labels, and through cases in blocks.
func (b *bounds) jumps(body syntax.Node) bool {
	return contains(body, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.LabelStmt:
			return true
		case *syntax.SwitchStmt:
			return !plainCases(b.info, n)
		}
		return false
	})
}

// reached reports whether a path leads to the present statement.
func (p *path) reached() bool {
	if p.env == nil && p.jumps {
		p.env = []value{}
	}
	return p.env != nil
}

// findLoose notes the variables of a function that are not followed along paths: all of one
// with labels, and in a kernel those that the iterations of an outermost ForAll change.
func (b *bounds) findLoose(f *check.FuncInfo) {
	if b.jumps(f.Decl.Body) {
		for n := range syntax.Preorder(f.Decl) {
			switch n := n.(type) {
			case *syntax.Ident:
				b.loosen(b.info.Defs[n])
			case *syntax.AssignExpr:
				b.loosen(b.info.Declares[n])
			}
		}
		for _, o := range f.Params {
			b.loosen(o)
		}
		return
	}
	if f.Decl.Kind != syntax.KernelFunc {
		return
	}
	syntax.Inspect(f.Decl.Body, func(n syntax.Node) bool {
		s, ok := n.(*syntax.ForAllStmt)
		if !ok || s.Serial {
			return true
		}
		inside := map[*check.Object]bool{}
		for n := range syntax.Preorder(s) {
			switch n := n.(type) {
			case *syntax.Ident:
				inside[b.info.Defs[n]] = true
			case *syntax.AssignExpr:
				inside[b.info.Declares[n]] = true
			}
		}
		for n := range syntax.Preorder(s) {
			if o := b.variableOf(b.target(n)); o != nil && !inside[o] {
				b.loosen(o)
			}
		}
		return false
	})
}

func (b *bounds) loosen(o *check.Object) {
	if o != nil && (o.Kind == check.VarObj || o.Kind == check.ParamObj) && !o.Global {
		b.loose[o] = true
	}
}

// plainCases reports whether the cases of a switch are directly in its body, and no
// declarations are.
func plainCases(info *check.Info, s *syntax.SwitchStmt) bool {
	for _, c := range s.Body.Stmts {
		switch c := c.(type) {
		case *syntax.CaseStmt:
			continue
		case *syntax.VarDecls:
			return false // in the scope of cases that do not execute it
		case *syntax.ExprStmt:
			if a, ok := syntax.Unparen(c.X).(*syntax.AssignExpr); ok && info.Declares[a] != nil {
				return false
			}
		}
		plain := true
		syntax.Inspect(c, func(n syntax.Node) bool {
			switch n.(type) {
			case *syntax.SwitchStmt:
				return false
			case *syntax.CaseStmt:
				plain = false
			}
			return plain
		})
		if !plain {
			return false
		}
	}
	return true
}

// declare gives a variable a value.
func (p *path) declare(o *check.Object, v value) {
	if o == nil || !p.followed(o) || p.env == nil || p.jumps {
		return
	}
	i, ok := p.slots[o]
	if !ok || i >= len(p.env) || p.vars[i] != o {
		i = len(p.env)
		p.slots[o] = i
		p.vars = append(p.vars[:i], o)
		p.env = append(p.env, never)
	}
	p.env[i] = converted(v, o.Type)
}

// scope ends a scope that began with n variables.
func (p *path) scope(n int) {
	if len(p.env) > n {
		p.env = p.env[:n]
	}
}

// slot returns the slot of the variable that x names, -1 for none.
func (p *path) slot(x syntax.Expr) int {
	if m, ok := syntax.Unparen(x).(*syntax.MemberExpr); ok && m.Name.Name == "id" && isHandle(p.info.Types[m.X]) {
		x = m.X
	}
	if id, ok := syntax.Unparen(x).(*syntax.Ident); ok && p.env != nil {
		return p.slotOf(p.storage(id), p.env)
	}
	return -1
}

// slotOf returns the slot of a variable in env, -1 for none.
func (p *path) slotOf(o *check.Object, env []value) int {
	if i, ok := p.slots[o]; ok && i < len(env) && p.vars[i] == o {
		return i
	}
	return -1
}

// joined returns the values on two paths, of the variables that both have declared.
func joined(x, y []value) []value {
	if x == nil {
		return slices.Clone(y)
	}
	if y == nil {
		return slices.Clone(x)
	}
	z := slices.Clone(x[:min(len(x), len(y))])
	for i, v := range z {
		z[i] = join(v, y[i])
	}
	return z
}

// branches interprets two alternatives, with the values that each begins with.
func (p *path) branches(x, y []value, first, second func()) {
	defer p.scope(max(len(x), len(y)))
	p.env = x
	first()
	x = p.env
	p.env = y
	second()
	p.env = joined(x, p.env)
}

func (p *path) block(b *syntax.Block) {
	if b == nil {
		return
	}
	defer p.scope(len(p.env))
	for _, s := range b.Stmts {
		p.stmt(s)
	}
}

// skip notes that no path leads to n.
func (p *path) skip(n syntax.Node) {
	if !p.kept || n == nil {
		return
	}
	for n := range syntax.Preorder(n) {
		if x, ok := n.(syntax.Expr); ok {
			p.dead[x] = true
		}
	}
}

//irgl:allnodes Stmt except CBlock AsmStmt
func (p *path) stmt(s syntax.Stmt) {
	if s == nil {
		return
	}
	if !p.reached() {
		p.skip(s)
		return
	}
	switch s := s.(type) {
	case *syntax.Block:
		p.block(s)
	case *syntax.VarDecls:
		for _, d := range s.Vars {
			v := anything
			if d.Init != nil {
				v = p.full(d.Init)
			}
			p.declare(p.info.Defs[d.Name], v)
		}
	case *syntax.TypeDecl, *syntax.EmptyStmt, *syntax.BarrierStmt:
	case *syntax.ExprStmt:
		p.full(s.X)
	case *syntax.IfStmt:
		yes, no := p.test(s.Cond)
		p.branches(yes, no, func() { p.stmt(s.Then) }, func() { p.optional(s.Else) })
	case *syntax.ForStmt:
		defer p.scope(len(p.env))
		p.stmt(s.Init)
		p.loop(s, nil, func() []value {
			leave := p.condition(s.Cond)
			p.turn(s.Body)
			p.post(s.Post)
			return leave
		})
	case *syntax.WhileStmt:
		p.loop(s, nil, func() []value {
			if s.Do {
				p.turn(s.Body)
				return p.condition(s.Cond)
			}
			leave := p.condition(s.Cond)
			p.turn(s.Body)
			return leave
		})
	case *syntax.SwitchStmt:
		p.switchStmt(s)
	case *syntax.ForAllStmt:
		p.forAll(s)
	case *syntax.IterateStmt, *syntax.PipeStmt:
		p.pipe(s)
	case *syntax.AtomicStmt:
		p.full(s.Lock)
		p.alternatives(s.Body, s.Else)
	case *syntax.ExclusiveStmt:
		for _, l := range s.Locks {
			p.list(l)
		}
		p.alternatives(s.Body, s.Else)
	case *syntax.CaseStmt, *syntax.LabelStmt:
	case *syntax.ReturnStmt, *syntax.ReduceStmt, *syntax.RetryStmt, *syntax.BreakStmt, *syntax.ContinueStmt, *syntax.GotoStmt:
		p.jump(s)
	}
}

// post interprets what a for statement does after an iteration.
func (p *path) post(x syntax.Expr) {
	switch {
	case x == nil:
	case !p.reached():
		p.skip(x)
	default:
		p.full(x)
	}
}

func (p *path) optional(s syntax.Stmt) {
	if s != nil {
		p.stmt(s)
	}
}

// alternatives interprets a body and what runs in its place.
func (p *path) alternatives(body, other *syntax.Block) {
	p.branches(slices.Clone(p.env), p.env, func() { p.block(body) }, func() { p.block(other) })
}

// list interprets a slice, or an array with its size.
func (p *path) list(l *syntax.SliceExpr) {
	for _, x := range []syntax.Expr{l.Low, l.High, l.Step} {
		if x != nil {
			p.full(x)
		}
	}
}

// jump interprets a statement that may end an iteration.
func (p *path) jump(s syntax.Stmt) {
	ends := true
	switch s := s.(type) {
	case *syntax.ReturnStmt:
		if s.X != nil {
			p.full(s.X)
		}
		if p.kernel {
			p.endIteration()
		}
	case *syntax.ReduceStmt:
		p.full(s.Value)
		p.endIteration()
	case *syntax.RetryStmt:
		p.full(s.Item)
		p.endIteration()
		ends = false
	case *syntax.BreakStmt:
		if len(p.targets) > 0 {
			t := p.targets[len(p.targets)-1]
			t.leave = joined(t.leave, p.env)
		}
	case *syntax.ContinueStmt:
		for _, t := range slices.Backward(p.targets) {
			if t.loop {
				t.repeat = joined(t.repeat, p.env)
				break
			}
		}
	}
	if ends {
		p.env = nil
	}
}

// endIteration notes that the path may end the iteration of any loop around it.
func (p *path) endIteration() {
	for _, t := range p.targets {
		if t.loop {
			t.repeat = joined(t.repeat, p.env)
		}
	}
}

// turn interprets the body of a loop; behind it continue has led, too.
func (p *path) turn(body syntax.Stmt) {
	if !p.reached() {
		p.skip(body)
		return
	}
	p.stmt(body)
	t := p.targets[len(p.targets)-1]
	p.env = joined(p.env, t.repeat)
}

// condition interprets the test of a loop, nil for one that holds, and returns the values
// with which it ends the loop.
func (p *path) condition(x syntax.Expr) []value {
	if x == nil || !p.reached() {
		p.skip(x)
		return nil
	}
	yes, no := p.test(x)
	p.env = yes
	return no
}

// loop interprets a loop. once interprets one iteration and returns the values with which
// the loop ends without a break, nil where it does not; skipped are those where there is no
// iteration.
func (p *path) loop(s syntax.Node, skipped []value, once func() []value) {
	start, kept := p.env, p.kept
	iterate := func(head []value) (next, leave []value) {
		t := &target{loop: true}
		p.targets = append(p.targets, t)
		p.env = slices.Clone(head)
		leave = once()
		p.targets = p.targets[:len(p.targets)-1]
		return joined(start, p.env), joined(t.leave, leave)
	}
	p.kept = false
	head, leave := p.fixpoint(s, start, iterate)
	if p.kept = kept; kept {
		p.enter(s, head)
		_, leave = iterate(head)
	}
	p.env = leave
	if skipped != nil {
		p.env = joined(p.env, skipped)
	}
	p.scope(len(start))
}

// fixpoint returns values at the head of a loop that hold in all iterations, which begin
// with start, and those with which the loop ends.
func (p *path) fixpoint(s syntax.Node, start []value, iterate func([]value) (next, leave []value)) (head, leave []value) {
	h := p.heads[s]
	if h == nil {
		h = &loopHead{}
		p.heads[s] = h
	}
	head = slices.Clone(start)
	if len(h.env) == len(start) {
		head = joined(start, h.env)
	}
	for visit := 0; ; visit++ {
		forgotten := visit == maxVisit || h.turns >= maxTurns
		if forgotten {
			p.forget(s, head)
		}
		next, leave := iterate(head)
		stable := true
		for i, v := range next {
			stable = stable && v.in(head[i])
		}
		if stable || forgotten {
			h.env = slices.Clone(head)
			if stable {
				head = next
			}
			return head, leave
		}
		limits := p.limits
		if visit > 1 || h.turns > maxVisit {
			limits = nil
		}
		h.turns++
		for i, v := range next {
			head[i] = widened(head[i], join(head[i], v), limits, p.vars[i].Type)
		}
	}
}

// forget makes the variables that a loop changes ones of which nothing is known.
func (p *path) forget(s syntax.Node, head []value) {
	for n := range syntax.Preorder(s) {
		if x := p.bounds.target(n); x != nil {
			if i := p.slotOf(p.variableOf(x), head); i >= 0 {
				head[i] = valuesOf(p.vars[i].Type)
			}
		}
	}
}

// enter notes the values of variables that hold nodes, at the head of a loop.
func (p *path) enter(s syntax.Node, head []value) {
	if !p.kept {
		return
	}
	for i, v := range head {
		if p.vars[i].Type != check.Node {
			continue
		}
		k := nodeAt{s, p.vars[i]}
		if old, ok := p.entry[k]; ok {
			v = join(old, v)
		}
		p.entry[k] = v
	}
}

// forAll interprets a ForAll, whose iterations may see what others have changed.
func (p *path) forAll(s *syntax.ForAllStmt) {
	p.enter(s, p.env) // rows are read before the range is evaluated
	each := p.iterated(s, p)
	if p.info.Types[s.Iter] != check.Ints {
		p.full(s.Iter)
	}
	here := p.here
	p.here |= p.inhabited(s)
	defer func() { p.here = here }()
	none := slices.Clone(p.env)
	p.loop(s, none, func() []value {
		p.declare(p.info.Defs[s.Var], each)
		p.turn(s.Body)
		return slices.Clone(p.env)
	})
}

// inhabited returns the domains that have a number 0 in the body of a ForAll.
func (p *path) inhabited(s *syntax.ForAllStmt) domainSet {
	switch p.info.Types[s.Iter] {
	case check.Nodes:
		return inhabited(syntax.NodeDomain)
	case check.Edges, check.InEdges, check.AllEdges:
		return inhabited(syntax.EdgeDomain)
	case check.Points:
		return inhabited(syntax.PointDomain)
	case check.Elements:
		return inhabited(syntax.ElementDomain)
	case check.Worklist:
		switch v := p.of(p.items); {
		case v.never(): // no item, no iteration
			return allDomains
		case v.exists(syntax.NodeDomain):
			return inhabited(syntax.NodeDomain)
		}
	}
	return 0
}

// pipe interprets Iterate and Pipe: loops of host code.
func (p *path) pipe(s syntax.Stmt) {
	var initial *syntax.WorklistInit
	var args []syntax.Expr
	var extra *syntax.ExtraCond
	var body *syntax.Block
	switch s := s.(type) {
	case *syntax.IterateStmt:
		initial, args, extra, body = s.Initial, s.Args, s.Extra, s.Body
	case *syntax.PipeStmt:
		initial, body = s.Initial, s.Body
	}
	if initial != nil {
		for _, x := range initial.Items {
			if l, ok := x.(*syntax.SliceExpr); ok {
				p.list(l)
			} else {
				p.full(x)
			}
		}
		if initial.Size != nil {
			p.full(initial.Size)
		}
	}
	none := slices.Clone(p.env)
	p.loop(s, none, func() []value {
		leave := slices.Clone(p.env)
		if extra != nil {
			p.full(extra.Cond)
			leave = joined(leave, p.env)
		}
		for _, x := range args {
			p.full(x)
			leave = joined(leave, p.env)
		}
		if body != nil {
			p.turn(body)
		}
		return joined(leave, p.env)
	})
}

// switchStmt interprets a switch: each case begins with the values at its head, or with
// those of the case before.
func (p *path) switchStmt(s *syntax.SwitchStmt) {
	p.full(s.X)
	head := slices.Clone(p.env)
	t := &target{}
	p.targets = append(p.targets, t)
	p.env = nil
	for _, c := range s.Body.Stmts {
		if _, ok := c.(*syntax.CaseStmt); ok {
			p.env = joined(p.env, head)
		} else {
			p.stmt(c)
		}
	}
	p.targets = p.targets[:len(p.targets)-1]
	p.env = joined(joined(p.env, t.leave), head) // those of head: its variables
}
