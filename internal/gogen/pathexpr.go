package gogen

import (
	"math"

	"irgl/internal/builtin"
	"irgl/internal/check"
	"irgl/syntax"
)

// full interprets a full expression. What it accesses is known to exist behind it.
func (p *path) full(x syntax.Expr) value {
	if e, ok := syntax.Unparen(x).(*syntax.BinaryExpr); ok && e.Op == "," {
		p.full(e.X)
		return p.full(e.Y)
	}
	defer p.unsettle(x)()
	v := p.expr(x)
	p.apply(0)
	return v
}

// test interprets a condition, and returns the values where it holds and where it does
// not.
func (p *path) test(x syntax.Expr) (yes, no []value) {
	defer p.unsettle(x)()
	return p.branch(x)
}

// unsettle notes the variables that x changes while it is evaluated. What it returns ends
// that.
func (p *path) unsettle(x syntax.Expr) func() {
	root := syntax.Unparen(x)
	var changed map[int]bool
	for n := range syntax.Preorder(root) {
		if n == root {
			continue
		}
		if i := p.slot(p.bounds.target(n)); i >= 0 {
			if changed == nil {
				changed = map[int]bool{}
			}
			changed[i] = true
			p.env[i] = valuesOf(p.vars[i].Type)
		}
	}
	p.unsettled = changed
	return func() { p.unsettled = nil }
}

// set gives the variable in a slot a value. What has been learnt is of the one before.
func (p *path) set(slot int, v value) {
	for i := range p.learnt {
		if p.learnt[i].slot == slot {
			p.learnt[i].slot = -1
		}
	}
	if slot >= 0 && !p.unsettled[slot] {
		p.env[slot] = converted(v, p.vars[slot].Type)
	}
}

// learn notes that the variable which x names has a value.
func (p *path) learn(x syntax.Expr, v value) {
	if i := p.slot(x); i >= 0 && !p.unsettled[i] {
		p.learnt = append(p.learnt, learnt{i, v})
	}
}

// apply makes what has been learnt since mark hold.
func (p *path) apply(mark int) {
	for _, l := range p.learnt[mark:] {
		if l.slot >= 0 && p.env != nil {
			refine(p.env, l.slot, l.value)
		}
	}
	p.learnt = p.learnt[:mark]
}

// refine notes that the variable in a slot has the value v, too.
func refine(env []value, slot int, v value) { env[slot] = meet(env[slot], v) }

// branch is test of a part of an expression.
func (p *path) branch(x syntax.Expr) (yes, no []value) {
	if p.env == nil {
		p.skip(x)
		return nil, nil
	}
	if c := p.info.Consts[x]; c != nil && check.IsInteger(p.info.Types[x]) {
		if c.Int != 0 {
			return p.env, nil
		}
		return nil, p.env
	}
	mark := len(p.learnt)
	switch e := syntax.Unparen(x).(type) {
	case *syntax.UnaryExpr:
		if e.Op == "!" {
			no, yes = p.branch(e.X)
			return yes, no
		}
	case *syntax.BinaryExpr:
		switch {
		case e.Op == "&&":
			p.env, no = p.branch(e.X)
			yes, other := p.branch(e.Y)
			return yes, joined(no, other)
		case e.Op == "||":
			yes, p.env = p.branch(e.X)
			other, no := p.branch(e.Y)
			return joined(yes, other), no
		case opposite[e.Op] != "":
			v, w := p.expr(e.X), p.expr(e.Y)
			p.apply(mark)
			no = append([]value{}, p.env...)
			return p.limit(p.env, e.Op, e.X, e.Y, v, w), p.limit(no, opposite[e.Op], e.X, e.Y, v, w)
		}
	}
	p.expr(x)
	p.apply(mark)
	yes, no = p.env, append([]value{}, p.env...)
	if i := p.slot(x); i >= 0 && !p.unsettled[i] {
		refine(yes, i, without(yes[i], value{}))
		refine(no, i, value{})
	}
	return yes, no
}

