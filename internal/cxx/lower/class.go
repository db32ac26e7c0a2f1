package lower

import (
	"strconv"

	"irgl/internal/builtin"
	"irgl/internal/cxx/types"
	"irgl/internal/tree"
	"irgl/syntax"
)

// A class is how a C++ class is represented in C.
type class struct {
	tag     string
	builtin bool // one of CUDA's vector types, by the name tag
	union   bool
	// declared says that the declaration is emitted, or that it is being made.
	declared bool
	// inMemory objects are passed by address and returned through a pointer: copies or
	// destruction are not those of bytes.
	inMemory bool
	bases    []string // the members that hold the bases; "" for none: a cast is needed
	fields   []member
}

// A member is how a field is represented.
type member struct {
	name  string // "" for a field inside of a base that was flattened
	bytes bool   // an array of characters, since C would align the field otherwise
	bits  bool   // a bit-field in the unsigned member name of size bytes
	shift int    // its first bit
	size  int64
	parts []part // the members that hold the bytes of a bit-field which shares no aligned unit
}

// A part is a member of the struct with bytes of bit-fields.
type part struct {
	unit
	name string
}

// maxTag bounds the length of a struct's tag.
const maxTag = 80

// class returns the representation of c, and emits its declaration the first time: after
// those of the classes that it contains, and before those that only its pointers refer to.
func (l *lowerer) class(c *types.Class) *class {
	r := l.named(c)
	if r.declared {
		return r
	}
	r.declared = true
	pointers := l.pointers
	l.declaring, l.pointers = l.declaring+1, 0
	for _, b := range c.Bases {
		l.class(b.Class)
	}
	for _, f := range c.Fields {
		if e := f.Type.Element(); e.IsClass() {
			l.class(e.Class)
		}
	}
	if !r.builtin {
		l.declareClass(c, r)
	}
	l.declaring, l.pointers = l.declaring-1, pointers
	for l.declaring == 0 && len(l.pointedTo) > 0 {
		p := l.pointedTo[0]
		l.pointedTo = l.pointedTo[1:]
		l.class(p)
	}
	return r
}

// referred returns the representation of a class that a pointer or a function's type
// refers to. In the declaration of another class it is declared after that.
func (l *lowerer) referred(c *types.Class) *class {
	if l.declaring == 0 {
		return l.class(c)
	}
	r := l.named(c)
	if !r.declared {
		l.pointedTo = append(l.pointedTo, c)
	}
	return r
}

// named returns the representation of c, which has a name but may not be declared yet.
func (l *lowerer) named(c *types.Class) *class {
	if r := l.classes[c]; r != nil {
		return r
	}
	r := &class{union: c.Union, inMemory: !c.TrivialCopy || !c.TrivialDestroy}
	l.classes[c] = r
	if c.Name != "" && (c.Scope == nil || c.Scope.ScopeParent() == nil && c.Scope.ScopeName() == "") && c.Template == nil {
		if row := builtin.Lookup(c.Name); row != nil && row.Kind == builtin.Type && !row.IrGLOnly && (row.Of == "" || row.Of == "D") {
			r.tag, r.builtin, r.inMemory = c.Name, true, false
			for _, f := range c.Fields {
				r.fields = append(r.fields, member{name: f.Name})
			}
			return r
		}
	}
	tag := "lambda"
	if c.Lambda == 0 {
		tag = Identifier(c.String())
	}
	if len(tag) > maxTag {
		tag = tag[:maxTag]
	}
	l.tags[tag]++
	r.tag = numbered(tag, l.tags[tag])
	for r.tag != tag && l.tags[r.tag] > 0 {
		l.tags[tag]++
		r.tag = numbered(tag, l.tags[tag])
	}
	if r.tag != tag {
		l.tags[r.tag]++
	}
	return r
}

