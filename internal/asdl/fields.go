package asdl

import (
	"bytes"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"irgl/internal/suggest"
	"irgl/syntax"
)

// node checks that v is one of the nodes that may stand here, and that it has
// no fields that its kind has not; it returns the kind, "" after an error.
func (d *decoder) node(v *value, where string, allowed []string) string {
	if v.kind != object {
		d.errorf(v, codeNode, "expected a node %s, found %s", where, v.kind)
		return ""
	}
	typ := v.get("_type")
	if typ == nil || typ.kind != text {
		d.errorf(v, codeNode, "a node has its name in the field _type").Hint = `as in {"_type": "` + allowed[0] + `"}`
		return ""
	}
	name := typ.str
	for _, a := range allowed {
		if a == name {
			d.fieldsOf(v, name, schema()[name])
			return name
		}
	}
	diag := d.errorf(typ, codeNode, "there is no node %s %s", quoteC(name), where)
	if schema()[name] != nil {
		diag.Message = name + " cannot stand " + where
	}
	diag.Hint = strings.TrimPrefix(suggest.Hint(name, allowed), ", ")
	if diag.Hint == "" {
		diag.Hint = "here may be " + strings.Join(allowed, ", ")
	}
	return ""
}

// product checks that v is a param, cdecl, prop or racy.
func (d *decoder) product(v *value, name string) bool {
	if v.kind != object {
		d.errorf(v, codeField, "expected an object, found %s", v.kind)
		return false
	}
	d.fieldsOf(v, name, products()[name])
	return true
}

func (d *decoder) fieldsOf(v *value, name string, allowed []string) {
	for _, f := range v.fields {
		known := strings.HasPrefix(f.name, "_") || f.name == "doc" || f.name == "note" || f.name == "attributes" && attributed(name) || name == "Iterate" && f.name == "smts"
		for _, a := range allowed {
			known = known || a == f.name
		}
		if !known {
			diag := d.errorf(f.key, codeUnknownField, "%s has no field %s", name, quoteC(f.name))
			if len(allowed) > 0 {
				diag.Hint = "its fields are " + strings.Join(allowed, ", ")
				if attributed(name) {
					diag.Hint += ", and attributes, such as [\"np(tb)\"]"
				}
			}
		}
	}
}

// optional returns a field, nil if it is missing or null.
func (d *decoder) optional(v *value, name string, k kind) *value {
	f := v.get(name)
	if f == nil || f.kind == null {
		return nil
	}
	if f.kind != k {
		d.errorf(f, codeField, "%s is %s, not %s", name, k, f.kind)
		return nil
	}
	return f
}

// need returns a field, nil after reporting that it is missing.
func (d *decoder) need(v *value, name string, k kind) *value {
	if f := v.get(name); f == nil || f.kind == null {
		d.errorf(v, codeField, "the field %s is missing", name)
		return nil
	}
	return d.optional(v, name, k)
}

// list returns the elements of a field; none if it is missing or null.
func (d *decoder) list(v *value, name string) []*value {
	if f := d.optional(v, name, list); f != nil {
		return f.list
	}
	return nil
}

// flag returns a field that is false where it is missing.
func (d *decoder) flag(v *value, name string) bool {
	f := d.optional(v, name, boolean)
	return f != nil && f.on
}

// parsed reports a declaration or an expression that is not to be parsed.
func (d *decoder) parsed(v *value) {
	if f := d.optional(v, "parse", boolean); f != nil && !f.on {
		d.errorf(f, codeLater, "%s is always parsed in this version", kindOf(v)).Hint =
			"text for CUDA's compiler alone is a CBlock with parse false, and Names has the names that it declares"
	}
}

// separate writes the comma before the element i of a list.
func (d *decoder) separate(i int, at int32) {
	if i > 0 {
		d.lit(", ", at)
	}
}

// name writes a field that is a name.
func (d *decoder) name(v *value, field string) {
	if n := d.need(v, field, text); n != nil {
		d.ident(n)
	}
}

func (d *decoder) ident(v *value) {
	if v.kind != text || !syntax.IsName(v.str) {
		d.errorf(v, codeName, "this is no name")
		return
	}
	d.paste(scanFragment(v), v, exprPart)
}

// fragment looks at a string, and returns nil after reporting what it is not.
func (d *decoder) fragment(v *value) *fragment {
	if v.kind != text {
		d.errorf(v, codeField, "expected a string, found %s", v.kind)
		return nil
	}
	f := scanFragment(v)
	if f.fault != "" {
		pos := d.file.Pos(int(f.offsets[f.at]))
		d.diags.Errorf(pos, pos, codeFragment, "this text cannot be read: %s", f.fault)
		return nil
	}
	return f
}

