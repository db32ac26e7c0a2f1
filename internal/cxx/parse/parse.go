package parse

import (
	"irgl/internal/cpp"
	"irgl/internal/cxx/ast"
	"irgl/internal/source"
)

// Limits of the parser.
const (
	maxDepth  = 256 // of brackets, operators and statements
	maxErrors = 20
)

// Options are choices of [Parse].
type Options struct {
	// ReportHost reports errors in the host's declarations too; they are otherwise kept
	// in [ast.OpaqueDecl] alone.
	ReportHost bool
}

// Parse parses a translation unit. Errors in declarations of the device are added to diags;
// those in bodies when they are read.
func Parse(pre *cpp.Result, diags *source.List, o Options) *ast.Unit {
	p := newParser(pre.Tokens, diags, o)
	p.numbered = make([]ident, pre.Names())
	p.number = pre.Number
	p.declareBuiltins()
	u := &ast.Unit{ExtendedLambdas: p.extendedLambdas, Number: pre.Number, Names: pre.Names()}
	p.unit = u
	for _, inc := range pre.Includes {
		if inc.Found == cpp.HostOnly {
			u.HostHeaders = append(u.HostHeaders, inc.Name)
		}
	}
	from := p.pos()
	u.Decls = p.declarations(nil, len(p.toks)-1)
	u.Span = ast.Range(from, p.toks[len(p.toks)-1].End())
	return u
}

// Name parses the name of a template's instance, such as reduce<float, 256>. It returns
// nil, and adds an error to diags, for a text that is not a name.
func Name(text string, diags *source.List) *ast.Name {
	toks, _ := cpp.Scan(source.NewFile("name", []byte(text)), cpp.CXX)
	for i := range toks {
		toks[i].Name = 0 // a number in another text
	}
	p := newParser(toks, diags, Options{})
	p.declareBuiltins()
	n, _ := p.name(inExpr | generous)
	if p.k != cpp.EOF {
		p.expected("the end of the name")
	}
	if p.failed {
		p.report()
		return nil
	}
	return n
}

// A parser reads tokens by their indices. Its productions return what they have read; the
// first error of a declaration or statement moves the cursor to the end of the text, so
// that all productions return, to where the error is reported and parsing resumes.
type parser struct {
	toks  []cpp.Token // matchBrackets has seen them
	diags *source.List
	opts  Options
	unit  *ast.Unit // nil where the text is not one

	cursor
	concepts map[string]bool // the names of concepts, which are refused where they are used
	failed   bool
	failedAt int                // the token of the error
	unended  *source.Diagnostic // the error of a declaration that is read but for its semicolon
	err      *source.Diagnostic // nil while tent > 0
	errors   int                // reported
	tent     int                // parsing tentatively, for a decision: nothing is declared or reported
	depth    int
	steps    int // tokens read tentatively, at most maxSteps: what bounds the time of ambiguous texts
	maxSteps int
	unclosed bool // a brace that is never closed was reported
	lookups  uint32
	noGT     bool // > ends a template's arguments
	inBody   bool // the text is a function's body

	scope    *scope
	global   *scope
	number   func(string) int32 // of a name of the text, or 0; nil where the text is not a unit
	numbered []ident            // of names, by their numbers
	names    map[string]*ident  // of those without a number
	noName   *ident             // of what has no name: never declared
	free     []*scope
	idents   ast.Slab[ident]
	scopes   ast.Slab[scope]
	syms     ast.Lists[sym]
	slabs    *slabs // lasting, or passing
	lasting  slabs
	passing  slabs        // of the body that pass reads
	busy     bool         // the nodes of passing are in use
	lasts    bool         // the text declares what may be referred to for longer than its analysis takes
	hostRest tokens       // of a declaration that is not the device's, up to a brace
	noTmpl   map[int]bool // tokens < that begin no template arguments
	linkageC bool
	pack     int
	packs    []int
	class    *classContext
	typeRef  ref // of the last type-id
}

// tokens are those from an index up to another.
type tokens struct{ from, to int }

// A cursor is a place in the tokens.
type cursor struct {
	i     int
	w     cpp.Word // the current token's, or of what is left of it
	k     cpp.Kind
	split uint8 // characters of the current token that were read, as of >>
}

func newParser(toks []cpp.Token, diags *source.List, o Options) *parser {
	p := &parser{toks: toks, diags: diags, opts: o, names: map[string]*ident{}}
	p.global = &scope{kind: namespaceScope, global: true}
	p.scope, p.slabs = p.global, &p.lasting
	p.noName = p.intern("")
	prepare(toks)
	cpp.PairBrackets(toks, func(opening, closing int) { toks[opening].Name = int32(closing) })
	p.maxSteps = 100_000 + 4*len(toks)
	p.seek(0)
	return p
}

