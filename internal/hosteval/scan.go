package hosteval

import (
	"encoding/binary"
	"io"
	"math"
	"strings"

	"irgl/internal/cformat"
)

// A reader is where scanf reads: a byte at a time, of which the last can be given back.
type reader interface {
	io.ByteScanner
}

// A scanner is one call of scanf.
type scanner struct {
	c    *call
	in   reader
	args *cursor
	read int // bytes so far
}

func (s *scanner) next() (byte, bool) {
	b, err := s.in.ReadByte()
	if err != nil {
		return 0, false
	}
	s.read++
	return b, true
}

func (s *scanner) back() {
	s.read--
	if err := s.in.UnreadByte(); err != nil {
		panic(err) // a byte was read
	}
}

// skip passes over white space, and reports whether something is behind it.
func (s *scanner) skip() bool {
	for {
		b, ok := s.next()
		if !ok {
			return false
		}
		if !isSpace(b) {
			s.back()
			return true
		}
	}
}

// scan does what scanf does, and returns the number of values that were stored, or -1 if the
// input ends before the first.
func scan(c *call, in reader, format uint64, args []uint64) uint64 {
	f, ok := text(c, format)
	if !ok {
		return 0
	}
	s := &scanner{c: c, in: in, args: &cursor{c: c, args: args}}
	stored := 0
	for i := 0; i < len(f) && !c.Stopped(); {
		switch {
		case isSpace(f[i]):
			s.skip()
			i++
		case f[i] != '%' || i+1 < len(f) && f[i+1] == '%':
			if f[i] == '%' {
				i++
				s.skip()
			}
			b, ok := s.next()
			if !ok {
				return s.ended(stored)
			}
			if b != f[i] {
				s.back()
				return uint64(stored)
			}
			i++
		default:
			v, n := readScan(f[i+1:])
			i += 1 + n
			got, end := s.conversion(&v)
			if end {
				return s.ended(stored)
			}
			if !got {
				return uint64(stored)
			}
			if !v.drop && v.verb != 'n' {
				stored++
			}
		}
	}
	return uint64(stored)
}

// ended returns the result at the end of the input.
func (s *scanner) ended(stored int) uint64 {
	if stored == 0 {
		return minus
	}
	return uint64(stored)
}

// A scanConversion is one of scanf's.
type scanConversion struct {
	drop   bool
	width  int
	length string
	verb   byte
	set    [256]bool // of [
}

func readScan(f string) (v scanConversion, n int) {
	if n < len(f) && f[n] == '*' {
		v.drop = true
		n++
	}
	for ; n < len(f) && f[n] >= '0' && f[n] <= '9'; n++ {
		v.width = min(v.width*10+int(f[n]-'0'), cformat.MaxField)
	}
	if v.width == 0 {
		v.width = math.MaxInt
	}
	begin := n
	for n < len(f) && strings.IndexByte("hlLqjzt", f[n]) >= 0 {
		n++
	}
	v.length = f[begin:n]
	if n == len(f) {
		return v, n
	}
	v.verb = f[n]
	n++
	if v.verb != '[' {
		return v, n
	}
	not := n < len(f) && f[n] == '^'
	if not {
		n++
	}
	for first := true; n < len(f) && (first || f[n] != ']'); first = false {
		from, to := f[n], f[n]
		if n+2 < len(f) && f[n+1] == '-' && f[n+2] != ']' {
			to = f[n+2]
			n += 2
		}
		for b := int(from); b <= int(to); b++ {
			v.set[b] = true
		}
		n++
	}
	if not {
		for i := range v.set {
			v.set[i] = !v.set[i]
		}
	}
	return v, n + 1
}

