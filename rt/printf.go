package rt

import (
	"math"
	"strconv"
	"strings"
	"unsafe"
)

// Printf is C's printf. The arguments are int32, uint32, int64, uint64,
// float64, string (a literal) and unsafe.Pointer (any pointer, also to a
// string), which is what C's promotions leave. Any worker may call it; a call's
// output stays together. It returns the number of bytes.
func (r *Run) Printf(format string, args ...any) int32 {
	b := Format(nil, format, args...)
	r.print(b)
	return int32(len(b))
}

// spec is a conversion specification: %[flags][width][.prec][length]verb.
type spec struct {
	minus, plus, space, alt, zero bool
	width, prec                   int // prec is -1 when not given
	length                        string
	verb                          byte
}

// Format appends what printf would print. A conversion without its argument, or
// that does not exist, is printed as it stands.
func Format(b []byte, format string, args ...any) []byte {
	for {
		i := strings.IndexByte(format, '%')
		if i < 0 {
			return append(b, format...)
		}
		b = append(b, format[:i]...)
		format = format[i:]
		s, n, rest := parseSpec(format, args)
		text, used, ok := s.text(rest)
		switch {
		case s.verb == '%' && n > 0:
			b = append(b, '%')
		case n == 0 || !ok:
			n = max(n, 1)
			b = append(b, format[:n]...)
		default:
			b = append(b, text...)
			args = rest[used:]
		}
		format = format[n:]
	}
}

// parseSpec reads the specification that f starts with; n is its length, 0 when
// it has no end. Stars take their value from args, of which rest is left.
func parseSpec(f string, args []any) (s spec, n int, rest []any) {
	s.prec = -1
	i := 1
flags:
	for ; i < len(f); i++ {
		switch f[i] {
		case '-':
			s.minus = true
		case '+':
			s.plus = true
		case ' ':
			s.space = true
		case '#':
			s.alt = true
		case '0':
			s.zero = true
		default:
			break flags
		}
	}
	number := func() int {
		if i < len(f) && f[i] == '*' {
			i++
			if len(args) == 0 {
				return 0
			}
			v, _ := bitsOf(args[0])
			args = args[1:]
			return int(int32(v))
		}
		v := 0
		for ; i < len(f) && f[i] >= '0' && f[i] <= '9'; i++ {
			v = min(10*v+int(f[i]-'0'), maxField)
		}
		return v
	}
	s.width = number()
	if s.width < 0 {
		s.minus, s.width = true, -s.width
	}
	s.width = min(s.width, maxField)
	if i < len(f) && f[i] == '.' {
		i++
		if s.prec = min(number(), maxField); s.prec < 0 {
			s.prec = -1
		}
	}
	from := i
	for i < len(f) && strings.IndexByte("hlLqjzt", f[i]) >= 0 {
		i++
	}
	s.length = f[from:i]
	if i >= len(f) {
		return s, 0, args
	}
	s.verb = f[i]
	return s, i + 1, args
}

// maxField bounds widths and precisions, so that a format cannot ask for
// gigabytes.
const maxField = 1 << 16

// text converts the first of args. ok is false without one, or for a verb that
// does not fit it.
func (s *spec) text(args []any) (text string, used int, ok bool) {
	if len(args) == 0 {
		return "", 0, false
	}
	a := args[0]
	switch s.verb {
	case 'd', 'i', 'u', 'x', 'X', 'o', 'c':
		v, isInt := bitsOf(a)
		if !isInt {
			return "", 0, false
		}
		if s.verb == 'c' {
			return s.pad("", string([]byte{byte(v)}), false), 1, true
		}
		return s.integer(v, a), 1, true
	case 'f', 'F', 'e', 'E', 'g', 'G', 'a', 'A':
		f, isFloat := a.(float64)
		if !isFloat {
			return "", 0, false
		}
		return s.float(f), 1, true
	case 's':
		str, isStr := a.(string)
		if p, isPtr := a.(unsafe.Pointer); isPtr {
			str, isStr = goString(p, s.prec), true
		}
		if s.prec >= 0 && s.prec < len(str) {
			str = str[:s.prec]
		}
		return s.pad("", str, false), 1, isStr
	case 'p':
		if v, isInt := bitsOf(a); isInt { // an address in another memory than Go's
			return s.pointer(uint64(v)), 1, true
		}
		p, isPtr := a.(unsafe.Pointer)
		return s.pointer(uint64(uintptr(p))), 1, isPtr
	}
	return "", 0, false
}

// pointer formats an address as glibc's printf does.
func (s *spec) pointer(v uint64) string {
	if v == 0 {
		return s.pad("", "(nil)", false)
	}
	return s.pad("", "0x"+strconv.FormatUint(v, 16), false)
}

// bitsOf returns an integer argument, extended to 64 bits by its own type.
func bitsOf(a any) (int64, bool) {
	switch a := a.(type) {
	case int32:
		return int64(a), true
	case uint32:
		return int64(a), true
	case int64:
		return a, true
	case uint64:
		return int64(a), true
	}
	return 0, false
}

