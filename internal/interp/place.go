package interp

import (
	"math"

	"irgl/internal/check"
	"irgl/syntax"
)

// A mode is how a place is reached. The modes are as many as they are for
// speed: what is known when the program is compiled is not computed again.
type mode uint8

const (
	cellMode  mode = iota // a scalar variable outside memory
	fixedMode             // k bytes into a segment
	indexMode             // element index() of a row in a segment
	offMode               // off() bytes into a segment
	ptrMode               // k bytes after what ptr() points to
	tempMode              // k bytes into the bytes of a struct value
)

// A place is a compiled lvalue, or a struct value that members are taken of.
type place struct {
	mode mode
	t    check.Type
	n    syntax.Node // for errors
	seg  *segment
	k    int64

	cell  *int64
	fcell *float64
	set   *bool // set with the first value; nil when reads cannot come first

	index    func() int64
	len      int64 // indices go from 0 to len-1
	size     int64 // from one to the next, in bytes
	badIndex func(i int64)

	off  func() int64
	ptr  func() int64
	temp func() []byte
}

// offset returns the byte offset in the segment of an indexMode place. An
// index equal to the length is allowed when only the address is taken.
func (p *place) offset(last int64) func() int64 {
	index, size, k, bad := p.index, p.size, p.k, p.badIndex
	return func() int64 {
		i := index()
		if uint64(i) >= uint64(last) {
			bad(i)
		}
		return i*size + k
	}
}

// bytes returns a function that gives the place's memory.
func (c *compiler) bytes(p place, write bool) func() []byte {
	size := p.t.Size()
	switch p.mode {
	case fixedMode:
		if c.dry {
			return nil
		}
		b := p.seg.data[p.k : p.k+size]
		return func() []byte { return b }
	case indexMode:
		off, data := p.offset(p.len), p.seg.data
		return func() []byte { return data[off():] }
	case offMode:
		off, data := p.off, p.seg.data
		return func() []byte { return data[off():] }
	case tempMode:
		temp, k := p.temp, p.k
		return func() []byte { return temp()[k : k+size] }
	}
	m, ptr, k, align, n := c.machine, p.ptr, p.k, p.t.Align(), p.n
	return func() []byte { return m.at(ptr()+k, size, align, write, n) }
}

// load returns the value of a place.
func (c *compiler) load(p place) val {
	switch {
	case isStruct(p.t):
		b, size := c.bytes(p, false), p.t.Size()
		return val{t: p.t, s: func() []byte { return b()[:size] }}
	case p.mode == cellMode:
		return c.loadCell(p)
	case isFloat(p.t):
		if p.mode == indexMode && p.t == check.Double {
			return floatVal(p.t, loadIndexedDouble(p))
		}
		return floatVal(p.t, loadFloat(p.t, c.bytes(p, false)))
	case p.mode == indexMode && p.t.Size() == 4 && !check.IsUnsigned(p.t):
		return intVal(p.t, loadIndexedInt(p))
	case p.mode == fixedMode && !c.dry:
		return intVal(p.t, loadIntOf(p.t, p.seg.data[p.k:p.k+p.t.Size()]))
	}
	return intVal(p.t, loadInt(p.t, c.bytes(p, false)))
}

// loadIndexedInt reads an element of an array of ints or nodes, such as a
// property: the most frequent load of graph programs.
func loadIndexedInt(p place) func() int64 {
	index, data, size, k, n, bad := p.index, p.seg.data, p.size, p.k, p.len, p.badIndex
	if k == 0 && size == 4 {
		return func() int64 {
			i := index()
			if uint64(i) >= uint64(n) {
				bad(i)
			}
			return int64(int32(le.Uint32(data[i*4:])))
		}
	}
	return func() int64 {
		i := index()
		if uint64(i) >= uint64(n) {
			bad(i)
		}
		return int64(int32(le.Uint32(data[i*size+k:])))
	}
}

// loadIndexedDouble reads an element of an array of doubles.
func loadIndexedDouble(p place) func() float64 {
	index, data, size, k, n, bad := p.index, p.seg.data, p.size, p.k, p.len, p.badIndex
	return func() float64 {
		i := index()
		if uint64(i) >= uint64(n) {
			bad(i)
		}
		return math.Float64frombits(le.Uint64(data[i*size+k:]))
	}
}

// loadCell reads a variable, and fails when it may have no value yet and has
// none.
func (c *compiler) loadCell(p place) val {
	cell, fcell, set := p.cell, p.fcell, p.set
	if set == nil {
		if fcell != nil {
			return floatVal(p.t, func() float64 { return *fcell })
		}
		return val{t: p.t, i: func() int64 { return *cell }, cell: cell}
	}
	m, n := c.machine, p.n
	test := func() {
		if !*set {
			m.fail(n, codeUnset, "this variable has no value yet")
		}
	}
	if fcell != nil {
		return floatVal(p.t, func() float64 { test(); return *fcell })
	}
	return intVal(p.t, func() int64 { test(); return *cell })
}

