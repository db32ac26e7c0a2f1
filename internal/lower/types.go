package lower

import (
	"irgl/internal/check"
	"irgl/syntax"
)

// Types of the program become C's: a node, a point, an element and a range of
// a node's edges an int, an edge, seen from either end, a long (the variable of a loop over edges an irgl_index), an enum an int.

// typeName returns the C type that t becomes.
func (l *lowerer) typeName(s syntax.Span, t check.Type) syntax.TypeExpr {
	switch t := t.(type) {
	case check.Basic:
		switch t {
		case check.Node, check.Edges, check.InEdges, check.Point, check.Element:
			return basic(s, "int")
		case check.Nodes, check.AllEdges, check.Points, check.Elements:
			return basic(s, "int") // of which nothing but the type is known
		case check.Edge, check.InEdge:
			return basic(s, "long")
		}
		return basic(s, t.String())
	case *check.Pointer:
		elem := l.typeName(s, t.Elem)
		if t.Const || t.Volatile {
			elem = &syntax.QualType{Span: s, Const: t.Const, Volatile: t.Volatile, Elem: elem}
		}
		return &syntax.PointerType{Span: s, Elem: elem, Restrict: t.Restrict}
	case *check.Array:
		return &syntax.ArrayType{Span: s, Elem: l.typeName(s, t.Elem), Len: number(s, t.Len)}
	case *check.Struct:
		if !l.types[t.Tag] {
			return named(s, t.Tag) // dim3, float2
		}
		kind := syntax.StructTag
		if t.Union {
			kind = syntax.UnionTag
		}
		return &syntax.TagType{Span: s, Kind: kind, Tag: ident(s, GlobalName(t.Tag))}
	}
	return basic(s, "int")
}

// typeText returns typeName as text.
func (l *lowerer) typeText(t check.Type) string {
	return syntax.String(l.typeName(syntax.Span{}, t))
}

// typeExpr returns the lowered form of a type's name.
//
//irgl:allnodes TypeExpr except BasicType BitsType
func (l *lowerer) typeExpr(t syntax.TypeExpr) syntax.TypeExpr {
	switch t := t.(type) {
	case nil:
		return basic(l.span, "void")
	case *syntax.NamedType:
		return l.namedType(t)
	case *syntax.PointerType:
		c := *t
		c.Elem = l.typeExpr(t.Elem)
		return &c
	case *syntax.ArrayType:
		c := *t
		c.Elem, c.Len = l.typeExpr(t.Elem), l.expr(t.Len)
		return &c
	case *syntax.QualType:
		c := *t
		c.Elem = l.typeExpr(t.Elem)
		return &c
	case *syntax.FuncType:
		c := *t
		c.Result = l.typeExpr(t.Result)
		c.Params = nil
		for _, p := range t.Params {
			c.Params = append(c.Params, &syntax.Param{Span: p.Span, Type: l.typeExpr(p.Type)})
		}
		return &c
	case *syntax.TagType:
		return l.tagType(t)
	}
	return t
}

// namedType lowers a typedef's name, or a tag without its keyword.
func (l *lowerer) namedType(t *syntax.NamedType) syntax.TypeExpr {
	if check.IsDistance(t.Name) {
		return l.typeName(t.Span, l.info.Named[t])
	}
	switch h := l.info.Named[t]; h {
	case check.Node, check.Edge, check.Point, check.Element:
		if t.Name == h.String() {
			return l.typeName(t.Span, h)
		}
	case check.Int:
		if l.enums[t.Name] {
			return basic(t.Span, "int")
		}
	}
	return named(t.Span, l.typeNameOf(t.Name))
}

// tagType lowers a struct, union or enum. An enum is an int: C++ converts no
// int to an enum, and its constants have become their values.
func (l *lowerer) tagType(t *syntax.TagType) syntax.TypeExpr {
	if t.Kind == syntax.EnumTag {
		return basic(t.Span, "int")
	}
	if l.tags[t] != nil {
		return l.tags[t] // struct s { ... } a, b;
	}
	c := *t
	if t.Defined {
		l.tags[t] = &c
	}
	if t.Tag != nil {
		c.Tag = ident(t.Tag.Span, GlobalName(t.Tag.Name))
	}
	c.Align, c.Fields = l.expr(t.Align), nil
	for _, f := range t.Fields {
		nf := &syntax.VarDecl{Span: f.Span, Type: l.typeExpr(f.Type)}
		if f.Name != nil {
			nf.Name = ident(f.Name.Span, localName(f.Name.Name))
		}
		c.Fields = append(c.Fields, nf)
	}
	return &c
}

// typeDecl lowers the declaration of a type; nil for one that is not needed.
func (l *lowerer) typeDecl(d *syntax.TypeDecl) *syntax.TypeDecl {
	if t, ok := d.Type.(*syntax.TagType); ok && t.Kind == syntax.EnumTag && d.Name == nil {
		return nil
	}
	out := &syntax.TypeDecl{Span: d.Span, Type: l.typeExpr(d.Type)}
	if d.Name != nil {
		out.Name = ident(d.Name.Span, GlobalName(d.Name.Name))
	}
	return out
}
