package lower

import (
	"slices"

	"irgl/internal/abi"
	"irgl/internal/check"
	"irgl/internal/tree"
	"irgl/syntax"
)

// A ForAll whose iterations meet at barriers runs in groups of one iteration a
// thread (report, section 3.4). Every thread of the grid executes the loop
// equally often, whether it has an iteration or not:
//
//	ForAll (n In graph.nodes) {     for (long n_base = 0, n_end = graph.nnodes; n_base < n_end; n_base += irgl_threads()) {
//	  int k = n.a;                    bool n_active = n_base + irgl_thread() < n_end;
//	  if (k < 0) continue;            int n = (int)(n_base + irgl_thread());
//	  SyncRunningThreads();           int k;
//	  n.b = k;                        if (n_active) { ... k = graph.a[n]; if (k < 0) { n_active = false; goto next; } next: ; }
//	}                                 irgl_grid_barrier();
//	                                  if (n_active) { graph.b[n] = k; }
//	                                }
//
// The parts between the barriers are blocks of their own. What one of them
// declares and another uses is declared in front of all, without a value, so
// that a jump to the end of a part passes no initialisation.

// A group is the ForAll whose body is being lowered.
type group struct {
	*loop
	body  []syntax.Stmt
	after []syntax.Stmt // what the kernel has behind the ForAll
	// hoisted are the variables that live across barriers.
	hoisted map[*check.Object]bool
}

// groups lowers a ForAll whose iterations meet at barriers.
func (l *lowerer) groups(s *syntax.ForAllStmt) syntax.Stmt {
	obj, span, name := l.info.Defs[s.Var], at(s.Var), localName(s.Var.Name)
	r := l.rangeOf(s, obj)
	base, end := l.fresh(name+"_base"), l.fresh(name+"_end")
	lp := &loop{forAll: true, active: l.fresh(name + "_active")}
	if r.first == nil {
		r.first = number(span, 0)
	} else {
		r.first = cast(span, basic(span, "long"), r.first)
	}
	init := variable(span, basic(span, "long"), base, r.first)
	init.Vars = append(init.Vars, &syntax.VarDecl{Span: span, Type: basic(span, "long"), Name: ident(span, end), Init: r.limit})

	l.loops = append(l.loops, lp)
	l.group = &group{loop: lp, body: s.Body.Stmts, after: l.behind(s), hoisted: l.acrossBarriers(s.Body.Stmts)}
	mine := func() syntax.Expr { return binary(ident(span, base), "+", call(span, "irgl_thread")) }
	body := block(s.Body.Span)
	if l.usesFar(s.Body, obj) {
		far, in := farEnd(obj.Type)
		cached := l.fresh(name + "_" + far)
		l.dst[obj] = cached
		dst := l.edgeArray(span, in+abi.Dst, ident(span, name))
		body.Stmts = append(body.Stmts, variable(span, basic(span, "int"), cached, &syntax.CondExpr{Span: span, Cond: ident(span, lp.active), Then: dst, Else: number(span, 0)}))
	}
	body.Stmts = append(body.Stmts, l.hoistedDecls()...)
	body.Stmts = append(body.Stmts, l.parts()...)
	l.loops, l.group = l.loops[:len(l.loops)-1], nil

	var first []syntax.Stmt
	if tree.Mentions(body, lp.active) {
		first = append(first, variable(span, basic(span, "bool"), lp.active, binary(mine(), "<", ident(span, end))))
	}
	if tree.Mentions(body, name) {
		v := mine()
		if !isEdge(obj) {
			v = cast(span, basic(span, "int"), v)
		}
		first = append(first, variable(span, r.typ, name, v))
	}
	body.Stmts = append(first, body.Stmts...)
	step := assign(ident(span, base), "+=", call(span, "irgl_threads"))
	loop := &syntax.ForStmt{Span: s.Span, Init: init, Cond: binary(ident(span, base), "<", ident(span, end)), Post: step, Body: body}
	if r.before == nil {
		return loop
	}
	// The threads that meet must find the same range. Those of the grid read it
	// while none of them is before the loop or in it.
	if l.syncs {
		return block(s.Span, gridBarrier(span), r.before, gridBarrier(span), loop)
	}
	for _, v := range r.before.Vars {
		v.Init = call(span, "irgl_block_value", v.Init)
	}
	return block(s.Span, r.before, loop)
}

// behind returns the statements of the kernel that follow s.
func (l *lowerer) behind(s *syntax.ForAllStmt) []syntax.Stmt {
	for _, f := range l.info.Funcs {
		if i := slices.Index(f.Decl.Body.Stmts, syntax.Stmt(s)); i >= 0 {
			return f.Decl.Body.Stmts[i+1:]
		}
	}
	return nil
}

