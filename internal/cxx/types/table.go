package types

import (
	"encoding/binary"
	"slices"
)

// A Table makes the types of one compilation, each once. It is not safe for
// concurrent use.
type Table struct {
	basic   [InitList + 1]*Node
	derived map[key]*Node
	funcs   funcTable
	made    map[string]*Node // specs, dependent types and bounds by their parts
	ids     map[any]uint32   // of templates and entities
	count   uint32
	nodes   []Node // room for the next nodes
	buf     []byte
}

// A key is what distinguishes a type made from another: numbers alone, which are quickly hashed.
type key struct {
	kind     Kind
	cv       CV // of elem
	elem, of uint32
	len      int64 // of a parameter its index, with its depth in elem
}

// A paramKey is what distinguishes the parameters of templates: not their names.
type paramKey struct {
	depth, index int32
	pack         bool
}

// NewTable returns a table with the built-in types.
func NewTable() *Table {
	t := &Table{derived: make(map[key]*Node, 64), made: map[string]*Node{}, ids: map[any]uint32{}}
	for k := Void; k <= LongDouble; k++ {
		t.basic[k] = t.newNode(k)
	}
	for _, k := range [...]Kind{Dependent, Auto, Overload, InitList} {
		t.basic[k] = t.newNode(k)
		t.basic[k].dependent = k == Dependent || k == Auto
	}
	return t
}

// newNode returns a node of a kind.
func (t *Table) newNode(k Kind) *Node {
	if len(t.nodes) == 0 {
		t.nodes = make([]Node, min(max(64, t.count/4), 256))
	}
	n := &t.nodes[0]
	t.nodes = t.nodes[1:]
	t.count++
	n.Kind, n.id = k, t.count
	return n
}

// Basic returns the type of a kind without parts.
func (t *Table) Basic(k Kind) Type { return Type{Node: t.basic[k]} }

// Pointer returns elem *.
func (t *Table) Pointer(elem Type) Type {
	if elem.CV&Volatile != 0 {
		return t.derive(Pointer, elem, Type{}, 0)
	}
	p := &elem.ptrs[elem.CV]
	if *p == nil {
		*p = t.newDerived(Pointer, elem, Type{}, 0)
	}
	return Type{Node: *p}
}

// Ref returns elem & or elem &&, by the rules of reference collapsing.
func (t *Table) Ref(elem Type, rvalue bool) Type {
	switch elem.Kind {
	case LRef:
		return Type{Node: elem.Node}
	case RRef:
		if rvalue {
			return Type{Node: elem.Node}
		}
		elem = elem.Elem
	}
	k, i := LRef, 0
	if rvalue {
		k, i = RRef, 1
	}
	if elem.CV&Const != 0 {
		i += 2
	}
	if elem.CV&Volatile != 0 {
		return t.derive(k, elem, Type{}, 0)
	}
	r := &elem.refs[i]
	if *r == nil {
		*r = t.newDerived(k, elem, Type{}, 0)
	}
	return Type{Node: *r}
}

// Array returns elem[n]; n is -1 for []. Qualifiers of an array are its elements'.
func (t *Table) Array(elem Type, n int64) Type {
	return t.derive(Array, elem, Type{}, n)
}

// ArrayBound returns the array elem[bound] in a pattern, whose bound depends on
// parameters.
func (t *Table) ArrayBound(elem Type, bound Arg) Type {
	t.buf = t.appendArg(appendType(append(t.buf[:0], byte(Array)), elem), bound)
	if n := t.made[string(t.buf)]; n != nil {
		return Type{Node: n}
	}
	n := t.newDependent(Array)
	n.Elem, n.Len, n.Bound = elem, -1, &bound
	return Type{Node: n}
}

// MemberPointer returns elem of::*; of is a class, or depends on parameters.
func (t *Table) MemberPointer(of, elem Type) Type {
	return t.derive(MemberPointer, elem, of.Unqualified(), 0)
}

// Expansion returns elem..., a pattern that stands for any number of types.
func (t *Table) Expansion(elem Type) Type { return t.derive(Expansion, elem, Type{}, 0) }

// Param returns the type that is a parameter of a template. Parameters of one depth
// and index are one type, whatever their names.
func (t *Table) Param(p ParamInfo) Type {
	k := key{kind: Param, elem: uint32(p.Depth), len: int64(p.Index)}
	if p.Pack {
		k.cv = 1
	}
	n := t.derived[k]
	if n == nil {
		n = t.newNode(Param)
		n.Param, n.dependent = &p, true
		t.derived[k] = n
	}
	return Type{Node: n}
}

// derive returns the type of a kind that is made of elem, of and n.
func (t *Table) derive(kind Kind, elem, of Type, n int64) Type {
	k := key{kind: kind, cv: elem.CV, elem: elem.number(), of: of.number(), len: n}
	if n := t.derived[k]; n != nil {
		return Type{Node: n}
	}
	made := t.newDerived(kind, elem, of, n)
	t.derived[k] = made
	return Type{Node: made}
}

