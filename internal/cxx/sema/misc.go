package sema

import (
	"strings"

	"irgl/internal/cpp"
	"irgl/internal/cxx/ast"
	"irgl/internal/cxx/hir"
	"irgl/internal/cxx/types"
)

const assignWord = cpp.Equal

// textOf returns the source text of a range.
func textOf(s ast.Span) string {
	from, to := s.Pos(), s.End()
	if from.File == nil || to.Offset < from.Offset {
		return ""
	}
	return string(from.File.Content[from.Offset:to.Offset])
}

// sameText reports whether two ranges have the same text, white space aside.
func sameText(a, b ast.Span) bool {
	return strings.Join(strings.Fields(textOf(a)), "") == strings.Join(strings.Fields(textOf(b)), "")
}

// signatureSpan is the range of a function's parameters.
func signatureSpan(d *ast.FuncDecl) ast.Span {
	if d.Type == nil || len(d.Type.Params) == 0 {
		return ast.Span{}
	}
	return ast.Range(d.Type.Params[0].Pos(), d.Type.Params[len(d.Type.Params)-1].End())
}

func resultSpan(d *ast.FuncDecl) ast.Span {
	if d.Type == nil || d.Type.Result == nil {
		return ast.Span{}
	}
	return spanOf(d.Type.Result)
}

// operandOp, increment and indirect are operators on operands of any type.
func (e *env) operandOp(at ast.Span, sign string, a, b hir.Expr) hir.Expr {
	if overloadable(a) || overloadable(b) {
		if r := e.operatorCall(at, sign, cpp.NotEqual, []hir.Expr{a, b}); r != nil {
			return r
		}
	}
	return e.arithmetic(at, hir.Ne, a, b)
}

func (e *env) increment(at ast.Span, a hir.Expr) hir.Expr {
	if overloadable(a) {
		if r := e.operatorCall(at, "++", cpp.PlusPlus, []hir.Expr{a}); r != nil {
			return r
		}
	}
	return e.incDec(at, a, false, false)
}

func (e *env) indirect(at ast.Span, a hir.Expr) hir.Expr {
	if overloadable(a) {
		if r := e.operatorCall(at, "*", cpp.Star, []hir.Expr{a}); r != nil {
			return r
		}
	}
	return e.builtinUnary(at, cpp.Star, a)
}

// fold2 expands a fold expression (C++17, 8.1.6).
func (e *env) fold2(x *ast.FoldExpr) hir.Expr {
	pattern, init, right := x.X, x.Y, true // X op ...
	switch {
	case x.X == nil:
		pattern, init, right = x.Y, nil, false
	case x.Y != nil:
		// The side with the pack is the pattern.
		if e.hasPack(x.X) {
			pattern, init, right = x.X, x.Y, true
		} else {
			pattern, init, right = x.Y, x.X, false
		}
	}
	var list []hir.Expr
	if !e.expand(x, func(e *env) { e.expr(pattern) }, func(e *env) { list = append(list, e.expr(pattern)) }) || anyBad(list) {
		return e.bad(x)
	}
	var acc hir.Expr
	if init != nil {
		if acc = e.expr(init); isBad(acc) {
			return acc
		}
	}
	if len(list) == 0 && acc == nil {
		switch x.Op {
		case cpp.AmpAmp:
			return e.intConst(1, e.basic(types.Bool), x.Span)
		case cpp.PipePipe:
			return e.intConst(0, e.basic(types.Bool), x.Span)
		case cpp.Comma:
			return &hir.Convert{Info: rvalueInfo(x.Span, e.basic(types.Void)), Kind: hir.ToVoid, X: e.intConst(0, e.basic(types.Int), x.Span)}
		}
		e.errorf(x, codePack, "unary fold expression has empty expansion for operator '%s' with no fallback value", x.Op)
		return e.bad(x)
	}
	for i := range list {
		next := list[i]
		if right {
			next = list[len(list)-1-i]
		}
		switch {
		case acc == nil:
			acc = next
		case right:
			acc = e.combine(x, next, acc)
		default:
			acc = e.combine(x, acc, next)
		}
		if isBad(acc) {
			return acc
		}
	}
	return acc
}

// hasPack reports whether an expression names a pack.
func (e *env) hasPack(x ast.Expr) bool {
	p := &expansion{n: -1}
	sub := *e
	sub.pack = p
	e.fails(func() { sub.expr(x) })
	return p.n >= 0
}

