package emit

import (
	"fmt"
	"strings"

	"irgl/internal/cxx/types"
	"irgl/internal/tree"
	"irgl/syntax"
)

// Arguments that are objects.
//
//	struct __klap_args_child {          struct __klap_args_child {
//		unsigned int pred;          	unsigned int pred;
//		struct space a0;            	union {
//	};                                  		space a0;
//	                                    	};
//	                                    	__device__ __klap_args_child() {}
//	                                    };
//
// The lowered program has storage, and C++ objects. A class may have no default constructor, or one of the host alone, and
// the arguments of a launch are not there before it. A member of a union is not initialised: they are copied when they are.
// An object with constant members can be copied and not assigned, but its bytes can: arguments of kernels are such.

// typeText returns the text of a type that the transformation has made.
func (e *emitter) typeText(d *syntax.TypeDecl) string {
	d = tree.Clone(d)
	t, ok := d.Type.(*syntax.TagType)
	objects, bytes := false, false
	if ok && t.Defined && t.Tag != nil {
		for i, f := range t.Fields {
			if e.names.constructed(f.Type) {
				objects, bytes = true, bytes || e.names.constant(f.Type)
				t.Fields[i] = &syntax.VarDecl{Span: f.Span, Type: &syntax.TagType{Span: f.Span, Kind: syntax.UnionTag, Defined: true, Fields: []*syntax.VarDecl{f}}}
			}
		}
	}
	text := syntax.String(e.names.resolvedMade(d))
	if end := strings.LastIndex(text, "}"); objects && end >= 0 {
		name := e.names.part(t.Tag.Name)
		members := "\t__device__ " + name + "() {}\n"
		if bytes {
			members += fmt.Sprintf("\t__device__ void operator=(const %s &x) { ::memcpy(this, &x, sizeof x); }\n", name)
		}
		text = text[:end] + members + text[end:]
	}
	return text
}

// stored makes the assignments of parameters that cannot be assigned copies of bytes, in a function that the transformation has
// made.
func (n *names) stored(f *syntax.FuncDecl) *syntax.FuncDecl {
	constant := map[string]bool{}
	for _, p := range f.Params {
		if p.Name != nil && n.constant(p.Type) {
			constant[p.Name.Name] = true
		}
	}
	if len(constant) == 0 {
		return f
	}
	tree.Rewriter{Expr: func(x syntax.Expr) syntax.Expr {
		a, ok := x.(*syntax.AssignExpr)
		if !ok || a.Op != "=" {
			return x
		}
		if id, ok := a.R.(*syntax.Ident); ok && constant[id.Name] {
			sp := tree.At(x)
			return tree.Call(sp, "::memcpy", tree.Addr(a.L), tree.Addr(id), &syntax.SizeofExpr{Span: sp, X: tree.Paren(tree.Ident(sp, id.Name))})
		}
		return x
	}}.Rewrite(f.Body)
	return f
}

// constant reports whether a type is a class with members that are constant, or references.
func (n *names) constant(x syntax.TypeExpr) bool {
	t, ok := x.(*syntax.TagType)
	if !ok || t.Tag == nil {
		return false
	}
	list := n.tags[t.Tag.Name]
	return len(list) == 1 && constantIn(list[0])
}

func constantIn(c *types.Class) bool {
	for _, b := range c.Bases {
		if b.Class != nil && constantIn(b.Class) {
			return true
		}
	}
	for _, f := range c.Fields {
		t := f.Type
		for t.Is(types.Array) {
			t = t.Elem
		}
		if t.IsConst() || t.IsRef() || t.Is(types.ClassKind) && constantIn(t.Class) {
			return true
		}
	}
	return false
}

// constructed reports whether objects of a type are made by a constructor that does something or is not there.
func (n *names) constructed(x syntax.TypeExpr) bool {
	t, ok := x.(*syntax.TagType)
	if !ok || t.Tag == nil {
		return false
	}
	list := n.tags[t.Tag.Name]
	return len(list) == 1 && !list[0].TrivialDefault
}
