package sema

import (
	"irgl/internal/cxx/ast"
	"irgl/internal/cxx/hir"
	"irgl/internal/cxx/types"
)

// memory are the specifiers that give a variable memory of the device.
const memory = ast.Device | ast.Shared | ast.Constant | ast.Managed

// variableType resolves the type of a variable that is not local; nil after an error.
func (c *checker) variableType(v *variable) types.Type {
	switch v.state {
	case active:
		if v.typ.IsValid() && !hasAuto(v.typ) {
			return v.typ
		}
		c.errorf(v.at, codeCycle, "variable '%s' declared with deduced type '%s' cannot appear in its own initializer", v.name, "auto")
		return types.Type{}
	case done:
		return v.typ
	}
	v.state = active
	e := c.variableEnv(v)
	if v.class != nil {
		c.findStaticDefinition(v)
	}
	report := c.opts.Host || v.specs&(memory|ast.Constexpr) != 0 || v.class != nil || v.tmpl != nil
	resolve := func() {
		var ok bool
		if v.typ, ok = e.deducedType(v.decl.Type, v.decl.Init, v.at); !ok {
			v.typ = e.typ(v.decl.Type)
		}
	}
	if report {
		resolve()
	} else if c.fails(resolve) {
		c.errorf(v.at, codeHostVar, "the type of the host's variable '%s' is not known to device code", v.name)
	}
	if v.typ.IsValid() {
		if v.specs.Has(ast.Constexpr) {
			v.typ = c.types.Qualify(v.typ, types.Const)
		}
		v.hir = &hir.Var{Span: v.at, Name: v.name, Type: v.typ, Static: v.class != nil}
		v.hir.Decl = v
		c.variableMemory(v, e)
		c.completeVariable(v, e)
	}
	v.state = done
	return v.typ
}

func (c *checker) variableEnv(v *variable) *env {
	e := &env{checker: c, scope: v.scope, order: v.order}
	if v.class != nil {
		e.order = 0
	}
	return e
}

// variableMemory sets the memory, symbol and attributes of a variable.
func (c *checker) variableMemory(v *variable, e *env) {
	h := v.hir
	h.Space = spaceOf(v.specs)
	if c.opts.Host {
		c.hostMemory(v)
	} else if h.Space == hir.Local && isTexture(v.typ) {
		h.Space = hir.Constant // the host binds an object to it
	}
	if h.Space == hir.Shared && v.specs.Has(ast.Extern) {
		h.Space = hir.SharedX
	}
	h.Align = e.alignOf(v.attrs)
	if v.attrs != nil {
		h.Builtin = v.attrs.Builtin
	}
	h.Symbol = c.mangleVar(v)
	if v.specs.Has(ast.ThreadLocal) {
		c.errorf(v.at, codeRefused, "'thread_local' is not supported in device code")
	}
}

// isTexture reports whether t is a texture reference: the class template that our header
// marks as such.
func isTexture(t types.Type) bool {
	k := classOfType(t)
	return k != nil && k.decl != nil && k.decl.Attrs != nil && k.decl.Attrs.Builtin == "texture"
}

func spaceOf(s ast.Specs) hir.Space {
	switch {
	case s.Has(ast.Shared):
		return hir.Shared
	case s.Has(ast.Constant):
		return hir.Constant
	case s.Has(ast.Managed):
		return hir.Managed
	case s.Has(ast.Device):
		return hir.Device
	}
	return hir.Local
}

// checkMemories reports a variable of several memories, and whether it is of one.
func (c *checker) checkMemories(v *variable) (one bool) {
	several := v.specs.Has(ast.Shared) && v.specs.Has(ast.Constant) || v.specs.Has(ast.Managed) && v.specs&(ast.Shared|ast.Constant) != 0
	if several {
		c.errorf(v.at, codeMemory, "a variable is in one memory: '%s' has more than one of __shared__, __constant__ and __managed__", v.name)
	}
	return !several
}

// completeVariable takes the length of an array, or auto, from the initialiser, and
// computes the value of constants.
func (c *checker) completeVariable(v *variable, e *env) {
	in := v.init()
	t := v.typ
	if hasAuto(t) {
		keep := c.keep
		c.keep = true // a lambda's class is made once, for the type and for the value
		x := e.autoInit(v.typ, in, v.at, v.name)
		c.keep = keep
		if x.t.IsValid() {
			v.setType(e.types.Qualify(x.t, 0))
		} else {
			v.typ = types.Type{}
			v.failed = true
			return
		}
	}
	if v.typ.IsArray() && v.typ.Len < 0 && in != nil {
		if x := e.initializer(v.typ, in, v.at, "variable"); x != nil && !isBad(x) && x.Type().IsArray() {
			v.setType(e.types.Array(v.typ.Elem, x.Type().Len))
		}
	}
}

