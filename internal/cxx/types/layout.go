package types

import "fmt"

// maxSize bounds the size of a class in bytes.
const maxSize = 1 << 46

// Layout computes the layout of a class from its bases and fields by the Itanium ABI,
// with g++'s rules for bit-fields and packing, and what the language says of the class:
// whether it is an aggregate, and so on. The classes of its bases and fields must be
// complete; it is complete afterwards.
func Layout(c *Class) error {
	l := layout{c: c, align: 1}
	if err := l.check(); err != nil {
		return err
	}
	c.Empty = isEmpty(c)
	primary := l.table()
	for i := range c.Bases {
		if b := &c.Bases[i]; b != primary {
			l.base(b)
		}
		c.Unsized = c.Unsized || c.Bases[i].Class.Unsized
	}
	for i, f := range c.Fields {
		f.Index, f.Class = i, c
		if x := f.Type.Element(); x.IsClass() {
			c.Unsized = c.Unsized || x.Class.Unsized
		}
		if f.Width >= 0 {
			l.bitField(f)
		} else {
			l.field(f)
		}
		if l.bits/8 > maxSize {
			return fmt.Errorf("class '%s' is too large", c)
		}
	}
	l.finish()
	c.hasEmpty, c.packs = hasEmpty(c), packs(c)
	c.Complete = true
	classify(c)
	return nil
}

// A layout is the state of laying out one class.
type layout struct {
	c     *Class
	bits  int64 // the end of what is placed: the ABI's dsize, in bits
	size  int64 // the ABI's sizeof, in bytes
	align int64
	// empties are the subobjects of empty classes at their offsets: two of one class
	// must not be at one offset.
	empties []emptyAt
}

type emptyAt struct {
	class  *Class
	offset int64
}

// check returns an error if a base or field has no size.
func (l *layout) check() error {
	for _, b := range l.c.Bases {
		if !b.Class.Complete {
			return fmt.Errorf("base class has incomplete type '%s'", b.Class)
		}
	}
	for i, f := range l.c.Fields {
		x := f.Type
		if x.Is(Array) && x.Len < 0 && x.Bound == nil && i == len(l.c.Fields)-1 {
			x = x.Elem // a flexible array member
		}
		switch {
		case x.IsRef():
		case x.Is(Func):
			return fmt.Errorf("field '%s' declared as a function", f.Name)
		case !x.Complete():
			return fmt.Errorf("field has incomplete type '%s'", f.Type)
		case x.Size() < 0 || x.Size() > maxSize:
			return fmt.Errorf("field '%s' is too large", f.Name)
		}
	}
	return nil
}

// isEmpty reports whether a class has no fields but unnamed bit-fields of no width, and
// empty bases alone.
func isEmpty(c *Class) bool {
	if c.Virtual {
		return false
	}
	for _, b := range c.Bases {
		if !b.Class.Empty {
			return false
		}
	}
	for _, f := range c.Fields {
		if f.Width != 0 && !f.IsShared() {
			return false
		}
	}
	return true
}

// IsShared reports whether a field is of an empty class and may be where others are.
func (f *Field) IsShared() bool { return f.Shares && f.Type.IsClass() && f.Type.Class.Empty }

// base places a base class: an empty one at offset 0 if it may be there, others behind
// what is placed.
func (l *layout) base(b *Base) {
	align := b.Class.Align
	if l.c.Pack > 0 && !b.Class.Empty {
		align = min(align, l.c.Pack)
	}
	l.align = max(l.align, align)
	offset := int64(0)
	if !b.Class.Empty || l.conflicts(b.Class, 0) {
		offset = roundUp(l.bytes(), align)
		for l.conflicts(b.Class, offset) {
			offset = roundUp(offset+b.Class.Align, align)
		}
	}
	b.Offset = offset
	l.record(b.Class, offset)
	if b.Class.Empty {
		l.size = max(l.size, offset+b.Class.Size)
		return
	}
	l.bits = 8 * (offset + b.Class.DataSize)
	l.size = max(l.size, offset+b.Class.DataSize)
}

