package sema

import (
	"irgl/internal/cxx/ast"
	"irgl/internal/cxx/hir"
	"irgl/internal/cxx/types"
)

// inBlock analyses statements in a new scope and returns them as a block.
func (e *env) inBlock(at ast.Span, f func(*env)) *hir.Block {
	b := e.nodes.blocks.New()
	b.Span, b.Stmts = at, e.nodes.stmts.New(2) // a declaration and what it is for
	e.into(&b.Stmts, f)
	return b
}

// into analyses statements in a new scope; they are added to list.
func (e *env) into(list *[]hir.Stmt, f func(*env)) {
	sub := e.nodes.env(e)
	sub.scope = e.nodes.blockScope(e.scope, e.body)
	saved := e.body.stmts
	e.body.stmts = list
	f(sub)
	e.body.stmts = saved
	e.nodes.close(sub.scope)
	e.nodes.done(sub)
}

// block analyses the statements of a block into out. The scope is new.
func (e *env) block(b *ast.Block, out *hir.Block) {
	if out.Stmts == nil {
		out.Stmts = e.nodes.stmts.New(len(b.Stmts))
	}
	e.into(&out.Stmts, func(e *env) {
		for _, s := range b.Stmts {
			e.statement(s)
		}
	})
}

// single statement as the body of another.
func (e *env) sub(s ast.Stmt) hir.Stmt {
	if b, ok := s.(*ast.Block); ok {
		out := e.nodes.blocks.New()
		out.Span = b.Span
		e.block(b, out)
		return out
	}
	b := e.nodes.blocks.New()
	b.Span, b.Stmts = spanOf(s), e.nodes.stmts.New(1)
	e.into(&b.Stmts, func(e *env) { e.statement(s) })
	if len(b.Stmts) == 1 {
		if _, isVar := b.Stmts[0].(*hir.VarStmt); !isVar {
			return b.Stmts[0]
		}
	}
	return b
}

// statement analyses a statement and adds it to the body.
func (e *env) statement(s ast.Stmt) {
	if e.recursion++; e.recursion <= maxRecursion {
		e.stmt(s)
	} else {
		e.errorf(s, codeDepth, "statements are nested too deeply")
	}
	e.recursion--
}

// stmt is statement for one that is not nested too deeply.
//
//irgl:flatswitch
func (e *env) stmt(s ast.Stmt) {
	b := e.body
	switch s := s.(type) {
	case *ast.Block:
		out := &hir.Block{Span: s.Span}
		e.block(s, out)
		b.add(out)
	case *ast.DeclStmt:
		var auto types.Type
		for i, d := range s.Decls {
			e.lastAuto = types.Type{}
			e.localDecl(d)
			if i > 0 && auto.IsValid() && e.lastAuto.IsValid() && e.lastAuto != auto && usesAuto(d) {
				e.errorf(d, codeAuto, "'auto' deduced as '%s' in declaration of the first variable and deduced as '%s' here", auto, e.lastAuto)
			}
			if i == 0 && usesAuto(d) {
				auto = e.lastAuto
			}
		}
	case *ast.ExprStmt:
		x := e.discard(e.expr(s.X))
		if isBad(x) {
			e.unexplained(s)
			return
		}
		e.checkEffect(x)
		full := e.nodes.exprs.New()
		full.Span, full.X = s.Span, x
		b.add(full)
	case *ast.EmptyStmt:
	case *ast.IfStmt:
		e.ifStmt(s)
	case *ast.ForStmt:
		e.forStmt(s)
	case *ast.RangeForStmt:
		e.rangeFor(s)
	case *ast.WhileStmt:
		e.whileStmt(s)
	case *ast.DoStmt:
		l := &hir.Loop{Span: s.Span, Do: true, Unroll: e.unroll(s.Unroll)}
		b.loops++
		l.Body = e.sub(s.Body)
		b.loops--
		e.checkCondition(s.Cond)
		l.Cond = e.toBool(e.expr(s.Cond))
		b.add(l)
	case *ast.SwitchStmt:
		e.switchStmt(s)
	case *ast.CaseStmt:
		e.caseStmt(s)
	case *ast.ReturnStmt:
		e.returnStmt(s)
	case *ast.BreakStmt:
		if b.loops == 0 && len(b.switches) == 0 {
			e.errorf(s, codeJump, "'break' statement not in loop or switch statement")
			return
		}
		b.add(&hir.Break{Span: s.Span})
	case *ast.ContinueStmt:
		if b.loops == 0 {
			e.errorf(s, codeJump, "'continue' statement not in loop statement")
			return
		}
		b.add(&hir.Continue{Span: s.Span})
	case *ast.LabelStmt:
		l := b.label(s.Name.Name)
		if l.defined {
			e.errorf(s.Name, codeLabel, "redefinition of label '%s'", s.Name.Name)
		}
		l.defined = true
		b.add(&hir.Label{Span: s.Span, Name: s.Name.Name})
	case *ast.GotoStmt:
		l := b.label(s.Name.Name)
		l.used = s.Name.Span
		b.add(&hir.Goto{Span: s.Span, Name: s.Name.Name})
	case *ast.TryStmt:
		e.errorf(s, codeRefused, "cannot use 'try' in device code: there are no exceptions on the device")
	case *ast.AsmStmt:
		e.asmStmt(s)
	}
}

