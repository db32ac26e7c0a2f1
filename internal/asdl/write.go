package asdl

import (
	"bytes"
	"strconv"
	"unicode/utf8"
)

// lineWidth is how long a value on one line may be; longer ones have a line
// for each element.
const lineWidth = 100

// A pair is one member of an object that is written.
type pair struct {
	name string
	val  any // string, bool, int, nil, []any or *node
}

// A node is an object that is written: its members in order.
type node struct{ pairs []pair }

// newNode returns a node of the abstract syntax.
func newNode(name string) *node { return &node{[]pair{{"_type", name}}} }

// set adds a member, and returns n.
func (n *node) set(name string, val any) *node {
	n.pairs = append(n.pairs, pair{name, val})
	return n
}

// A writer writes JSON with an indentation of two blanks. The layout depends
// on the values alone: one that fits on a line is on one line.
type writer struct {
	buf    bytes.Buffer
	indent int
}

func (w *writer) value(v any) {
	elems, open, closing := members(v)
	if elems == nil {
		w.buf.Write(appendScalar(nil, v))
		return
	}
	if line, ok := appendLine(nil, v, lineWidth); ok {
		w.buf.Write(line)
		return
	}
	w.buf.WriteByte(open)
	w.indent++
	for i, e := range elems {
		if i > 0 {
			w.buf.WriteByte(',')
		}
		w.newline()
		if e.name != "" {
			w.buf.Write(appendString(nil, e.name))
			w.buf.WriteString(": ")
		}
		w.value(e.val)
	}
	w.indent--
	w.newline()
	w.buf.WriteByte(closing)
}

func (w *writer) newline() {
	w.buf.WriteByte('\n')
	for range w.indent {
		w.buf.WriteString("  ")
	}
}

// members returns the elements of a list, without names, or the members of an
// object, and nil for any other value.
func members(v any) (elems []pair, open, closing byte) {
	switch v := v.(type) {
	case *node:
		return v.pairs, '{', '}'
	case []any:
		elems = make([]pair, len(v))
		for i, e := range v {
			elems[i].val = e
		}
		return elems, '[', ']'
	}
	return nil, 0, 0
}

// appendLine appends v on one line, and reports whether it is not longer than
// max bytes. It gives up as soon as it is, so that writing a tree takes time
// in proportion to its size.
func appendLine(b []byte, v any, limit int) ([]byte, bool) {
	elems, open, closing := members(v)
	if elems == nil {
		b = appendScalar(b, v)
		return b, len(b) <= limit
	}
	b = append(b, open)
	for i, e := range elems {
		if i > 0 {
			b = append(b, ", "...)
		}
		if e.name != "" {
			b = append(appendString(b, e.name), ": "...)
		}
		var ok bool
		if b, ok = appendLine(b, e.val, limit); !ok {
			return b, false
		}
	}
	b = append(b, closing)
	return b, len(b) <= limit
}

func appendScalar(b []byte, v any) []byte {
	switch v := v.(type) {
	case string:
		return appendString(b, v)
	case bool:
		return strconv.AppendBool(b, v)
	case int:
		return strconv.AppendInt(b, int64(v), 10)
	}
	return append(b, "null"...)
}

// appendString appends s as a JSON string. Characters beyond ASCII stay as
// they are.
func appendString(b []byte, s string) []byte {
	const hex = "0123456789abcdef"
	b = append(b, '"')
	for i := 0; i < len(s); {
		c, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case c == '"' || c == '\\':
			b = append(b, '\\', byte(c))
		case c == '\n':
			b = append(b, `\n`...)
		case c == '\t':
			b = append(b, `\t`...)
		case c < ' ':
			b = append(b, `\u00`...)
			b = append(b, hex[c>>4], hex[c&15])
		default:
			b = append(b, s[i:i+size]...)
		}
		i += size
	}
	return append(b, '"')
}