// limit returns env where the comparison x op y of values v and w holds.
func (p *path) limit(env []value, op syntax.Op, x, y syntax.Expr, v, w value) []value {
	s, t := p.info.Types[x], p.info.Types[y]
	common := check.UsualArithmetic(s, t)
	if !isScalarInt(s) || !isScalarInt(t) || !check.IsInteger(common) || check.IsUnsigned(common) && (v.lo < 0 || w.lo < 0) {
		return env
	}
	v, w = limited(op, v, w)
	switch op {
	case "<":
		v.of |= p.limitOf(y)
	case ">":
		w.of |= p.limitOf(x)
	}
	for _, l := range []struct {
		x syntax.Expr
		v value
	}{{x, v}, {y, w}} {
		if i := p.slot(l.x); i >= 0 && i < len(env) && !p.unsettled[i] {
			refine(env, i, l.v)
		}
	}
	return env
}

// expr interprets an expression, and notes its value.
func (p *path) expr(x syntax.Expr) value {
	v := p.eval(x)
	if !isScalarInt(p.info.Types[x]) {
		return anything // a float may be rounded
	}
	if p.kept {
		if old, ok := p.values[x]; ok {
			p.values[x] = join(old, v)
		} else {
			p.values[x] = v
		}
	}
	return v
}

// unknown returns what the type of an expression says of its value.
func (p *path) unknown(x syntax.Expr) value {
	if t := p.info.Types[x]; t != nil {
		return valuesOf(t)
	}
	return anything
}

//irgl:allnodes Expr except SizeofExpr BasicLit
func (p *path) eval(x syntax.Expr) value {
	if c := p.info.Consts[x]; c != nil && check.IsInteger(p.info.Types[x]) {
		v := constant(c, p.info.Types[x])
		if v.lo == 0 && v.hi == 0 {
			v.of = p.here
		}
		return v
	}
	switch e := x.(type) {
	case *syntax.ParenExpr:
		return p.expr(e.X)
	case *syntax.Ident:
		return p.name(e)
	case *syntax.MemberExpr:
		return p.member(e)
	case *syntax.IndexExpr:
		return p.index(e)
	case *syntax.UnaryExpr:
		return p.unary(e)
	case *syntax.PostfixExpr:
		return p.step(e, e.X, e.Op, false)
	case *syntax.BinaryExpr:
		return p.binary(e)
	case *syntax.AssignExpr:
		return p.assign(e)
	case *syntax.CondExpr:
		yes, no := p.branch(e.Cond)
		v, w := never, never
		t := p.info.Types[x]
		p.branches(yes, no, func() { v = p.alternative(e.Then, t) }, func() { w = p.alternative(e.Else, t) })
		return join(v, w)
	case *syntax.CastExpr:
		v := p.expr(e.X)
		if isScalarInt(p.info.Types[e.X]) {
			return converted(v, p.info.Named[e.Type])
		}
	case *syntax.CallExpr:
		return p.call(e)
	case *syntax.InvokeExpr:
		p.all(e.Args)
	case *syntax.LaunchExpr:
		p.all(e.Args)
	case *syntax.InitList:
		for _, i := range e.Elems {
			p.expr(i.Value)
		}
	case *syntax.CompoundLit:
		p.expr(e.Init)
	case *syntax.SliceExpr:
		p.list(e)
	}
	return p.unknown(x)
}

// all interprets expressions and returns their values.
func (p *path) all(list []syntax.Expr) []value {
	values := make([]value, len(list))
	for i, x := range list {
		values[i] = p.expr(x)
	}
	return values
}

// alternative interprets one of two expressions of which one is evaluated.
func (p *path) alternative(x syntax.Expr, t check.Type) value {
	if p.env == nil {
		p.skip(x)
		return never
	}
	mark := len(p.learnt)
	v := p.expr(x)
	p.apply(mark)
	if t == nil {
		return anything
	}
	return converted(v, t)
}

// name returns the value of a variable or parameter.
func (p *path) name(e *syntax.Ident) value {
	if i := p.slot(e); i >= 0 {
		return p.env[i]
	}
	o := p.storage(e)
	if o == nil || o.Kind != check.VarObj && o.Kind != check.ParamObj || o.Addressed && !o.Global || !isScalarInt(o.Type) || p.followed(o) {
		return p.unknown(e)
	}
	return p.of(o)
}

