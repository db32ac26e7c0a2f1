package ptx

import (
	"slices"
	"strings"

	"irgl/internal/source"
)

// maxErrors is how many errors Parse reports before it gives up.
const maxErrors = 20

// maxDepth bounds nested blocks.
const maxDepth = 100

// Parse reads the PTX text of f. When the text is malformed the error holds
// diagnostics ([source.Diagnostics]); Parse reads on after an error, so there
// may be several. Debug sections and what follows the line of a .loc are
// skipped; comments are not kept.
func Parse(f *source.File) (*Module, error) {
	p := &parser{file: f, diags: &source.List{}}
	p.scan = scanner{file: f, src: f.Content, diags: p.diags}
	p.next()
	m := p.module()
	if p.diags.Errors() == 0 {
		p.checkHeader(m)
	}
	return m, p.diags.Err()
}

type parser struct {
	file  *source.File
	diags *source.List
	scan  scanner
	tok   token
	// regs holds, innermost last, the names declared as registers that do not
	// begin with %: only a declaration tells them from symbols.
	regs  []map[string]bool
	depth int
}

// bailout ends parsing after too many errors; it never leaves the package.
type bailout struct{}

func (p *parser) next() { p.tok = p.scan.next() }

func (p *parser) pos() source.Pos { return p.file.Pos(p.tok.pos) }

func (p *parser) errorf(code source.Code, format string, args ...any) {
	if p.diags.Errors() >= maxErrors {
		panic(bailout{})
	}
	p.diags.Errorf(p.pos(), p.file.Pos(p.tok.end), code, format, args...)
}

// syntaxError is the panic value that unwinds to the nearest statement or
// declaration, where parsing goes on; it never leaves the package.
type syntaxError struct{}

// fail reports that want was expected at the present token and unwinds.
func (p *parser) fail(want string) {
	p.errorf(codeSyntax, "found %s, expected %s", p.tok, want)
	panic(syntaxError{})
}

func (p *parser) is(punct string) bool { return p.tok.kind == tokPunct && p.tok.text == punct }

func (p *parser) isDot(name string) bool { return p.tok.kind == tokDot && p.tok.text == name }

func (p *parser) accept(punct string) bool {
	if p.is(punct) {
		p.next()
		return true
	}
	return false
}

func (p *parser) expect(punct string) {
	if !p.accept(punct) {
		p.fail(`"` + punct + `"`)
	}
}

func (p *parser) name(what string) string {
	if p.tok.kind != tokIdent {
		p.fail(what)
	}
	s := p.tok.text
	p.next()
	return s
}

func (p *parser) str() string {
	if p.tok.kind != tokString {
		p.fail("a string")
	}
	s := p.tok.text
	p.next()
	return s
}

// integer reads an integer constant with an optional sign.
func (p *parser) integer() int64 {
	neg := p.accept("-")
	if p.tok.kind != tokInt {
		p.fail("an integer")
	}
	v := int64(p.tok.val)
	p.next()
	if neg {
		v = -v
	}
	return v
}

// count reads a small non-negative integer: a size, an alignment, a line.
func (p *parser) count(what string) int {
	if p.tok.kind != tokInt || p.tok.val > 1<<31-1 {
		p.fail(what)
	}
	v := int(p.tok.val)
	p.next()
	return v
}

// try runs f; after a syntax error in it, skip is run, and parsing goes on.
func (p *parser) try(f, skip func()) {
	defer func() {
		switch e := recover(); e.(type) {
		case nil:
		case syntaxError:
			skip()
		default:
			panic(e)
		}
	}()
	f()
}

func (p *parser) module() (m *Module) {
	m = &Module{}
	defer func() {
		switch e := recover(); e.(type) {
		case nil, bailout:
		default:
			panic(e)
		}
	}()
	p.regs = []map[string]bool{{}}
	for p.tok.kind != tokEOF {
		start := p.tok.pos
		p.try(func() { p.topLevel(m) }, p.skipDecl)
		if p.tok.pos == start && p.tok.kind != tokEOF {
			p.next() // a stray token: always advance
		}
	}
	return m
}

// skipDecl skips to after the next ";" or closing brace.
func (p *parser) skipDecl() {
	p.regs, p.depth = p.regs[:1], 0
	for p.tok.kind != tokEOF && !p.is(";") && !p.is("}") {
		p.next()
	}
	p.next()
}

func (p *parser) checkHeader(m *Module) {
	miss := ""
	switch {
	case m.Version == "":
		miss = ".version"
	case m.Target == "":
		miss = ".target"
	case m.AddressSize != 64:
		p.diags.Errorf(p.file.Pos(0), source.Pos{}, codeHeader, ".address_size 64 is missing; 32-bit addresses are not supported")
		return
	default:
		return
	}
	p.diags.Errorf(p.file.Pos(0), source.Pos{}, codeHeader, "the text has no %s", miss)
}