func (v *variable) setType(t types.Type) {
	v.typ = t
	v.hir.Type = t
}

// init returns what initialises the variable: of the definition, or the declaration in
// the class.
func (v *variable) init() *ast.Init {
	if v.def != nil && v.def.Init != nil {
		return v.def.Init
	}
	if v.decl != nil {
		return v.decl.Init
	}
	return nil
}

// initEnv is where the initialiser's names are looked up.
func (c *checker) initEnv(v *variable) *env {
	e := c.variableEnv(v)
	if v.def != nil && v.def.Init != nil && v.defIn != nil {
		e.scope = v.defIn
		e.order = 0
		if v.class != nil {
			in := newScope(blockScope, v.class.scope)
			e.scope = in
		}
	}
	return e
}

// constantValue computes the value of a variable that may be used in constant
// expressions: a constexpr one, or a const integer with a constant initialiser.
func (c *checker) constantValue(v *variable) {
	if v.valued != untouched {
		return
	}
	if !c.deeper(v.at) {
		return
	}
	v.valued = active
	defer func() {
		v.valued = done
		c.depth--
	}()
	t := v.typ
	in := v.init()
	if !t.IsValid() || in == nil {
		if t.IsValid() && v.specs.Has(ast.Constexpr) && in == nil && !t.IsClass() && v.owner == nil {
			c.errorf(v.at, codeConstexpr, "default initialization of an object of const type '%s'", t)
		}
		if in != nil || !v.specs.Has(ast.Constexpr) {
			return
		}
	}
	if !v.specs.Has(ast.Constexpr) && !(t.IsConst() && !t.IsVolatile() && (t.IsInteger() || t.IsEnum() || isStateless(t))) {
		return
	}
	e := c.initEnv(v)
	x := e.initializer(t, in, v.at, "variable")
	if x != nil && isBad(x) || v.specs.Has(ast.Constexpr) && v.owner == nil && !e.checkConstObject(v) {
		v.failed = true
		return
	}
	if x == nil {
		return
	}
	c.setConstant(e, v, x)
}

// isStateless reports whether t is the class of a lambda without captures: all of its objects are alike.
func isStateless(t types.Type) bool {
	k := classOfType(t)
	return k != nil && k.lambda != nil && len(k.lambda.inits) == 0
}

// setConstant evaluates the initialiser of a constant variable.
func (c *checker) setConstant(e *env, v *variable, x hir.Expr) {
	k, d := e.evaluate(x, v.typ)
	if k != nil {
		v.hir.Const = k
		return
	}
	if v.specs.Has(ast.Constexpr) {
		v.failed = true
		err := c.errorf(v.at, codeConstexpr, "constexpr variable '%s' must be initialized by a constant expression", v.name)
		if d != nil {
			err.Notes = append(err.Notes, noteOf(d))
		}
	}
}

// useVariable returns a use of a variable, after checking that this code may use it.
func (e *env) useVariable(v *variable, at ast.Span) hir.Expr {
	v.used = true
	if v.owner == nil {
		t := e.variableType(v)
		if !t.IsValid() || v.hir == nil {
			return e.bad(at)
		}
		e.constantValue(v)
		if !e.checkVariable(v, at) {
			return e.bad(at)
		}
		if t.Unref().IsClass() {
			e.completeType(t.Unref(), at)
		}
		return e.ref(v.hir, at)
	}
	if v.state == active && hasAuto(v.typ) {
		e.errorf(at, codeCycle, "variable '%s' declared with deduced type 'auto' cannot appear in its own initializer", v.name)
		return e.bad(at)
	}
	if !v.typ.IsValid() || v.hir == nil || v.failed {
		return e.bad(at)
	}
	if e.body != nil && v.owner != e.body && !v.hir.Static && v.hir.Space == hir.Local {
		return e.captured(v, at)
	}
	return e.ref(v.hir, at)
}

