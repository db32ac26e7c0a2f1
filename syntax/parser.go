package syntax

import (
	"path/filepath"
	"slices"

	"irgl/internal/source"
)

// Limits that keep hostile input from exhausting the stack or the reader.
const (
	maxDepth  = 500   // of nested brackets, statements and operators
	maxChain  = 10000 // of operators in a row: a + a + a ...
	maxErrors = 200   // reported for one file
)

// Options are choices of [ParseWith].
type Options struct {
	// Include returns the text that #include "name" names, as the CUDA
	// dialect asks for it. A nil Include refuses every such directive.
	Include func(name string) (*source.File, error)
	// Defines are macros to define before the text, name to value; CUDA only.
	Defines map[string]string
	// Arch is the value of __CUDA_ARCH__, such as 750; 0 leaves it undefined,
	// as in nvcc's pass for the host.
	Arch int
}

// ParseFile returns the tree of a program's text. A name that ends in .cu or .cuh
// makes it CUDA C, any other name IrGL. The error is an [*Error]; the tree is nil
// then. Package irgl checks and runs programs; this is for tools that read or
// rewrite their text, with [Print] for the result.
func ParseFile(name string, text []byte) (*File, error) {
	dialect := IrGL
	if ext := filepath.Ext(name); ext == ".cu" || ext == ".cuh" {
		dialect = CUDA
	}
	var diags source.List
	file := Parse(source.NewFile(name, text), dialect, &diags)
	if err := NewError(&diags); err != nil {
		return nil, err
	}
	return file, nil
}

// Parse returns the tree of f. It is never nil: where the text is wrong,
// errors are added to diags and the tree lacks the parts that are.
func Parse(f *source.File, d Dialect, diags *source.List) *File {
	return ParseWith(f, d, diags, Options{})
}

// ParseWith is [Parse] with options.
func ParseWith(f *source.File, d Dialect, diags *source.List, opts Options) *File {
	p := &parser{file: f, dialect: d, diags: diags, lastErr: -1}
	toks, comments := scan(f)
	if d == CUDA {
		toks, comments = preprocess(f, toks, comments, diags, opts)
	} else {
		toks = directives(toks, diags)
	}
	p.toks = toks
	p.mesh = d == IrGL && hasMesh(toks)
	p.pushScope()
	p.i = -1
	p.next()
	out := &File{Name: f.Name, Dialect: d, Comments: comments, Span: Span{f.Pos(0), f.Pos(len(f.Content))}}
	out.Decls = p.fileDecls()
	out.Attributes = p.attrs
	return out
}

// A bailout unwinds to the innermost try after an error was reported.
type bailout struct{}

type parser struct {
	file    *source.File
	dialect Dialect
	diags   *source.List
	toks    []token
	i       int // index of tok
	tok     *token
	prevEnd source.Pos

	scopes  []map[string]bool // name to: it is a type
	depth   int
	errors  int
	lastErr int  // token index of the last error; one error a token
	externC bool // in an extern "C" block
	mesh    bool // the file has a Mesh, so point and element are types
	attrs   map[Node][]*Attribute
}

// hasMesh reports whether a Mesh is declared somewhere in the file.
func hasMesh(toks []token) bool {
	for i := range len(toks) - 2 {
		if toks[i].text == "Mesh" && toks[i+1].kind == tokIdent && toks[i+2].text == "{" {
			return true
		}
	}
	return false
}

// next moves to the next token, and reports and passes malformed ones.
func (p *parser) next() {
	if p.tok != nil && p.tok.kind != tokEOF {
		p.prevEnd = p.tok.end()
	}
	if p.i < len(p.toks)-1 {
		p.i++
	}
	for p.toks[p.i].kind == tokBad {
		p.tok = &p.toks[p.i]
		p.lastErr = -1
		i := p.i
		code, message := p.tok.malformed()
		p.errorTok(code, "%s", message)
		if p.i != i {
			return // that was one error too many
		}
		if code == CodeQuote {
			// It stands for a literal; what its end swallowed is not reported.
			p.tok.kind, p.tok.text = tokString, `""`
			p.lastErr = p.i + 1
			return
		}
		p.i++
		p.lastErr = p.i
	}
	p.tok = &p.toks[p.i]
}

// peek returns the token n after the current one.
func (p *parser) peek(n int) *token { return &p.toks[min(p.i+n, len(p.toks)-1)] }

// is reports whether the current token is the operator or keyword text.
func (p *parser) is(text string) bool { return p.tok.text == text && isFixed(p.tok) }

// peekIs reports whether the token n after the current one is text.
func (p *parser) peekIs(n int, text string) bool {
	t := p.peek(n)
	return t.text == text && isFixed(t)
}

