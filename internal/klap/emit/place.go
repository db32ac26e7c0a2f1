package emit

import (
	"fmt"
	"slices"
	"strings"

	"irgl/internal/cpp"
	"irgl/internal/cxx/ast"
	"irgl/internal/klap"
	"irgl/internal/source"
	"irgl/internal/tree"
	"irgl/syntax"
)

// definitionOf returns the definition in the text of a function of the source.
func (e *emitter) definitionOf(f *syntax.FuncDecl) *definition {
	at := f.Body.Pos()
	for _, d := range e.defs {
		if b := d.decl.Body; b != nil && at.File == e.t.file && b.Pos().Offset <= at.Offset && at.Offset < b.End().Offset {
			if tree.At(f.Body).To.Offset < b.End().Offset {
				e.fail(f, "the function is a lambda or of a local class, and another form of it has no name in the text")
			}
			return d
		}
	}
	e.fail(f, "the definition of %s is not found in the text", e.names.name(f.Name.Name))
	return nil
}

// collect lists the declarations that are new.
func (e *emitter) collect(list []*syntax.FuncDecl) {
	there := map[string]bool{}
	for _, d := range e.u.Tree.Decls {
		there[declared(d)] = true
	}
	changed := map[syntax.Decl]*definition{} // instances of templates
	for _, f := range list {
		if old := e.before[f.Name.Name]; old != nil {
			if def := e.definitionOf(old); def != nil && def.template {
				changed[f] = def
			}
		}
	}
	for _, d := range e.u.CUDA.Decls {
		f, fn := d.(*syntax.FuncDecl)
		name := declared(d)
		if def := changed[d]; def != nil {
			e.items = append(e.items, &item{decl: d, name: name, of: def, fn: f, at: def.to, special: true, uses: namesIn(d)})
			continue
		}
		if there[name] && (!fn || f.Body != nil) || name == "" || name == launchError {
			continue
		}
		if fn && f.Body == nil && there[name] && e.before[name] == nil {
			continue
		}
		it := &item{decl: d, name: name, fn: f, at: nowhere, proto: fn && f.Body == nil, uses: namesIn(d)}
		if fn && f.Body != nil {
			if old := e.originOf(name); old != nil {
				if it.of = e.definitionOf(old); it.of != nil {
					it.at = it.of.to
				}
			}
		}
		e.items = append(e.items, it)
	}
}

// namesIn returns the names of a declaration, of types too.
func namesIn(d syntax.Decl) tree.Names {
	out := tree.NamesIn(d)
	for n := range syntax.Preorder(d) {
		if t, ok := n.(*syntax.TagType); ok && t.Tag != nil {
			out[t.Tag.Name] = true
		}
	}
	return out
}

// declared returns the name that a declaration declares.
func declared(d syntax.Decl) string {
	switch d := d.(type) {
	case *syntax.FuncDecl:
		return d.Name.Name
	case *syntax.TypeDecl:
		if t, ok := d.Type.(*syntax.TagType); ok && t.Tag != nil {
			return t.Tag.Name
		}
	case *syntax.VarDecls:
		return d.Vars[0].Name.Name
	}
	return ""
}

// place gives each new declaration its place: in front of what uses it, and copies of functions behind
// these.
func (e *emitter) place(changed []*syntax.FuncDecl) {
	type user struct {
		at   int32
		uses tree.Names
	}
	var users []user
	for _, f := range changed {
		if old := e.before[f.Name.Name]; old != nil {
			if d := e.definitionOf(old); d != nil && !d.template {
				users = append(users, user{d.top, namesIn(f)})
			}
		}
	}
	for _, f := range changed {
		for _, at := range e.declaredAt(f) {
			users = append(users, user{at, typesOfParams(f)})
		}
	}
	prototype := map[string]bool{}
	for _, it := range e.items {
		if it.proto {
			prototype[it.name] = true
		}
	}
	for i := len(e.items) - 1; i >= 0; i-- {
		it := e.items[i]
		if it.special || !it.proto && prototype[it.name] && it.of != nil {
			users = append(users, user{it.at, it.uses})
			continue
		}
		for _, u := range users {
			if u.uses[it.name] {
				it.at = min(it.at, u.at)
			}
		}
		users = append(users, user{it.at, it.uses})
	}
	at := map[string]int32{}
	for _, it := range e.items {
		at[it.name] = max(at[it.name], it.at)
	}
	for _, it := range e.items {
		if it.proto || it.special || !prototype[it.name] || it.of != nil {
			continue
		}
		it.at = 0 // a function that the library declares, and that is of the program: behind all that it uses
		for name := range it.uses {
			if p, ok := at[name]; ok && p != nowhere && name != it.name {
				it.at = max(it.at, p)
			}
		}
		it.at = e.outside(it.at)
	}
	e.placeLibrary()
}

