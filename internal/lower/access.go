package lower

import (
	"fmt"

	"irgl/internal/abi"
	"irgl/internal/analysis"
	"irgl/internal/check"
	"irgl/syntax"
)

// Host functions read and write single values of properties and of the
// variables that kernels use. Such data is in device memory: each access
// becomes the call of an accessor, which text.go writes.

// hostTarget returns the property or device variable that x names in a host
// function and a function that lowers the number of its element, or nil.
func (l *lowerer) hostTarget(x syntax.Expr) (*check.Object, func() syntax.Expr) {
	if !l.host {
		return nil, nil
	}
	switch x := syntax.Unparen(x).(type) {
	case *syntax.Ident:
		obj := l.info.Uses[x]
		if obj != nil && obj.Kind == check.VarObj && l.onDevice[obj] && check.IsScalar(obj.Type) {
			return obj, func() syntax.Expr { return number(x.Span, 0) }
		}
	case *syntax.IndexExpr:
		return l.element(x)
	case *syntax.MemberExpr:
		if p := l.propertyOf(x); p != nil && check.IsScalar(p.Object.Type) {
			return p.Object, func() syntax.Expr { return l.expr(x.X) }
		}
	}
	return nil, nil
}

// propertyOf returns the property that x is, or nil.
func (l *lowerer) propertyOf(x *syntax.MemberExpr) *check.Prop {
	return analysis.PropertyOf(l.info, x)
}

// element is hostTarget for an element of an array on the device. Elements of
// arrays of arrays are numbered row by row.
func (l *lowerer) element(x *syntax.IndexExpr) (*check.Object, func() syntax.Expr) {
	if !check.IsScalar(l.info.Types[x]) {
		return nil, nil
	}
	return l.elementOf(x.X, func() syntax.Expr { return l.expr(x.Index) })
}

// arrayElement returns the element number i, a name, of an array that a host
// function names.
func (l *lowerer) arrayElement(x syntax.Expr, i *syntax.Ident) syntax.Expr {
	if obj, n := l.elementOf(x, func() syntax.Expr { return i }); obj != nil {
		return l.get(at(x), obj, n())
	}
	return index(paren(l.expr(x)), i)
}

// elementOf is element for array[last].
func (l *lowerer) elementOf(array syntax.Expr, last func() syntax.Expr) (*check.Object, func() syntax.Expr) {
	indices := []func() syntax.Expr{last}
	first := func(f func() syntax.Expr) { indices = append([]func() syntax.Expr{f}, indices...) }
	base, span := syntax.Unparen(array), at(array)
	for {
		i, ok := base.(*syntax.IndexExpr)
		if !ok {
			break
		}
		first(func() syntax.Expr { return l.expr(i.Index) })
		base = syntax.Unparen(i.X)
	}
	var obj *check.Object
	switch x := base.(type) {
	case *syntax.Ident:
		if obj = l.info.Uses[x]; obj == nil || !l.onDevice[obj] {
			return nil, nil
		}
	case *syntax.MemberExpr:
		p := l.propertyOf(x)
		if p == nil {
			return nil, nil
		}
		obj = p.Object
		first(func() syntax.Expr { return l.expr(x.X) })
	default:
		return nil, nil
	}
	var lengths []int64
	if obj.Kind == check.PropObj {
		lengths = append(lengths, 0) // of the whole, which does not matter
	}
	for t := obj.Type; ; {
		a, ok := t.(*check.Array)
		if !ok {
			break
		}
		lengths = append(lengths, a.Len)
		t = a.Elem
	}
	if len(lengths) != len(indices) {
		return nil, nil // what a pointer in the array points to
	}
	return obj, func() syntax.Expr {
		n := indices[0]()
		if obj.Kind == check.PropObj {
			n = cast(span, basic(span, "long"), n)
		}
		for i, x := range indices[1:] {
			n = binary(paren(binary(paren(n), "*", number(span, lengths[i+1]))), "+", paren(x()))
		}
		return n
	}
}

