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

// isNew reports whether a byte is of a change.
func (t *text) isNew(at int32) bool {
	return t.pieces[sort.Search(len(t.pieces), func(i int) bool { return t.pieces[i].at > at })-1].fixed
}

// token returns the index of the token that begins at an offset or behind it.
func (t *text) token(at int32) int {
	return sort.Search(len(t.toks), func(i int) bool { return t.toks[i].From() >= at })
}

// A change replaces bytes of a text. The lines of a replacement are those of the text of, if that is not
// nil, and otherwise of the place where the change begins.
type change struct {
	from, to int32
	text     string
	of       *text
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
			for _, p := range c.of.pieces {
				pieces = append(pieces, piece{int32(len(out)) + p.at, p.file, p.offset, p.fixed})
			}
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
		return t.toks[t.match[i+1]].To()
	}
	return t.toks[i].To()
}

// takesArguments reports whether the definition of a macro has parameters. Predefined ones have none.
func takesArguments(def source.Pos) bool {
	if def.File == nil {
		return false
	}
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
		if k.File() != file || k.From() < at || k.From() >= end {
			continue
		}
		name, of := k.Text(), int32(0)
		for m := k.Macro(); m != 0; m = pre.Expansions[m].Outer {
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
			name = `_Pragma("` + strings.TrimSpace("unroll "+k.Text()) + `")`
		case cpp.Pack:
			name = `_Pragma("pack(` + k.Text() + `)")`
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

// inlined returns the changes that put a header of the text's own directive in the place of that. A header that is to be read
// once loses its other directives, which must be of the text, too.
func (t *text) inlined(pre *cpp.Result, inc cpp.Include) []change {
	once := onceDirectives(inc.File)
	var list []change
	if len(once) > 0 {
		for _, other := range pre.Includes {
			if other.Pos != inc.Pos && other.File == inc.File && other.Pos.File == t.file {
				from, to := t.lineAt(other.Pos.Offset)
				list = append(list, change{from, to, "", nil})
			}
		}
	}
	header := newText(inc.File, []piece{{0, inc.File, 0, false}})
	for _, nested := range pre.Includes { // they are found from another folder now
		once = append(once, renamedHeader(inc.File, nested, inc.File.Name, filepath.Dir(t.file.Name))...)
	}
	header = header.with(once)
	from, to := t.lineAt(inc.Pos.Offset)
	return append(list, change{from, to, strings.TrimRight(string(header.file.Content), "\n"), header})
}

// lineAt returns the bytes of the line that an offset is in.
func (t *text) lineAt(at int32) (from, to int32) {
	from = at
	for from > 0 && t.file.Content[from-1] != '\n' {
		from--
	}
	to = from
	for int(to) < len(t.file.Content) && t.file.Content[to] != '\n' {
		to++
	}
	return from, to
}

// onceDirectives returns the changes that take #pragma once away, which is of a header.
func onceDirectives(f *source.File) []change {
	var list []change
	at := int32(0)
	for line := range bytes.SplitAfterSeq(f.Content, []byte("\n")) {
		if w := strings.Fields(string(line)); len(w) == 2 && w[0] == "#pragma" && w[1] == "once" {
			list = append(list, change{at, at + int32(len(bytes.TrimRight(line, "\r\n"))), "", nil})
		}
		at += int32(len(line))
	}
	return list
}

// relative returns the changes that name the headers of quoted directives by their paths from the folder to, if they are
// found beside the text.
func (t *text) relative(pre *cpp.Result, to string) []change {
	var list []change
	for _, inc := range pre.Includes {
		list = append(list, renamedHeader(t.file, inc, t.file.Name, to)...)
	}
	return list
}

// renamedHeader returns the change of a quoted directive of f, a file of the name name, that is to be read from the folder to: none for
// a header that is not found beside f.
func renamedHeader(f *source.File, inc cpp.Include, name, to string) []change {
	if inc.Pos.File != f || inc.Angled || inc.Found != cpp.User || inc.File == nil || filepath.IsAbs(inc.Name) {
		return nil
	}
	beside := filepath.Join(filepath.Dir(name), inc.Name)
	if filepath.Clean(inc.File.Name) != beside {
		return nil // it is found by -I
	}
	path, err := relativePath(to, beside)
	line := f.Content[inc.Pos.Offset:]
	open := bytes.IndexByte(line, '"')
	if err != nil || open < 0 || !bytes.HasPrefix(line[open+1:], []byte(inc.Name+`"`)) || path == inc.Name {
		return nil
	}
	at := inc.Pos.Offset + int32(open) + 1
	return []change{{at, at + int32(len(inc.Name)), path, nil}}
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
	from, to int32             // with the words of its template
	top      int32             // where the declaration of the outermost class begins that it is in
	space    int32             // and where that of the outermost namespace does
	template bool              // it, or a class around it, is a template
	class    *ast.ClassDecl    // that it is in; nil for none
	tmpl     *ast.TemplateDecl // the one template around it, with parameters; nil if there is none or are several
}

// generic reports whether a function is a member of a class template, defined in it, and no template itself: a copy of it is one, too.
func (d *definition) generic() bool {
	return d.class != nil && d.tmpl != nil && d.tmpl.Decl != ast.Decl(d.decl)
}

// definitions returns the functions that the text declares.
func (t *text) definitions(u *ast.Unit) []*definition {
	var out []*definition
	seen := map[*ast.ClassDecl]bool{} // the declarations of a list share their type
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
			if len(d.Params) > 0 {
				in.tmpl = map[bool]*ast.TemplateDecl{false: d}[in.template]
				in.template = true
			}
			walk(d.Decl, in)
		case *ast.ClassDecl:
			if in.top < 0 {
				in.top = in.from
			}
			in.class = d
			if !seen[d] {
				seen[d] = true
				into(d.Members)
			}
		case *ast.AliasDecl:
			if c := classIn(d.Type); c != nil {
				walk(c, in)
			}
		case *ast.VarDecl:
			if c := classIn(d.Type); c != nil {
				walk(c, in)
			}
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

// classIn returns the class that the type of a typedef or variable declares or names with its keyword, or nil.
func classIn(t ast.TypeExpr) *ast.ClassDecl {
	for {
		switch x := t.(type) {
		case *ast.QualType:
			t = x.Elem
		case *ast.PointerType:
			t = x.Elem
		case *ast.RefType:
			t = x.Elem
		case *ast.ArrayType:
			t = x.Elem
		case *ast.ClassType:
			return x.Decl
		default:
			return nil
		}
	}
}
