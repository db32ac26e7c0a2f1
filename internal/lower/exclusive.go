package lower

import (
	"irgl/internal/check"
	"irgl/syntax"
)

// An Exclusive becomes three phases with a barrier between them (report, section
// 3.3; the scheme is "race, priority check, check" of Nasre, Burtscher and
// Pingali). The lock of an element holds the number of a thread:
//
//	claim   each thread writes its number into the locks of its list;
//	prefer  where it finds a greater one, it puts its own there;
//	own     it has won if all its locks still hold its number.
//
// After the second phase a lock holds the smallest number that claims it, so
// the smallest of all wins, and so does an iteration that shares nothing. Claims overwrite
// what earlier rounds left. The locks must stay as they are until all have
// looked: a barrier follows the third phase, unless there is one before
// the next claim anyway (see disturbed).

// lockDomain returns the domain of what Exclusive can name.
func lockDomain(t check.Type) syntax.Domain {
	switch t {
	case check.GraphType, check.Nodes:
		return syntax.NodeDomain
	case check.Points:
		return syntax.PointDomain
	}
	return syntax.ElementDomain
}

// exclusive lowers an Exclusive directly in the body of a group; wait says that
// all threads must have looked before any goes on.
func (l *lowerer) exclusive(s *syntax.ExclusiveStmt, wait bool) syntax.Stmt {
	span := syntax.Span{From: s.Pos(), To: s.Body.Pos()}
	locks := member(ident(span, l.graph), domains[lockDomain(l.info.Types[s.Object])].locks)
	out := block(s.Span)
	won := ident(span, l.fresh("won"))
	names := []*syntax.Ident{won}
	var claims, prefers, checks []syntax.Stmt
	for _, list := range s.Locks {
		lock := l.lockList(out, list, &names)
		claims = append(claims, lock.each(func(item syntax.Expr) syntax.Stmt { return stmt(call(span, "irgl_claim", locks, item)) }))
		prefers = append(prefers, lock.each(func(item syntax.Expr) syntax.Stmt { return stmt(call(span, "irgl_prefer", locks, item)) }))
		checks = append(checks, lock.each(func(item syntax.Expr) syntax.Stmt {
			lost := &syntax.UnaryExpr{Span: span, Op: "!", X: call(span, "irgl_owns", locks, item)}
			return &syntax.IfStmt{Span: span, Cond: lost, Then: block(span, stmt(assign(won, "=", ident(span, "false"))))}
		}))
		wait = wait || !l.isPrivate(list.X)
	}
	out.Stmts = append(out.Stmts, claims...)
	out.Stmts = append(out.Stmts, gridBarrier(span))
	out.Stmts = append(out.Stmts, prefers...)
	out.Stmts = append(out.Stmts, gridBarrier(span), variable(span, basic(span, "bool"), won.Name, ident(span, l.group.active)))
	out.Stmts = append(out.Stmts, checks...)
	if wait {
		out.Stmts = append(out.Stmts, gridBarrier(span))
	}
	then := &syntax.IfStmt{Span: s.Span, Cond: won, Then: l.guarded(func() *syntax.Block { return l.block(s.Body) })}
	if s.Else != nil && len(s.Else.Stmts) > 0 {
		then.Else = &syntax.IfStmt{Span: s.Else.Span, Cond: ident(span, l.group.active), Then: l.guarded(func() *syntax.Block { return l.block(s.Else) })}
	}
	out.Stmts = append(out.Stmts, then)
	for _, n := range names {
		delete(l.names, n.Name) // free again behind the statement
	}
	return out
}

// A lockList is a list of Exclusive, evaluated.
type lockList struct {
	span             syntax.Span
	array, step      syntax.Expr // step is nil for 1
	low, high, index *syntax.Ident
}