// member returns the value of a member. What has a property exists.
func (p *path) member(e *syntax.MemberExpr) value {
	v := p.expr(e.X)
	o := p.info.Uses[e.Name]
	switch {
	case o == nil:
		return p.unknown(e)
	case o.Kind == check.PropObj:
		if d, ok := domainOf(p.info.Types[e.X]); ok {
			p.learn(e.X, p.numbersOf(d))
		}
		if isScalarInt(o.Type) {
			return p.of(o)
		}
		return p.unknown(e)
	case o.Kind != check.BuiltinObj:
		return p.unknown(e)
	}
	switch t := p.info.Types[e.X]; {
	case isHandle(t) && e.Name.Name == "id":
		return v
	case (t == check.Edge || t == check.InEdge) && (e.Name.Name == "dst" || e.Name.Name == "src"):
		return p.numbersOf(syntax.NodeDomain)
	case t == check.Node && (e.Name.Name == "degree" || e.Name.Name == "in_degree"), isWorld(t) && p.info.Types[e] == check.Int, t == check.Worklist && e.Name.Name == "size":
		return count
	case isWorld(t) && e.Name.Name == "nedges":
		return value{0, math.MaxInt64, 0}
	}
	return p.unknown(e)
}

// index returns the value of an element. An index that is checked is one of the array.
func (p *path) index(e *syntax.IndexExpr) value {
	n := p.lengthAt(e)
	p.expr(e.X)
	p.expr(e.Index)
	if n > 0 {
		p.learn(e.Index, value{0, n - 1, 0})
	}
	if isRow(p.info.Types[e.X]) {
		return p.numbersOf(syntax.EdgeDomain)
	}
	if o := p.array(e.X); o != nil && isScalarInt(elem(o.Type)) {
		return p.of(o)
	}
	return p.unknown(e)
}

// lengthAt returns the length that the index of e is checked against, 0 for none.
func (p *path) lengthAt(e *syntax.IndexExpr) int64 {
	if a, ok := p.info.Types[e.X].(*check.Array); ok {
		return a.Len
	}
	if id, ok := syntax.Unparen(e.X).(*syntax.Ident); ok {
		return p.lengths[p.info.Uses[id]]
	}
	return 0
}

func (p *path) unary(e *syntax.UnaryExpr) value {
	switch e.Op {
	case "++", "--":
		return p.step(e, e.X, e.Op, true)
	case "&":
		mark := len(p.learnt)
		p.expr(e.X)
		p.learnt = p.learnt[:mark] // an address may be that of the end
		return p.unknown(e)
	case "!":
		p.expr(e.X)
		return value{0, 1, 0}
	}
	v, t := p.expr(e.X), p.info.Types[e]
	if e.Op == "*" || !isScalarInt(t) || !isScalarInt(p.info.Types[e.X]) {
		return p.unknown(e)
	}
	return unaryValue(e.Op, converted(v, t), t)
}

// step interprets ++ and --.
func (p *path) step(e, x syntax.Expr, op syntax.Op, prefix bool) value {
	v, t := p.expr(x), p.info.Types[x]
	if !isScalarInt(t) {
		return p.unknown(e)
	}
	next := valuesOf(t)
	if check.IsInteger(t) && t != check.Bool {
		common := check.Promote(t)
		next = converted(binaryValue(op[:1], converted(v, common), value{1, 1, 0}, common), t)
	}
	p.set(p.slot(x), next)
	if prefix {
		return next
	}
	return v
}

func (p *path) binary(e *syntax.BinaryExpr) value {
	switch e.Op {
	case ",":
		p.expr(e.X)
		return p.expr(e.Y)
	case "&&", "||":
		yes, no := p.branch(e)
		p.env = joined(yes, no)
		return value{0, 1, 0}
	}
	return p.operate(e, e.Op, e.X, e.Y, p.expr(e.X), p.expr(e.Y))
}

// operate returns the value of x op y, of values v and w, in their common type.
func (p *path) operate(e syntax.Expr, op syntax.Op, x, y syntax.Expr, v, w value) value {
	s, t := p.info.Types[x], p.info.Types[y]
	if opposite[op] != "" {
		return value{0, 1, 0}
	}
	if !check.IsInteger(s) || !check.IsInteger(t) {
		return p.unknown(e)
	}
	if op == "<<" || op == ">>" {
		s = check.Promote(s)
		return binaryValue(op, converted(v, s), w, s)
	}
	common := check.UsualArithmetic(s, t)
	if !check.IsInteger(common) {
		return p.unknown(e)
	}
	return binaryValue(op, converted(v, common), converted(w, common), common)
}

