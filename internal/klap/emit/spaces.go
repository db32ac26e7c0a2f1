package emit

import (
	"maps"
	"slices"
	"strings"

	"irgl/internal/cxx/ast"
	"irgl/internal/tree"
	"irgl/syntax"
)

// Declarations in namespaces.
//
//	namespace n {                               namespace n {
//	__global__ void child(int *p) {...}         __global__ void child(int *p) {...}
//	                                            struct __klap_args_n_child {...};
//	}                                           }
//	__global__ void parent(int *p) {            static __device__ void __klap_end_parent(..., const struct n::__klap_args_n_child *k0) {...}
//	...
//
// A declaration is in the namespace of the first function that uses it, since the types that it names may be of that
// namespace, and other functions name it with the namespace in front. A prototype is in the namespace of its definition.

// unnamedSpace is what names of members of a namespace without a name begin with. Text has no word for it and needs none.
const unnamedSpace = "(anonymous namespace)::"

// spoken returns a name as the text can have it.
func spoken(name string) string { return strings.ReplaceAll(name, unnamedSpace, "") }

// A space is a namespace, by the names that it is opened with.
type space []string

// prefix returns what the names of the members of a namespace have in front of them elsewhere.
func (s space) prefix() string {
	if len(s) == 0 {
		return ""
	}
	return strings.Join(s, "::") + "::"
}

// spaceAt returns the namespace that an offset is in, without those that have no name.
func (e *emitter) spaceAt(at int32) space {
	var out space
	list := e.u.CXX.AST.Decls
	for {
		var in []ast.Decl
		for _, d := range list {
			if d.Pos().File != e.t.file || at <= d.Pos().Offset || d.End().Offset <= at {
				continue
			}
			switch d := d.(type) {
			case *ast.NamespaceDecl:
				for _, id := range d.Names {
					out = append(out, id.Name)
				}
				in = d.Decls
			case *ast.LinkageDecl:
				in = d.Decls
			}
			break
		}
		if in == nil {
			return out
		}
		list = in
	}
}

// qualify finds the namespaces of the new declarations, which have places.
func (e *emitter) qualify() {
	e.names.spaces = map[string]string{}
	for _, it := range e.items {
		if it.at == nowhere || it.special || e.before[it.name] != nil {
			continue
		}
		if it.of != nil && (it.of.class != nil || e.member(e.originOf(it.name)) != nil) {
			continue // its class is its scope
		}
		if _, done := e.names.spaces[it.name]; !done || !it.proto {
			e.names.spaces[it.name] = e.spaceAt(it.at).prefix()
		}
	}
	for _, it := range e.items {
		if !it.proto || it.at == nowhere {
			continue
		}
		if want, ok := e.spaceOf(it); ok {
			if have := e.spaceAt(it.at).prefix(); !strings.HasPrefix(want.prefix(), have) {
				it.at = e.outermost(it.at)
			}
		}
	}
}

// spaceOf returns the namespace that a prototype must be in.
func (e *emitter) spaceOf(it *item) (space, bool) {
	for _, o := range e.items {
		if o.name == it.name && !o.proto && o.at != nowhere {
			return e.spaceAt(o.at), true
		}
	}
	if old := e.before[it.name]; old != nil {
		if def := e.definitionOf(old); def != nil {
			return e.spaceAt(def.from), true
		}
	}
	return nil, false
}

// within returns the text of a prototype with the namespaces around it that its place is not in.
func (e *emitter) within(it *item, text string) string {
	want, ok := e.spaceOf(it)
	have := e.spaceAt(it.at)
	if !it.proto || !ok || len(have) >= len(want) {
		return text
	}
	for i := len(want) - 1; i >= len(have); i-- {
		text = "namespace " + want[i] + " { " + text + " }"
	}
	return text
}

// unused returns the kernels of this file alone that nothing launches any more, so that nvcc warns of them.
func (e *emitter) unused() tree.Names {
	before, now, out := tree.Names{}, tree.Names{}, tree.Names{}
	for _, d := range e.u.Tree.Decls {
		mentions(d, before)
	}
	for _, d := range e.u.CUDA.Decls {
		mentions(d, now)
	}
	for _, f := range e.before {
		if name := f.Name.Name; f.Attrs.Has(syntax.Global) && before[name] && !now[name] && f.Pos().File == e.t.file {
			if def := e.definitionOf(f); def != nil && (def.decl.Specs.Has(ast.Static) || strings.Contains(e.names.functions[name], unnamedSpace)) {
				out[name] = true
			}
		}
	}
	return out
}

// markUnused has nvcc not warn of such kernels. Specialisations have the mark already.
func (e *emitter) markUnused(list tree.Names) {
	for _, name := range slices.Sorted(maps.Keys(list)) {
		if def := e.definitionOf(e.before[name]); !def.template && def.class == nil {
			e.edits = append(e.edits, change{def.from, def.from, maybeUnused, nil})
		}
	}
}

const maybeUnused = "[[maybe_unused]] "

// markHeaders marks the static functions of headers that are in the text now: nvcc warns of unused ones of the file itself, and not of headers.
func (e *emitter) markHeaders() {
	for _, d := range e.defs {
		header := e.t.origin(d.from).File.Name != e.t.file.Name
		marked := func(c change) bool { return c.from == d.from && c.text == maybeUnused }
		if header && d.class == nil && !d.template && d.decl.Specs.Has(ast.Static) && !slices.ContainsFunc(e.edits, marked) {
			e.edits = append(e.edits, change{d.from, d.from, maybeUnused, nil})
		}
	}
}

// mentions adds the names in the body of a function but its own.
func mentions(d syntax.Decl, to tree.Names) {
	f, ok := d.(*syntax.FuncDecl)
	if !ok || f.Body == nil {
		return
	}
	for name := range tree.NamesIn(f) {
		if name != f.Name.Name {
			to[name] = true
		}
	}
}

// reference returns how the text names what the lowered program calls id.
func (n *names) reference(id string) string { return n.spaces[id] + spoken(n.name(id)) }

// declarator gives a declaration, which is a copy, its name without the namespace.
func (n *names) declarator(id *syntax.Ident) {
	name, depth := spoken(n.name(id.Name)), 0
	for i := len(name) - 1; i > 0; i-- {
		switch {
		case name[i] == '>':
			depth++
		case name[i] == '<':
			depth--
		case depth == 0 && name[i] == ':':
			id.Name = name[i+1:]
			return
		}
	}
	id.Name = name
}
