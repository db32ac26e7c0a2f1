package check

import (
	"fmt"
	"maps"
	"slices"

	"irgl/internal/source"
	"irgl/syntax"
)

// A barrier may be in an if whose condition is uniform: it
// depends on parameters of the kernel and on constants alone. This file splits such ifs
// before anything else is checked, so that barriers are directly in the body
// of the outermost ForAll, or of the kernel, and all that follows finds them there:
//
//	if (k > 2) {                 if (k > 2) { n.a = 1; }
//	  n.a = 1;                   SyncRunningThreads();     (of threads for which k > 2)
//	  SyncRunningThreads();      if (k > 2) { n.b = graph.nodes(0).a; }
//	  n.b = graph.nodes(0).a;
//	}
//
// An Exclusive is executed by all; where the condition does not hold it claims nothing and
// executes nothing:
//
//	if (k > 2) {                              Exclusive (graph, k > 2 ? size : -2147483647, list) {
//	  Exclusive (graph, size, list) { ... }     if (k > 2) { ... }
//	}                                         }
//
// Names are resolved before, by a check of the program as it is, whose messages are dropped:
// a parameter or constant is what the condition's name refers to.

// A barrierLifter takes barriers out of the ifs of one kernel.
type barrierLifter struct {
	file    *syntax.File
	info    *Info                  // of the program as it is
	why     map[syntax.Stmt]string // of a barrier that stays in an if: why
	changed map[*Object]bool       // parameters that the kernel assigns or takes the address of
	moved   map[syntax.Node][]*syntax.Attribute
}

// lifted returns the file with its barriers taken out of ifs, or the file itself, and
// notes of the others why they stay.
func (c *checker) lifted(f *syntax.File) *syntax.File {
	c.inIf = map[syntax.Stmt]string{}
	out := f
	var info *Info
	for i, d := range f.Decls {
		d, ok := d.(*syntax.FuncDecl)
		if !ok || d == nil || d.Kind != syntax.KernelFunc || d.Body == nil || !slices.ContainsFunc(d.Body.Stmts, anyBarrierInIf) {
			continue
		}
		if out == f {
			clone := *f
			clone.Decls = slices.Clone(f.Decls)
			out = &clone
			o := c.o
			o.asWritten = true
			info = CheckWith(f, new(source.List), o)
		}
		l := newBarrierLifter(info, d, c.inIf)
		clone := *d
		clone.Body = &syntax.Block{Span: d.Body.Span, Stmts: l.body(d.Body.Stmts, true)}
		out.Decls[i] = &clone
		out.Attributes = l.attributes(out.Attributes, d, &clone)
	}
	return out
}

// anyBarrierInIf reports whether a statement of a kernel's body is an if with a barrier in
// it, or a ForAll with such an if directly in it.
func anyBarrierInIf(s syntax.Stmt) bool {
	switch s := s.(type) {
	case *syntax.IfStmt:
		return s != nil && hasBarrier(s)
	case *syntax.ForAllStmt:
		return s != nil && !s.Serial && s.Body != nil && slices.ContainsFunc(s.Body.Stmts, func(s syntax.Stmt) bool {
			i, ok := s.(*syntax.IfStmt)
			return ok && i != nil && hasBarrier(i)
		})
	}
	return false
}

// hasBarrier reports whether there is a barrier or an Exclusive in s.
func hasBarrier(s syntax.Stmt) bool {
	if s == nil || isNil(s) {
		return false
	}
	if isBarrier(s) {
		return true
	}
	found := false
	children(s, func(s syntax.Stmt) { found = found || hasBarrier(s) })
	return found
}

func newBarrierLifter(info *Info, d *syntax.FuncDecl, why map[syntax.Stmt]string) *barrierLifter {
	l := &barrierLifter{file: info.File, info: info, why: why, changed: map[*Object]bool{}, moved: map[syntax.Node][]*syntax.Attribute{}}
	note := func(e syntax.Expr) {
		if id, ok := syntax.Unparen(e).(*syntax.Ident); ok && id != nil && info.Uses[id] != nil {
			l.changed[info.Uses[id]] = true
		}
	}
	syntax.Inspect(d.Body, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.AssignExpr:
			note(n.L)
		case *syntax.PostfixExpr:
			note(n.X)
		case *syntax.UnaryExpr:
			if n.Op == "++" || n.Op == "--" || n.Op == "&" {
				note(n.X)
			}
		case *syntax.CBlock:
			for _, id := range n.Writes {
				note(id)
			}
		}
		return true
	})
	return l
}

