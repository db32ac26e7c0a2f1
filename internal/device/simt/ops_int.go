package simt

import (
	"math/bits"

	"irgl/internal/ptx"
)

// signExtend returns the value of the low size bytes of v as a signed number.
func signExtend(v uint64, size int) int64 {
	s := 64 - 8*size
	return int64(v<<s) >> s
}

// intBinary returns an integer operation on values kept zero-extended.
func intBinary(op string, m mods) func(a, b uint64) uint64 {
	t := m.t
	mask, size, signed := typeMask(t), t.Size(), t[0] == 's'
	sx := func(v uint64) int64 { return signExtend(v, size) }
	switch op {
	case "add":
		if m.has("sat") {
			return func(a, b uint64) uint64 { return saturate32(sx(a) + sx(b)) }
		}
		return func(a, b uint64) uint64 { return (a + b) & mask }
	case "sub":
		if m.has("sat") {
			return func(a, b uint64) uint64 { return saturate32(sx(a) - sx(b)) }
		}
		return func(a, b uint64) uint64 { return (a - b) & mask }
	case "mul":
		hi := m.has("hi")
		return func(a, b uint64) uint64 { return mulPart(a, b, size, signed, hi) }
	case "min", "max":
		less := func(a, b uint64) bool { return a < b }
		if signed {
			less = func(a, b uint64) bool { return sx(a) < sx(b) }
		}
		if op == "min" {
			return func(a, b uint64) uint64 {
				if less(b, a) {
					return b
				}
				return a
			}
		}
		return func(a, b uint64) uint64 {
			if less(a, b) {
				return b
			}
			return a
		}
	case "div", "rem":
		return division(op == "rem", mask, size, signed)
	case "and":
		return func(a, b uint64) uint64 { return a & b }
	case "or":
		return func(a, b uint64) uint64 { return a | b }
	case "xor":
		return func(a, b uint64) uint64 { return a ^ b }
	case "shl":
		return func(a, b uint64) uint64 { return a << min(b, 64) & mask }
	case "shr":
		if signed {
			return func(a, b uint64) uint64 { return uint64(sx(a)>>min(b, 63)) & mask }
		}
		return func(a, b uint64) uint64 { return a >> min(b, 64) }
	case "bmsk":
		if m.has("clamp") {
			return func(a, b uint64) uint64 { return (1<<min(b, 32) - 1) << min(a, 32) & mask }
		}
		return func(a, b uint64) uint64 { return (1<<(b&31) - 1) << (a & 31) & mask }
	case "szext":
		wrap := m.has("wrap")
		return func(a, b uint64) uint64 {
			if wrap {
				b &= 31
			}
			if b >= 32 {
				return a
			}
			if b == 0 {
				return 0
			}
			if signed {
				return uint64(int64(a<<(64-b))>>(64-b)) & mask
			}
			return a & (1<<b - 1)
		}
	}
	return nil
}

// division returns div or rem. Division by zero, which PTX leaves open, gives
// all ones, and the dividend as the remainder, as GPUs do.
func division(rem bool, mask uint64, size int, signed bool) func(a, b uint64) uint64 {
	return func(a, b uint64) uint64 {
		switch {
		case b == 0 && rem:
			return a
		case b == 0:
			return mask
		case signed:
			x, y := signExtend(a, size), signExtend(b, size)
			if y == -1 { // also the one quotient that overflows
				if rem {
					return 0
				}
				return uint64(-x) & mask
			}
			if rem {
				return uint64(x%y) & mask
			}
			return uint64(x/y) & mask
		case rem:
			return a % b
		}
		return a / b
	}
}

func saturate32(v int64) uint64 {
	return uint64(uint32(int32(max(-1<<31, min(v, 1<<31-1)))))
}

// mulPart returns the low or high half of a product of size-byte values.
func mulPart(a, b uint64, size int, signed, high bool) uint64 {
	if size < 8 {
		p := a * b
		if signed {
			p = uint64(signExtend(a, size) * signExtend(b, size))
		}
		if high {
			p >>= 8 * size
		}
		return p & (1<<(8*size) - 1)
	}
	hi, lo := bits.Mul64(a, b)
	if !high {
		return lo
	}
	if signed {
		if int64(a) < 0 {
			hi -= b
		}
		if int64(b) < 0 {
			hi -= a
		}
	}
	return hi
}

