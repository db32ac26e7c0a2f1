package cpp

import (
	"unicode"
	"unicode/utf8"
)

// The classes of bytes, by what a token that begins with one is. The order is that of the scanner's switch.
const (
	classOther   uint8 = iota // begins no token
	classLetter               // a name
	classBlank                // white space on a line
	classNewline              //
	classSingle               // an operator or separator that is always alone, such as (
	classPunct                // another operator or separator
	classDigit                // a number
	classQuote                // a string or character constant
	classSlash                // an operator or a comment
	classDot                  // a number, or a separator
	classSplice               // a backslash
	classHigh                 // a byte of a character beyond ASCII
)

// tail marks bytes that continue a name.
const tail uint8 = 1 << 7

var classes = func() (t [256]uint8) {
	for c := range 256 {
		switch {
		case c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z':
			t[c] = classLetter | tail
		case '0' <= c && c <= '9':
			t[c] = classDigit | tail
		case c >= 0x80:
			t[c] = classHigh
		}
	}
	for _, c := range " \t\r\f\v" {
		t[c] = classBlank
	}
	for _, c := range "()[]{};,~?" {
		t[c] = classSingle
	}
	for _, c := range "<>-+=!&|*%^#:" {
		t[c] = classPunct
	}
	t['\n'], t['"'], t['\''], t['/'], t['.'], t['\\'] = classNewline, classQuote, classQuote, classSlash, classDot, classSplice
	return t
}()

// singles are the words of the operators and separators that are always alone.
var singles = [128]Word{'(': LParen, ')': RParen, '[': LBracket, ']': RBracket, '{': LBrace, '}': RBrace, ';': Semi, ',': Comma,
	'~': Tilde, '?': Question}

func isLetter(c byte) bool { return classes[c] == classLetter|tail }
func isDigit(c byte) bool  { return classes[c] == classDigit|tail }

// IsName reports whether text is a name in C. It may be a keyword.
func IsName(text string) bool {
	for i := range len(text) {
		if !isLetter(text[i]) && (i == 0 || !isDigit(text[i])) {
			return false
		}
	}
	return text != ""
}

// wideName returns the length of the character beyond ASCII, or $, that s begins with, if it may be part of a C++
// name, and otherwise 0.
func wideName(s string, first bool) int {
	if s[0] == '$' {
		return 1
	}
	r, n := utf8.DecodeRuneInString(s)
	switch {
	case r == utf8.RuneError && n <= 1:
		return 0
	case unicode.IsLetter(r) || unicode.Is(unicode.Nl, r) || unicode.Is(unicode.Other_ID_Start, r):
		return n
	case !first && (unicode.IsMark(r) || unicode.IsDigit(r) || unicode.Is(unicode.Pc, r) || unicode.Is(unicode.Other_ID_Continue, r)):
		return n
	}
	return 0
}
