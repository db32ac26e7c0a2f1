package sema

import (
	"math"
	"strconv"
	"strings"

	"irgl/internal/cxx/ast"
	"irgl/internal/cxx/hir"
	"irgl/internal/cxx/types"
)

// Numbers of the source: [lex.icon], [lex.fcon]. The preprocessor's numbers may be anything that begins
// with a digit.

// integer gives an integer literal the first type that holds its value.
func (e *env) integer(x *ast.Literal) hir.Expr {
	if v, ok := smallDecimal(x.Text); ok {
		return e.number(v, types.Int, x.Span)
	}
	text := strings.ReplaceAll(x.Text, "'", "")
	if text == "__null" || text == "" {
		text = "0L"
	}
	base, digits, suffix := splitInteger(text)
	for _, d := range digits {
		if base <= 8 && d >= '0'+rune(base) {
			e.errorf(x, codeLiteral, "invalid digit '%c' in %s constant", d, map[int]string{2: "binary", 8: "octal"}[base])
			return e.bad(x)
		}
	}
	unsigned, longs, ok := integerSuffix(suffix)
	if !ok || digits == "" {
		e.errorf(x, codeLiteral, "invalid suffix '%s' on integer constant", strings.TrimLeft(text, "0123456789"))
		return e.bad(x)
	}
	v, err := strconv.ParseUint(digits, base, 64)
	if err != nil {
		e.errorf(x, codeLiteral, "integer literal is too large to be represented in any integer type")
		return e.bad(x)
	}
	kinds := [...][2]types.Kind{{types.Int, types.UInt}, {types.Long, types.ULong}, {types.LongLong, types.ULongLong}}
	for _, k := range kinds[longs:] {
		if !unsigned && v <= e.basic(k[0]).Max() {
			return e.number(v, k[0], x.Span)
		}
		if (unsigned || base != 10) && v <= e.basic(k[1]).Max() {
			return e.number(v, k[1], x.Span)
		}
	}
	if longs == 2 {
		return e.number(v, types.ULongLong, x.Span)
	}
	return e.number(v, types.ULong, x.Span)
}

// splitInteger splits an integer literal: digits of octal and binary ones may be too large.
func splitInteger(text string) (base int, digits, suffix string) {
	base, digits = 10, text
	switch {
	case hasPrefixFold(text, "0x"):
		base, digits = 16, text[2:]
	case hasPrefixFold(text, "0b"):
		base, digits = 2, text[2:]
	case len(text) > 1 && text[0] == '0':
		base = 8
	}
	n := 0
	for n < len(digits) && isDigit(digits[n], max(base, 10)) {
		n++
	}
	return base, digits[:n], digits[n:]
}

func hasPrefixFold(s, prefix string) bool {
	return len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix)
}

// integerSuffix reads u, l and ll in either order; the letters of ll are of one case.
func integerSuffix(s string) (unsigned bool, longs int, ok bool) {
	rest := strings.TrimPrefix(strings.TrimPrefix(s, "u"), "U")
	if rest == s {
		rest = strings.TrimSuffix(strings.TrimSuffix(s, "u"), "U")
	}
	switch rest {
	case "":
	case "l", "L":
		longs = 1
	case "ll", "LL":
		longs = 2
	default:
		return false, 0, false
	}
	return len(rest) < len(s), longs, len(s)-len(rest) <= 1
}

// smallDecimal returns the value of a decimal literal of a few digits and nothing else, which is an
// int; false for others.
func smallDecimal(text string) (v uint64, ok bool) {
	if len(text) == 0 || len(text) > 9 || text[0] == '0' && len(text) > 1 {
		return 0, false
	}
	for i := range len(text) {
		d := text[i] - '0'
		if d > 9 {
			return 0, false
		}
		v = 10*v + uint64(d)
	}
	return v, true
}

func (e *env) number(v uint64, k types.Kind, at ast.Span) hir.Expr {
	t := e.basic(k)
	x := e.nodes.constant(at, t)
	x.Value.Int, x.Literal = v, true
	return x
}

func (e *env) floating(x *ast.Literal) hir.Expr {
	value, suffix, wrong := splitFloating(strings.ReplaceAll(x.Text, "'", ""))
	if wrong != "" {
		e.errorf(x, codeLiteral, "%s", wrong)
		return e.bad(x)
	}
	k, bits := types.Double, 64
	switch suffix {
	case "":
	case "f", "F":
		k, bits = types.Float, 32
	case "l", "L":
		k = types.LongDouble
	default:
		e.errorf(x, codeLiteral, "invalid suffix '%s' on floating constant", suffix)
		return e.bad(x)
	}
	v, err := strconv.ParseFloat(value, bits)
	if err != nil && math.IsInf(v, 0) {
		e.warnf(x, codeLiteralRange, "magnitude of floating-point constant too large for type '%s'", e.basic(k))
	}
	c := e.nodes.constant(x.Span, e.basic(k))
	c.Value.Float = v
	return c
}

// splitFloating splits a floating-point literal into its value and its suffix, or says what is wrong with
// the value.
func splitFloating(text string) (value, suffix, wrong string) {
	base, exponent, i := 10, "eE", 0
	if hasPrefixFold(text, "0x") {
		base, exponent, i = 16, "pP", 2
	}
	digits := func() (n int) {
		for ; i < len(text) && isDigit(text[i], base); i++ {
			n++
		}
		return n
	}
	digits()
	if i < len(text) && text[i] == '.' {
		i++
		digits()
	}
	switch {
	case i < len(text) && strings.IndexByte(exponent, text[i]) >= 0:
		if i++; i < len(text) && (text[i] == '+' || text[i] == '-') {
			i++
		}
		if base = 10; digits() == 0 {
			return "", "", "exponent has no digits"
		}
	case base == 16:
		return "", "", "hexadecimal floating constant requires an exponent"
	}
	return text[:i], text[i:], ""
}