// body returns the statements of a kernel's body, or of an outermost ForAll's, with the
// barriers taken out of its ifs.
func (l *barrierLifter) body(list []syntax.Stmt, forAlls bool) []syntax.Stmt {
	var out []syntax.Stmt
	for _, s := range list {
		switch x := s.(type) {
		case *syntax.ForAllStmt:
			if forAlls && anyBarrierInIf(x) {
				clone := *x
				clone.Body = &syntax.Block{Span: x.Body.Span, Stmts: l.body(x.Body.Stmts, false)}
				l.moved[&clone] = l.file.Attributes[x]
				s = &clone
			}
		case *syntax.IfStmt:
			if x != nil && hasBarrier(x) {
				if parts, why := l.lift(x, nil); why == "" {
					if len(parts) > 0 {
						l.moved[parts[0]] = l.file.Attributes[x]
					}
					out = append(out, parts...)
					continue
				} else {
					l.stays(x, why)
				}
			}
		}
		out = append(out, s)
	}
	return out
}

// stays notes why what is in s stays there.
func (l *barrierLifter) stays(s syntax.Stmt, why string) {
	if isBarrier(s) {
		l.why[s] = why
	}
	children(s, func(s syntax.Stmt) {
		if s != nil && !isNil(s) {
			l.stays(s, why)
		}
	})
}

// attributes returns the attributes of the program with those of nodes that have a copy.
func (l *barrierLifter) attributes(all map[syntax.Node][]*syntax.Attribute, d, clone *syntax.FuncDecl) map[syntax.Node][]*syntax.Attribute {
	l.moved[clone] = l.file.Attributes[d]
	var out map[syntax.Node][]*syntax.Attribute
	for n, list := range l.moved {
		if len(list) == 0 {
			continue
		}
		if out == nil {
			out = map[syntax.Node][]*syntax.Attribute{}
			for n, list := range all {
				out[n] = list
			}
		}
		out[n] = list
	}
	if out == nil {
		return all
	}
	return out
}

// lift splits an if, which is executed where guard holds; nil stands for true.
func (l *barrierLifter) lift(s *syntax.IfStmt, guard syntax.Expr) (out []syntax.Stmt, why string) {
	if why := l.depends(s.Cond); why != "" {
		p := s.Cond.Pos()
		return nil, fmt.Sprintf("the condition at %d:%d %s", p.Line(), p.Column(), why)
	}
	paren := func(e syntax.Expr) syntax.Expr { return &syntax.ParenExpr{Span: spanOf(e), X: e} }
	and := func(e syntax.Expr) syntax.Expr {
		if guard == nil {
			return e
		}
		return &syntax.BinaryExpr{Span: spanOf(e), X: paren(copied(guard)), Op: "&&", Y: paren(e)}
	}
	out, why = l.arm(s.Then, and(copied(s.Cond)))
	if why != "" || s.Else == nil || isNil(s.Else) {
		return out, why
	}
	other, why := l.arm(s.Else, and(&syntax.UnaryExpr{Span: spanOf(s.Cond), Op: "!", X: paren(copied(s.Cond))}))
	return append(out, other...), why
}

func spanOf(n syntax.Node) syntax.Span { return syntax.Span{From: n.Pos(), To: n.End()} }

// arm splits one arm of an if, which is executed where guard holds.
func (l *barrierLifter) arm(s syntax.Stmt, guard syntax.Expr) (out []syntax.Stmt, why string) {
	list := []syntax.Stmt{s}
	if b, ok := s.(*syntax.Block); ok {
		list = b.Stmts
	}
	var part []syntax.Stmt
	declared, before := map[*Object]bool{}, map[*Object]bool{} // in front of the last barrier; in all
	flush := func() {
		if len(part) > 0 {
			span := syntax.Span{From: part[0].Pos(), To: part[len(part)-1].End()}
			out = append(out, &syntax.IfStmt{Span: span, Cond: copied(guard), Then: &syntax.Block{Span: span, Stmts: part}})
		}
		part = nil
	}
	for _, s := range list {
		if s == nil || isNil(s) {
			continue
		}
		barrier := hasBarrier(s)
		if barrier {
			maps.Copy(declared, before)
		}
		if why := l.crossing(s, declared); why != "" {
			return nil, why
		}
		if !barrier {
			l.declares(s, before)
			part = append(part, s)
			continue
		}
		flush()
		switch s := s.(type) {
		case *syntax.BarrierStmt:
			out = append(out, &syntax.BarrierStmt{Span: s.Span, Local: s.Local, Cond: copied(guard)})
		case *syntax.ExclusiveStmt:
			out = append(out, guarded(s, guard))
		case *syntax.IfStmt:
			parts, why := l.lift(s, guard)
			if why != "" {
				return nil, why
			}
			out = append(out, parts...)
		case *syntax.ForAllStmt:
			return nil, fmt.Sprintf("it is in a ForAll, at %d:%d, that is in an if: write the if in the ForAll", s.Pos().Line(), s.Pos().Column())
		default:
			return nil, fmt.Sprintf("in the if it is inside of another statement, at %d:%d", s.Pos().Line(), s.Pos().Column())
		}
	}
	flush()
	return out, ""
}

