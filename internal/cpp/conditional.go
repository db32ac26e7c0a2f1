package cpp

import "irgl/internal/source"

// A cond is one #if that is open.
type cond struct {
	pos, end source.Pos
	active   bool // the present group is read
	taken    bool // a group was read, so no later one is
	outer    bool // the text around is read
	elseSeen bool
	divided  bool // there was an #elif or an #else
}

func (p *preprocessor) active() bool { return len(p.conds) == 0 || p.conds[len(p.conds)-1].active }

// conditional executes a directive that opens, divides or closes a group. For an #ifndef NAME, also written as
// #if !defined(NAME), it returns the macro's name.
func (p *preprocessor) conditional(word string, line []Token) (opens *symbol) {
	outer := p.active()
	switch word {
	case "if":
		p.open(line, outer, outer && p.condition(line))
		return p.notDefined(line[2:])
	case "ifdef", "ifndef":
		defined, ok := outer && p.isDefined(word, line), outer && len(line) > 2 && line[2].IsName()
		p.open(line, outer, ok && defined == (word == "ifdef"))
		if ok && word == "ifndef" {
			return p.names.lookup(line[2].Text())
		}
		return nil
	}
	if len(p.conds) == 0 || p.conds[len(p.conds)-1].pos.File != line[0].File() {
		p.errorf(line, CodeConditional, "#%s without #if", word)
		return nil
	}
	top := &p.conds[len(p.conds)-1]
	switch {
	case word == "endif":
		p.extra(line[2:], word)
		p.divided = top.divided
		p.conds = p.conds[:len(p.conds)-1]
		return nil
	case top.elseSeen:
		p.errorf(line, CodeConditional, "#%s after #else", word)
		top.active = false
		return nil
	case word == "else":
		if top.outer {
			p.extra(line[2:], word)
		}
		top.elseSeen = true
		top.active = top.outer && !top.taken
	case !top.outer || top.taken:
		top.active = false
	case word == "elif":
		top.active = p.condition(line)
	default: // elifdef, elifndef
		p.warnf(line[:2], CodeMalformed, "use of a C++23 extension: #%s", word)
		top.active = len(line) > 2 && line[2].IsName() && p.isDefined(word, line) == (word == "elifdef")
	}
	top.divided = true
	top.taken = top.taken || top.active
	return nil
}

func (p *preprocessor) open(line []Token, outer, active bool) {
	p.conds = append(p.conds, cond{pos: line[0].Pos(), end: line[min(1, len(line)-1)].End(), active: active, taken: active, outer: outer})
}

// isDefined reports whether the macro that a directive names is defined.
func (p *preprocessor) isDefined(word string, line []Token) bool {
	if len(line) < 3 || !line[2].IsName() {
		p.errorf(line, CodeMalformed, "expected a name after #%s", word)
		return false
	}
	p.extra(line[3:], word)
	return p.names.lookup(line[2].Text()).macro != nil
}

// notDefined returns the name of a condition that is !defined NAME or !defined(NAME), and otherwise nil.
func (p *preprocessor) notDefined(toks []Token) *symbol {
	if len(toks) < 3 || toks[0].Word != Not || toks[1].Text() != "defined" {
		return nil
	}
	switch name := toks[2:]; {
	case len(name) == 1 && name[0].IsName():
		return p.names.lookup(name[0].Text())
	case len(name) == 3 && name[0].Word == LParen && name[1].IsName() && name[2].Word == RParen:
		return p.names.lookup(name[1].Text())
	}
	return nil
}