// prepare gives opening brackets -1 for a Name, and makes names of the traits that no arguments follow,
// as in libstdc++'s struct __is_void.
func prepare(toks []cpp.Token) {
	for i := range toks {
		switch w := toks[i].Word; {
		case w == cpp.NoWord:
		case w == cpp.LParen || w == cpp.LBracket || w == cpp.LBrace:
			toks[i].Name = -1
		case cpp.FirstTrait <= w && w <= cpp.LastTrait && i+1 < len(toks) && toks[i+1].Word != cpp.LParen:
			toks[i].Kind, toks[i].Word = cpp.Ident, cpp.NoWord
		}
	}
}

// partner returns the closing bracket of the opening one at i, -1 for one without, and 0 for other tokens.
func (p *parser) partner(i int) int {
	switch t := &p.toks[i]; t.Word {
	case cpp.LParen, cpp.LBracket, cpp.LBrace:
		return int(t.Name)
	}
	return 0
}

// seek moves the cursor to token i.
func (p *parser) seek(i int) {
	if i >= len(p.toks) {
		i = len(p.toks) - 1
	}
	t := &p.toks[i]
	p.cursor = cursor{i: i, w: t.Word, k: t.Kind}
}

// next moves the cursor to the next token.
func (p *parser) next() {
	if p.i+1 < len(p.toks) {
		p.i++
	}
	t := &p.toks[p.i]
	p.w, p.k, p.split = t.Word, t.Kind, 0
	if p.tent > 0 {
		if p.steps++; p.steps > p.maxSteps && !p.failed {
			p.fail(CodeDepth, "")
		}
	}
}

// tok returns the current token.
func (p *parser) tok() *cpp.Token { return &p.toks[p.i] }

// ahead returns the token n after the current one.
func (p *parser) ahead(n int) *cpp.Token {
	return &p.toks[min(p.i+n, len(p.toks)-1)]
}

// word returns the word of the token n after the current one.
func (p *parser) word(n int) cpp.Word {
	if n == 0 {
		return p.w
	}
	return p.ahead(n).Word
}

// accept moves past the current token if it is w.
func (p *parser) accept(w cpp.Word) bool {
	if p.w != w {
		return false
	}
	p.next()
	return true
}

// pos returns where the current token begins.
func (p *parser) pos() source.Pos {
	t := &p.toks[p.i]
	if p.split > 0 && t.Macro() == 0 {
		return source.Pos{File: t.File(), Offset: t.From() + int32(p.split)}
	}
	return source.Pos{File: t.File(), Offset: t.From()}
}

// prevEnd returns where the token before the current one ends.
func (p *parser) prevEnd() source.Pos {
	if p.split > 0 {
		return p.pos()
	}
	if p.i == 0 {
		return p.pos()
	}
	t := &p.toks[p.i-1]
	return source.Pos{File: t.File(), Offset: t.To()}
}

// since returns the span from a position to the end of what was read.
func (p *parser) since(from source.Pos) ast.Span { return ast.Range(from, p.prevEnd()) }

// greater moves past a > that ends template arguments, which may be the first character
// of a longer token.
func (p *parser) greater() bool {
	switch p.w {
	case cpp.Greater:
		p.next()
	case cpp.GreaterGreater:
		p.w = cpp.Greater
		p.split++
	case cpp.TripleGreater:
		p.w = cpp.GreaterGreater
		p.split++
	case cpp.GreaterEqual:
		p.w = cpp.Equal
		p.split++
	case cpp.GreaterGreaterEqual:
		p.w = cpp.GreaterEqual
		p.split++
	default:
		return false
	}
	return true
}

// A mark is what [parser.undo] restores.
type mark struct {
	cursor
	scope *scope
	depth int
	noGT  bool
}

// try begins tentative parsing.
func (p *parser) try() mark {
	p.tent++
	return mark{p.cursor, p.scope, p.depth, p.noGT}
}

// undo ends tentative parsing where it began; it reports whether there was no error.
func (p *parser) undo(m mark) bool {
	ok := p.commit(m)
	p.cursor = m.cursor
	return ok
}

// commit ends tentative parsing and stays where it has come to, unless there was an error.
func (p *parser) commit(m mark) bool {
	ok := !p.failed
	p.tent--
	p.failed = false
	p.scope, p.depth, p.noGT = m.scope, m.depth, m.noGT
	if !ok {
		p.cursor = m.cursor
	}
	return ok
}

// enter begins a nested construct; it returns false, with an error, beyond the limit.
func (p *parser) enter() bool {
	p.depth++
	if p.depth > maxDepth {
		p.fail(CodeDepth, "bracket nesting level exceeded maximum of 256")
		return false
	}
	return true
}
