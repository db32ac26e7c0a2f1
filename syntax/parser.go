package syntax

import (
	"path/filepath"
	"slices"
	"strings"

	"irgl/internal/cpp"
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
	var comments []cpp.Comment
	if d == CUDA {
		result := cpp.Preprocess(f, opts.preprocessor(), diags)
		p.toks, comments = result.Tokens, result.Comments
	} else {
		p.toks, comments = cpp.Scan(f, cpp.C)
		p.toks = directives(p.toks, diags)
		refuseDollars(p.toks, diags)
	}
	p.mesh = d == IrGL && hasMesh(p.toks)
	p.pushScope()
	p.i = -1
	p.next()
	out := &File{Name: f.Name, Dialect: d, Comments: commentNodes(comments), Span: Span{f.Pos(0), f.Pos(len(f.Content))}}
	out.Decls = p.fileDecls()
	out.Attributes = p.attrs
	return out
}

// refuseDollars reports names with a $, which CUDA text may have and Go may not.
func refuseDollars(toks []cpp.Token, diags *source.List) {
	for i := range toks {
		if t := &toks[i]; t.Kind == cpp.Ident && strings.IndexByte(t.Text(), '$') >= 0 {
			diags.Errorf(t.Pos(), t.End(), cpp.CodeCharacter, "the name %s has a $, which only names of CUDA text may have", t.Text())
		}
	}
}

// A bailout unwinds to the innermost try after an error was reported.
type bailout struct{}

type parser struct {
	file    *source.File
	dialect Dialect
	diags   *source.List
	toks    []cpp.Token
	i       int // index of tok
	tok     *cpp.Token
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
func hasMesh(toks []cpp.Token) bool {
	for i := range len(toks) - 2 {
		if toks[i].Text() == "Mesh" && toks[i+1].Kind == cpp.Ident && toks[i+2].Text() == "{" {
			return true
		}
	}
	return false
}

// next moves to the next token, and reports and passes malformed ones.
func (p *parser) next() {
	if p.tok != nil && p.tok.Kind != cpp.EOF {
		p.prevEnd = p.tok.End()
	}
	if p.i < len(p.toks)-1 {
		p.i++
	}
	for p.toks[p.i].Kind == cpp.Bad {
		p.tok = &p.toks[p.i]
		p.lastErr = -1
		i := p.i
		code, message := p.tok.Malformed()
		p.errorTok(code, "%s", message)
		if p.i != i {
			return // that was one error too many
		}
		if code == cpp.CodeQuote {
			// It stands for a literal; what its end swallowed is not reported.
			p.tok.Kind = cpp.String
			p.tok.Respell(`""`)
			p.lastErr = p.i + 1
			return
		}
		p.i++
		p.lastErr = p.i
	}
	p.tok = &p.toks[p.i]
}

// peek returns the token n after the current one.
func (p *parser) peek(n int) *cpp.Token { return &p.toks[min(p.i+n, len(p.toks)-1)] }

// is reports whether the current token is the operator or keyword text.
func (p *parser) is(text string) bool { return p.tok.Text() == text && isFixed(p.tok) }

// peekIs reports whether the token n after the current one is text.
func (p *parser) peekIs(n int, text string) bool {
	t := p.peek(n)
	return t.Text() == text && isFixed(t)
}

func isFixed(t *cpp.Token) bool { return t.Kind == cpp.Punct || t.Kind == cpp.Keyword }

// isWord reports whether the current token is the name word.
func (p *parser) isWord(word string) bool { return p.tok.Kind == cpp.Ident && p.tok.Text() == word }

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
	if (code == CodeExpected || code == CodeExpr) && p.tok.StartsLine() && p.prevEnd.IsValid() {
		return p.errorAt(p.prevEnd, p.prevEnd, code, format, args...)
	}
	return p.errorAt(p.tok.Pos(), p.tok.End(), code, format, args...)
}

// errorHint is errorTok with a hint.
func (p *parser) errorHint(code source.Code, hint, format string, args ...any) {
	p.errorTok(code, format, args...).Hint = hint
}

