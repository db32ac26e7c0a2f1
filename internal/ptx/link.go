package ptx

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// A Part is a module that is linked with others.
type Part struct {
	Name   string // of its file, for messages
	Module *Module
	// Library says that the part is of an archive: it is linked if the others need it, or if
	// it needs nothing that they lack.
	Library bool
}

// A Linked is what [Link] makes of parts.
type Linked struct {
	Module *Module
	// Included says which parts are in the module, and Needed which of them are of no archive
	// or define what others use.
	Included, Needed []bool
}

// maxLinkErrors bounds the errors that Link reports.
const maxLinkErrors = 20

// runtimeFunctions are those that the driver provides.
var runtimeFunctions = []string{"vprintf", "malloc", "free", "__assertfail"}

// isRuntime reports whether a function is the driver's, or of CUDA's device runtime, which the driver links.
func isRuntime(name string) bool {
	return slices.Contains(runtimeFunctions, name) || strings.HasPrefix(name, "__cudaCDP2")
}

// Link makes one module of several, whose functions and variables with the linkages visible and weak may be
// used by the others as extern ones. Weak definitions of one name are merged: the first is taken. Local
// names that several parts have are changed. title makes the name in messages of a symbol. The
// parts' modules are part of the result and must not be used any more.
//
// Undefined and multiply defined symbols, declarations that do not match their definitions, and
// parts for several targets are errors, up to 20 of them joined.
func Link(parts []Part, title func(symbol string) string) (*Linked, error) {
	l := &linker{title: title, defs: map[string]*definition{}, taken: map[string]bool{}, out: &Module{AddressSize: 64}}
	for i := range parts {
		l.parts = append(l.parts, newLinkPart(&parts[i]))
	}
	result := &Linked{Module: l.out}
	l.choose()
	for _, p := range l.parts {
		result.Included = append(result.Included, p.included)
		result.Needed = append(result.Needed, p.needed)
	}
	l.parts = slices.DeleteFunc(l.parts, func(p *linkPart) bool { return !p.included })
	l.header()
	for _, p := range l.parts {
		l.define(p)
	}
	for _, p := range l.parts {
		l.resolve(p)
	}
	if len(l.errs) > 0 {
		return nil, errors.Join(l.errs[:min(len(l.errs), maxLinkErrors)]...)
	}
	l.rename()
	l.write()
	return result, nil
}

// A linker links parts.
type linker struct {
	title func(string) string
	parts []*linkPart
	defs  map[string]*definition // visible and weak ones, by name
	taken map[string]bool        // names in the result
	out   *Module
	errs  []error
}

// A definition is the one that is taken of a name.
type definition struct {
	part *linkPart
	decl Decl
	weak bool
}

// A linkPart is a part with its symbols.
type linkPart struct {
	*Part
	defines  map[string]Decl // visible and weak ones
	uses     map[string]bool // names at module level that its code and initial values have
	externs  []string        // of uses, those that it does not define, in order of declaration
	dropped  map[Decl]bool   // another part's definition is taken
	renamed  map[string]string
	included bool
	needed   bool
}

func newLinkPart(p *Part) *linkPart {
	l := &linkPart{Part: p, defines: map[string]Decl{}, uses: map[string]bool{}, dropped: map[Decl]bool{}, renamed: map[string]string{}, needed: !p.Library}
	for _, d := range p.Module.Decls {
		eachSymbol(d, func(name *string) { l.uses[*name] = true })
		if linkage := linkageOf(d); !isDeclaration(d) && (linkage == "visible" || linkage == "weak") {
			l.defines[declName(d)] = d
		}
	}
	for _, d := range p.Module.Decls {
		name := declName(d)
		if isDeclaration(d) && linkageOf(d) == "extern" && !isDynamic(d) && l.uses[name] && !isRuntime(name) && !slices.Contains(l.externs, name) {
			l.externs = append(l.externs, name)
		}
	}
	return l
}

// choose decides which parts of archives are linked. What of an archive nothing needs is linked, since
// host code may launch its kernels, unless it lacks a definition or has one that is there.
func (l *linker) choose() {
	have := map[string]bool{}
	take := func(p *linkPart) {
		p.included = true
		for name := range p.defines {
			have[name] = true
		}
	}
	for _, p := range l.parts {
		if p.needed {
			take(p)
		}
	}
	for again := true; again; {
		again = false
		for _, p := range l.parts {
			if !p.needed && l.wants(p, have) {
				p.needed, again = true, true
				take(p)
			}
		}
	}
	rest := slices.DeleteFunc(slices.Clone(l.parts), func(p *linkPart) bool {
		return p.included || slices.ContainsFunc(p.strong(), func(name string) bool { return have[name] })
	})
	for n := -1; n != len(rest); {
		n = len(rest)
		all := map[string]bool{}
		for _, p := range rest {
			for name := range p.defines {
				all[name] = true
			}
		}
		rest = slices.DeleteFunc(rest, func(p *linkPart) bool {
			return slices.ContainsFunc(p.externs, func(name string) bool { return !have[name] && !all[name] })
		})
	}
	for _, p := range rest {
		if !slices.ContainsFunc(p.strong(), func(name string) bool { return have[name] }) {
			take(p)
		}
	}
}