func isFixed(t *token) bool { return t.kind == tokPunct || t.kind == tokKey }

// isWord reports whether the current token is the name word.
func (p *parser) isWord(word string) bool { return p.tok.kind == tokIdent && p.tok.text == word }

// got consumes the current token if it is text.
func (p *parser) got(text string) bool {
	if p.is(text) {
		p.next()
		return true
	}
	return false
}

// gotWord consumes the current token if it is the name word.
func (p *parser) gotWord(word string) bool {
	if p.isWord(word) {
		p.next()
		return true
	}
	return false
}

// span returns the span from a position to the last consumed token.
func (p *parser) span(from source.Pos) Span {
	to := p.prevEnd
	if to.File == from.File && to.Before(from) {
		to = from
	}
	return Span{from, to}
}

// errorAt reports an error, unless one was reported at this token already.
func (p *parser) errorAt(pos, end source.Pos, code source.Code, format string, args ...any) *source.Diagnostic {
	if p.lastErr == p.i || p.errors >= maxErrors {
		return &source.Diagnostic{}
	}
	p.lastErr = p.i
	p.errors++
	d := p.diags.Errorf(pos, end, code, format, args...)
	if p.errors >= maxErrors {
		p.stop()
	}
	return d
}

// errorTok reports an error about the current token. What is missing before a
// token that begins a line is missing at the end of the line before.
func (p *parser) errorTok(code source.Code, format string, args ...any) *source.Diagnostic {
	if (code == CodeExpected || code == CodeExpr) && p.tok.startsLine() && p.prevEnd.IsValid() {
		return p.errorAt(p.prevEnd, p.prevEnd, code, format, args...)
	}
	return p.errorAt(p.tok.pos(), p.tok.end(), code, format, args...)
}

// errorHint is errorTok with a hint.
func (p *parser) errorHint(code source.Code, hint, format string, args ...any) {
	p.errorTok(code, format, args...).Hint = hint
}

func (p *parser) warnTok(code source.Code, format string, args ...any) *source.Diagnostic {
	return p.diags.Warnf(p.tok.pos(), p.tok.end(), code, format, args...)
}

// stop makes the rest of the text invisible and silent.
func (p *parser) stop() {
	p.i = len(p.toks) - 1
	p.tok = &p.toks[p.i]
	p.errors = maxErrors
}

// fail unwinds to the innermost try.
func (p *parser) fail() { panic(bailout{}) }

// try runs f and reports whether it finished; when it did not, an error was
// reported and the text after it is still to be skipped.
func (p *parser) try(f func()) (ok bool) {
	depth, scopes := p.depth, len(p.scopes)
	defer func() {
		if r := recover(); r != nil {
			if _, mine := r.(bailout); !mine {
				panic(r)
			}
			p.depth, p.scopes, ok = depth, p.scopes[:scopes], false
		}
	}()
	f()
	return true
}

// enter counts one level of nesting, which leave ends.
func (p *parser) enter() {
	if p.depth++; p.depth > maxDepth {
		p.tooDeep()
	}
}

func (p *parser) leave() { p.depth-- }

func (p *parser) tooDeep() {
	p.errorHint(CodeDeep, "split it into parts", "this is nested too deeply")
	p.stop()
	p.fail()
}

// expect consumes text, or reports that it is missing and fails.
func (p *parser) expect(text, where string) {
	if !p.got(text) {
		p.missing(text, where)
		p.fail()
	}
}

// missing reports that text is missing before the current token.
func (p *parser) missing(text, where string) *source.Diagnostic {
	return p.errorTok(CodeExpected, "expected `%s` %s, found %s", text, where, p.tok.describe())
}

// ident consumes a name, or reports that what is missing and fails.
func (p *parser) ident(what string) *Ident {
	if p.tok.kind != tokIdent {
		d := p.errorTok(CodeExpected, "expected %s, found %s", what, p.tok.describe())
		if p.tok.kind == tokKey {
			d.Hint = p.tok.text + " is a keyword"
			if isCxxWord(p.tok.text) {
				d.Hint += " of C++, to which programs are translated"
			}
		}
		p.fail()
	}
	id := &Ident{Span{p.tok.pos(), p.tok.end()}, p.tok.text}
	p.next()
	return id
}

// pushScope opens a scope; most declare nothing and need no map.
func (p *parser) pushScope() { p.scopes = append(p.scopes, nil) }
func (p *parser) popScope()  { p.scopes = p.scopes[:len(p.scopes)-1] }

// declare enters a name into the innermost scope.
func (p *parser) declare(id *Ident, isType bool) {
	if id != nil {
		p.declareIn(len(p.scopes)-1, id.Name, isType)
	}
}

