package asdl

import (
	"bytes"
	"path/filepath"

	"irgl/internal/source"
	"irgl/syntax"
)

// IsJSON reports whether a file holds a program as JSON: its name ends in .json,
// or its text begins with a brace, which no .irgl text does.
func IsJSON(f *source.File) bool {
	return filepath.Ext(f.Name) == ".json" || bytes.HasPrefix(bytes.TrimLeft(f.Content, " \t\r\n"), []byte("{"))
}

// Decode returns the tree of a program in JSON, with the places in the JSON
// file as its positions. It is never nil: where the JSON or the C text in it
// is wrong, errors are added to diags and the tree lacks the parts that are.
// Printed, the tree is a text that parses to an equal one.
func Decode(f *source.File, diags *source.List) *syntax.File {
	d := decode(f, diags)
	if d == nil {
		return &syntax.File{Span: syntax.Span{From: f.Pos(0), To: f.Pos(len(f.Content))}, Name: f.Name, Dialect: syntax.IrGL}
	}
	// The nodes are gathered first: what walks a tree may look at positions.
	tree := d.tree
	nodes := []syntax.Node{}
	for n := range syntax.Preorder(tree) {
		nodes = append(nodes, n)
	}
	for _, n := range nodes {
		d.move(n)
	}
	for _, c := range tree.Comments {
		d.move(c)
	}
	for _, list := range tree.Attributes {
		for _, a := range list {
			d.move(a)
			d.move(a.Name)
			for _, arg := range a.Args {
				d.move(arg)
			}
		}
	}
	tree.Name = f.Name
	tree.Span = syntax.Span{From: f.Pos(0), To: f.Pos(len(f.Content))}
	return tree
}

// Text returns the canonical .irgl text of a program in JSON, or nil after
// adding errors to diags. Unlike the tree of [Decode], whose positions are
// those of the JSON, it has its statements and comments close together.
func Text(f *source.File, diags *source.List) []byte {
	before := diags.Errors()
	d := decode(f, diags)
	if d == nil || diags.Errors() > before {
		return nil
	}
	return []byte(syntax.String(d.tree))
}

// A decoder makes the draft of a JSON file.
type decoder struct {
	draft
	file  *source.File // of JSON
	text  *source.File // of the draft
	tree  *syntax.File // of the draft
	diags *source.List
}

// decode returns the decoder of a file that is well formed, with the tree that
// its text has; nil after reporting why there is none.
func decode(f *source.File, diags *source.List) *decoder {
	root := readJSON(f, diags)
	if root == nil {
		return nil
	}
	f.Origin = originOf(root)
	d := &decoder{file: f, diags: diags}
	before := diags.Errors()
	if d.node(root, "at the root", []string{"Module"}) != "" {
		d.module(root)
	}
	if diags.Errors() > before {
		return nil
	}
	d.text = source.NewFile(f.Name, d.buf)
	var found source.List
	d.tree = syntax.Parse(d.text, syntax.IrGL, &found)
	for _, diag := range found.Diags {
		if diag.Hint == "" && diag.Severity == source.Error && d.inBlock(int(diag.Pos.Offset)) {
			diag.Hint = "text that only CUDA's compiler can read has parse false, with its reads and writes"
		}
		d.moveDiag(diag)
		diags.Diags = append(diags.Diags, diag)
	}
	if found.Errors() == 0 {
		d.checkParts()
	}
	return d
}

// inBlock reports whether an offset of the draft is in a string of a CBlock.
func (d *decoder) inBlock(at int) bool {
	for _, p := range d.parts {
		if p.role > sizePart && p.from <= at && at < p.to {
			return true
		}
	}
	return false
}

// checkParts reports strings that are not what their fields ask for, and nodes
// whose words mean something else where they stand, although the text as a
// whole has no errors.
func (d *decoder) checkParts() {
	s := d.shapeOf(d.tree)
	for _, w := range d.words {
		if s.words[w.at] != w.name {
			d.errorf(w.val.get("_type"), codeNode, "%s cannot stand here, where the program declares another thing of that name", w.name)
		}
	}
	for _, p := range d.parts {
		if !d.fits(s, p) {
			diag := d.errorf(p.val, codeFragment, "this text is not %s", p.role)
			if p.role > sizePart {
				diag.Hint = "a statement ends with a semicolon, and one that governs others has them in its own string or is a node"
			}
		}
	}
}

