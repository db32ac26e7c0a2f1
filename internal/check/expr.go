package check

// This file checks primary and postfix expressions and the frame around all
// others. Every expression is checked exactly once and its type recorded as it
// is by itself, before any conversion: the tree stays as written, and consumers
// convert with the same rules (UsualArithmetic, Promote, Decay).
//
// An lvalue is checked in two steps. place finds the memory and leaves open
// what is done with it; the caller, who knows, then calls mark or write. So a
// read, a write and an address taken are told apart without a second walk,
// which the read and write sets of FuncInfo need.

import (
	"math"
	"strings"

	"irgl/internal/builtin"
	"irgl/internal/source"
	"irgl/syntax"
)

// An operand is what checking an expression yields.
type operand struct {
	typ    Type
	lvalue bool // names memory
	ro     bool // that may not be changed
	vol    bool
	cv     *Const  // its value, when constant
	root   *Object // the variable or property whose memory an lvalue is part of
	null   bool    // a null pointer constant
	inf    bool    // INF, whose type depends on the context
	bits   *BitField
}

var invalidOperand = operand{typ: Invalid}

// rvalue checks e for its value.
func (c *checker) rvalue(e syntax.Expr) operand {
	x := c.place(e)
	if x.root != nil {
		mode := useRead
		if isArray(x.typ) && !x.ro {
			mode |= useWrite | useEscape // it decays to a pointer
		}
		c.mark(e, x.root, mode)
	}
	if x.bits != nil {
		x.typ, x.bits = x.bits.promoted(x.typ), nil
		c.promoteBits(e, x.typ)
	}
	if isArray(x.typ) && x.ro {
		x.typ = &Pointer{Elem: x.typ.(*Array).Elem, Const: true, Volatile: x.vol}
	}
	return x
}

// promoteBits records that the value of a bit-field has type t.
func (c *checker) promoteBits(e syntax.Expr, t Type) {
	for {
		c.info.Types[e] = t
		p, ok := e.(*syntax.ParenExpr)
		if !ok {
			return
		}
		e = p.X
	}
}

// place checks e and records its type and constant value. The operand may be
// an lvalue, whose memory is then neither read nor written yet.
func (c *checker) place(e syntax.Expr) operand {
	if e == nil || isNil(e) || !c.enter(e) {
		return invalidOperand
	}
	defer c.leave()
	x := c.place1(e)
	if x.typ == nil {
		x.typ = Invalid
	}
	c.info.Types[e] = x.typ
	if x.cv != nil {
		c.info.Consts[e] = x.cv
	}
	return x
}

// place1 is place without the bookkeeping.
//
//irgl:allnodes Expr
func (c *checker) place1(e syntax.Expr) operand {
	switch e := e.(type) {
	case *syntax.Ident:
		return c.ident(e)
	case *syntax.BasicLit:
		return c.literal(e)
	case *syntax.ParenExpr:
		return c.place(e.X)
	case *syntax.UnaryExpr:
		return c.unary(e)
	case *syntax.PostfixExpr:
		return c.incDec(e.X, e.Op)
	case *syntax.BinaryExpr:
		return c.binary(e)
	case *syntax.AssignExpr:
		return c.assign(e, false)
	case *syntax.CondExpr:
		return c.cond(e)
	case *syntax.CallExpr:
		return c.call(e)
	case *syntax.LaunchExpr:
		return c.launch(e)
	case *syntax.InvokeExpr:
		return c.invoke(e)
	case *syntax.SliceExpr:
		c.slice(e)
		c.errorf(e, codeSlice, "a part of an array is no value").Hint = "it is an item of Initial or a list of Exclusive"
		return invalidOperand
	case *syntax.IndexExpr:
		return c.index(e)
	case *syntax.MemberExpr:
		return c.member(e)
	case *syntax.CastExpr:
		return c.cast(e)
	case *syntax.SizeofExpr:
		return c.sizeof(e)
	case *syntax.InitList:
		c.errorf(e, codeInit, "a list in braces can only initialise a variable")
	case *syntax.CompoundLit:
		return c.compound(e)
	}
	return invalidOperand
}