// instrumented refuses a variable of measurements that the text declares behind what uses it.
func (e *emitter) instrumented(changed []*syntax.FuncDecl) {
	o := e.u.Options.Klap
	for _, v := range []struct{ flag, name string }{{"--parts", o.Parts}, {"--residency", o.Residency}} {
		k := slices.IndexFunc(e.u.Tree.Decls, func(d syntax.Decl) bool { _, ok := d.(*syntax.VarDecls); return ok && declared(d) == v.name })
		if v.name == "" || k < 0 || e.u.Tree.Decls[k].Pos().File != e.t.file {
			continue
		}
		at := e.u.Tree.Decls[k].Pos()
		behind := slices.ContainsFunc(e.items, func(it *item) bool { return it.at < at.Offset && it.uses[v.name] })
		for _, f := range changed {
			if old := e.before[f.Name.Name]; old != nil && namesIn(f)[v.name] && old.Pos().File == e.t.file {
				behind = behind || old.Pos().Offset < at.Offset
			}
		}
		if behind {
			e.refuse(codeForm, at, source.Pos{}, "%s=%s: the text has uses of %s in front of this declaration: put it in front of the kernels", v.flag, v.name, v.name)
		}
	}
}

// placeLibrary puts what is used of the library in front of the first function that uses some of it, and outside of
// namespaces.
func (e *emitter) placeLibrary() {
	first := int32(nowhere)
	for _, it := range e.items {
		if it.at != nowhere && e.isLibrary(it.decl) {
			first = min(first, e.outermost(it.at))
		}
	}
	for _, it := range e.items {
		if it.at != nowhere && e.isLibrary(it.decl) {
			it.at = first
		}
	}
}

// isLibrary reports whether a declaration is one of klap.cu, not one that a pass has written or that the
// source has.
func (e *emitter) isLibrary(d syntax.Decl) bool { return klap.OfLibrary(d.Pos().File) }

// outermost returns the beginning of the declaration at namespace scope that an offset is in.
func (e *emitter) outermost(at int32) int32 {
	for _, d := range e.u.CXX.AST.Decls {
		if d.Pos().File == e.t.file && d.Pos().Offset <= at && at < d.End().Offset {
			return d.Pos().Offset
		}
	}
	return at
}

// outside returns the end of the namespace at namespace scope that an offset is in; the offset itself if it is in none.
func (e *emitter) outside(at int32) int32 {
	for _, d := range e.u.CXX.AST.Decls {
		if _, ok := d.(*ast.NamespaceDecl); ok && d.Pos().File == e.t.file && d.Pos().Offset < at && at < d.End().Offset {
			return d.End().Offset
		}
	}
	return at
}