func (p *path) assign(e *syntax.AssignExpr) value {
	if o := p.info.Declares[e]; o != nil {
		v := p.expr(e.R)
		p.declare(o, v)
		return v
	}
	i, t := p.slot(e.L), p.info.Types[e.L]
	var old value
	if i < 0 || e.Op != "=" {
		old = p.expr(e.L)
	}
	v := p.expr(e.R)
	switch {
	case t == nil || !isScalarInt(t):
		return anything
	case e.Op != "=":
		v = p.operate(e.L, e.Op[:len(e.Op)-1], e.L, e.R, old, v)
	case !isScalarInt(p.info.Types[e.R]):
		v = anything
	}
	v = converted(v, t)
	p.set(i, v)
	return v
}

// call returns the value of a call. What a function accesses first exists behind it.
func (p *path) call(e *syntax.CallExpr) value {
	if m, ok := syntax.Unparen(e.Fun).(*syntax.MemberExpr); ok {
		p.expr(m.X)
		args := p.all(e.Args)
		base := p.info.Types[m.X]
		switch {
		case base == check.Worklist && m.Name.Name == "pop":
			return p.of(p.items)
		case base == check.MeshType && m.Name.Name == "add_point":
			return p.numbersOf(syntax.PointDomain)
		case base == check.MeshType && m.Name.Name == "add_element":
			return p.numbersOf(syntax.ElementDomain)
		case isWorld(base) && isHandle(p.info.Types[e]):
			return converted(args[0], p.info.Types[e])
		}
		return p.unknown(e)
	}
	args := p.all(e.Args)
	if x := builtinOf(p.info, e); x != nil {
		return p.builtin(e, x, args)
	}
	id, ok := syntax.Unparen(e.Fun).(*syntax.Ident)
	if !ok || p.info.Uses[id] == nil {
		p.expr(e.Fun)
		return p.unknown(e)
	}
	switch o := p.info.Uses[id]; {
	case o.Kind == check.TypeObj && len(e.Args) == 1 && isScalarInt(p.info.Types[e.Args[0]]):
		return converted(args[0], o.Type)
	case o.Kind == check.FuncObj && o.Func != nil && p.own[o] != nil:
		for i, a := range e.Args {
			if i >= len(o.Func.Params) || o.Func.Params[i] == nil || p.demands[o.Func.Params[i]] == nil {
				continue
			}
			// A longer integer is cut to that of a handle.
			d, ok := domainOf(o.Func.Params[i].Type)
			if t := p.info.Types[a]; ok && valuesOf(t).in(valuesOf(o.Func.Params[i].Type)) {
				p.learn(a, p.numbersOf(d))
			}
		}
		if isScalarInt(o.Func.Type.Result) {
			return p.of(o)
		}
	}
	return p.unknown(e)
}

// builtin returns the value of a call of a builtin.
func (p *path) builtin(e *syntax.CallExpr, x *check.Builtin, args []value) value {
	t := p.info.Types[e]
	if t == nil || !isScalarInt(t) {
		return anything
	}
	switch {
	case (x.Name == "min" || x.Name == "max") && check.IsInteger(p.info.Types[e.Args[0]]) && check.IsInteger(p.info.Types[e.Args[1]]):
		v, w := converted(args[0], t), converted(args[1], t)
		if v.never() || w.never() {
			return never
		}
		if check.IsUnsigned(t) && (v.lo < 0 || w.lo < 0) {
			return valuesOf(t)
		}
		of := v.normal().of & w.normal().of
		if x.Name == "min" {
			return value{min(v.lo, w.lo), min(v.hi, w.hi), of}
		}
		return value{max(v.lo, w.lo), max(v.hi, w.hi), of}
	case x.Rule == builtin.AtomicCall && len(e.Args) > 0:
		// The value from before.
		if u, ok := syntax.Unparen(e.Args[0]).(*syntax.UnaryExpr); ok && u.Op == "&" {
			if o := p.storage(u.X); o != nil && isScalarInt(contentsOf(o)) && !p.followed(o) && (o.Global || o.Kind == check.PropObj || elem(o.Type) != nil) {
				return p.of(o)
			}
		}
	}
	return valuesOf(t)
}
