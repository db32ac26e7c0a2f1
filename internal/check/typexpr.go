package check

// This file resolves the names of types and lays out structs.

import (
	"strings"

	"irgl/syntax"
)

// A qualType is a type with the qualifiers of the object that has it.
type qualType struct {
	Type
	ro, volatile bool
}

var basicTypes = map[string]Basic{
	"void": Void, "bool": Bool, "_Bool": Bool, "char": Char, "signed char": SChar, "unsigned char": UChar,
	"short": Short, "unsigned short": UShort, "int": Int, "unsigned int": UInt, "unsigned": UInt,
	"long": Long, "unsigned long": ULong, "long long": LongLong, "unsigned long long": ULongLong,
	"float": Float, "double": Double,
}

// typ resolves the name of a type, reporting what is wrong with it, and
// records it in Info.Named.
func (c *checker) typ(t syntax.TypeExpr) qualType {
	if t == nil || !c.enter(t) {
		return qualType{Type: Invalid}
	}
	defer c.leave()
	q := c.typ1(t)
	if q.Type == nil {
		q.Type = Invalid
	}
	c.info.Named[t] = q.Type
	return q
}

// typ1 is typ without the bookkeeping.
//
//irgl:allnodes TypeExpr
func (c *checker) typ1(t syntax.TypeExpr) qualType {
	switch t := t.(type) {
	case *syntax.BasicType:
		if b, ok := basicTypes[t.Name]; ok {
			return qualType{Type: b}
		}
		c.errorf(t, codeNotType, "%s is not a type", t.Name)
	case *syntax.NamedType:
		return c.namedType(t)
	case *syntax.TagType:
		return qualType{Type: c.tagType(t)}
	case *syntax.PointerType:
		e := c.typ(t.Elem)
		if e.Type == Invalid {
			return qualType{Type: Invalid}
		}
		if b, ok := e.Type.(Basic); ok && b >= Nodes {
			c.errorf(t, codeBadType, "there are no pointers to %s", b)
			return qualType{Type: Invalid}
		}
		p := &Pointer{Elem: e.Type, Const: e.ro, Volatile: e.volatile, Restrict: t.Restrict}
		return qualType{Type: p, ro: t.Const, volatile: t.Volatile}
	case *syntax.ArrayType:
		return c.arrayType(t)
	case *syntax.FuncType:
		f := &Func{Result: c.typ(t.Result).Type}
		for _, p := range t.Params {
			if p != nil {
				f.Params = append(f.Params, Decay(c.typ(p.Type).Type))
			}
		}
		if len(f.Params) == 1 && f.Params[0] == Void {
			f.Params = nil
		}
		return qualType{Type: f}
	case *syntax.BitsType: // structBody checks its width
		return c.typ(t.Elem)
	case *syntax.QualType:
		q := c.typ(t.Elem)
		q.ro = q.ro || t.Const
		q.volatile = q.volatile || t.Volatile
		return q
	}
	return qualType{Type: Invalid}
}

// namedType resolves a typedef, a builtin type, or, as C++ allows, a tag
// without its keyword.
func (c *checker) namedType(t *syntax.NamedType) qualType {
	o := c.lookup(t.Name)
	if o != nil && o.Kind == TypeObj {
		return qualType{Type: o.Type, ro: o.ReadOnly, volatile: o.Volatile}
	}
	if o == nil {
		if tag := c.scope.lookupTag(t.Name); tag != nil {
			return qualType{Type: tag.typ}
		}
	}
	d := c.errorf(t, codeNotType, "%s is not a type", t.Name)
	if o == nil {
		d.Message = "unknown type " + t.Name
		d.Hint = c.didYouMean(t.Name, func(o *Object) bool { return o.Kind == TypeObj })
	}
	noteDecl(d, o, t.Name+" is declared here")
	return qualType{Type: Invalid}
}

// maxArrayBytes bounds one object's size, so that sizes cannot overflow.
const maxArrayBytes = 1 << 40

