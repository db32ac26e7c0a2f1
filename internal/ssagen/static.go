package ssagen

import (
	"cmp"
	"encoding/binary"
	"math"
	"slices"

	"irgl/internal/check"
	"irgl/internal/ssa"
	"irgl/syntax"
)

// staticInit gives g, of type t, a constant initial value: the bytes up to the last that is
// not zero, and addresses.
func (b *builder) staticInit(g *ssa.Global, e syntax.Expr, t check.Type) {
	buf := make([]byte, t.Size())
	if list, ok := e.(*syntax.InitList); ok {
		for _, s := range b.info.Inits[list] {
			b.staticSlot(g, buf, s)
		}
	} else {
		b.staticSlot(g, buf, check.InitSlot{Type: t, Value: e})
	}
	slices.SortFunc(g.Refs, func(x, y ssa.Ref) int { return cmp.Compare(x.Offset, y.Offset) })
	n := len(buf)
	for n > 0 && buf[n-1] == 0 {
		n--
	}
	if n > 0 {
		g.Init = buf[:n]
	}
}

// staticSlot writes the value of one slot.
func (b *builder) staticSlot(g *ssa.Global, buf []byte, s check.InitSlot) {
	if s.Offset < 0 || s.Offset > int64(len(buf)) {
		return
	}
	buf = buf[s.Offset:]
	g.Refs = slices.DeleteFunc(g.Refs, func(r ssa.Ref) bool { return r.Offset >= s.Offset && r.Offset < s.Offset+s.Type.Size() })
	// An earlier value of the slot, a string, may be longer than this one.
	if s.Bits == nil {
		clear(buf[:min(s.Type.Size(), int64(len(buf)))])
	}
	e := syntax.Unparen(s.Value)
	if lit, ok := e.(*syntax.BasicLit); ok && lit.Kind == syntax.StringLit {
		if isArray(s.Type) {
			text, _ := syntax.ParseString(lit.Text) // already parsed by check
			copy(buf[:min(s.Type.Size(), int64(len(buf)))], text)
			return
		}
	}
	if call, ok := e.(*syntax.CallExpr); ok && isStruct(s.Type) {
		b.staticStruct(buf, call, s.Type.(*check.Struct))
		return
	}
	c := b.info.Consts[s.Value]
	if c == nil && typeOf(s.Type).Size() == 8 {
		if r, ok := b.staticAddress(s.Value); ok {
			r.Offset = s.Offset
			g.Refs = append(g.Refs, r)
			return
		}
	}
	if c == nil || typeOf(s.Type) == ssa.Void {
		b.errorf(s.Value, codeStaticInit, "this initial value is not a constant, nor the address of a variable or function of the device").Hint =
			"assign it in a function"
		return
	}
	c = constIn(c, b.info.Types[s.Value], s.Type)
	if s.Bits != nil {
		putBits(buf, c.Int, s.Bits)
		return
	}
	putConst(buf, c, s.Type)
}

// putBits sets a bit-field in its unit.
func putBits(buf []byte, n int64, b *check.BitField) {
	for i := range b.Width {
		at, bit := (b.Bit+i)/8, byte(1)<<((b.Bit+i)%8)
		if at >= int64(len(buf)) {
			return
		}
		buf[at] &^= bit
		if n>>i&1 != 0 {
			buf[at] |= bit
		}
	}
}

// staticStruct writes dim3(x, y) or make_int2(x, y).
func (b *builder) staticStruct(buf []byte, call *syntax.CallExpr, t *check.Struct) {
	for i, f := range t.Fields {
		c := &check.Const{}
		switch {
		case i < len(call.Args):
			if v := b.info.Consts[call.Args[i]]; v != nil {
				c = constIn(v, b.info.Types[call.Args[i]], f.Type)
			}
		case t == check.Dim3():
			c.Int = 1
		}
		if f.Offset+f.Type.Size() <= int64(len(buf)) {
			putConst(buf[f.Offset:], c, f.Type)
		}
	}
}

// constIn returns c, of type from, converted to type to.
func constIn(c *check.Const, from, to check.Type) *check.Const {
	if from == nil {
		return c
	}
	switch {
	case check.IsFloat(from) && check.IsFloat(to):
		if to == check.Float {
			return &check.Const{Float: float64(float32(c.Float))}
		}
		return c
	case check.IsFloat(from) && to == check.Bool:
		return &check.Const{Int: b2i(c.Float != 0)}
	case check.IsFloat(from):
		return &check.Const{Int: floatToInt(c.Float, to)}
	case check.IsFloat(to):
		f := float64(c.Int)
		if check.IsUnsigned(from) && c.Int < 0 {
			f = float64(uint64(c.Int))
		}
		if to == check.Float {
			if check.IsUnsigned(from) && c.Int < 0 {
				f = float64(float32(uint64(c.Int)))
			} else {
				f = float64(float32(c.Int))
			}
		}
		return &check.Const{Float: f}
	case to == check.Bool:
		return &check.Const{Int: b2i(c.Int != 0)}
	}
	n := c.Int
	if bits := typeOf(to).Bits(); bits > 1 {
		n = n << (64 - bits) >> (64 - bits)
		if check.IsUnsigned(to) {
			n = int64(uint64(n) << (64 - bits) >> (64 - bits))
		}
	}
	return &check.Const{Int: n}
}

// b2i is C's value of a comparison.
func b2i(v bool) int64 {
	if v {
		return 1
	}
	return 0
}

// floatToInt truncates and saturates, as devices do; NaN gives 0.
func floatToInt(f float64, to check.Type) int64 {
	bits := typeOf(to).Bits()
	if math.IsNaN(f) || bits == 0 {
		return 0
	}
	f = math.Trunc(f)
	if check.IsUnsigned(to) {
		switch {
		case f <= 0:
			return 0
		case f >= math.Ldexp(1, bits):
			return int64(uint64(math.MaxUint64) >> (64 - bits))
		}
		return int64(uint64(f))
	}
	limit := math.Ldexp(1, bits-1)
	switch {
	case f >= limit:
		return 1<<(bits-1) - 1
	case f < -limit:
		return -1 << (bits - 1)
	}
	return int64(f)
}

// putConst writes a constant of scalar type t in little-endian order.
func putConst(buf []byte, c *check.Const, t check.Type) {
	var bits uint64
	switch t {
	case check.Float:
		bits = uint64(math.Float32bits(float32(c.Float)))
	case check.Double:
		bits = math.Float64bits(c.Float)
	default:
		bits = uint64(c.Int)
	}
	var le [8]byte
	binary.LittleEndian.PutUint64(le[:], bits)
	copy(buf[:min(t.Size(), int64(len(buf)))], le[:])
}