// compound checks (T){...}, an unnamed variable.
func (c *checker) compound(e *syntax.CompoundLit) operand {
	q := c.typ(e.Type)
	if e.Init == nil {
		return invalidOperand
	}
	t := c.initList(e.Init, q.Type)
	if a, ok := q.Type.(*Array); !ok || a.Len >= 0 {
		c.complete(e, q.Type, "a literal")
	}
	c.info.Named[e.Type] = t
	return operand{typ: t, lvalue: true, ro: q.ro, vol: q.volatile}
}

// literal evaluates a literal. What the parser has reported already is not
// reported again.
func (c *checker) literal(e *syntax.BasicLit) operand {
	bad := func(err error) operand {
		for _, d := range c.diags.Diags {
			if d.Pos == e.From {
				return invalidOperand // the parser has said so
			}
		}
		c.errorf(e, codeLiteral, "%s: %v", e.Text, err)
		return invalidOperand
	}
	switch e.Kind {
	case syntax.IntLit:
		v, err := syntax.ParseInt(e.Text)
		if err != nil {
			return bad(err)
		}
		return operand{typ: intLitType(v), cv: &Const{Int: int64(v.Value)}, null: v.Value == 0}
	case syntax.FloatLit:
		v, single, err := syntax.ParseFloat(e.Text)
		if err != nil {
			return bad(err)
		}
		if single {
			return operand{typ: Float, cv: &Const{Float: float64(float32(v))}}
		}
		return operand{typ: Double, cv: &Const{Float: v}}
	case syntax.CharLit:
		v, err := syntax.ParseChar(e.Text)
		if err != nil {
			return bad(err)
		}
		return operand{typ: Int, cv: &Const{Int: int64(v)}}
	}
	if _, err := syntax.ParseString(e.Text); err != nil {
		return bad(err)
	}
	return operand{typ: String}
}

// intLitType returns the first of the candidate types (C99 6.4.4.1) that
// holds the value.
func intLitType(v syntax.IntValue) Type {
	fits := func(t Basic) bool {
		w := uint(t.Size() * 8)
		if !IsUnsigned(t) {
			w--
		}
		return w >= 64 || v.Value>>w == 0
	}
	for _, t := range []Basic{Int, UInt, Long, ULong, LongLong, ULongLong} {
		rank := int(t-Int) / 2
		unsigned := IsUnsigned(t)
		if rank < v.Long || v.Unsigned && !unsigned || !v.Unsigned && unsigned && v.Decimal {
			continue
		}
		if fits(t) {
			return t
		}
	}
	return ULongLong
}

// ident checks a name used as a value.
func (c *checker) ident(e *syntax.Ident) operand {
	o := c.resolve(e)
	if o == nil {
		return invalidOperand
	}
	switch o.Kind {
	case VarObj:
		c.sideVar(e, o)
		x := operand{typ: o.Type, lvalue: true, ro: o.ReadOnly, vol: o.Volatile, root: o, cv: o.Const}
		if o.Attrs.Has(syntax.Constant) && c.fn != nil && c.fn.Device {
			x.ro = true
		}
		return x
	case ParamObj:
		return operand{typ: o.Type, lvalue: true, ro: o.ReadOnly, vol: o.Volatile, root: o}
	case ConstObj:
		return operand{typ: o.Type, cv: o.Const, inf: c.isInf(o)}
	case GraphObj:
		return operand{typ: o.Type}
	case ForeignObj:
		c.info.Foreign = append(c.info.Foreign, e)
		return operand{typ: o.Type}
	case WorklistObj:
		c.useWorklist(e)
		return operand{typ: Worklist}
	case FuncObj:
		if c.irgl {
			c.errorf(e, codeNotValue, "%s is a function and can only be called", o.Name)
			return invalidOperand
		}
		if o.Attrs.Has(syntax.Global) && c.fn != nil && c.fn.Host && !c.fn.Device {
			c.recordLaunch(e, o.Func) // host code can do nothing else with a kernel
		} else {
			c.recordCall(e, o.Func)
		}
		return operand{typ: o.Type}
	case BuiltinObj:
		return c.builtinIdent(e, o)
	case TypeObj:
		c.errorf(e, codeNotValue, "%s is a type, not a value", o.Name)
	}
	return invalidOperand
}

