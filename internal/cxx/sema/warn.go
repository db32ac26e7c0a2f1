package sema

import (
	"maps"
	"slices"

	"irgl/internal/cpp"
	"irgl/internal/cxx/ast"
	"irgl/internal/cxx/hir"
	"irgl/internal/source"
)

// This file has the warnings that clang gives by default or with -Wall and -Wextra
// ([Options.Warnings]). A function whose analysis failed has none.

// Levels of warnings.
const (
	warnAll   = 1 // -Wall
	warnExtra = 2 // -Wextra
)

// warnOnce reports a warning about a place once, however many instances of a template have it.
func (c *checker) warnOnce(at ast.Span, code source.Code, format string, args ...any) *source.Diagnostic {
	if c.warned[at] || c.capturing > 0 || c.opts.Embedded[at.Pos().File] {
		return new(source.Diagnostic)
	}
	if c.warned == nil {
		c.warned = map[ast.Span]bool{}
	}
	c.warned[at] = true
	return c.warnf(at, code, format, args...)
}

// checkCondition warns of an assignment that is a condition.
func (e *env) checkCondition(x ast.Expr) {
	b, ok := x.(*ast.BinaryExpr)
	if !ok || b.Op != cpp.Equal || e.unevaluated {
		return
	}
	d := e.warnOnce(b.Span, codeAssignCondition, "using the result of an assignment as a condition without parentheses")
	e.note(d, b.Span, "place parentheses around the assignment to silence this warning, or use '==' to compare")
}

// checkEffect warns of a statement's expression whose value nobody uses and which does nothing else.
func (e *env) checkEffect(x hir.Expr) {
	value, note := x, ""
	for {
		if value.Type().IsVoid() || value.Type().IsVolatile() {
			return
		}
		switch v := value.(type) {
		case *hir.Convert:
			value = v.X
			continue
		case *hir.Comma:
			value = v.Y
			continue
		case *hir.FuncRef:
			note = "did you mean to call '" + v.Func.Name + "'?"
		case *hir.Binary:
			switch v.Op {
			case hir.LogAnd, hir.LogOr: // the right operand is a statement in disguise
				return
			case hir.Eq:
				note = "use '=' to turn this equality comparison into an assignment"
			}
		case *hir.VarRef, *hir.Field, *hir.Deref, *hir.AddrOf, *hir.Unary, *hir.ConstExpr:
		default:
			return
		}
		break
	}
	if d := e.warnOnce(x.At(), codeNoEffect, "expression result unused"); note != "" {
		e.note(d, x.At(), note)
	}
}

// checkUnsigned warns of a comparison of an unsigned value with 0 that has one result.
func (e *env) checkUnsigned(at ast.Span, op hir.BinaryOp, x hir.Expr) {
	b, ok := x.(*hir.Binary)
	if !ok || e.opts.Warnings < warnExtra || op != hir.Ge && op != hir.Lt || !b.X.Type().IsUnsigned() || e.unevaluated || e.inInstance() {
		return
	}
	k, ok := b.Y.(*hir.ConstExpr)
	if c, conv := b.Y.(*hir.Convert); conv {
		k, ok = c.X.(*hir.ConstExpr)
	}
	if _, known := b.X.(*hir.ConstExpr); ok && !known && k.Value.Int == 0 {
		what := map[bool]string{true: ">= 0 is always true", false: "< 0 is always false"}[op == hir.Ge]
		e.warnOnce(at, codeUnsignedCompare, "result of comparison of unsigned expression %s", what)
	}
}

// warnBody gives the warnings of a body that has been analysed.
func (e *env) warnBody(block *hir.Block) {
	b := e.body
	if block == nil || e.report.Errors() > 0 {
		return
	}
	if e.opts.Warnings >= warnAll && !b.chosen && !e.inInstance() { // what is not instantiated may use a variable
		for _, v := range b.locals {
			e.checkUnused(v)
		}
	}
	if b.labels == nil && slices.ContainsFunc(b.locals, func(v *variable) bool { return v.hir != nil && lacksValue(v.hir) }) {
		u := &uninitialized{env: e, vars: map[*hir.Var]bool{}}
		u.stmt(block)
	}
}

// checkUnused warns of a local variable without a use, whose making and end do nothing.
func (e *env) checkUnused(v *variable) {
	if v.used || v.name == "" || v.failed || v.hir == nil || v.hir.Destroy != nil {
		return
	}
	if v.attrs != nil && len(v.attrs.Others) > 0 { // [[maybe_unused]] and the like
		return
	}
	if v.typ.Element().IsClass() && v.hir.Init != nil {
		switch v.hir.Init.(type) {
		case *hir.Zero, *hir.Copy, *hir.Aggregate:
		default:
			return
		}
	}
	e.warnOnce(v.at, codeUnused, "unused variable '%s'", v.name)
}

// An uninitialized finds reads of variables that no path has given a value.
type uninitialized struct {
	*env
	vars map[*hir.Var]bool // without a value here
}

// lacksValue reports whether a variable has no value where it is declared.
func lacksValue(v *hir.Var) bool {
	return v.Init == nil && v.Type.IsScalar() && !v.Type.IsVolatile() && v.Space == hir.Local && !v.Static
}

