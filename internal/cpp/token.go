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
// the text, and Macro is their expansion.
type Token struct {
	File     *source.File
	Text     string
	From, To int32 // the offsets of its text in File
	Macro    int32 // the index of its macro's expansion in Result.Expansions, or 0
	Name     int32 // the number of a name: that of all names of one text, from 1; 0 where it is not known
	Word     Word  // of keywords, operators and separators
	Kind     Kind
	Flags    Flags
}

// Pos returns where the token begins.
func (t *Token) Pos() source.Pos { return source.Pos{File: t.File, Offset: t.From} }

// End returns where the token ends.
func (t *Token) End() source.Pos { return source.Pos{File: t.File, Offset: t.To} }

// StartsLine reports whether a newline precedes the token.
func (t *Token) StartsLine() bool { return t.Flags&AfterNewline != 0 }

// Glued reports whether the token follows the one before without a blank.
func (t *Token) Glued() bool { return t.Flags&(AfterNewline|AfterSpace) == 0 }

// IsName reports whether the token is a name for the preprocessor, to which keywords are names.
func (t *Token) IsName() bool { return t.Kind == Ident || t.Kind == Keyword }

// Malformed returns the diagnostic of a Bad token.
func (t *Token) Malformed() (code source.Code, message string) {
	n := len(CodeCharacter)
	return source.Code(t.Text[:n]), t.Text[n:]
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
	first.Word, first.Text = Greater, ">"
	t.Word, t.Text = rest, t.Text[1:]
	t.Flags &^= AfterSpace | AfterNewline
	if t.Macro == 0 && int(t.To-t.From) == len(t.Text)+1 { // neither spliced nor from a macro
		first.To = first.From + 1
		t.From = first.To
	}
	return first, true
}

// String returns the token's text.
func (t *Token) String() string { return t.Text }

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
	if len(t.Text) > 40 {
		return "`" + t.Text[:40] + "...`"
	}
	return "`" + t.Text + "`"
}

// isRaw reports whether the token is a raw string, whose text is that of the file, line splices included.
func (t *Token) isRaw() bool {
	if t.Kind != String {
		return false
	}
	i := strings.IndexByte(t.Text, '"')
	return i > 0 && t.Text[i-1] == 'R'
}