func (p *parser) warnTok(code source.Code, format string, args ...any) *source.Diagnostic {
	return p.diags.Warnf(p.tok.Pos(), p.tok.End(), code, format, args...)
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
	return p.errorTok(CodeExpected, "expected `%s` %s, found %s", text, where, describe(p.tok))
}

// ident consumes a name, or reports that what is missing and fails.
func (p *parser) ident(what string) *Ident {
	if p.tok.Kind != cpp.Ident {
		d := p.errorTok(CodeExpected, "expected %s, found %s", what, describe(p.tok))
		if p.tok.Kind == cpp.Keyword {
			d.Hint = p.tok.Text() + " is a keyword"
			if isCxxWord(p.tok.Text()) {
				d.Hint += " of C++, to which programs are translated"
			}
		}
		p.fail()
	}
	id := &Ident{Span{p.tok.Pos(), p.tok.End()}, p.tok.Text()}
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

func (p *parser) isTypeName(t *cpp.Token) bool {
	if t.Kind != cpp.Ident {
		return false
	}
	isType, _ := p.lookup(t.Text())
	return isType
}

// startsType reports whether t can begin the name of a type.
func (p *parser) startsType(t *cpp.Token) bool {
	if t.Kind == cpp.Keyword {
		return isTypeWord(t.Text()) || isDeclWord(t.Text())
	}
	return p.isTypeName(t)
}

// isIrGLDecl reports whether the current token begins a Graph, Kernel or Host.
func (p *parser) isIrGLDecl() bool {
	if p.dialect != IrGL || p.tok.Kind != cpp.Ident {
		return false
	}
	next := p.peek(1)
	switch {
	case p.tok.Text() == "CBlock" && next.Kind == cpp.String, p.tok.Text() == "Kernel" && next.Text() == "__launch_bounds__":
	case next.Kind != cpp.Ident:
		return false
	}
	switch p.tok.Text() {
	case "Graph", "Mesh", "CBlock", "Kernel", "Host", "Names":
		_, declared := p.lookup(p.tok.Text())
		return !declared
	}
	return false
}

// startsFunction reports whether the current token can only stand at file
// level, so that a closing brace before it must be missing.
func (p *parser) startsFunction() bool {
	if !p.tok.StartsLine() {
		return false
	}
	if n := p.afterAttributes(); n > 0 {
		word := p.peek(n)
		return word.Kind == cpp.Ident && (word.Text() == "Host" || word.Text() == "Kernel") && p.peek(n+1).Kind == cpp.Ident
	}
	return p.isIrGLDecl() && p.tok.Text() != "CBlock" || p.is("__global__") || p.tok.Kind == tokDefine
}

// syncStmt skips to where a statement may begin or a block may end, after an
// error in the one that began with token start.
func (p *parser) syncStmt(start int) {
	nest := 0
	for first := true; p.tok.Kind != cpp.EOF; first = false {
		if p.i > start && p.tok.StartsLine() {
			if p.startsFunction() || isStmtWord(p.tok.Text()) && p.tok.Kind == cpp.Keyword || nest == 0 && (p.dialect == IrGL || p.startsType(p.tok)) {
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
		case p.is("}"), p.is("{"), p.tok.Kind == tokLineEnd, p.tok.Kind == cpp.Unroll && !first:
			return
		}
		p.next()
	}
}

// syncParen skips past the bracket that closes the current one. It stops
// before a brace, or where a new statement begins.
func (p *parser) syncParen() {
	nest := 0
	for p.tok.Kind != cpp.EOF && !p.is("{") && !p.is("}") {
		if p.tok.StartsLine() && (p.startsFunction() || isStmtWord(p.tok.Text()) && p.tok.Kind == cpp.Keyword) {
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
	for p.tok.Kind != cpp.EOF {
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
	for p.tok.Kind != cpp.EOF {
		switch {
		case p.i > start && p.tok.StartsLine() && (p.startsType(p.tok) || p.isIrGLDecl() || p.isWord("Output") || p.tok.Kind == tokDefine):
			return
		case p.is("{"):
			p.skipBraces()
			p.got(";")
			return
		case p.is(";"), p.is("}"), p.tok.Kind == tokLineEnd:
			p.next()
			return
		}
		p.next()
	}
}