// arrayType checks T[n]. Lengths are constants: neither the device nor nvcc's
// C++ has C99's variable ones.
func (c *checker) arrayType(t *syntax.ArrayType) qualType {
	e := c.typ(t.Elem)
	if e.Type == Invalid {
		return e
	}
	if !c.complete(t, e.Type, "an array element") {
		return qualType{Type: Invalid}
	}
	a := &Array{Elem: e.Type, Len: -1}
	q := qualType{Type: a, ro: e.ro, volatile: e.volatile}
	if t.Len == nil {
		return q
	}
	x := c.rvalue(t.Len)
	switch {
	case x.typ == Invalid:
		return qualType{Type: Invalid}
	case x.cv == nil || !IsInteger(x.typ):
		c.errorf(t.Len, codeArrayLen, "an array length must be an integer constant")
		return qualType{Type: Invalid}
	case x.cv.Int <= 0:
		c.errorf(t.Len, codeArrayLen, "an array length must be at least 1, not %d", x.cv.Int)
		return qualType{Type: Invalid}
	case x.cv.Int > maxArrayBytes/max(1, e.Size()):
		c.errorf(t.Len, codeArrayLen, "an array of %d elements of %s is too large", x.cv.Int, e.Type)
		return qualType{Type: Invalid}
	}
	a.Len = x.cv.Int
	return q
}

// complete reports whether objects of type t can exist, and an error with
// what is being declared when not.
func (c *checker) complete(n syntax.Node, t Type, what string) bool {
	switch t := t.(type) {
	case *Struct:
		if !t.Complete {
			c.errorf(n, codeIncomplete, "%s cannot be of the incomplete type %s", what, t)
			return false
		}
	case *Array:
		if t.Len < 0 {
			c.errorf(n, codeIncomplete, "%s needs an array length", what)
			return false
		}
	case *Func:
		c.errorf(n, codeBadType, "%s cannot be a function", what)
		return false
	case Basic:
		if t == Void || t >= GraphType {
			c.errorf(n, codeBadType, "%s cannot be of type %s", what, t)
			return false
		}
	}
	return true
}

// tagType resolves struct, union and enum, defining them when they have a body.
func (c *checker) tagType(t *syntax.TagType) Type {
	name := nameOf(t.Tag)
	if s, ok := c.info.Named[t].(*Struct); ok && t.Defined {
		return s // struct { ... } a, b;
	}
	var known *tagged
	if t.Defined {
		known = c.scope.tags[name]
	} else {
		known = c.scope.lookupTag(name)
	}
	if known != nil && known.kind != t.Kind {
		c.errorf(t, codeConflict, "%s is not a %s", name, tagWord(t.Kind))
		return Invalid
	}
	if t.Kind == syntax.EnumTag {
		return c.enumType(t, known, name)
	}
	var s *Struct
	if known != nil {
		s = known.typ.(*Struct)
	}
	if s == nil || name == "" {
		s = &Struct{Tag: name, Union: t.Kind == syntax.UnionTag}
		if name != "" {
			c.scope.setTag(name, &tagged{t.Kind, s, t})
		}
	}
	if !t.Defined {
		return s
	}
	if s.Complete {
		c.errorf(t.Tag, codeRedeclared, "%s is defined twice", s)
		return s
	}
	c.structBody(t, s)
	return s
}

// tagWord returns the keyword of a tag.
func tagWord(k syntax.TagKind) string {
	return [...]string{"struct", "union", "enum"}[min(k, syntax.EnumTag)]
}

// structBody completes s with the members of t. The struct itself is still
// incomplete among them, so only a pointer can name it there.
func (c *checker) structBody(t *syntax.TagType, s *Struct) {
	seen := map[string]bool{}
	for _, f := range t.Fields {
		if f == nil {
			continue
		}
		q := c.typ(f.Type)
		name := nameOf(f.Name)
		if q.Type == Invalid || !c.complete(f, q.Type, "a member") {
			q.Type = Invalid
		}
		if b, ok := q.Type.(Basic); ok && b >= Nodes && b <= Elements {
			c.errorf(f, codeBadType, "a member cannot be of type %s", b)
			q.Type = Invalid
		}
		bits := c.bitField(f, q.Type)
		if _, ok := f.Type.(*syntax.BitsType); ok && bits == nil {
			q.Type = Invalid
		}
		inner, isStruct := q.Type.(*Struct)
		if name == "" && isStruct && bits == nil {
			for _, hidden := range inner.names() {
				if seen[hidden] {
					c.errorf(f, codeRedeclared, "%s already has a member %s", s, hidden)
				}
				seen[hidden] = true
			}
		}
		if seen[name] && name != "" {
			c.errorf(f.Name, codeRedeclared, "%s already has a member %s", s, name)
			continue
		}
		if f.Init != nil {
			c.errorf(f.Init, codeInit, "a member cannot have an initialiser")
		}
		seen[name] = true
		s.Fields = append(s.Fields, Field{Name: name, Type: q.Type, Volatile: q.volatile, ReadOnly: q.ro, Bits: bits})
	}
	s.Layout(c.alignment(t.Align))
	if s.Size() > maxArrayBytes {
		c.errorf(t, codeBadType, "%s is too large", s)
	}
	c.info.Structs = append(c.info.Structs, s)
}