// expr writes a string that is an expression.
func (d *decoder) expr(v *value) {
	f := d.fragment(v)
	switch {
	case f == nil:
	case f.empty(""):
		d.errorf(v, codeFragment, "this is no expression")
	default:
		d.paste(f, v, exprPart)
	}
}

// exprIn writes a string that is an expression in the role r.
func (d *decoder) exprIn(v *value, r role) {
	from := len(d.parts)
	d.expr(v)
	for i := from; i < len(d.parts); i++ {
		d.parts[i].role = r
	}
}

// count writes a number, or a string that is an expression.
func (d *decoder) count(v *value, r role) {
	if v.kind == text {
		d.exprIn(v, r)
		return
	}
	if v.kind != number {
		d.errorf(v, codeField, "expected a number or a string, found %s", v.kind)
		return
	}
	if n, err := strconv.ParseInt(v.num, 10, 64); err != nil || n < 0 {
		d.errorf(v, codeField, "this is no count: a number from 0 on, or an expression in a string")
	}
	d.lit(v.num, v.from)
}

// exprs writes expressions with commas between them.
func (d *decoder) exprs(list []*value, in *value) {
	for i, x := range list {
		d.separate(i, in.from)
		d.expr(x)
	}
}

// typeText looks at the text of a type. What is wrong in it beyond that is for
// the parser to say, but it cannot be more than one declaration.
func (d *decoder) typeText(v *value) *fragment {
	f := d.fragment(v)
	if f == nil {
		return nil
	}
	one := len(f.bytes) == len(v.str) && !f.empty("")
	depth := 0
	for i, c := range f.bytes {
		switch {
		case f.comment[i] || depth == 0 && strings.IndexByte(";,=#", c) >= 0:
			one = false
		case strings.IndexByte("([{", c) >= 0:
			depth++
		case strings.IndexByte(")]}", c) >= 0:
			depth--
		}
	}
	if !one {
		d.errorf(v, codeFragment, "this text is not one type")
		return nil
	}
	return f
}

// pasteRange writes a part of a type.
func (d *decoder) pasteRange(f *fragment, from, to int) {
	for i := from; i < to; i++ {
		d.byte(f.bytes[i], f.offsets[i], false)
	}
}

// doc writes the comments before a node, on lines of their own.
func (d *decoder) doc(v *value) {
	for _, c := range d.list(v, "doc") {
		d.comment(c)
		d.lit("\n", v.from)
	}
}

// attributed reports whether a node is a statement or a function.
func attributed(name string) bool {
	return name == "Kernel" || name != "NOP" && slices.Contains(blockStmts, name)
}

// attributes writes those of a node in front of it.
func (d *decoder) attributes(v *value) {
	for _, a := range d.list(v, "attributes") {
		f := d.fragment(a)
		if f == nil {
			continue
		}
		if bytes.ContainsAny(f.bytes, "[];{}") {
			d.errorf(a, codeFragment, "this text is not one attribute")
			continue
		}
		d.lit("[[", v.from)
		d.pasteCode(f)
		d.lit("]]\n", v.from) // a #pragma has a line of its own
	}
}

// note writes the comment beside a node, and ends its line.
func (d *decoder) note(v *value) {
	if c := d.optional(v, "note", text); c != nil {
		d.lit(" ", v.to-1)
		d.comment(c)
	}
	if !bytes.HasSuffix(d.buf, []byte("\n")) { // an empty line would be kept
		d.lit("\n", v.to-1)
	}
}

// comment writes a string that is one comment.
func (d *decoder) comment(v *value) {
	f := d.fragment(v)
	if f == nil {
		return
	}
	s := string(f.bytes)
	one := strings.HasPrefix(s, "/*") && strings.Index(s[2:], "*/") == len(s)-4
	if !one && (!strings.HasPrefix(s, "//") || strings.Contains(s, "\n")) {
		d.errorf(v, codeFragment, "this text is not one comment")
		return
	}
	for i, c := range f.bytes {
		d.byte(c, f.offsets[i], true)
	}
}

// spanOf returns the span that a node embeds.
func spanOf(n syntax.Node) *syntax.Span {
	v := reflect.ValueOf(n)
	if v.Kind() != reflect.Pointer || v.IsNil() {
		return nil
	}
	s, _ := v.Elem().FieldByName("Span").Addr().Interface().(*syntax.Span)
	return s
}
