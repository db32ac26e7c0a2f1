package cformat

import (
	"math"
	"strconv"
	"strings"
)

// Int returns an integer, which is the argument of d, i, u, o, x or X.
func (c *Conversion) Int(x uint64) string {
	if c.Verb == 'd' || c.Verb == 'i' {
		n := int64(c.sized(x, true))
		u, sign := uint64(n), c.plus()
		if n < 0 {
			sign, u = "-", -u
		}
		return c.integer(sign, strconv.FormatUint(u, 10))
	}
	u := c.sized(x, false)
	switch c.Verb {
	case 'u':
		return c.integer("", strconv.FormatUint(u, 10))
	case 'o':
		return c.octal(u)
	}
	digits, prefix := strconv.FormatUint(u, 16), ""
	if c.Alt && u != 0 {
		prefix = "0x"
	}
	if c.Verb == 'X' {
		digits, prefix = strings.ToUpper(digits), strings.ToUpper(prefix)
	}
	return c.integer(prefix, digits)
}

// octal returns a number whose first digit is 0 if # is given, by more precision if need be.
func (c *Conversion) octal(u uint64) string {
	digits := strconv.FormatUint(u, 8)
	if c.Alt && u == 0 && c.Prec == 0 {
		return c.pad("", "0", false)
	}
	if c.Alt && u != 0 && c.Prec <= len(digits) {
		digits = "0" + digits
	}
	return c.integer("", digits)
}

// sized returns an argument of the conversion's length.
func (c *Conversion) sized(x uint64, signed bool) uint64 {
	var s int64
	switch c.Length {
	case "hh":
		s, x = int64(int8(x)), uint64(uint8(x))
	case "h":
		s, x = int64(int16(x)), uint64(uint16(x))
	case "":
		s, x = int64(int32(x)), uint64(uint32(x))
	default:
		s = int64(x)
	}
	if signed {
		return uint64(s)
	}
	return x
}

// integer writes digits behind a sign or prefix. A precision is the least number of digits, and
// turns the flag 0 off.
func (c *Conversion) integer(prefix, digits string) string {
	if c.Prec == 0 && digits == "0" {
		digits = ""
	}
	if n := c.Prec - len(digits); n > 0 {
		digits = strings.Repeat("0", n) + digits
	}
	return c.pad(prefix, digits, c.Prec < 0)
}

// plus returns the sign of a number that is not negative.
func (c *Conversion) plus() string {
	switch {
	case c.Plus:
		return "+"
	case c.Space:
		return " "
	}
	return ""
}

// Char returns the argument of c.
func (c *Conversion) Char(x byte) string { return c.pad("", string([]byte{x}), false) }

// Pointer returns the argument of p.
func (c *Conversion) Pointer(x uint64) string {
	if x == 0 {
		return c.pad("", "(nil)", false)
	}
	return c.integer(c.plus()+"0x", strconv.FormatUint(x, 16))
}

// String returns the argument of s: its bytes to the precision.
func (c *Conversion) String(s string) string {
	if c.Prec >= 0 {
		s = s[:min(len(s), c.Prec)]
	}
	return c.pad("", s, false)
}

// Null returns what a null pointer for s prints, which is nothing if the precision has no room for it.
func (c *Conversion) Null() string {
	if c.Prec >= 0 && c.Prec < len("(null)") {
		return c.pad("", "", false)
	}
	return c.pad("", "(null)", false)
}

// pad brings a sign or prefix and its digits to the width, with zeros between them if the flag
// says so and zeros allows it.
func (c *Conversion) pad(prefix, s string, zeros bool) string {
	n := max(0, c.Width-len(prefix)-len(s))
	switch {
	case c.Minus:
		return prefix + s + strings.Repeat(" ", n)
	case c.Zero && zeros:
		return prefix + strings.Repeat("0", n) + s
	}
	return strings.Repeat(" ", n) + prefix + s
}

// Float returns the argument of f, F, e, E, g, G, a or A.
func (c *Conversion) Float(x float64) string {
	sign := c.plus()
	if math.Signbit(x) {
		sign, x = "-", -x
	}
	finite, s := false, ""
	switch {
	case math.IsInf(x, 0):
		s = "inf"
	case x != x:
		s = "nan"
	default:
		finite, s = true, c.digits(x)
		if c.Verb|32 == 'a' {
			sign, s = sign+s[:2], s[2:]
		}
	}
	if c.Verb < 'a' {
		sign, s = strings.ToUpper(sign), strings.ToUpper(s)
	}
	return c.pad(sign, s, finite)
}

// digits returns the digits of a number that is finite and not negative.
func (c *Conversion) digits(x float64) string {
	prec := c.Prec
	if prec < 0 && c.Verb|32 != 'a' {
		prec = 6
	}
	switch c.Verb | 32 {
	case 'f':
		return c.point(strconv.FormatFloat(x, 'f', prec, 64))
	case 'e':
		return c.point(strconv.FormatFloat(x, 'e', prec, 64))
	case 'a':
		return c.point(hexadecimal(x, prec))
	}
	return c.general(x, max(prec, 1))
}

// point puts a point behind a mantissa without one, if # is given.
func (c *Conversion) point(s string) string {
	if !c.Alt || strings.Contains(s, ".") {
		return s
	}
	at := strings.IndexAny(s+"e", "ep")
	return s[:at] + "." + s[at:]
}

// general is %g: Go switches to exponents at 21 digits and not at the precision, so the choice
// is made here.
func (c *Conversion) general(x float64, prec int) string {
	mantissa, exponent, _ := strings.Cut(strconv.FormatFloat(x, 'e', prec-1, 64), "e")
	e, _ := strconv.Atoi(exponent)
	if e >= -4 && e < prec {
		mantissa, exponent = strconv.FormatFloat(x, 'f', prec-1-e, 64), ""
	} else {
		exponent = "e" + exponent
	}
	if c.Alt {
		return c.point(mantissa + exponent)
	}
	if strings.Contains(mantissa, ".") {
		mantissa = strings.TrimRight(strings.TrimRight(mantissa, "0"), ".")
	}
	return mantissa + exponent
}

// hexadecimal is %a as the GNU library writes it: the digit in front of the point is 1, 0 for zero and subnormal
// numbers, or 2 if rounding makes it that.
func hexadecimal(x float64, prec int) string {
	const digits, fraction = 13, 1<<52 - 1
	exponent, mantissa := int(math.Float64bits(x)>>52), math.Float64bits(x)&fraction
	switch {
	case exponent > 0:
		exponent -= 1023
		mantissa |= fraction + 1
	case mantissa > 0:
		exponent = -1022
	}
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
	sign := "+"
	if exponent < 0 {
		sign, exponent = "-", -exponent
	}
	return "0x" + lead + rest + "p" + sign + strconv.Itoa(exponent)
}
