package cpp

import (
	"slices"
	"strconv"

	"irgl/internal/source"
)

// Limits of the preprocessor.
const (
	maxExpansion    = 1 << 18 // tokens that one use of a macro gives, all steps counted
	maxProduced     = 1 << 22 // tokens that all macros of one text give
	maxMacroDepth   = 200     // of macro calls in arguments of macro calls
	maxTokenText    = 1 << 16 // bytes of a token made by # or ##
	maxCondDepth    = 500     // of brackets and operators in a condition
	maxIncludeDepth = 200
	maxIncludes     = 10000
	maxIncluded     = 1 << 26 // bytes of all files that are included
)

// A preprocessor runs over one text and the texts that it includes (C++17, [cpp]). Tokens that no macro concerns
// are scanned into out, where the parser finds them; nothing is copied.
type preprocessor struct {
	main    *source.File
	diags   *source.List
	opts    Options
	dialect Dialect // with the version of C++
	names   *names
	result  Result
	out     []Token
	text    *scanner // of the file that is read
	line    []Token  // of the directive that is executed

	conds   []cond
	divided bool // the conditional that ended last had an #elif or an #else
	files   map[*source.File]*fileState
	// Whether a file is embedded was asked last of this one.
	lastFile     *source.File
	lastEmbedded bool
	includes     int  // files included so far
	included     int  // their bytes
	tooMany      bool // a limit of includes was reached and reported
	depth        int  // of includes
	counter      int  // of __COUNTER__
	pushed       map[string][]*macro
	warned       map[string]bool // pragmas that a warning named

	macroSlab []macro  // room for the next macros
	tokenSlab []Token  // and their bodies
	origins   []origin // room for those of what macros make
	macroRoom int      // the length of the last slab
	tokenRoom int

	frames      []frame
	calls       []*substitution // by depth
	free        [][]Token       // buffers that are not in use
	macroDepth  int
	inArguments int  // directives inside of a macro's arguments
	produced    int  // tokens from macros so far
	limit       int  // of produced, in the present use of a macro
	stopped     bool // a limit was reached and reported
}

// Preprocess runs the preprocessor over the text main and returns the tokens that the parser sees. Errors and
// warnings are added to diags.
func Preprocess(main *source.File, opts Options, diags *source.List) *Result {
	p := &preprocessor{main: main, diags: diags, opts: opts, dialect: opts.Dialect, files: map[*source.File]*fileState{}}
	if opts.Dialect == CXX && opts.Std >= 202000 {
		p.dialect = cxx20
	}
	p.names = newNames(p.dialect)
	p.result.Expansions = []Expansion{{}}
	room := 0
	if opts.Includer != nil {
		room = maxRoom
	}
	p.out = make([]Token, room, room+max(len(main.Content)/3+16, 3*room)) // memory that is not written costs little
	p.predefine()
	p.file(main)
	p.result.names, p.result.dialect = p.names, p.dialect
	for i := range p.result.Rests {
		p.result.Rests[i].At -= room
	}
	for i := range p.result.Includes {
		p.result.Includes[i].At -= room
	}
	p.result.Tokens, p.result.front = p.out[room:], p.out[:room]
	return &p.result
}

// maxRoom is how many tokens [Result.Insert] may put before those of a long text without copying them.
const maxRoom = 6144

// Insert puts the tokens of parts of another text, the content of a file, in front of a token: 0 for the first. No
// macro is replaced in them.
func (r *Result) Insert(at int, f *source.File, text string, parts []Part) {
	toks := r.scan(f, text, parts)
	n := len(r.front) - len(toks)
	if n < 0 {
		r.Tokens, r.front = slices.Insert(r.Tokens, at, toks...), nil
		return
	}
	whole := r.front[:len(r.front)+len(r.Tokens)]
	copy(whole[n:], r.Tokens[:at])
	copy(whole[n+at:], toks)
	r.Tokens, r.front = whole[n:], r.front[:n]
}

// scan returns the tokens of parts of a text.
func (r *Result) scan(f *source.File, text string, parts []Part) []Token {
	s := newScanner(f, text, r.dialect, r.names)
	bytes := 0
	for _, p := range parts {
		bytes += int(p.To - p.From)
	}
	toks := make([]Token, 0, bytes/4+16)
	for _, p := range parts {
		s.src, s.off, s.flags = text[:p.To], int(p.From), AfterNewline
		for e := aToken; e != endOfText; {
			toks, e = s.run(slices.Grow(toks, 1))
		}
		toks = toks[:len(toks)-1] // the EOF
	}
	return toks
}

// Append replaces the EOF by tokens of another text, which has its own.
func (r *Result) Append(toks []Token) {
	r.renumber(toks)
	r.Tokens = append(r.Tokens[:len(r.Tokens)-1], toks...)
}

// renumber gives the names of another text their numbers in this one.
func (r *Result) renumber(toks []Token) {
	for i := range toks {
		if t := &toks[i]; t.Name > 0 {
			t.Name = r.names.lookup(t.Text()).number
		}
	}
}

// Names returns how many names there may be: more than the number of each.
func (r *Result) Names() int { return len(r.names.list) }

// Number returns the number that the tokens of a name have, or 0 for a name that the text does not have.
func (r *Result) Number(name string) int32 {
	if s := r.names.find(name, hash(name)); s != nil {
		return s.number
	}
	if s := r.names.base.find(name, hash(name)); s != nil {
		return s.number
	}
	return 0
}

// HasName reports whether the text has a name, which its tokens may have.
func (r *Result) HasName(name string) bool {
	return r.names.find(name, hash(name)) != nil
}

