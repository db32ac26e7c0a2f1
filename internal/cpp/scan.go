package cpp

import (
	"slices"
	"strconv"
	"strings"

	"irgl/internal/source"
)

// An event says why the scanner returned.
type event uint8

const (
	aToken     event = iota // a token that passes through
	aMacro                  // a name that has a macro: scanner.sym
	aDirective              // the # of a directive
	endOfLine               // the end of a directive's line
	endOfText
)

// A scanner turns a text into tokens and comments. It never reports: text that
// is not a token becomes a Bad, so that nothing is said about text that the
// preprocessor skips.
type scanner struct {
	file     *source.File
	src      string
	origin   *origin // of the tokens that are spelled in src
	off      int     // of the next character
	names    *names
	flags    Flags // of the next token
	dialect  Dialect
	line     bool    // stop at the end of the line
	sym      *symbol // of an aMacro
	comments *[]Comment
}

// Scan returns the tokens of f, ended by an EOF, and its comments.
func Scan(f *source.File, d Dialect) ([]Token, []Comment) {
	var comments []Comment
	s := newScanner(f, string(f.Content), d, newNames(d))
	s.comments = &comments
	toks := make([]Token, 0, len(s.src)/4+16)
	for {
		var e event
		if toks, e = s.run(slices.Grow(toks, 1)); e == endOfText {
			return toks, comments
		}
	}
}

// byteOrderMark may begin a text in UTF-8.
const byteOrderMark = "\ufeff"

func newScanner(f *source.File, text string, d Dialect, n *names) *scanner {
	s := &scanner{file: f, src: text, names: n, dialect: d, flags: AfterNewline}
	s.origin = &origin{file: f, text: s.src}
	if strings.HasPrefix(s.src, byteOrderMark) {
		s.off = len(byteOrderMark)
	}
	return s
}

// scan reads the next token into t, and at the end of the text an EOF. At the end of a directive's line t is not
// changed.
func (s *scanner) scan(t *Token) event {
	var room [1]Token
	out, e := s.run(room[:0])
	if len(out) > 0 {
		*t = out[0]
	}
	return e
}

// run appends tokens to out, in the room that it has, which must not be none, until the room is used up or a token
// does not pass through. That token is the last one then; the end of a directive's line has none.
func (s *scanner) run(out []Token) ([]Token, event) {
	src, i, flags := s.src, s.off, s.flags
	for i < len(src) {
		c := src[i]
		switch class := classes[c] &^ tail; class {
		case classBlank:
			i++
			flags |= AfterSpace
			continue
		case classNewline:
			if s.line {
				s.off, s.flags = i, flags
				return out, endOfLine
			}
			i++
			flags |= AfterNewline
			continue
		case classSlash:
			if end, comment := s.comment(i); comment {
				i = end
				flags |= AfterSpace
				continue
			}
		case classSplice:
			if n := spliceLen(src[i:]); n > 0 {
				i += n
				continue
			}
		}
		out = out[:len(out)+1]
		t := &out[len(out)-1]
		e := aToken
		switch classes[c] {
		case classLetter | tail:
			h := hashByte(hashStart, c)
			j := i + 1
			for j < len(src) && classes[src[j]]&tail != 0 {
				h = hashByte(h, src[j])
				j++
			}
			if j < len(src) && nameGoesOn[src[j]] {
				e = s.token(t, i, flags)
				i = s.off
				break
			}
			e = s.name(t, i, j, h, flags)
			i = j
		case classSingle:
			t.origin, t.from, t.size, t.Name, t.Word, t.Kind, t.Flags = s.origin, int32(i), 1, 0, singles[c], Punct, flags
			i++
		default:
			e = s.token(t, i, flags)
			i = s.off
		}
		flags = 0
		if e != aToken || len(out) == cap(out) {
			s.off, s.flags = i, 0
			return out, e
		}
	}
	s.off, s.flags = i, flags
	if s.line {
		return out, endOfLine
	}
	n := int32(len(src))
	s.flags |= AfterNewline
	return append(out, Token{origin: s.origin, from: n, Kind: EOF, Flags: s.flags}), endOfText
}

// nameGoesOn marks the bytes behind a name with which it may go on: a splice, a character beyond ASCII, or the quote
// of a literal with a prefix.
var nameGoesOn = [256]bool{'\\': true, '$': true, '"': true, '\'': true}

func init() {
	for c := 0x80; c < 256; c++ {
		nameGoesOn[c] = true
	}
}

// name sets t to the name src[i:j], whose hash is h.
func (s *scanner) name(t *Token, i, j int, h uint32, flags Flags) event {
	sym := s.names.intern(s.src[i:j], h)
	t.origin, t.from, t.size, t.Name, t.Word, t.Kind, t.Flags = s.origin, int32(i), int32(j-i), sym.number, sym.word, sym.kind, flags
	s.off, s.flags = j, 0
	if sym.macro != nil {
		s.sym = sym
		return aMacro
	}
	return aToken
}

