package syntax

import (
	"slices"
	"strconv"
	"strings"
	"sync"

	"irgl/internal/source"
)

// Limits of the preprocessor.
const (
	maxExpansion    = 1 << 18 // tokens that macros of one text give, all steps counted
	maxMacroDepth   = 200     // of macro calls in arguments of macro calls
	maxTokenText    = 1 << 16 // bytes of a token made by # or ##
	maxIncludeDepth = 40
	maxIncludes     = 1000
)

// A cpp runs the preprocessor over the text of a CUDA file (C99, 6.10):
// conditional groups, macros and included texts. Headers in <> are taken to
// be C's and CUDA's own, whose names later stages know; they are skipped.
// Tokens from a macro have the position of its name in the text.
type cpp struct {
	main     *source.File
	diags    *source.List
	opts     Options
	macros   map[string]*macro
	conds    []cond
	out      []token
	once     map[string]bool // texts with #pragma once
	depth    int             // of includes
	includes int
	produced int  // tokens from macros so far
	stopped  bool // maxExpansion was reached and reported

	skipFrom int32 // where the skipped group began in main, or -1
	skipped  []Span
}

// A cond is one #if that is open.
type cond struct {
	pos      source.Pos
	active   bool // the present group is read
	taken    bool // a group was read, so no later one is
	outer    bool // the text around is read
	elseSeen bool
}

// preprocess returns the tokens that the parser sees, and the comments outside
// skipped groups.
func preprocess(f *source.File, toks []token, comments []*Comment, diags *source.List, opts Options) ([]token, []*Comment) {
	c := &cpp{main: f, diags: diags, opts: opts, macros: map[string]*macro{}, once: map[string]bool{}, skipFrom: -1}
	c.predefine()
	if c.plain(toks) {
		return toks, comments
	}
	c.text(toks)
	c.out = append(c.out, toks[len(toks)-1])
	comments = slices.DeleteFunc(comments, func(m *Comment) bool {
		return slices.ContainsFunc(c.skipped, func(s Span) bool { return !m.From.Before(s.From) && m.From.Before(s.To) })
	})
	return c.out, comments
}

// predefined are the macros that every text has. __CUDACC__ says that the text is
// compiled as CUDA, as clang says too; the versions say which CUDA's builtins there
// are. __NVCC__ would promise nvcc's pragmas and intrinsics (docs/rationale.md).
var predefined = sync.OnceValue(func() []macro {
	list := []macro{{name: "__LINE__", builtin: true}, {name: "__FILE__", builtin: true},
		{name: "_Pragma", isFunc: true, params: []string{"text"}, builtin: true}}
	for _, m := range [...][2]string{{"__CUDACC__", "1"}, {"__CUDACC_VER_MAJOR__", "13"}, {"__CUDACC_VER_MINOR__", "0"}, {"__CUDACC_VER_BUILD__", "0"},
		{"__cplusplus", "201703L"}, {"__STDC_HOSTED__", "1"}, {"CUDA_VERSION", "13000"}, {"CUDART_VERSION", "13000"}, {"__IRGL__", "1"}} {
		list = append(list, builtinMacro(m[0], m[1]))
	}
	return list
})

func builtinMacro(name, value string) macro {
	toks, _ := scan(source.NewFile("<predefined>", []byte(value)))
	return macro{name: name, body: toks[:len(toks)-1], builtin: true}
}

// predefine enters the macros that every text has, and those of the options. They are
// copies, since their expansion marks them.
func (c *cpp) predefine() {
	list := slices.Clone(predefined())
	if c.opts.Arch > 0 {
		arch := strconv.Itoa(c.opts.Arch)
		list = append(list, builtinMacro("__CUDA_ARCH__", arch), builtinMacro("__CUDA_ARCH_LIST__", arch))
	}
	for name, value := range c.opts.Defines {
		list = append(list, builtinMacro(name, value))
	}
	for i := range list {
		c.macros[list[i].name] = &list[i]
	}
}

// plain reports whether toks have neither directives nor macros, as most of what
// the compiler itself writes: then the parser sees them as they are.
func (c *cpp) plain(toks []token) bool {
	for i := range toks {
		if t := &toks[i]; isDirective(t) || isName(t) && c.macros[t.text] != nil {
			return false
		}
	}
	return true
}

func (c *cpp) active() bool { return len(c.conds) == 0 || c.conds[len(c.conds)-1].active }