// stmt visits a statement in the order of execution.
func (u *uninitialized) stmt(s hir.Stmt) {
	switch s := s.(type) {
	case *hir.Block:
		for _, x := range s.Stmts {
			u.stmt(x)
		}
	case *hir.VarStmt:
		for _, v := range s.Vars {
			if v.Init != nil {
				u.expr(v.Init)
			} else if lacksValue(v) {
				u.vars[v] = true
			}
		}
	case *hir.If:
		u.expr(s.Cond)
		u.branches(s)
	case *hir.Loop:
		u.first(s)
		u.forget(s)
		if s.CondVar != nil && s.CondVar.Init != nil {
			u.expr(s.CondVar.Init)
		}
		if s.Cond != nil && !s.Do {
			u.expr(s.Cond)
		}
		u.stmt(s.Body)
		if s.Cond != nil && s.Do {
			u.expr(s.Cond)
		}
		if s.Post != nil {
			u.expr(s.Post)
		}
	case *hir.Switch:
		u.expr(s.X)
		u.forget(s.Body)
		u.stmt(s.Body)
	case nil:
	default:
		u.expr(s)
	}
}

// first visits what the first iteration of a loop evaluates whatever the conditions in it are, and reports whether
// that is all of n. What comes behind a condition may run in later iterations alone.
func (u *uninitialized) first(n any) bool {
	switch s := n.(type) {
	case *hir.Block:
		for _, x := range s.Stmts {
			if !u.first(x) {
				return false
			}
		}
	case *hir.Loop:
		if s.CondVar != nil || s.Cond != nil && !s.Do && !u.first(s.Cond) {
			return false
		}
		u.first(s.Body)
		return false
	case *hir.VarStmt:
		for _, v := range s.Vars {
			if v.Init != nil && !u.first(v.Init) {
				return false
			}
		}
	case *hir.If, *hir.Switch, nil:
		return false
	default:
		straight := true
		hir.Walk(n, func(n any) {
			switch n := n.(type) {
			case *hir.Cond:
				straight = false
			case *hir.Binary:
				straight = straight && n.Op != hir.LogAnd && n.Op != hir.LogOr
			}
		})
		if straight {
			u.expr(n)
		}
		last, _ := n.(hir.Stmt)
		return straight && !leaves(last)
	}
	return true
}

// branches visits the branches of an if: a variable has no value behind it if it has none at
// the end of each branch that goes on.
func (u *uninitialized) branches(s *hir.If) {
	before := maps.Clone(u.vars)
	u.stmt(s.Then)
	then := u.vars
	u.vars = before
	if s.Else != nil {
		u.stmt(s.Else)
	}
	switch {
	case leaves(s.Then):
	case s.Else != nil && leaves(s.Else):
		u.vars = then
	default:
		maps.DeleteFunc(u.vars, func(v *hir.Var, _ bool) bool { return !then[v] })
	}
}

// leaves reports whether control does not go on behind a statement.
func leaves(s hir.Stmt) bool {
	if b, ok := s.(*hir.Block); ok && len(b.Stmts) > 0 {
		s = b.Stmts[len(b.Stmts)-1]
	}
	switch s.(type) {
	case *hir.Return, *hir.Break, *hir.Continue, *hir.Goto:
		return true
	}
	return false
}

// forget takes the variables that a statement may give values, which runs more or less than once.
func (u *uninitialized) forget(s hir.Stmt) {
	u.uses(s, func(r *hir.VarRef, reads, writes bool) {
		if writes {
			delete(u.vars, r.Var)
		}
	})
}

// expr visits an expression, or a statement that is nothing but expressions.
func (u *uninitialized) expr(n any) {
	if len(u.vars) == 0 {
		return
	}
	u.uses(n, func(r *hir.VarRef, reads, writes bool) {
		if !u.vars[r.Var] {
			return
		}
		if reads {
			d := u.warnOnce(r.Span, codeUninitRead, "variable '%s' is uninitialized when used here", r.Var.Name)
			u.note(d, r.Var.Span, "initialize the variable '"+r.Var.Name+"' to silence this warning")
		}
		if reads || writes {
			delete(u.vars, r.Var)
		}
	})
}

// uses calls f for each name of a variable, in the order of evaluation, with what is done to
// it. Of a name that is neither read nor assigned to, the address may be used: it may be written.
func (u *uninitialized) uses(n any, f func(r *hir.VarRef, reads, writes bool)) {
	var reads, both []hir.Expr
	hir.Walk(n, func(n any) {
		switch n := n.(type) {
		case *hir.Convert:
			if n.Kind == hir.Load {
				reads = append(reads, n.X)
			}
		case *hir.Assign:
			if n.Op != hir.NoOp {
				both = append(both, n.X)
			}
		case *hir.IncDec:
			both = append(both, n.X)
		case *hir.VarRef:
			read := slices.Contains(reads, hir.Expr(n))
			change := slices.Contains(both, hir.Expr(n))
			f(n, read || change, !read)
		}
	})
}