func wideMul(t ptx.Type) func(a, b uint64) uint64 {
	size, mask := t.Size(), typeMask(wider(t))
	if t[0] == 's' {
		return func(a, b uint64) uint64 { return uint64(signExtend(a, size)*signExtend(b, size)) & mask }
	}
	return func(a, b uint64) uint64 { return a * b }
}

func wideMad(t ptx.Type) func(a, b, c uint64) uint64 {
	f, mask := wideMul(t), typeMask(wider(t))
	return func(a, b, c uint64) uint64 { return (f(a, b) + c) & mask }
}

func intMad(m mods) func(a, b, c uint64) uint64 {
	size, signed, hi, mask := m.t.Size(), m.t[0] == 's', m.has("hi"), typeMask(m.t)
	if m.has("sat") {
		return func(a, b, c uint64) uint64 {
			return saturate32(signExtend(mulPart(a, b, size, signed, hi), size) + signExtend(c, size))
		}
	}
	return func(a, b, c uint64) uint64 { return (mulPart(a, b, size, signed, hi) + c) & mask }
}

// mul24 multiplies the low 24 bits: the low 32 bits of the 48, or the high.
func mul24(m mods) func(a, b uint64) uint64 {
	signed, hi := m.t[0] == 's', m.has("hi")
	return func(a, b uint64) uint64 {
		p := (a & 0xffffff) * (b & 0xffffff)
		if signed {
			p = uint64((int64(a<<40) >> 40) * (int64(b<<40) >> 40))
		}
		if hi {
			p >>= 16
		}
		return p & 0xffffffff
	}
}

func intUnary(op string, m mods) func(a uint64) uint64 {
	t := m.t
	mask, size := typeMask(t), t.Size()
	width := uint64(8 * size)
	switch op {
	case "not":
		return func(a uint64) uint64 { return ^a & mask }
	case "cnot":
		return func(a uint64) uint64 {
			if a == 0 {
				return 1
			}
			return 0
		}
	case "popc":
		return func(a uint64) uint64 { return uint64(bits.OnesCount64(a)) }
	case "clz":
		return func(a uint64) uint64 { return uint64(bits.LeadingZeros64(a)) - (64 - width) }
	case "brev":
		return func(a uint64) uint64 { return bits.Reverse64(a) >> (64 - width) }
	case "bfind":
		shift, signed := m.has("shiftamt"), t[0] == 's'
		return func(a uint64) uint64 {
			if signed && signExtend(a, size) < 0 {
				a = ^a & mask
			}
			if a == 0 {
				return 0xffffffff
			}
			p := uint64(bits.Len64(a) - 1)
			if shift {
				p = width - 1 - p
			}
			return p
		}
	case "abs":
		return func(a uint64) uint64 {
			if v := signExtend(a, size); v < 0 {
				return uint64(-v) & mask
			}
			return a
		}
	}
	return func(a uint64) uint64 { return -a & mask } // neg
}

func sad(t ptx.Type) func(a, b, c uint64) uint64 {
	mask, size, signed := typeMask(t), t.Size(), t[0] == 's'
	return func(a, b, c uint64) uint64 {
		less := a < b
		if signed {
			less = signExtend(a, size) < signExtend(b, size)
		}
		if less {
			a, b = b, a
		}
		return (c + a - b) & mask
	}
}

// bfe extracts c bits of a at bit b; a signed field is extended by its top
// bit, or by a's sign where the field passes the end.
func bfe(t ptx.Type) func(a, b, c uint64) uint64 {
	width, signed, mask := uint64(8*t.Size()), t[0] == 's', typeMask(t)
	return func(a, pos, n uint64) uint64 {
		pos, n = pos&255, n&255
		if n == 0 {
			return 0
		}
		top := min(pos+n-1, width-1)
		var v uint64
		if pos < width {
			v = a >> pos
		}
		field := ^uint64(0)
		if n < 64 {
			field = 1<<n - 1
		}
		v &= field
		if signed && a>>top&1 != 0 {
			valid := uint64(0) // bits of the field that lie in a
			if pos < width {
				valid = min(n, width-pos)
			}
			if valid < 64 {
				v |= ^uint64(0) << valid
			}
		}
		return v & mask
	}
}