// localVar analyses the declaration of a local variable.
func (e *env) localVar(d *ast.VarDecl) {
	if len(d.Bindings) > 0 {
		e.structuredBinding(d)
		return
	}
	name, number := "", int32(0)
	at := d.Span
	if d.Name != nil {
		name, number, at = d.Name.Last.Ident, d.Name.Number, d.Name.Span
	}
	if _, basic := d.Type.(*ast.BasicType); !basic {
		e.definedIn(e.scope, d.Type)
	}
	l := e.nodes.locals.New()
	v := e.nodes.variable(e.body, d.Specs)
	v.decl, v.name, v.at, v.scope, v.specs, v.attrs, v.owner, v.state = d, name, at, e.scope, d.Specs, d.Attrs, e.body, active
	v.typ = e.localType(d, at)
	if d.Specs.Has(ast.Extern) && !d.Specs.Has(ast.Shared) {
		e.externLocal(v)
		return
	}
	if old := e.scope.declareNumbered(name, number, v); old != nil && name != "" {
		e.redefinition(at, name, old)
	} else if old == nil && name != "" {
		e.checkHidden(name, number, at)
	}
	defer func() { v.state = done }()
	if !v.typ.IsValid() {
		return
	}
	if d.Specs.Has(ast.Constexpr) {
		v.typ = e.types.Qualify(v.typ, types.Const)
	}
	v.hir = &l.hir
	v.hir.Span, v.hir.Name, v.hir.Type, v.hir.Decl = at, name, v.typ, automatic{}
	if d.Specs&memory != 0 || d.Specs.Has(ast.Static) {
		e.staticLocal(l, v)
		return
	}
	v.hir.Align = e.alignOf(d.Attrs)
	if d.Specs.Has(ast.ThreadLocal) {
		e.errorf(at, codeRefused, "'thread_local' is not supported in device code")
	}
	v.hir.Restrict = isRestrict(d.Type)
	x := e.localInit(v)
	if isBad(x) && x != nil {
		v.failed = true
		e.unexplained(v.at)
		return
	}
	if e.opts.Warnings >= warnAll || x == nil {
		e.body.locals = append(e.body.locals, v)
	}
	e.addLocal(l, d)
}

// addLocal adds the declaration of a variable to the body.
func (e *env) addLocal(l *local, d *ast.VarDecl) {
	l.list[0] = &l.hir
	l.stmt.Span, l.stmt.Vars = d.Span, l.list[:]
	e.body.add(&l.stmt)
}

// checkHidden reports a variable of the outermost block of a function or a substatement that has the
// name of a parameter or of what the statement's head declares ([basic.scope.block]/2), and one with
// the name of a template's parameter ([temp.local]/6).
func (e *env) checkHidden(name string, number int32, at ast.Span) {
	outermost := e.scope.parent
	for s := outermost; s != nil && s.kind != nsScope; s = s.parent {
		sym := s.getNumbered(name, number)
		if sym == nil || sym.what == nil {
			continue
		}
		if b, ok := sym.what.(*bound); ok {
			d := e.errorf(at, codeRedefined, "declaration of '%s' shadows template parameter", name)
			e.note(d, b.param.Span, "template parameter is declared here")
		} else if s == outermost && (s.control || s.kind == paramScope) {
			e.redefinition(at, name, sym.what)
		}
		return
	}
}

// localType resolves the declared type of a local variable.
func (e *env) localType(d *ast.VarDecl, at ast.Span) types.Type {
	if _, named := stripQual(d.Type).(*ast.NamedType); named {
		if t, ok := e.deducedType(d.Type, d.Init, at); ok {
			return t
		}
	}
	t := e.typ(d.Type)
	if t.IsVoid() {
		e.errorf(at, codeBadType, "variable has incomplete type 'void'")
		return types.Type{}
	}
	return t
}

// externLocal declares a variable of the namespace in a block.
func (e *env) externLocal(v *variable) {
	v.owner = nil
	v.state = untouched
	ns := e.scope.namespaceOf()
	if sym := ns.scope.get(v.name); sym != nil {
		if old, ok := sym.what.(*variable); ok {
			e.scope.declare(v.name, old)
			return
		}
	}
	v.scope = ns.scope
	e.scope.declare(v.name, v)
}