// token reads the token that begins at i.
func (s *scanner) token(t *Token, i int, flags Flags) event {
	s.off, s.flags = i, 0
	*t = Token{origin: s.origin, from: int32(i), Flags: flags}
	end := s.one(t, i)
	if end < len(s.src) && s.src[end] == '\\' && spliceLen(s.src[end:]) > 0 && !t.isRaw() {
		end = s.spliced(t, i)
	}
	s.off = end
	if o := t.origin; o != s.origin { // its spelling is not that of the text
		o.file, o.placed, o.from, o.to = s.file, true, int32(i), int32(end)
		if t.Kind == Bad && strings.HasPrefix(o.text, string(CodeComment)) {
			o.to = int32(min(i+2, end))
		}
	}
	switch {
	case t.Kind == Ident:
		sym := s.names.lookup(t.Text())
		t.Kind, t.Word, t.Name = sym.kind, sym.word, sym.number
		if sym.macro != nil {
			s.sym = sym
			return aMacro
		}
	case t.Word == Hash && flags&AfterNewline != 0:
		return aDirective
	}
	return aToken
}

// spliced reads a token with line splices in it, or at its end: it reads the text with the splices taken out. It
// returns where the token ends in the text.
func (s *scanner) spliced(t *Token, from int) int {
	for size := 64; ; size *= 4 {
		var plain []byte
		var ends []int // in the text, by offset in plain
		i := from
		for i < len(s.src) && len(plain) < size {
			if n := spliceLen(s.src[i:]); n > 0 {
				i += n
				continue
			}
			plain = append(plain, s.src[i])
			i++
			ends = append(ends, i)
		}
		part := *s
		part.src = string(plain)
		part.origin = &origin{text: part.src}
		t.origin = part.origin
		if end := part.one(t, 0); end < len(plain) || i >= len(s.src) {
			return ends[end-1]
		}
	}
}

// one sets the kind, the word and the text of the token that begins at i, and returns where it ends. A token that
// a line splice ends may be longer.
func (s *scanner) one(t *Token, i int) int {
	c := s.src[i]
	switch classes[c] &^ tail {
	case classLetter:
		return s.word(t, i)
	case classHigh:
		return s.word(t, i)
	case classDigit:
		return s.number(t, i)
	case classQuote:
		return s.quoted(t, i, i)
	case classDot:
		if i+1 < len(s.src) && isDigit(s.src[i+1]) {
			return s.number(t, i)
		}
		return s.punct(t, i)
	case classSlash:
		if i+1 < len(s.src) && s.src[i+1] == '*' {
			return s.bad(t, len(s.src), CodeComment, "this comment has no end")
		}
		return s.punct(t, i)
	case classSingle, classPunct:
		return s.punct(t, i)
	}
	return s.word(t, i)
}

// set sets the kind and the text of a token.
func (s *scanner) set(t *Token, kind Kind, from, to int) int {
	t.Kind, t.from, t.size = kind, int32(from), int32(to-from)
	return to
}

// bad makes t a Bad.
func (s *scanner) bad(t *Token, end int, code source.Code, message string) int {
	t.Kind = Bad
	t.Respell(string(code) + message)
	return end
}

// word reads a name, or in C++ a literal with a prefix.
func (s *scanner) word(t *Token, from int) int {
	i := from
	universal := false
	for i < len(s.src) {
		c := s.src[i]
		n := 1
		switch {
		case classes[c]&tail != 0:
		case s.dialect == C:
			if c != '$' { // as gcc and nvcc take it
				n = 0
			}
		case c == '$' || c >= 0x80:
			n = wideName(s.src[i:], i == from)
		case c == '\\':
			if n = universalLen(s.src[i:]); n > 0 && wideName(universalName(s.src[i:i+n]), i == from) == 0 {
				n = 0 // it is no character of names, as the character itself
			}
			universal = universal || n > 0
		default:
			n = 0
		}
		if n == 0 {
			break
		}
		i += n
	}
	if i == from {
		return s.badChar(t, from)
	}
	s.set(t, Ident, from, i)
	if i < len(s.src) && (s.src[i] == '"' || s.src[i] == '\'') && s.dialect != C && i-from <= 3 {
		switch t.Text() {
		case "u8", "u", "U", "L":
			return s.quoted(t, from, i)
		case "R", "u8R", "uR", "UR", "LR":
			if s.src[i] == '"' {
				return s.raw(t, from, i)
			}
		}
	}
	if universal {
		t.Respell(universalName(t.Text()))
	}
	return i
}

