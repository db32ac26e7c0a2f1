package ssa

import (
	"encoding/hex"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"irgl/internal/source"
)

const (
	maxErrors = 20      // Parse gives up after as many
	maxID     = 1 << 22 // of values and blocks: passes index slices by them
)

var opByName = sync.OnceValue(func() map[string]Op {
	m := make(map[string]Op, numOps)
	for op := range Ops() {
		m[op.String()] = op
	}
	return m
})

var typeByName = sync.OnceValue(func() map[string]Type {
	m := make(map[string]Type, numTypes)
	for t := Type(0); t < numTypes; t++ {
		m[t.String()] = t
	}
	return m
})

// Parse reads the text of a module, as [Print] writes it. Lists of
// predecessors may be left out; they are then in the order of the blocks.
// Values carry the position of their line. The error holds diagnostics (see
// [source.Diagnostics]). Parse checks the text only: call [Verify] for the
// module's invariants.
func Parse(file *source.File) (*Module, error) {
	p := &parser{file: file, scan: scanner{src: file.Content}, mod: new(Module), names: make(map[string]bool)}
	p.advance()
	p.module()
	if err := p.errs.Err(); err != nil {
		return nil, err
	}
	return p.mod, nil
}

type parser struct {
	file  *source.File
	scan  scanner
	tok   token
	errs  source.List
	mod   *Module
	names map[string]bool // of globals and functions
	f     *Func           // the function being read
	// Values and blocks of f by number, made at their first mention.
	values map[int]*Value
	blocks map[int]*Block
	// The mentioned predecessors of a block; nil when the text has none.
	preds   map[*Block][]*Block
	mention map[any]token // first mention, for errors about what is undefined
}

// A bailout is the panic by which the parser leaves a line with an error.
type bailout struct{}

func (p *parser) advance() { p.tok = p.scan.next() }

func (p *parser) text() string { return string(p.file.Content[p.tok.start:p.tok.end]) }

func (p *parser) errorAt(t token, code source.Code, format string, args ...any) {
	start, end := t.pos(p.file)
	p.errs.Errorf(start, end, code, format, args...)
}

// fail reports an error at the present token and leaves the line.
func (p *parser) fail(code source.Code, format string, args ...any) {
	p.errorAt(p.tok, code, format, args...)
	panic(bailout{})
}

func (p *parser) describe() string {
	switch p.tok.kind {
	case tokEOF:
		return "the end of the file"
	case tokNewline:
		return "the end of the line"
	}
	return strconv.Quote(p.text())
}

// line runs one production and then expects the line to end. After an error
// it goes on at the next line.
func (p *parser) line(production func()) {
	defer func() {
		if r := recover(); r != nil {
			if _, ok := r.(bailout); !ok {
				panic(r)
			}
			for p.tok.kind != tokNewline && p.tok.kind != tokEOF {
				p.advance()
			}
			if len(p.errs.Diags) >= maxErrors {
				p.errorAt(p.tok, CodeTooMany, "too many errors")
				p.scan.off = len(p.scan.src)
				p.advance()
			}
		}
	}()
	production()
	if p.tok.kind != tokNewline && p.tok.kind != tokEOF {
		p.fail(CodeSyntax, "want the end of the line, not %s", p.describe())
	}
}

func (p *parser) got(kind tokKind) bool {
	if p.tok.kind == kind {
		p.advance()
		return true
	}
	return false
}

func (p *parser) expect(kind tokKind) {
	if !p.got(kind) {
		want := strconv.Quote(string(rune(kind)))
		switch kind {
		case tokWord:
			want = "a word"
		case tokString:
			want = "a string"
		}
		p.fail(CodeSyntax, "want %s, not %s", want, p.describe())
	}
}

// word returns the present word and moves on.
func (p *parser) word() string {
	s := p.text()
	p.expect(tokWord)
	return s
}

// gotWord moves on if the present token is the word s.
func (p *parser) gotWord(s string) bool {
	if p.tok.kind == tokWord && p.text() == s {
		p.advance()
		return true
	}
	return false
}

func (p *parser) expectWord(s string) {
	if !p.gotWord(s) {
		p.fail(CodeSyntax, "want %q, not %s", s, p.describe())
	}
}

