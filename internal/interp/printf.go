package interp

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"irgl/internal/check"
	"irgl/syntax"
)

// printf compiles printf and fprintf. The output of a run is one stream: what
// goes to stderr joins the rest.
func (c *compiler) printf(e *syntax.CallExpr, name string) val {
	fixed := 0
	if name == "fprintf" {
		fixed = 1
	}
	if len(e.Args) <= fixed {
		c.errorf(e, codeUnknown, "%s needs a format", name)
		return intConst(check.Int, 0)
	}
	m := c.machine
	format := c.expr(e.Args[fixed]).i
	var args []val
	for _, a := range e.Args[fixed+1:] {
		v := c.expr(a)
		if isFloat(v.t) {
			v = convert(v, check.Double)
		} else {
			v = convert(v, check.Promote(v.t))
		}
		args = append(args, v)
	}
	return intVal(check.Int, func() int64 {
		f := formatter{m: m, n: e, args: args}
		text := f.format(m.text(format(), -1, e))
		m.out.WriteString(text) // an error stays in the writer until it is flushed
		return int64(len(text))
	})
}

// maxField bounds widths and precisions, so that a format cannot ask for
// gigabytes.
const maxField = 1 << 16

// A formatter is one call of printf. Arguments are evaluated in their order as
// the format comes to them; a conversion without an argument is printed as it
// stands.
type formatter struct {
	m    *machine
	n    *syntax.CallExpr
	args []val
}

// A conversion is one %[flags][width][.precision][length]verb.
type conversion struct {
	minus, plus, space, alt, zero bool
	width, prec                   int // prec is -1 when not given
	length                        string
	verb                          byte
}

// format returns what the format s and the arguments print. Arguments that the
// format does not name are still evaluated: they may have effects.
func (f *formatter) format(s string) string {
	var out strings.Builder
	for {
		i := strings.IndexByte(s, '%')
		if i < 0 {
			break
		}
		out.WriteString(s[:i])
		s = s[i:]
		v, n := f.parse(s)
		text, ok := "", n > 0
		if ok {
			text, ok = f.convert(v)
		}
		if !ok {
			n = max(n, 1)
			text = s[:n]
		}
		out.WriteString(text)
		s = s[n:]
	}
	out.WriteString(s)
	for _, a := range f.args { // arguments that the format does not name
		toVoid(a).i()
	}
	return out.String()
}

// next returns the next argument that has not been printed.
func (f *formatter) next() (val, bool) {
	if len(f.args) == 0 {
		return val{}, false
	}
	a := f.args[0]
	f.args = f.args[1:]
	return a, true
}

// parse reads the conversion that s starts with and returns its length, 0 when
// it has no end.
func (f *formatter) parse(s string) (v conversion, n int) {
	v.prec = -1
	flags := map[byte]*bool{'-': &v.minus, '+': &v.plus, ' ': &v.space, '#': &v.alt, '0': &v.zero}
	i := 1
	for i < len(s) && flags[s[i]] != nil {
		*flags[s[i]] = true
		i++
	}
	number := func() int {
		if i < len(s) && s[i] == '*' {
			i++
			if a, ok := f.next(); ok && a.i != nil {
				return int(max(-maxField, min(int64(int32(a.i())), maxField)))
			}
			return 0
		}
		x := 0
		for ; i < len(s) && s[i] >= '0' && s[i] <= '9'; i++ {
			x = min(10*x+int(s[i]-'0'), maxField)
		}
		return x
	}
	if v.width = number(); v.width < 0 {
		v.minus, v.width = true, -v.width
	}
	if i < len(s) && s[i] == '.' {
		i++
		v.prec = max(-1, number())
	}
	from := i
	for i < len(s) && strings.IndexByte("hlLqjzt", s[i]) >= 0 {
		i++
	}
	v.length = s[from:i]
	if i == len(s) {
		return v, 0
	}
	v.verb = s[i]
	return v, i + 1
}

// convert prints one argument.
func (f *formatter) convert(v conversion) (string, bool) {
	if v.verb == '%' {
		return "%", true
	}
	if strings.IndexByte("diouxXcspfFeEgGaA", v.verb) < 0 {
		return "", false
	}
	a, ok := f.next()
	if !ok {
		return "", false
	}
	if strings.IndexByte("fFeEgGaA", v.verb) >= 0 {
		if a.f == nil {
			return v.pad("", v.float(math.Float64frombits(uint64(a.i()))), true), true
		}
		return v.floatText(a.f()), true
	}
	x := int64(0)
	if a.f != nil {
		x = int64(math.Float64bits(a.f()))
	} else {
		x = a.i()
	}
	switch v.verb {
	case 'c':
		return v.pad("", string([]byte{byte(x)}), false), true
	case 's':
		if x == 0 {
			return v.pad("", "(null)", false), true
		}
		return v.pad("", f.m.text(x, v.prec, f.n), false), true
	case 'p':
		if x == 0 {
			return v.pad("", "(nil)", false), true
		}
		return v.pad("0x", strconv.FormatUint(uint64(x), 16), false), true
	}
	return v.intText(x), true
}