// localInit analyses the initialiser of an automatic variable.
func (e *env) localInit(v *variable) hir.Expr {
	d := v.decl
	if at, ok := d.Type.(*ast.AutoType); ok && at.Decltype && d.Init != nil && len(d.Init.Args) == 1 {
		t := e.decltype(&ast.DecltypeType{Span: at.Span, X: d.Init.Args[0]})
		if !t.IsValid() {
			return e.bad(v.at)
		}
		v.setType(t)
	}
	if hasAuto(v.typ) {
		a := e.autoInit(v.typ, d.Init, v.at, v.name)
		if !a.t.IsValid() {
			v.typ = types.Type{}
			return e.bad(v.at)
		}
		v.setType(a.t)
		if d.Specs.Has(ast.Constexpr) {
			v.setType(e.types.Qualify(a.t, types.Const))
		}
		v.hir.Init = a.x
	} else {
		if !v.typ.IsRef() && !(v.typ.IsArray() && v.typ.Len < 0) && !e.requireComplete(v.typ, v.at, "variable has incomplete type") {
			return e.bad(v.at)
		}
		v.hir.Init = e.initializer(v.typ, d.Init, v.at, varWord(v.typ, v.name))
	}
	if isBad(v.hir.Init) && v.hir.Init != nil {
		return v.hir.Init
	}
	if v.typ.IsArray() && v.typ.Len < 0 {
		if v.hir.Init == nil {
			e.errorf(v.at, codeArrayLen, "definition of variable with array type needs an explicit size or an initializer")
			return e.bad(v.at)
		}
		v.setType(e.types.Array(v.typ.Elem, v.hir.Init.Type().Len))
	}
	if !e.checkConstObject(v) {
		return e.bad(v.at)
	}
	e.extend(v.hir)
	if !v.typ.IsScalar() && !v.typ.IsRef() {
		v.hir.Destroy = e.destructorOf(v.typ, v.at)
	}
	v.state = done
	if v.specs.Has(ast.Constexpr) || v.typ.IsConst() && !v.typ.IsVolatile() && (v.typ.IsInteger() || v.typ.IsEnum()) {
		if v.hir.Init != nil {
			e.setConstant(e, v, v.hir.Init)
			if k := v.hir.Const; k != nil && v.typ.IsScalar() && k.Base == nil && k.String == nil {
				v.hir.Init = &hir.ConstExpr{Info: rvalueInfo(v.at, v.typ.Unqualified()), Value: *k}
			}
		} else if v.specs.Has(ast.Constexpr) {
			e.constantOfDefault(v)
		}
	}
	return v.hir.Init
}

// constantOfDefault is the value of a constexpr object whose constructor does nothing.
func (e *env) constantOfDefault(v *variable) {
	z := &hir.Zero{Info: rvalueInfo(v.at, v.typ.Unqualified())}
	e.setConstant(e, v, z)
}

func varWord(t types.Type, name string) string {
	if t.IsRef() {
		return "variable '" + name + "'"
	}
	return "variable"
}

// extend gives the temporaries that a variable's initialiser binds references to the life
// of the variable ([class.temporary]/6): itself, or members of an aggregate.
func (e *env) extend(v *hir.Var) {
	if v.Init == nil {
		return
	}
	if v.Type.IsRef() {
		e.extendBound(v.Init, v)
	} else {
		e.extendMembers(v.Init, v)
	}
}

// extendBound extends the temporary that a reference binds to.
func (e *env) extendBound(x hir.Expr, v *hir.Var) {
	for {
		switch y := x.(type) {
		case *hir.Materialize:
			y.Extend = v
			e.extendMembers(y.X, v)
			return
		case *hir.Convert:
			if y.Kind != hir.Qualify && y.Kind != hir.ToBase {
				return
			}
			x = y.X
		case *hir.Field:
			x = y.X
		case *hir.Deref: // an element of an array
			if x = subscripted(y); x == nil {
				return
			}
		default:
			return
		}
	}
}

// subscripted returns the array that a subscript is of, or nil.
func subscripted(x *hir.Deref) hir.Expr {
	b, ok := x.X.(*hir.Binary)
	if !ok || b.Op != hir.Add {
		return nil
	}
	if d, ok := b.X.(*hir.Convert); ok && d.Kind == hir.Decay {
		return d.X
	}
	return nil
}

// extendMembers extends the temporaries that references in an aggregate bind to.
func (e *env) extendMembers(x hir.Expr, v *hir.Var) {
	if c, ok := x.(*hir.Construct); ok && len(c.Args) == 2 {
		if d, ok := c.Args[0].(*hir.Convert); ok && d.Kind == hir.Decay && e.isInitializerList(classOfType(c.T)) {
			e.extendBound(d.X, v) // the array behind the list ([dcl.init.list]/6)
		}
	}
	a, ok := x.(*hir.Aggregate)
	if !ok {
		return
	}
	for _, el := range a.Bases {
		e.extendMembers(el, v)
	}
	for _, el := range a.Elems {
		e.extendMembers(el, v)
	}
	if k := classOfType(a.T); k != nil {
		for i, el := range a.Fields {
			switch {
			case el == nil:
			case k.fields[i].t.Type.IsRef():
				e.extendBound(el, v)
			default:
				e.extendMembers(el, v)
			}
		}
	}
}