// declareClass lays out c with the members of C, and emits the struct.
func (l *lowerer) declareClass(c *types.Class, r *class) {
	sp := l.classSpan(c)
	if !c.Complete { // only pointers refer to it
		l.add(&syntax.TypeDecl{Span: sp, Type: &syntax.TagType{Span: sp, Tag: tree.Ident(sp, r.tag)}})
		return
	}
	b := &layout{lowerer: l, span: sp, union: c.Union, used: map[string]bool{}, align: 1, limit: max(1, c.Align), units: map[int64]unit{}, pieces: map[int64][]unit{}, shared: map[int64]string{}}
	all := append(l.flattened(c), c.Fields...)
	units := unitsOf(all)
	for i, u := range units {
		if u.size > 0 {
			b.units[firstBit(all[i])] = u
		}
	}
	b.split(c, all, units)
	for i, base := range c.Bases {
		name := ""
		if !base.Class.Empty {
			if l.isMember(c, i) {
				name = b.member("base", c.Bases[i].Offset, base.Class.Size, l.class(base.Class).alignOf(base.Class), l.structType(sp, base.Class))
			} else {
				b.flatten(base.Class, base.Offset)
			}
		}
		r.bases = append(r.bases, name)
	}
	for _, f := range c.Fields {
		r.fields = append(r.fields, b.field(f))
	}
	if len(b.fields) == 0 {
		b.pad(max(1, c.Size))
	}
	t := &syntax.TagType{Span: sp, Tag: tree.Ident(sp, r.tag), Defined: true}
	if c.Union {
		t.Kind = syntax.UnionTag
	}
	if c.Align > b.align {
		t.Align = tree.Number(sp, c.Align)
		b.align = c.Align
	}
	if size := (b.end + b.align - 1) / b.align * b.align; !c.Union && size < c.Size {
		b.pad(c.Size - b.end)
	}
	t.Fields = b.fields
	l.add(&syntax.TypeDecl{Span: sp, Type: t})
	if size := (b.end + b.align - 1) / b.align * b.align; size != c.Size || b.misplaced {
		l.diags.Errorf(sp.Pos(), sp.End(), codePacked, "the layout of '%s' is not supported in device code", c)
	}
}

// isMember reports whether a base of c is a member of the struct: nothing is in its tail padding.
func (l *lowerer) isMember(c *types.Class, i int) bool {
	end := l.firstOffset(c)
	if i+1 < len(c.Bases) && !c.Bases[i+1].Class.Empty {
		end = c.Bases[i+1].Offset
	}
	return end < 0 || c.Bases[i].Offset+c.Bases[i].Class.Size <= end
}

// flattened returns the fields of the bases of c that are no members, at their offsets in c.
func (l *lowerer) flattened(c *types.Class) []*types.Field {
	var list []*types.Field
	for i, base := range c.Bases {
		if !base.Class.Empty && !l.isMember(c, i) {
			list = fieldsOf(list, base.Class, base.Offset)
		}
	}
	return list
}

// fieldsOf appends the fields of c and its bases, at their offsets in an object that has c at offset.
func fieldsOf(list []*types.Field, c *types.Class, offset int64) []*types.Field {
	for _, base := range c.Bases {
		if !base.Class.Empty {
			list = fieldsOf(list, base.Class, offset+base.Offset)
		}
	}
	for _, f := range c.Fields {
		g := *f
		g.Offset += offset
		list = append(list, &g)
	}
	return list
}

// firstOffset returns where the first field of c is, -1 without one.
func (l *lowerer) firstOffset(c *types.Class) int64 {
	for _, f := range c.Fields {
		return f.Offset
	}
	return -1
}

// alignOf returns the alignment that C gives to the struct of c.
func (r *class) alignOf(c *types.Class) int64 { return max(1, c.Align) }

// classSpan returns where c is declared, as far as sema says.
func (l *lowerer) classSpan(c *types.Class) syntax.Span {
	if n, ok := c.Decl.(node); ok {
		return at(n)
	}
	return syntax.Span{}
}