// topLevel reads one directive, variable or function.
func (p *parser) topLevel(m *Module) {
	if p.accept(";") {
		return
	}
	if p.tok.kind != tokDot {
		p.fail("a directive")
	}
	switch p.tok.text {
	case "version":
		p.version(m)
	case "target":
		p.next()
		m.Target = p.name("a target")
		for p.accept(",") {
			m.Target += ", " + p.name("a target option")
		}
	case "address_size":
		p.next()
		m.AddressSize = p.count("an address size")
	case "file":
		p.fileName(m)
	case "section":
		p.section(m)
	case "loc":
		p.loc()
	default:
		p.declaration(m)
	}
}

// version reads ".version 7.0"; the scanner sees its number as a double.
func (p *parser) version(m *Module) {
	p.next()
	if p.tok.kind != tokF64 && p.tok.kind != tokInt {
		p.fail("a version such as 7.0")
	}
	if !strings.Contains(p.tok.text, ".") || strings.ContainsAny(p.tok.text, "eE") {
		p.fail("a version such as 7.0")
	}
	m.Version = p.tok.text
	p.next()
}

func (p *parser) fileName(m *Module) {
	p.next()
	f := FileName{Index: p.count("a file number")}
	f.Name = p.str()
	m.Files = append(m.Files, f)
	for p.accept(",") { // time stamp and size
		p.integer()
	}
}

// section skips a debug section and its braces; of .debug_str the strings are kept.
func (p *parser) section(m *Module) {
	p.next()
	if p.tok.kind != tokDot && p.tok.kind != tokIdent {
		p.fail("a section name")
	}
	isStrings := p.isDot("debug_str")
	p.next()
	p.expect("{")
	if isStrings {
		p.debugStrings(m)
		return
	}
	for depth := 1; depth > 0; p.next() {
		switch {
		case p.tok.kind == tokEOF:
			p.fail(`"}"`)
		case p.is("{"):
			depth++
		case p.is("}"):
			depth--
		}
	}
}

// debugStrings reads the labels and bytes of section .debug_str to its closing brace.
func (p *parser) debugStrings(m *Module) {
	ended := true // what is behind a string's zero is not kept
	for depth := 1; depth > 0; {
		switch {
		case p.tok.kind == tokEOF:
			p.fail(`"}"`)
		case p.accept("{"):
			depth++
		case p.accept("}"):
			depth--
		case p.tok.kind == tokIdent:
			m.Strings, ended = append(m.Strings, DebugString{Label: p.name("a label")}), false
			p.expect(":")
		case p.isDot("b8"):
			p.next()
			for {
				v := p.count("a byte")
				if ended = ended || v == 0; !ended {
					s := &m.Strings[len(m.Strings)-1]
					s.Text += string([]byte{byte(v)})
				}
				if !p.accept(",") {
					break
				}
			}
		default:
			p.next()
		}
	}
}

// linkage reads the linkage directives before a declaration.
func (p *parser) linkage() string {
	link := ""
	for p.tok.kind == tokDot && slices.Contains([]string{"visible", "extern", "weak", "common"}, p.tok.text) {
		link = p.tok.text
		p.next()
	}
	return link
}

func (p *parser) declaration(m *Module) {
	pos, link := p.pos(), p.linkage()
	if p.isDot("entry") || p.isDot("func") {
		m.Decls = append(m.Decls, p.function(pos, link))
		return
	}
	for _, v := range p.variables(pos, link) {
		m.Decls = append(m.Decls, v)
	}
}

func (p *parser) function(pos source.Pos, link string) *Func {
	f := &Func{Pos: pos, Linkage: link, Entry: p.isDot("entry")}
	p.next()
	p.push()
	defer p.pop()
	p.noreturn(f)
	if p.is("(") && !f.Entry {
		f.Results = p.params()
	}
	f.Name = p.name("a function name")
	if p.is("(") {
		f.Params = p.params()
	}
	for p.tok.kind == tokDot {
		d := Directive{Name: p.tok.text}
		if !isFunctionDirective(d.Name) {
			p.errorf(codeDirective, "directive .%s is not supported", d.Name)
			panic(syntaxError{})
		}
		p.next()
		for p.tok.kind == tokInt {
			d.Args = append(d.Args, int64(p.count("a number")))
			if !p.accept(",") {
				break
			}
		}
		f.Directives = append(f.Directives, d)
	}
	if p.accept(";") {
		f.Proto = true
		return f
	}
	p.expect("{")
	f.Body = p.block()
	return f
}