// lockList adds to b what evaluates the bounds of a list, once, and to names
// those it takes. The list of an iteration that has ended is empty.
func (l *lowerer) lockList(b *syntax.Block, s *syntax.SliceExpr, names *[]*syntax.Ident) lockList {
	span := s.Span
	name := func(want string) *syntax.Ident {
		n := ident(span, l.fresh(want))
		*names = append(*names, n)
		return n
	}
	out := lockList{span: span, index: name("at")}
	evaluate := func(want string, t syntax.TypeExpr, x, none syntax.Expr) *syntax.Ident {
		v := name(want)
		b.Stmts = append(b.Stmts, variable(span, t, v.Name, &syntax.CondExpr{Span: span, Cond: ident(span, l.group.active), Then: x, Else: none}))
		return v
	}
	long := func() syntax.TypeExpr { return basic(span, "long") }
	if id, ok := syntax.Unparen(s.X).(*syntax.Ident); ok && !l.info.Uses[id].Global {
		out.array = l.expr(id)
	} else {
		elem := l.typeName(span, l.info.Types[s])
		p, _ := l.info.Types[s.X].(*check.Pointer)
		pointer := &syntax.PointerType{Span: span, Elem: &syntax.QualType{Span: span, Const: true, Volatile: p != nil && p.Volatile, Elem: elem}}
		out.array = evaluate("list", pointer, l.expr(s.X), cast(span, pointer, number(span, 0)))
	}
	if s.Low != nil {
		out.low = evaluate("from", long(), l.expr(s.Low), number(span, 0))
	}
	out.high = evaluate("to", long(), l.expr(s.High), number(span, 0))
	switch c := l.info.Consts[s.Step]; {
	case s.Step == nil:
	case c != nil:
		out.step = number(span, c.Int)
	default:
		step := evaluate("step", long(), l.expr(s.Step), number(span, 1))
		b.Stmts = append(b.Stmts, stmt(call(at(s.Step), "assert", binary(step, ">", number(span, 0)))))
		out.step = step
	}
	return out
}

// each returns a loop over the items of the list.
func (s lockList) each(body func(item syntax.Expr) syntax.Stmt) syntax.Stmt {
	at := ident(s.span, s.index.Name) // each loop has a variable of its own
	low := syntax.Expr(number(s.span, 0))
	if s.low != nil {
		low = s.low
	}
	post := syntax.Expr(&syntax.PostfixExpr{Span: s.span, X: at, Op: "++"})
	if s.step != nil {
		post = assign(at, "+=", s.step)
	}
	return &syntax.ForStmt{Span: s.span, Init: variable(s.span, basic(s.span, "long"), at.Name, low),
		Cond: binary(at, "<", s.high), Post: post, Body: block(s.span, body(index(s.array, at)))}
}

// isPrivate reports whether x is an array of the thread's own, which no other
// can change between the phases.
func (l *lowerer) isPrivate(x syntax.Expr) bool {
	id, ok := syntax.Unparen(x).(*syntax.Ident)
	if !ok {
		return false
	}
	obj := l.info.Uses[id]
	_, array := obj.Type.(*check.Array)
	return array && !obj.Global
}

// disturbed reports whether a thread that has gone on from statement i of the
// group's body, an Exclusive, may come to the claims of an Exclusive while
// others still look at their locks: on one of its paths, to the end of the body
// and from there back to its beginning or out of the loop, no barrier of the
// grid comes first.
func (l *lowerer) disturbed(i int) bool {
	body := l.group.body
	if claims, ends := firstMeeting(body[i+1:]); !ends {
		return claims
	}
	if claims, _ := firstMeeting(body); claims {
		return true
	}
	for k, s := range l.group.after {
		switch s := s.(type) {
		case *syntax.BarrierStmt:
			if claims, ends := firstMeeting(l.group.after[k:]); !ends {
				return claims
			}
		case *syntax.ForAllStmt:
			if claims, _ := firstMeeting(s.Body.Stmts); claims {
				return true
			}
		}
	}
	return false
}

// firstMeeting looks for the first statement of a list at which all threads
// meet: whether it is an Exclusive, and whether there is none.
func firstMeeting(list []syntax.Stmt) (claims, ends bool) {
	for _, s := range list {
		switch s := s.(type) {
		case *syntax.ExclusiveStmt:
			return true, false
		case *syntax.BarrierStmt:
			if !s.Local && s.Cond == nil {
				return false, false
			}
		}
	}
	return false, true
}
