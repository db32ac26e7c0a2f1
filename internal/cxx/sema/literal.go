package sema

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"irgl/internal/cxx/ast"
	"irgl/internal/cxx/hir"
	"irgl/internal/cxx/types"
)

// literal analyses a literal.
func (e *env) literal(x *ast.Literal) hir.Expr {
	if text, suffix := udSuffix(x); suffix != "" {
		return e.userLiteral(x, text, suffix)
	}
	switch x.Kind {
	case ast.IntLit:
		return e.integer(x)
	case ast.FloatLit:
		return e.floating(x)
	case ast.CharLit:
		return e.character(x)
	case ast.StringLit:
		return e.str(x)
	case ast.BoolLit:
		return e.intConst(map[bool]uint64{true: 1}[x.Text == "true"], e.basic(types.Bool), x.Span)
	}
	t := e.basic(types.Nullptr)
	return &hir.ConstExpr{Info: rvalueInfo(x.Span, t), Value: hir.Const{Type: t}}
}

// charKind splits a prefix off a character or string literal.
func charKind(text string) (types.Kind, string) {
	switch {
	case strings.HasPrefix(text, "u8"):
		return types.Char, text[2:]
	case strings.HasPrefix(text, "u"):
		return types.Char16, text[1:]
	case strings.HasPrefix(text, "U"):
		return types.Char32, text[1:]
	case strings.HasPrefix(text, "L"):
		return types.WChar, text[1:]
	}
	return types.Char, text
}

func (e *env) character(x *ast.Literal) hir.Expr {
	k, text := charKind(x.Text)
	if len(text) < 2 {
		return e.bad(x)
	}
	codes := unescape(text[1:strings.LastIndexByte(text, '\'')], k == types.Char)
	t := e.basic(k)
	if len(codes) > 1 { // a multi-character literal is an int
		var v uint64
		for _, c := range codes {
			v = v<<8 | uint64(c&0xff)
		}
		return e.intConst(v, e.basic(types.Int), x.Span)
	}
	if len(codes) == 0 {
		return e.bad(x)
	}
	return e.intConst(uint64(codes[0]), t, x.Span)
}

// unescape returns the characters of a literal: bytes for narrow ones, else code points.
func unescape(s string, narrow bool) []uint32 {
	var out []uint32
	for len(s) > 0 {
		if s[0] != '\\' || len(s) < 2 {
			r, n := utf8.DecodeRuneInString(s)
			if narrow || r == utf8.RuneError && n <= 1 {
				out = append(out, uint32(s[0]))
				s = s[1:]
				continue
			}
			out = append(out, uint32(r))
			s = s[n:]
			continue
		}
		c := s[1]
		s = s[2:]
		digits := func(base, most int) uint32 {
			n := 0
			for n < len(s) && n < most && isDigit(s[n], base) {
				n++
			}
			v, _ := strconv.ParseUint(s[:n], base, 64)
			s = s[n:]
			return uint32(v)
		}
		if i := strings.IndexByte("abfnrtv", c); i >= 0 {
			out = append(out, uint32("\a\b\f\n\r\t\v"[i]))
			continue
		}
		switch {
		case c == 'e':
			out = append(out, 27)
		case c == 'x':
			out = append(out, digits(16, 8))
		case c >= '0' && c <= '7':
			s = string(c) + s
			out = append(out, digits(8, 3))
		case c == 'u' || c == 'U':
			r := digits(16, map[byte]int{'u': 4, 'U': 8}[c])
			if !narrow {
				out = append(out, r)
				continue
			}
			for _, b := range []byte(string(rune(r))) {
				out = append(out, uint32(b))
			}
		default:
			out = append(out, uint32(c))
		}
	}
	return out
}

func isDigit(c byte, base int) bool {
	switch {
	case c >= '0' && c <= '9':
		return int(c-'0') < base
	case c >= 'a' && c <= 'f', c >= 'A' && c <= 'F':
		return base == 16
	}
	return false
}

// contents returns the characters between the quotes of a string literal.
func contents(text string, narrow bool) []uint32 {
	if strings.HasPrefix(text, "R\"") {
		open := strings.IndexByte(text, '(')
		delim := text[2:open]
		body := strings.TrimSuffix(text[open+1:], ")"+delim+"\"")
		if narrow {
			var out []uint32
			for i := range len(body) {
				out = append(out, uint32(body[i]))
			}
			return out
		}
		return []uint32(unescape(strings.ReplaceAll(body, "\\", "\\\\"), false))
	}
	if len(text) < 2 {
		return nil
	}
	return unescape(text[1:strings.LastIndexByte(text, '"')], narrow)
}

// str analyses a string literal: an lvalue of an array of const characters.
func (e *env) str(x *ast.Literal) hir.Expr {
	parts := x.Parts
	if len(parts) == 0 {
		parts = []string{x.Text}
	}
	kind := types.Char
	for _, p := range parts {
		if k, _ := charKind(p); k != types.Char {
			kind = k
		}
	}
	t := e.basic(kind)
	size := int(t.Size())
	var b []byte
	n := int64(0)
	put := func(c uint32) {
		for i := range size {
			b = append(b, byte(c>>(8*i)))
		}
		n++
	}
	for _, p := range parts {
		_, text := charKind(p)
		for _, c := range contents(text, kind == types.Char) {
			if kind == types.Char16 && c > 0xffff {
				c -= 0x10000
				put(0xd800 + c>>10)
				c = 0xdc00 + c&0x3ff
			}
			put(c)
		}
	}
	put(0)
	at := e.types.Array(e.types.Qualify(t, types.Const), n)
	return &hir.StringExpr{Info: hir.Info{Span: x.Span, T: at, Cat: hir.LValue}, Bytes: b}
}

// functionName returns the value of __func__ and its like in a function's body, or nil for
// other names.
func (e *env) functionName(x *ast.NameExpr) hir.Expr {
	if e.body == nil || !strings.HasPrefix(x.Name.Last.Ident, "__") {
		return nil
	}
	n := x.Name.Plain()
	if n != "__func__" && n != "__FUNCTION__" && n != "__PRETTY_FUNCTION__" {
		return nil
	}
	name := e.body.fn.name
	if n == "__PRETTY_FUNCTION__" {
		name = e.body.hir.Name
	}
	t := e.types.Array(e.types.Qualify(e.basic(types.Char), types.Const), int64(len(name))+1)
	return &hir.StringExpr{Info: hir.Info{Span: x.Span, T: t, Cat: hir.LValue}, Bytes: append([]byte(name), 0)}
}

// literalBytes returns the bytes of a narrow string literal.
func literalBytes(x *ast.Literal) []byte {
	if x == nil {
		return nil
	}
	parts := x.Parts
	if len(parts) == 0 {
		parts = []string{x.Text}
	}
	var b []byte
	for _, p := range parts {
		_, text := charKind(p)
		for _, c := range contents(text, true) {
			b = append(b, byte(c))
		}
	}
	return b
}

func decimal(n int) string { return strconv.Itoa(n) }
