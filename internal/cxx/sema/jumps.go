package sema

import (
	"irgl/internal/cxx/ast"
	"irgl/internal/cxx/hir"
)

// This file refuses jumps that enter the scope of a variable past its initialisation
// ([stmt.dcl]/3), as clang's JumpScopeChecker does.

// A guard is a variable that is initialised or destroyed, and those that are in scope where
// it is declared. Control enters its scope at the declaration alone.
type guard struct {
	outer *guard
	v     *hir.Var
	depth int
}

// has reports whether the variable of g is in scope at a place whose guards are at.
func (g *guard) has(at *guard) bool {
	for at != nil && at.depth > g.depth {
		at = at.outer
	}
	return at == g
}

// jumps finds the guards of the labels and jumps of one body.
type jumps struct {
	env    *env
	labels map[string]*guard
	gotos  []*hir.Goto
	from   []*guard // by goto
}

// checkJumps reports the jumps of a body past initialisations.
func (e *env) checkJumps(block *hir.Block) {
	b := e.body
	if block == nil || b.labels == nil && !b.cases {
		return
	}
	j := &jumps{env: e, labels: map[string]*guard{}}
	j.stmt(block, nil, nil)
	for i, g := range j.gotos {
		if to, ok := j.labels[g.Name]; ok {
			j.check(g.Span, j.from[i], to, "cannot jump from this goto statement to its label")
		}
	}
}

// check reports a jump, if a guard of its target is none of its origin.
func (j *jumps) check(at ast.Span, from, to *guard, message string) {
	for ; to != nil && !to.has(from); to = to.outer {
		if to.v.Span == (ast.Span{}) {
			continue
		}
		d := j.env.errorf(at, codeBypass, "%s", message)
		what := "jump bypasses variable initialization"
		if to.v.Init == nil {
			what = "jump bypasses variable with a non-trivial destructor"
		}
		j.env.note(d, to.v.Span, what)
		return
	}
}

// stmt visits a statement in the scope of g and returns the guards of what follows it in
// its block. The innermost switch is in the scope of sw.
func (j *jumps) stmt(s hir.Stmt, g, sw *guard) *guard {
	switch s := s.(type) {
	case *hir.Block:
		inner := g
		for _, x := range s.Stmts {
			inner = j.stmt(x, inner, sw)
		}
	case *hir.VarStmt:
		for _, v := range s.Vars {
			g = j.declare(v, g)
		}
	case *hir.If:
		j.stmt(s.Then, g, sw)
		if s.Else != nil {
			j.stmt(s.Else, g, sw)
		}
	case *hir.Loop:
		inner := g
		if s.CondVar != nil {
			inner = j.declare(s.CondVar, g)
		}
		j.stmt(s.Body, inner, sw)
	case *hir.Switch:
		j.stmt(s.Body, g, g)
	case *hir.Case:
		message := "cannot jump from switch statement to this case label"
		j.check(s.Span, sw, g, message)
	case *hir.Label:
		j.labels[s.Name] = g
	case *hir.Goto:
		j.gotos, j.from = append(j.gotos, s), append(j.from, g)
	}
	return g
}

// declare returns the guards behind the declaration of a variable.
func (j *jumps) declare(v *hir.Var, g *guard) *guard {
	if v.Static || v.Space != hir.Local || v.Init == nil && (v.Destroy == nil || v.Destroy.Trivial) {
		return g
	}
	n := &guard{outer: g, v: v}
	if g != nil {
		n.depth = g.depth + 1
	}
	return n
}
