package emit

import (
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"irgl/internal/compile"
	"irgl/internal/cpp"
	"irgl/internal/klap"
	"irgl/internal/source"
	"irgl/internal/tree"
	"irgl/syntax"
)

// A Result is a transformed program as text.
type Result struct {
	Text   []byte
	Report *klap.Report // nil without a transformation
	// Changed says that the text is not the file's.
	Changed bool
	Headers []string    // the files that the program includes, without those of the system
	Diags   source.List // of the program as it is
}

// maxRounds bounds how often headers and macros are put into the text.
const maxRounds = 32

// Text returns a CUDA C++ program with its launches transformed, as options.Klap asks for. folder is where
// the text is going to be; "" for that of the file. An error that is not of the program says what cannot be
// written.
func Text(file *source.File, options compile.Options, folder string) (*Result, error) {
	t := newText(file, []piece{{0, file, 0, false}})
	if folder == "" {
		folder = filepath.Dir(file.Name)
	}
	var r *Result
	var again source.Pos
	for range maxRounds {
		u, err := compile.Compile(t.file, syntax.CUDA, "check", options)
		if r == nil {
			r = &Result{Text: file.Content, Report: u.Klap, Diags: u.Diags}
			if u.CXX != nil {
				r.Headers = u.CXX.Includes
			}
		}
		if err != nil {
			return r, err
		}
		if u.Klap == nil {
			r.Text = t.with(t.relative(u.CXX.Preprocessed(), folder)).file.Content
			return r, nil
		}
		e := &emitter{t: t, u: u, expand: map[int32]bool{}, folder: folder}
		e.names = newNames(e)
		next, done, err := e.run()
		if err != nil {
			return r, err
		}
		if done {
			if err := e.readBack(next, options); err != nil {
				return r, err
			}
			r.Changed = len(e.edits) > 0
			r.Text = next.file.Content
			return r, nil
		}
		if len(e.expand) > 0 {
			again = t.origin(slices.Min(slices.Collect(maps.Keys(e.expand))))
		}
		t = next
	}
	return r, refusal(codeExpanded, again, source.Pos{}, "the macro must be taken apart for the change of the launches, and its name is there again behind that")
}

// readBack reads what is written, as a compiler will. next is the text with the changes. The place of an error is that in the source,
// or, in what is new, of the launch or the declaration that it is for.
func (e *emitter) readBack(next *text, options compile.Options) error {
	options.Klap = klap.Options{}
	file := source.NewFile(filepath.Join(e.folder, filepath.Base(next.file.Name)), next.file.Content)
	u, err := compile.Compile(file, syntax.CUDA, "check", options)
	if err == nil {
		return nil
	}
	for _, d := range u.Diags.Diags {
		if d.Severity != source.Error {
			continue
		}
		pos, end := d.Pos, source.Pos{}
		if d.Pos.File == file {
			if pos = next.origin(d.Pos.Offset); next.isNew(d.Pos.Offset) {
				pos, end = e.concerned(pos)
			}
		}
		return refusal(codeRefused, pos, end, "the text of the transformed program would not compile: %s", d.Message)
	}
	return err
}

// concerned returns the launch in the function in front of which a change of the source is, or which it is in, and that function
// if it has none.
func (e *emitter) concerned(pos source.Pos) (from, to source.Pos) {
	var f *definition
	for _, d := range e.defs {
		if at := e.t.origin(d.to); d.decl.Body != nil && at.File == pos.File && at.Offset >= pos.Offset && (f == nil || d.to < f.to) {
			f = d
		}
	}
	if f == nil {
		return pos, source.Pos{}
	}
	for _, s := range e.u.Klap.Sites {
		if s.Pos.File == e.t.file && f.from <= s.Pos.Offset && s.Pos.Offset < f.to {
			return e.t.origin(s.Pos.Offset), source.Pos{}
		}
	}
	return e.t.origin(f.decl.Name.Pos().Offset), e.t.origin(f.decl.Name.End().Offset)
}