// move gives a node of the draft its place in the JSON. A node that the tree
// has in two places, such as the type of int a, b, moves once.
func (d *decoder) move(n syntax.Node) {
	s := spanOf(n)
	if s == nil || s.From.File != d.text {
		return
	}
	*s = d.span(d.file, s.From, s.To)
}

func (d *decoder) moveDiag(diag *source.Diagnostic) {
	if diag.Pos.File == d.text {
		s := d.span(d.file, diag.Pos, diag.End)
		diag.Pos, diag.End = s.From, s.To
	}
	for i := range diag.Notes {
		d.moveDiag(&diag.Notes[i])
	}
}

func (d *decoder) errorf(v *value, code source.Code, format string, args ...any) *source.Diagnostic {
	return d.diags.Errorf(d.file.Pos(int(v.from)), d.file.Pos(int(v.to)), code, format, args...)
}

// module writes the draft of a whole file.
func (d *decoder) module(v *value) {
	d.doc(v)
	for _, s := range d.list(v, "stmts") {
		name := d.node(s, "in a Module", modStmts)
		if name == "" {
			continue
		}
		d.doc(s)
		switch name {
		case "Graph", "Mesh":
			d.graph(s, name)
		case "Kernel":
			d.kernel(s)
		case "CDeclGlobal":
			d.varDecls(s)
		case "CBlock":
			d.cBlock(s, declPart)
		case "Names":
			d.names(s)
		}
		d.note(s)
	}
}

// graph writes a Graph or a Mesh.
func (d *decoder) graph(v *value, word string) {
	d.lit(word+" ", v.from)
	d.name(v, "name")
	d.lit(" {\n", v.from)
	if list := d.list(v, "requires"); len(list) > 0 {
		d.lit("Requires ", v.from)
		for i, r := range list {
			d.separate(i, v.from)
			d.ident(r)
		}
		d.lit(";\n", v.from)
	}
	for _, p := range d.list(v, "props") {
		if !d.product(p, "prop") {
			continue
		}
		d.doc(p)
		if d.flag(p, "output") {
			d.lit("Output ", p.from)
		}
		d.lit(d.domain(p, word)+" ", p.from)
		d.declared(p, true)
		d.initializer(p)
		d.lit(";", p.to-1)
		d.note(p)
	}
	for _, r := range d.list(v, "racy") {
		if !d.product(r, "racy") {
			continue
		}
		d.doc(r)
		d.lit("Racy ", r.from)
		d.name(r, "name")
		if reason := d.need(r, "reason", text); reason != nil {
			d.lit(" "+quoteC(reason.str), reason.from)
		}
		d.lit(";", r.to-1)
		d.note(r)
	}
	d.lit("}", v.to-1)
}

// domain returns the word for what a property of a Graph or a Mesh has one
// value each of. The field edge is how it was written before there were meshes.
func (d *decoder) domain(p *value, word string) string {
	of, other := "Node", "Edge"
	if word == "Mesh" {
		of, other = "Point", "Element"
	}
	edge := d.optional(p, "edge", boolean)
	v := d.optional(p, "domain", text)
	switch {
	case edge != nil && v != nil:
		d.errorf(edge, codeTogether, "edge and domain say the same").Hint = "domain alone is enough"
	case edge != nil && word == "Mesh":
		d.errorf(edge, codeTogether, "a Mesh has no edges").Hint = "the domain of a property is Point or Element"
	case edge != nil && edge.on:
		return "Edge"
	case v == nil && word == "Mesh":
		d.errorf(p, codeField, "the field domain is missing").Hint = "the domain of a property of a Mesh is Point or Element"
	case v != nil && v.str == other:
		return other
	case v != nil && v.str != of:
		d.errorf(v, codeField, "the domain of a property of a %s is %s or %s", word, of, other)
	}
	return of
}