// builtinIdent checks the name of a builtin used as a value.
func (c *checker) builtinIdent(e *syntax.Ident, o *Object) operand {
	b := LookupBuiltin(o.Name)
	if b == nil || b.obj != o {
		c.needs(Node, o.Name) // DIST_MAX; id, degree or in_degree in a property's initialiser
		return operand{typ: o.Type, cv: o.Const}
	}
	if !c.builtinUse(e, b) {
		return invalidOperand
	}
	switch b.Kind {
	case builtin.Func:
		c.errorf(e, codeNotValue, "%s is a function and can only be called", o.Name)
		return invalidOperand
	case builtin.Var:
		return operand{typ: o.Type, lvalue: true, ro: true}
	}
	// NULL is 0, not (void *)0: nvcc takes both, and 0 converts everywhere.
	return operand{typ: o.Type, cv: o.Const, inf: o.Name == "INF", null: o.Name == "NULL" || o.Name == "nullptr"}
}

// resolve finds what a name refers to, or reports that there is no such name.
func (c *checker) resolve(e *syntax.Ident) *Object {
	if e == nil || e.Name == "" {
		return nil
	}
	o := c.lookup(e.Name)
	if o == nil && c.irgl && e.Name == "WL" {
		o = worklistObject
	}
	if o == nil {
		if c.propInit && (e.Name == "id" || e.Name == "degree" || e.Name == "in_degree") {
			c.errorf(e, codePropInit, "an edge has no %s", e.Name)
			return nil
		}
		d := c.errorf(e, codeUndeclared, "%s is not declared", e.Name)
		d.Hint = c.didYouMean(e.Name, func(o *Object) bool { return o.Kind != TypeObj })
		c.hintUndeclared(e.Name, &d.Hint)
		if c.fn != nil { // say it once a scope
			c.scope.names[e.Name] = &Object{Kind: VarObj, Name: e.Name, Type: Invalid}
		}
		return nil
	}
	c.info.Uses[e] = o
	return o
}

// hintUndeclared improves the hint about a name that exists elsewhere.
func (c *checker) hintUndeclared(name string, hint *string) {
	if p := c.info.PropOf(name); p != nil {
		what := [...]string{"a node v: v.", "an edge e: e.", "a point p: p.", "an element t: t."}[p.Of]
		*hint = name + " is a property; name it with " + what + name
		return
	}
	for s := c.scope; s != nil; s = s.outer {
		if s.gone[name] != nil {
			*hint = name + " is declared in an inner block; declare it before that block to use it here"
			return
		}
	}
	for _, d := range c.file.Decls {
		if f, ok := d.(*syntax.FuncDecl); ok && f != nil && nameOf(f.Name) == name && c.fileScope.names[name] == nil {
			*hint = name + " is declared further down"
			return
		}
	}
	if b := LookupBuiltin(name); b != nil && *hint == "" {
		if b.CUDAOnly {
			*hint = name + " belongs to CUDA's host code and is not part of .irgl files"
		} else {
			*hint = name + " exists in .irgl files only"
		}
	}
	if !c.irgl && *hint == "" && strings.HasPrefix(name, "cuda") {
		*hint = "the compiler knows a part of the CUDA runtime (docs/cuda.md lists it): move host code that calls " + name + " into another file"
	}
}

// infs remembers that a #define stands for INF.
func (c *checker) infs(o *Object) { c.builtins[o.Name] = o }

// isInf reports whether o is a #define of INF.
func (c *checker) isInf(o *Object) bool { return c.builtins[o.Name] == o }

// adapt gives INF in e the floating type that its context has.
func (c *checker) adapt(e syntax.Expr, x *operand, t Type) {
	if !x.inf || !IsFloat(t) {
		return
	}
	x.typ, x.inf = t, false
	x.cv = c.retype(e, t)
}

// retype records type t for the parts of e that carry INF through: names,
// parentheses and signs. Sums and products with INF are ints as usual.
func (c *checker) retype(e syntax.Expr, t Type) *Const {
	var cv *Const
	switch e := e.(type) {
	case *syntax.Ident:
		cv = &Const{Float: math.Inf(1)}
		if c.info.Consts[e] != nil && c.info.Consts[e].Int < 0 {
			cv = &Const{Float: math.Inf(-1)} // a #define of -INF
		}
	case *syntax.ParenExpr:
		cv = c.retype(e.X, t)
	case *syntax.UnaryExpr:
		if cv = c.retype(e.X, t); cv != nil {
			cv = foldUnary(e.Op, cv, t)
		}
	}
	c.info.Types[e] = t
	delete(c.info.Consts, e)
	if cv != nil {
		c.info.Consts[e] = cv
	}
	return cv
}

