package sema

import (
	"irgl/internal/cxx/ast"
	"irgl/internal/cxx/hir"
	"irgl/internal/cxx/types"
)

// initializer returns what initialises an object or reference of type t: nil if nothing
// does. What names it in messages.
func (e *env) initializer(t types.Type, in *ast.Init, at ast.Span, what string) hir.Expr {
	if in == nil {
		return e.defaultInit(t, at, what)
	}
	switch in.Kind {
	case ast.CopyInit:
		if len(in.Args) != 1 {
			return e.bad(in)
		}
		return e.copyInit(t, in.Args[0], what)
	case ast.DirectInit:
		if len(in.Args) == 1 {
			if l, ok := in.Args[0].(*ast.InitList); ok && !t.IsClass() {
				return e.initList(t, e.listOf(l), false, what)
			}
		}
		args := e.exprs(in.Args)
		return e.directInit(t, args, in.Span, what)
	}
	if len(in.Args) == 1 {
		if l, ok := in.Args[0].(*ast.InitList); ok {
			return e.initList(t, e.listOf(l), in.Kind == ast.CopyListInit, what)
		}
	}
	return e.bad(in)
}

// copyInit is T v = x.
func (e *env) copyInit(t types.Type, x ast.Expr, what string) hir.Expr {
	if l, ok := x.(*ast.InitList); ok {
		return e.initList(t, e.listOf(l), true, what)
	}
	if t.IsArray() {
		if s, ok := stripParens(x).(*ast.Literal); ok && s.Kind == ast.StringLit {
			return e.stringInit(t, s, what)
		}
	}
	v := e.expr(x)
	if isBad(v) {
		return v
	}
	if t.IsArray() {
		if v.Category() == hir.PRValue && v.Type() == t {
			return v
		}
		e.errorf(x, codeArrayInit, "array initializer must be an initializer list")
		return e.bad(x)
	}
	return e.convertTo(v, t, what)
}

func stripParens(x ast.Expr) ast.Expr {
	for {
		p, ok := x.(*ast.ParenExpr)
		if !ok {
			return x
		}
		x = p.X
	}
}

// directInit is T v(args), also T(args).
func (e *env) directInit(t types.Type, args []hir.Expr, at ast.Span, what string) hir.Expr {
	if anyBad(args) {
		return e.bad(at)
	}
	if k := classOfType(t); k != nil {
		if !e.requireComplete(t, at, "variable has incomplete type") {
			return e.bad(at)
		}
		if len(args) == 0 {
			return e.valueInit(t, at)
		}
		if len(args) == 1 && args[0].Category() == hir.PRValue && args[0].Type().Unqualified() == t.Unqualified() {
			return args[0]
		}
		return e.constructBy(k, args, at, true, "initialization")
	}
	switch len(args) {
	case 0:
		return e.valueInit(t, at)
	case 1:
		if t.IsArray() {
			e.errorf(at, codeArrayInit, "array initializer must be an initializer list")
			return e.bad(at)
		}
		return e.directScalar(t, args[0], what)
	}
	e.errorf(at, codeExcessInit, "excess elements in scalar initializer")
	return e.bad(at)
}

// directScalar converts to a scalar or reference, by explicit conversion functions too.
func (e *env) directScalar(t types.Type, x hir.Expr, what string) hir.Expr {
	if t.Is(types.Bool) && x.Type().Is(types.Nullptr) { // [conv.bool]
		return e.toBool(x)
	}
	if x.Type().IsClass() && !t.IsRef() && t.IsScalar() {
		if s := e.userConversion(x, t.Unqualified(), true); s.ok() && !s.ambiguous {
			return e.apply(x, t, &s)
		}
	}
	if y := e.explicitReference(t, x); y != nil {
		return y
	}
	return e.convertTo(x, t, what)
}

