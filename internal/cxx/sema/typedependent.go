package sema

import (
	"slices"

	"irgl/internal/cpp"
	"irgl/internal/cxx/ast"
)

// A dependence decides, in an instance of a template, whether an expression or a type was
// dependent in the template ([temp.dep]): names in a call without type-dependent arguments
// are bound where the template is defined, and later functions do not count.
//
// The instance has values for the parameters, so the syntax is asked, with what its names
// mean in the instance. What the rules cannot tell from it counts as dependent.
type dependence struct {
	*env
	depth int
}

// typeDependent reports whether one of the operands of a call was type-dependent.
func (e *env) typeDependent(operands []ast.Expr) bool {
	d := &dependence{env: e}
	return slices.ContainsFunc(operands, d.expr)
}

// in returns the same question for names that are looked up in another scope.
func (d *dependence) in(s *scope) *dependence {
	if s == nil {
		return d
	}
	sub := *d.env
	sub.scope, sub.order = s, 0
	return &dependence{&sub, d.depth + 1}
}

// expr reports whether an expression is type-dependent ([temp.dep.expr]).
//
//irgl:flatswitch
func (d *dependence) expr(x ast.Expr) bool {
	switch x := x.(type) {
	case nil:
		return false
	case *ast.Literal, *ast.SizeofExpr, *ast.SizeofPackExpr, *ast.NoexceptExpr, *ast.TraitExpr, *ast.OffsetofExpr, *ast.DeleteExpr:
		return false
	case *ast.ParenExpr:
		return d.expr(x.X)
	case *ast.UnaryExpr:
		return d.expr(x.X)
	case *ast.PostfixExpr:
		return d.expr(x.X)
	case *ast.BinaryExpr:
		return d.expr(x.X) || d.expr(x.Y)
	case *ast.CondExpr:
		return d.expr(x.Cond) || d.expr(x.Then) || d.expr(x.Else)
	case *ast.IndexExpr:
		return d.expr(x.X) || d.expr(x.Index)
	case *ast.CallExpr:
		return d.expr(x.Fun) || slices.ContainsFunc(x.Args, d.expr)
	case *ast.InitList:
		return slices.ContainsFunc(x.Elems, func(el *ast.InitElem) bool { return d.expr(el.Value) })
	case *ast.CastExpr:
		return d.typ(x.Type)
	case *ast.NamedCastExpr:
		return d.typ(x.Type)
	case *ast.ConstructExpr:
		return d.typ(x.Type)
	case *ast.NewExpr:
		return d.typ(x.Type)
	case *ast.NameExpr:
		return d.name(x.Name)
	case *ast.MemberExpr:
		return d.member(x)
	case *ast.ThisExpr:
		return d.enclosed(d.scope)
	}
	return true
}

// member reports whether X.Name is type-dependent. A member of the current instantiation
// is as its own type is.
func (d *dependence) member(x *ast.MemberExpr) bool {
	if _, this := stripParens(x.X).(*ast.ThisExpr); this && x.Name.Plain() != "" {
		if k := d.scope.classOf(); k != nil {
			if sym := k.scope.get(x.Name.Plain()); sym != nil {
				return d.object(sym.what, x.Name.Last)
			}
		}
		return true
	}
	return d.expr(x.X) || x.Name == nil || len(x.Name.Quals) > 0 || d.args(x.Name.Last)
}

// name reports whether a name in an expression is type-dependent.
func (d *dependence) name(n *ast.Name) bool {
	if n.Decltype != nil || n.Last.Kind != ast.Identifier || d.qualified(n) {
		return true
	}
	var f finding
	if d.fails(func() { f = d.lookupName(n, anything) }) || d.args(n.Last) {
		return true
	}
	if !f.found() {
		return false // the arguments of a call find it
	}
	return d.object(f.obj, n.Last)
}

// qualified reports whether what is before the last :: of a name is dependent.
func (d *dependence) qualified(n *ast.Name) bool {
	for i, s := range n.Quals {
		if d.args(s) || i == 0 && !n.Global && d.typeName(&ast.Name{Span: s.Span, Last: s}) {
			return true
		}
	}
	return false
}

// object reports whether a use of an entity in an expression is type-dependent.
func (d *dependence) object(o object, s *ast.Segment) bool {
	switch o := o.(type) {
	case *bound:
		return o.param.Kind != ast.ValueParam || d.typ(o.param.Type)
	case *variable:
		return d.variable(o)
	case *field:
		return o.decl == nil || d.in(o.class.scope).typ(o.decl.Type)
	case *enumConst:
		return d.enclosed(o.enum.scope)
	case *overloads:
		return o.scope.kind != nsScope
	case *template:
		return o.kind == paramTemplate || d.enclosed(o.scope) || !s.HasArgs && o.kind == classTemplate // its arguments are deduced
	case *class, *alias, *enum:
		return d.typeObject(o)
	}
	return true
}

