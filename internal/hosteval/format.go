package hosteval

import (
	"math"
	"strconv"
	"strings"
)

// A conversion is one of printf's, as it is written.
type conversion struct {
	position                      int // of the argument, from 1 (%2$d); 0 for the next one
	minus, plus, space, alt, zero bool
	width                         int
	prec                          int // -1 for none
	length                        string
	verb                          byte
}

// A cursor takes the arguments of a call one after the other.
type cursor struct {
	c         *call
	args, all []uint64
}

// from returns a cursor at an argument, from 1.
func (a *cursor) from(position int) *cursor {
	return &cursor{a.c, a.all[min(position-1, len(a.all)):], a.all}
}

func (a *cursor) next() uint64 {
	if len(a.args) == 0 {
		a.c.Stop("the format of %s asks for more arguments than there are", a.c.Name)
		return 0
	}
	v := a.args[0]
	a.args = a.args[1:]
	return v
}

// maxWidth bounds widths and precisions.
const maxWidth = 1 << 20

// sprintf expands the format at an address with the arguments; false after it has stopped the
// program.
func sprintf(c *call, format uint64, args []uint64) (string, bool) {
	f, ok := text(c, format)
	if !ok {
		return "", false
	}
	a := &cursor{c, args, args}
	var b strings.Builder
	for i := 0; i < len(f) && !c.Stopped(); {
		n := strings.IndexByte(f[i:], '%')
		if n < 0 {
			b.WriteString(f[i:])
			break
		}
		b.WriteString(f[i : i+n])
		i += n
		v, used := readConversion(f[i+1:], a)
		if v.verb == 0 {
			b.WriteString(f[i : i+1+used])
		} else {
			v.write(&b, a, b.Len())
		}
		i += 1 + used
	}
	return b.String(), !c.Stopped()
}

// readConversion reads what is behind a %.
func readConversion(f string, a *cursor) (v conversion, used int) {
	v.prec = -1
	i := 0
	// position reads the number of an argument and its $.
	position := func() int {
		n, at := 0, i
		for ; at < len(f) && f[at] >= '0' && f[at] <= '9'; at++ {
			n = min(n*10+int(f[at]-'0'), maxWidth)
		}
		if n == 0 || at == len(f) || f[at] != '$' {
			return 0
		}
		i = at + 1
		return n
	}
	v.position = position()
flags:
	for ; i < len(f); i++ {
		switch f[i] {
		case '-':
			v.minus = true
		case '+':
			v.plus = true
		case ' ':
			v.space = true
		case '#':
			v.alt = true
		case '0':
			v.zero = true
		case '\'':
		default:
			break flags
		}
	}
	number := func() int {
		if i < len(f) && f[i] == '*' {
			i++
			if at := position(); at > 0 {
				return int(int32(a.from(at).next()))
			}
			return int(int32(a.next()))
		}
		n := 0
		for ; i < len(f) && f[i] >= '0' && f[i] <= '9'; i++ {
			n = min(n*10+int(f[i]-'0'), maxWidth)
		}
		return n
	}
	if v.width = number(); v.width < 0 {
		v.minus, v.width = true, -v.width
	}
	if i < len(f) && f[i] == '.' {
		i++
		v.prec = max(number(), -1)
	}
	v.width, v.prec = min(v.width, maxWidth), min(v.prec, maxWidth)
	begin := i
	for i < len(f) && strings.IndexByte("hlLqjzt", f[i]) >= 0 {
		i++
	}
	v.length = f[begin:i]
	if i < len(f) && strings.IndexByte("diouxXcspnfFeEgGaA%", f[i]) >= 0 {
		v.verb = f[i]
		i++
	}
	return v, i
}

// write appends what a conversion makes of the next argument.
func (v *conversion) write(b *strings.Builder, a *cursor, written int) {
	if v.position > 0 {
		a = a.from(v.position)
	}
	switch v.verb {
	case '%':
		b.WriteByte('%')
	case 'd', 'i':
		n := int64(v.sized(a.next(), true))
		sign := ""
		u := uint64(n)
		if n < 0 {
			sign, u = "-", -u
		} else if v.plus {
			sign = "+"
		} else if v.space {
			sign = " "
		}
		v.integer(b, sign, strconv.FormatUint(u, 10), u)
	case 'u':
		u := v.sized(a.next(), false)
		v.integer(b, "", strconv.FormatUint(u, 10), u)
	case 'o':
		u := v.sized(a.next(), false)
		s := strconv.FormatUint(u, 8)
		if v.alt && u != 0 {
			s = "0" + s
		}
		v.integer(b, "", s, u)
	case 'x', 'X':
		u := v.sized(a.next(), false)
		s, prefix := strconv.FormatUint(u, 16), ""
		if v.alt && u != 0 {
			prefix = "0x"
		}
		if v.verb == 'X' {
			s, prefix = strings.ToUpper(s), strings.ToUpper(prefix)
		}
		v.integer(b, prefix, s, u)
	case 'c':
		v.pad(b, "", string([]byte{byte(a.next())}), false)
	case 's':
		v.string(b, a)
	case 'p':
		if p := a.next(); p == 0 {
			v.pad(b, "", "(nil)", false)
		} else {
			v.pad(b, "", "0x"+strconv.FormatUint(p, 16), false)
		}
	case 'n':
		if p := a.next(); !a.c.Stopped() {
			put32(a.c, p, uint32(written))
		}
	default:
		v.float(b, math.Float64frombits(a.next()))
	}
}