// valueInit is T().
func (e *env) valueInit(t types.Type, at ast.Span) hir.Expr {
	if t.IsRef() {
		e.errorf(at, codeUninitialized, "reference to type '%s' requires an initializer", t.Elem)
		return e.bad(at)
	}
	if t.IsVoid() {
		return &hir.Convert{Info: rvalueInfo(at, t), Kind: hir.ToVoid, X: e.intConst(0, e.basic(types.Int), at)}
	}
	t = t.Unqualified()
	k := classOfType(t.Element())
	if k == nil {
		return &hir.Zero{Info: rvalueInfo(at, t)}
	}
	if t.IsArray() {
		return &hir.Aggregate{Info: rvalueInfo(at, t), Fill: e.valueInit(t.Elem, at)}
	}
	if !e.requireComplete(t, at, "value initialization of incomplete type") {
		return e.bad(at)
	}
	if k.plain {
		return &hir.Zero{Info: rvalueInfo(at, t)}
	}
	x := e.constructBy(k, nil, at, true, "initialization")
	if c, ok := x.(*hir.Construct); ok && !functionOf(c.Func).userProvided() {
		if c.Func.Trivial {
			return &hir.Zero{Info: rvalueInfo(at, t)}
		}
		c.Zero = true
	}
	return x
}

// defaultInit is T v: nil when nothing happens.
func (e *env) defaultInit(t types.Type, at ast.Span, what string) hir.Expr {
	if t.IsRef() {
		e.errorf(at, codeUninitialized, "declaration of reference %s requires an initializer", what)
		return e.bad(at)
	}
	k := classOfType(t.Element())
	if k == nil {
		if t.IsConst() {
			e.errorf(at, codeUninitialized, "default initialization of an object of const type '%s'", t)
			return e.bad(at)
		}
		return nil
	}
	if t.IsArray() {
		x := e.defaultInit(t.Elem, at, what)
		if x == nil || isBad(x) {
			return x
		}
		return &hir.Aggregate{Info: rvalueInfo(at, t.Unqualified()), Fill: x}
	}
	if !e.requireComplete(t, at, "variable has incomplete type") {
		return e.bad(at)
	}
	if k.plain {
		return nil
	}
	x := e.constructBy(k, nil, at, true, "initialization")
	if c, ok := x.(*hir.Construct); ok && c.Func.Trivial {
		return nil
	}
	return x
}

// constructBy chooses a constructor of k for arguments and returns the object: a
// prvalue. Explicit constructors count in direct initialisation.
func (e *env) constructBy(k *class, args []hir.Expr, at ast.Span, direct bool, what string) hir.Expr {
	if anyBad(args) {
		return e.bad(at)
	}
	t := e.types.Class(k.t)
	var set candidates
	defer set.release(e)
	flags := callFlags{implicit: !direct}
	if len(args) == 1 && args[0].Type().IsValid() && (args[0].Type().Unqualified() == t || e.derives(args[0].Type().Unqualified(), t)) {
		flags.noUser = true
	}
	for _, f := range e.constructors(k) {
		set.consider(e, f, nil, args, nil, flags)
	}
	best, ambiguous := set.best(e)
	if best == nil && flags.noUser {
		flags.noUser = false
	}
	converts := best != nil && len(args) == 1 && best.seqs[0].kind == userSeq
	if (best == nil || converts && !flags.noUser) && len(args) == 1 && args[0].Type().IsClass() {
		// A conversion function may make the class itself, which is not copied then. It is better than constructors whose argument is
		// converted by another one (CWG 2327, as GCC has it).
		if s := e.userConversion(args[0], t, direct); s.ok() && !s.ambiguous && s.fn.kind != ast.Constructor {
			return e.apply(args[0], t, &s)
		}
	}
	switch {
	case best == nil:
		if k.failed {
			return e.bad(at)
		}
		e.noMatch(at, &set, args, "no matching constructor for %s of '%s'", what, t)
		return e.bad(at)
	case ambiguous:
		e.ambiguity(at, &set, args, "call to constructor of '%s' is ambiguous", t)
		return e.bad(at)
	}
	return e.construct(best.fn, args, t, at)
}