// newDerived makes a type of a kind, which there is not yet.
func (t *Table) newDerived(kind Kind, elem, of Type, n int64) *Node {
	x := t.newNode(kind)
	x.Elem, x.Of, x.Len = elem, of, n
	x.dependent = elem.Node != nil && elem.dependent || of.Node != nil && of.dependent
	return x
}

// number returns the number of a type in its table, 0 for no type.
func (t Type) number() uint32 {
	if t.Node == nil {
		return 0
	}
	return t.id
}

// Class returns the type of a class.
func (t *Table) Class(c *Class) Type {
	if c.node == nil {
		c.node = t.newNode(ClassKind)
		c.node.Class = c
	}
	return Type{Node: c.node}
}

// Enum returns the type of an enumeration.
func (t *Table) Enum(e *Enum) Type {
	if e.node == nil {
		e.node = t.newNode(EnumKind)
		e.node.Enum = e
	}
	return Type{Node: e.node}
}

// Func returns the type of a function. Parameters are adjusted: arrays and functions
// to pointers, and without their own qualifiers.
func (t *Table) Func(result Type, f FuncInfo) Type {
	for i, p := range f.Params {
		if q := t.AdjustParam(p); q != p {
			f.Params = append([]Type(nil), f.Params...)
			for ; i < len(f.Params); i++ {
				f.Params[i] = t.AdjustParam(f.Params[i])
			}
			break
		}
	}
	if f.NoexceptIf != nil {
		return t.dependentNoexcept(result, f)
	}
	slot := t.funcs.find(result, &f)
	if *slot == nil {
		n := t.newNode(Func)
		n.Elem = result
		n.Func = &FuncInfo{Params: slices.Clone(f.Params), Variadic: f.Variadic, CV: f.CV, Ref: f.Ref, Noexcept: f.Noexcept}
		n.dependent = result.Node != nil && result.dependent
		for _, p := range f.Params {
			n.dependent = n.dependent || p.dependent
		}
		*slot = n
		t.funcs.count++
		return Type{Node: n}
	}
	return Type{Node: *slot}
}

// dependentNoexcept returns the type of a function whose exception specification depends on
// parameters.
func (t *Table) dependentNoexcept(result Type, f FuncInfo) Type {
	b := append(t.buf[:0], byte(Func), byte(f.CV), f.Ref, flags(f.Variadic, false))
	b = t.appendArg(appendType(b, result), *f.NoexceptIf)
	for _, p := range f.Params {
		b = appendType(b, p)
	}
	t.buf = b
	if n := t.made[string(b)]; n != nil {
		return Type{Node: n}
	}
	n := t.newDependent(Func)
	f.Params = slices.Clone(f.Params)
	n.Elem, n.Func = result, &f
	return Type{Node: n}
}

// newDependent makes a node that depends on parameters under the key in t.buf.
func (t *Table) newDependent(k Kind) *Node {
	n := t.newNode(k)
	n.dependent = true
	t.made[string(t.buf)] = n
	return n
}

// AdjustParam returns the type that a parameter declared as x has in its function's
// type: a pointer for an array or function, and without qualifiers of its own.
func (t *Table) AdjustParam(x Type) Type {
	switch x.Kind {
	case Array:
		return t.Pointer(x.Elem)
	case Func:
		return t.Pointer(x)
	}
	return Type{Node: x.Node}
}

// Spec returns the type of a class template's name with arguments that depend on
// parameters.
func (t *Table) Spec(s SpecInfo) Type {
	b := append([]byte(nil), byte(Spec))
	if s.Param != nil {
		b = appendParam(append(b, 1), s.Param)
	} else {
		b = binary.AppendUvarint(append(b, 0), uint64(t.ID(s.Template)))
	}
	b = t.appendArgs(b, s.Args)
	if n := t.made[string(b)]; n != nil {
		return Type{Node: n}
	}
	t.buf = b
	n := t.newDependent(Spec)
	n.Spec = &s
	return Type{Node: n}
}

// DependentType returns a type that depends on parameters and is not deduced.
func (t *Table) DependentType(d DependentInfo) Type {
	b := append([]byte(nil), byte(Dependent))
	b = appendType(b, d.Of)
	b = appendString(b, d.Name)
	b = t.appendArgs(b, d.Args)
	b = t.appendExpr(b, d.Expr)
	if n := t.made[string(b)]; n != nil {
		return Type{Node: n}
	}
	t.buf = b
	n := t.newDependent(Dependent)
	n.Dep = &d
	return Type{Node: n}
}

// ID returns a number of an entity or template, or nil: the same number for the same.
func (t *Table) ID(x any) uint32 {
	if x == nil {
		return 0
	}
	id := t.ids[x]
	if id == 0 {
		id = uint32(len(t.ids) + 1)
		t.ids[x] = id
	}
	return id
}
