package cpp

import (
	"strconv"
	"strings"

	"irgl/internal/source"
)

// directive reads and executes the directive whose # is hash. For an #ifndef NAME that begins a group outside of
// all others of the file it returns the macro's name.
func (p *preprocessor) directive(s *scanner, hash Token) (opens *symbol) {
	saved := p.line
	p.line = append(p.buffer(), hash)
	defer func() {
		p.release(p.line)
		p.line = saved
	}()
	s.line = true
	p.readLine(s)
	s.line = false
	line := p.line
	if len(line) == 1 {
		return nil
	}
	word := line[1].Text()
	switch word {
	case "if", "ifdef", "ifndef", "elif", "elifdef", "elifndef", "else", "endif":
		opens = p.conditional(word, line)
		p.skipGroup(s, line)
		return opens
	}
	p.command(s, word, line)
	return nil
}

// readLine reads the rest of a directive's line into p.line.
func (p *preprocessor) readLine(s *scanner) {
	for {
		var t Token
		if n := len(p.line); n == 2 && isInclude(p.line[1].Text()) && s.header(&t) {
			p.line = append(p.line, t)
			continue
		}
		if s.scan(&t) == endOfLine {
			return
		}
		if t.Kind == Bad && strings.HasPrefix(t.Text(), string(CodeComment)) { // it swallows the rest of the text
			code, message := t.Malformed()
			p.diags.Errorf(t.Pos(), t.End(), code, "%s", message)
			continue
		}
		p.line = append(p.line, t)
	}
}

func isInclude(word string) bool {
	return word == "include" || word == "include_next" || word == "import"
}

// header reads the "name" or <name> behind #include, which is one token: a String.
func (s *scanner) header(t *Token) bool {
	i := s.off
	for i < len(s.src) && (s.src[i] == ' ' || s.src[i] == '\t') {
		i++
	}
	if i >= len(s.src) || s.src[i] != '<' && s.src[i] != '"' {
		return false
	}
	closing := byte('"')
	if s.src[i] == '<' {
		closing = '>'
	}
	for j := i + 1; j < len(s.src) && s.src[j] != '\n'; j++ {
		if s.src[j] == closing {
			*t = Token{origin: s.origin, from: int32(i), size: int32(j + 1 - i), Kind: String, Flags: AfterSpace}
			s.off = j + 1
			return true
		}
	}
	return false
}

// command executes a directive that is not conditional.
func (p *preprocessor) command(s *scanner, word string, line []Token) {
	switch word {
	case "define":
		p.define(line)
	case "undef":
		p.undef(line)
	case "include", "include_next", "import":
		p.include(line)
	case "pragma":
		p.out = append(p.out, p.pragma(line)...)
	case "error":
		p.errorf(line, CodeErrorDirective, "#error%s", sourceText(line[2:]))
	case "warning":
		p.warnf(line, CodeErrorDirective, "#warning%s", sourceText(line[2:]))
	case "line":
		p.lineDirective(line[2:], line)
	case "ident", "sccs":
	default:
		if line[1].Kind == Number { // of a text that was preprocessed already
			p.lineDirective(line[1:], line)
			return
		}
		p.errorf(line[:2], CodeUnknownDirective, "invalid preprocessing directive #%s", word)
	}
}

// errorf reports an error about a directive's line.
func (p *preprocessor) errorf(line []Token, code source.Code, format string, args ...any) *source.Diagnostic {
	return p.diags.Errorf(line[0].Pos(), line[len(line)-1].End(), code, format, args...)
}

// warnf reports a warning about a directive's line, unless it is in a system's header.
func (p *preprocessor) warnf(line []Token, code source.Code, format string, args ...any) *source.Diagnostic {
	if p.quiet(line[0].File()) {
		return &source.Diagnostic{}
	}
	return p.diags.Warnf(line[0].Pos(), line[len(line)-1].End(), code, format, args...)
}

// quiet reports whether warnings about a file are not reported: about headers of -isystem and those that the
// compiler brings.
func (p *preprocessor) quiet(f *source.File) bool {
	state := p.files[f]
	return state != nil && (state.found == System || state.found == Embedded)
}

// ownHeader reports whether a file is a header that the compiler brings. A program's macros have no
// effect there, but in conditions: its headers use plain names, and -DN=1024 is not to change them.
func (p *preprocessor) ownHeader(f *source.File) bool {
	if f != p.lastFile {
		state := p.files[f]
		p.lastFile, p.lastEmbedded = f, state != nil && state.found == Embedded
	}
	return p.lastEmbedded
}

// sourceText returns the text of tokens of one line as in the file,
// with a blank before it.
func sourceText(toks []Token) string {
	if len(toks) == 0 {
		return ""
	}
	return " " + string(toks[0].File().Content[toks[0].From():toks[len(toks)-1].To()])
}

// extra warns of tokens behind a directive that takes no more.
func (p *preprocessor) extra(toks []Token, word string) {
	if len(toks) > 0 && p.dialect != C {
		p.warnf(toks, CodeMalformed, "extra tokens at end of #%s directive", word)
	}
}