// store returns the value of assigning v, which has the place's type, to it.
func (c *compiler) store(p place, v val) val {
	switch {
	case isStruct(p.t):
		b, s, size := c.bytes(p, true), v.s, p.t.Size()
		return val{t: p.t, s: func() []byte {
			from := s()
			to := b()[:size]
			copy(to, from)
			return to
		}}
	case p.mode == cellMode:
		return storeCell(p, v)
	case isFloat(p.t):
		return floatVal(p.t, storeFloat(p.t, c.bytes(p, true), v.f))
	case p.mode == indexMode && p.t.Size() == 4:
		return intVal(p.t, storeIndexedInt(p, v.i))
	}
	return intVal(p.t, storeInt(p.t, c.bytes(p, true), v.i))
}

// storeIndexedInt writes an element of an array of ints or nodes.
func storeIndexedInt(p place, v func() int64) func() int64 {
	index, data, size, k, n, bad := p.index, p.seg.data, p.size, p.k, p.len, p.badIndex
	return func() int64 {
		x, i := v(), index()
		if uint64(i) >= uint64(n) {
			bad(i)
		}
		le.PutUint32(data[i*size+k:], uint32(x))
		return x
	}
}

// storeCell assigns to a variable outside memory. One that may be read before it
// has a value remembers that it has one now.
func storeCell(p place, v val) val {
	cell, fcell, set, i, f := p.cell, p.fcell, p.set, v.i, v.f
	switch {
	case fcell != nil && set != nil:
		return floatVal(p.t, func() float64 { x := f(); *fcell, *set = x, true; return x })
	case fcell != nil:
		return floatVal(p.t, func() float64 { x := f(); *fcell = x; return x })
	case set != nil:
		return intVal(p.t, func() int64 { x := i(); *cell, *set = x, true; return x })
	}
	return intVal(p.t, func() int64 { x := i(); *cell = x; return x })
}

// address returns the pointer to a place in memory.
func (c *compiler) address(p place, t check.Type) val {
	switch p.mode {
	case fixedMode:
		return intConst(t, p.seg.base+p.k)
	case indexMode:
		off, base := p.offset(p.len+1), p.seg.base
		return intVal(t, func() int64 { return base + off() })
	case offMode:
		off, base := p.off, p.seg.base
		return intVal(t, func() int64 { return base + off() })
	case ptrMode:
		if p.k == 0 {
			return intVal(t, p.ptr)
		}
		m, ptr, k, n := c.machine, p.ptr, p.k, p.n
		return intVal(t, func() int64 { return m.moved(ptr(), k, 1, n) })
	}
	c.errorf(p.n, codeUnknown, "this has no address")
	return intConst(t, 0)
}

// pin returns the place with its address computed once, by prepare, so that it
// can be read and then written. prepare is nil when there is nothing to do.
func (p place) pin() (prepare func(), q place) {
	q = p
	switch p.mode {
	case indexMode:
		at, index, n, bad := new(int64), p.index, p.len, p.badIndex
		q.index = func() int64 { return *at }
		return func() {
			i := index()
			if uint64(i) >= uint64(n) {
				bad(i)
			}
			*at = i
		}, q
	case offMode:
		at, off := new(int64), p.off
		q.off = func() int64 { return *at }
		return func() { *at = off() }, q
	case ptrMode:
		at, ptr := new(int64), p.ptr
		q.ptr = func() int64 { return *at }
		return func() { *at = ptr() }, q
	case tempMode:
		at, temp := new([]byte), p.temp
		q.temp = func() []byte { return *at }
		return func() { *at = temp() }, q
	}
	return nil, q
}

// field returns the part of type t at offset bytes in a struct place.
func (p place) field(t check.Type, offset int64, n syntax.Node) place {
	q := p
	q.t, q.n = t, n
	if p.mode == offMode {
		off := p.off
		q.off = func() int64 { return off() + offset }
		return q
	}
	q.k += offset
	return q
}

// element returns the element of an array place that index selects.
func (c *compiler) element(p place, a *check.Array, index val, n syntax.Node) place {
	q := p
	q.t, q.n = a.Elem, n
	size, length, i := a.Elem.Size(), a.Len, index.i
	m := c.machine
	bad := func(i int64) {
		m.fail(n, codeIndex, "index %d is out of range: the array has %d elements, 0 to %d", i, length, length-1)
	}
	if index.konst && index.ci >= 0 && index.ci < length {
		return p.field(a.Elem, index.ci*size, n)
	}
	checked := func() int64 {
		x := i()
		if uint64(x) >= uint64(length) {
			bad(x)
		}
		return x * size
	}
	switch p.mode {
	case fixedMode:
		q.mode, q.index, q.len, q.size, q.badIndex = indexMode, i, length, size, bad
	case indexMode:
		off := p.offset(p.len)
		q.mode, q.off = offMode, func() int64 { return off() + checked() }
	case offMode:
		off := p.off
		q.off = func() int64 { return off() + checked() }
	case ptrMode:
		ptr := p.ptr
		q.ptr = func() int64 { return ptr() + checked() }
	case tempMode:
		temp, k := p.temp, p.k
		q.k, q.temp = 0, func() []byte { return temp()[k+checked():] }
	}
	return q
}
