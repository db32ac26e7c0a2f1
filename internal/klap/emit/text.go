package emit

import (
	"bytes"
	"path/filepath"
	"slices"
	"sort"
	"strings"

	"irgl/internal/cpp"
	"irgl/internal/cxx/ast"
	"irgl/internal/source"
)

// A text is a version of the source: the file itself, or the file with macros expanded and headers
// in the places of their directives. It knows which line of which file each byte is of.
type text struct {
	file   *source.File
	pieces []piece // in the order of the text
	toks   []cpp.Token
	match  []int // the index of the other bracket, or -1
}

// A piece is where bytes of another file begin.
type piece struct {
	at     int32
	file   *source.File // of the user
	offset int32
	fixed  bool // all bytes of the piece are of that place
}

func newText(f *source.File, pieces []piece) *text {
	t := &text{file: f, pieces: pieces}
	t.toks, _ = cpp.Scan(f, cpp.CXX)
	t.match = make([]int, len(t.toks))
	var open []int
	for i := range t.toks {
		t.match[i] = -1
		switch t.toks[i].Word {
		case cpp.LParen, cpp.LBracket, cpp.LBrace:
			open = append(open, i)
		case cpp.RParen, cpp.RBracket, cpp.RBrace:
			if n := len(open); n > 0 {
				t.match[i], t.match[open[n-1]] = open[n-1], i
				open = open[:n-1]
			}
		}
	}
	return t
}

// origin returns the place in the user's files of a byte.
func (t *text) origin(at int32) source.Pos {
	i := sort.Search(len(t.pieces), func(i int) bool { return t.pieces[i].at > at }) - 1
	p := t.pieces[i]
	if p.fixed {
		return source.Pos{File: p.file, Offset: p.offset}
	}
	return source.Pos{File: p.file, Offset: p.offset + at - p.at}
}

// token returns the index of the token that begins at an offset or behind it.
func (t *text) token(at int32) int {
	return sort.Search(len(t.toks), func(i int) bool { return t.toks[i].From >= at })
}

// A change replaces bytes of a text. lines of a replacement are of the file from, if that is not
// nil, and otherwise of the place where the change begins.
type change struct {
	from, to int32
	text     string
	of       *source.File
}

// with returns the text with changes, which do not overlap.
func (t *text) with(changes []change) *text {
	slices.SortStableFunc(changes, func(a, b change) int { return int(a.from) - int(b.from) })
	var out []byte
	var pieces []piece
	at := int32(0)
	keep := func(to int32) {
		for at < to {
			p := t.origin(at)
			i := sort.Search(len(t.pieces), func(i int) bool { return t.pieces[i].at > at })
			end := to
			if i < len(t.pieces) {
				end = min(end, t.pieces[i].at)
			}
			pieces = append(pieces, piece{int32(len(out)), p.File, p.Offset, t.pieces[i-1].fixed})
			out = append(out, t.file.Content[at:end]...)
			at = end
		}
	}
	for _, c := range changes {
		keep(c.from)
		if c.of != nil {
			pieces = append(pieces, piece{int32(len(out)), c.of, 0, false})
		} else if c.text != "" {
			p := t.origin(c.from)
			pieces = append(pieces, piece{int32(len(out)), p.File, p.Offset, true})
		}
		out = append(out, c.text...)
		at = c.to
	}
	keep(int32(len(t.file.Content)))
	return newText(source.NewFile(t.file.Name, out), pieces)
}

// invocation returns the end of a use of a macro whose name begins at an offset: behind the
// arguments, if it takes any.
func (t *text) invocation(at int32, takesArguments bool) int32 {
	i := t.token(at)
	if takesArguments && i+1 < len(t.toks) && t.toks[i+1].Word == cpp.LParen && t.match[i+1] > 0 {
		return t.toks[t.match[i+1]].To
	}
	return t.toks[i].To
}

// takesArguments reports whether the definition of a macro has parameters.
func takesArguments(def source.Pos) bool {
	text := def.File.Content[def.Offset:]
	n := 0
	for n < len(text) && (text[n] == '_' || text[n] >= '0' && text[n] <= '9' || text[n] >= 'a' && text[n] <= 'z' || text[n] >= 'A' && text[n] <= 'Z') {
		n++
	}
	return n < len(text) && text[n] == '('
}

