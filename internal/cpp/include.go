package cpp

import (
	"strings"

	"irgl/internal/source"
)

// include reads the text that a directive names.
func (p *preprocessor) include(line []Token) {
	if p.inArguments > 0 {
		p.errorf(line, CodeInclude, "embedding a #%s directive within macro arguments is not supported", line[1].Text())
		return
	}
	name, angled, ok := p.headerName(line[2:])
	if !ok {
		p.errorf(line, CodeMalformed, `expected <header> or "file" after #%s`, line[1].Text())
		return
	}
	from := line[0].File()
	if p.opts.Includer == nil {
		if angled {
			p.note(line, Include{Name: name, Angled: true, Found: HostOnly})
			return
		}
		p.errorf(line, CodeInclude, "cannot include %s here", name).Hint = "put everything into one file"
		return
	}
	if p.depth >= maxIncludeDepth || p.includes >= maxIncludes || p.included >= maxIncluded {
		if !p.tooMany {
			p.errorf(line, CodeInclude, "too many files are included")
		}
		p.tooMany = true
	}
	if p.tooMany {
		return
	}
	f, found, err := p.find(line[1].Text(), name, angled, from)
	if err != nil {
		p.includeError(line, name, err)
		return
	}
	p.note(line, Include{Name: name, Angled: angled, Found: found, File: f})
	if f == nil {
		return
	}
	state := p.stateOf(f)
	state.found = found
	p.lastFile = nil
	if state.once || state.guard != nil && state.guard.macro != nil {
		return
	}
	state.once = line[1].Text() == "import"
	state.line = lineMap{}
	p.includes++
	p.included += len(f.Content)
	p.depth++
	p.file(f)
	p.depth--
}

// find asks the Includer for a file.
func (p *preprocessor) find(word, name string, angled bool, from *source.File) (*source.File, Found, error) {
	if next, ok := p.opts.Includer.(NextIncluder); ok && word == "include_next" {
		return next.OpenNext(name, from)
	}
	return p.opts.Includer.Open(name, angled, from)
}

// note records an #include.
func (p *preprocessor) note(line []Token, inc Include) {
	inc.Pos, inc.At = line[0].Pos(), len(p.out)
	p.result.Includes = append(p.result.Includes, inc)
}

// headerName returns the name in the tokens behind #include, of which there is one String with quotes or < and >, or
// what macros give.
func (p *preprocessor) headerName(toks []Token) (name string, angled, ok bool) {
	if len(toks) == 0 {
		return "", false, false
	}
	if toks[0].Kind != String && toks[0].Word != Less {
		toks = p.expandLine(toks)
		if len(toks) == 0 {
			return "", false, false
		}
	}
	if text := toks[0].Text(); toks[0].Kind == String && len(text) > 2 && (text[0] == '<' || text[0] == '"') {
		p.extra(toks[1:], "include")
		return text[1 : len(text)-1], text[0] == '<', len(toks) == 1 || p.dialect != C
	}
	if toks[0].Word != Less {
		return "", false, false
	}
	var b strings.Builder
	for i := 1; i < len(toks); i++ {
		if toks[i].Word == Greater {
			return b.String(), true, b.Len() > 0
		}
		if i > 1 && !toks[i].Glued() {
			b.WriteByte(' ')
		}
		b.WriteString(toks[i].Text())
	}
	return "", false, false
}

// A NotFoundError is the error of an Includer that has no such file: the folders in which it looked.
type NotFoundError struct {
	Name    string
	Folders []string
}

func (e *NotFoundError) Error() string { return "'" + e.Name + "' file not found" }

func (p *preprocessor) includeError(line []Token, name string, err error) {
	missing, ok := err.(*NotFoundError)
	if !ok {
		p.errorf(line, CodeInclude, "cannot include %s: %v", name, err)
		return
	}
	at := line[min(2, len(line)-1)]
	d := p.diags.Errorf(at.Pos(), line[len(line)-1].End(), CodeInclude, "%s", missing.Error())
	d.Hint = "-I FOLDER adds a folder"
	if len(missing.Folders) > 0 {
		d.Hint = "looked in " + strings.Join(missing.Folders, ", ") + "; -I FOLDER adds a folder"
	}
}

// hasInclude reports whether __has_include's operand could be included.
func (p *preprocessor) hasInclude(t *Token, word string, arg []Token) bool {
	name, angled, ok := p.headerName(arg)
	if !ok {
		p.diags.Errorf(t.Pos(), t.End(), CodeMalformed, `expected <header> or "file" in %s`, t.Text())
		return false
	}
	if p.opts.Includer == nil {
		return angled && isHostHeader(name)
	}
	f, found, err := p.find(word, name, angled, t.File())
	return err == nil && (f != nil || found == HostOnly && isHostHeader(name))
}
