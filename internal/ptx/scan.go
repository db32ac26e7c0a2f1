package ptx

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"strings"

	"irgl/internal/source"
)

// A tokenKind is the kind of a token.
type tokenKind uint8

const (
	tokEOF    tokenKind = iota
	tokIdent            // add, %r1, $L_1, %tid.x
	tokDot              // .u32; text is without the dot
	tokInt              // value in val
	tokF32              // bits in val
	tokF64              // bits in val
	tokString           // text is the content
	tokPunct            // text is the one character
)

type token struct {
	kind     tokenKind
	text     string
	val      uint64
	pos, end int
}

func (t token) String() string {
	switch t.kind {
	case tokEOF:
		return "end of file"
	case tokDot:
		return "." + t.text
	case tokString:
		return "string"
	}
	return t.text
}

type scanner struct {
	file  *source.File
	src   []byte
	off   int
	diags *source.List
}

func isIdentStart(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c == '$' || c == '%'
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isIdent(c byte) bool { return isIdentStart(c) && c != '%' || isDigit(c) }

func (s *scanner) peek(n int) byte {
	if s.off+n < len(s.src) {
		return s.src[s.off+n]
	}
	return 0
}

// errorf reports a lexical error from byte pos to the present offset.
func (s *scanner) errorf(pos int, code source.Code, format string, args ...any) {
	s.diags.Errorf(s.file.Pos(pos), s.file.Pos(s.off), code, format, args...)
}

// skipBlank skips white space, comments and # lines of a preprocessor.
func (s *scanner) skipBlank() {
	for s.off < len(s.src) {
		c := s.src[s.off]
		switch {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v':
			s.off++
		case c == '/' && s.peek(1) == '/':
			s.skipLine()
		case c == '#' && (s.off == 0 || s.src[s.off-1] == '\n'):
			s.skipLine()
		case c == '/' && s.peek(1) == '*':
			start := s.off
			end := bytes.Index(s.src[s.off+2:], []byte("*/"))
			if end < 0 {
				s.off = len(s.src)
				s.errorf(start, codeComment, "comment is not closed")
				return
			}
			s.off += 2 + end + 2
		default:
			return
		}
	}
}

func (s *scanner) skipLine() {
	for s.off < len(s.src) && s.src[s.off] != '\n' {
		s.off++
	}
}

// next returns the next token; at the end it returns tokEOF for ever.
func (s *scanner) next() token {
	for {
		s.skipBlank()
		start := s.off
		if start >= len(s.src) {
			return token{kind: tokEOF, pos: start, end: start}
		}
		c := s.src[start]
		switch {
		case isIdentStart(c):
			return s.ident()
		case isDigit(c):
			return s.number()
		case c == '.' && isIdent(s.peek(1)):
			return s.dotted()
		case c == '"':
			return s.str()
		case strings.IndexByte("{}()[]<>,;:+-=@!|~", c) >= 0:
			s.off++
			return token{kind: tokPunct, text: string(c), pos: start, end: s.off}
		}
		s.off++
		s.errorf(start, codeChar, "character %q is not PTX", rune(c))
	}
}

func (s *scanner) ident() token {
	start := s.off
	s.off++
	for isIdent(s.peek(0)) {
		s.off++
	}
	// A component of a special register or vector is part of its name.
	if s.src[start] == '%' && s.peek(0) == '.' && strings.IndexByte("xyzw", s.peek(1)) >= 0 && s.peek(1) != 0 && !isIdent(s.peek(2)) {
		s.off += 2
	}
	return token{kind: tokIdent, text: string(s.src[start:s.off]), pos: start, end: s.off}
}

// dotted scans ".u32" and ".L1::no_allocate".
func (s *scanner) dotted() token {
	start := s.off
	s.off++
	for {
		if isIdent(s.peek(0)) {
			s.off++
		} else if s.peek(0) == ':' && s.peek(1) == ':' && isIdent(s.peek(2)) {
			s.off += 2
		} else {
			break
		}
	}
	return token{kind: tokDot, text: string(s.src[start+1 : s.off]), pos: start, end: s.off}
}

// str scans a string, in which PTX has no escapes.
func (s *scanner) str() token {
	start := s.off
	s.off++
	var b strings.Builder
	for {
		c := s.peek(0)
		switch {
		case s.off >= len(s.src) || c == '\n':
			s.errorf(start, codeString, "string is not closed")
			return token{kind: tokString, text: b.String(), pos: start, end: s.off}
		case c == '"':
			s.off++
			return token{kind: tokString, text: b.String(), pos: start, end: s.off}
		default:
			b.WriteByte(c)
			s.off++
		}
	}
}

func (s *scanner) number() token {
	start := s.off
	for isIdent(s.peek(0)) {
		s.off++
	}
	decimal := s.src[start] != '0' || s.off == start+1
	if s.peek(0) == '.' && isDigit(s.peek(1)) && allDigits(s.src[start:s.off]) {
		decimal = true
		s.off++
		for isIdent(s.peek(0)) {
			s.off++
		}
	}
	if last := s.src[s.off-1]; decimal && (last == 'e' || last == 'E') && (s.peek(0) == '+' || s.peek(0) == '-') && isDigit(s.peek(1)) {
		s.off++
		for isDigit(s.peek(0)) {
			s.off++
		}
	}
	tok, err := literal(string(s.src[start:s.off]))
	tok.pos, tok.end = start, s.off
	if err != nil {
		s.errorf(start, codeNumber, "%v", err)
	}
	return tok
}

func allDigits(b []byte) bool {
	for _, c := range b {
		if !isDigit(c) {
			return false
		}
	}
	return true
}

// literal reads one number: 42, 42U, 0x2A, 0b101, 052, 0f3F800000,
// 0d3FF0000000000000 or 1.5e-3 (a double).
func literal(text string) (token, error) {
	t := token{kind: tokInt, text: text}
	bad := func() (token, error) { return t, fmt.Errorf("%s is not a number of PTX", text) }
	if len(text) > 1 && text[0] == '0' && strings.IndexByte("fFdD", text[1]) >= 0 {
		bits, kind := 32, tokF32
		if text[1] == 'd' || text[1] == 'D' {
			bits, kind = 64, tokF64
		}
		v, err := strconv.ParseUint(text[2:], 16, bits)
		if err != nil || len(text) != 2+bits/4 {
			return bad()
		}
		t.kind, t.val = kind, v
		return t, nil
	}
	if strings.Contains(text, "_") {
		return bad()
	}
	if v, err := strconv.ParseUint(strings.TrimSuffix(text, "U"), 0, 64); err == nil {
		t.val = v
		return t, nil
	}
	if !strings.ContainsAny(text, ".eE") || strings.ContainsAny(text, "xXpP") {
		return bad()
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return bad()
	}
	t.kind, t.val = tokF64, math.Float64bits(f)
	return t, nil
}
