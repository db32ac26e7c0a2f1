package gogen

import (
	"fmt"
	"strings"

	"irgl/internal/check"
	"irgl/syntax"
)

func (f *fn) block(b *syntax.Block) {
	if b == nil {
		return
	}
	f.depth = append(f.depth, b)
	for _, s := range f.live(b) {
		f.stmt(s)
	}
	f.depth = f.depth[:len(f.depth)-1]
}

// body translates a statement that stands between braces in Go.
func (f *fn) body(s syntax.Stmt) {
	if b, ok := s.(*syntax.Block); ok {
		f.block(b)
		return
	}
	f.stmt(s)
}

//irgl:allnodes Stmt except CBlock AsmStmt
func (f *fn) stmt(s syntax.Stmt) {
	f.node = s
	switch s := s.(type) {
	case *syntax.Block:
		f.emit("{")
		f.block(s)
		f.emit("}")
	case *syntax.VarDecls:
		for _, d := range s.Vars {
			f.varDecl(d)
		}
	case *syntax.TypeDecl, *syntax.EmptyStmt, nil:
	case *syntax.ExprStmt:
		f.effect(s.X)
	case *syntax.IfStmt:
		f.ifStmt(s)
	case *syntax.ForStmt:
		f.forStmt(s)
	case *syntax.WhileStmt:
		f.whileStmt(s)
	case *syntax.SwitchStmt:
		f.switchStmt(s)
	case *syntax.CaseStmt:
		f.errorf(s, codeCase, "generated Go has case labels only directly in a switch's body")
	case *syntax.ReturnStmt:
		f.returnStmt(s)
	case *syntax.BreakStmt:
		f.emit("break")
	case *syntax.ContinueStmt:
		f.continueStmt()
	case *syntax.LabelStmt:
		f.emit("%s%s", labelMark, f.label(s.Name.Name))
	case *syntax.GotoStmt:
		f.gotoStmt(s)
	case *syntax.ForAllStmt:
		f.forAll(s)
	case *syntax.ReduceStmt:
		f.reduce(s)
	case *syntax.AtomicStmt:
		f.atomicStmt(s)
	case *syntax.ExclusiveStmt:
		f.soloExclusive(s)
	case *syntax.BarrierStmt:
		// Of one thread, or of one block; where more meet, segments end.
	case *syntax.RetryStmt:
		item := f.exprTo(s.Item, check.Node)
		if s.Merge {
			f.push(item)
		} else {
			f.emit("w.Retry(%s)", item.s)
		}
	case *syntax.IterateStmt:
		f.iterate(s)
	case *syntax.PipeStmt:
		f.pipe(s)
	default:
		f.errorf(s, codeUnknown, "generated Go has no such statement")
	}
}

// selected returns the branch for the CPU of an if whose condition is the device; it may be
// nil.
func (g *generator) selected(s *syntax.IfStmt) (branch syntax.Stmt, ok bool) {
	switch {
	case !g.info.SelectsCode(s):
		return nil, false
	case g.info.Consts[s.Cond].Int != 0:
		return s.Then, true
	}
	return s.Else, true
}

// live returns the statements of a block up to one that selects code which returns.
func (g *generator) live(b *syntax.Block) []syntax.Stmt {
	for i, s := range b.Stmts {
		x, ok := s.(*syntax.IfStmt)
		if !ok {
			continue
		}
		branch, ok := g.selected(x)
		if body, isBlock := branch.(*syntax.Block); ok && isBlock && len(body.Stmts) > 0 {
			branch = body.Stmts[len(body.Stmts)-1]
		}
		if _, returns := branch.(*syntax.ReturnStmt); ok && returns {
			return b.Stmts[:i+1]
		}
	}
	return b.Stmts
}

func (f *fn) ifStmt(s *syntax.IfStmt) {
	if branch, ok := f.selected(s); ok {
		f.emit("{")
		f.body(branch)
		f.emit("}")
		return
	}
	f.emit("if %s {", f.cond(s.Cond).s)
	f.body(s.Then)
	switch e := s.Else.(type) {
	case nil:
	case *syntax.IfStmt:
		mark := len(f.out)
		f.ifStmt(e)
		// "else if" only when the condition needs no statements before.
		if first := f.out[mark]; len(first) > 3 && first[:3] == "if " {
			f.out[mark] = "} else " + first
			return
		}
		f.out = append(f.out[:mark], append([]string{"} else {"}, f.out[mark:]...)...)
	default:
		f.emit("} else {")
		f.body(e)
	}
	f.emit("}")
}