// conversion reads and stores one value.
func (s *scanner) conversion(v *scanConversion) (got, end bool) {
	switch v.verb {
	case 'n':
		if !v.drop {
			s.store(v, uint64(s.read))
		}
		return true, false
	case 'c', '[':
	default:
		if !s.skip() {
			return false, true
		}
	}
	switch v.verb {
	case 'd', 'i', 'u', 'x', 'X', 'o', 'p':
		return s.integer(v)
	case 'e', 'f', 'g', 'a', 'E', 'F', 'G', 'A':
		return s.float(v)
	case 's':
		return s.text(v, func(b byte) bool { return !isSpace(b) }, true)
	case '[':
		return s.text(v, func(b byte) bool { return v.set[b] }, true)
	case 'c':
		if v.width == math.MaxInt {
			v.width = 1
		}
		return s.text(v, func(byte) bool { return true }, false)
	}
	s.c.Stop("%s: the conversion %%%c is not known", s.c.Name, v.verb)
	return false, false
}

// take reads while the text is the beginning of what is wanted.
func (s *scanner) take(width int, more func(soFar []byte, b byte) bool) (out []byte, end bool) {
	for len(out) < width {
		b, ok := s.next()
		if !ok {
			return out, true
		}
		if !more(out, b) {
			s.back()
			break
		}
		out = append(out, b)
	}
	return out, false
}

func (s *scanner) integer(v *scanConversion) (got, end bool) {
	base := map[byte]int{'d': 10, 'u': 10, 'i': 0, 'x': 16, 'X': 16, 'p': 16, 'o': 8}[v.verb]
	t, end := s.take(v.width, func(soFar []byte, b byte) bool {
		n := len(soFar)
		first := n > 0 && (soFar[0] == '+' || soFar[0] == '-')
		switch {
		case b == '+' || b == '-':
			return n == 0
		case b|32 == 'x' && (base == 0 || base == 16):
			return n == 1 && soFar[0] == '0' || n == 2 && first && soFar[1] == '0'
		}
		return digit(b) < 10 && (base != 8 || b < '8') || digit(b) < 16 && (base == 16 || base == 0 && strings.ContainsAny(string(soFar), "xX"))
	})
	x, n, _ := parseInteger(string(t), base, v.verb == 'd' || v.verb == 'i')
	if n == 0 {
		return false, end && len(t) == 0
	}
	s.store(v, x)
	return true, false
}

// store stores an integer of the conversion's length.
func (s *scanner) store(v *scanConversion, x uint64) {
	if v.drop {
		return
	}
	size := uint64(4)
	switch {
	case v.length == "hh":
		size = 1
	case v.length == "h":
		size = 2
	case v.length != "" || v.verb == 'p':
		size = 8
	}
	var word [8]byte
	binary.LittleEndian.PutUint64(word[:], x)
	s.put(word[:size])
}

func (s *scanner) put(b []byte) {
	p := s.args.next()
	if s.c.Stopped() {
		return
	}
	copy(s.c.Bytes(p, uint64(len(b)), true), b)
}

func (s *scanner) float(v *scanConversion) (got, end bool) {
	t, end := s.take(v.width, func(soFar []byte, b byte) bool {
		n := len(soFar)
		switch {
		case b == '+' || b == '-':
			return n == 0 || soFar[n-1]|32 == 'e' || soFar[n-1]|32 == 'p'
		case b == '.':
			return !strings.ContainsAny(string(soFar), ".eEpP")
		}
		return digit(b) < 10 || n > 0 && b|32 == 'e' && !strings.ContainsAny(string(soFar), "eE") || strings.IndexByte("infatyxp", b|32) >= 0
	})
	size := 32
	if v.length != "" {
		size = 64
	}
	x, n := parseFloat(string(t), size)
	if n == 0 {
		return false, end && len(t) == 0
	}
	if v.drop {
		return true, false
	}
	if size == 32 {
		s.put(binary.LittleEndian.AppendUint32(nil, math.Float32bits(float32(x))))
	} else {
		s.put(binary.LittleEndian.AppendUint64(nil, math.Float64bits(x)))
	}
	return true, false
}

func (s *scanner) text(v *scanConversion, in func(byte) bool, zero bool) (got, end bool) {
	t, end := s.take(v.width, func(_ []byte, b byte) bool { return in(b) })
	if len(t) == 0 {
		return false, end
	}
	if !v.drop {
		if zero {
			t = append(t, 0)
		}
		s.put(t)
	}
	return true, false
}