// combine applies the operator of a fold expression.
func (e *env) combine(x *ast.FoldExpr, a, b hir.Expr) hir.Expr {
	if overloadable(a) || overloadable(b) {
		if r := e.operatorCall(x.Span, x.Op.String(), x.Op, []hir.Expr{a, b}); r != nil {
			return r
		}
	}
	if op, ok := assignOps[x.Op]; ok {
		return e.assign(x.Span, a, op, b)
	}
	if x.Op == cpp.Comma {
		a, b = e.discard(a), e.single(b)
		if isBad(a) || isBad(b) {
			return e.bad(x)
		}
		return &hir.Comma{Info: hir.Info{Span: x.Span, T: b.Type(), Cat: b.Category()}, X: a, Y: b}
	}
	return e.arithmetic(x.Span, binaryOps[x.Op], a, b)
}

// patternValue returns an expression in a pattern as an argument: a parameter, a value,
// or what depends on parameters.
func (e *env) patternValue(x ast.Expr) types.Arg {
	if n, ok := stripParens(x).(*ast.NameExpr); ok && n.Name.Plain() != "" {
		f := e.lookup(n.Name.Plain(), anything)
		if b, ok := f.obj.(*bound); ok && b.arg.Kind == types.DependentValue {
			if b.param.Pack && e.pack != nil {
				e.pack.n = max(e.pack.n, 1)
			}
			return b.arg
		} else if ok && b.arg.Kind == types.PackArg && e.pack != nil && e.pack.index < len(b.arg.Pack) {
			if el := b.arg.Pack[e.pack.index]; el.Kind == types.DependentValue {
				e.pack.n = len(b.arg.Pack)
				return el
			}
		}
	}
	var v hir.Expr
	var a types.Arg
	ok := false
	d := e.try(func() {
		v = e.expr(x)
		if isBad(v) {
			return
		}
		if o, isSet := v.(*overloadExpr); isSet {
			o.addr = true
		}
		if v = e.single(v); !isBad(v) {
			a, ok = e.constantArg(v, v.Type(), spanOf(x))
		}
	})
	if d != nil || !ok {
		if l, isLiteral := stripParens(x).(*ast.Literal); isLiteral { // a malformed one, whose value dependentExpr would ask for here
			return types.Arg{Kind: types.DependentValue, Expr: &types.Expr{Op: "?", Text: textOf(l.Span)}}
		}
		return types.Arg{Kind: types.DependentValue, Expr: e.dependentExpr(x)}
	}
	return a
}

// exprCodes are the ABI's codes of operators, for the names of instances whose
// signatures have expressions in them.
var exprCodes = map[cpp.Word]string{
	cpp.Plus: "pl", cpp.Minus: "mi", cpp.Star: "ml", cpp.Slash: "dv", cpp.Percent: "rm", cpp.Less: "lt", cpp.Greater: "gt",
	cpp.LessEqual: "le", cpp.GreaterEqual: "ge", cpp.EqualEqual: "eq", cpp.NotEqual: "ne", cpp.AmpAmp: "aa", cpp.PipePipe: "oo",
	cpp.LessLess: "ls", cpp.GreaterGreater: "rs", cpp.Amp: "an", cpp.Pipe: "or", cpp.Caret: "eo",
}

// dependentExpr describes an expression that depends on parameters.
func (e *env) dependentExpr(x ast.Expr) *types.Expr {
	out := &types.Expr{Op: "?", Text: textOf(spanOf(x))}
	switch x := stripParens(x).(type) {
	case *ast.NameExpr:
		return e.dependentName(x, out)
	case *ast.BinaryExpr:
		if code := exprCodes[x.Op]; code != "" {
			out.Op = code
			out.Args = []*types.Expr{e.dependentExpr(x.X), e.dependentExpr(x.Y)}
		}
	case *ast.UnaryExpr:
		if code := map[cpp.Word]string{cpp.Not: "nt", cpp.Minus: "ng", cpp.Tilde: "co"}[x.Op]; code != "" {
			out.Op = code
			out.Args = []*types.Expr{e.dependentExpr(x.X)}
		}
	case *ast.CondExpr:
		if x.Then != nil {
			out.Op = "qu"
			out.Args = []*types.Expr{e.dependentExpr(x.Cond), e.dependentExpr(x.Then), e.dependentExpr(x.Else)}
		}
	case *ast.SizeofExpr:
		if x.Type != nil && x.X == nil || x.Ambiguous {
			out.Op = map[bool]string{false: "st", true: "at"}[x.Align]
			out.Type = e.patternType(x.Type)
		}
	case *ast.SizeofPackExpr:
		f := e.lookup(x.Name.Name, anything)
		if b, ok := f.obj.(*bound); ok {
			out.Op = "sZ"
			out.Param = b.arg.Pattern
			if b.arg.Type.Is(types.Param) {
				out.Param = b.arg.Type.Param
			}
		}
	case *ast.Literal:
		if a := e.patternValue(x); a.Kind == types.ValueArg {
			out.Op, out.Type, out.Value = "", a.Type, a.Value
		}
	}
	return out
}

