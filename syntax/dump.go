package syntax

import (
	"fmt"
	"io"
	"reflect"
	"strings"

	"irgl/internal/source"
)

// Dump writes the structure of a tree, one node a line: its kind, its place,
// and its plain fields; its parts below it, indented, with the names of the
// fields they are in.
//
//	FuncDecl 3:1-7:2 Kind=1
//	  Name: Ident 3:8-3:11 Name="BFS"
//	  Params[0]: Param 3:12-3:17
//	    Name: Ident 3:12-3:17 Name="graph"
func Dump(w io.Writer, n Node) error {
	d := &dumper{w: w}
	d.node("", n)
	return d.err
}

type dumper struct {
	w          io.Writer
	attributes map[Node][]*Attribute
	depth      int
	err        error
}

var nodeType = reflect.TypeFor[Node]()

func (d *dumper) printf(format string, args ...any) {
	if d.err == nil {
		_, d.err = fmt.Fprintf(d.w, format, args...)
	}
}

func (d *dumper) node(label string, n Node) {
	v := reflect.ValueOf(n).Elem()
	d.printf("%s%s%s%s", strings.Repeat("  ", d.depth), label, v.Type().Name(), span(n))
	if f, ok := n.(*File); ok {
		d.attributes = f.Attributes
	}
	for _, a := range d.attributes[n] {
		d.printf(" %s", a)
	}
	var parts []func()
	for i := range v.NumField() {
		f, name := v.Field(i), v.Type().Field(i).Name
		switch {
		case f.Type() == spanType, f.Type() == attributesType, f.IsZero():
		case f.Type().Implements(nodeType):
			parts = append(parts, func() { d.node(name+": ", f.Interface().(Node)) })
		case f.Kind() == reflect.Slice && f.Type().Elem().Implements(nodeType):
			for j := range f.Len() {
				if e := f.Index(j); !e.IsNil() {
					parts = append(parts, func() { d.node(fmt.Sprintf("%s[%d]: ", name, j), e.Interface().(Node)) })
				}
			}
		case f.Kind() == reflect.String:
			d.printf(" %s=%q", name, f.String())
		default:
			d.printf(" %s=%v", name, f.Interface())
		}
	}
	d.printf("\n")
	d.depth++
	for _, p := range parts {
		p()
	}
	d.depth--
}

// span returns the place of n as " line:column-line:column".
func span(n Node) string {
	place := func(p source.Pos) string { return fmt.Sprintf("%d:%d", p.Line(), p.Column()) }
	if !n.Pos().IsValid() {
		return ""
	}
	return " " + place(n.Pos()) + "-" + place(n.End())
}