// staticLocal analyses a static or __shared__ variable of a function.
func (e *env) staticLocal(l *local, v *variable) {
	d := v.decl
	h := v.hir
	h.Static, h.Decl = true, v
	one := e.checkMemories(v)
	h.Space = spaceOf(d.Specs)
	if h.Space == hir.Local || e.opts.Host {
		h.Space = hir.Device
	}
	if h.Space == hir.Shared && d.Specs.Has(ast.Extern) {
		h.Space = hir.SharedX
	}
	if one && (h.Space == hir.Managed || d.Specs&(ast.Device|ast.Constant) != 0 && !d.Specs.Has(ast.Static)) {
		e.errorf(v.at, codeMemory, "__device__, __constant__ and __managed__ variables cannot be declared in a function unless they are static")
	}
	h.Align = e.alignOf(d.Attrs)
	if hasAuto(v.typ) {
		a := e.autoInit(v.typ, d.Init, v.at, v.name)
		if !a.t.IsValid() {
			v.failed = true
			return
		}
		v.setType(a.t)
	}
	if h.Space != hir.SharedX && !(v.typ.IsArray() && v.typ.Len < 0) && !v.typ.IsRef() && !e.requireComplete(v.typ, v.at, "variable has incomplete type") {
		v.failed = true
		return
	}
	h.Symbol = e.mangleLocal(v)
	e.staticInit(v, e)
	e.addLocal(l, d)
	e.initOnce(v)
}

// staticInit analyses the initialiser of a variable of static storage: it must be
// constant, and __shared__ variables have none.
func (c *checker) staticInit(v *variable, e *env) {
	h := v.hir
	in := v.init()
	shared := h.Space == hir.Shared || h.Space == hir.SharedX
	if shared && in != nil {
		c.errorf(v.at, codeMemory, "initialization is not supported for __shared__ variables")
		return
	}
	if h.Const != nil {
		h.Value = h.Const
		return
	}
	if v.specs.Has(ast.Extern) && in == nil {
		if _, declared := c.variableLinkage(v); !shared && h.Builtin == "" && !declared {
			d := c.errorf(v.at, codeUndefined, "variable '%s' has no definition in this translation unit, which device code needs", v.name)
			d.Hint = c.undefinedHint()
		}
		return
	}
	if in == nil && v.typ.Element().Is(types.ClassKind) && !e.requireComplete(v.typ, v.at, "variable has incomplete type") {
		return
	}
	sub := *e
	sub.folding = true // const variables of floating type are constants for nvcc and clang here
	e = &sub
	x := e.initializer(v.typ, in, v.at, varWord(v.typ, v.name))
	if in == nil && x == nil && v.typ.IsConst() {
		return
	}
	if isBad(x) && x != nil {
		v.failed = true
		return
	}
	if v.typ.IsArray() && v.typ.Len < 0 && x != nil {
		v.setType(c.types.Array(v.typ.Elem, x.Type().Len))
	}
	if e.destructorOf(v.typ, v.at) != nil && (c.opts.Host || !e.hasEmptyDestructor(v.typ)) {
		if c.opts.Host {
			c.errorf(v.at, codeDynamicInit, "'%s' has a destructor that is not trivial: static variables with one are not supported in device code", v.name)
			return
		}
		c.errorf(v.at, codeDynamicInit, "'%s' has a destructor that is not trivial: variables of %s memory cannot", v.name, spaceWord(h.Space))
		return
	}
	if x == nil || in == nil && !c.opts.Host && e.hasEmptyConstructor(v.typ) {
		return
	}
	if _, zero := x.(*hir.Zero); shared || zero {
		if shared {
			c.errorf(v.at, codeDynamicInit, "the constructor of __shared__ variable '%s' is not trivial: initialization is not supported for __shared__ variables", v.name)
		}
		return
	}
	k, d := e.evaluate(x, v.typ)
	if k == nil && c.opts.Host {
		c.computeInitial(e, v, x)
		return
	}
	if k == nil {
		err := c.errorf(v.at, codeDynamicInit, "dynamic initialization is not supported for __device__, __constant__, __shared__, and __managed__ variables")
		if d != nil {
			err.Notes = append(err.Notes, noteOf(d))
		}
		return
	}
	h.Value = k
	if v.owner != nil && v.typ.IsConst() && (v.typ.IsInteger() || v.typ.IsEnum()) || v.specs.Has(ast.Constexpr) {
		h.Const = k
	}
}