// dependentName describes a name that depends on parameters: a parameter itself, or a
// member of a dependent type.
func (e *env) dependentName(x *ast.NameExpr, out *types.Expr) *types.Expr {
	if x.Name.Plain() != "" {
		f := e.lookup(x.Name.Plain(), anything)
		if b, ok := f.obj.(*bound); ok && b.arg.Kind == types.DependentValue {
			out.Op, out.Param, out.Type = "", b.arg.Pattern, b.arg.Type
			return out
		}
		if a := e.tryConstant(x); a.Kind == types.ValueArg {
			out.Op, out.Type, out.Value = "", a.Type, a.Value
		}
		return out
	}
	var q qualifier
	if !e.fails(func() { q = e.qualifier(x.Name) }) && q.typ.Dependent() {
		out.Op, out.Type, out.Name = "sr", q.typ, x.Name.Last.Ident
		if x.Name.Last.HasArgs {
			out.TArgs, _ = e.rawArgs(x.Name.Last.Args)
		}
	}
	return out
}

func (e *env) tryConstant(x ast.Expr) (a types.Arg) {
	e.fails(func() {
		if v := e.expr(x); !isBad(v) {
			a, _ = e.constantArg(v, v.Type(), spanOf(x))
		}
	})
	return a
}

// fullName returns a function's name as messages and lists show it.
func (c *checker) fullName(f *function) string {
	name := f.name
	if f.kind == ast.Conversion && f.typ.Node != nil {
		name = "operator " + f.result().String()
	}
	if f.of != nil {
		name += types.ArgList(f.args)
	}
	if f.class != nil {
		return types.QualifiedName(f.class.t, name)
	}
	return types.QualifiedName(f.scope.typesScope(), name)
}

// mangle returns the symbol of a function.
func (c *checker) mangle(f *function) string {
	if f.attrs != nil && f.attrs.Builtin != "" {
		return f.name
	}
	if f.typ.Node == nil {
		return f.name
	}
	f.symbol = c.symbolOf(f)
	return types.Mangle(f.symbol)
}

// symbolOf returns what a function's mangled name is made of.
func (c *checker) symbolOf(f *function) *types.Symbol {
	s := &types.Symbol{Kind: types.FuncSymbol, Name: f.name, Type: f.typ, Args: f.args, Template: f.of != nil}
	if f.of != nil {
		c.signature(f.of.fn)
		s.Type = f.of.fn.typ
	}
	switch {
	case f.class != nil:
		s.Scope = f.class.t
	default:
		s.Scope = f.scope.namespaceOf()
		s.External = f.has(ast.ExternC) && f.of == nil
		s.Internal = f.has(ast.Static)
	}
	switch f.kind {
	case ast.Constructor:
		s.Kind = types.ConstructorSymbol
	case ast.Destructor:
		s.Kind = types.DestructorSymbol
	case ast.Conversion:
		s.Kind, s.Target = types.ConversionSymbol, s.Type.Elem
	default:
		if sign, ok := strings.CutPrefix(f.name, "operator"); ok && sign != "" && !isWordByte(sign[0]) {
			s.Kind, s.Name = types.OperatorSymbol, strings.TrimSpace(sign)
			n := len(f.params)
			if f.isMember() {
				n++
			}
			s.Unary = n == 1
			if strings.HasPrefix(sign, " \"\"") {
				s.Kind, s.Name = types.LiteralSymbol, strings.TrimPrefix(sign, " \"\"")
			}
		}
	}
	return s
}

func isWordByte(c byte) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}

// mangleVar returns the symbol of a variable that is not local.
func (c *checker) mangleVar(v *variable) string {
	s := &types.Symbol{Kind: types.VarSymbol, Name: v.name, Type: v.typ, Args: v.args, Template: v.tmpl != nil}
	if v.class != nil {
		s.Scope = v.class.t
	} else {
		s.Scope = v.scope.namespaceOf()
		s.External = v.specs.Has(ast.ExternC)
		s.Internal = v.specs.Has(ast.Static) || v.typ.Node != nil && v.typ.IsConst() && !v.typ.IsVolatile() && !v.external && !v.specs.Has(ast.Inline) && v.tmpl == nil
	}
	return types.Mangle(s)
}

