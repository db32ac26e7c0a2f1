package lower

import (
	"fmt"
	"strings"

	"irgl/internal/abi"
	"irgl/internal/tree"
	"irgl/syntax"
)

// A control kernel that launches kernels ends behind each launch and begins again there (fire.go). Its
// code is divided into the cases of a switch: statements with a launch in them become jumps between cases,
// which assign the number of a case and continue the loop around the switch. All others stay as they
// are, but for variables, which are members of the frame where they may live across a launch.

// A resumer divides the code of a control kernel.
type resumer struct {
	l *lowerer
	r *region
	s syntax.Span // of the node, for what the program does not name

	frame  strings.Builder     // the members of the frame
	fields map[string]bool     // their names
	scopes []map[string]string // names of variables -> members; "" for one that is local to a statement
	cases  []resumeCase
	jumps  []*label // where break and continue go to, of the loops and switches that are divided; in pairs
}

// A label is the number of a case, known at the end.
type label struct {
	uses   []*syntax.BasicLit // in jumps
	number int64
}

// A resumeCase is what follows a label, up to the next.
type resumeCase struct {
	label *label
	stmts []syntax.Stmt
}

// declare makes a variable a member of the frame, under its name if that is free; decl is its declaration
// with %s for the name.
func (c *resumer) declare(name, decl string) string { return c.declareAs(name, name, decl) }

func (c *resumer) declareAs(name, field, decl string) string {
	for n := 2; c.fields[field]; n++ {
		field = fmt.Sprintf("%s_%d", name, n)
	}
	c.fields[field] = true
	fmt.Fprintf(&c.frame, "  "+decl+";\n", field)
	c.scopes[len(c.scopes)-1][name] = field
	return field
}

func (c *resumer) enter() { c.scopes = append(c.scopes, map[string]string{}) }
func (c *resumer) leave() { c.scopes = c.scopes[:len(c.scopes)-1] }

// field returns a member of the frame.
func (c *resumer) field(s syntax.Span, name string) syntax.Expr {
	return member(ident(s, c.r.resultName()), name)
}

// variable returns what a name denotes: a member of the frame, or nil.
func (c *resumer) variable(id *syntax.Ident) syntax.Expr {
	for i := len(c.scopes) - 1; i >= 0; i-- {
		if f, ok := c.scopes[i][id.Name]; ok {
			if f == "" {
				return nil
			}
			return c.field(at(id), f)
		}
	}
	return nil
}

// divide returns the body of the control kernel.
func (c *resumer) divide(code []syntax.Stmt) []syntax.Stmt {
	begin := new(label)
	begin.uses = append(begin.uses, nil) // the host's
	c.mark(begin)
	c.list(code)
	c.emit(&syntax.ReturnStmt{Span: c.s})
	body, n := block(c.s), int64(0)
	for _, k := range c.cases {
		if len(k.label.uses) == 0 { // nothing jumps there
			body.Stmts = append(body.Stmts, k.stmts...)
			continue
		}
		k.label.number = n
		body.Stmts = append(append(body.Stmts, &syntax.CaseStmt{Span: c.s, Value: number(c.s, n)}), k.stmts...)
		n++
	}
	for _, k := range c.cases {
		for _, x := range k.label.uses {
			if x != nil {
				*x = *number(c.s, k.label.number).(*syntax.BasicLit)
			}
		}
	}
	state := ident(c.s, "irgl_at")
	return []syntax.Stmt{variable(c.s, basic(c.s, "int"), state.Name, c.field(c.s, "irgl_at")),
		&syntax.WhileStmt{Span: c.s, Cond: ident(c.s, "true"), Body: block(c.s, &syntax.SwitchStmt{Span: c.s, X: state, Body: body})}}
}

// mark begins the case of a label.
func (c *resumer) mark(l *label) { c.cases = append(c.cases, resumeCase{label: l}) }

// emit adds statements to the present case.
func (c *resumer) emit(list ...syntax.Stmt) {
	k := &c.cases[len(c.cases)-1]
	k.stmts = append(k.stmts, list...)
}

// to returns the number of a label as an expression.
func (c *resumer) to(l *label) syntax.Expr {
	x := &syntax.BasicLit{Span: c.s}
	l.uses = append(l.uses, x)
	return x
}

// jump returns the statements that continue at a label, from anywhere in a case but loops.
func (c *resumer) jump(l *label) []syntax.Stmt {
	return []syntax.Stmt{stmt(assign(ident(c.s, "irgl_at"), "=", c.to(l))), &syntax.ContinueStmt{Span: c.s}}
}