// insert writes the new declarations.
func (e *emitter) insert() {
	groups := map[int32][]string{}
	macros := map[int32][][]string{} // what macros a text would have to be without, where it has none of the source
	var order []int32
	var list []change
	library, said := false, map[string]bool{}
	for _, it := range e.items {
		if it.at == nowhere || it.proto && (said[it.name] || e.declaredBefore(it)) {
			continue
		}
		if old := e.originOf(it.name); it.proto && old != nil {
			if def := e.definitionOf(old); def != nil && (def.class != nil || e.member(old) != nil) {
				continue // members need no prototypes
			}
		}
		said[it.name] = it.proto
		if it.of != nil && !it.proto && !it.special {
			e.declareMember(it)
		}
		text := withoutTemporaries(e.within(it, e.item(it)))
		if e.isLibrary(it.decl) && !library {
			library = true
			text = "// klap: what aggregated launches need of the library of irgl.\n\n" + text
		}
		if groups[it.at] == nil {
			order = append(order, it.at)
		}
		var hidden []string
		if e.made(it) {
			hidden = e.names.hidden(text)
		}
		groups[it.at], macros[it.at] = append(groups[it.at], text), append(macros[it.at], hidden)
	}
	for at, texts := range groups {
		e.names.hideMacros(texts, macros[at])
	}
	for _, at := range order {
		var b strings.Builder
		behind := e.outside(at-1) == at || slices.ContainsFunc(e.defs, func(d *definition) bool { return d.to == at })
		indentation := e.t.indentation(at)
		for i, text := range groups[at] {
			short := !strings.Contains(text, "\n")
			sep := "\n\n"
			if i > 0 && short && !strings.Contains(groups[at][i-1], "\n") {
				sep = "\n"
			}
			if behind || i > 0 {
				b.WriteString(sep + map[bool]string{true: indentation}[behind])
			}
			b.WriteString(indented(text, indentation))
			if !behind {
				indentation = ""
			}
		}
		if behind {
			list = append(list, change{at, at, b.String(), nil})
			continue
		}
		from := e.commentsBefore(at)
		list = append(list, change{from, from, b.String() + "\n\n", nil})
	}
	e.edits = append(list, e.edits...) // in front of what is said of the functions
}

// declaredBefore reports whether the source declares a function of a prototype in front of its place.
func (e *emitter) declaredBefore(it *item) bool {
	old := e.before[it.name]
	if old == nil {
		return false
	}
	def := e.definitionOf(old)
	if def != nil && def.template {
		return !slices.ContainsFunc(e.items, func(o *item) bool { return o.special && o.name == it.name })
	}
	if def == nil || def.from < it.at {
		return true
	}
	return slices.ContainsFunc(e.prototypes(def), func(d *definition) bool { return d.from < it.at })
}

// prototypes returns the declarations without a body of a function that is no member.
func (e *emitter) prototypes(def *definition) []*definition {
	same := func(d *definition) bool {
		return d.class == nil && nameText(e, d) == nameText(e, def) && e.spaceAt(d.from).prefix() == e.spaceAt(def.from).prefix()
	}
	overloads := 0
	for _, d := range e.defs {
		if d.decl.Body != nil && same(d) {
			overloads++
		}
	}
	var out []*definition
	for _, d := range e.defs {
		if d.decl.Body == nil && same(d) && (overloads < 2 || len(d.decl.Type.Params) == len(def.decl.Type.Params)) {
			out = append(out, d)
		}
	}
	return out
}

func nameText(e *emitter, d *definition) string {
	return string(e.t.file.Content[d.decl.Name.Pos().Offset:d.decl.Name.End().Offset])
}

// commentsBefore returns the beginning of the comments right in front of an offset.
func (e *emitter) commentsBefore(at int32) int32 {
	content := e.t.file.Content
	for at > 0 && content[at-1] != '\n' {
		at--
	}
	for at > 0 {
		from := at - 1
		for from > 0 && content[from-1] != '\n' {
			from--
		}
		if line := strings.TrimSpace(string(content[from : at-1])); !strings.HasPrefix(line, "//") {
			break
		}
		at = from
	}
	return at
}

