package cpp

import (
	"strconv"
	"strings"

	"irgl/internal/source"
)

// A scanner turns a text into tokens and comments. It never reports: text that
// is not a token becomes a Bad, so that nothing is said about text that the
// preprocessor skips.
type scanner struct {
	file    *source.File
	dialect Dialect
	src     []byte
	text    string // src, of which the tokens are parts
	off     int    // of the next character, past any line splices
	last    int    // after the last consumed character, before any line splices

	spliced  bool // the current token holds a line splice
	flags    Flags
	toks     []Token
	comments []Comment
}

// Scan returns the tokens of f, ended by an EOF, and its comments.
func Scan(f *source.File, d Dialect) ([]Token, []Comment) {
	s := &scanner{file: f, dialect: d, src: f.Content, text: string(f.Content), flags: AfterNewline}
	s.toks = make([]Token, 0, len(s.src)/4+1)
	s.skipSplices()
	for s.blanks(); s.off < len(s.src); s.blanks() {
		s.spliced = false
		s.token()
		s.flags = 0
	}
	n := int32(len(s.src))
	s.toks = append(s.toks, Token{File: f, From: n, To: n, Kind: EOF, Flags: AfterNewline})
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
func spliceLen[T string | []byte](b T) int {
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
			s.flags |= AfterNewline
			s.advance()
		case c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v':
			s.flags |= AfterSpace
			s.advance()
		case c == '/' && (s.peek() == '/' || s.peek() == '*'):
			s.flags |= AfterSpace
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
	from := s.off
	if s.peek() == '*' {
		s.advance()
		s.advance()
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
		for s.off < len(s.src) && s.char() != '\n' {
			s.advance()
		}
	}
	s.comments = append(s.comments, Comment{s.file, int32(from), int32(s.last)})
	return true
}

// add appends the token that began at from.
func (s *scanner) add(kind Kind, from int) {
	text := s.text[from:s.last]
	if s.spliced {
		text = strings.NewReplacer("\\\r\n", "", "\\\n", "").Replace(text)
	}
	t := Token{File: s.file, From: int32(from), To: int32(s.last), Kind: kind, Flags: s.flags, Text: text}
	if kind == Ident {
		t.Kind, t.Word = s.dialect.keyword(text)
	}
	s.toks = append(s.toks, t)
}

// bad appends a Bad that began at from.
func (s *scanner) bad(from int, code source.Code, message string) {
	s.toks = append(s.toks, Token{File: s.file, From: int32(from), To: int32(s.last), Kind: Bad, Flags: s.flags, Text: string(code) + message})
}

// token consumes one token.
func (s *scanner) token() {
	from := s.off
	switch c := s.char(); {
	case isLetter(c):
		for isLetter(s.char()) || isDigit(s.char()) {
			s.advance()
		}
		s.add(Ident, from)
	case isDigit(c) || c == '.' && isDigit(s.peek()):
		s.number()
		s.add(Number, from)
	case c == '"' || c == '\'':
		s.quoted(from, c)
	case c == '/' && s.peek() == '*':
		s.off, s.last = len(s.src), len(s.src)
		s.bad(from, CodeComment, "this comment has no end")
		s.toks[len(s.toks)-1].To = int32(min(from+2, len(s.src)))
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
			kind := String
			if quote == '\'' {
				kind = Char
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

// punct consumes the longest operator or separator.
func (s *scanner) punct(from int) bool {
	a, b, c := s.look()
	if a >= 128 {
		return false
	}
	for _, w := range tables().puncts[a] {
		p := puncts[w]
		if len(p) > 1 && p[1] != b || len(p) > 2 && p[2] != c || s.dialect == C && (w == TripleLess || w == TripleGreater || w == DotStar || w == ArrowStar) || w == Spaceship {
			continue
		}
		for range len(p) {
			s.advance()
		}
		s.add(Punct, from)
		s.toks[len(s.toks)-1].Word = w
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

// quoteBytes returns b as a message shows it.
func quoteBytes(b []byte) string {
	if len(b) > 16 {
		b = b[:16]
	}
	return strconv.QuoteToASCII(string(b))
}
