package syntax

import (
	"strings"

	"irgl/internal/source"
)

// A scanner turns a text into tokens and comments. It never reports: text that
// is not a token becomes a tokBad, so that nothing is said about text that the
// preprocessor skips.
type scanner struct {
	file *source.File
	src  []byte
	text string // src, of which the tokens are parts
	off  int    // of the next character, past any line splices
	last int    // after the last consumed character, before any line splices

	spliced  bool // the current token holds a line splice
	flags    uint8
	toks     []token
	comments []*Comment
}

// scan returns the tokens of f, ended by a tokEOF, and its comments.
func scan(f *source.File) ([]token, []*Comment) {
	s := &scanner{file: f, src: f.Content, text: string(f.Content), flags: afterNewline}
	s.toks = make([]token, 0, len(s.src)/4+1)
	s.skipSplices()
	for s.blanks(); s.off < len(s.src); s.blanks() {
		s.spliced = false
		s.token()
		s.flags = 0
	}
	n := int32(len(s.src))
	s.toks = append(s.toks, token{file: f, from: n, to: n, kind: tokEOF, flags: afterNewline})
	return s.toks, s.comments
}

// char returns the next character, or 0 at the end.
func (s *scanner) char() byte {
	if s.off < len(s.src) {
		return s.src[s.off]
	}
	return 0
}

// peek returns the character after the next one.
func (s *scanner) peek() byte {
	_, c, _ := s.look()
	return c
}

// look returns the next three characters, 0 for those after the end.
func (s *scanner) look() (a, b, c byte) {
	var chars [3]byte
	i := s.off
	for n := range chars {
		if n > 0 {
			for i < len(s.src) && s.src[i] == '\\' {
				skip := spliceLen(s.src[i:])
				if skip == 0 {
					break
				}
				i += skip
			}
		}
		if i < len(s.src) {
			chars[n] = s.src[i]
			i++
		}
	}
	return chars[0], chars[1], chars[2]
}

// advance consumes one character and the line splices after it.
func (s *scanner) advance() {
	if s.off < len(s.src) {
		s.off++
	}
	s.last = s.off
	s.skipSplices()
}

func (s *scanner) skipSplices() {
	for s.off < len(s.src) && s.src[s.off] == '\\' {
		n := spliceLen(s.src[s.off:])
		if n == 0 {
			return
		}
		s.off += n
		s.spliced = true
	}
}

// spliceLen returns the length of the line splice that b begins with, or 0.
func spliceLen(b []byte) int {
	switch {
	case len(b) >= 2 && b[1] == '\n':
		return 2
	case len(b) >= 3 && b[1] == '\r' && b[2] == '\n':
		return 3
	}
	return 0
}

// blanks consumes white space and comments, and notes them in flags.
func (s *scanner) blanks() {
	for s.off < len(s.src) {
		switch c := s.char(); {
		case c == '\n':
			s.flags |= afterNewline
			s.advance()
		case c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v':
			s.flags |= afterSpace
			s.advance()
		case c == '/' && (s.peek() == '/' || s.peek() == '*'):
			s.flags |= afterSpace
			if !s.comment() {
				return
			}
		default:
			return
		}
	}
}

// comment consumes one comment. It returns false, leaving the text, for a
// comment without an end.
func (s *scanner) comment() bool {
	from, marker, body := s.off, "//", 0
	if s.peek() == '*' {
		marker = "/*"
		s.advance()
		s.advance()
		body = s.last
		for s.off < len(s.src) && (s.char() != '*' || s.peek() != '/') {
			s.advance()
		}
		if s.off >= len(s.src) {
			s.off, s.last = from, from
			return false
		}
		s.advance()
		s.advance()
	} else {
		s.advance()
		s.advance()
		body = s.last
		for s.off < len(s.src) && s.char() != '\n' {
			s.advance()
		}
	}
	// The marker is written as one, also where a splice divides it.
	text := marker + unixLines(string(s.src[body:s.last]))
	// Blanks and splices at the end of a // comment go, save one blank that
	// keeps a backslash from becoming a splice.
	const blanks = " \t\r\f\v"
	for text = strings.TrimRight(text, blanks); strings.HasSuffix(text, "\\\n"); {
		text = strings.TrimRight(text[:len(text)-2], blanks)
	}
	if strings.HasSuffix(text, "\\") {
		text += " "
	}
	s.comments = append(s.comments, &Comment{Span{s.file.Pos(from), s.file.Pos(s.last)}, text})
	return true
}

// unixLines ends the lines of text by newlines alone, however many carriage
// returns stand before them.
func unixLines(text string) string {
	if !strings.Contains(text, "\r\n") {
		return text
	}
	lines := strings.Split(text, "\n")
	for i := range lines[:len(lines)-1] {
		lines[i] = strings.TrimRight(lines[i], "\r")
	}
	return strings.Join(lines, "\n")
}