// variable reports whether the type of a variable was dependent.
func (d *dependence) variable(v *variable) bool {
	if d.depth > maxParamDepth {
		return true
	}
	switch {
	case v.spelled != nil: // a parameter
		d.depth++
		defer func() { d.depth-- }()
		return d.typ(v.spelled)
	case v.decl == nil, v.decl.Type == nil:
		return true
	case !hasAutoType(v.decl.Type):
		return d.in(v.scope).typ(v.decl.Type)
	case v.decl.Init == nil || len(v.decl.Init.Args) != 1:
		return true
	}
	return d.in(v.scope).expr(v.decl.Init.Args[0])
}

// maxParamDepth is how many declarations deep a dependence is looked for.
const maxParamDepth = 32

// hasAutoType reports whether the initialiser says what a variable's type is.
func hasAutoType(t ast.TypeExpr) bool {
	switch t := t.(type) {
	case *ast.AutoType:
		return true
	case *ast.QualType:
		return hasAutoType(t.Elem)
	case *ast.PointerType:
		return hasAutoType(t.Elem)
	case *ast.RefType:
		return hasAutoType(t.Elem)
	}
	return false
}

// typ reports whether a type is dependent ([temp.dep.type]).
func (d *dependence) typ(t ast.TypeExpr) bool {
	switch t := t.(type) {
	case nil, *ast.BasicType:
		return false
	case *ast.QualType:
		return d.typ(t.Elem)
	case *ast.PointerType:
		return d.typ(t.Elem)
	case *ast.RefType:
		return d.typ(t.Elem)
	case *ast.ArrayType:
		return d.typ(t.Elem) || d.value(t.Len)
	case *ast.MemberPointerType:
		return d.typeName(t.Class) || d.typ(t.Elem)
	case *ast.FuncType:
		return d.typ(t.Result) || slices.ContainsFunc(t.Params, func(p *ast.Param) bool { return d.typ(p.Type) })
	case *ast.DecltypeType:
		return d.expr(t.X)
	case *ast.TraitType:
		return slices.ContainsFunc(t.Args, d.typ)
	case *ast.NamedType:
		return t.Typename || d.typeName(t.Name)
	case *ast.ClassType:
		return t.Decl.Name == nil || d.typeName(t.Decl.Name)
	}
	return true
}

// typeName reports whether the name of a type is dependent.
func (d *dependence) typeName(n *ast.Name) bool {
	if n.Decltype != nil || n.Last.Kind != ast.Identifier || d.qualified(n) || d.args(n.Last) {
		return true
	}
	var f finding
	if d.fails(func() { f = d.lookupName(n, anything) }) {
		return true
	}
	if n.Last.HasArgs {
		return !f.found() || d.object(f.obj, n.Last) && !isInjected(f.obj)
	}
	return d.typeObject(f.obj)
}

// isInjected reports whether an object is the name of a template's instance inside of it,
// which with arguments is the template's.
func isInjected(o object) bool {
	k, ok := o.(*class)
	return ok && k.tmpl != nil
}

// typeObject reports whether what a name without arguments means is a dependent type.
func (d *dependence) typeObject(o object) bool {
	switch o := o.(type) {
	case *namespace, *nsAlias:
		return false
	case *alias:
		if d.depth > maxParamDepth || o.decl == nil {
			return true
		}
		return d.in(o.scope).typ(o.decl.Type)
	case *class:
		return d.enclosed(o.scope)
	case *enum:
		return d.enclosed(o.scope)
	}
	return true
}

// enclosed reports whether a scope is in an instance of a template: what it has is
// dependent there.
func (d *dependence) enclosed(s *scope) bool {
	for ; s != nil; s = s.parent {
		if s.kind == templateScope {
			return true
		}
	}
	return false
}

// args reports whether an argument of a template-id is dependent.
func (d *dependence) args(s *ast.Segment) bool {
	return slices.ContainsFunc(s.Args, func(a *ast.TemplateArg) bool {
		return a.Pack || a.Type != nil && d.typ(a.Type) || a.Type == nil && d.value(a.Expr)
	})
}

// value reports whether an expression is value-dependent ([temp.dep.constexpr]).
func (d *dependence) value(x ast.Expr) bool {
	switch x := stripParens(x).(type) {
	case nil, *ast.Literal:
		return false
	case *ast.UnaryExpr:
		return x.Op == cpp.Amp || d.value(x.X)
	case *ast.BinaryExpr:
		return d.value(x.X) || d.value(x.Y)
	case *ast.NameExpr:
		f := d.lookup(x.Name.Plain(), anything)
		switch o := f.obj.(type) {
		case *enumConst:
			return d.enclosed(o.enum.scope)
		case *variable:
			return d.enclosed(o.scope)
		}
	}
	return true
}