// noreturn reads the directives that may stand before a .func's name.
func (p *parser) noreturn(f *Func) {
	if p.isDot("noreturn") {
		f.Directives = append(f.Directives, Directive{Name: "noreturn"})
		p.next()
	}
}

// isFunctionDirective reports whether a directive may stand between header and body.
func isFunctionDirective(name string) bool {
	switch name {
	case "maxntid", "reqntid", "minnctapersm", "maxnctapersm", "maxnreg", "noreturn", "maxclusterrank", "reqnctapercluster", "explicitcluster", "blocksareclusters", "abi_preserve", "abi_preserve_control":
		return true
	}
	return false
}

func (p *parser) push() { p.regs = append(p.regs, map[string]bool{}) }
func (p *parser) pop()  { p.regs = p.regs[:max(1, len(p.regs)-1)] }

// params reads a parenthesised parameter list.
func (p *parser) params() []*Var {
	p.expect("(")
	var list []*Var
	for !p.is(")") {
		pos := p.pos()
		if !p.isDot("param") && !p.isDot("reg") {
			p.fail("a parameter")
		}
		v := p.varHead(pos, "")
		p.declarator(v)
		list = append(list, v)
		if !p.accept(",") {
			break
		}
	}
	p.expect(")")
	return list
}

// block reads statements to the closing brace, which it takes.
func (p *parser) block() []Stmt {
	if p.depth++; p.depth > maxDepth {
		p.errorf(codeDepth, "blocks are nested more than %d deep", maxDepth)
		panic(bailout{})
	}
	p.push()
	var body []Stmt
	for !p.is("}") && p.tok.kind != tokEOF {
		start, depth, regs := p.tok.pos, p.depth, len(p.regs)
		p.try(func() { body = p.statement(body) }, func() {
			p.depth, p.regs = depth, p.regs[:regs]
			for p.tok.kind != tokEOF && !p.is(";") && !p.is("}") {
				p.next()
			}
			p.accept(";")
		})
		if p.tok.pos == start && !p.is("}") {
			p.next()
		}
	}
	p.expect("}")
	p.pop()
	p.depth--
	return body
}

func (p *parser) statement(body []Stmt) []Stmt {
	pos := p.pos()
	switch {
	case p.accept(";"):
		return body
	case p.accept("{"):
		return append(body, &Scope{Pos: pos, Body: p.block()})
	case p.is("@"):
		return append(body, p.inst(pos))
	case p.tok.kind == tokDot:
		return p.directive(body, pos)
	case p.tok.kind != tokIdent:
		p.fail("a statement")
	}
	name := p.tok.text
	p.next()
	if !p.accept(":") {
		return append(body, p.instRest(&Inst{Pos: pos, Op: name}))
	}
	switch {
	case p.isDot("branchtargets"):
		p.next()
		b := &BranchTargets{Pos: pos, Name: name, Labels: []string{p.name("a label")}}
		for p.accept(",") {
			b.Labels = append(b.Labels, p.name("a label"))
		}
		p.expect(";")
		return append(body, b)
	case p.isDot("callprototype"):
		p.next()
		c := &CallPrototype{Pos: pos, Name: name}
		if p.is("(") {
			c.Results = p.params()
		}
		if p.name("_") == "" {
			p.fail("_")
		}
		c.Params = p.params()
		if p.isDot("noreturn") {
			p.next()
		}
		p.expect(";")
		return append(body, c)
	}
	return append(body, &Label{Pos: pos, Name: name})
}

func (p *parser) directive(body []Stmt, pos source.Pos) []Stmt {
	switch p.tok.text {
	case "loc":
		return append(body, p.loc())
	case "pragma":
		p.next()
		s := p.str()
		for p.accept(",") {
			body = append(body, &Pragma{Pos: pos, Text: s})
			s = p.str()
		}
		p.expect(";")
		return append(body, &Pragma{Pos: pos, Text: s})
	}
	for _, v := range p.variables(pos, p.linkage()) {
		body = append(body, v)
	}
	return body
}

// loc reads ".loc file line column", and of an inlined function its name and the place of the call.
func (p *parser) loc() *Loc {
	p.next()
	l := &Loc{File: p.count("a file number"), Line: p.count("a line"), Column: p.count("a column")}
	for p.accept(",") {
		switch p.name("function_name or inlined_at") {
		case "function_name":
			l.Function = p.name("a label")
			if p.accept("+") {
				l.Offset = p.count("an offset")
			}
		case "inlined_at":
			l.At = &Site{File: p.count("a file number"), Line: p.count("a line"), Column: p.count("a column")}
		default:
			p.fail("function_name or inlined_at")
		}
	}
	return l
}
