package cpp

import (
	"slices"
	"strconv"
	"strings"

	"irgl/internal/source"
)

// Limits of the preprocessor.
const (
	maxExpansion    = 1 << 18 // tokens that macros of one text give, all steps counted
	maxMacroDepth   = 200     // of macro calls in arguments of macro calls
	maxTokenText    = 1 << 16 // bytes of a token made by # or ##
	maxCondDepth    = 500     // of brackets and operators in a condition
	maxIncludeDepth = 40
	maxIncludes     = 1000
)

// A preprocessor runs the preprocessor over the text of a CUDA file (C99, 6.10):
// conditional groups, macros and included texts. Headers in <> are taken to
// be C's and CUDA's own, whose names later stages know; they are skipped.
// Tokens from a macro have the position of its name in the text.
type preprocessor struct {
	main     *source.File
	diags    *source.List
	opts     Options
	result   Result
	macros   map[string]*macro
	conds    []cond
	out      []Token
	once     map[string]bool // texts with #pragma once
	depth    int             // of includes
	includes int
	produced int  // tokens from macros so far
	stopped  bool // maxExpansion was reached and reported

	skipFrom int32 // where the skipped group began in main, or -1
	skipped  []span
}

// A cond is one #if that is open.
type cond struct {
	pos      source.Pos
	active   bool // the present group is read
	taken    bool // a group was read, so no later one is
	outer    bool // the text around is read
	elseSeen bool
}

// Preprocess runs the preprocessor over the text main and returns the tokens that the parser sees. Errors and
// warnings are added to diags.
func Preprocess(main *source.File, opts Options, diags *source.List) *Result {
	toks, comments := Scan(main, opts.Dialect)
	c := &preprocessor{main: main, diags: diags, opts: opts, macros: map[string]*macro{}, once: map[string]bool{}, skipFrom: -1}
	c.result.Expansions = []Expansion{{}}
	c.predefine()
	if c.plain(toks) {
		c.result.Tokens, c.result.Comments = toks, comments
		return &c.result
	}
	c.text(toks)
	c.result.Tokens = append(c.out, toks[len(toks)-1])
	c.result.Comments = slices.DeleteFunc(comments, func(m Comment) bool {
		return slices.ContainsFunc(c.skipped, func(s span) bool { return m.From >= s.from && m.From < s.to })
	})
	return &c.result
}

// plain reports whether toks have neither directives nor macros, as most of what
// the compiler itself writes: then the parser sees them as they are.
func (c *preprocessor) plain(toks []Token) bool {
	for i := range toks {
		if t := &toks[i]; isDirective(t) || t.IsName() && c.macros[t.Text] != nil {
			return false
		}
	}
	return true
}

func (c *preprocessor) active() bool { return len(c.conds) == 0 || c.conds[len(c.conds)-1].active }

// text reads the tokens of one file, directives and the lines between them.
func (c *preprocessor) text(toks []Token) {
	conds := len(c.conds)
	for i := 0; toks[i].Kind != EOF; {
		j := i + 1
		if isDirective(&toks[i]) {
			for toks[j].Kind != EOF && !toks[j].StartsLine() {
				j++
			}
			c.directive(toks[i:j])
			c.noteSkip(toks[i:j])
		} else {
			for toks[j].Kind != EOF && !isDirective(&toks[j]) {
				j++
			}
			if c.active() {
				c.out = append(c.out, c.expand(toks[i:j:j], 0)...)
			}
		}
		i = j
	}
	for _, open := range c.conds[min(conds, len(c.conds)):] {
		c.diags.Errorf(open.pos, open.pos, CodeConditional, "this conditional has no #endif")
	}
	c.conds = c.conds[:min(conds, len(c.conds))]
	if eof := toks[len(toks)-1]; c.skipFrom >= 0 && eof.File == c.main {
		c.skipped = append(c.skipped, span{c.skipFrom, eof.From})
	}
}