// mangleLocal returns the symbol of a static or __shared__ variable of a function.
func (e *env) mangleLocal(v *variable) string {
	b := e.body
	if v.hir.Space == hir.SharedX {
		return v.name
	}
	if b.statics == nil {
		b.statics = map[string]int{}
	}
	n := b.statics[v.name]
	b.statics[v.name]++
	sym := b.hir.Symbol
	if s, ok := strings.CutPrefix(sym, "_Z"); ok {
		sym = s
	} else {
		sym = decimal(len(sym)) + sym
	}
	out := "_ZZ" + sym + "E" + decimal(len(v.name)) + v.name
	switch {
	case n == 1:
		out += "_0"
	case n > 1 && n <= 10:
		out += "_" + decimal(n-1)
	case n > 10:
		out += "__" + decimal(n-1) + "_"
	}
	return out
}

// deducedClass returns the class template that a type names without arguments, which
// class template argument deduction gives it.
func (e *env) deducedClass(t ast.TypeExpr) (*template, bool) {
	n, ok := stripQual(t).(*ast.NamedType)
	if !ok || n.Name.Last.HasArgs || n.Name.Last.Kind != ast.Identifier {
		return nil, false
	}
	var f finding
	if n.Name.Plain() != "" {
		f = e.lookup(n.Name.Last.Ident, anything)
	} else if e.fails(func() { f = e.lookupName(n.Name, anything) }) {
		return nil, false
	}
	tm, ok := f.obj.(*template)
	if !ok || tm.kind != classTemplate {
		return nil, false
	}
	return tm, true
}

// classFromInit deduces the arguments of a class template from an initialiser.
func (e *env) classFromInit(t *template, in *ast.Init, at ast.Span) types.Type {
	var args []hir.Expr
	if in != nil {
		for _, a := range in.Args {
			if l, ok := a.(*ast.InitList); ok && in.Kind != ast.DirectInit {
				args = append(args, e.listOf(l).values()...)
			} else {
				args = append(args, e.exprs([]ast.Expr{a})...)
			}
		}
	}
	if anyBad(args) {
		return types.Type{}
	}
	return e.deduceClassType(t, args, at)
}

// deduceClass makes an object of a class template whose arguments are deduced.
func (e *env) deduceClass(t *template, args []hir.Expr, at ast.Span, direct bool) hir.Expr {
	if anyBad(args) {
		return e.bad(at)
	}
	x := e.deduceClassType(t, args, at)
	if !x.IsValid() {
		return e.bad(at)
	}
	if !e.requireComplete(x, at, "initialization of incomplete type") {
		return e.bad(at)
	}
	if k := classOfType(x); k.t.Aggregate && !(len(args) == 1 && args[0].Type().Unqualified() == x) {
		l := &listExpr{Info: rvalueInfo(at, e.basic(types.InitList)), list: &ast.InitList{Span: at}, env: *e, elems: args}
		for range args {
			l.list.Elems = append(l.list.Elems, &ast.InitElem{Span: at})
		}
		a := &hir.Aggregate{Info: rvalueInfo(at, x), Fields: make([]hir.Expr, len(k.fields))}
		for i, f := range k.fields {
			if i < len(args) {
				a.Fields[i] = e.convertTo(args[i], f.t.Type, "a member subobject")
			} else {
				a.Fields[i] = e.missingElement(f.t.Type, at, f)
			}
			if isBad(a.Fields[i]) {
				return e.bad(at)
			}
		}
		return a
	}
	return e.directInit(x, args, at, "value")
}

// deduceClassType returns the instance that the guides and constructors of a class
// template choose for arguments.
func (e *env) deduceClassType(t *template, args []hir.Expr, at ast.Span) types.Type {
	var set candidates
	if len(args) == 1 {
		if k := classOfType(args[0].Type()); k != nil && k.tmpl == t {
			return args[0].Type().Unqualified()
		}
	}
	for _, g := range e.deductionGuides(t) {
		set.consider(e, g, nil, args, nil, callFlags{})
	}
	best, ambiguous := set.best(e)
	switch {
	case best == nil:
		e.noMatch(at, &set, args, "no viable constructor or deduction guide for deduction of template arguments of '%s'", t.name)
		return types.Type{}
	case ambiguous:
		e.ambiguity(at, &set, args, "ambiguous deduction for template arguments of '%s'", t.name)
		return types.Type{}
	}
	return best.fn.result().Unqualified()
}