// universalLen returns the length of the universal character name that text begins with, \u12ab or \U0012abcd, or 0.
func universalLen(text string) int {
	n := 0
	switch {
	case strings.HasPrefix(text, `\u`):
		n = 6
	case strings.HasPrefix(text, `\U`):
		n = 10
	}
	if n == 0 || len(text) < n {
		return 0
	}
	for i := 2; i < n; i++ {
		if hexDigit(text[i]) < 0 {
			return 0
		}
	}
	return n
}

// universalName returns a name with its universal character names as the characters that they are.
func universalName(text string) string {
	var b strings.Builder
	for i := 0; i < len(text); {
		n := universalLen(text[i:])
		if n == 0 {
			b.WriteByte(text[i])
			i++
			continue
		}
		r, _ := strconv.ParseUint(text[i+2:i+n], 16, 32)
		b.WriteRune(rune(r))
		i += n
	}
	return b.String()
}

// number reads a preprocessing number.
func (s *scanner) number(t *Token, from int) int {
	src := s.src
	hex := s.dialect == C && src[from] == '0' && from+1 < len(src) && src[from+1]|0x20 == 'x'
	i := from
	for i++; i < len(src); i++ {
		switch c := src[i]; {
		case classes[c]&tail != 0 || c == '.':
		case (c == '+' || c == '-') && isExponent(src[i-1], hex, s.dialect):
		case c == '\'' && s.dialect != C && i+1 < len(src) && classes[src[i+1]]&tail != 0:
		default:
			return s.set(t, Number, from, i)
		}
	}
	return s.set(t, Number, from, i)
}

// isExponent reports whether a sign may follow the letter c of a number. To C++ it may always; in C 0xe+1 is a sum.
func isExponent(c byte, hex bool, d Dialect) bool {
	c |= 0x20
	return c == 'e' && !hex || c == 'p' && (hex || d != C)
}

// quoted reads a string or a character constant, whose prefix begins at from and whose quote is at i.
func (s *scanner) quoted(t *Token, from, i int) int {
	quote := s.src[i]
	kind := String
	what := "string"
	if quote == '\'' {
		kind, what = Char, "character constant"
	}
	for i++; i < len(s.src) && s.src[i] != '\n'; i++ {
		if c := s.src[i]; c == quote {
			return s.suffix(t, kind, from, i+1)
		} else if c == '\\' {
			if n := spliceLen(s.src[i:]); n > 0 {
				return i // read again without splices
			}
			if i++; i < len(s.src) && s.src[i] == '\n' {
				break
			}
		}
	}
	return s.bad(t, min(i, len(s.src)), CodeQuote, "this "+what+" has no end on its line")
}

// suffix ends a literal with the suffix of a user-defined literal, if there is one. The names without an
// underscore are the standard library's: others are macros, as PRId64 in "%"PRId64.
func (s *scanner) suffix(t *Token, kind Kind, from, end int) int {
	if s.dialect == C || end >= len(s.src) || !isLetter(s.src[end]) {
		return s.set(t, kind, from, end)
	}
	i := end
	for i < len(s.src) && classes[s.src[i]]&tail != 0 {
		i++
	}
	if text := s.src[end:i]; text[0] == '_' && s.names.lookup(text).macro == nil || text == "s" || text == "sv" {
		end = i
	}
	return s.set(t, kind, from, end)
}

// maxDelimiter is the length of a raw string's delimiter (C++17, [lex.string]).
const maxDelimiter = 16

// raw reads a raw string, R"x(...)x", whose prefix begins at from and whose quote is at i.
func (s *scanner) raw(t *Token, from, i int) int {
	end, message := rawEnd(s.src, i)
	if message != "" {
		return s.bad(t, end, CodeQuote, message)
	}
	return s.suffix(t, String, from, end)
}

// rawEnd returns where the raw string ends whose quote is at i, or what is wrong with it.
func rawEnd(src string, i int) (end int, message string) {
	open := i + 1
	for open < len(src) && open-i <= maxDelimiter+1 && strings.IndexByte("()\\ \t\v\f\r\n\"", src[open]) < 0 {
		open++
	}
	if open >= len(src) || src[open] != '(' || open-i > maxDelimiter+1 {
		return min(open, len(src)), "the delimiter of this raw string is malformed"
	}
	closing := ")" + src[i+1:open] + `"`
	n := strings.Index(src[open:], closing)
	if n < 0 {
		return len(src), "this raw string has no end"
	}
	return open + n + len(closing), ""
}

// badChar reads a run of bytes that begin no token.
func (s *scanner) badChar(t *Token, from int) int {
	i := from + 1
	for s.src[from] >= 0x80 && i < len(s.src) && s.src[i] >= 0x80 && (s.dialect == C || wideName(s.src[i:], true) == 0) {
		i++
	}
	return s.bad(t, i, CodeCharacter, "unexpected character "+quoteBytes(s.src[from:i]))
}

// quoteBytes returns text as a message shows it.
func quoteBytes(text string) string { return strconv.QuoteToASCII(text[:min(len(text), 16)]) }