// accessorName returns the name of the function that does verb to an element:
// a property and a variable may have the same name.
func accessorName(verb string, obj *check.Object) string {
	if obj.Kind == check.PropObj {
		return "irgl_" + verb + "_" + obj.Name
	}
	return "irgl_" + verb + "_var_" + obj.Name
}

// get and set return calls of the accessors of a property or device variable.
func (l *lowerer) get(s syntax.Span, obj *check.Object, i syntax.Expr) syntax.Expr {
	return call(s, accessorName("get", obj), l.access(s, obj, "get", i)...)
}

func (l *lowerer) set(s syntax.Span, obj *check.Object, i, value syntax.Expr) syntax.Expr {
	return call(s, accessorName("set", obj), append(l.access(s, obj, "set", i), value)...)
}

// access notes that host code does something to obj, and returns the arguments
// that say to which element.
func (l *lowerer) access(s syntax.Span, obj *check.Object, verb string, i syntax.Expr) []syntax.Expr {
	if l.accessed[obj] == nil {
		l.accessed[obj] = map[string]bool{}
		l.accessors = append(l.accessors, obj)
	}
	l.accessed[obj][verb] = true
	if obj.Kind == check.PropObj {
		return []syntax.Expr{ident(s, l.graph), i}
	}
	return []syntax.Expr{i}
}

// update lowers target op= value.
func (l *lowerer) update(x syntax.Node, target syntax.Expr, op syntax.Op, value syntax.Expr) syntax.Expr {
	obj, i := l.hostTarget(target)
	if !analysis.Pure(target) {
		l.diags.Errorf(x.Pos(), x.End(), CodeHostTwice, "the element to update has side effects, which would happen twice").
			Hint = "compute the node first, in a statement of its own"
	}
	s := at(x)
	return l.set(s, obj, i(), binary(l.get(s, obj, i()), op, paren(value)))
}

// accessFuncs writes the accessors that the program uses.
func (l *lowerer) accessFuncs() {
	for _, obj := range l.accessors {
		elem, count := obj.Type, int64(1)
		for {
			a, ok := elem.(*check.Array)
			if !ok {
				break
			}
			elem, count = a.Elem, count*a.Len
		}
		t := l.typeText(elem)
		params, args, length := fmt.Sprintf("struct %s %s, long i", abi.GraphTag, l.textGraph), l.textGraph+", i", ""
		if obj.Kind == check.PropObj {
			length = fmt.Sprintf("(size_t)%s.%s", l.textGraph, domains[l.info.PropOf(obj.Name).Of].room)
			if count > 1 {
				length += fmt.Sprintf(" * %d", count)
			}
		}
		if obj.Kind != check.PropObj {
			params, args, length = "long i", "i", fmt.Sprint(count)
			l.text("static void *%s(void) {\n  void *irgl_at;\n  irgl_check(cudaGetSymbolAddress(&irgl_at, %s));\n  return irgl_at;\n}\n", accessorName("addr", obj), nameOf(obj))
		}
		where := fmt.Sprintf("%s, %s * sizeof(%s), (size_t)i * sizeof(%s), &value, sizeof(%s)", l.deviceArray(obj), length, t, t, t)
		get, set := accessorName("get", obj), accessorName("set", obj)
		verbs := l.accessed[obj]
		if verbs["get"] || verbs["step"] {
			l.text("static inline %s %s(%s) {\n  %s value;\n  irgl_read(%s);\n  return value;\n}\n", t, get, params, t, where)
		}
		if verbs["set"] || verbs["step"] {
			l.text("static inline %s %s(%s, %s value) {\n  irgl_write(%s);\n  return value;\n}\n", t, set, params, t, where)
		}
		if verbs["step"] {
			l.text("static inline %s %s(%s, int step) {\n  %s value = %s(%s);\n  %s(%s, value + step);\n  return value;\n}\n",
				t, accessorName("step", obj), params, t, get, args, set, args)
		}
	}
}

// deviceArray returns the expression for the address of a property or device
// variable.
func (l *lowerer) deviceArray(obj *check.Object) string {
	if obj.Kind == check.PropObj {
		return l.textGraph + "." + FieldName(obj.Name)
	}
	return accessorName("addr", obj) + "()"
}