func isDirective(t *Token) bool { return t.Kind == Punct && t.Text == "#" && t.StartsLine() }

// noteSkip records where skipped groups of the main file begin and end.
func (c *preprocessor) noteSkip(line []Token) {
	if line[0].File != c.main {
		return
	}
	switch active := c.active(); {
	case !active && c.skipFrom < 0:
		c.skipFrom = line[len(line)-1].To
	case active && c.skipFrom >= 0:
		c.skipped = append(c.skipped, span{c.skipFrom, line[0].From})
		c.skipFrom = -1
	}
}

// errorf reports an error about a directive's line.
func (c *preprocessor) errorf(line []Token, code source.Code, format string, args ...any) *source.Diagnostic {
	return c.diags.Errorf(line[0].Pos(), line[len(line)-1].End(), code, format, args...)
}

// directive executes one directive.
func (c *preprocessor) directive(line []Token) {
	if len(line) == 1 {
		return
	}
	word := line[1].Text
	switch word {
	case "if", "ifdef", "ifndef", "elif", "else", "endif":
		c.conditional(word, line)
		return
	}
	if !c.active() {
		return
	}
	switch word {
	case "define":
		c.define(line)
	case "undef":
		if len(line) != 3 || !line[2].IsName() {
			c.errorf(line, CodeMalformed, "expected one name after #undef")
			return
		}
		delete(c.macros, line[2].Text)
	case "include":
		c.include(line)
	case "pragma":
		c.out = append(c.out, c.pragma(line)...)
	case "error":
		c.errorf(line, CodeErrorDirective, "#error%s", sourceText(line[2:]))
	case "warning":
		c.diags.Warnf(line[0].Pos(), line[len(line)-1].End(), CodeErrorDirective, "#warning%s", sourceText(line[2:]))
	case "line":
	default:
		c.errorf(line, CodeUnknownDirective, "unknown directive #%s", word)
	}
}

// sourceText returns the text of tokens of one line as in the file,
// with a blank before it.
func sourceText(toks []Token) string {
	if len(toks) == 0 {
		return ""
	}
	return " " + string(toks[0].File.Content[toks[0].From:toks[len(toks)-1].To])
}

// conditional executes a directive that opens, divides or closes a group.
func (c *preprocessor) conditional(word string, line []Token) {
	outer := c.active()
	switch word {
	case "if":
		c.open(line, outer, outer && c.condition(line))
		return
	case "ifdef", "ifndef":
		if len(line) < 3 || !line[2].IsName() {
			if outer {
				c.errorf(line, CodeMalformed, "expected a name after #%s", word)
			}
			c.open(line, outer, false)
			return
		}
		_, defined := c.macros[line[2].Text]
		c.open(line, outer, outer && defined == (word == "ifdef"))
		return
	}
	if len(c.conds) == 0 {
		c.errorf(line, CodeConditional, "#%s without #if", word)
		return
	}
	top := &c.conds[len(c.conds)-1]
	switch {
	case word == "endif":
		c.conds = c.conds[:len(c.conds)-1]
		return
	case top.elseSeen:
		c.errorf(line, CodeConditional, "#%s after #else", word)
		top.active = false
		return
	case word == "else":
		top.elseSeen = true
		top.active = top.outer && !top.taken
	default:
		top.active = top.outer && !top.taken && c.condition(line)
	}
	top.taken = top.taken || top.active
}

func (c *preprocessor) open(line []Token, outer, active bool) {
	c.conds = append(c.conds, cond{pos: line[0].Pos(), active: active, taken: active, outer: outer})
}

