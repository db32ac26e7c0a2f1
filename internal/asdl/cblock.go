package asdl

// unparsed reports whether a CBlock has text that is passed on as it is.
func unparsed(v *value) bool {
	f := v.get("parse")
	return f != nil && f.kind == boolean && !f.on
}

// cBlock writes C text, a string a line: statements or declarations of the
// program, or with parse false a text that is passed on.
func (d *decoder) cBlock(v *value, r role) {
	d.optional(v, "parse", boolean)
	if unparsed(v) {
		d.passed(v)
		return
	}
	for _, name := range []string{"reads", "writes"} {
		if f := v.get(name); f != nil && f.kind != null {
			d.errorf(f, codeTogether, "the compiler sees itself what text that it parses %s", name).Hint =
				"parse false passes the text on as it is"
		}
	}
	for i, s := range d.list(v, "stmts") {
		if i > 0 {
			d.lit("\n", s.from)
		}
		if f := d.fragment(s); f != nil {
			d.paste(f, s, r)
		}
	}
}

// passed writes a CBlock whose text is passed on, with the annotations that
// say what it reads and writes (report, section 1).
func (d *decoder) passed(v *value) {
	d.words = append(d.words, word{len(d.buf), "CBlock", v})
	d.lit(`CBlock "`, v.from)
	for i, s := range d.list(v, "stmts") {
		if s.kind != text {
			d.errorf(s, codeField, "expected a string, found %s", s.kind)
			continue
		}
		if i > 0 {
			d.lit(`\n`, s.from)
		}
		for j := range len(s.str) {
			d.lit(string(appendQuoted(nil, s.str[j])), s.offset(j))
		}
	}
	d.lit(`"`, v.from)
	known := false
	for _, part := range [][2]string{{"reads", "Reads"}, {"writes", "Writes"}} {
		names := d.list(v, part[0])
		f := v.get(part[0])
		known = known || f != nil && f.kind != null
		for i, n := range names {
			if i == 0 {
				d.lit(" "+part[1]+" (", n.from)
			}
			d.separate(i, n.from)
			d.ident(n)
		}
		if len(names) > 0 {
			d.lit(")", v.from)
		}
	}
	if !known {
		d.errorf(v.get("parse"), codeUnparsed, "text that is not parsed needs its reads and writes").Hint =
			`the properties and variables that it uses, as in "reads": ["a"], "writes": []`
	}
	d.lit(";", v.to-1)
}