// names returns the names of the fields, and of those of structs without a name in it.
func (s *Struct) names() (list []string) {
	for _, f := range s.Fields {
		if inner, ok := f.Type.(*Struct); ok && f.Name == "" {
			list = append(list, inner.names()...)
		} else {
			list = append(list, f.Name)
		}
	}
	return list
}

// alignment returns the value of __align__(e), 1 if e is nil or wrong.
func (c *checker) alignment(e syntax.Expr) int64 {
	if e == nil {
		return 1
	}
	x := c.rvalue(e)
	switch {
	case x.typ == Invalid:
	case x.cv == nil || !IsInteger(x.typ) || x.cv.Int <= 0 || x.cv.Int&(x.cv.Int-1) != 0 || x.cv.Int > 128:
		c.errorf(e, codeAlign, "an alignment must be a power of two from 1 to 128")
	default:
		return x.cv.Int
	}
	return 1
}

// enumType defines the enumerators, whose type is int. An enum's own type is
// int too: values convert both ways as in C.
func (c *checker) enumType(t *syntax.TagType, known *tagged, name string) Type {
	if !t.Defined {
		if known == nil {
			c.errorf(t, codeNotType, "unknown type enum %s", name)
		}
		return Int
	}
	if known != nil && name != "" {
		c.errorf(t.Tag, codeRedeclared, "enum %s is defined twice", name)
	}
	if name != "" {
		c.scope.setTag(name, &tagged{t.Kind, Int, t})
	}
	next := int64(0)
	for _, e := range t.Enums {
		if e == nil {
			continue
		}
		if e.Value != nil {
			next = c.constInt(e.Value, "an enumerator", next)
		}
		if wrapInt(next, Int) != next {
			c.errorf(e, codeLiteral, "the value %d of %s does not fit an int", next, nameOf(e.Name))
		}
		c.declare(e.Name, &Object{Kind: ConstObj, Name: nameOf(e.Name), Type: Int, Decl: e, Const: intConst(next, Int), ReadOnly: true, Global: c.fn == nil})
		next++
	}
	return Int
}

// constInt checks an expression that must be an integer constant and returns
// its value, or other when it is not.
func (c *checker) constInt(e syntax.Expr, what string, other int64) int64 {
	x := c.rvalue(e)
	if x.typ == Invalid {
		return other
	}
	if x.cv == nil || !IsInteger(x.typ) {
		c.errorf(e, codeNotConst, "%s must be an integer constant", what)
		return other
	}
	return x.cv.Int
}

// describe names a type for a message; long function types are shortened.
func describe(t Type) string {
	switch t := t.(type) {
	case *Func:
		return "a function " + strings.Replace(t.String(), " (", "(", 1)
	case Basic:
		switch t {
		case Nodes:
			return "the range of all nodes"
		case Edges:
			return "a range of edges"
		case AllEdges:
			return "the range of all edges"
		case InEdges:
			return "a range of edges that lead to a node"
		case InEdge:
			return "an edge that leads to a node"
		case Ints:
			return "a range of ints"
		case Points:
			return "the range of all points"
		case Elements:
			return "the range of all elements"
		case GraphType:
			return "the graph"
		case MeshType:
			return "the mesh"
		case Worklist:
			return "the worklist"
		case String:
			return "a string"
		}
	}
	return t.String()
}
