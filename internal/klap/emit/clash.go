package emit

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"irgl/internal/cpp"
	"irgl/internal/tree"
	"irgl/syntax"
)

// Names of the program that are those of what the transformation has made.
//
//	#define n 10                                static __device__ unsigned int __klap_blocks(unsigned int blocks, unsigned int __klap_own_n) {...}
//	__global__ void grid(int *p);               static __device__ void __klap_alone_grid(...) {
//	__device__ int child_agg;                   	dim3 __klap_own_grid = {k->gx, 1, 1}, ...
//	                                            	grid<<<__klap_own_grid, block, 0, stream>>>(k->a0);
//	                                            __global__ void child_agg_2(...);
//
// Functions, kernels and types that are new have names that the text has not. Variables, parameters and fields have __klap_own_ in front where a
// macro or what their function names has their name. Other words of theirs that are macros, as x and min, are none between
// push_macro and pop_macro.

// A clashes is what is called otherwise.
type clashes struct {
	macros  map[string]bool   // of the program
	fields  map[string]bool   // of new types
	renamed map[string]string // variables, parameters and fields
}

var define = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?m)^[ \t]*#[ \t]*define[ \t]+(\w+)`) })

// macroNames returns the names of the macros of the text and of the program's headers.
func (e *emitter) macroNames() map[string]bool {
	out := map[string]bool{}
	add := func(content []byte) {
		for _, m := range define().FindAllSubmatch(content, -1) {
			out[string(m[1])] = true
		}
	}
	add(e.t.file.Content)
	for _, inc := range e.u.CXX.Preprocessed().Includes {
		if inc.File != nil && inc.Found == cpp.User {
			add(inc.File.Content)
		}
	}
	for name := range e.u.Options.Defines {
		out[name] = true
	}
	return out
}

// made reports whether a declaration is one of the library or of functions and types that passes have written: it has no text of the
// source.
func (e *emitter) made(it *item) bool {
	return it.of == nil && !it.special && e.before[it.name] == nil && e.originOf(it.name) == nil
}

// avoid finds the names that the new declarations must not have.
func (e *emitter) avoid() {
	n := e.names
	n.clash = clashes{macros: e.macroNames(), fields: map[string]bool{}, renamed: map[string]string{}}
	n.fresh = map[string]string{}
	own, others := map[string]bool{}, maps.Clone(n.clash.macros)
	for _, it := range e.items {
		if it.at == nowhere {
			continue
		}
		if !e.isLibrary(it.decl) && !it.special && e.before[it.name] == nil {
			n.freshen(it.name)
		}
		if !e.made(it) {
			continue
		}
		mine := map[string]bool{}
		for x := range syntax.Preorder(it.decl) {
			switch x := x.(type) {
			case *syntax.Param:
				if x.Name != nil {
					mine[x.Name.Name] = true
				}
			case *syntax.VarDecl:
				if x.Name == nil {
					continue
				}
				mine[x.Name.Name] = true
				if _, typ := it.decl.(*syntax.TypeDecl); typ {
					n.clash.fields[x.Name.Name] = true
				}
			}
		}
		if maps.Copy(own, mine); !e.isLibrary(it.decl) {
			for _, word := range e.words(it.decl, mine) {
				others[word] = true
			}
		}
	}
	for name := range own {
		if others[name] && !strings.HasPrefix(name, "__klap_") && name != "x" && name != "y" && name != "z" {
			n.clash.renamed[name] = n.free("__klap_own_" + name)
		}
	}
}