// add appends the token that began at from.
func (s *scanner) add(kind tokenKind, from int) {
	text := s.text[from:s.last]
	if s.spliced {
		text = strings.NewReplacer("\\\r\n", "", "\\\n", "").Replace(text)
	}
	if kind == tokIdent && isKeyword(text) {
		kind = tokKey
	}
	s.toks = append(s.toks, token{file: s.file, from: int32(from), to: int32(s.last), kind: kind, flags: s.flags, text: text})
}

// bad appends a tokBad that began at from.
func (s *scanner) bad(from int, code source.Code, message string) {
	s.toks = append(s.toks, token{file: s.file, from: int32(from), to: int32(s.last), kind: tokBad, flags: s.flags, text: string(code) + message})
}

// token consumes one token.
func (s *scanner) token() {
	from := s.off
	switch c := s.char(); {
	case isLetter(c):
		for isLetter(s.char()) || isDigit(s.char()) {
			s.advance()
		}
		s.add(tokIdent, from)
	case isDigit(c) || c == '.' && isDigit(s.peek()):
		s.number()
		s.add(tokNumber, from)
	case c == '"' || c == '\'':
		s.quoted(from, c)
	case c == '/' && s.peek() == '*':
		s.off, s.last = len(s.src), len(s.src)
		s.bad(from, CodeComment, "this comment has no end")
		s.toks[len(s.toks)-1].to = int32(min(from+2, len(s.src)))
	default:
		if !s.punct(from) {
			s.badChar(from)
		}
	}
}

// number consumes a preprocessing number.
func (s *scanner) number() {
	hex := s.char() == '0' && (s.peek() == 'x' || s.peek() == 'X')
	for {
		c := s.char()
		s.advance()
		exp := !hex && (c == 'e' || c == 'E') || hex && (c == 'p' || c == 'P')
		if exp && (s.char() == '+' || s.char() == '-') {
			s.advance()
		}
		if d := s.char(); !isLetter(d) && !isDigit(d) && d != '.' {
			return
		}
	}
}

// quoted consumes a string or a character constant.
func (s *scanner) quoted(from int, quote byte) {
	for s.advance(); s.off < len(s.src) && s.char() != '\n'; s.advance() {
		if s.char() == quote {
			s.advance()
			kind := tokString
			if quote == '\'' {
				kind = tokChar
			}
			s.add(kind, from)
			return
		}
		if s.char() == '\\' {
			s.advance()
			if s.char() == '\n' {
				break
			}
		}
	}
	what := "string"
	if quote == '\'' {
		what = "character constant"
	}
	s.bad(from, CodeQuote, "this "+what+" has no end on its line")
}

// badChar consumes a run of bytes that begin no token.
func (s *scanner) badChar(from int) {
	c := s.char()
	s.advance()
	for c >= 0x80 && s.char() >= 0x80 {
		s.advance()
	}
	s.bad(from, CodeCharacter, "unexpected character "+quoteBytes(s.src[from:s.last]))
}

// puncts are the operators and separators, longest first for each beginning.
var puncts = [128][]string{
	'.': {"...", "."}, '<': {"<<=", "<<", "<=", "<"}, '>': {">>=", ">>", ">=", ">"}, '-': {"->", "--", "-=", "-"}, '+': {"++", "+=", "+"},
	'=': {"==", "="}, '!': {"!=", "!"}, '&': {"&&", "&=", "&"}, '|': {"||", "|=", "|"}, '*': {"*=", "*"}, '/': {"/=", "/"}, '%': {"%=", "%"},
	'^': {"^=", "^"}, '#': {"##", "#"}, ':': {"::", ":"}, '[': {"["}, ']': {"]"}, '(': {"("}, ')': {")"}, '{': {"{"}, '}': {"}"},
	'~': {"~"}, '?': {"?"}, ';': {";"}, ',': {","},
}

// punct consumes the longest operator or separator.
func (s *scanner) punct(from int) bool {
	a, b, c := s.look()
	if a >= 128 {
		return false
	}
	for _, p := range puncts[a] {
		if len(p) > 1 && p[1] != b || len(p) > 2 && p[2] != c {
			continue
		}
		for range len(p) {
			s.advance()
		}
		s.add(tokPunct, from)
		return true
	}
	return false
}

// IsName reports whether text is a name in C. It may be a keyword.
func IsName(text string) bool {
	for i := range len(text) {
		if !isLetter(text[i]) && (i == 0 || !isDigit(text[i])) {
			return false
		}
	}
	return text != ""
}

func isLetter(c byte) bool { return c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }
func isDigit(c byte) bool  { return '0' <= c && c <= '9' }