// declareIn enters a name into the scope at a level; that of the file is 0.
func (p *parser) declareIn(level int, name string, isType bool) {
	if p.scopes[level] == nil {
		p.scopes[level] = map[string]bool{}
	}
	p.scopes[level][name] = isType
}

// lookup says whether a name is declared, and as a type.
func (p *parser) lookup(name string) (isType, declared bool) {
	for _, s := range slices.Backward(p.scopes) {
		if t, ok := s[name]; ok {
			return t, true
		}
	}
	builtin := isBuiltinType(name) || p.dialect == IrGL && (name == "node" || name == "edge" || name == "dist_t" || p.mesh && (name == "point" || name == "element"))
	return builtin, builtin
}

func (p *parser) isTypeName(t *token) bool {
	if t.kind != tokIdent {
		return false
	}
	isType, _ := p.lookup(t.text)
	return isType
}

// startsType reports whether t can begin the name of a type.
func (p *parser) startsType(t *token) bool {
	if t.kind == tokKey {
		return isTypeWord(t.text) || isDeclWord(t.text)
	}
	return p.isTypeName(t)
}

// isIrGLDecl reports whether the current token begins a Graph, Kernel or Host.
func (p *parser) isIrGLDecl() bool {
	if p.dialect != IrGL || p.tok.kind != tokIdent {
		return false
	}
	next := p.peek(1)
	switch {
	case p.tok.text == "CBlock" && next.kind == tokString, p.tok.text == "Kernel" && next.text == "__launch_bounds__":
	case next.kind != tokIdent:
		return false
	}
	switch p.tok.text {
	case "Graph", "Mesh", "CBlock", "Kernel", "Host", "Names":
		_, declared := p.lookup(p.tok.text)
		return !declared
	}
	return false
}

// startsFunction reports whether the current token can only stand at file
// level, so that a closing brace before it must be missing.
func (p *parser) startsFunction() bool {
	if !p.tok.startsLine() {
		return false
	}
	if n := p.afterAttributes(); n > 0 {
		word := p.peek(n)
		return word.kind == tokIdent && (word.text == "Host" || word.text == "Kernel") && p.peek(n+1).kind == tokIdent
	}
	return p.isIrGLDecl() && p.tok.text != "CBlock" || p.is("__global__") || p.tok.kind == tokDefine
}

// syncStmt skips to where a statement may begin or a block may end, after an
// error in the one that began with token start.
func (p *parser) syncStmt(start int) {
	nest := 0
	for first := true; p.tok.kind != tokEOF; first = false {
		if p.i > start && p.tok.startsLine() {
			if p.startsFunction() || isStmtWord(p.tok.text) && p.tok.kind == tokKey || nest == 0 && (p.dialect == IrGL || p.startsType(p.tok)) {
				return
			}
		}
		switch {
		case p.is("(") || p.is("["):
			nest++
		case p.is(")") || p.is("]"):
			nest = max(0, nest-1)
		case p.is(";"):
			p.next()
			return
		case p.is("{") && (first || nest > 0):
			p.skipBraces() // of an expression, or of what is not a statement
			if nest == 0 {
				p.got(";")
				return
			}
			continue
		case p.is("}"), p.is("{"), p.tok.kind == tokLineEnd, p.tok.kind == tokUnroll && !first:
			return
		}
		p.next()
	}
}

// syncParen skips past the bracket that closes the current one. It stops
// before a brace, or where a new statement begins.
func (p *parser) syncParen() {
	nest := 0
	for p.tok.kind != tokEOF && !p.is("{") && !p.is("}") {
		if p.tok.startsLine() && (p.startsFunction() || isStmtWord(p.tok.text) && p.tok.kind == tokKey) {
			return
		}
		switch {
		case p.is("(") || p.is("["):
			nest++
		case p.is(")") || p.is("]"):
			if nest == 0 {
				p.next()
				return
			}
			nest--
		}
		p.next()
	}
}

// skipBraces skips a block, or to the end of the file when it has no end.
func (p *parser) skipBraces() {
	nest := 0
	for p.tok.kind != tokEOF {
		if p.is("{") {
			nest++
		} else if p.is("}") {
			if nest--; nest <= 0 {
				p.next()
				return
			}
		}
		p.next()
	}
}

// syncDecl skips to where a declaration at file level may begin, after an
// error in the one that began with token start.
func (p *parser) syncDecl(start int) {
	for p.tok.kind != tokEOF {
		switch {
		case p.i > start && p.tok.startsLine() && (p.startsType(p.tok) || p.isIrGLDecl() || p.isWord("Output") || p.tok.kind == tokDefine):
			return
		case p.is("{"):
			p.skipBraces()
			p.got(";")
			return
		case p.is(";"), p.is("}"), p.tok.kind == tokLineEnd:
			p.next()
			return
		}
		p.next()
	}
}