// usesAuto reports whether a variable is declared with auto.
func usesAuto(d ast.Decl) bool {
	v, ok := d.(*ast.VarDecl)
	if !ok {
		return false
	}
	t := v.Type
	for {
		switch x := t.(type) {
		case *ast.AutoType:
			return true
		case *ast.QualType:
			t = x.Elem
		case *ast.PointerType:
			t = x.Elem
		case *ast.RefType:
			t = x.Elem
		default:
			return false
		}
	}
}

func (b *body) label(name string) *label {
	if b.labels == nil {
		b.labels = map[string]*label{}
	}
	l := b.labels[name]
	if l == nil {
		l = &label{}
		b.labels[name] = l
	}
	return l
}

// localDecl analyses a declaration in a function.
func (e *env) localDecl(d ast.Decl) {
	switch d := d.(type) {
	case *ast.VarDecl:
		e.localVar(d)
	case *ast.ClassDecl:
		if k := e.declareClass(e.scope, d); k != nil && d.Defined {
			k.owner = e.body
			if e.checker.complete(k, d.Span) && d.Name == nil {
				e.anonymousObject(k, d.Span)
			}
		}
	case *ast.EnumDecl:
		if x := e.declareEnum(e.scope, d); x != nil {
			e.resolveEnum(x)
		}
	case *ast.AliasDecl:
		e.declareAlias(e.scope, d)
		if sym := e.scope.get(d.Name.Name); sym != nil {
			if a, ok := sym.what.(*alias); ok && a.state == untouched {
				a.state = active
				a.typ = e.typ(d.Type)
				a.state = done
			}
		}
	case *ast.UsingDecl:
		e.declareUsing(e.scope, d, types.Public, e.order)
	case *ast.UsingDirective:
		e.scope.uses = append(e.scope.uses, directive{decl: d})
	case *ast.NamespaceAlias:
		e.scope.declare(d.Name.Name, &nsAlias{decl: d, scope: e.scope})
	case *ast.StaticAssertDecl:
		e.staticAssert(d)
	case *ast.FuncDecl:
		f := e.newFunction(e.scope.namespaceOf().scope, d)
		f.order = 0
		e.addFunction(e.scope, f)
	case *ast.EmptyDecl:
	case *ast.OpaqueDecl:
		e.diags.Diags = append(e.diags.Diags, d.Diags...)
	default:
		e.errorf(d, codeContext, "this declaration is not allowed in a function")
	}
}

// condition analyses a condition; a variable in it is declared in the scope of e and
// returned.
func (e *env) condition(c ast.Condition) (hir.Expr, *hir.Var) {
	if c.Var == nil {
		e.checkCondition(c.X)
		return e.toBool(e.expr(c.X)), nil
	}
	n := len(*e.body.stmts)
	e.localVar(c.Var)
	v := e.declared(c.Var)
	if v == nil || v.hir == nil || v.failed {
		return e.bad(c.Var), nil
	}
	_ = n
	return e.toBool(e.ref(v.hir, c.Var.Span)), v.hir
}