// construct calls a constructor that was chosen. A protected one makes bases of derived classes,
// but no other objects ([class.protected]).
func (e *env) construct(f *function, args []hir.Expr, t types.Type, at ast.Span) hir.Expr {
	if f.deleted {
		e.reportDeletedCtor(at, f, t)
		return e.bad(at)
	}
	through := f.class
	if e.base == f.class {
		through = nil
	}
	e.checkMemberAccess(at, f.class, f.access, f.class.t.Name, f.at, through)
	e.checkCallee(at, f)
	e.noteDeviceCall(at, f)
	if f.isTrivialCopy() && len(args) == 1 {
		x := args[0]
		if !x.Type().IsClass() {
			s := e.implicit(x, f.params[0], true)
			x = e.apply(x, f.params[0], &s)
			if isBad(x) {
				return x
			}
		}
		x = e.materialize(x)
		if x.Type().Unqualified() != t.Unqualified() {
			e.checkBaseAccess(at, classOfType(x.Type()), f.class)
			x = e.toBase(x, e.types.Qualify(t.Unqualified(), x.Type().Qualifiers()))
		}
		return &hir.Copy{Info: rvalueInfo(at, t.Unqualified()), X: x}
	}
	list, ok := e.arguments(f, args, at)
	if !ok {
		return e.bad(at)
	}
	return &hir.Construct{Info: rvalueInfo(at, t.Unqualified()), Func: e.hirFunc(f), Args: list}
}

// arguments converts the arguments of a call to the types of the parameters, and adds
// default arguments.
func (e *env) arguments(f *function, args []hir.Expr, at ast.Span) ([]hir.Expr, bool) {
	out := e.nodes.args.New(max(len(args), len(f.params)))
	for i, a := range args {
		var x hir.Expr
		if i < len(f.params) {
			x = e.convertTo(a, f.params[i], "parameter")
			if e.isWideLiteral(f, f.params[i]) && !isBad(x) {
				x = e.scalar(x, e.basic(types.Double))
			}
		} else {
			x = e.variadic(a)
		}
		if isBad(x) {
			return nil, false
		}
		out = append(out, x)
	}
	for i := len(args); i < len(f.params); i++ {
		x := e.defaultArgument(f, i, at)
		if isBad(x) {
			return nil, false
		}
		out = append(out, x)
	}
	return out, true
}

// defaultArgument evaluates the default argument of a parameter, anew for each call.
func (e *env) defaultArgument(f *function, i int, at ast.Span) hir.Expr {
	if f.inherited != nil {
		return e.defaultArgument(f.inherited, i, at)
	}
	if i >= len(f.defaults) || f.defaults[i].x == nil {
		e.errorf(at, codeNoMatch, "too few arguments to function '%s'", f.name)
		return e.bad(at)
	}
	d := f.defaults[i]
	sub := &env{checker: e.checker, scope: d.scope, order: d.order, unevaluated: e.unevaluated}
	if !e.deeper(at) {
		return e.bad(at)
	}
	defer func() { e.depth-- }()
	x := sub.copyInit(f.params[i], d.x, "parameter")
	if x == nil || isBad(x) {
		return e.bad(at)
	}
	if v := d.parameterIn(x); v != nil {
		e.errorf(d.x, codeContext, "default argument references parameter '%s'", v.Name)
		return e.bad(at)
	}
	return x
}

// stringInit initialises an array of characters by a string literal.
func (e *env) stringInit(t types.Type, s *ast.Literal, what string) hir.Expr {
	x := e.expr(s)
	str, ok := x.(*hir.StringExpr)
	if !ok {
		return e.bad(s)
	}
	el, from := t.Elem.Unqualified(), str.T.Elem.Unqualified()
	narrow := from.Is(types.Char) && (el.Is(types.Char) || el.Is(types.SChar) || el.Is(types.UChar))
	if !narrow && el != from {
		e.errorf(s, codeArrayInit, "initializing array of '%s' with a string literal of other characters", t.Elem)
		return e.bad(s)
	}
	if t.Len < 0 {
		t = e.types.Array(t.Elem, str.T.Len)
	}
	if str.T.Len > t.Len {
		e.errorf(s, codeArrayInit, "initializer-string for char array is too long, array size is %d but initializer has size %d (including the null terminating character)", t.Len, str.T.Len)
		return e.bad(s)
	}
	size := el.Size()
	a := &hir.Aggregate{Info: rvalueInfo(s.Span, t.Unqualified())}
	for i := range str.T.Len {
		var v uint64
		for b := range size {
			v |= uint64(str.Bytes[i*size+b]) << (8 * b)
		}
		a.Elems = append(a.Elems, e.intConst(v, el, s.Span))
	}
	return a
}