// predefine defines what depends on the options.
func (p *preprocessor) predefine() {
	std := p.opts.Std
	if std == 0 {
		std = 201703
	}
	p.number("__cplusplus", strconv.Itoa(std)+"L")
	if p.opts.Arch > 0 {
		arch := strconv.Itoa(p.opts.Arch)
		p.number("__CUDA_ARCH__", arch)
		p.number("__CUDA_ARCH_LIST__", arch)
	}
	p.definitions("<command line>", commandLine(&p.opts))
}

// number defines a macro that is a number.
func (p *preprocessor) number(name, value string) {
	m := p.newMacro()
	*m = macro{name: name, sym: p.names.own(name), predefined: true, body: p.keep([]Token{made(Number, NoWord, value)})}
	m.sym.macro = m
}

// builtins defines the macros whose expansion depends on where they are.
func (p *preprocessor) builtins() {
	for i := range builtins {
		m := p.newMacro()
		*m = macro{name: builtins[i].name, sym: p.names.own(builtins[i].name), fn: builtins[i].fn, builtin: builtins[i].value, predefined: true,
			params: oneParam[:b2i(builtins[i].fn)]}
		m.sym.macro = m
	}
}

// definitions reads the directives of text, which is of no file.
func (p *preprocessor) definitions(name, text string) {
	if text == "" {
		return
	}
	p.read(newScanner(source.NewFile(name, []byte(text)), text, p.dialect, p.names))
}

// file reads the main file or one that is included.
func (p *preprocessor) file(f *source.File) {
	s := newScanner(f, string(f.Content), p.dialect, p.names)
	if f == p.main && p.depth == 0 {
		s.comments = &p.result.Comments
	}
	state := p.stateOf(f)
	rest, left := 0, false
	if p.opts.Rest != nil && state.found == Embedded {
		if rest, left = p.opts.Rest(f); left {
			s.src = s.src[:rest]
		}
	}
	g := guard{out: len(p.out)}
	outer := p.text
	p.text = s
	state.guard = g.read(p, s)
	p.text = outer
	if left {
		p.result.Rests = append(p.result.Rests, Rest{File: f, From: rest, At: len(p.out)})
	}
}

// read reads one text to its end. It appends the EOF for the main file.
func (p *preprocessor) read(s *scanner) { (&guard{}).read(p, s) }

// A fileState is what is known of a file that was read.
type fileState struct {
	once  bool    // it has #pragma once
	guard *symbol // the macro whose #ifndef holds the whole file, or nil
	line  lineMap
	found Found
}

func (p *preprocessor) stateOf(f *source.File) *fileState {
	state := p.files[f]
	if state == nil {
		state = &fileState{}
		p.files[f] = state
	}
	return state
}

// A guard finds out whether #ifndef NAME and its #endif hold all of a file, which then need not be read again while
// the macro is defined.
type guard struct {
	out     int     // the length of the output where nothing was read yet, and then at the #endif
	sym     *symbol // of the first #ifndef
	closed  bool    // its #endif was read
	outside bool    // there is something outside of the group
}

// note sees a directive that was executed; opens is the macro of an #ifndef that is not in any other group.
func (g *guard) note(p *preprocessor, opens *symbol, depth, before int) {
	switch {
	case g.outside:
	case g.sym == nil:
		g.sym, g.outside = opens, opens == nil || len(p.out) != g.out
	case g.closed:
		g.outside = true
	case depth == 0 && before == 1:
		g.closed, g.out, g.outside = true, len(p.out), p.divided
	}
}

// read reads the text of s to its end and returns the macro that guards it, if there is one.
func (g *guard) read(p *preprocessor, s *scanner) *symbol {
	base := len(p.conds)
	out := p.out
	for {
		if cap(out)-len(out) < 512 { // also for what a macro gives
			out = moreRoom(out, s.file != p.main)
		}
		var e event
		out, e = s.run(out)
		n := len(out) - 1
		switch e {
		case aMacro:
			name := out[n]
			p.out = out[:n]
			p.expandName(s, name)
			g.outside = g.outside || len(p.conds) == base
			out = p.out
		case aDirective:
			hash := out[n]
			p.out = out[:n]
			before := len(p.conds) - base
			opens := p.directive(s, hash)
			g.note(p, opens, len(p.conds)-base, before)
			out = p.out
		case endOfText:
			if s.file != p.main || p.depth > 0 {
				out = out[:n] // its EOF is that of the main file
			}
			p.out = out
			p.unclosed(base)
			if g.outside || !g.closed || n != g.out {
				return nil
			}
			return g.sym
		}
	}
}

// moreRoom returns out with room for more tokens. Headers with macros give many from few, and copying
// them again and again costs more than room that is not used: the first step in one has room for our longest.
func moreRoom(out []Token, header bool) []Token {
	least := 1 << 10
	if header {
		least = 1 << 15
	}
	return slices.Grow(out, max(least-len(out), len(out)/2, 512))
}

// unclosed reports the conditionals that were opened in a text and not closed.
func (p *preprocessor) unclosed(base int) {
	for _, open := range p.conds[min(base, len(p.conds)):] {
		p.diags.Errorf(open.pos, open.end, CodeConditional, "unterminated conditional directive")
	}
	p.conds = p.conds[:min(base, len(p.conds))]
}

// buffer returns an empty buffer; release gives it back.
func (p *preprocessor) buffer() []Token {
	if n := len(p.free); n > 0 {
		b := p.free[n-1]
		p.free = p.free[:n-1]
		return b[:0]
	}
	return make([]Token, 0, 64)
}

func (p *preprocessor) release(b []Token) {
	if cap(b) > 0 && len(p.free) < 64 {
		p.free = append(p.free, b)
	}
}