func (s *spec) integer(v int64, a any) string {
	wide := strings.ContainsAny(s.length, "ljzt")
	switch {
	case wide:
		// An int argument where a long is asked for is undefined in C; its
		// value is the answer that surprises least.
	case s.length == "h":
		v = int64(int16(v))
	case s.length == "hh":
		v = int64(int8(v))
	default:
		v = int64(int32(v))
	}
	u := uint64(v)
	if !wide {
		switch s.length {
		case "h":
			u = uint64(uint16(v))
		case "hh":
			u = uint64(uint8(v))
		default:
			u = uint64(uint32(v))
		}
	}
	sign, digits := "", ""
	switch s.verb {
	case 'd', 'i':
		digits = strconv.FormatInt(v, 10)
		if v < 0 {
			sign, digits = "-", digits[1:]
		} else {
			sign = s.sign()
		}
	case 'u':
		digits = strconv.FormatUint(u, 10)
	case 'o':
		digits = strconv.FormatUint(u, 8)
		if s.alt && digits[0] != '0' && s.prec <= len(digits) {
			digits = "0" + digits
		}
	default:
		digits = strconv.FormatUint(u, 16)
		if s.alt && u != 0 {
			sign = "0x"
		}
		if s.verb == 'X' {
			sign, digits = strings.ToUpper(sign), strings.ToUpper(digits)
		}
	}
	if s.prec == 0 && u == 0 {
		digits = ""
	}
	if n := s.prec - len(digits); n > 0 {
		digits = strings.Repeat("0", n) + digits
	}
	return s.pad(sign, digits, s.prec < 0)
}

func (s *spec) sign() string {
	switch {
	case s.plus:
		return "+"
	case s.space:
		return " "
	}
	return ""
}

func (s *spec) float(f float64) string {
	sign := s.sign()
	if math.Signbit(f) && f == f {
		sign, f = "-", -f
	}
	upper := s.verb >= 'A' && s.verb <= 'Z'
	prec := s.prec
	if prec < 0 {
		prec = 6
	}
	var digits string
	switch {
	case f != f || math.IsInf(f, 0):
		digits = "inf"
		if f != f {
			digits = "nan"
		}
		if upper {
			digits = strings.ToUpper(digits)
		}
		return s.pad(sign, digits, false)
	case s.verb == 'f' || s.verb == 'F':
		digits = strconv.FormatFloat(f, 'f', prec, 64)
		if s.alt && prec == 0 {
			digits += "."
		}
	case s.verb == 'e' || s.verb == 'E':
		digits = strconv.FormatFloat(f, 'e', prec, 64)
		if s.alt && prec == 0 {
			digits = strings.Replace(digits, "e", ".e", 1)
		}
	case s.verb == 'g' || s.verb == 'G':
		digits = shortest(f, max(prec, 1), s.alt)
	default:
		digits = hexFloat(f, s.prec)
		sign, digits = sign+digits[:2], digits[2:]
	}
	if upper {
		sign, digits = strings.ToUpper(sign), strings.ToUpper(digits)
	}
	return s.pad(sign, digits, true)
}

// shortest is %g: prec digits in the style that fits the exponent, without
// trailing zeros unless alt is set.
func shortest(f float64, prec int, alt bool) string {
	t := strconv.FormatFloat(f, 'e', prec-1, 64)
	mant, exp, _ := strings.Cut(t, "e")
	x, _ := strconv.Atoi(exp)
	trim := func(t string) string {
		if alt {
			if !strings.Contains(t, ".") {
				t += "."
			}
			return t
		}
		if strings.Contains(t, ".") {
			t = strings.TrimRight(strings.TrimRight(t, "0"), ".")
		}
		return t
	}
	if x < -4 || x >= prec {
		return trim(mant) + "e" + exp
	}
	return trim(strconv.FormatFloat(f, 'f', prec-1-x, 64))
}

// hexFloat is %a: as strconv has it, but with C's shorter exponent.
func hexFloat(f float64, prec int) string {
	mant, exp, _ := strings.Cut(strconv.FormatFloat(f, 'x', prec, 64), "p")
	x, _ := strconv.Atoi(exp)
	sign := "+"
	if x < 0 {
		sign, x = "-", -x
	}
	return mant + "p" + sign + strconv.Itoa(x)
}

// pad brings sign and digits to the width; zeros allows to fill with zeros.
func (s *spec) pad(sign, digits string, zeros bool) string {
	n := s.width - len(sign) - len(digits)
	switch {
	case n <= 0:
		return sign + digits
	case s.minus:
		return sign + digits + strings.Repeat(" ", n)
	case s.zero && zeros:
		return sign + strings.Repeat("0", n) + digits
	}
	return strings.Repeat(" ", n) + sign + digits
}

// goString returns the C string at p, at most limit bytes when limit is not
// negative.
func goString(p unsafe.Pointer, limit int) string {
	if p == nil {
		return "(null)"
	}
	var b []byte
	for i := 0; limit < 0 || i < limit; i++ {
		c := *(*byte)(unsafe.Add(p, i))
		if c == 0 {
			break
		}
		b = append(b, c)
	}
	return string(b)
}