// An emitter writes one version of the text.
type emitter struct {
	t      *text
	u      *compile.Unit
	names  *names
	folder string
	defs   []*definition
	macros map[int32]int32 // the expansions of the text's own macros, by the offset of the name
	count  map[int32]int   // and their tokens
	calls  []macroCall     // uses of macros with arguments, in the order of the text
	expand map[int32]bool  // the offsets of those that must be taken apart
	vars   map[int32]bool  // the offsets of the names of variables; nil before they are asked for
	err    error

	before map[string]*syntax.FuncDecl // the functions of the source with bodies, by symbol
	items  []*item
	edits  []change
	funcs  map[string]*syntax.FuncDecl // of the transformed program, by symbol; nil before they are asked for
	idle   tree.Names                  // the kernels that nothing launches any more
}

// A macroCall is the bytes of a use of a macro with arguments.
type macroCall struct{ from, to int32 }

// An item is a declaration that the transformation has made.
type item struct {
	decl  syntax.Decl
	name  string
	of    *definition // that it is a copy of; nil for none
	fn    *syntax.FuncDecl
	at    int32 // where it goes
	proto bool
	// special says that it is an instance of a template that has changed.
	special bool
	uses    tree.Names
}

// fail remembers the first thing that cannot be written: a function without another form.
func (e *emitter) fail(n syntax.Node, format string, args ...any) {
	e.refuse(codeForm, n.Pos(), source.Pos{}, format, args...)
}

// refuse remembers the first thing that cannot be written.
func (e *emitter) refuse(code source.Code, pos, end source.Pos, format string, args ...any) {
	if e.err != nil {
		return
	}
	for _, p := range []*source.Pos{&pos, &end} {
		if p.File == e.t.file {
			*p = e.t.origin(p.Offset)
		}
	}
	e.err = refusal(code, pos, end, format, args...)
}

// expandAt says that the macro whose name is at an offset must be taken apart, if it is more than a name
// for one token. So must be one that it is an argument of, as the text may have commas then.
func (e *emitter) expandAt(at int32) {
	if m := e.macros[at]; m != 0 && (e.count[at] != 1 || takesArguments(e.u.CXX.Preprocessed().Expansions[m].Def)) && !e.expandAround(at) {
		e.expand[at] = true
	}
}

// expandAround says that the macro must be taken apart that an offset is among the arguments of, and reports whether there is one.
func (e *emitter) expandAround(at int32) bool {
	for _, u := range e.calls {
		if u.from < at && at < u.to {
			e.expand[u.from] = true
			return true
		}
	}
	return false
}

// findMacros collects the uses of macros in the text.
func (e *emitter) findMacros(pre *cpp.Result) {
	e.macros, e.count = map[int32]int32{}, map[int32]int{}
	for i := range pre.Tokens {
		k := &pre.Tokens[i]
		if k.File() != e.t.file || k.Macro() == 0 {
			continue
		}
		m := k.Macro()
		for pre.Expansions[m].Outer != 0 {
			m = pre.Expansions[m].Outer
		}
		e.macros[k.From()] = m
		e.count[k.From()]++
	}
	for i, x := range pre.Expansions {
		if x.Outer == 0 && x.Use.File == e.t.file && x.Def.File != nil && takesArguments(x.Def) {
			e.macros[x.Use.Offset] = int32(i)
			e.calls = append(e.calls, macroCall{x.Use.Offset, e.t.invocation(x.Use.Offset, true)})
		}
	}
	slices.SortFunc(e.calls, func(a, b macroCall) int { return int(a.from - b.from) })
}

// own reports whether a header is one of ours.
func (e *emitter) own(f *source.File) bool {
	if f == e.t.file {
		return false
	}
	for _, inc := range e.u.CXX.Preprocessed().Includes {
		if inc.File == f {
			return inc.Found == cpp.Embedded
		}
	}
	return true
}

// run writes the text. It returns another version with more of headers and macros in it if it has to
// begin again.
func (e *emitter) run() (next *text, done bool, err error) {
	pre := e.u.CXX.Preprocessed()
	e.findMacros(pre)
	e.defs = e.t.definitions(e.u.CXX.AST)
	e.before = map[string]*syntax.FuncDecl{}
	for _, d := range e.u.Tree.Decls {
		if f, ok := d.(*syntax.FuncDecl); ok && f.Body != nil {
			e.before[f.Name.Name] = f
		}
	}
	changed := e.changed()
	if len(changed) == 0 {
		return e.t.with(e.t.relative(pre, e.folder)), true, nil
	}
	if list, err := e.headers(changed); err != nil || len(list) > 0 {
		return e.t.with(list), false, err
	}
	e.collect(changed)
	e.place(changed)
	e.instrumented(changed)
	e.qualify()
	e.avoid()
	for _, f := range changed {
		if old := e.before[f.Name.Name]; old != nil {
			e.inPlace(old, f)
		}
	}
	e.idle = e.unused()
	e.insert()
	e.behind()
	e.markUnused(e.idle)
	e.markHeaders()
	if len(e.expand) > 0 {
		return e.t.with(e.expansions(pre)), false, nil
	}
	if n := e.names; n.unnamed != "" {
		e.refuse(codeUnnamed, n.unnamedAt, source.Pos{}, "%s is among the arguments of a launch, and the text cannot name it", n.unnamed)
	}
	if e.err != nil {
		return nil, false, e.err
	}
	e.edits = append(e.edits, e.t.relative(pre, e.folder)...)
	return e.t.with(e.edits), true, nil
}