// include reads the text that a directive names.
func (c *preprocessor) include(line []Token) {
	if len(line) > 2 && line[2].Text == "<" {
		return
	}
	if len(line) != 3 || line[2].Kind != String {
		c.errorf(line, CodeMalformed, `expected <header> or "file" after #include`)
		return
	}
	name := line[2].Text[1 : len(line[2].Text)-1]
	if c.opts.Includer == nil {
		c.errorf(line, CodeInclude, "cannot include %s here", name).Hint = "put everything into one file"
		return
	}
	if c.once[name] {
		return
	}
	if c.includes++; c.depth >= maxIncludeDepth || c.includes > maxIncludes {
		c.errorf(line, CodeInclude, "too many files are included")
		return
	}
	f, _, err := c.opts.Includer.Open(name, false, line[0].File)
	if err != nil {
		c.errorf(line, CodeInclude, "cannot include %s: %v", name, err)
		return
	}
	toks, _ := Scan(f, c.opts.Dialect)
	for i := 0; i+2 < len(toks) && !c.once[name]; i++ {
		c.once[name] = isDirective(&toks[i]) && toks[i+1].Text == "pragma" && toks[i+2].Text == "once"
	}
	c.depth++
	c.text(toks)
	c.depth--
}

// pragma returns what a #pragma line becomes for the parser: a Unroll, its count
// evaluated, or nothing.
func (c *preprocessor) pragma(line []Token) []Token {
	if len(line) > 4 || len(line) == 4 && line[3].Kind != Number {
		if line[2].Text == "unroll" {
			args := c.expand(slices.Clone(line[3:]), 0)
			e := &condExpr{cpp: c, toks: args}
			if v, ok := e.value(); ok {
				t := line[3]
				t.Kind, t.Text = Number, strconv.FormatInt(v.v, 10)
				t.To = line[len(line)-1].To
				line = append(slices.Clone(line[:3]), t)
			}
		}
	}
	return Pragma(line, c.diags)
}

// pragmaOperator returns what _Pragma("text"), whose name is t, becomes: the same as
// the line #pragma text (C99, 6.10.9).
func (c *preprocessor) pragmaOperator(t Token, arg []Token) []Token {
	if len(arg) != 1 || arg[0].Kind != String || arg[0].Text[0] != '"' {
		c.diags.Errorf(t.Pos(), t.End(), CodeMalformed, `expected a string in _Pragma("...")`)
		return nil
	}
	text := arg[0].Text
	text = strings.NewReplacer(`\\`, `\`, `\"`, `"`).Replace(text[1 : len(text)-1])
	toks, _ := Scan(source.NewFile("", []byte(text)), c.opts.Dialect)
	line := append([]Token{{Kind: Punct, Text: "#"}, {Kind: Ident, Text: "pragma"}}, toks[:len(toks)-1]...)
	for i := range line {
		line[i].File, line[i].From, line[i].To = t.File, t.From, t.To
	}
	return c.pragma(line)
}

// Pragma returns the tokens that the line of a #pragma becomes: an Unroll, or none. Pragmas that are not known are
// warned of.
func Pragma(line []Token, diags *source.List) []Token {
	pos, end := line[0].Pos(), line[len(line)-1].End()
	if len(line) == 3 && line[2].Text == "nounroll" { // clang's name of #pragma unroll 1
		one := line[2]
		one.Kind, one.Text = Number, "1"
		line = []Token{line[0], line[1], {Kind: Ident, Text: "unroll"}, one}
	}
	if len(line) < 3 || line[2].Text != "unroll" {
		if len(line) == 3 && line[2].Text == "once" {
			return nil
		}
		diags.Warnf(pos, end, CodePragma, "this pragma is ignored")
		return nil
	}
	out := line[0]
	out.Kind, out.Word, out.Text, out.To = Unroll, NoWord, "", line[len(line)-1].To
	args := line[3:]
	if len(args) > 2 && args[0].Text == "(" {
		args = args[1 : len(args)-1]
	}
	switch {
	case len(args) == 1 && args[0].Kind == Number:
		out.Text = args[0].Text
	case len(args) > 0:
		diags.Warnf(pos, end, CodePragma, "the count of #pragma unroll is not a number; it is ignored")
	}
	return []Token{out}
}