func spaceWord(s hir.Space) string {
	return [...]string{"local", "__device__", "__constant__", "__shared__", "__shared__", "__managed__"}[s]
}

// An autoInit is what auto and the initialiser were deduced to.
type autoResult struct {
	t types.Type
	x hir.Expr
}

func hasAuto(t types.Type) bool {
	for t.Node != nil {
		switch t.Kind {
		case types.Auto:
			return true
		case types.Pointer, types.LRef, types.RRef, types.Array:
			t = t.Elem
		default:
			return false
		}
	}
	return false
}

// autoInit deduces auto in a declared type from the initialiser.
func (e *env) autoInit(t types.Type, in *ast.Init, at ast.Span, name string) autoResult {
	if in == nil || len(in.Args) == 0 {
		e.errorf(at, codeAuto, "declaration of variable '%s' with deduced type '%s' requires an initializer", name, t)
		return autoResult{}
	}
	src := in.Args[0]
	if l, ok := src.(*ast.InitList); ok && in.Kind == ast.ListInit {
		if len(l.Elems) != 1 {
			e.errorf(at, codeAuto, "initializer for variable '%s' with type 'auto' contains multiple expressions", name)
			return autoResult{}
		}
		src = l.Elems[0].Value
	}
	if _, ok := src.(*ast.InitList); ok || len(in.Args) > 1 {
		e.errorf(at, codeAuto, "cannot deduce actual type for variable '%s' with type 'auto' from an initializer list", name)
		return autoResult{}
	}
	x := e.expr(src)
	if isBad(x) {
		return autoResult{}
	}
	r := e.deduceAuto(t, x, name)
	if !r.IsValid() {
		return autoResult{}
	}
	if r.IsRef() || !r.IsClass() {
		return autoResult{r, e.convertTo(x, r, "variable")}
	}
	return autoResult{r, e.copyOf(x, r)}
}

func (e *env) copyOf(x hir.Expr, t types.Type) hir.Expr {
	if !e.requireComplete(t, spanOf(x), "variable has incomplete type") {
		return e.bad(x)
	}
	return e.copyObject(x, t)
}

// deduceAuto returns a type with auto replaced by what an expression gives it.
func (e *env) deduceAuto(t types.Type, x hir.Expr, name string) types.Type {
	if o, ok := x.(*overloadExpr); ok {
		x = e.single(o)
		if isBad(x) {
			return types.Type{}
		}
	}
	from := x.Type()
	fail := func() types.Type {
		e.errorf(x, codeAuto, "variable '%s' with type '%s' has incompatible initializer of type '%s'", name, t, from)
		return types.Type{}
	}
	e.lastAuto = types.Type{}
	var match func(p, a types.Type) types.Type
	match = func(p, a types.Type) types.Type {
		switch {
		case p.Is(types.Auto):
			a.CV &^= p.CV
			e.lastAuto = a
			return a
		case p.Is(types.Pointer) && a.Is(types.Pointer):
			return match(p.Elem, a.Elem)
		}
		return types.Type{}
	}
	switch {
	case t.Is(types.RRef) && t.Elem.Is(types.Auto) && t.Elem.CV == 0:
		if x.Category() == hir.LValue {
			return e.types.Ref(from, false)
		}
		return e.types.Ref(from, true)
	case t.IsRef():
		p, a := t.Elem, from
		if p.Is(types.Auto) && a.IsArray() {
			return e.types.Ref(e.types.Qualify(a, p.CV), t.Is(types.RRef))
		}
		auto := match(p, a)
		if !auto.IsValid() {
			return fail()
		}
		return e.types.Ref(e.withAuto(p, auto), t.Is(types.RRef))
	}
	auto := match(t, e.types.Decayed(from))
	if !auto.IsValid() || auto.IsVoid() && t.Is(types.Auto) {
		return fail()
	}
	return e.withAuto(t, auto)
}

// withAuto replaces auto in a type.
func (e *env) withAuto(t, auto types.Type) types.Type {
	switch t.Kind {
	case types.Auto:
		return e.types.Qualify(auto, t.CV)
	case types.Pointer:
		return e.types.Qualify(e.types.Pointer(e.withAuto(t.Elem, auto)), t.CV)
	case types.LRef, types.RRef:
		return e.types.Ref(e.withAuto(t.Elem, auto), t.Is(types.RRef))
	}
	return t
}