// expansions returns the changes that take macros apart.
func (e *emitter) expansions(pre *cpp.Result) []change {
	var list []change
	for _, at := range slices.Sorted(maps.Keys(e.expand)) {
		if n := len(list); n > 0 && at < list[n-1].to {
			continue // it is among the arguments of another one
		}
		x := pre.Expansions[e.macros[at]]
		end := e.t.invocation(at, takesArguments(x.Def))
		list = append(list, change{at, end, expansion(pre, e.t.file, at, end, e.own), nil})
	}
	return list
}

// changed returns the functions that are not as they were: those of the source, and those that are copies.
func (e *emitter) changed() []*syntax.FuncDecl {
	var out []*syntax.FuncDecl
	for _, d := range e.u.CUDA.Decls {
		f, ok := d.(*syntax.FuncDecl)
		if !ok || f.Body == nil || f.Name.Name == launchError { // the library has that, too
			continue
		}
		if old := e.before[f.Name.Name]; old != nil && syntax.Equal(old, f) {
			continue
		} else if old == nil && e.originOf(f.Name.Name) == nil {
			continue
		}
		out = append(out, f)
	}
	return out
}

// suffixes are those of copies, as package klap gives them.
var suffixes = [...]string{"_agg", "_coarse", "_serial", "_thread", "_at", "_from_kernel", "_behind"}

// originOf returns the function of the source that another one is a copy of.
func (e *emitter) originOf(name string) *syntax.FuncDecl {
	for {
		cut := ""
		for _, s := range suffixes {
			if rest, ok := strings.CutSuffix(name, s); ok {
				cut = rest
			}
		}
		if cut == "" || strings.HasPrefix(cut, "__klap_") {
			return nil
		}
		if f := e.before[cut]; f != nil {
			return f
		}
		name = cut
	}
}

// headers returns the changes that put the headers into the text that define functions that change. Of a header that is in
// another one, that one goes first; so do all that include a header that is to be read once, since they would read it again.
func (e *emitter) headers(changed []*syntax.FuncDecl) ([]change, error) {
	var list []change
	seen := map[*source.File]bool{}
	includes := e.u.CXX.Preprocessed().Includes
	var add func(file *source.File) bool
	add = func(file *source.File) bool {
		if file == nil || file == e.t.file || seen[file] {
			return true
		}
		seen[file] = true
		k := slices.IndexFunc(includes, func(i cpp.Include) bool { return i.File == file && i.Found == cpp.User })
		if k < 0 {
			return false
		}
		outer := includes[k].Pos.File
		if outer == e.t.file && len(onceDirectives(file)) > 0 {
			if j := slices.IndexFunc(includes, func(i cpp.Include) bool { return i.File == file && i.Pos.File != e.t.file }); j >= 0 {
				outer = includes[j].Pos.File
			}
		}
		if outer != e.t.file {
			return add(outer)
		}
		list = append(list, e.t.inlined(e.u.CXX.Preprocessed(), includes[k])...)
		return true
	}
	for _, f := range changed {
		old := e.before[f.Name.Name]
		if old == nil {
			old = e.originOf(f.Name.Name)
		}
		if !add(old.Pos().File) || !add(old.Body.Pos().File) { // that of a member's class, and of its definition
			return nil, refusal(codeForm, old.Pos(), source.Pos{}, "%s reads the built-in variables of its launch, and is of a header that the text cannot change", e.names.name(old.Name.Name))
		}
	}
	return list, nil
}

// nowhere is the place of what nothing uses.
const nowhere = math.MaxInt32