func (v *conversion) string(b *strings.Builder, a *cursor) {
	p := a.next()
	s := "(null)"
	switch {
	case a.c.Stopped():
		return
	case p != 0 && v.prec >= 0:
		s = bounded(a.c, p, uint64(v.prec))
	case p != 0:
		s, _ = text(a.c, p)
	}
	if v.prec >= 0 {
		s = s[:min(len(s), v.prec)]
	}
	v.pad(b, "", s, false)
}

// sized returns an argument of the conversion's length.
func (v *conversion) sized(x uint64, signed bool) uint64 {
	switch v.length {
	case "hh":
		if signed {
			return uint64(int8(x))
		}
		return uint64(uint8(x))
	case "h":
		if signed {
			return uint64(int16(x))
		}
		return uint64(uint16(x))
	case "":
		if signed {
			return uint64(int32(x))
		}
		return uint64(uint32(x))
	}
	return x
}

// integer writes digits behind a sign or prefix.
func (v *conversion) integer(b *strings.Builder, prefix, digits string, u uint64) {
	if v.prec == 0 && u == 0 {
		digits = ""
	}
	if n := v.prec - len(digits); n > 0 {
		digits = strings.Repeat("0", n) + digits
	}
	v.pad(b, prefix, digits, v.zero && v.prec < 0)
}

// pad writes a text of the conversion's width.
func (v *conversion) pad(b *strings.Builder, prefix, s string, zero bool) {
	n := max(0, v.width-len(prefix)-len(s))
	switch {
	case v.minus:
		b.WriteString(prefix + s + strings.Repeat(" ", n))
	case zero:
		b.WriteString(prefix + strings.Repeat("0", n) + s)
	default:
		b.WriteString(strings.Repeat(" ", n) + prefix + s)
	}
}

// float writes a number.
func (v *conversion) float(b *strings.Builder, x float64) {
	sign := ""
	switch {
	case math.Signbit(x):
		sign, x = "-", -x
	case v.plus:
		sign = "+"
	case v.space:
		sign = " "
	}
	zero := v.zero
	var s string
	switch {
	case math.IsInf(x, 0):
		s, zero = "inf", false
	case x != x:
		s, zero = "nan", false
	default:
		s = v.digits(x)
		if v.verb|32 == 'a' {
			sign, s = sign+s[:2], s[2:]
		}
	}
	if v.verb < 'a' {
		sign, s = strings.ToUpper(sign), strings.ToUpper(s)
	}
	v.pad(b, sign, s, zero)
}

// digits returns the digits of a number that is finite and not negative.
func (v *conversion) digits(x float64) string {
	prec := v.prec
	if prec < 0 && v.verb|32 != 'a' {
		prec = 6
	}
	point := func(s string) string {
		if v.alt && !strings.Contains(s, ".") {
			at := strings.IndexAny(s+"e", "ep")
			s = s[:at] + "." + s[at:]
		}
		return s
	}
	switch v.verb | 32 {
	case 'f':
		return point(strconv.FormatFloat(x, 'f', prec, 64))
	case 'e':
		return point(strconv.FormatFloat(x, 'e', prec, 64))
	case 'a':
		if x > 0 && x < 0x1p-1022 {
			return point(subnormal(math.Float64bits(x), prec))
		}
		s := strconv.FormatFloat(x, 'x', prec, 64)
		if i := strings.IndexByte(s, 'p'); s[i+2] == '0' && i+3 < len(s) {
			s = s[:i+2] + s[i+3:]
		}
		return point(s)
	}
	prec = max(prec, 1)
	s := strconv.FormatFloat(x, 'e', prec-1, 64)
	mantissa, exponent, _ := strings.Cut(s, "e")
	e, _ := strconv.Atoi(exponent)
	if e >= -4 && e < prec {
		mantissa, exponent = strconv.FormatFloat(x, 'f', prec-1-e, 64), ""
	} else {
		exponent = "e" + exponent
	}
	if v.alt {
		return point(mantissa + exponent)
	}
	if strings.Contains(mantissa, ".") {
		mantissa = strings.TrimRight(strings.TrimRight(mantissa, "0"), ".")
	}
	return mantissa + exponent
}

// subnormal returns a subnormal number as the GNU library writes it for %a: 0x0.8p-1022.
func subnormal(mantissa uint64, prec int) string {
	const digits = 13
	if prec >= 0 && prec < digits { // to the nearest, and half to even
		unit := uint64(1) << (4 * (digits - prec))
		rest := mantissa % unit
		mantissa -= rest
		if rest > unit/2 || rest == unit/2 && mantissa/unit%2 == 1 {
			mantissa += unit
		}
	}
	s := strconv.FormatUint(1<<60|mantissa, 16) // a digit, one of 52 and those behind the point
	lead, rest := s[2:3], s[3:]
	switch {
	case prec < 0:
		rest = strings.TrimRight(rest, "0")
	case prec < digits:
		rest = rest[:prec]
	default:
		rest += strings.Repeat("0", prec-digits)
	}
	if rest != "" {
		rest = "." + rest
	}
	return "0x" + lead + rest + "p-1022"
}