// expansion returns the text that the use of a macro between two offsets becomes. Macros of our own headers
// in it stay, since those of nvcc differ.
func expansion(pre *cpp.Result, file *source.File, at, end int32, own func(*source.File) bool) string {
	var b strings.Builder
	last := int32(0)
	for i := range pre.Tokens {
		k := &pre.Tokens[i]
		if k.File != file || k.From < at || k.From >= end {
			continue
		}
		name, of := k.Text, int32(0)
		for m := k.Macro; m != 0; m = pre.Expansions[m].Outer {
			x := &pre.Expansions[m]
			if x.Outer != 0 && (x.Def.File == nil || own(x.Def.File) && !takesArguments(x.Def)) {
				name, of = x.Name, m
			}
		}
		if of != 0 && of == last {
			continue
		}
		last = of
		switch k.Kind {
		case cpp.Unroll:
			name = `_Pragma("` + strings.TrimSpace("unroll "+k.Text) + `")`
		case cpp.Pack:
			name = `_Pragma("pack(` + k.Text + `)")`
		}
		if b.Len() > 0 && k.Flags&(cpp.AfterSpace|cpp.AfterNewline) != 0 || b.Len() > 0 && glues(b.String()[b.Len()-1], name[0]) {
			b.WriteByte(' ')
		}
		b.WriteString(name)
	}
	return b.String()
}

// glues reports whether two characters side by side might be read as one token.
func glues(a, b byte) bool {
	word := func(c byte) bool {
		return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
	}
	return word(a) && word(b) || a == b && strings.IndexByte("+-&|<>=", a) >= 0
}

// inlined returns the change that puts a header in the place of its directive.
func (t *text) inlined(inc cpp.Include) (change, bool) {
	if inc.File == nil || inc.Pos.File != t.file {
		return change{}, false
	}
	from := inc.Pos.Offset
	for from > 0 && t.file.Content[from-1] != '\n' {
		from--
	}
	to := from
	for int(to) < len(t.file.Content) && t.file.Content[to] != '\n' {
		to++
	}
	body := bytes.Clone(inc.File.Content)
	// #pragma once is of a header. Blanks keep the lines.
	for _, line := range bytes.SplitAfter(body, []byte("\n")) {
		if f := strings.Fields(string(line)); len(f) == 2 && f[0] == "#pragma" && f[1] == "once" {
			copy(line, bytes.Repeat([]byte(" "), len(bytes.TrimRight(line, "\n"))))
		}
	}
	body = bytes.TrimRight(body, "\n")
	return change{from, to, string(body), inc.File}, true
}

// relative returns the changes that name the headers of quoted directives by their paths from the folder to, if they are
// found beside a file of another folder.
func (t *text) relative(pre *cpp.Result, to string) []change {
	var list []change
	for _, inc := range pre.Includes {
		if inc.Pos.File != t.file || inc.Angled || inc.Found != cpp.User || inc.File == nil {
			continue
		}
		beside := filepath.Join(filepath.Dir(t.origin(inc.Pos.Offset).File.Name), inc.Name)
		if filepath.Clean(inc.File.Name) != beside || filepath.IsAbs(inc.Name) {
			continue // it is found by -I
		}
		name, err := relativePath(to, beside)
		line := t.file.Content[inc.Pos.Offset:]
		open := bytes.IndexByte(line, '"')
		if err != nil || open < 0 || !bytes.HasPrefix(line[open+1:], []byte(inc.Name+`"`)) || name == inc.Name {
			continue
		}
		at := inc.Pos.Offset + int32(open) + 1
		list = append(list, change{at, at + int32(len(inc.Name)), name, nil})
	}
	return list
}

func relativePath(from, to string) (string, error) {
	from, err := filepath.Abs(from)
	if err != nil {
		return "", err
	}
	if to, err = filepath.Abs(to); err != nil {
		return "", err
	}
	name, err := filepath.Rel(from, to)
	return filepath.ToSlash(name), err
}

// A definition is a function of the source.
type definition struct {
	decl     *ast.FuncDecl
	from, to int32          // with the words of its template
	top      int32          // where the declaration of the outermost class begins that it is in
	space    int32          // and where that of the outermost namespace does
	template bool           // it, or a class around it, is a template
	class    *ast.ClassDecl // that it is in; nil for none
}

// definitions returns the functions that the text declares.
func (t *text) definitions(u *ast.Unit) []*definition {
	var out []*definition
	var walk func(d ast.Decl, in definition)
	walk = func(d ast.Decl, in definition) {
		if d.Pos().File != t.file {
			return
		}
		if in.from < 0 {
			in.from, in.to = d.Pos().Offset, d.End().Offset
		}
		if in.space < 0 {
			in.space = in.from
		}
		into := func(list []ast.Decl) {
			for _, d := range list {
				in.from = -1
				walk(d, in)
			}
		}
		switch d := d.(type) {
		case *ast.NamespaceDecl:
			into(d.Decls)
		case *ast.LinkageDecl:
			into(d.Decls)
		case *ast.TemplateDecl:
			in.template = in.template || len(d.Params) > 0
			walk(d.Decl, in)
		case *ast.ClassDecl:
			if in.top < 0 {
				in.top = in.from
			}
			in.class = d
			into(d.Members)
		case *ast.FuncDecl:
			if in.top < 0 {
				in.top = in.from
			}
			in.decl = d
			in.to = max(in.to, d.End().Offset)
			out = append(out, &in)
		}
	}
	for _, d := range u.Decls {
		walk(d, definition{from: -1, top: -1, space: -1})
	}
	return out
}
