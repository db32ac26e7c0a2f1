package emit

import (
	"fmt"
	"slices"
	"strings"

	"irgl/internal/cpp"
	"irgl/internal/cxx/ast"
	"irgl/internal/source"
	"irgl/internal/tree"
	"irgl/syntax"
)

func newFile(text string) *source.File { return source.NewFile("", []byte(text)) }

// remark puts a comment into a call that notes a launch: where the source has the launch.
func (e *emitter) remark(n syntax.Node) {
	c, ok := n.(*syntax.CallExpr)
	if !ok || !e.inText(tree.At(c)) {
		return
	}
	id, ok := c.Fun.(*syntax.Ident)
	if !ok || !strings.HasPrefix(id.Name, "__klap_set_") && !strings.HasPrefix(id.Name, "__klap_push_") {
		return
	}
	c.Fun = &syntax.Ident{Name: fmt.Sprintf("/* klap: launch, line %d */ %s", e.line(c), e.names.reference(id.Name))}
}

// inPlace changes a function of the source where it is.
func (e *emitter) inPlace(old, f *syntax.FuncDecl) {
	def := e.definitionOf(old)
	if def == nil {
		return
	}
	if def.template { // a declaration behind it
		return
	}
	d := e.newEditor(old)
	e.edits = append(e.edits, e.params(old, f, def)...)
	if m := e.declarationOf(old, def); m != nil || grows(old, f) {
		for _, d := range e.declarationsOf(old, def) {
			e.edits = append(e.edits, e.params(old, f, d)...)
		}
	}
	e.edits = append(e.edits, change{def.from, def.from, e.note(f.Name.Name) + e.t.indentation(def.from), nil})
	from, to := old.Body.Pos().Offset, old.Body.End().Offset
	e.edits = append(e.edits, change{from, to, withoutTemporaries(indented(d.render(f.Body), e.t.indentation(from))), nil})
}

// note says above a function what has become of the launches in it.
func (e *emitter) note(symbol string) string {
	name := e.names.name(symbol)
	var list []string
	for _, s := range e.u.Klap.Sites {
		if s.Parent != name && s.Parent != symbol && !strings.HasPrefix(s.Parent, name+"(") {
			continue
		}
		what := slices.Clone(s.Before)
		if s.Done != "" {
			what = append(what, s.Done)
		}
		if len(what) > 0 {
			line := s.Pos.Line()
			if s.Pos.File == e.t.file {
				line = e.t.origin(s.Pos.Offset).Line()
			}
			list = append(list, fmt.Sprintf("// klap: line %d, launch of %s: %s.\n", line, s.Child, strings.Join(what, "; ")))
		}
	}
	if len(list) == 0 {
		return fmt.Sprintf("// klap: %s passes on what the kernels that call it need.\n", name)
	}
	return strings.Join(list, "")
}

// paren returns the index of the bracket that opens the parameters of a definition.
func (e *emitter) paren(def *definition) int {
	i := e.t.token(def.decl.Name.End().Offset)
	for i < len(e.t.toks) && e.t.toks[i].Word != cpp.LParen {
		i++
	}
	return i
}

// params returns the changes of a function's parameters: some are added, behind which none has a default argument, and others are
// __restrict__ no more.
func (e *emitter) params(old, f *syntax.FuncDecl, def *definition) []change {
	var out []change
	open := e.paren(def)
	end := e.t.match[open]
	given := len(old.Params)
	if given == 1 && old.Params[0].Name == nil {
		given = 0
	}
	n := min(given, len(f.Params))
	if !slices.EqualFunc(old.Params[:n], f.Params[:n], func(a, b *syntax.Param) bool { return syntax.Equal(a, b) }) {
		for i := open; i < end; i++ {
			if k := &e.t.toks[i]; k.Text() == "__restrict__" || k.Text() == "__restrict" {
				out = append(out, change{k.From(), k.To(), "", nil})
			} else if e.macros[k.From()] != 0 {
				e.expandAt(k.From())
			}
		}
	}
	if len(f.Params) > given && !(len(f.Params) == 1 && f.Params[0].Name == nil) {
		out = append(out, e.withoutDefaults(def)...)
		var list []string
		for _, p := range f.Params[given:] {
			list = append(list, syntax.String(e.names.resolved(tree.Clone(p))))
		}
		text := strings.Join(list, ", ")
		switch first := &e.t.toks[open+1]; {
		case end == open+1:
		case end == open+2 && first.Text() == "void":
			out = append(out, change{first.From(), first.To(), "", nil})
		default:
			text = ", " + text
		}
		out = append(out, change{e.t.toks[end].From(), e.t.toks[end].From(), text, nil})
	}
	return out
}

// withoutDefaults returns the changes that take the default arguments of a function away.
func (e *emitter) withoutDefaults(def *definition) []change {
	var out []change
	for _, p := range def.decl.Type.Params {
		if p.Default == nil {
			continue
		}
		from := e.t.token(p.Default.Pos().Offset) - 1 // the =
		e.expandAt(p.Default.Pos().Offset)
		out = append(out, change{e.t.toks[from-1].To(), p.Default.End().Offset, "", nil})
	}
	return out
}

// hasNoCopy refuses a function that is not called by a name.
func (e *emitter) hasNoCopy(old *syntax.FuncDecl, def *definition) bool {
	h := e.member(old)
	if def.decl.Name.Last.Kind == ast.Identifier && (h == nil || !h.Constructor) {
		return false
	}
	e.fail(old, "%s is a constructor, a destructor or an operator, and its form with other built-in variables cannot be called as that", e.names.name(old.Name.Name))
	return true
}

// copyOf returns the text of a copy of a device function: that of the function with another name, parameters and
// what differs in the body. Without a body it is a prototype.
func (e *emitter) copyOf(d *editor, old, f *syntax.FuncDecl, def *definition) string {
	if e.hasNoCopy(old, def) {
		return ""
	}
	if def.template && !def.generic() {
		if in := e.instance(old, def); in != nil {
			return e.instanceText(in, d, old, f, "", e.names.part(f.Name.Name))
		}
		return ""
	}
	list := e.params(old, f, def)
	k := e.t.token(def.decl.Name.End().Offset) - 1
	list = append(list, change{e.t.toks[k].From(), e.t.toks[k].To(), e.names.part(f.Name.Name), nil})
	from, to := old.Body.Pos().Offset, old.Body.End().Offset
	if f.Body != nil {
		list = append(list, change{from, to, indented(d.render(f.Body), e.t.indentation(from)), nil})
		return outdented(e.splice(def.from, to, list), e.t.indentation(def.from))
	}
	return outdented(strings.TrimRight(e.splice(def.from, from, list), " \t\n"), e.t.indentation(def.from)) + ";"
}