// item returns the text of a new declaration.
func (e *emitter) item(it *item) string {
	if e.isLibrary(it.decl) {
		if text := libraryText(it.decl); text != "" {
			return e.names.renamedText(text)
		}
	}
	if it.special {
		return e.overload(it, it.of) + e.note(it.name) + e.special(e.before[it.name], it.fn, it.of)
	}
	if it.proto {
		old := e.originOf(it.name)
		if old == nil {
			old = e.before[it.name]
		}
		if old != nil {
			d, def := e.newEditor(old), e.definitionOf(old)
			if def != nil && def.template && e.before[it.name] != nil {
				return e.overload(it, def) + e.special(old, it.fn, def)
			}
			if def != nil && !old.Attrs.Has(syntax.Global) {
				return e.copyOf(d, old, it.fn, def)
			}
			return d.text(tree.Clone(it.decl))
		}
	}
	if d, ok := it.decl.(*syntax.TypeDecl); ok {
		return e.typeText(d)
	}
	if it.of == nil && it.fn != nil && it.fn.Body != nil && !e.isLibrary(it.decl) {
		return syntax.String(e.names.resolvedMade(e.names.stored(e.dereferenced(tree.Clone(it.fn)))))
	}
	if it.of == nil {
		return syntax.String(e.names.resolvedMade(tree.Clone(it.decl)))
	}
	old := e.originOf(it.name)
	d := e.newEditor(old)
	note := fmt.Sprintf("// klap: %s.\n", e.describe(it.name, old))
	if old.Attrs.Has(syntax.Global) {
		text := d.maybeUsed(d.printed(it.fn), old)
		if it.of.template {
			if in := e.instance(old, it.of); in != nil {
				text = in.bound(e, text)
			}
		}
		return note + text
	}
	return note + e.copyOf(d, old, it.fn, it.of)
}

// describe says what a copy is.
func (e *emitter) describe(name string, old *syntax.FuncDecl) string {
	what := "is another form of"
	switch {
	case strings.HasSuffix(name, "_agg") && old.Attrs.Has(syntax.Global):
		what = "does all launches that a group of threads joins of"
	case strings.HasSuffix(name, "_agg"), strings.HasSuffix(name, "_at"):
		what = "takes the built-in variables as a parameter in the place of those of"
	case strings.HasSuffix(name, "_coarse"):
		what = "does several blocks in each of its blocks, of"
	case strings.HasSuffix(name, "_serial"):
		what = "does in one thread a whole launch of"
	case strings.HasSuffix(name, "_from_kernel"):
		what = "has the instances that kernels launch of"
	case strings.HasSuffix(name, "_behind"):
		what = "does what the grids leave to it of"
	case strings.HasSuffix(name, "_thread"):
		what = "does one thread of"
	}
	return fmt.Sprintf("%s %s %s, line %d", e.names.part(name), what, e.names.name(old.Name.Name), e.line(old))
}

// line returns the line of the user's file that a node is in.
func (e *emitter) line(n syntax.Node) int {
	if n.Pos().File != e.t.file {
		return n.Pos().Line()
	}
	return e.t.origin(n.Pos().Offset).Line()
}

// libraryText returns a declaration of the library as its file has it, with comments.
func libraryText(d syntax.Decl) string {
	f := d.Pos().File
	from, to := d.Pos().Offset, d.End().Offset
	text := string(f.Content[from:to])
	if !sameTokens(text, syntax.String(d)) {
		return ""
	}
	for from > 0 {
		at := from - 1
		for at > 0 && f.Content[at-1] != '\n' {
			at--
		}
		line := string(f.Content[at:from])
		if !strings.HasPrefix(line, "//") {
			break
		}
		from = at
	}
	if text = string(f.Content[from:to]); !strings.HasSuffix(text, "}") && !strings.HasSuffix(text, ";") {
		text += ";"
	}
	if t, ok := d.(*syntax.TypeDecl); ok && t != nil && !strings.HasSuffix(text, ";") {
		text += ";"
	}
	return text
}

// sameTokens reports whether two texts are the same but for blanks, comments, brackets around
// statements and semicolons at the end.
func sameTokens(a, b string) bool {
	x, y := tokensOf(a), tokensOf(b)
	return slices.Equal(x, y)
}

func tokensOf(text string) []string {
	toks, _ := cpp.Scan(newFile(text), cpp.CXX)
	var out []string
	for i := range toks {
		if toks[i].Kind != cpp.EOF {
			out = append(out, toks[i].Text())
		}
	}
	if n := len(out); n > 0 && out[n-1] == ";" {
		out = out[:n-1]
	}
	return out
}