func (e *env) declared(d *ast.VarDecl) *variable {
	if d.Name == nil {
		return nil
	}
	if sym := e.scope.get(d.Name.Last.Ident); sym != nil {
		v, _ := sym.what.(*variable)
		return v
	}
	return nil
}

// scoped analyses a statement that declares names of its own: in a block around it if it
// does.
func (e *env) scoped(at ast.Span, needed bool, f func(*env)) {
	if !needed {
		f(e)
		return
	}
	b := e.inBlock(at, func(e *env) {
		e.scope.control = true
		f(e)
	})
	e.body.add(b)
}

func (e *env) ifStmt(s *ast.IfStmt) {
	e.scoped(s.Span, s.Init != nil || s.Cond.Var != nil, func(e *env) {
		if s.Init != nil {
			e.statement(s.Init)
		}
		c, _ := e.condition(s.Cond)
		if s.Constexpr {
			e.ifConstexpr(s, c)
			return
		}
		x := e.nodes.ifs.New()
		x.Span, x.Cond = s.Span, c
		x.Then = e.sub(s.Then)
		if s.Else != nil {
			x.Else = e.sub(s.Else)
		}
		if isBad(c) {
			e.unexplained(s)
			return
		}
		e.body.add(x)
	})
}

// ifConstexpr analyses the chosen branch alone.
func (e *env) ifConstexpr(s *ast.IfStmt, c hir.Expr) {
	e.body.chosen = true
	if isBad(c) {
		return
	}
	k, d := e.evaluate(c, c.Type())
	if k == nil {
		err := e.errorf(c, codeConstexpr, "constexpr if condition is not a constant expression")
		if d != nil {
			err.Notes = append(err.Notes, noteOf(d))
		}
		return
	}
	kept, discarded := s.Then, s.Else
	if k.Int == 0 {
		kept, discarded = discarded, kept
	}
	if discarded != nil && !e.inTemplate() && e.body.closure == nil {
		e.checkDiscarded(discarded)
	}
	if kept != nil {
		e.body.add(e.sub(kept))
	}
}

// checkDiscarded analyses a branch that if constexpr leaves out of a function that is no instance
// ([stmt.if]/2). What only the host has may be used in it.
func (e *env) checkDiscarded(s ast.Stmt) {
	if e.body.deducing.Node != nil || hasAuto(e.body.fn.result()) {
		return // the result is not deduced from it
	}
	saved := *e.body
	d := e.try(func() { e.sub(s) })
	*e.body = saved
	if d == nil {
		return
	}
	switch d.Code {
	case codeHostCall, codeHostVar, codeOpaque, codeRefused, codeUndefined, codeMemory, codeDynamicInit:
		return
	}
	e.errorf(ast.Range(d.Pos, d.End), d.Code, "%s", d.Message)
}

// inTemplate reports whether the scope is in an instance of a template.
func (e *env) inTemplate() bool {
	for s := e.scope; s != nil; s = s.parent {
		if s.kind == templateScope {
			return true
		}
	}
	return false
}

// unroll returns the count of #pragma unroll: -1 for one without, 0 for no pragma.
func (e *env) unroll(u *ast.Unroll) int {
	if u == nil {
		return 0
	}
	if u.Count == nil {
		return -1
	}
	n, ok := e.intConstant(u.Count, "the count of #pragma unroll is not an integral constant expression")
	if !ok {
		return 0
	}
	return int(max(1, min(n, 1<<30)))
}

func (e *env) forStmt(s *ast.ForStmt) {
	_, isDecl := s.Init.(*ast.DeclStmt)
	e.scoped(s.Span, isDecl || s.Cond.Var != nil, func(e *env) {
		if s.Init != nil {
			e.statement(s.Init)
		}
		l := e.nodes.loops.New()
		l.Span, l.Unroll = s.Span, e.unroll(s.Unroll)
		e.loop(l, s.Cond, s.Post, s.Body)
	})
}

func (e *env) whileStmt(s *ast.WhileStmt) {
	l := &hir.Loop{Span: s.Span, Unroll: e.unroll(s.Unroll)}
	e.loop(l, s.Cond, nil, s.Body)
}

