package asdl

import "strings"

// exclusive writes an Exclusive, whose objs_lock is a Tuple: an object, and
// lists of the numbers of its elements.
func (d *decoder) exclusive(v *value) {
	d.lit("Exclusive (", v.from)
	if l := v.get("objs_lock"); l != nil && l.kind == list {
		d.errorf(l, codeField, "objs_lock is one node, not a list").Hint =
			`a Tuple has the lists, as in {"_type": "Tuple", "object": "mesh", "items": [...]}`
	} else if t := d.need(v, "objs_lock", object); t != nil && d.node(t, "as objs_lock", []string{"Tuple"}) != "" {
		d.field(t, "object", "", "")
		items := d.list(t, "items")
		if len(items) == 0 {
			d.errorf(t, codeField, "this Tuple has no items").Hint =
				`what is locked is listed by items, as in {"_type": "Array", "size": "n", "name": "cavity"}`
		}
		for _, item := range items {
			d.lit(", ", item.from)
			d.lockItem(item)
		}
	}
	d.lit(")", v.from)
	d.bodyElse(v)
}

// lockItem writes an Array, which is a size and a name, or an ArrayIterator,
// which is a slice.
func (d *decoder) lockItem(v *value) {
	switch d.node(v, "among the items of a Tuple", []string{"Array", "ArrayIterator"}) {
	case "Array":
		d.size(v, "size", "", "")
		d.field(v, "name", ", ", "")
	case "ArrayIterator":
		d.operand(v, "array")
		d.lit("[", v.from)
		if given(v, "start") {
			d.size(v, "start", "", "")
		}
		d.size(v, "end", " : ", "")
		if given(v, "step") {
			d.size(v, "step", " : ", "")
		}
		d.lit("]", v.to-1)
	}
}

// operand writes a field that is an expression before a bracket, in
// parentheses if it has operators.
func (d *decoder) operand(v *value, name string) {
	before, after := "", ""
	if x := v.get(name); x != nil && x.kind == text {
		depth := 0
		for _, c := range strings.ReplaceAll(string(scanFragment(x).code()), "->", ".") {
			switch {
			case strings.ContainsRune("([", c):
				depth++
			case strings.ContainsRune(")]", c):
				depth--
			case depth == 0 && strings.ContainsRune("+-*/%&|^!~?<>=", c):
				before, after = "(", ")"
			}
		}
	}
	d.field(v, name, before, after)
}

// given reports whether a field is there, and not null or empty.
func given(v *value, name string) bool {
	f := v.get(name)
	return f != nil && f.kind != null && (f.kind != text || f.str != "")
}

// size writes a field that is a number, or an expression, between two texts.
func (d *decoder) size(v *value, name, before, after string) {
	d.lit(before, v.from)
	if x := v.get(name); x == nil || x.kind == null {
		d.need(v, name, text) // an error
	} else {
		d.count(x, sizePart)
	}
	d.lit(after, v.from)
}

// initial writes the field wlinit of an Iterate or a Pipe.
func (d *decoder) initial(v *value) {
	w := d.optional(v, "wlinit", object)
	if w == nil {
		return
	}
	switch d.node(w, "as wlinit", []string{"WorklistInitializer", "WorklistInitializerFromArray"}) {
	case "":
		return
	case "WorklistInitializer":
		d.lit(" Initial [", w.from)
		d.exprs(d.list(w, "initial"), w)
	default:
		d.lit(" Initial [", w.from)
		d.operand(w, "array")
		d.size(w, "array_size", "[: ", "]")
	}
	d.lit("]", w.to-1)
	if given(w, "size") {
		d.size(w, "size", " Size (", ")")
	}
}