// kernel writes a Kernel: with host a Host function, with device a C function.
func (d *decoder) kernel(v *value) {
	// The report's host and device kernels are C++ functions of one side each.
	// Ours that is not a kernel serves both, so that device decides.
	host, device := d.flag(v, "host"), d.flag(v, "device")
	result := d.optional(v, "ret_type", text)
	if device {
		d.function(v, result)
		return
	}
	if a := v.get("attrs"); a != nil && a.kind != null && len(a.list) > 0 {
		d.errorf(a, codeTogether, "a kernel has no attrs").Hint = "they are for device functions"
	}
	if result != nil && result.str != "void" {
		d.errorf(result, codeField, "the ret_type of a kernel is void").Hint = "device: true makes a C function"
	}
	d.attributes(v)
	if host {
		d.lit("Host ", v.from)
	} else {
		d.lit("Kernel ", v.from)
	}
	if a := d.launchBounds(v); a != nil && host {
		d.errorf(a, codeTogether, "a host kernel has no launch_bounds").Hint = "they are for kernels that run on the device"
	}
	d.name(v, "name")
	d.params(v)
	if b := d.need(v, "stmts", object); b != nil {
		d.lit(" ", v.from)
		d.block(b)
	}
}

// launchBounds writes the annotation launch_bounds and returns it, nil for none.
func (d *decoder) launchBounds(v *value) *value {
	bounds := d.list(v, "launch_bounds")
	if len(bounds) == 0 {
		return nil
	}
	a := v.get("launch_bounds")
	if len(bounds) > 2 {
		d.errorf(a, codeField, "launch_bounds has the threads of a block, and blocks of a multiprocessor")
	}
	d.lit("__launch_bounds__(", v.from)
	for i, x := range bounds {
		d.separate(i, v.from)
		d.count(x, exprPart)
	}
	d.lit(") ", v.from)
	return a
}

// function writes a C function, which has the name and the parameters inside
// its type as a variable has its name.
func (d *decoder) function(v, result *value) {
	d.attrs(v)
	d.launchBounds(v)
	if result == nil {
		d.lit("void ", v.from)
		d.name(v, "name")
		d.params(v)
	} else if f := d.typeText(result); f != nil {
		_, at := place(result.str)
		d.pasteRange(f, 0, at)
		d.lit(" ", v.from)
		d.name(v, "name")
		d.params(v)
		d.pasteRange(f, at, len(f.bytes))
	}
	if b := v.get("stmts"); b == nil || b.kind == null {
		d.lit(";", v.to-1)
		return
	}
	if b := d.need(v, "stmts", object); b != nil {
		d.lit(" ", v.from)
		d.block(b)
	}
}

func (d *decoder) params(v *value) {
	d.lit("(", v.from)
	for i, p := range d.list(v, "params") {
		d.separate(i, v.from)
		if !d.product(p, "param") {
			continue
		}
		d.declared(p, false)
		if x := d.optional(p, "default", text); x != nil {
			d.lit(" = ", p.from)
			d.expr(x)
		}
	}
	d.lit(")", v.from)
}

// declared writes the type and name of a parameter or property; of a
// parameter either may be missing.
func (d *decoder) declared(v *value, both bool) {
	typ, name := d.optional(v, "type", text), d.optional(v, "name", text)
	switch {
	case typ == nil && name == nil || both && (typ == nil || name == nil):
		d.errorf(v, codeField, "this needs a type and a name")
	case typ == nil:
		d.ident(name)
	default:
		f := d.typeText(typ)
		if f == nil {
			return
		}
		_, at := place(typ.str)
		d.pasteRange(f, 0, at)
		if name != nil {
			d.lit(" ", v.from)
			d.ident(name)
		}
		d.pasteRange(f, at, len(f.bytes))
	}
}

func (d *decoder) initializer(v *value) {
	if x := d.optional(v, "initializer", text); x != nil && x.str != "" {
		d.lit(" = ", v.from)
		d.expr(x)
	}
}