// deductionGuides returns the guides of a class template: those written, and one for
// each constructor of the template.
func (e *env) deductionGuides(t *template) []*function {
	if t.ctors != nil {
		return t.ctors
	}
	t.ctors = []*function{}
	written := true
	add := func(params []*ast.TemplateParam, defaults []*ast.TemplateArg, fps []*ast.Param, result ast.TypeExpr, s *scope, variadic bool) {
		d := &ast.FuncDecl{Span: t.at, Specs: ast.Device | ast.Host, Name: nameOf(t.name, t.at), Type: &ast.FuncType{Span: t.at, Params: fps, Result: result, Variadic: variadic}}
		f := e.newFunction(s, d)
		f.order, f.defOrder, f.guide = 0, 0, written
		if len(params) > 0 {
			f.tmpl = &template{kind: funcTemplate, name: t.name, at: t.at, params: params, defaults: defaults, scope: s, decl: d, fn: f}
		}
		e.signature(f)
		if !f.bad {
			t.ctors = append(t.ctors, f)
		}
	}
	for _, g := range t.guides {
		add(g.params, (&template{}).defaultsOf(g.params), g.decl.Params, g.decl.Type, g.scope, false)
	}
	written = false
	k, ok := t.decl.(*ast.ClassDecl)
	if !ok {
		return t.ctors
	}
	self := selfType(t)
	found := false
	var fields []*ast.Param
	for _, m := range k.Members {
		params, defaults := t.params, t.defaults
		if tm, ok := m.(*ast.TemplateDecl); ok {
			params = append(append([]*ast.TemplateParam(nil), params...), tm.Params...)
			defaults = append(append([]*ast.TemplateArg(nil), defaults...), (&template{}).defaultsOf(tm.Params)...)
			m = tm.Decl
		}
		switch d := m.(type) {
		case *ast.FuncDecl:
			if d.Kind == ast.Constructor {
				found = true
				if !d.Deleted {
					add(params, defaults, d.Type.Params, self, e.guideScope(t, k), d.Type.Variadic)
				}
			}
		case *ast.VarDecl:
			if !d.Specs.Has(ast.Static) && d.Name != nil {
				fields = append(fields, &ast.Param{Span: d.Span, Type: d.Type})
			}
		}
	}
	if !found {
		add(t.params, t.defaults, nil, self, t.scope, false)
		if len(k.Bases) == 0 && len(fields) > 0 { // as C++20 does for aggregates
			add(t.params, t.defaults, fields, self, e.guideScope(t, k), false)
		}
	}
	return t.ctors
}

func (t *template) defaultsOf(params []*ast.TemplateParam) []*ast.TemplateArg {
	t.addDefaults(params)
	return t.defaults
}

// guideScope is where the types of a template's constructors are looked up: the class's
// own aliases are seen.
func (e *env) guideScope(t *template, k *ast.ClassDecl) *scope { return t.scope }

// selfType returns the name of a template with its own parameters as arguments.
func selfType(t *template) ast.TypeExpr {
	seg := &ast.Segment{Span: t.at, Ident: t.name, HasArgs: true}
	for _, p := range t.params {
		a := &ast.TemplateArg{Span: p.Span, Pack: p.Pack}
		name := nameOf("", p.Span)
		if p.Name != nil {
			name = nameOf(p.Name.Name, p.Span)
		}
		switch p.Kind {
		case ast.ValueParam:
			a.Expr = &ast.NameExpr{Span: p.Span, Name: name}
		default:
			a.Type = &ast.NamedType{Span: p.Span, Name: name}
		}
		seg.Args = append(seg.Args, a)
	}
	return &ast.NamedType{Span: t.at, Name: &ast.Name{Span: t.at, Last: seg}}
}

// builtinCall analyses a call of one of the compiler's functions that take or give what
// no declaration can say; nil for other names.
func (e *env) builtinCall(x *ast.CallExpr, name string) hir.Expr {
	if !strings.HasPrefix(name, "__builtin_") {
		return nil
	}
	args := e.exprs(x.Args)
	if anyBad(args) {
		return e.bad(x)
	}
	switch {
	case name == "__builtin_addressof" && len(args) == 1:
		return e.address(x.Span, e.single(args[0]))
	case name == "__builtin_expect" && len(args) >= 2:
		return e.convertTo(args[0], e.basic(types.Long), "parameter")
	case name == "__builtin_assume" && len(args) == 1:
		return &hir.Convert{Info: rvalueInfo(x.Span, e.basic(types.Void)), Kind: hir.ToVoid, X: e.toBool(args[0])}
	case name == "__builtin_constant_p" && len(args) == 1:
		n := uint64(0)
		if e.fold(e.load(args[0])) != nil {
			n = 1
		}
		return e.intConst(n, e.basic(types.Int), x.Span)
	case name == "__builtin_is_constant_evaluated":
		return e.intConst(0, e.basic(types.Bool), x.Span)
	}
	return nil
}