// unless jumps where a condition does not hold.
func (c *resumer) unless(cond syntax.Expr, l *label) {
	c.emit(&syntax.IfStmt{Span: at(cond), Cond: not(cond), Then: block(at(cond), c.jump(l)...)})
}

// not returns the negation of a condition.
func not(x syntax.Expr) syntax.Expr {
	if u, ok := syntax.Unparen(x).(*syntax.UnaryExpr); ok && u.Op == "!" {
		return u.X
	}
	return &syntax.UnaryExpr{Span: at(x), Op: "!", X: paren(x)}
}

// fires reports whether a launch is in n.
func (c *resumer) fires(n syntax.Node) bool {
	found := false
	if n != nil {
		syntax.Inspect(n, func(n syntax.Node) bool {
			if x, ok := n.(*syntax.CallExpr); ok {
				_, fired := c.r.fired[x]
				found = found || fired
			}
			return !found
		})
	}
	return found
}

// list divides the statements of a block.
func (c *resumer) list(list []syntax.Stmt) {
	for _, s := range list {
		c.stmt(s)
	}
}

// stmt divides a statement. Declarations are of the list that they are in, parts of which may be in
// other cases.
//
//irgl:allnodes Loop except IterateStmt PipeStmt ForAllStmt
func (c *resumer) stmt(s syntax.Stmt) {
	if d, ok := s.(*syntax.VarDecls); ok {
		c.declarations(d)
		return
	}
	if !c.fires(s) {
		if _, empty := s.(*syntax.EmptyStmt); !empty {
			c.emit(c.plain(s)...)
		}
		return
	}
	switch s := s.(type) {
	case *syntax.Block:
		c.enter()
		c.list(s.Stmts)
		c.leave()
	case *syntax.ExprStmt:
		if x := c.expr(s.X); x != nil {
			c.emit(&syntax.ExprStmt{Span: s.Span, X: x})
		}
	case *syntax.IfStmt:
		c.branch(s)
	case *syntax.WhileStmt:
		c.loop(s.Do, s.Cond, nil, s.Body)
	case *syntax.ForStmt:
		c.enter()
		if s.Init != nil {
			c.stmt(s.Init)
		}
		c.loop(false, s.Cond, s.Post, s.Body)
		c.leave()
	case *syntax.SwitchStmt:
		c.selection(s)
	default:
		panic(fmt.Sprintf("lower: a launch in a %T", s))
	}
}

// declarations makes variables members of the frame, and assigns their first values.
func (c *resumer) declarations(d *syntax.VarDecls) {
	for _, v := range d.Vars {
		t := v.Type
		if q, ok := t.(*syntax.QualType); ok {
			t = q.Elem
		}
		init := v.Init
		if init != nil {
			init = c.expr(init)
		}
		decl := syntax.String(&syntax.VarDecls{Vars: []*syntax.VarDecl{{Type: t, Name: &syntax.Ident{Name: "%s"}}}})
		field := c.declare(v.Name.Name, strings.TrimRight(decl, ";\n"))
		if init != nil {
			c.emit(stmt(assign(c.field(v.Span, field), "=", init)))
		}
	}
}

// branch divides an if.
func (c *resumer) branch(s *syntax.IfStmt) {
	orElse, end := new(label), new(label)
	c.unless(c.expr(s.Cond), orElse)
	c.scoped(s.Then)
	if s.Else != nil {
		c.emit(c.jump(end)...)
	}
	c.mark(orElse)
	if s.Else != nil {
		c.scoped(s.Else)
		c.mark(end)
	}
}

// scoped divides a statement that is a scope of its own.
func (c *resumer) scoped(s syntax.Stmt) {
	c.enter()
	c.stmt(s)
	c.leave()
}

// loop divides a loop; cond and post may be nil.
func (c *resumer) loop(do bool, cond, post syntax.Expr, body syntax.Stmt) {
	top, next, end := new(label), new(label), new(label)
	test := func() {
		if cond != nil {
			c.unless(c.expr(cond), end)
		}
	}
	c.mark(top)
	if !do {
		test()
	}
	c.jumps = append(c.jumps, end, next)
	c.scoped(body)
	c.jumps = c.jumps[:len(c.jumps)-2]
	c.mark(next)
	if post != nil {
		if x := c.expr(post); x != nil {
			c.emit(stmt(x))
		}
	}
	if do {
		test()
	}
	c.emit(c.jump(top)...)
	c.mark(end)
}