// loop analyses the parts of a loop; a variable of its condition is made anew each time.
func (e *env) loop(l *hir.Loop, c ast.Condition, post ast.Expr, body ast.Stmt) {
	saved := e.body.stmts
	inner := e
	if c.Var != nil {
		sub := *e
		inner = &sub
		inner.scope = newScope(blockScope, e.scope)
		inner.scope.body, inner.scope.control = e.body, true
		e.body.stmts = new([]hir.Stmt)
	}
	if c.Var != nil || c.X != nil {
		l.Cond, l.CondVar = inner.condition(c)
	}
	e.body.stmts = saved
	if post != nil {
		if x := inner.discard(inner.expr(post)); !isBad(x) {
			inner.checkEffect(x)
			l.Post = x
		}
	}
	e.body.loops++
	l.Body = inner.sub(body)
	e.body.loops--
	e.body.add(l)
}

func (e *env) switchStmt(s *ast.SwitchStmt) {
	e.scoped(s.Span, s.Init != nil || s.Cond.Var != nil, func(e *env) {
		if s.Init != nil {
			e.statement(s.Init)
		}
		var x hir.Expr
		if s.Cond.Var != nil {
			e.localVar(s.Cond.Var)
			v := e.declared(s.Cond.Var)
			if v == nil || v.hir == nil || v.failed {
				return
			}
			x = e.ref(v.hir, s.Cond.Var.Span)
		} else {
			x = e.single(e.expr(s.Cond.X))
		}
		x = e.switchValue(x)
		st := &switchState{cases: map[int64]ast.Span{}}
		if !isBad(x) {
			st.typ = x.Type().Unqualified()
		}
		e.body.switches = append(e.body.switches, st)
		body := e.sub(s.Body)
		e.body.switches = e.body.switches[:len(e.body.switches)-1]
		if !isBad(x) {
			e.body.add(&hir.Switch{Span: s.Span, X: x, Body: body})
		}
	})
}

// switchValue converts what is switched on to an integer or enumeration.
func (e *env) switchValue(x hir.Expr) hir.Expr {
	if isBad(x) {
		return x
	}
	if k := classOfType(x.Type()); k != nil && e.requireComplete(x.Type(), spanOf(x), "switch condition has incomplete type") {
		t, ok := e.contextual(x, k)
		if !ok {
			return e.bad(x)
		}
		if t.IsValid() {
			x = e.convertTo(x, t, "value")
		}
	}
	x = e.load(x)
	if isBad(x) {
		return x
	}
	if !x.Type().IsInteger() && !x.Type().IsEnum() {
		e.errorf(x, codeSwitch, "statement requires expression of integer type ('%s' invalid)", x.Type())
		return e.bad(x)
	}
	return e.promote(x)
}

// contextual returns the one type of integer or enumeration that the conversion functions
// of a class give ([conv]/5), if any. It reports an error and false if there are several.
func (e *env) contextual(x hir.Expr, k *class) (t types.Type, ok bool) {
	for _, f := range e.conversions(k) {
		if f.tmpl != nil || f.has(ast.Explicit) {
			continue
		}
		e.resolveResult(f)
		r := f.result().Unref().Unqualified()
		if !r.IsInteger() && !r.IsEnum() || r == t {
			continue
		}
		if t.IsValid() {
			d := e.errorf(x, codeSwitch, "multiple conversions from switch condition type '%s' to an integral or enumeration type", x.Type())
			e.note(d, f.at, "conversion to type '"+r.String()+"'")
			return t, false
		}
		t = r
	}
	return t, true
}

func (e *env) caseStmt(s *ast.CaseStmt) {
	if len(e.body.switches) == 0 {
		what := "case"
		if s.Value == nil {
			what = "default"
		}
		e.errorf(s, codeJump, "'%s' statement not in switch statement", what)
		return
	}
	e.body.cases = true
	st := e.body.switches[len(e.body.switches)-1]
	c := &hir.Case{Span: s.Span}
	if s.Value == nil {
		if st.deflt {
			e.errorf(s, codeSwitch, "multiple default labels in one switch")
		}
		st.deflt, c.Default = true, true
		e.body.add(c)
		return
	}
	if !st.typ.IsValid() {
		e.expr(s.Value)
		return
	}
	v := e.constantExpr(s.Value, st.typ, true)
	if v == nil {
		return
	}
	c.From = int64(v.Int)
	c.To = c.From
	if s.To != nil {
		w := e.constantExpr(s.To, st.typ, true)
		if w == nil {
			return
		}
		c.To = int64(w.Int)
	}
	if old, ok := st.cases[c.From]; ok {
		d := e.errorf(s.Value, codeSwitch, "duplicate case value '%s'", constString(v))
		e.note(d, old, "previous case defined here")
	}
	st.cases[c.From] = s.Span
	e.body.add(c)
}