// words returns the identifiers of the text of what a declaration names but does not declare.
func (e *emitter) words(d syntax.Decl, mine map[string]bool) []string {
	var out []string
	for x := range syntax.Preorder(d) {
		switch x := x.(type) {
		case *syntax.Ident:
			if text := e.names.reference(x.Name); !mine[x.Name] && text != x.Name || e.before[x.Name] != nil {
				out = append(out, tokensOf(text)...)
			}
		case *syntax.TagType:
			if x.Tag != nil && !x.Defined {
				for _, c := range e.names.tags[x.Tag.Name] {
					out = append(out, tokensOf(spoken(c.String()))...)
				}
			}
		case *syntax.Param:
			if t, ok := e.names.enums[x.Pos()]; ok {
				name, _ := enumeration(t)
				out = append(out, tokensOf(name)...)
			}
		}
	}
	return out
}

// freshen gives a new function, kernel or type a name that the text has not.
func (n *names) freshen(id string) {
	name := n.part(id)
	if free := n.free(name); free != name {
		n.fresh[id] = free
	}
}

// free returns a name that the text has not, by a number behind it.
func (n *names) free(name string) string {
	for k, out := 2, name; ; k++ {
		if !n.used[out] && !n.clash.macros[out] {
			return out
		}
		out = fmt.Sprintf("%s_%d", name, k)
	}
}

// field returns what a field of a new type is called.
func (n *names) field(name string) string {
	if to, ok := n.clash.renamed[name]; ok && n.clash.fields[name] {
		return to
	}
	return name
}

// ofOurs reports whether an expression is a variable of a new type, or a member of one.
func ofOurs(x syntax.Expr) bool {
	switch x := syntax.Unparen(x).(type) {
	case *syntax.Ident:
		return strings.HasPrefix(x.Name, "__klap_")
	case *syntax.MemberExpr:
		return ofOurs(x.X)
	case *syntax.UnaryExpr:
		return ofOurs(x.X)
	}
	return false
}

// resolvedMade gives a declaration that has no text of the source, a copy, the names of the text.
func (n *names) resolvedMade(x syntax.Node) syntax.Node {
	n.locals, n.all = map[string]string{}, true
	defer func() { n.locals, n.all = nil, false }()
	for d := range syntax.Preorder(x) {
		var id *syntax.Ident
		switch d := d.(type) {
		case *syntax.Param:
			id = d.Name
		case *syntax.VarDecl:
			id = d.Name
		}
		if id != nil {
			if to, ok := n.clash.renamed[id.Name]; ok {
				n.locals[id.Name] = to
			}
		}
	}
	return n.resolved(x)
}

// renamedText returns a text of the library with other names of its variables and fields.
func (n *names) renamedText(text string) string {
	if len(n.clash.renamed) == 0 {
		return text
	}
	f := newFile(text)
	toks, _ := cpp.Scan(f, cpp.CXX)
	var b strings.Builder
	last := int32(0)
	for i := range toks {
		if to, ok := n.clash.renamed[toks[i].Text()]; ok && toks[i].Kind == cpp.Ident {
			b.WriteString(text[last:toks[i].From()] + to)
			last = toks[i].To()
		}
	}
	return b.String() + text[last:]
}

// hidden returns the macros of the program that are words of a text that has none of the source.
func (n *names) hidden(text string) []string {
	seen := tree.Names{}
	for _, word := range tokensOf(text) {
		if n.clash.macros[word] {
			seen[word] = true
		}
	}
	return slices.Sorted(maps.Keys(seen))
}

// hideMacros puts the directives that take macros away and give them back around texts that are side by side and have words that
// are macros.
func (n *names) hideMacros(texts []string, macros [][]string) {
	for i := 0; i < len(texts); i++ {
		first, list := i, slices.Clone(macros[i])
		if len(list) == 0 {
			continue
		}
		for i+1 < len(texts) && len(macros[i+1]) > 0 {
			i++
			list = append(list, macros[i]...)
		}
		slices.Sort(list)
		for _, m := range slices.Compact(list) {
			texts[first] = fmt.Sprintf("#pragma push_macro(%q)\n#undef %s\n", m, m) + texts[first]
			texts[i] += fmt.Sprintf("\n#pragma pop_macro(%q)", m)
		}
	}
}
