package headers

import (
	"strings"

	"irgl/internal/cpp"
	"irgl/internal/source"
)

// A library is the declarations of headers, by the names that they declare. Of a namespace, which
// begins and ends on a line of its own, they are those in it.
type library struct {
	files  []*source.File
	texts  []string // their contents
	items  []item   // in the order of the headers
	byName map[string][]int32
	always []int32 // items without a name, which are there always: operators, enumerations, and where namespaces begin and end
}

// An item is one declaration: whole lines.
type item struct {
	file int32 // its number
	cpp.Part
}

func newLibrary() *library { return &library{byName: make(map[string][]int32, 256)} }

func (l *library) text(it *item) string {
	return l.texts[it.file][it.From:it.To]
}

// read adds the declarations in a header from a byte on, of those that take returns true for; nil for all.
func (l *library) read(f *source.File, from int, take func(text string) bool) {
	text := string(f.Content)
	l.files, l.texts = append(l.files, f), append(l.texts, text)
	for from < len(text) {
		to, named := declaration(text, from)
		if named && (take == nil || take(text[from:to])) {
			n := int32(len(l.items))
			l.items = append(l.items, item{int32(len(l.files) - 1), cpp.Part{From: int32(from), To: int32(to)}})
			names := declares(text[from:to])
			for _, name := range names {
				l.byName[name] = append(l.byName[name], n)
			}
			if len(names) == 0 {
				l.always = append(l.always, n)
			}
		}
		from = to
	}
}

// declaration returns where the declaration ends whose first line is at a byte: with a line that ends
// in a semicolon or brace, all braces closed. A line is by itself, and none if it is empty, a comment or a
// directive, where a namespace begins or ends.
func declaration(text string, from int) (to int, is bool) {
	for depth, first := 0, true; ; first = false {
		line, _, _ := strings.Cut(text[from:], "\n")
		from = min(from+len(line)+1, len(text))
		code, _, _ := strings.Cut(line, "// ")
		code = strings.TrimRight(code, " ")
		if first {
			switch {
			case code == "" || code[0] == '#':
				return from, false
			case code[0] == '}' || strings.HasPrefix(code, "namespace ") && strings.HasSuffix(code, "{"):
				return from, true
			}
		}
		depth += strings.Count(code, "{") - strings.Count(code, "}")
		if depth == 0 && (strings.HasSuffix(code, ";") || strings.HasSuffix(code, "}")) || from == len(text) {
			return from, true
		}
	}
}

// declares returns the names that a declaration declares: those of the comment behind it, or the
// name in front of what follows names in declarations of its kind. Operators have none.
func declares(text string) []string {
	text = strings.TrimSuffix(text, "\n")
	for _, end := range []string{"; // ", "} // "} {
		if _, names, ok := strings.Cut(text[strings.LastIndexByte(text, '\n')+1:], end); ok {
			return strings.Fields(names)
		}
	}
	for strings.HasPrefix(text, "template <") {
		text = strings.TrimLeft(text[closing(text, len("template ")):], " \n")
	}
	var end int
	switch kind, rest, _ := strings.Cut(text, " "); kind {
	case "struct", "class":
		end = len(text) - len(rest) + strings.IndexAny(rest, "{:;<")
		end = len(strings.TrimRight(text[:end], " "))
	case "enum":
		text = text[strings.Index(text, "{")+2:]
		end = strings.Index(text, " ")
	case "using":
		end = strings.Index(text, " =")
	case "typedef", "namespace":
		end = strings.LastIndex(text, ";")
		if kind == "namespace" {
			end = strings.Index(text, ";")
		}
	case "extern":
		end = strings.Index(text, " __attribute__")
	default:
		end = declarator(text)
	}
	begin := max(end, 0)
	for begin > 0 && isNamed(text[begin-1]) {
		begin--
	}
	if end <= begin {
		return nil
	}
	return []string{text[begin:end]}
}

// declarator returns where the name of a variable or function ends, and -1 for an operator's.
func declarator(text string) int {
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '(':
			return i
		case '<':
			name := i
			i = closing(text, i) - 1
			if strings.HasPrefix(text[i+1:], " =") { // a specialisation of a variable
				return name
			}
		case ' ', '&', '*':
			switch {
			case strings.HasPrefix(text[i+1:], "operator"):
				return -1
			case strings.HasPrefix(text[i:], " = "):
				return i
			}
		}
	}
	return -1
}

// closing returns the byte behind the bracket that closes the < at a byte.
func closing(text string, from int) int {
	depth := 0
	for i := from; i < len(text); i++ {
		switch text[i] {
		case '<':
			depth++
		case '>':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return len(text)
}

// isNamed reports whether c is a character of names.
func isNamed(c byte) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}
