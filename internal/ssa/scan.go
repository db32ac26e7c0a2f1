package ssa

import "irgl/internal/source"

// A tokKind is the kind of a token. Punctuation is its own byte, but for the
// arrow of predecessor lists.
type tokKind byte

const (
	tokEOF     tokKind = 0
	tokNewline tokKind = '\n'
	tokWord    tokKind = 'w' // letters, digits, _ . $ + -: names, numbers
	tokString  tokKind = '"'
	tokArrow   tokKind = '<'
	tokBad     tokKind = '?'
)

type token struct {
	kind       tokKind
	start, end int
}

// A scanner cuts a text into tokens. Line ends are tokens, since each value
// has a line of its own; a comment runs from ";" to the end of the line.
type scanner struct {
	src []byte
	off int
}

func (s *scanner) next() token {
	for s.off < len(s.src) {
		switch s.src[s.off] {
		case ' ', '\t', '\r':
			s.off++
		case ';':
			for s.off < len(s.src) && s.src[s.off] != '\n' {
				s.off++
			}
		default:
			return s.token()
		}
	}
	return token{tokEOF, s.off, s.off}
}

func (s *scanner) token() token {
	start := s.off
	c := s.src[s.off]
	s.off++
	kind := tokKind(c)
	switch {
	case isWordByte(c):
		kind = tokWord
		for s.off < len(s.src) && isWordByte(s.src[s.off]) {
			s.off++
		}
	case c == '"':
		kind = s.str()
	case c == '<':
		if s.off >= len(s.src) || s.src[s.off] != '-' {
			kind = tokBad
		} else {
			s.off++
		}
	case c == '@', c == '%', c == ':', c == ',', c == '(', c == ')', c == '{', c == '}', c == '=', c == '\n':
	default:
		kind = tokBad
	}
	return token{kind, start, s.off}
}

// str scans the rest of a string, which may not cross a line end.
func (s *scanner) str() tokKind {
	for s.off < len(s.src) && s.src[s.off] != '\n' {
		switch c := s.src[s.off]; {
		case c == '"':
			s.off++
			return tokString
		case c == '\\' && s.off+1 < len(s.src) && s.src[s.off+1] != '\n':
			s.off += 2
		default:
			s.off++
		}
	}
	return tokBad
}

func isWordByte(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' ||
		c == '_' || c == '.' || c == '$' || c == '+' || c == '-'
}

// isName reports whether the text can show s after "@" or "%".
func isName(s string) bool {
	for i := range len(s) {
		if !isWordByte(s[i]) {
			return false
		}
	}
	return s != ""
}

// pos returns the range of t in file.
func (t token) pos(file *source.File) (start, end source.Pos) {
	return file.Pos(t.start), file.Pos(t.end)
}