// table makes room for the pointer to the table of virtual functions: it is that of the primary base,
// the first one that has one, or is in front of everything else.
func (l *layout) table() (primary *Base) {
	if !l.c.Virtual {
		return nil
	}
	for i := range l.c.Bases {
		if b := &l.c.Bases[i]; b.Class.Virtual {
			l.base(b)
			return b
		}
	}
	l.align = tableAlign
	if l.c.Pack > 0 {
		l.align = min(l.align, l.c.Pack)
	}
	l.bits, l.size = 8*tableAlign, tableAlign
	return nil
}

// tableAlign is the size and alignment of a pointer to a table in bytes.
const tableAlign = 8

// bytes returns the end of what is placed, rounded up to a byte.
func (l *layout) bytes() int64 { return (l.bits + 7) / 8 }

// fieldAlign returns the alignment of a field of type x with the class's packing.
func (l *layout) fieldAlign(f *Field, x Type) int64 {
	align := x.Align()
	if f.IsShared() {
		return max(align, f.Align)
	}
	if (l.c.Packed || f.Packed) && !keepsAlignment(x) {
		align = 1
	}
	align = max(align, f.Align)
	if l.c.Pack > 0 {
		align = min(align, l.c.Pack)
	}
	return align
}

// keepsAlignment reports whether the attribute packed of a class does not apply to its
// fields of type x: references, and classes that are no POD and not packed themselves.
func keepsAlignment(x Type) bool {
	e := x.Element()
	return isNotPODType(x) && !(e.IsClass() && e.Class.packs)
}

// packs reports whether all fields of a class are packed.
func packs(c *Class) bool {
	packs := c.Packed
	for _, f := range c.Fields {
		packs = packs && !keepsAlignment(f.Type)
	}
	return packs
}

// isNotPODType reports whether x is a reference, or of a class that is no POD.
func isNotPODType(x Type) bool {
	x = x.Element()
	return x.IsRef() || x.IsClass() && x.Class.NotPOD
}

// field places a field that is no bit-field.
func (l *layout) field(f *Field) {
	align := l.fieldAlign(f, f.Type)
	l.align = max(l.align, align)
	if l.c.Union {
		f.Offset = 0
		l.size = max(l.size, f.extent())
		return
	}
	offset := roundUp(l.bytes(), align)
	if f.IsShared() { // like an empty base: g++ does not count bits that are begun, nor alignas
		if offset = 0; l.fieldConflicts(f.Type, 0) {
			offset = roundUp(l.bits/8, f.Type.Align())
		}
	}
	if c := f.Type.Element(); c.IsClass() {
		for l.fieldConflicts(f.Type, offset) {
			offset = roundUp(offset+f.Type.Align(), align)
		}
		l.recordField(f.Type, offset)
	}
	f.Offset = offset
	l.size = max(l.size, offset+f.extent())
	if !f.IsShared() {
		l.bits = 8 * (offset + f.extent())
	}
}

// extent returns the size of a field without padding that others may be in.
func (f *Field) extent() int64 {
	if f.Shares && f.Type.IsClass() && !f.Type.Class.Empty {
		return f.Type.Class.DataSize
	}
	return f.Type.Size()
}

// bitField places a bit-field: in the unit of its type that the next bit is in, if it
// fits there, and in the next one otherwise; packed ones at the next bit.
func (l *layout) bitField(f *Field) {
	size := f.Type.Size()
	width := int64(f.Width)
	bit := l.bits
	if l.c.Union {
		bit = 0
	}
	if width > 8*size {
		size = l.wideUnit(width)
		bit = roundUp(bit, 8*l.wideAlign(size))
		l.align = max(l.align, l.wideAlign(size))
	} else {
		align := l.bitAlign(f)
		if f.Name != "" || f.Align > 0 {
			l.align = max(l.align, align)
		}
		packed := l.c.Packed || f.Packed || l.c.Pack > 0
		unit := 8 * f.Type.Align()
		switch {
		case width == 0:
			bit = roundUp(bit, max(unit, 8*f.Align))
		case f.Align > 0:
			bit = roundUp(bit, 8*align)
		case !packed && bit%unit+width > 8*size:
			bit = roundUp(bit, unit)
		}
	}
	f.Offset = bit / (8 * size) * size
	f.Bit = int(bit - 8*f.Offset)
	if l.c.Union {
		l.size = max(l.size, (width+7)/8)
		return
	}
	l.bits = bit + width
	l.size = max(l.size, l.bytes())
}