// text reads the tokens of one file, directives and the lines between them.
func (c *cpp) text(toks []token) {
	conds := len(c.conds)
	for i := 0; toks[i].kind != tokEOF; {
		j := i + 1
		if isDirective(&toks[i]) {
			for toks[j].kind != tokEOF && !toks[j].startsLine() {
				j++
			}
			c.directive(toks[i:j])
			c.noteSkip(toks[i:j])
		} else {
			for toks[j].kind != tokEOF && !isDirective(&toks[j]) {
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
	if eof := toks[len(toks)-1]; c.skipFrom >= 0 && eof.file == c.main {
		c.skipped = append(c.skipped, Span{c.main.Pos(int(c.skipFrom)), eof.pos()})
	}
}

func isDirective(t *token) bool { return t.kind == tokPunct && t.text == "#" && t.startsLine() }

// noteSkip records where skipped groups of the main file begin and end.
func (c *cpp) noteSkip(line []token) {
	if line[0].file != c.main {
		return
	}
	switch active := c.active(); {
	case !active && c.skipFrom < 0:
		c.skipFrom = line[len(line)-1].to
	case active && c.skipFrom >= 0:
		c.skipped = append(c.skipped, Span{c.main.Pos(int(c.skipFrom)), line[0].pos()})
		c.skipFrom = -1
	}
}

// errorf reports an error about a directive's line.
func (c *cpp) errorf(line []token, code source.Code, format string, args ...any) *source.Diagnostic {
	return c.diags.Errorf(line[0].pos(), line[len(line)-1].end(), code, format, args...)
}

// directive executes one directive.
func (c *cpp) directive(line []token) {
	if len(line) == 1 {
		return
	}
	word := line[1].text
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
		if len(line) != 3 || !isName(&line[2]) {
			c.errorf(line, CodeMalformed, "expected one name after #undef")
			return
		}
		delete(c.macros, line[2].text)
	case "include":
		c.include(line)
	case "pragma":
		c.out = append(c.out, c.pragma(line)...)
	case "error":
		c.errorf(line, CodeErrorDirective, "#error%s", sourceText(line[2:]))
	case "warning":
		c.diags.Warnf(line[0].pos(), line[len(line)-1].end(), CodeErrorDirective, "#warning%s", sourceText(line[2:]))
	case "line":
	default:
		c.errorf(line, CodeUnknownDirective, "unknown directive #%s", word)
	}
}

// sourceText returns the text of tokens of one line as in the file,
// with a blank before it.
func sourceText(toks []token) string {
	if len(toks) == 0 {
		return ""
	}
	return " " + string(toks[0].file.Content[toks[0].from:toks[len(toks)-1].to])
}

func isName(t *token) bool { return t.kind == tokIdent || t.kind == tokKey }

// conditional executes a directive that opens, divides or closes a group.
func (c *cpp) conditional(word string, line []token) {
	outer := c.active()
	switch word {
	case "if":
		c.open(line, outer, outer && c.condition(line))
		return
	case "ifdef", "ifndef":
		if len(line) < 3 || !isName(&line[2]) {
			if outer {
				c.errorf(line, CodeMalformed, "expected a name after #%s", word)
			}
			c.open(line, outer, false)
			return
		}
		_, defined := c.macros[line[2].text]
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

func (c *cpp) open(line []token, outer, active bool) {
	c.conds = append(c.conds, cond{pos: line[0].pos(), active: active, taken: active, outer: outer})
}

// include reads the text that a directive names.
func (c *cpp) include(line []token) {
	if len(line) > 2 && line[2].text == "<" {
		return
	}
	if len(line) != 3 || line[2].kind != tokString {
		c.errorf(line, CodeMalformed, `expected <header> or "file" after #include`)
		return
	}
	name := line[2].text[1 : len(line[2].text)-1]
	if c.opts.Include == nil {
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
	f, err := c.opts.Include(name)
	if err != nil {
		c.errorf(line, CodeInclude, "cannot include %s: %v", name, err)
		return
	}
	toks, _ := scan(f)
	for i := 0; i+2 < len(toks) && !c.once[name]; i++ {
		c.once[name] = isDirective(&toks[i]) && toks[i+1].text == "pragma" && toks[i+2].text == "once"
	}
	c.depth++
	c.text(toks)
	c.depth--
}

// pragma returns what a #pragma line becomes for the parser: a tokUnroll, its count
// evaluated, or nothing.
func (c *cpp) pragma(line []token) []token {
	if len(line) > 4 || len(line) == 4 && line[3].kind != tokNumber {
		if line[2].text == "unroll" {
			args := c.expand(slices.Clone(line[3:]), 0)
			e := &condExpr{cpp: c, toks: args}
			if v, ok := e.value(); ok {
				t := line[3]
				t.kind, t.text = tokNumber, strconv.FormatInt(v.v, 10)
				t.to = line[len(line)-1].to
				line = append(slices.Clone(line[:3]), t)
			}
		}
	}
	return pragma(line, c.diags)
}

// pragmaOperator returns what _Pragma("text"), whose name is t, becomes: the same as
// the line #pragma text (C99, 6.10.9).
func (c *cpp) pragmaOperator(t token, arg []token) []token {
	if len(arg) != 1 || arg[0].kind != tokString || arg[0].text[0] != '"' {
		c.diags.Errorf(t.pos(), t.end(), CodeMalformed, `expected a string in _Pragma("...")`)
		return nil
	}
	text := arg[0].text
	text = strings.NewReplacer(`\\`, `\`, `\"`, `"`).Replace(text[1 : len(text)-1])
	toks, _ := scan(source.NewFile("", []byte(text)))
	line := append([]token{{kind: tokPunct, text: "#"}, {kind: tokIdent, text: "pragma"}}, toks[:len(toks)-1]...)
	for i := range line {
		line[i].file, line[i].from, line[i].to = t.file, t.from, t.to
	}
	return c.pragma(line)
}
