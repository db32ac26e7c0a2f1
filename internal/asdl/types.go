package asdl

import "strings"

// place finds where in the text of a type a name belongs: after "int" in int,
// after the star in "int (*)[3]". The text before specs, which ends with the
// specifiers, is what several declarators share (C99, 6.7.5 and 6.7.6).
func place(typ string) (specs, at int) {
	i := 0
	word := ""
	for {
		i = skipBlanks(typ, i)
		switch {
		case i < len(typ) && isLetter(typ[i]):
			from := i
			for i < len(typ) && (isLetter(typ[i]) || '0' <= typ[i] && typ[i] <= '9') {
				i++
			}
			word = typ[from:i]
			specs = i
			continue
		case i < len(typ) && typ[i] == '{', i < len(typ) && typ[i] == '(' && takesBrackets(word):
			i = skipBrackets(typ, i)
			specs, word = i, ""
			continue
		}
		break
	}
	at = specs
	for {
		i = skipBlanks(typ, i)
		if i >= len(typ) {
			return specs, at
		}
		switch c := typ[i]; {
		case c == '*' || c == '&':
			i++
		case isLetter(c): // const, volatile, __restrict__ after a star
			for i < len(typ) && isLetter(typ[i]) {
				i++
			}
		case c == '(' && groups(typ[i+1:]):
			i++
		default:
			return specs, at
		}
		at = i
	}
}

// takesBrackets reports whether a specifier has an argument.
func takesBrackets(word string) bool {
	switch word {
	case "__align__", "alignas", "__attribute__":
		return true
	}
	return false
}

// groups reports whether a bracket before rest groups a declarator and does
// not begin parameters.
func groups(rest string) bool {
	rest = strings.TrimLeft(rest, " \t\r\n")
	return strings.HasPrefix(rest, "*") || strings.HasPrefix(rest, "(") || strings.HasPrefix(rest, "&")
}

// skipBrackets returns the index after the bracket that closes the one at i.
func skipBrackets(s string, i int) int {
	depth := 0
	for ; i < len(s); i++ {
		switch s[i] {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return len(s)
}

func skipBlanks(s string, i int) int {
	for i < len(s) && isBlank(s[i]) {
		i++
	}
	return i
}

func isLetter(c byte) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_' }