func (p *preprocessor) undef(line []Token) {
	if len(line) < 3 || !line[2].IsName() || len(line) > 3 && p.dialect == C {
		p.errorf(line, CodeMalformed, "expected one name after #undef")
		return
	}
	p.extra(line[3:], "undef")
	if sym := p.names.lookup(line[2].Text()); sym.macro != nil {
		p.names.own(sym.text).macro = nil
	}
}

// A lineMap says which line and file #line gives to the lines behind it.
type lineMap struct {
	from int    // the line of the directive, or 0 for none
	line int    // the number of the line behind it
	name string // "" where the directive named none
}

// lineDirective executes #line NUMBER "file", whose operands are args.
func (p *preprocessor) lineDirective(args, line []Token) {
	if len(args) > 0 && args[0].Kind != Number {
		args = p.expandLine(args)
	}
	if len(args) == 0 || args[0].Kind != Number {
		p.errorf(line, CodeMalformed, "#line directive requires a positive integer argument")
		return
	}
	n, err := strconv.ParseUint(args[0].Text(), 10, 31)
	if err != nil || len(args) > 1 && (args[1].Kind != String || args[1].Text()[0] != '"') {
		p.errorf(line, CodeMalformed, `expected a line and a "file" in #line`)
		return
	}
	state := p.stateOf(line[0].File())
	state.line.from, state.line.line = line[0].Pos().Line(), int(n)
	if len(args) > 1 {
		state.line.name, _ = ParseString(args[1].Text())
	}
}

// position returns the line and the file of a token as __LINE__ and __FILE__ have them.
func (p *preprocessor) position(t *Token) (int, string) {
	n, name := t.Pos().Line(), t.File().Name
	if state := p.files[t.File()]; state != nil && state.line.from > 0 {
		n += state.line.line - state.line.from - 1
		if state.line.name != "" {
			name = state.line.name
		}
	}
	return n, name
}

// skipGroup passes over the text of a group that is not read, up to the directive that ends it. The comments behind
// a directive belong to the group that it begins.
func (p *preprocessor) skipGroup(s *scanner, line []Token) {
	if p.active() {
		return
	}
	s.dropComments(line[len(line)-1].To())
	for !p.active() {
		s.off, s.flags = skipLines(s.src, s.off, s.dialect), AfterNewline
		if s.off >= len(s.src) {
			return
		}
		var hash Token
		s.scan(&hash)
		p.line = append(p.line[:0], hash)
		s.line = true
		p.skippedDirective(s)
		s.line = false
		if !p.active() {
			s.dropComments(hash.From())
		}
	}
}

// dropComments takes out the comments at and behind from.
func (s *scanner) dropComments(from int32) {
	if s.comments == nil {
		return
	}
	list := *s.comments
	for len(list) > 0 && list[len(list)-1].From >= from {
		list = list[:len(list)-1]
	}
	*s.comments = list
}

// skippedDirective executes a directive of a skipped group if it is conditional.
func (p *preprocessor) skippedDirective(s *scanner) {
	var word Token
	if s.scan(&word) == endOfLine {
		return
	}
	p.line = append(p.line, word)
	switch word.Text() {
	case "if", "ifdef", "ifndef", "elif", "elifdef", "elifndef", "else", "endif":
		p.readLine(s)
		p.conditional(word.Text(), p.line)
	default:
		s.off = lineEnd(s.src, s.off)
	}
}

// skipLines returns the offset of the # of the next directive at or behind i, or the length of the text.
func skipLines(src string, i int, d Dialect) int {
	start := false // only white space so far on this line
	for i < len(src) {
		switch c := src[i]; c {
		case '\n':
			start = true
			i++
		case ' ', '\t', '\r', '\f', '\v':
			i++
		case '#':
			if start {
				return i
			}
			i++
		case '/':
			end, ok := commentEnd(src, i)
			switch {
			case ok:
				i = end
			case i+1 < len(src) && src[i+1] == '*': // it has no end
				return len(src)
			default:
				i++
				start = false
			}
		case '"', '\'':
			start = false
			i = skipQuoted(src, i, d)
		case '\\':
			if n := spliceLen(src[i:]); n > 0 {
				i += n
				continue
			}
			i++
		default:
			start = false
			for i++; i < len(src) && classes[src[i]]&tail != 0; i++ {
			}
		}
	}
	return len(src)
}

// skipQuoted returns the offset behind the string or character constant at i, or of the end of its line.
func skipQuoted(src string, i int, d Dialect) int {
	if src[i] == '"' && d != C && i > 0 && src[i-1] == 'R' {
		end, _ := rawEnd(src, i)
		return end
	}
	quote := src[i]
	for i++; i < len(src) && src[i] != '\n'; i++ {
		switch src[i] {
		case quote:
			return i + 1
		case '\\':
			if n := spliceLen(src[i:]); n > 0 {
				i += n - 1
			} else if i+1 < len(src) && src[i+1] != '\n' {
				i++
			}
		}
	}
	return i
}
