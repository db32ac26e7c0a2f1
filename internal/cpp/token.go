package cpp

import (
	"strings"

	"irgl/internal/source"
)

// A Kind is the lexical class of a token.
type Kind uint8

// The kinds of tokens.
const (
	EOF     Kind = iota // the end of the text
	Ident               // a name that is not a keyword
	Keyword             // a keyword of the dialect; Word says which
	Number              // a preprocessing number: the parser checks it as a literal
	Char                // 'c' with its quotes, and in C++ its prefix and suffix
	String              // "s" with its quotes, and in C++ its prefix and suffix
	Punct               // an operator or separator; also a stray #
	Bad                 // malformed text; Malformed returns the diagnostic
	Unroll              // #pragma unroll; Text is the count, or empty, or in C++ "(": then an expression in brackets follows
	Pack                // in C++: #pragma pack; Text is its arguments without blanks: "", "4", "push", "push,4", "pop", "push,name,4"

	FirstFree // the first of the kinds that a package with directives of its own may add
)

// Flags say what precedes a token, and whether it may be expanded.
type Flags uint8

// The flags of a token.
const (
	AfterSpace   Flags = 1 << iota // white space or a comment precedes it
	AfterNewline                   // it is the first token of its line
	NoExpand                       // it names a macro that must not be expanded again
)

// A Token is one lexical element. Tokens of a macro's expansion have the position of the macro's name in
// the text, and Macro is their expansion. A text has many: what those of a file have in common is in
// their origin.
type Token struct {
	origin *origin
	from   int32 // of its spelling in origin.text
	size   int32 // of its spelling
	Name   int32 // the number of a name: that of all names of one text, from 1; 0 where it is not known. The parser's, of brackets
	Word   Word  // of keywords, operators and separators
	Kind   Kind
	Flags  Flags
}

// An origin is where tokens come from: a file, the expansion of a macro, or the preprocessor.
type origin struct {
	file *source.File // nil for what is in no file
	text string       // what its tokens are spelled in
	// A token is where it is spelled in its file, unless placed is set: then it is at from to to.
	placed   bool
	from, to int32
	macro    int32 // the index of the expansion in Result.Expansions, or 0
}

// made returns a token that is in no text.
func made(kind Kind, word Word, text string) Token {
	return Token{origin: &origin{text: text, placed: true}, size: int32(len(text)), Kind: kind, Word: word}
}

// Respell gives the token another spelling, and leaves it where it is.
func (t *Token) Respell(text string) { t.Spell(text, t.From(), t.To()) }

// Spell gives the token another spelling and another range in its file.
func (t *Token) Spell(text string, from, to int32) {
	t.origin = &origin{file: t.File(), text: text, placed: true, from: from, to: to, macro: t.Macro()}
	t.from, t.size = 0, int32(len(text))
}

// place puts the token where another is.
func (t *Token) place(at *Token) {
	text := t.Text()
	t.origin = at.origin
	t.Spell(text, at.From(), at.To())
}

// Text returns how the token is spelled.
func (t *Token) Text() string { return t.origin.text[t.from : t.from+t.size] }

// File returns the file that the token is in.
func (t *Token) File() *source.File { return t.origin.file }

// From returns the offset in the file where the token begins.
func (t *Token) From() int32 {
	if t.origin.placed {
		return t.origin.from
	}
	return t.from
}

// To returns the offset in the file where the token ends.
func (t *Token) To() int32 {
	if t.origin.placed {
		return t.origin.to
	}
	return t.from + t.size
}

// Macro returns the index of the token's macro expansion in Result.Expansions, or 0.
func (t *Token) Macro() int32 { return t.origin.macro }

// Pos returns where the token begins.
func (t *Token) Pos() source.Pos { return source.Pos{File: t.origin.file, Offset: t.From()} }

// End returns where the token ends.
func (t *Token) End() source.Pos { return source.Pos{File: t.origin.file, Offset: t.To()} }

// bad returns a Bad token in the token's place.
func (t *Token) bad(code source.Code, message string) Token {
	b := Token{origin: t.origin, from: t.from, size: t.size, Kind: Bad}
	b.Respell(string(code) + message)
	return b
}

// StartsLine reports whether a newline precedes the token.
func (t *Token) StartsLine() bool { return t.Flags&AfterNewline != 0 }

// Glued reports whether the token follows the one before without a blank.
func (t *Token) Glued() bool { return t.Flags&(AfterNewline|AfterSpace) == 0 }

// IsName reports whether the token is a name for the preprocessor, to which keywords are names.
func (t *Token) IsName() bool { return t.Kind == Ident || t.Kind == Keyword }

// Malformed returns the diagnostic of a Bad token.
func (t *Token) Malformed() (code source.Code, message string) {
	n := len(CodeCharacter)
	return source.Code(t.Text()[:n]), t.Text()[n:]
}

// SplitGreater splits a token that begins with > and is longer (>>, >>>, >=, >>=) into a > and the rest,
// as the end of a template's arguments requires: t becomes the rest. It returns false, and changes nothing,
// for other tokens.
func (t *Token) SplitGreater() (first Token, ok bool) {
	rest := NoWord
	switch t.Word {
	case GreaterGreater:
		rest = Greater
	case TripleGreater:
		rest = GreaterGreater
	case GreaterEqual:
		rest = Equal
	case GreaterGreaterEqual:
		rest = GreaterEqual
	default:
		return Token{}, false
	}
	first = *t
	first.Word, first.size = Greater, 1
	t.Word = rest
	t.from++
	t.size--
	t.Flags &^= AfterSpace | AfterNewline
	return first, true
}

// String returns the token's text.
func (t *Token) String() string { return t.Text() }

// Describe returns the token as an error message names it.
func (t *Token) Describe() string {
	switch t.Kind {
	case EOF:
		return "the end of the file"
	case Unroll:
		return "#pragma unroll"
	case Pack:
		return "#pragma pack"
	case String:
		return "a string"
	}
	if len(t.Text()) > 40 {
		return "`" + t.Text()[:40] + "...`"
	}
	return "`" + t.Text() + "`"
}

// isRaw reports whether the token is a raw string, whose text is that of the file, line splices included.
func (t *Token) isRaw() bool {
	if t.Kind != String {
		return false
	}
	i := strings.IndexByte(t.Text(), '"')
	return i > 0 && t.Text()[i-1] == 'R'
}