// bitAlign returns what a bit-field requires of the class's alignment.
func (l *layout) bitAlign(f *Field) int64 {
	align := f.Type.Align()
	if (l.c.Packed || f.Packed) && l.c.Pack == 0 {
		align = 1
	}
	align = max(align, f.Align)
	if l.c.Pack > 0 {
		align = min(align, l.c.Pack)
	}
	return align
}

// wideUnit returns the size of the greatest integer that a bit-field wider than its type
// has room for: it is stored as one, and padded.
func (l *layout) wideUnit(width int64) int64 {
	n := int64(1)
	for n < 16 && 16*n <= width {
		n *= 2
	}
	return n
}

func (l *layout) wideAlign(size int64) int64 {
	switch {
	case l.c.Packed:
		return 1
	case l.c.Pack > 0:
		return min(size, l.c.Pack)
	}
	return size
}

// finish rounds the size up, and says where fields of a derived class begin.
func (l *layout) finish() {
	c := l.c
	c.Align = max(l.align, c.MinAlign)
	c.Size = max(roundUp(l.size, c.Align), 1)
	if c.Empty {
		c.Size = roundUp(c.Size, c.Align)
	}
	c.NotPOD = isNotPOD(c)
	c.DataSize = c.Size
	if c.NotPOD || c.Empty {
		c.DataSize = l.size
	}
}

// isNotPOD reports whether a class is no POD as C++03 defines it, for layout.
func isNotPOD(c *Class) bool {
	if len(c.Bases) > 0 || c.Virtual || c.Declares&(UserConstructor|UserCopy|UserCopyAssign|UserDestructor|UserDefault|DefaultInit) != 0 {
		return true
	}
	for _, f := range c.Fields {
		if f.Access != Public || f.Shares || isNotPODType(f.Type) {
			return true
		}
	}
	return false
}

// hasEmpty reports whether objects of class c are or contain objects of empty classes.
func hasEmpty(c *Class) bool {
	has := c.Empty
	for _, b := range c.Bases {
		has = has || b.Class.hasEmpty
	}
	for _, f := range c.Fields {
		x := f.Type.Element()
		has = has || x.IsClass() && x.Class.hasEmpty
	}
	return has
}

func roundUp(n, align int64) int64 { return (n + align - 1) / align * align }

// conflicts reports whether c at offset would bring two subobjects of one empty class
// to one place.
func (l *layout) conflicts(c *Class, offset int64) bool {
	if len(l.empties) == 0 {
		return false
	}
	found := false
	emptyParts(c, offset, func(e emptyAt) {
		for _, x := range l.empties {
			found = found || x == e
		}
	})
	return found
}

func (l *layout) record(c *Class, offset int64) {
	emptyParts(c, offset, func(e emptyAt) { l.empties = append(l.empties, e) })
}

// maxElements bounds how many elements of an array are looked at for conflicts: behind
// the first ones there is nothing of a base.
const maxElements = 64

func (l *layout) fieldConflicts(x Type, offset int64) bool {
	c := x.Element().Class
	if len(l.empties) == 0 {
		return false
	}
	for i := int64(0); i < min(elements(x), maxElements); i++ {
		if l.conflicts(c, offset+i*c.Size) {
			return true
		}
	}
	return false
}

func (l *layout) recordField(x Type, offset int64) {
	c := x.Element().Class
	for i := int64(0); i < min(elements(x), maxElements); i++ {
		l.record(c, offset+i*c.Size)
	}
}

// elements returns how many elements at the bottom an array has; 1 for other types.
func elements(x Type) int64 {
	n := int64(1)
	for x.Is(Array) {
		n *= max(x.Len, 0)
		x = x.Elem
	}
	return n
}

// emptyParts calls f for the subobjects of empty classes in c.
func emptyParts(c *Class, offset int64, f func(emptyAt)) {
	if !c.hasEmpty {
		return
	}
	if c.Empty {
		f(emptyAt{c, offset})
	}
	for _, b := range c.Bases {
		emptyParts(b.Class, offset+b.Offset, f)
	}
	for _, fl := range c.Fields {
		if x := fl.Type.Element(); x.IsClass() && fl.Width < 0 {
			for i := int64(0); i < min(elements(fl.Type), maxElements); i++ {
				emptyParts(x.Class, offset+fl.Offset+i*x.Class.Size, f)
			}
		}
	}
}