// fns finds the n-th set bit of mask at or after base (n > 0), before or at
// it (n < 0), or base itself if set (n = 0); all ones when there is none.
func fns(mask, base, n uint64) uint64 {
	if base > 31 {
		return 0xffffffff
	}
	count, step, pos := int32(n), 1, int(base)
	if count < 0 {
		count, step = -count, -1
	}
	if count == 0 {
		if mask>>pos&1 != 0 {
			return uint64(pos)
		}
		return 0xffffffff
	}
	for ; pos >= 0 && pos < 32; pos += step {
		if mask>>pos&1 != 0 {
			if count--; count == 0 {
				return uint64(pos)
			}
		}
	}
	return 0xffffffff
}

// dotProduct returns dp4a, or dp2a of the low or high bytes of b.
func dotProduct(op string, m mods) func(a, b, c uint64) uint64 {
	part := func(v uint64, shift, width uint, signed bool) int64 {
		v = v >> shift & (1<<width - 1)
		if signed {
			return signExtend(v, int(width/8))
		}
		return int64(v)
	}
	sa, sb, hi := m.t == "s32", m.u == "s32", uint(0)
	if m.has("hi") {
		hi = 16
	}
	return func(a, b, c uint64) uint64 {
		sum := int64(c)
		if op == "dp4a" {
			for i := uint(0); i < 32; i += 8 {
				sum += part(a, i, 8, sa) * part(b, i, 8, sb)
			}
		} else {
			for i := range uint(2) {
				sum += part(a, 16*i, 16, sa) * part(b, hi+8*i, 8, sb)
			}
		}
		return uint64(sum) & 0xffffffff
	}
}

// prmt picks four bytes of b:a by the selectors in c.
func prmt(mode string) func(a, b, c uint64) uint64 {
	return func(a, b, c uint64) uint64 {
		all := a&0xffffffff | b<<32
		var v uint64
		for i := range uint64(4) {
			sel := c >> (4 * i) & 15
			n := c & 3
			switch mode {
			case "f4e":
				sel = (n + i) & 7
			case "b4e":
				sel = (n - i) & 7
			case "rc8":
				sel = n
			case "ecl":
				sel = max(n, i)
			case "ecr":
				sel = min(n, i)
			case "rc16":
				sel = c&1*2 + i&1
			}
			byt := all >> (8 * (sel & 7)) & 255
			if sel&8 != 0 { // replicate the sign
				byt = uint64(int64(int8(byt))>>7) & 255
			}
			v |= byt << (8 * i)
		}
		return v
	}
}

// lop3 applies the three-operand truth table lut to every bit.
func lop3(lut uint8) func(a, b, c uint64) uint64 {
	return func(a, b, c uint64) uint64 {
		var v uint64
		for i := range uint64(8) {
			if lut>>i&1 == 0 {
				continue
			}
			x, y, z := a, b, c
			if i&4 == 0 {
				x = ^x
			}
			if i&2 == 0 {
				y = ^y
			}
			if i&1 == 0 {
				z = ^z
			}
			v |= x & y & z
		}
		return v & 0xffffffff
	}
}

// shf shifts the 64 bits b:a.
func shf(m mods) func(a, b, c uint64) uint64 {
	left, wrap := m.has("l"), m.has("wrap")
	return func(a, b, c uint64) uint64 {
		if wrap {
			c &= 31
		}
		c = min(c, 32)
		v := b<<32 | a
		if left {
			return v << c >> 32
		}
		return v >> c & 0xffffffff
	}
}

// isSpace tests whether a generic address is in a state space's window. What is in none, as null, is in global memory.
func (d *Device) isSpace(m mods) func(a uint64) bool {
	space := m.first("global", "local", "shared", "shared::cta", "const", "param")
	return func(a uint64) bool {
		switch a / windowSize {
		case sharedWindow / windowSize:
			return space == "shared" || space == "shared::cta"
		case localWindow / windowSize:
			return space == "local"
		case paramWindow / windowSize:
			return space == "param"
		}
		b := d.find(a)
		isConst := b != nil && b.readOnly
		return space == "const" && isConst || space == "global" && (a < sharedWindow || a >= windowEnd) && !isConst
	}
}