// selection divides a switch: it selects the case to continue at.
func (c *resumer) selection(s *syntax.SwitchStmt) {
	end := new(label)
	var next *label // of continue, as around
	if n := len(c.jumps); n > 0 {
		next = c.jumps[n-1]
	}
	chosen := block(s.Span)
	found, marks := false, map[*syntax.CaseStmt]*label{}
	syntax.Inspect(s.Body, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.SwitchStmt:
			return false
		case *syntax.CaseStmt:
			marks[n] = new(label)
			found = found || n.Value == nil
			chosen.Stmts = append(chosen.Stmts, n)
			chosen.Stmts = append(chosen.Stmts, stmt(assign(ident(c.s, "irgl_at"), "=", c.to(marks[n]))), &syntax.BreakStmt{Span: c.s})
		}
		return true
	})
	if !found {
		chosen.Stmts = append(chosen.Stmts, &syntax.CaseStmt{Span: s.Span}, stmt(assign(ident(c.s, "irgl_at"), "=", c.to(end))), &syntax.BreakStmt{Span: c.s})
	}
	c.emit(&syntax.SwitchStmt{Span: s.Span, X: c.expr(s.X), Body: chosen}, &syntax.ContinueStmt{Span: c.s})
	c.jumps = append(c.jumps, end, next)
	c.enter()
	c.marked(s.Body.Stmts, marks)
	c.leave()
	c.jumps = c.jumps[:len(c.jumps)-2]
	c.mark(end)
}

// marked divides the statements of a switch, with the labels of its cases.
func (c *resumer) marked(list []syntax.Stmt, marks map[*syntax.CaseStmt]*label) {
	for _, s := range list {
		switch s := s.(type) {
		case *syntax.CaseStmt:
			c.mark(marks[s])
		case *syntax.Block:
			c.enter()
			c.marked(s.Stmts, marks)
			c.leave()
		default:
			c.stmt(s)
		}
	}
}

// plain returns a statement without launches, with members of the frame for variables, and with jumps
// for break and continue that leave it for a case.
//
//irgl:allnodes Loop except IterateStmt PipeStmt ForAllStmt
func (c *resumer) plain(s syntax.Stmt) []syntax.Stmt {
	out := block(c.s, tree.Clone(s))
	loops, switches := 0, 0
	depth := func(n syntax.Node, by int) {
		switch n.(type) {
		case *syntax.ForStmt, *syntax.WhileStmt:
			loops += by
		case *syntax.SwitchStmt:
			switches += by
		}
	}
	scopes := func(n syntax.Node) bool {
		switch n.(type) {
		case *syntax.Block, *syntax.ForStmt:
			return true
		}
		return false
	}
	tree.Rewriter{
		Enter: func(n syntax.Node) bool {
			depth(n, 1)
			if scopes(n) {
				c.enter()
			}
			if v, ok := n.(*syntax.VarDecl); ok {
				c.scopes[len(c.scopes)-1][v.Name.Name] = ""
			}
			return true
		},
		Leave: func(n syntax.Node) {
			depth(n, -1)
			if scopes(n) {
				c.leave()
			}
		},
		Expr: c.renamed,
		Stmt: func(s syntax.Stmt) []syntax.Stmt {
			switch s.(type) {
			case *syntax.BreakStmt:
				if loops == 0 && switches == 0 {
					return c.jump(c.jumps[len(c.jumps)-2])
				}
			case *syntax.ContinueStmt:
				if loops == 0 {
					return c.jump(c.jumps[len(c.jumps)-1])
				}
			}
			return []syntax.Stmt{s}
		},
	}.Rewrite(out)
	return out.Stmts
}

// renamed returns the member of the frame for the name of a variable, and other expressions as they are.
func (c *resumer) renamed(x syntax.Expr) syntax.Expr {
	if id, ok := x.(*syntax.Ident); ok {
		if f := c.variable(id); f != nil {
			return f
		}
	}
	return x
}