func (e *env) returnStmt(s *ast.ReturnStmt) {
	b := e.body
	f := b.fn
	r := f.result()
	if b.endLabel != "" && s.X == nil {
		b.ended = true
		b.add(&hir.Goto{Span: s.Span, Name: b.endLabel})
		return
	}
	if b.deducing.Node == nil && hasAuto(r) {
		b.deducing = r
	}
	if b.deducing.Node != nil {
		e.returnDeduced(s, b.deducing)
		return
	}
	if s.X == nil {
		if !r.IsVoid() && f.kind != ast.Constructor {
			e.errorf(s, codeReturn, "non-void function '%s' should return a value", f.title())
			return
		}
		b.add(&hir.Return{Span: s.Span})
		return
	}
	if f.kind == ast.Constructor || f.special == destructor {
		e.errorf(s, codeReturn, "%s '%s' should not return a value", map[bool]string{true: "constructor", false: "destructor"}[f.kind == ast.Constructor], f.name)
		return
	}
	if r.IsVoid() {
		x := e.single(e.expr(s.X))
		if isBad(x) {
			return
		}
		if !x.Type().IsVoid() {
			e.errorf(s, codeReturn, "void function '%s' should not return a value", f.name)
			return
		}
		b.add(&hir.ExprStmt{Span: s.Span, X: x})
		b.add(&hir.Return{Span: s.Span})
		return
	}
	e.returnValue(s, e.returned(s.X, r))
}

func (e *env) returnValue(s *ast.ReturnStmt, x hir.Expr) {
	if isBad(x) {
		e.unexplained(s)
		return
	}
	r := e.nodes.returns.New()
	r.Span, r.X = s.Span, x
	e.body.add(r)
}

// returned converts the operand of a return: a local variable is moved from.
func (e *env) returned(x ast.Expr, r types.Type) hir.Expr {
	if l, ok := x.(*ast.InitList); ok {
		e.body.returns(nil)
		return e.initList(r, e.listOf(l), true, "return")
	}
	return e.returnedValue(x, e.expr(x), r)
}

// returnedValue converts the operand x of a return, whose value is v.
func (e *env) returnedValue(x ast.Expr, v hir.Expr, r types.Type) hir.Expr {
	if isBad(v) {
		return v
	}
	var named *hir.Var
	defer func() { e.body.returns(named) }()
	if n, ok := stripParens(x).(*ast.NameExpr); ok && n.Name.Plain() != "" && !r.IsRef() && r.IsClass() {
		if ref, ok := v.(*hir.VarRef); ok && !ref.Var.Static && ref.Var.Space == hir.Local && !ref.Var.Type.IsRef() && ref.Var.Decl != nil || ok && e.isParam(ref.Var) && !ref.Var.Type.IsRef() {
			if ref.Var.Type.Unqualified() == r.Unqualified() {
				named = ref.Var
			}
			moved := &hir.VarRef{Info: hir.Info{Span: ref.Span, T: ref.T, Cat: hir.XValue}, Var: ref.Var}
			if s := e.implicit(moved, r, true); s.ok() && !s.ambiguous {
				return e.convertTo(moved, r, "return")
			}
		}
	}
	if r.IsRef() {
		e.checkDangling(v)
	}
	return e.convertTo(v, r, "return")
}

func (e *env) isParam(v *hir.Var) bool {
	for _, p := range e.body.hir.Params {
		if p == v {
			return true
		}
	}
	return false
}