// cond checks c ? x : y. Its value is constant when the condition and the
// chosen alternative are; the other one is never evaluated.
func (c *checker) cond(e *syntax.CondExpr) operand {
	q := c.condition(e.Cond)
	x, y := c.rvalue(e.Then), c.rvalue(e.Else)
	if x.typ == Invalid || y.typ == Invalid {
		return invalidOperand
	}
	c.adapt(e.Then, &x, y.typ)
	c.adapt(e.Else, &y, x.typ)
	t := c.condType(x, y)
	if t == Invalid {
		c.errorf(e, codeOperand, "the alternatives of ?: have the types %s and %s", x.typ, y.typ)
		return invalidOperand
	}
	r := operand{typ: t}
	if q.cv != nil && IsScalar(q.typ) {
		chosen := y
		if truth(q.cv, q.typ) {
			chosen = x
		}
		r.cv = convertConst(chosen.cv, chosen.typ, t)
	}
	return r
}

// condType returns the common type of the alternatives of ?:.
func (c *checker) condType(x, y operand) Type {
	xt, yt := decayed(x.typ), decayed(y.typ)
	if Identical(xt, yt) {
		return xt
	}
	if IsArithmetic(xt) && IsArithmetic(yt) {
		return UsualArithmetic(xt, yt)
	}
	p, ok1 := xt.(*Pointer)
	q, ok2 := yt.(*Pointer)
	switch {
	case ok1 && (y.null || isNullConst(y)):
		return p
	case ok2 && (x.null || isNullConst(x)):
		return q
	case ok1 && ok2 && (Identical(p.Elem, q.Elem) || p.Elem == Void || q.Elem == Void):
		elem := p.Elem
		if q.Elem == Void {
			elem = Void
		}
		return &Pointer{Elem: elem, Const: p.Const || q.Const, Volatile: p.Volatile || q.Volatile}
	}
	return Invalid
}

// isNullConst reports whether x is an integer constant 0, C's null pointer.
func isNullConst(x operand) bool {
	return x.null || x.cv != nil && IsInteger(x.typ) && x.cv.Int == 0
}

// condition checks an expression that is true or false.
func (c *checker) condition(e syntax.Expr) operand {
	x := c.rvalue(e)
	if t := Decay(x.typ); x.typ != Invalid && !IsScalar(t) {
		d := c.errorf(e, codeCondition, "a condition must be a number or a pointer, not %s", describe(t))
		if inv, ok := e.(*syntax.InvokeExpr); ok && inv.Aggr == syntax.NoAggr {
			d.Hint = "say how the iterations' values combine: Any(Invoke ...) or All(Invoke ...)"
		}
		return invalidOperand
	}
	return x
}

// index checks x[i]. An element of an array is a part of the array's memory;
// an element behind a pointer is not a part of the pointer's, which is read.
func (c *checker) index(e *syntax.IndexExpr) operand {
	x := c.place(e.X)
	i := c.rvalue(e.Index)
	if x.typ == Invalid || i.typ == Invalid {
		if x.root != nil {
			c.mark(e.X, x.root, useRead)
		}
		return invalidOperand
	}
	if !IsInteger(i.typ) {
		c.errorf(e.Index, codeIndex, "an index must be an integer, not %s", describe(i.typ))
		return invalidOperand
	}
	switch t := x.typ.(type) {
	case *Array:
		if i.cv != nil && t.Len >= 0 && (i.cv.Int < 0 || i.cv.Int >= t.Len) && c.unevaluated == 0 {
			c.warnf(e.Index, codeConstOp, "the index %d is outside %s", i.cv.Int, t)
		}
		return operand{typ: t.Elem, lvalue: true, ro: x.ro, vol: x.vol, root: x.root}
	case *Pointer:
		if x.root != nil {
			c.mark(e.X, x.root, useRead)
		}
		if !c.pointsToObject(e.X, t, codeIndex) {
			return invalidOperand
		}
		return operand{typ: t.Elem, lvalue: true, ro: t.Const, vol: t.Volatile}
	case Basic:
		if t == Edges || t == InEdges { // the i-th edge, a value
			if x.root != nil {
				c.mark(e.X, x.root, useRead)
			}
			if t == InEdges {
				return operand{typ: InEdge}
			}
			return operand{typ: Edge}
		}
	}
	d := c.errorf(e, codeIndex, "%s is no array or pointer, it cannot be indexed", describe(x.typ))
	switch x.typ {
	case GraphType, Nodes:
		d.Hint = "graph.nodes(i) is the node i"
	case AllEdges:
		d.Hint = "an edge converts from its number: edge e = i;"
	case MeshType, Elements:
		d.Hint = "mesh.elements(i) is the element i"
	}
	return invalidOperand
}