// meets reports whether s is a place at which the iterations of a group meet.
func meets(s syntax.Stmt) bool {
	switch s.(type) {
	case *syntax.BarrierStmt, *syntax.ExclusiveStmt:
		return true
	}
	return false
}

// acrossBarriers returns the variables that the body declares in one of its
// parts and uses in another, be it through a pointer. An Exclusive is a part of
// its own.
func (l *lowerer) acrossBarriers(body []syntax.Stmt) map[*check.Object]bool {
	return l.acrossParts(body, meets)
}

// acrossParts is acrossBarriers for parts between the statements for which
// meets holds.
func (l *lowerer) acrossParts(body []syntax.Stmt, meets func(syntax.Stmt) bool) map[*check.Object]bool {
	declared := map[*check.Object]int{}
	out := map[*check.Object]bool{}
	part := 0
	for _, s := range body {
		if meets(s) {
			part++
		}
		for _, obj := range l.declaredBy(s) {
			declared[obj] = part
		}
		syntax.Inspect(s, func(n syntax.Node) bool {
			if id, ok := n.(*syntax.Ident); ok {
				obj := l.info.Uses[id]
				if in, ok := declared[obj]; ok && in != part {
					out[obj] = true
				}
			}
			return true
		})
		if meets(s) {
			part++
		}
	}
	for obj := range out {
		if holdsPointer(obj.Type) {
			for d := range declared {
				if d.Addressed {
					out[d] = true
				}
			}
			break
		}
	}
	return out
}

// holdsPointer reports whether a value of type t can be or have a pointer.
func holdsPointer(t check.Type) bool {
	for {
		a, ok := t.(*check.Array)
		if !ok {
			return !check.IsArithmetic(t)
		}
		t = a.Elem
	}
}

// declaredBy returns the variables that s declares for the block it is in.
func (l *lowerer) declaredBy(s syntax.Stmt) []*check.Object {
	var out []*check.Object
	switch s := s.(type) {
	case *syntax.VarDecls:
		for _, v := range s.Vars {
			out = append(out, l.info.Defs[v.Name])
		}
	case *syntax.ExprStmt:
		a, ok := s.X.(*syntax.AssignExpr)
		for ok {
			if obj := l.info.Declares[a]; obj != nil {
				out = append(out, obj)
			}
			a, ok = a.R.(*syntax.AssignExpr)
		}
	}
	return out
}

// isHoisted reports whether the variable is declared in front of the body that
// it belongs to.
func (l *lowerer) isHoisted(obj *check.Object) bool { return l.group != nil && l.group.hoisted[obj] }

// hoistedDecls returns the declarations in front of a group's parts: the types that
// the body declares, its static variables, and the variables that live across
// barriers.
func (l *lowerer) hoistedDecls() []syntax.Stmt {
	var out []syntax.Stmt
	for _, s := range l.group.body {
		switch s := s.(type) {
		case *syntax.TypeDecl:
			if t := l.typeDecl(s); t != nil {
				out = append(out, t)
			}
			continue
		case *syntax.VarDecls:
			if s.Attrs != 0 {
				out = append(out, l.varDecls(s))
				continue
			}
			for _, v := range s.Vars {
				if obj := l.info.Defs[v.Name]; l.isHoisted(obj) {
					d := variable(v.Span, l.assignable(v.Type, obj), nameOf(obj), nil)
					d.Align = l.expr(s.Align)
					out = append(out, d)
				}
			}
			continue
		}
		for _, obj := range l.declaredBy(s) {
			if l.isHoisted(obj) {
				out = append(out, variable(at(s), l.typeName(at(s), obj.Type), nameOf(obj), nil))
			}
		}
	}
	return out
}

// assignable returns the type of a variable without const, as its value comes
// later.
func (l *lowerer) assignable(t syntax.TypeExpr, obj *check.Object) syntax.TypeExpr {
	elem := obj.Type
	for {
		a, ok := elem.(*check.Array)
		if !ok {
			break
		}
		elem = a.Elem
	}
	if _, ok := elem.(*check.Struct); ok { // perhaps one without a tag
		return withoutConst(l.typeExpr(t))
	}
	out := l.typeName(at(t), obj.Type)
	if obj.Volatile {
		out = &syntax.QualType{Span: at(t), Volatile: true, Elem: out}
	}
	return out
}