// checkDangling warns of a reference to a local variable that is returned.
func (e *env) checkDangling(x hir.Expr) {
	if v, ok := x.(*hir.VarRef); ok && !v.Var.Static && v.Var.Space == hir.Local && !v.Var.Type.IsRef() && v.Var.Symbol == "" && v.Var.Builtin == "" {
		e.warnf(x, codeDangling, "reference to stack memory associated with local variable '%s' returned", v.Var.Name)
	}
}

// returnDeduced deduces an auto result from a return.
func (e *env) returnDeduced(s *ast.ReturnStmt, r types.Type) {
	b := e.body
	var t types.Type
	var x hir.Expr
	switch {
	case s.X == nil:
		t = e.basic(types.Void)
	default:
		if _, ok := s.X.(*ast.InitList); ok {
			e.errorf(s, codeAuto, "cannot deduce return type from initializer list")
			return
		}
		x = e.expr(s.X)
		if isBad(x) {
			b.failed = true
			return
		}
		if e.decltypeAuto(b.fn) {
			sub := *e
			t = sub.decltype(&ast.DecltypeType{Span: s.Span, X: s.X})
		} else if x.Type().IsVoid() {
			t = x.Type()
		} else {
			t = e.deduceAuto(r, x, b.fn.name)
		}
		if !t.IsValid() {
			return
		}
	}
	if b.result.IsValid() && b.result != t {
		d := e.errorf(s, codeAuto, "'auto' in return type deduced as '%s' here but deduced as '%s' in earlier return statement", t, b.result)
		e.note(d, b.returned, "earlier return statement is here")
		return
	}
	first := !b.result.IsValid()
	b.result, b.returned = t, s.Span
	if first {
		b.setResult(e, t)
	}
	switch {
	case x == nil:
		b.add(&hir.Return{Span: s.Span})
	case t.IsVoid():
		b.add(&hir.ExprStmt{Span: s.Span, X: x})
		b.add(&hir.Return{Span: s.Span})
	default:
		e.returnValue(s, e.returnedValue(s.X, x, t)) // x, since a lambda has a type of its own each time
	}
}

func (e *env) decltypeAuto(f *function) bool {
	d := f.decl
	if d == nil || d.Type == nil {
		return false
	}
	a, ok := d.Type.Result.(*ast.AutoType)
	return ok && a.Decltype
}

// asmStmt analyses inline PTX.
func (e *env) asmStmt(s *ast.AsmStmt) {
	x := &hir.Asm{Span: s.Span, Volatile: s.Volatile, Template: string(literalBytes(s.Template))}
	for _, o := range s.Outputs {
		v := e.single(e.expr(o.X))
		if isBad(v) || !e.assignable(spanOf(o), v) {
			return
		}
		x.Outputs = append(x.Outputs, e.asmOperand(o, v))
	}
	for _, o := range s.Inputs {
		v := e.load(e.expr(o.X))
		if isBad(v) {
			return
		}
		x.Inputs = append(x.Inputs, e.asmOperand(o, v))
	}
	for _, c := range s.Clobbers {
		if string(literalBytes(c)) == "memory" {
			x.Memory = true
		}
	}
	e.body.add(x)
}

func (e *env) asmOperand(o *ast.AsmOperand, x hir.Expr) hir.AsmOperand {
	a := hir.AsmOperand{Constraint: string(literalBytes(o.Constraint)), X: x}
	if o.Name != nil {
		a.Name = o.Name.Name
	}
	return a
}

// anonymousObject declares the object that an anonymous union in a block is, whose members are
// names of the block ([class.union.anon]).
func (e *env) anonymousObject(k *class, at ast.Span) {
	t := e.types.Class(k.t)
	init := e.defaultInit(t, at, "anonymous union")
	if init != nil && isBad(init) {
		return
	}
	v := e.hidden("__anonymous", t, init, at)
	for i := range k.scope.list {
		f, ok := k.scope.list[i].what.(*field)
		if !ok {
			continue
		}
		name := k.scope.list[i].name
		member := func(e *env, at ast.Span) hir.Expr { return e.fieldOf(e.useVariable(v, at), f, at) }
		if old := e.scope.declare(name, &binding{at: f.at, owner: e.body, base: v, make: member}); old != nil {
			e.redefinition(f.at, name, old)
		}
	}
}