// pointsToObject reports whether p points to objects of a known size.
func (c *checker) pointsToObject(n syntax.Node, p *Pointer, code source.Code) bool {
	switch t := p.Elem.(type) {
	case *Func:
		c.errorf(n, code, "a pointer to a function points to no object")
		return false
	case *Struct:
		if !t.Complete {
			c.errorf(n, codeIncomplete, "the type %s is incomplete here", t)
			return false
		}
	case Basic:
		if t == Void {
			c.errorf(n, code, "a void pointer points to no object").Hint = "cast it to a pointer to the type it holds"
			return false
		}
	}
	return true
}

// sizeof checks sizeof, whose operand is not evaluated: it reads and writes
// nothing and calls no function.
func (c *checker) sizeof(e *syntax.SizeofExpr) operand {
	var t Type
	ofBits := false
	if e.Type != nil {
		t = c.typ(e.Type).Type
	} else {
		c.unevaluated++
		x := c.place(e.X)
		c.unevaluated--
		t, ofBits = x.typ, x.bits != nil
		if lit, ok := syntax.Unparen(e.X).(*syntax.BasicLit); ok && t == String {
			if s, err := syntax.ParseString(lit.Text); err == nil {
				return operand{typ: ULong, cv: &Const{Int: int64(len(s)) + 1}}
			}
		}
	}
	if t == Invalid || t == nil {
		return invalidOperand
	}
	if ofBits {
		c.errorf(e, codeBits, "a bit-field has no size")
		return invalidOperand
	}
	if b, ok := t.(Basic); ok && (b == Void || b >= Nodes && b != String) || !c.sizeable(t) {
		c.errorf(e, codeIncomplete, "%s has no size", describe(t))
		return invalidOperand
	}
	return operand{typ: ULong, cv: &Const{Int: t.Size()}}
}

// sizeable reports whether the size of t is known.
func (c *checker) sizeable(t Type) bool {
	switch t := t.(type) {
	case *Func:
		return false
	case *Struct:
		return t.Complete
	case *Array:
		return t.Len >= 0
	}
	return true
}

// cast checks (T)x: between numbers, between pointers, and between pointers
// and integers of their size. A cast may drop const, as in C.
func (c *checker) cast(e *syntax.CastExpr) operand {
	to := c.typ(e.Type).Type
	x := c.rvalue(e.X)
	if to == Invalid || x.typ == Invalid {
		return invalidOperand
	}
	from := Decay(x.typ)
	_, toPtr := to.(*Pointer)
	_, fromPtr := from.(*Pointer)
	_, fromFunc := from.(*Func)
	switch {
	case to == Void:
		return operand{typ: Void}
	case IsArithmetic(to) && IsArithmetic(from):
		c.adapt(e.X, &x, to)
		return operand{typ: to, cv: convertConst(x.cv, x.typ, to), null: x.null && IsInteger(to)}
	case toPtr && fromPtr:
		return operand{typ: to, cv: x.cv, null: x.null && to.(*Pointer).Elem == Void}
	case toPtr && fromFunc:
		return operand{typ: to}
	case toPtr && IsInteger(from):
		return operand{typ: to, cv: convertConst(x.cv, from, to), null: isNullConst(x) && to.(*Pointer).Elem == Void}
	case fromPtr && IsInteger(to) && (to.Size() == 8 || to == Bool):
		return operand{typ: to, cv: convertConst(x.cv, from, to)}
	case Identical(to, from):
		return operand{typ: to}
	case to == Type(Dim3()) && IsInteger(from):
		return operand{typ: to}
	}
	d := c.errorf(e, codeCast, "%s cannot be cast to %s", describe(from), describe(to))
	if fromPtr && IsInteger(to) {
		d.Hint = "a pointer has 8 bytes: cast it to an integer type of that size first"
	}
	return invalidOperand
}
