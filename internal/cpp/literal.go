package cpp

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// An IntValue is the value of an integer literal and what its suffix and base
// say about its type (C99, 6.4.4.1).
type IntValue struct {
	Value    uint64
	Unsigned bool // suffix u
	Long     int  // number of l in the suffix: 0, 1 or 2
	Decimal  bool // base ten: it does not become unsigned by itself
}

// ParseInt returns the value of an integer literal's text.
func ParseInt(text string) (IntValue, error) {
	plain := strings.ReplaceAll(text, "'", "")
	digits := strings.TrimRight(plain, "uUlL")
	var v IntValue
	switch suffix := plain[len(digits):]; strings.ToLower(suffix) {
	case "":
	case "u":
		v.Unsigned = true
	case "l":
		v.Long = 1
	case "ul", "lu":
		v.Unsigned, v.Long = true, 1
	case "ll":
		v.Long = 2
	case "ull", "llu":
		v.Unsigned, v.Long = true, 2
	default:
		return v, fmt.Errorf("%s is no suffix of an integer", suffix)
	}
	base := 10
	body := digits
	switch {
	case strings.HasPrefix(digits, "0x"), strings.HasPrefix(digits, "0X"):
		base, body = 16, digits[2:]
	case strings.HasPrefix(digits, "0b"), strings.HasPrefix(digits, "0B"):
		base, body = 2, digits[2:]
	case strings.HasPrefix(digits, "0") && digits != "0":
		base, body = 8, digits[1:]
	}
	v.Decimal = base == 10
	n, err := strconv.ParseUint(body, base, 64)
	switch {
	case errors.Is(err, strconv.ErrRange):
		return v, errors.New("the number does not fit in 64 bits")
	case err != nil && base == 8:
		return v, errors.New("a number that begins with 0 is octal and has the digits 0 to 7")
	case err != nil || strings.Contains(body, "_"):
		return v, errors.New("malformed number")
	}
	v.Value = n
	return v, nil
}

// ParseFloat returns the value of a floating literal's text, rounded to float
// when single is set by its suffix.
func ParseFloat(text string) (v float64, single bool, err error) {
	if text == "" {
		return 0, false, errors.New("malformed number")
	}
	body := text
	hex := strings.HasPrefix(body, "0x") || strings.HasPrefix(body, "0X")
	switch body[len(body)-1] {
	case 'f', 'F':
		if !hex || strings.ContainsAny(body, "pP") {
			single, body = true, body[:len(body)-1]
		}
	case 'l', 'L':
		return 0, false, errors.New("long double is not supported")
	}
	if hex && !strings.ContainsAny(body, "pP") {
		return 0, false, errors.New("a hexadecimal floating number needs an exponent p")
	}
	bits := 64
	if single {
		bits = 32
	}
	v, err = strconv.ParseFloat(body, bits)
	switch {
	case strings.Contains(body, "_") || err != nil && !errors.Is(err, strconv.ErrRange):
		return 0, single, errors.New("malformed number")
	case err != nil && math.IsInf(v, 0):
		return 0, single, errors.New("the number is too large")
	}
	return v, single, nil
}

// ParseChar returns the value of a character constant, as the int that C
// makes of a signed char.
func ParseChar(text string) (int, error) {
	s, err := unescape(text)
	switch {
	case err != nil:
		return 0, err
	case len(s) == 0:
		return 0, errors.New("this character constant is empty")
	case len(s) > 1:
		return 0, errors.New("a character constant holds one byte")
	}
	return int(int8(s[0])), nil
}

// ParseString returns the bytes of a string literal, without the final zero.
func ParseString(text string) (string, error) { return unescape(text) }

// escapes and escaped are the letters of simple escapes and what they mean.
const (
	escapes = `ntr0\'"?abfve`
	escaped = "\n\t\r\x00\\'\"?\a\b\f\v\x1b"
)

// unescape returns what stands between the quotes of text, escapes replaced.
func unescape(text string) (string, error) {
	if len(text) < 2 || text[0] != text[len(text)-1] {
		return "", errors.New("the quotes do not match")
	}
	body := text[1 : len(text)-1]
	if !strings.Contains(body, "\\") {
		return body, nil
	}
	var b strings.Builder
	for i := 0; i < len(body); i++ {
		if body[i] != '\\' {
			b.WriteByte(body[i])
			continue
		}
		n, v, err := escape(body[i:])
		if err != nil {
			return "", err
		}
		b.WriteByte(v)
		i += n - 1
	}
	return b.String(), nil
}

// escape reads the escape that s begins with: its length and its byte.
func escape(s string) (int, byte, error) {
	if len(s) < 2 {
		return 0, 0, errors.New("a lone backslash")
	}
	digits, base, n := 0, 8, 1
	limit := 3
	if s[1] == 'x' {
		base, n, limit = 16, 2, len(s)
	}
	v := 0
	for n < len(s) && digits < limit {
		d := hexDigit(s[n])
		if d < 0 || d >= base {
			break
		}
		if v = v*base + d; v > 255 {
			return 0, 0, fmt.Errorf("the escape %s does not fit in a byte", s[:n+1])
		}
		digits++
		n++
	}
	if digits > 0 {
		return n, byte(v), nil
	}
	if i := strings.IndexByte(escapes, s[1]); i >= 0 && base == 8 {
		return 2, escaped[i], nil
	}
	return 0, 0, fmt.Errorf("%q is no escape of C", s[:2])
}

func hexDigit(c byte) int {
	switch {
	case isDigit(c):
		return int(c - '0')
	case 'a' <= c && c <= 'f':
		return int(c-'a') + 10
	case 'A' <= c && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
}

// FollowBody returns the body of the literal next as it stands when it is
// joined to prev: an escape at the end of prev must not swallow its digits.
func FollowBody(prev, next string) string {
	prev, body := prev[:len(prev)-1], next[1:len(next)-1]
	i := strings.LastIndexByte(prev, '\\')
	if i < 0 || body == "" || hexDigit(body[0]) < 0 {
		return body
	}
	if n, _, err := escape(prev[i:]); err == nil && n == len(prev)-i && (prev[i+1] == 'x' || isDigit(prev[i+1])) {
		return fmt.Sprintf("\\%03o", body[0]) + body[1:]
	}
	return body
}

// IsFloat reports whether a number's text is a floating literal.
func IsFloat(text string) bool {
	if strings.HasPrefix(text, "0x") || strings.HasPrefix(text, "0X") {
		return strings.ContainsAny(text, ".pP")
	}
	return strings.ContainsAny(text, ".eE") || strings.HasSuffix(strings.ToLower(text), "f")
}

// Quote returns s as a C string literal.
func Quote(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for i := range len(s) {
		switch c := s[i]; {
		case c == '"' || c == '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		case c == '\n':
			b.WriteString(`\n`)
		case c == '\t':
			b.WriteString(`\t`)
		case c < ' ' || c == 0x7f:
			o := strconv.FormatUint(uint64(c), 8)
			b.WriteString(`\` + "000"[len(o):] + o)
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}