// intType returns the type that the length says the argument has.
func (v conversion) intType() check.Type {
	signed := v.verb == 'd' || v.verb == 'i'
	types := map[string][2]check.Type{
		"hh": {check.UChar, check.SChar}, "h": {check.UShort, check.Short}, "": {check.UInt, check.Int},
	}
	pair, ok := types[v.length]
	if !ok {
		pair = [2]check.Type{check.ULong, check.Long}
	}
	if signed {
		return pair[1]
	}
	return pair[0]
}

// intText prints an integer. A precision is the least number of digits, and turns
// the flag 0 off.
func (v conversion) intText(x int64) string {
	x = wrap(x, v.intType())
	sign, digits := "", ""
	switch v.verb {
	case 'd', 'i':
		switch {
		case x < 0:
			sign, digits = "-", strconv.FormatUint(-uint64(x), 10)
		default:
			sign, digits = v.positive(), strconv.FormatInt(x, 10)
		}
	case 'u':
		digits = strconv.FormatUint(uint64(x), 10)
	case 'o':
		digits = strconv.FormatUint(uint64(x), 8)
		if v.alt && digits[0] != '0' {
			digits = "0" + digits
		}
	default:
		digits = strconv.FormatUint(uint64(x), 16)
		if v.alt && x != 0 {
			sign = "0x"
		}
		if v.verb == 'X' {
			sign, digits = strings.ToUpper(sign), strings.ToUpper(digits)
		}
	}
	if v.prec >= 0 {
		if v.prec == 0 && x == 0 && !(v.verb == 'o' && v.alt) {
			digits = ""
		}
		digits = strings.Repeat("0", max(0, v.prec-len(digits))) + digits
	}
	return v.pad(sign, digits, v.prec < 0)
}

// positive returns the sign of a number that is not negative.
func (v conversion) positive() string {
	switch {
	case v.plus:
		return "+"
	case v.space:
		return " "
	}
	return ""
}

// floatText prints a float. The sign of a NaN is left out: it differs between
// machines.
func (v conversion) floatText(x float64) string {
	sign := v.positive()
	if math.Signbit(x) && x == x {
		sign, x = "-", -x
	}
	finite := !math.IsInf(x, 0) && x == x
	text := v.float(x)
	if finite && (v.verb == 'a' || v.verb == 'A') {
		sign, text = sign+text[:2], text[2:]
	}
	return v.pad(sign, text, finite)
}

// float prints a float without its sign.
func (v conversion) float(x float64) string {
	lower := v.verb | 0x20
	prec := v.prec
	if prec < 0 && lower != 'a' {
		prec = 6
	}
	if lower == 'g' && prec == 0 {
		prec = 1
	}
	var s string
	switch {
	case math.IsInf(x, 0):
		s = "inf"
	case x != x:
		s = "nan"
	case lower == 'a':
		s = hexFloat(x, prec)
	case lower == 'g':
		s = generalFloat(prec, x, v.alt)
	default:
		s = strconv.FormatFloat(x, lower, prec, 64)
		if v.alt && prec == 0 {
			mantissa, exp, _ := strings.Cut(s, "e")
			if s = mantissa + "."; exp != "" {
				s += "e" + exp
			}
		}
	}
	if v.verb < 'a' {
		s = strings.ToUpper(s)
	}
	return s
}

// generalFloat is %g: Go switches to exponents at 21 digits and not at the
// precision, so the choice is made here. keep
// keeps the zeros at the end.
func generalFloat(prec int, x float64, keep bool) string {
	e := strconv.FormatFloat(x, 'e', prec-1, 64)
	at := strings.IndexByte(e, 'e')
	exp, _ := strconv.Atoi(e[at+1:])
	trim := func(s string) string {
		if keep {
			if !strings.Contains(s, ".") {
				s += "."
			}
			return s
		}
		if strings.Contains(s, ".") {
			s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
		}
		return s
	}
	if exp < -4 || exp >= prec {
		return trim(e[:at]) + e[at:]
	}
	return trim(strconv.FormatFloat(x, 'f', prec-1-exp, 64))
}

// hexFloat is %a, whose exponent has no leading zero in C.
func hexFloat(x float64, prec int) string {
	s := strconv.FormatFloat(x, 'x', prec, 64)
	at := strings.IndexByte(s, 'p')
	exp, _ := strconv.Atoi(s[at+1:])
	return fmt.Sprintf("%sp%+d", s[:at], exp)
}

// pad brings a sign or prefix and its digits to the width.
func (v conversion) pad(sign, text string, number bool) string {
	n := v.width - len(sign) - len(text)
	switch {
	case n <= 0:
		return sign + text
	case v.minus:
		return sign + text + strings.Repeat(" ", n)
	case v.zero && number:
		return sign + strings.Repeat("0", n) + text
	}
	return strings.Repeat(" ", n) + sign + text
}