// varDecls writes a CDecl or CDeclGlobal: a declaration for each run of
// declarators with the same specifiers. It returns how many there are.
func (d *decoder) varDecls(v *value) int {
	d.parsed(v)
	d.optional(v, "dont_move", boolean) // no declaration is ever moved
	decls, n, last := d.list(v, "decls"), 0, ""
	if len(decls) == 0 {
		d.errorf(v, codeField, "this declares nothing")
	}
	for _, c := range decls {
		if !d.product(c, "cdecl") {
			continue
		}
		typ, name := d.need(c, "type", text), d.need(c, "name", text)
		if typ == nil || name == nil {
			continue
		}
		f := d.typeText(typ)
		if f == nil {
			continue
		}
		specs, at := place(typ.str)
		// int *a, b is one declaration, and the report's list may also have
		// declarators of different types, which are several.
		if n > 0 && typ.str[:specs] == last {
			d.lit(", ", c.from)
		} else {
			if n > 0 {
				d.lit(";\n", c.from)
			}
			d.attrs(v)
			d.pasteRange(f, 0, specs)
			n++
		}
		last = typ.str[:specs]
		d.lit(" ", c.from)
		d.pasteRange(f, specs, at)
		d.lit(" ", c.from)
		d.ident(name)
		d.pasteRange(f, at, len(f.bytes))
		d.initializer(c)
	}
	d.lit(";", v.to-1)
	return n
}

// attrs writes the qualifiers of the annotation attrs.
func (d *decoder) attrs(v *value) {
	for _, a := range d.list(v, "attrs") {
		known := false
		for _, n := range attrNames {
			known = known || a.kind == text && a.str == n.name
		}
		if !known {
			d.errorf(a, codeField, "this is no qualifier")
			continue
		}
		d.lit(a.str+" ", a.from)
	}
}

// names writes a #define for each name that has a value, and Names for those
// that C text brings along. INF and NULL, which need no declaration, may be
// among them.
func (d *decoder) names(v *value) {
	names, values := d.list(v, "names"), d.list(v, "values")
	if len(values) > len(names) {
		d.errorf(values[len(names)], codeField, "this value has no name")
	}
	open, wrote := false, false // in a list of Names, and on a line with text
	end := func() {
		if open {
			d.lit(";", v.to-1)
		}
		if wrote {
			d.lit("\n", v.to-1)
		}
		open, wrote = false, false
	}
	for i, n := range names {
		foreign := i >= len(values) || values[i].kind == null
		switch {
		case n.kind != text || !syntax.IsName(n.str):
			d.ident(n) // an error
		case foreign && (n.str == "INF" || n.str == "NULL"):
		case foreign && open:
			d.lit(", ", n.from)
			d.ident(n)
		case foreign:
			end()
			d.lit("Names ", n.from)
			d.ident(n)
			open, wrote = true, true
		default:
			end()
			d.define(n, values[i])
			wrote = true
		}
	}
	if open {
		d.lit(";", v.to-1)
	}
}

// define writes the #define of one name.
func (d *decoder) define(n, val *value) {
	d.lit("#define ", n.from)
	d.ident(n)
	d.lit(" ", n.from)
	from := len(d.buf)
	d.expr(val)
	for j := from; j < len(d.buf); j++ {
		if d.buf[j] == '\n' { // a directive is one line
			d.buf[j], d.code[j] = ' ', ' '
		}
	}
}

// quoteC returns s as a string of C.
func quoteC(s string) string {
	b := []byte{'"'}
	for i := range len(s) {
		b = appendQuoted(b, s[i])
	}
	return string(append(b, '"'))
}

// appendQuoted appends a byte as it is written in a string of C.
func appendQuoted(b []byte, c byte) []byte {
	switch {
	case c == '"' || c == '\\':
		return append(b, '\\', c)
	case c < ' ' || c == 0x7f:
		return append(b, '\\', '0'+c>>6, '0'+c>>3&7, '0'+c&7)
	}
	return append(b, c)
}
