package syntax

import (
	"maps"
	"slices"

	"irgl/internal/cpp"
	"irgl/internal/source"
)

// directives prepares the tokens of an IrGL text for the parser: a
// #define NAME value becomes a tokDefine, the name and value, and a
// tokLineEnd; other directives are reported and taken out.
func directives(toks []cpp.Token, diags *source.List) []cpp.Token {
	out := toks[:0:0]
	for i := 0; i < len(toks); {
		if t := &toks[i]; t.Kind != cpp.Punct || t.Text() != "#" || !t.StartsLine() {
			out = append(out, *t)
			i++
			continue
		}
		n := i + 1
		for toks[n].Kind != cpp.EOF && !toks[n].StartsLine() {
			n++
		}
		out = append(out, irglDirective(toks[i:n], diags)...)
		i = n
	}
	return out
}

// irglDirective returns what one directive's line becomes.
func irglDirective(line []cpp.Token, diags *source.List) []cpp.Token {
	hash, last := line[0], line[len(line)-1]
	pos, end := hash.Pos(), last.End()
	if len(line) == 1 {
		return nil // # alone is allowed, and nothing
	}
	switch word := line[1].Text(); {
	case word == "pragma":
		return cpp.Pragma(line, diags)
	case word != "define" || line[1].Kind != cpp.Ident:
		d := diags.Errorf(pos, end, CodeDirective, "IrGL has no directive #%s", word)
		d.Hint = "only #define NAME value and #pragma unroll"
		return nil
	case len(line) == 2 || line[2].Kind != cpp.Ident:
		diags.Errorf(pos, end, cpp.CodeMalformed, "expected a name other than a keyword after #define")
		return nil
	case len(line) == 3:
		diags.Errorf(pos, end, cpp.CodeMalformed, "%s is defined as nothing", line[2].Text()).Hint = "give it a value"
		return nil
	case line[3].Text() == "(" && line[3].Glued():
		diags.Errorf(pos, line[2].End(), CodeMacroFunc, "IrGL has no macros with parameters").Hint = "write a function"
		return nil
	}
	hash.Kind = tokDefine
	hash.Spell("", hash.From(), line[1].To())
	out := append([]cpp.Token{hash}, line[2:]...)
	last.Kind, last.Word, last.Name, last.Flags = tokLineEnd, cpp.NoWord, 0, 0
	last.Spell("", last.To(), last.To())
	return append(out, last)
}

// preprocessor returns the options of the preprocessor.
func (o Options) preprocessor() cpp.Options {
	out := cpp.Options{Dialect: cpp.C, Arch: o.Arch}
	for _, name := range slices.Sorted(maps.Keys(o.Defines)) {
		out.Defines = append(out.Defines, cpp.Define{Name: name, Value: o.Defines[name]})
	}
	if o.Include != nil {
		out.Includer = &includer{o.Include, map[string]*source.File{}}
	}
	return out
}

// An includer finds the files in quotes by the function of the options, which it asks once for each name. Headers in
// <> are C's and CUDA's own, whose names the checker knows.
type includer struct {
	open  func(name string) (*source.File, error)
	files map[string]*source.File
}

// Open implements [cpp.Includer].
func (i *includer) Open(name string, angled bool, _ *source.File) (*source.File, cpp.Found, error) {
	if angled {
		return nil, cpp.HostOnly, nil
	}
	if f := i.files[name]; f != nil {
		return f, cpp.User, nil
	}
	f, err := i.open(name)
	i.files[name] = f
	return f, cpp.User, err
}

// commentNodes returns the nodes of comments.
func commentNodes(comments []cpp.Comment) []*Comment {
	if len(comments) == 0 {
		return nil
	}
	list := make([]*Comment, len(comments))
	nodes := make([]Comment, len(comments))
	for i := range comments {
		c := &comments[i]
		nodes[i] = Comment{Span{c.Pos(), c.End()}, c.Text()}
		list[i] = &nodes[i]
	}
	return list
}