func (p *parser) integer() int64 {
	if p.tok.kind != tokWord {
		p.fail(CodeSyntax, "want a number, not %s", p.describe())
	}
	n, err := strconv.ParseInt(p.text(), 10, 64)
	if err != nil {
		p.fail(CodeNumber, "want an integer of 64 bits, not %q", p.text())
	}
	p.advance()
	return n
}

func (p *parser) smallInt() int {
	t := p.tok
	n := p.integer()
	if n < 0 || n > math.MaxInt32 {
		p.errorAt(t, CodeNumber, "%d is out of range", n)
		panic(bailout{})
	}
	return int(n)
}

func (p *parser) float() float64 {
	s := p.text()
	if p.tok.kind != tokWord {
		p.fail(CodeSyntax, "want a number, not %s", p.describe())
	}
	if bits, ok := strings.CutPrefix(s, "nan."); ok {
		u, err := strconv.ParseUint(bits, 16, 64)
		if x := math.Float64frombits(u); err == nil && math.IsNaN(x) {
			p.advance()
			return x
		}
		p.fail(CodeNumber, "want the 64 bits of a NaN, not %q", bits)
	}
	x, err := strconv.ParseFloat(s, 64)
	if err != nil {
		p.fail(CodeNumber, "want a floating-point number, not %q", s)
	}
	p.advance()
	return x
}

func (p *parser) typ() Type {
	t, ok := typeByName()[p.text()]
	if p.tok.kind == tokWord && !ok {
		p.fail(CodeUnknown, "unknown type %q", p.text())
	}
	p.expect(tokWord)
	return t
}

// module = { global | func } .
func (p *parser) module() {
	for p.tok.kind != tokEOF {
		switch {
		case p.got(tokNewline):
		case p.tok.kind == tokWord && p.text() == "global":
			p.line(p.global)
		case p.tok.kind == tokWord && p.text() == "func":
			p.line(p.fn)
		default:
			p.line(func() { p.fail(CodeSyntax, "want global or func, not %s", p.describe()) })
		}
	}
}

// topName = "@" word .
func (p *parser) topName() string {
	p.expect('@')
	if p.tok.kind == tokWord {
		if p.names[p.text()] {
			p.fail(CodeDuplicate, "@%s is declared twice", p.text())
		}
		p.names[p.text()] = true
	}
	return p.word()
}

// global = "global" name ":" "space" "(" word ")" [ "const" ] "size" int "align" int [ "init" hex ] { "ref" int name int } .
func (p *parser) global() {
	g := &Global{Pos: p.file.Pos(p.tok.start)}
	p.advance()
	g.Name = p.topName()
	p.expect(':')
	p.expectWord("space")
	p.expect('(')
	t, ok := typeByName()["ptr."+p.text()]
	if !ok {
		p.fail(CodeUnknown, "unknown space %s", p.describe())
	}
	g.Space = t
	p.advance()
	p.expect(')')
	g.Const = p.gotWord("const")
	p.expectWord("size")
	g.Size = p.integer()
	p.expectWord("align")
	g.Align = p.integer()
	if p.gotWord("init") {
		digits, ok := strings.CutPrefix(p.text(), "0x")
		data, err := hex.DecodeString(digits)
		if !ok || err != nil || len(data) == 0 {
			p.fail(CodeNumber, "want bytes as 0x and pairs of digits, not %s", p.describe())
		}
		g.Init = data
		p.advance()
	}
	for p.gotWord("ref") {
		r := Ref{Offset: p.integer()}
		p.expect('@')
		r.Name = p.word()
		r.Add = p.integer()
		g.Refs = append(g.Refs, r)
	}
	p.mod.Globals = append(p.mod.Globals, g)
}

// fn = "func" name { attribute } "(" [ param { "," param } ] ")" [ type ] [ "{" body "}" ] .
func (p *parser) fn() {
	f := &Func{Pos: p.file.Pos(p.tok.start)}
	p.f = f
	p.values, p.blocks = make(map[int]*Value), make(map[int]*Block)
	p.preds, p.mention = make(map[*Block][]*Block), make(map[any]token)
	p.advance()
	f.Name = p.topName()
	for p.tok.kind == tokWord {
		switch p.text() {
		case "kernel":
			f.Kernel = true
		case "always":
			f.Inline = InlineAlways
		case "never":
			f.Inline = InlineNever
		case "maxthreads":
			p.advance()
			f.MaxThreads = p.smallInt()
			continue
		case "minblocks":
			p.advance()
			f.MinBlocks = p.smallInt()
			continue
		case "cluster":
			p.advance()
			for i := range f.Cluster {
				f.Cluster[i] = p.smallInt()
			}
			continue
		default:
			p.fail(CodeUnknown, "unknown attribute %q", p.text())
		}
		p.advance()
	}
	p.params(f)
	if p.tok.kind == tokWord {
		f.Result = p.typ()
	}
	p.mod.Funcs = append(p.mod.Funcs, f)
	if p.got('{') {
		p.body()
	}
}