// A layout places the members of one struct as C does.
type layout struct {
	*lowerer
	span      syntax.Span
	union     bool
	fields    []*syntax.VarDecl
	used      map[string]bool
	end       int64 // behind the last member
	align     int64
	limit     int64 // the alignment of the class
	pads      int
	misplaced bool             // a member is in front of its place in C
	units     map[int64]unit   // of bit-fields, by their first bits in the object
	pieces    map[int64][]unit // of those that are not in one unit
	shared    map[int64]string // the members of units, by offset
}

// member adds a member at an offset, with padding in front where C needs it, and
// returns its name.
func (b *layout) member(name string, offset, size, align int64, t syntax.TypeExpr) string {
	natural := b.end
	if b.union {
		natural = 0
	}
	natural = (natural + align - 1) / align * align
	if natural < offset {
		b.pad(offset - b.end)
		natural = offset
	}
	b.misplaced = b.misplaced || natural != offset
	name = b.unique(name)
	b.fields = append(b.fields, &syntax.VarDecl{Span: b.span, Type: t, Name: tree.Ident(b.span, name)})
	b.end = max(b.end, offset+size)
	b.align = max(b.align, align)
	return name
}

// unique returns a member's name that the struct does not have yet.
func (b *layout) unique(name string) string {
	if name == "" {
		name = "irgl_anonymous"
	}
	if !syntax.IsName(name) {
		name += "_"
	}
	for n := 2; b.used[name]; n++ {
		name = numbered(name, n)
	}
	b.used[name] = true
	return name
}

// pad adds n bytes.
func (b *layout) pad(n int64) {
	b.pads++
	name := b.unique(syntax.Padding + strconv.Itoa(b.pads))
	t := &syntax.ArrayType{Span: b.span, Elem: tree.Basic(b.span, "char"), Len: tree.Number(b.span, n)}
	b.fields = append(b.fields, &syntax.VarDecl{Span: b.span, Type: t, Name: tree.Ident(b.span, name)})
	b.end += n
}

// field adds a field and returns its representation.
func (b *layout) field(f *types.Field) member {
	size, align := f.Type.Size(), f.Type.Align()
	if f.Type.IsRef() {
		size, align = 8, 8
	}
	t := b.object(b.span, f.Type)
	if f.Width >= 0 {
		return b.bitField(f)
	}
	if f.IsShared() || f.Type.IsClass() && f.Type.Class.Empty && f.Offset < b.end {
		return member{} // shares its place
	}
	if f.Offset%align != 0 || align > b.limit || !b.union && (b.end+align-1)/align*align > f.Offset {
		t = &syntax.ArrayType{Span: b.span, Elem: tree.Basic(b.span, "char"), Len: tree.Number(b.span, size)}
		return member{name: b.member(f.Name, f.Offset, size, 1, t), bytes: true}
	}
	return member{name: b.member(f.Name, f.Offset, size, align, t)}
}

// flatten adds the members of a base class whose tail padding holds the members of
// the class derived from it.
func (b *layout) flatten(c *types.Class, offset int64) {
	for _, f := range fieldsOf(nil, c, offset) {
		b.field(f)
	}
}

// structType returns the C type of a class.
func (l *lowerer) structType(sp syntax.Span, c *types.Class) syntax.TypeExpr {
	r := l.named(c)
	if l.pointers > 0 {
		l.referred(c)
	} else {
		l.class(c)
	}
	if r.builtin {
		return tree.Named(sp, r.tag)
	}
	t := &syntax.TagType{Span: sp, Tag: tree.Ident(sp, r.tag)}
	if r.union {
		t.Kind = syntax.UnionTag
	}
	return t
}

// inMemory reports whether objects of a type are passed by address.
func (l *lowerer) inMemory(t types.Type) bool { return t.IsClass() && l.referred(t.Class).inMemory }

// baseAt returns the base of c that a conversion goes to next.
func baseAt(c *types.Class, to *types.Class) (index int, ok bool) {
	for i := range c.Bases {
		if c.Bases[i].Class == to {
			return i, true
		}
	}
	return 0, false
}
