package types

// A Table makes the types of one compilation, each once. It is not safe for
// concurrent use.
type Table struct {
	basic   [InitList + 1]*Node
	derived map[key]*Node
	funcs   map[string]*Node // by the ids of their parts
	count   uint32
}

// A key is what distinguishes a type made from another.
type key struct {
	kind  Kind
	elem  Type
	len   int64
	class *Class
}

// NewTable returns a table with the built-in types.
func NewTable() *Table {
	t := &Table{derived: map[key]*Node{}, funcs: map[string]*Node{}}
	for k := Void; k <= LongDouble; k++ {
		t.basic[k] = t.node(Node{Kind: k})
	}
	for _, k := range [...]Kind{Dependent, Auto, Overload, InitList} {
		t.basic[k] = t.node(Node{Kind: k, dependent: k == Dependent || k == Auto})
	}
	return t
}

func (t *Table) node(n Node) *Node {
	t.count++
	n.id = t.count
	return &n
}

// Basic returns the type of a kind without parts.
func (t *Table) Basic(k Kind) Type { return Type{Node: t.basic[k]} }

// Pointer returns elem *.
func (t *Table) Pointer(elem Type) Type {
	if elem.CV == 0 && elem.ptr != nil {
		return Type{Node: elem.ptr}
	}
	p := t.derive(key{kind: Pointer, elem: elem})
	if elem.CV == 0 {
		elem.ptr = p.Node
	}
	return p
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
	k := LRef
	if rvalue {
		k = RRef
	}
	return t.derive(key{kind: k, elem: elem})
}

// Array returns elem[n]; n is -1 for []. Qualifiers of an array are its elements'.
func (t *Table) Array(elem Type, n int64) Type {
	return t.derive(key{kind: Array, elem: elem, len: n})
}

func (t *Table) derive(k key) Type {
	if n := t.derived[k]; n != nil {
		return Type{Node: n}
	}
	n := t.node(Node{Kind: k.kind, Elem: k.elem, Len: k.len, Class: k.class, dependent: k.elem.Node != nil && k.elem.dependent})
	t.derived[k] = n
	return Type{Node: n}
}
