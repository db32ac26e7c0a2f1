package asdl

import (
	"errors"
	"fmt"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"

	"irgl/internal/source"
)

// maxDepth bounds the nesting of values. A statement inside another takes at
// most six levels, and the parser of the language stops before 500 of those.
const maxDepth = 4000

// A kind is the type of a JSON value.
type kind uint8

const (
	null kind = iota
	boolean
	number
	text
	list
	object
)

func (k kind) String() string {
	return [...]string{"null", "a boolean", "a number", "a string", "a list", "an object"}[k]
}

// A value is a JSON value with its place in the file. Package encoding/json
// does not say where inside a string a character came from, which positions
// in C text need.
type value struct {
	kind     kind
	from, to int32 // byte offsets in the file
	str      string
	// offsets[i] is where byte i of str comes from; nil if the string has no
	// escapes, so that it is from + 1 + i.
	offsets []int32
	on      bool
	num     string
	list    []*value
	fields  []field
}

// A field is a member of an object, in the order of the text.
type field struct {
	name string
	key  *value
	val  *value
}

// offset returns where byte i of a string comes from.
func (v *value) offset(i int) int32 {
	if v.offsets == nil {
		return v.from + 1 + int32(i)
	}
	return v.offsets[i]
}

// get returns the value of a member, or nil.
func (v *value) get(name string) *value {
	for i := range v.fields {
		if v.fields[i].name == name {
			return v.fields[i].val
		}
	}
	return nil
}

// errStop unwinds the reader after its one error was reported.
var errStop = errors.New("stop")

// A reader reads one JSON text (RFC 8259).
type reader struct {
	file  *source.File
	src   []byte
	at    int
	depth int
	diags *source.List
}

// readJSON returns the value of a file, or nil after reporting why there is no value.
func readJSON(f *source.File, diags *source.List) *value {
	r := &reader{file: f, src: f.Content, diags: diags}
	v, err := r.value()
	if err != nil {
		return nil
	}
	if r.space(); r.at < len(r.src) {
		r.fail("there is text after the end of the value")
		return nil
	}
	return v
}

func (r *reader) fail(format string, args ...any) error {
	return r.failAt(r.at, codeJSON, fmt.Sprintf(format, args...))
}

func (r *reader) failAt(at int, code source.Code, message string) error {
	pos := r.file.Pos(at)
	r.diags.Errorf(pos, pos, code, "%s", message)
	return errStop
}

func (r *reader) space() {
	for r.at < len(r.src) {
		switch r.src[r.at] {
		case ' ', '\t', '\n', '\r':
			r.at++
		default:
			return
		}
	}
}

// peek returns the next byte that is not a space, 0 at the end.
func (r *reader) peek() byte {
	r.space()
	if r.at < len(r.src) {
		return r.src[r.at]
	}
	return 0
}

// found describes the next byte for a message.
func (r *reader) found() string {
	if r.at >= len(r.src) {
		return "the end of the file"
	}
	c, _ := utf8.DecodeRune(r.src[r.at:])
	return strconv.QuoteRune(c)
}

func (r *reader) value() (*value, error) {
	c := r.peek()
	v := &value{from: int32(r.at)}
	var err error
	switch {
	case c == '{' || c == '[':
		if r.depth++; r.depth > maxDepth {
			return nil, r.failAt(r.at, codeDeep, "this is nested too deeply")
		}
		if c == '{' {
			err = r.object(v)
		} else {
			err = r.list(v)
		}
		r.depth--
	case c == '"':
		err = r.string(v)
	case c == '-' || '0' <= c && c <= '9':
		err = r.number(v)
	case r.word("true"):
		v.kind, v.on = boolean, true
	case r.word("false"):
		v.kind = boolean
	case r.word("null"):
		v.kind = null
	default:
		err = r.fail("expected a value, found %s", r.found())
	}
	v.to = int32(r.at)
	return v, err
}

func (r *reader) word(w string) bool {
	if len(r.src)-r.at >= len(w) && string(r.src[r.at:r.at+len(w)]) == w {
		r.at += len(w)
		return true
	}
	return false
}

func (r *reader) object(v *value) error {
	v.kind = object
	seen := map[string]bool{}
	r.at++
	for r.peek() != '}' {
		if r.peek() != '"' {
			return r.fail("expected a field's name in quotes, found %s", r.found())
		}
		key := &value{from: int32(r.at)}
		if err := r.string(key); err != nil {
			return err
		}
		key.to = int32(r.at)
		if seen[key.str] {
			return r.failAt(int(key.from), codeJSON, fmt.Sprintf("the field %q is here twice", key.str))
		}
		seen[key.str] = true
		if r.peek() != ':' {
			return r.fail("expected `:` after a field's name, found %s", r.found())
		}
		r.at++
		val, err := r.value()
		if err != nil {
			return err
		}
		v.fields = append(v.fields, field{key.str, key, val})
		if !r.comma('}') {
			return r.fail("expected `,` or `}` after a field, found %s", r.found())
		}
	}
	r.at++
	return nil
}