func (p *parser) params(f *Func) {
	p.expect('(')
	for p.tok.kind != ')' {
		if len(f.Params) > 0 {
			p.expect(',')
		}
		p.expect('%')
		name := ""
		if p.tok.kind == tokWord { // a parameter need not have a name
			name = p.word()
		}
		p.expect(':')
		q := NewParam(name, p.typ())
		if p.gotWord("size") {
			q.Size = p.integer()
		}
		if p.gotWord("align") {
			q.Align = p.integer()
		}
		q.Restrict = p.gotWord("restrict")
		f.Params = append(f.Params, q)
	}
	p.expect(')')
}

// numbered returns the number in the present word, a letter and digits.
func (p *parser) numbered(letter byte, what string) int {
	s := p.text()
	if p.tok.kind != tokWord || len(s) < 2 || s[0] != letter || s[1] == '+' || s[1] == '-' || s[1] == '0' && len(s) > 2 {
		p.fail(CodeSyntax, "want a %s as %c1, not %s", what, letter, p.describe())
	}
	n, err := strconv.Atoi(s[1:])
	if err != nil {
		p.fail(CodeSyntax, "want a %s as %c1, not %s", what, letter, p.describe())
	}
	if n >= maxID {
		p.fail(CodeNumber, "the number of %s is not below %d", s, maxID)
	}
	return n
}

// valueRef returns the value whose name is the present word.
func (p *parser) valueRef() *Value {
	id := p.numbered('v', "value")
	v := p.values[id]
	if v == nil {
		v = &Value{ID: id}
		p.values[id] = v
		p.mention[v] = p.tok
		p.f.nextValue = max(p.f.nextValue, id+1)
	}
	p.advance()
	return v
}

// blockRef returns the block whose name is the present word.
func (p *parser) blockRef() *Block {
	id := p.numbered('b', "block")
	b := p.blocks[id]
	if b == nil {
		b = &Block{ID: id}
		p.blocks[id] = b
		p.mention[b] = p.tok
		p.f.nextBlock = max(p.f.nextBlock, id+1)
	}
	p.advance()
	return b
}

// finish checks that what the function mentions is defined, makes the lists of
// predecessors, and numbers the values without a result.
func (p *parser) finish() {
	var undefined []token
	for id, v := range p.values {
		if v.Op == OpInvalid {
			undefined = append(undefined, p.mention[p.values[id]])
		}
	}
	for id, b := range p.blocks {
		if b.Func == nil {
			undefined = append(undefined, p.mention[p.blocks[id]])
		}
	}
	slices.SortFunc(undefined, func(a, b token) int { return a.start - b.start })
	for _, t := range undefined[:min(len(undefined), maxErrors)] {
		p.errorAt(t, CodeUndefined, "%s is not defined in @%s", p.file.Content[t.start:t.end], p.f.Name)
	}
	if len(p.errs.Diags) > 0 {
		return
	}
	for _, b := range p.f.Blocks {
		for _, s := range b.Succs {
			s.Preds = append(s.Preds, b)
		}
	}
	for _, b := range p.f.Blocks {
		if preds := p.preds[b]; preds != nil {
			if !samePreds(preds, b.Preds) {
				p.errorAt(p.mention[b], CodeEdges, "the predecessors of %s are %s", b, b.Preds)
			}
			b.Preds = preds
		}
		for _, v := range b.Values {
			if v.Type == Void {
				v.ID = p.f.nextValue
				p.f.nextValue++
			}
		}
	}
}

// samePreds reports whether a and b hold the same blocks, each as often.
func samePreds(a, b []*Block) bool {
	count := make(map[*Block]int)
	for _, x := range a {
		count[x]++
	}
	for _, x := range b {
		count[x]--
	}
	for _, n := range count {
		if n != 0 {
			return false
		}
	}
	return len(a) == len(b)
}