// crossing returns why s cannot follow a barrier, before which its block has declared some
// objects.
func (l *barrierLifter) crossing(s syntax.Stmt, declared map[*Object]bool) (why string) {
	if len(declared) == 0 {
		return ""
	}
	syntax.Inspect(s, func(n syntax.Node) bool {
		if id, ok := n.(*syntax.Ident); ok && id != nil && declared[l.info.Uses[id]] && why == "" {
			why = fmt.Sprintf("the block of the if declares %s, which is used behind it: declare that before the if", id.Name)
		}
		return true
	})
	return why
}

// declares adds what s declares, for its block or for one in it.
func (l *barrierLifter) declares(s syntax.Stmt, to map[*Object]bool) {
	syntax.Inspect(s, func(n syntax.Node) bool {
		if id, ok := n.(*syntax.Ident); ok && id != nil && l.info.Defs[id] != nil {
			to[l.info.Defs[id]] = true
		}
		return true
	})
}

// noClaims is, as a negative number, the end of a slice that is empty wherever it begins.
const noClaims = "2147483647"

// guarded returns an Exclusive that claims and executes nothing unless guard holds.
func guarded(s *syntax.ExclusiveStmt, guard syntax.Expr) *syntax.ExclusiveStmt {
	out := *s
	out.Locks = nil
	for _, k := range s.Locks {
		if k == nil {
			continue
		}
		if k.High == nil {
			out.Locks = append(out.Locks, k)
			continue
		}
		list, span := *k, spanOf(k.High)
		none := &syntax.UnaryExpr{Span: span, Op: "-", X: &syntax.BasicLit{Span: span, Kind: syntax.IntLit, Text: noClaims}}
		list.High = &syntax.CondExpr{Span: span, Cond: &syntax.ParenExpr{Span: span, X: copied(guard)}, Then: k.High, Else: none}
		out.Locks = append(out.Locks, &list)
	}
	inIf := func(b *syntax.Block) *syntax.Block {
		if b == nil {
			return nil
		}
		return &syntax.Block{Span: b.Span, Stmts: []syntax.Stmt{&syntax.IfStmt{Span: b.Span, Cond: copied(guard), Then: b}}}
	}
	out.Body, out.Else = inIf(s.Body), inIf(s.Else)
	return &out
}

// depends returns why a condition may differ between threads, or "".
func (l *barrierLifter) depends(e syntax.Expr) string {
	switch e := e.(type) {
	case nil:
		return "is missing"
	case *syntax.BasicLit:
		return ""
	case *syntax.Ident:
		o := l.info.Uses[e]
		switch {
		case o == nil:
		case o.Kind == ParamObj && l.changed[o]:
			return fmt.Sprintf("depends on %s, which the kernel changes", e.Name)
		case o.Kind == ParamObj, o.Kind == ConstObj, o.Kind == BuiltinObj && o.Const != nil:
			return ""
		}
		return fmt.Sprintf("depends on %s, which is no parameter of the kernel and no constant", nameOf(e))
	case *syntax.ParenExpr:
		return l.depends(e.X)
	case *syntax.UnaryExpr:
		if slices.Contains([]syntax.Op{"!", "-", "+", "~"}, e.Op) {
			return l.depends(e.X)
		}
	case *syntax.BinaryExpr:
		if why := l.depends(e.X); why != "" {
			return why
		}
		return l.depends(e.Y)
	case *syntax.CondExpr:
		for _, e := range []syntax.Expr{e.Cond, e.Then, e.Else} {
			if why := l.depends(e); why != "" {
				return why
			}
		}
		return ""
	}
	return fmt.Sprintf("depends on %s, which is no parameter of the kernel and no constant", syntax.String(e))
}

// copied returns a copy of a condition for which depends has no objections.
func copied(e syntax.Expr) syntax.Expr {
	switch e := e.(type) {
	case *syntax.BasicLit:
		c := *e
		return &c
	case *syntax.Ident:
		c := *e
		return &c
	case *syntax.ParenExpr:
		return &syntax.ParenExpr{Span: e.Span, X: copied(e.X)}
	case *syntax.UnaryExpr:
		return &syntax.UnaryExpr{Span: e.Span, Op: e.Op, X: copied(e.X)}
	case *syntax.BinaryExpr:
		return &syntax.BinaryExpr{Span: e.Span, X: copied(e.X), Op: e.Op, Y: copied(e.Y)}
	case *syntax.CondExpr:
		return &syntax.CondExpr{Span: e.Span, Cond: copied(e.Cond), Then: copied(e.Then), Else: copied(e.Else)}
	}
	return e
}