// withoutConst returns t without the const of what has the type.
func withoutConst(t syntax.TypeExpr) syntax.TypeExpr {
	switch t := t.(type) {
	case *syntax.QualType:
		if t.Volatile {
			return &syntax.QualType{Span: t.Span, Volatile: true, Elem: t.Elem}
		}
		return t.Elem
	case *syntax.ArrayType:
		c := *t
		c.Elem = withoutConst(t.Elem)
		return &c
	}
	return t
}

// parts lowers the body of a group, part by part.
func (l *lowerer) parts() []syntax.Stmt {
	var out []syntax.Stmt
	from, body := 0, l.group.body
	for i, s := range body {
		if !meets(s) {
			continue
		}
		out = append(out, l.part(body[from:i])...)
		from = i + 1
		switch s := s.(type) {
		case *syntax.BarrierStmt:
			out = append(out, l.barrier(s))
		case *syntax.ExclusiveStmt:
			out = append(out, l.exclusive(s, l.disturbed(i)))
		}
	}
	return append(out, l.part(body[from:])...)
}

// part lowers statements between two barriers, for the iterations that have not
// ended.
func (l *lowerer) part(list []syntax.Stmt) []syntax.Stmt {
	b := l.guarded(func() *syntax.Block { return l.partBlock(list) })
	if len(b.Stmts) == 0 {
		return nil
	}
	return []syntax.Stmt{&syntax.IfStmt{Span: b.Span, Cond: ident(b.Span, l.group.active), Then: b}}
}

// guarded returns a block that lower makes, with an end to which what ends the
// iteration jumps.
func (l *lowerer) guarded(lower func() *syntax.Block) *syntax.Block {
	lp := l.group.loop
	lp.label, lp.used = "", false
	out := lower()
	if lp.used {
		return block(out.Span, out, &syntax.LabelStmt{Span: out.Span, Name: ident(out.Span, lp.label)}, &syntax.EmptyStmt{Span: out.Span})
	}
	return out
}

// partBlock lowers statements of the group's own body to a block.
func (l *lowerer) partBlock(list []syntax.Stmt) *syntax.Block {
	out := block(l.span)
	if len(list) > 0 {
		out.Span = syntax.Span{From: list[0].Pos(), To: list[len(list)-1].End()}
	}
	for _, s := range list {
		switch s := s.(type) {
		case *syntax.TypeDecl: // declared in front
		case *syntax.VarDecls:
			out.Stmts = append(out.Stmts, l.partDecls(s)...)
		default:
			out.Stmts = append(out.Stmts, l.declares(s)...)
			if s := l.stmt(s); s != nil {
				out.Stmts = append(out.Stmts, s)
			}
		}
	}
	return out
}

// partDecls lowers declarations in a part: those of variables that are declared
// in front become assignments.
func (l *lowerer) partDecls(d *syntax.VarDecls) []syntax.Stmt {
	if d.Attrs != 0 {
		return nil // declared in front
	}
	var out []syntax.Stmt
	for _, v := range d.Vars {
		obj := l.info.Defs[v.Name]
		switch {
		case !l.isHoisted(obj):
			one := *d
			one.Vars = []*syntax.VarDecl{v}
			out = append(out, l.varDecls(&one))
		case v.Init != nil:
			out = append(out, l.assignLater(v, obj))
		}
	}
	return out
}

// assignLater returns the statement that gives a variable declared before the
// value of its initialiser.
func (l *lowerer) assignLater(v *syntax.VarDecl, obj *check.Object) syntax.Stmt {
	s, target := v.Span, func() syntax.Expr { return ident(v.Span, nameOf(obj)) }
	_, array := obj.Type.(*check.Array)
	if _, list := v.Init.(*syntax.InitList); !list && !array {
		return stmt(assign(target(), "=", l.expr(v.Init)))
	}
	t := l.assignable(v.Type, obj)
	name := l.fresh(nameOf(obj) + "_init")
	decl := variable(s, t, name, l.expr(v.Init))
	if !array {
		return block(s, decl, stmt(assign(target(), "=", ident(s, name))))
	}
	size := &syntax.SizeofExpr{Span: s, X: ident(s, name)}
	return block(s, decl, stmt(call(s, "memcpy", target(), ident(s, name), size)))
}

// barrier lowers SyncRunningThreads and LocalBarrier.
func (l *lowerer) barrier(s *syntax.BarrierStmt) syntax.Stmt {
	out := gridBarrier(s.Span)
	if s.Local {
		out = stmt(call(s.Span, "__syncthreads"))
	}
	if s.Cond == nil {
		return out
	}
	return &syntax.IfStmt{Span: s.Span, Cond: l.expr(s.Cond), Then: block(s.Span, out)}
}

func gridBarrier(s syntax.Span) syntax.Stmt { return stmt(call(s, "irgl_grid_barrier")) }
