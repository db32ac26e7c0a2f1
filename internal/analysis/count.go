package analysis

import (
	"irgl/internal/check"
	"irgl/syntax"
)

// This file finds C loops in front of which the room for all that a site pushes in them can
// be reserved (IrGL paper, section 4.2.1): for (int k = 0; k < 4; k++) WL.push(n).

// CountedFor returns the C loops around a site, each in the one before, whose iterations can
// be counted in front of the first of them, or why not even those of the innermost can.
func (f *Func) CountedFor(x *Site) ([]*Trip, string) {
	switch {
	case x.Count != Once:
		return nil, "it does not happen exactly once in an iteration"
	case !x.Thread.OK:
		return nil, x.Thread.Reason
	}
	trips := x.Thread.Trips
	from, why := len(trips), "the innermost loop around it is no for"
	for from > 0 {
		if _, ok := trips[from-1].Loop.(*syntax.ForStmt); !ok {
			break
		}
		if no := f.uncountable(trips[from-1]); no != "" {
			why = no
			break
		}
		from--
	}
	if from == len(trips) {
		return nil, why
	}
	return trips[from:], ""
}

// uncountable returns why the number of iterations of a C loop is not the difference of its
// bounds divided by its step, or why nothing can be reserved in front of it.
func (f *Func) uncountable(t *Trip) string {
	s := t.Loop.(*syntax.ForStmt)
	if what := f.contained(s); what != "" {
		return what + " is in the loop at " + at(s)
	}
	from, to := t.Var.Type, f.Info.Types[t.Limit]
	number := func(t check.Type) bool { return check.IsInteger(t) && check.IsArithmetic(t) && t != check.Bool }
	if !number(from) || !number(to) {
		return "the bound of the loop at " + at(s) + " is no integer"
	}
	// Both are compared in one type. A negative number has no place among those without a sign.
	wide := from.Size() == 8 && check.IsUnsigned(from) || to.Size() == 8 && check.IsUnsigned(to)
	unsigned := func(t check.Type) bool { return check.IsUnsigned(t) && t.Size() >= 4 }
	c := f.Info.Consts[t.Limit]
	small := c != nil && c.Int >= 0 && c.Int < 1<<31
	if unsigned(to) && !small && !check.IsUnsigned(from) || unsigned(from) && !small && !check.IsUnsigned(to) || wide {
		return "the bounds of the loop at " + at(s) + " are compared as numbers without a sign"
	}
	// With a step of 1 the variable takes each value up to the bound; with others it may
	// pass it and wrap, unless its type has none that wraps.
	if t.Step != nil && f.Info.Consts[t.Step].Int != 1 && (check.IsUnsigned(from) || from.Size() < 4) {
		return "the variable of the loop at " + at(s) + " can wrap"
	}
	return ""
}

// contained returns what is in a C loop that other threads take part in, or "".
func (f *Func) contained(s *syntax.ForStmt) string {
	what, known := f.inFor[s]
	if known {
		return what
	}
	for n := range syntax.Preorder(s.Body) {
		switch n := n.(type) {
		case *syntax.ForAllStmt:
			if !n.Serial {
				what = "a ForAll"
			}
		case *syntax.BarrierStmt:
			what = "a barrier"
		}
	}
	if f.inFor == nil {
		f.inFor = map[*syntax.ForStmt]string{}
	}
	f.inFor[s] = what
	return what
}

// jump returns a goto in the iterations of an outermost ForAll, but for those in other
// parallel ForAlls, or nil.
func (f *Func) jump(outer *syntax.ForAllStmt) *syntax.GotoStmt {
	found, known := f.jumpIn[outer]
	if known {
		return found
	}
	for _, m := range f.Graph.Nodes {
		if g, ok := m.Stmt.(*syntax.GotoStmt); ok && m.inside(outer) && f.iteration(m) == outer {
			found = g
			break
		}
	}
	if f.jumpIn == nil {
		f.jumpIn = map[*syntax.ForAllStmt]*syntax.GotoStmt{}
	}
	f.jumpIn[outer] = found
	return found
}

// ConvergesBefore returns the outermost ForAll whose iterations come to a loop, such that a
// place in front of it can be made one at which all threads of a block converge: only ifs
// are around it in the ForAll. Otherwise it returns why not.
func (f *Func) ConvergesBefore(s *syntax.ForStmt) (*syntax.ForAllStmt, *Reason) {
	refuse := func(at syntax.Node, text string) (*syntax.ForAllStmt, *Reason) {
		return nil, &Reason{Pos: at.Pos(), Text: text}
	}
	head := f.Graph.Heads[s]
	for sc := head.Scope; sc != nil; sc = sc.Outer {
		switch around := sc.Stmt.(type) {
		case *syntax.IfStmt, *syntax.Block:
		case *syntax.ForAllStmt:
			if !f.isOutermost(around) {
				return refuse(around, "its loop is in another loop")
			}
			if g := f.jump(around); g != nil {
				return refuse(g, "goto "+g.Name.Name+" jumps about in the outer iteration, which has to be split")
			}
			return around, nil
		default:
			return refuse(around, "its loop is in a statement that not all threads of a block execute")
		}
	}
	return refuse(s, "its loop is in no ForAll")
}