// capture returns what run emits instead of emitting it.
func (f *fn) capture(run func()) []string {
	mark := len(f.out)
	run()
	lines := append([]string(nil), f.out[mark:]...)
	f.out = f.out[:mark]
	return lines
}

func (f *fn) forStmt(s *syntax.ForStmt) {
	if s.Init != nil {
		f.emit("{")
		f.stmt(s.Init)
	}
	defer f.holdRows(s)()
	f.loop(s.Cond, s.Post, s.Body, false)
	if s.Init != nil {
		f.emit("}")
	}
}

func (f *fn) whileStmt(s *syntax.WhileStmt) {
	defer f.holdRows(s)()
	f.loop(s.Cond, nil, s.Body, s.Do)
}

// loop translates a loop that tests cond before each turn, or with do after
// it, and evaluates post after it. What cannot stand in Go's for clause is put
// at the start of the body, skipped in the first turn, so that continue works.
func (f *fn) loop(cond, post syntax.Expr, body syntax.Stmt, do bool) {
	f.loops++
	defer func() { f.loops-- }()
	test := ""
	pre := f.capture(func() {
		if cond != nil {
			v := f.cond(cond)
			if test = v.s; v.c != nil && test == "true" {
				test = ""
			}
		}
	})
	var after []string
	if post != nil {
		after = f.capture(func() { f.effect(post) })
	}
	switch {
	case len(pre) == 0 && !do && len(after) == 0:
		f.emit("for %s {", test)
	case len(pre) == 0 && !do && len(after) == 1 && simple(after[0]):
		f.emit("for ; %s; %s {", test, after[0])
	case len(after) == 0 && (!do || test == "" && len(pre) == 0):
		f.emit("for {")
		f.test(pre, test)
	default:
		first := f.unique("first")
		f.emit("for %s := true; ; %s = false {", first, first)
		f.emit("if !%s {", first)
		f.out = append(f.out, after...)
		if do {
			f.test(pre, test)
		}
		f.emit("}")
		if !do {
			f.test(pre, test)
		}
	}
	if f.checks {
		f.emit("s.r.Check()")
	}
	f.body(body)
	f.emit("}")
}

// test emits the end of a loop whose condition does not hold.
func (f *fn) test(pre []string, test string) {
	f.out = append(f.out, pre...)
	if test != "" {
		f.emit("if !(%s) { break }", test)
	}
}

// simple reports whether a line is a statement that a for clause may hold.
func simple(line string) bool {
	last := line[len(line)-1]
	return line[0] != 0 && last != '{' && last != '}'
}

func (f *fn) returnStmt(s *syntax.ReturnStmt) {
	var v val
	if s.X != nil {
		v = f.expr(s.X)
		if f.result1 == check.Void {
			if v.s != "" {
				f.emit("%s", v.s)
			}
		} else {
			v = f.convert(v, f.result1, s)
		}
	}
	if f.inlined != nil {
		f.leaveInlined(s, v.s)
		return
	}
	f.leave(v.s)
}

// leave emits a return, after what a kernel must do at its end.
func (f *fn) leave(value string) {
	f.out = append(f.out, f.atEnd...)
	if f.result1 == check.Void {
		value = ""
	}
	f.emit("return %s", value)
}