// comma passes a comma that another element follows, or stops before the
// closing bracket; anything else is an error.
func (r *reader) comma(closing byte) bool {
	if r.peek() == ',' {
		r.at++
		return r.peek() != closing
	}
	return r.peek() == closing
}

func (r *reader) list(v *value) error {
	v.kind = list
	r.at++
	for r.peek() != ']' {
		elem, err := r.value()
		if err != nil {
			return err
		}
		v.list = append(v.list, elem)
		if !r.comma(']') {
			return r.fail("expected `,` or `]` after an element, found %s", r.found())
		}
	}
	r.at++
	return nil
}

func (r *reader) number(v *value) error {
	start := r.at
	digits := func() bool {
		n := r.at
		for r.at < len(r.src) && '0' <= r.src[r.at] && r.src[r.at] <= '9' {
			r.at++
		}
		return r.at > n
	}
	r.word("-")
	ok := r.word("0") || digits()
	if ok && r.word(".") {
		ok = digits()
	}
	if ok && (r.word("e") || r.word("E")) {
		_ = r.word("+") || r.word("-")
		ok = digits()
	}
	if !ok {
		return r.fail("expected a digit, found %s", r.found())
	}
	v.kind, v.num = number, string(r.src[start:r.at])
	return nil
}

// string reads a string, and where its bytes come from.
func (r *reader) string(v *value) error {
	v.kind = text
	r.at++
	start := r.at
	var b []byte
	for {
		if r.at >= len(r.src) || r.src[r.at] == '\n' {
			return r.failAt(int(v.from), codeJSON, "this string has no end")
		}
		at := r.at
		switch c := r.src[r.at]; {
		case c == '"':
			r.at++
			if v.offsets == nil {
				b = r.src[start:at]
			}
			v.str = string(b)
			return nil
		case c == '\\':
			if v.offsets == nil { // the first escape
				b = append([]byte{}, r.src[start:at]...)
				for i := range b {
					v.offsets = append(v.offsets, int32(start+i))
				}
				if v.offsets == nil {
					v.offsets = []int32{}
				}
			}
			c, err := r.escape()
			if err != nil {
				return err
			}
			b = utf8.AppendRune(b, c)
		case c < ' ':
			return r.fail("a control character stands in a string: write \\u%04x", c)
		default:
			c, size := utf8.DecodeRune(r.src[r.at:])
			if c == utf8.RuneError && size == 1 {
				return r.fail("this byte is no UTF-8")
			}
			if v.offsets != nil {
				b = append(b, r.src[r.at:r.at+size]...)
			}
			r.at += size
		}
		for v.offsets != nil && len(v.offsets) < len(b) {
			v.offsets = append(v.offsets, int32(at))
		}
	}
}

// escape reads one escape sequence. Half of a surrogate pair is U+FFFD.
func (r *reader) escape() (rune, error) {
	at := r.at
	r.at++
	c := byte(0)
	if r.at < len(r.src) {
		c = r.src[r.at]
	}
	r.at++
	switch c {
	case '"', '\\', '/':
		return rune(c), nil
	case 'b':
		return '\b', nil
	case 'f':
		return '\f', nil
	case 'n':
		return '\n', nil
	case 'r':
		return '\r', nil
	case 't':
		return '\t', nil
	case 'u':
		hi, ok := r.hex4()
		if !ok {
			break
		}
		if utf16.IsSurrogate(hi) {
			save := r.at
			if r.word(`\u`) {
				if lo, ok := r.hex4(); ok {
					if c := utf16.DecodeRune(hi, lo); c != utf8.RuneError {
						return c, nil
					}
				}
			}
			r.at = save
			return utf8.RuneError, nil
		}
		return hi, nil
	}
	return 0, r.failAt(at, codeJSON, "this escape does not exist")
}

func (r *reader) hex4() (rune, bool) {
	if len(r.src)-r.at < 4 {
		return 0, false
	}
	n, err := strconv.ParseUint(string(r.src[r.at:r.at+4]), 16, 32)
	if err != nil {
		return 0, false
	}
	r.at += 4
	return rune(n), true
}
