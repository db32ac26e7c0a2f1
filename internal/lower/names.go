package lower

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"sync"

	"irgl/internal/abi"
	"irgl/internal/check"
	"irgl/syntax"
)

// A name of the program keeps its spelling in the .cu text unless C++, or a
// header that the text includes, has it already: then it gets an underscore at
// its end. So does a name that differs from such a one only by underscores at
// its end, which keeps different names different.

//go:embed reserved.txt
var reservedText string

// reserved holds the sections of reserved.txt as sets.
var reserved = sync.OnceValue(func() map[string]map[string]bool {
	sets := map[string]map[string]bool{}
	var set map[string]bool
	for line := range strings.Lines(reservedText) {
		if title, ok := strings.CutPrefix(line, "# "); ok {
			title, _, _ = strings.Cut(title, ":")
			set = map[string]bool{}
			sets[title] = set
			continue
		}
		for word := range strings.FieldsSeq(line) {
			set[word] = true
		}
	}
	return sets
})

// isWord reports whether no name at all may be word.
func isWord(word string) bool { return reserved()["words"][word] }

// isGlobal reports whether nothing outside functions may be called word.
func isGlobal(word string) bool {
	return isWord(word) || reserved()["globals"][word] || check.LookupBuiltin(word) != nil
}

// avoid returns name, with one more underscore when taken holds of it without
// its underscores.
func avoid(name string, taken func(string) bool) string {
	if taken(strings.TrimRight(name, "_")) {
		return name + "_"
	}
	return name
}

// GlobalName returns the name that a variable, type or function declared
// outside functions has in the lowered program.
func GlobalName(name string) string { return avoid(name, isGlobal) }

// FieldName returns the field of struct irgl_graph that points to a property's
// values.
func FieldName(prop string) string {
	return avoid(prop, func(s string) bool {
		return slices.Contains(abi.Fields(), s) || isWord(s)
	})
}

// localName returns the name of a local variable, parameter, label or member.
// What is declared outside functions keeps its underscore for itself.
func localName(name string) string {
	if strings.HasSuffix(name, "_") {
		return GlobalName(name)
	}
	return avoid(name, isWord)
}

// nameOf returns the name that an object has in the lowered program.
func nameOf(obj *check.Object) string {
	if obj.Global || obj.Kind == check.FuncObj {
		return GlobalName(obj.Name)
	}
	return localName(obj.Name)
}

// typeNameOf returns the lowered form of a typedef's name or a tag: types that
// the program does not declare keep theirs.
func (l *lowerer) typeNameOf(name string) string {
	if l.types[name] {
		return GlobalName(name)
	}
	return name
}

// collectNames finds the names of types and those used outside functions, and
// refuses names that the device library has to itself.
func (l *lowerer) collectNames() {
	l.types, l.enums, l.taken = map[string]bool{}, map[string]bool{}, map[string]bool{}
	refused := map[string]bool{}
	syntax.Inspect(l.info.File, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Ident:
			if strings.HasPrefix(n.Name, abi.Prefix) && !refused[n.Name] {
				refused[n.Name] = true
				l.diags.Errorf(n.Pos(), n.End(), CodeReserved, "the name %s is reserved", n.Name).
					Hint = "names that start with " + abi.Prefix + " belong to the device library"
			}
		case *syntax.TypeDecl:
			if n.Name != nil {
				l.types[n.Name.Name] = true
			}
		case *syntax.TagType:
			switch {
			case n.Tag == nil:
			case n.Kind == syntax.EnumTag:
				l.enums[n.Tag.Name] = true
			default:
				l.types[n.Tag.Name] = true
			}
		}
		return true
	})
	for name := range l.types {
		l.taken[GlobalName(name)] = true
	}
	for _, obj := range l.info.Globals {
		l.taken[GlobalName(obj.Name)] = true
	}
	for _, f := range l.info.Funcs {
		l.taken[GlobalName(f.Decl.Name.Name)] = true
	}
	for l.textGraph = "graph"; l.taken[l.textGraph]; {
		l.textGraph += "_"
	}
	for _, f := range l.info.Funcs {
		if f.Decl.Kind == syntax.KernelFunc {
			l.nameVariants(f)
		}
	}
}

// nameVariants chooses the names of a kernel's __global__ functions.
func (l *lowerer) nameVariants(f *check.FuncInfo) {
	for _, v := range variantsOf(f) {
		name := GlobalName(f.Decl.Name.Name)
		if v.aggr != syntax.NoAggr {
			for name += "_" + strings.ToLower(v.aggr.String()); l.taken[name]; {
				name += "_"
			}
			l.taken[name] = true
		}
		l.variantNames[v] = name
	}
}

// begin starts a function: it collects the names its text uses, and chooses
// that of the parameter that carries the graph.
func (l *lowerer) begin(f *check.FuncInfo, host bool) {
	l.function = function{host: host, shared: l.inHost[f] && l.inKernel[f], names: map[string]bool{}, dst: map[*check.Object]string{}, src: map[*check.Object]string{}, index: map[*check.Object]bool{}}
	syntax.Inspect(f.Decl, func(n syntax.Node) bool {
		id, ok := n.(*syntax.Ident)
		if !ok {
			return true
		}
		obj := l.info.Uses[id]
		if obj == nil {
			obj = l.info.Defs[id]
		}
		switch {
		case obj == nil:
			l.names[localName(id.Name)] = true
		case obj.Kind != check.GraphObj:
			l.names[nameOf(obj)] = true
		}
		return true
	})
	l.graph = l.fresh(l.graphName)
}

// fresh returns a name that the function does not use, like want. Where many want
// the same, they are numbered, so that neither names nor searches grow long.
func (l *lowerer) fresh(want string) string {
	const underscores = 3
	name := want
	for n := 1; l.names[name]; n++ {
		if n <= underscores {
			name += "_"
			continue
		}
		if l.numbers == nil {
			l.numbers = map[string]int{}
		}
		l.numbers[want]++
		name = fmt.Sprintf("%s__%d", want, l.numbers[want])
	}
	l.names[name] = true
	return name
}