// switchStmt translates a switch. Variables declared between the cases are
// declared before it, as they belong to all of them.
func (f *fn) switchStmt(s *syntax.SwitchStmt) {
	f.emit("{")
	for _, c := range s.Body.Stmts {
		decls, _ := c.(*syntax.VarDecls)
		if decls == nil {
			continue
		}
		for _, d := range decls.Vars {
			if o := f.info.Defs[d.Name]; o != nil {
				f.declare(o, "", d)
				f.hoisted[o] = true
			}
		}
	}
	walkDeclares(s.Body, func(e *syntax.AssignExpr) {
		if o := f.info.Declares[e]; o != nil {
			f.declare(o, "", e)
		}
	})
	x := f.expr(s.X)
	t := check.Promote(x.t)
	f.emit("switch %s {", f.typed(f.convert(x, t, s)).s)
	f.depth = append(f.depth, s.Body)
	open := false
	for i := 0; i < len(s.Body.Stmts); i++ {
		first, ok := s.Body.Stmts[i].(*syntax.CaseStmt)
		if !ok {
			if open {
				f.stmt(s.Body.Stmts[i])
			} else {
				f.refuseLabels(s.Body.Stmts[i])
			}
			continue
		}
		labels, isDefault := "", false
		for c := first; ; {
			if c.Value == nil {
				isDefault = true
			} else {
				text, _ := f.literal(convertConst(f.info.Consts[c.Value], f.info.Types[c.Value], t), t)
				labels += ", " + text
			}
			next, ok := caseAt(s.Body.Stmts, i+1)
			if !ok {
				break
			}
			c, i = next, i+1
		}
		if open && !ends(f.out) {
			f.emit("fallthrough")
		}
		open = true
		if isDefault { // the other labels of the default need no mention
			f.emit("default:")
		} else {
			f.emit("case %s:", labels[2:])
		}
	}
	f.depth = f.depth[:len(f.depth)-1]
	f.emit("}")
	f.emit("}")
}

// refuseLabels refuses labels in a statement before the first case. Control
// comes to it by labels only; without any it never runs, and is left out.
func (f *fn) refuseLabels(s syntax.Stmt) {
	for n := range syntax.Preorder(s) {
		switch n := n.(type) {
		case *syntax.CaseStmt:
			f.errorf(n, codeCase, "generated Go has case labels only directly in a switch's body")
		case *syntax.LabelStmt:
			f.errorf(n, codeGoto, "generated Go cannot jump before the first case of a switch")
		}
	}
}

func caseAt(list []syntax.Stmt, i int) (*syntax.CaseStmt, bool) {
	if i >= len(list) {
		return nil, false
	}
	c, ok := list[i].(*syntax.CaseStmt)
	return c, ok
}

// walkDeclares calls f for the first assignments directly in a block.
func walkDeclares(b *syntax.Block, f func(*syntax.AssignExpr)) {
	for _, s := range b.Stmts {
		if x, ok := s.(*syntax.ExprStmt); ok {
			for a, ok := x.X.(*syntax.AssignExpr); ok; a, ok = a.R.(*syntax.AssignExpr) {
				f(a)
			}
		}
	}
}

// ends reports whether control never comes past the last line.
func ends(out []string) bool {
	if len(out) == 0 {
		return false
	}
	switch word, _, _ := strings.Cut(out[len(out)-1], " "); word {
	case "break", "continue", "return", "goto":
		return true
	}
	return false
}

// gotoStmt translates a goto. Go, too, can leave blocks but not enter them.
func (f *fn) gotoStmt(s *syntax.GotoStmt) {
	home := f.labels[s.Name.Name]
	for _, b := range f.depth {
		if b == home {
			name := f.label(s.Name.Name)
			f.usedLabels[name] = true
			f.emit("goto %s", name)
			return
		}
	}
	f.errorf(s, codeGoto, "generated Go cannot jump into a block")
}

// label returns the Go label for a C label.
func (f *fn) label(name string) string { return "label_" + name }

// findLabels records the block of every label of a function.
func (f *fn) findLabels(body *syntax.Block) {
	for n := range syntax.Preorder(body) {
		b, ok := n.(*syntax.Block)
		if !ok {
			continue
		}
		for _, s := range b.Stmts {
			if l, ok := s.(*syntax.LabelStmt); ok {
				f.labels[l.Name.Name] = b
			}
		}
	}
	f.hoist = contains(body, func(n syntax.Node) bool { _, ok := n.(*syntax.GotoStmt); return ok })
}

// emit adds a line to the function.
func (f *fn) emit(format string, args ...any) {
	f.out = append(f.out, fmt.Sprintf(format, args...))
}