// strong returns the names that p defines and no other part may define, sorted.
func (p *linkPart) strong() []string {
	var names []string
	for name, d := range p.defines {
		if linkageOf(d) == "visible" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// wants reports whether a needed part uses what p defines and none of them does.
func (l *linker) wants(p *linkPart, have map[string]bool) bool {
	return slices.ContainsFunc(l.parts, func(q *linkPart) bool {
		return q.needed && slices.ContainsFunc(q.externs, func(name string) bool { return !have[name] && p.defines[name] != nil })
	})
}

func (l *linker) errorf(format string, args ...any) {
	l.errs = append(l.errs, fmt.Errorf(format, args...))
}

// header merges versions, targets and file names.
func (l *linker) header() {
	files := map[string]int{}
	for i, p := range l.parts {
		m := p.Module
		if i == 0 {
			l.out.Target = m.Target
		} else if m.Target != l.out.Target {
			l.errorf("%s is for %s, and %s for %s", p.Name, m.Target, l.parts[0].Name, l.out.Target)
		}
		if compareVersions(m.Version, l.out.Version) > 0 {
			l.out.Version = m.Version
		}
		numbers := map[int]int{}
		for _, f := range m.Files {
			if files[f.Name] == 0 {
				files[f.Name] = len(files) + 1
				l.out.Files = append(l.out.Files, FileName{Index: files[f.Name], Name: f.Name})
			}
			numbers[f.Index] = files[f.Name]
		}
		for _, d := range m.Decls {
			if f, ok := d.(*Func); ok {
				renumber(f.Body, numbers)
			}
		}
	}
}

// renumber changes the files of positions.
func renumber(body []Stmt, numbers map[int]int) {
	for _, s := range body {
		switch s := s.(type) {
		case *Loc:
			s.File = numbers[s.File]
		case *Scope:
			renumber(s.Body, numbers)
		}
	}
}

// compareVersions compares PTX versions such as 7.8 and 8.0; "" is the least.
func compareVersions(a, b string) int {
	number := func(s string) (major, minor int) {
		x, y, _ := strings.Cut(s, ".")
		major, _ = strconv.Atoi(x)
		minor, _ = strconv.Atoi(y)
		return major, minor
	}
	a1, a2 := number(a)
	b1, b2 := number(b)
	return cmp.Or(a1-b1, a2-b2)
}

// define enters the definitions of a part.
func (l *linker) define(p *linkPart) {
	for _, d := range p.Module.Decls {
		name := declName(d)
		if linkageOf(d) == "extern" {
			l.taken[name] = true
		}
		if p.defines[name] != d {
			continue
		}
		old := l.defs[name]
		weak := linkageOf(d) == "weak"
		switch {
		case old == nil:
			l.defs[name] = &definition{p, d, weak}
			l.taken[name] = true
			continue
		case !weak && !old.weak:
			l.errorf("multiple definition of '%s': in %s and %s", l.title(name), old.part.Name, p.Name)
		case mismatch(old.decl, d) != "":
			l.errorf("'%s' has different %s in %s and %s", l.title(name), mismatch(old.decl, d), old.part.Name, p.Name)
		}
		if old.weak && !weak {
			old.part.dropped[old.decl] = true
			l.defs[name] = &definition{p, d, weak}
		} else {
			p.dropped[d] = true
		}
	}
}

// resolve checks what a part uses of others.
func (l *linker) resolve(p *linkPart) {
	for _, name := range p.externs {
		if l.defs[name] == nil {
			l.errorf("%s: undefined reference to '%s'", p.Name, l.title(name))
		}
	}
	for _, d := range p.Module.Decls {
		def := l.defs[declName(d)]
		if !isDeclaration(d) || linkageOf(d) != "extern" || def == nil {
			continue
		}
		if what := mismatch(def.decl, d); what != "" {
			l.errorf("'%s' has different %s in %s, which defines it, and %s", l.title(declName(d)), what, def.part.Name, p.Name)
		} else if v, ok := d.(*Var); ok {
			own := def.decl.(*Var)
			own.Align = max(own.Align, v.Align)
		}
	}
}

// mismatch returns in what two declarations of a name differ, "" if they match.
func mismatch(a, b Decl) string {
	switch a := a.(type) {
	case *Var:
		b, ok := b.(*Var)
		switch {
		case !ok:
			return "kinds"
		case a.Space != b.Space:
			return "memories"
		}
		n, known := a.ByteSize()
		m, also := b.ByteSize()
		if a.Type == "u64" || b.Type == "u64" { // of words, since its initial value has addresses
			n, m = (n+7)/8, (m+7)/8
		}
		if known && also && n != m {
			return "sizes"
		}
	case *Func:
		b, ok := b.(*Func)
		switch {
		case !ok || a.Entry != b.Entry:
			return "kinds"
		case !slices.EqualFunc(a.Results, b.Results, sameParam):
			return "types of the result"
		case !slices.EqualFunc(a.Params, b.Params, sameParam):
			return "parameters"
		}
	}
	return ""
}

func sameParam(a, b *Var) bool {
	return a.Type.Size() == b.Type.Size() && a.Align == b.Align && a.Array == b.Array && slices.Equal(a.Dims, b.Dims)
}