// expr returns an expression without launches, in front of which those of x have been done; nil if nothing is
// left. Package opt has refused launches in other operands.
func (c *resumer) expr(x syntax.Expr) syntax.Expr {
	if !c.fires(x) {
		e := stmt(tree.Clone(x)).(*syntax.ExprStmt)
		tree.Rewriter{Expr: c.renamed}.Rewrite(e)
		return e.X
	}
	switch x := x.(type) {
	case *syntax.ParenExpr:
		if y := c.expr(x.X); y != nil {
			return paren(y)
		}
		return nil
	case *syntax.CastExpr:
		y := *x
		if y.X = c.expr(x.X); y.X == nil {
			return nil
		}
		return &y
	case *syntax.UnaryExpr:
		return not(c.expr(x.X))
	case *syntax.BinaryExpr:
		return c.lazy(x)
	case *syntax.AssignExpr:
		r := c.expr(x.R)
		return assign(c.expr(x.L), x.Op, r)
	case *syntax.CallExpr:
		return c.launch(x, c.r.fired[x])
	}
	panic(fmt.Sprintf("lower: a launch in a %T", x))
}

// lazy divides x && y or x || y.
func (c *resumer) lazy(x *syntax.BinaryExpr) syntax.Expr {
	first := c.expr(x.X)
	if !c.fires(x.Y) {
		return binary(first, x.Op, c.expr(x.Y))
	}
	s, end := at(x), new(label)
	f := c.declare("irgl_test", "bool %s")
	c.emit(stmt(assign(c.field(s, f), "=", first)))
	if x.Op == "&&" {
		c.unless(c.field(s, f), end)
	} else {
		c.unless(not(c.field(s, f)), end)
	}
	c.emit(stmt(assign(c.field(s, f), "=", c.expr(x.Y))))
	c.mark(end)
	return c.field(s, f)
}

// launch adds a launch and the end of the control kernel, which begins again behind it. It returns the value
// of the reduction, or nil.
func (c *resumer) launch(x *syntax.CallExpr, v variant) syntax.Expr {
	s, l := at(x), c.l
	graph := func() syntax.Expr { return ident(s, l.graph) }
	var args []syntax.Expr
	for i, a := range x.Args {
		a = c.expr(a)
		if retries(v.kernel) { // the launches that follow have the same arguments
			f := c.declare(fmt.Sprintf("irgl_argument_%d", i), l.declarator(l.argumentType(v, i), "%s"))
			c.emit(stmt(assign(c.field(s, f), "=", a)))
			a = c.field(s, f)
		}
		args = append(args, a)
	}
	front := []syntax.Expr{graph(), c.field(s, "irgl_most")}
	if l.waiting(v) {
		front = append(front, c.field(s, l.residentName(v)))
	}
	landed := []syntax.Expr{addr(graph())}
	if v.kernel.UsesWL {
		list := c.variable(ident(s, l.contexts[0]))
		front, landed = append(front, addr(list)), append(landed, addr(tree.Clone(list)))
	}
	again, behind := new(label), new(label)
	c.mark(again)
	self := &syntax.LaunchExpr{Span: s, Fun: ident(s, c.r.kernelName()), Grid: number(s, 1), Block: number(s, 1), Shared: number(s, 0),
		Stream: cast(s, named(s, "cudaStream_t"), number(s, tailStream)), Args: []syntax.Expr{graph()}}
	c.emit(stmt(call(s, l.fireName(v), append(front, args...)...)),
		stmt(assign(c.field(s, abi.LaunchedVar), "+=", number(s, 2))),
		stmt(assign(c.field(s, "irgl_at"), "=", c.to(behind))), stmt(self), &syntax.ReturnStmt{Span: s})
	c.mark(behind)
	land := call(s, l.landName(v), landed...)
	end := block(s, &syntax.ReturnStmt{Span: s})
	if retries(v.kernel) {
		then := ident(s, "irgl_then")
		c.emit(block(s, variable(s, basic(s, "int"), then.Name, land), &syntax.IfStmt{Span: s, Cond: binary(then, "==", number(s, 2)), Then: block(s, c.jump(again)...)},
			&syntax.IfStmt{Span: s, Cond: binary(then, "==", number(s, 0)), Then: end}))
	} else {
		c.emit(&syntax.IfStmt{Span: s, Cond: binary(land, "==", number(s, 0)), Then: end})
	}
	reduced := index(ident(s, "irgl_reduced"), number(s, 0))
	switch v.aggr {
	case syntax.Any:
		return c.kept(s, binary(reduced, "!=", number(s, 0)))
	case syntax.All:
		return c.kept(s, binary(reduced, "==", number(s, 0)))
	}
	return nil
}

// kept stores the value of a reduction, which the next one overwrites.
func (c *resumer) kept(s syntax.Span, value syntax.Expr) syntax.Expr {
	f := c.declare("irgl_decided", "bool %s")
	c.emit(stmt(assign(c.field(s, f), "=", value)))
	return c.field(s, f)
}
