package emit

import (
	"fmt"
	"slices"
	"strings"

	"irgl/internal/cxx/hir"
	"irgl/internal/tree"
	"irgl/syntax"
)

// Members that are defined outside of their class.
//
//	struct graph {                              struct graph {
//		__device__ int degree(int i);       	__device__ int degree(int i);
//	};                                          	__device__ int graph_degree_agg(int i, const struct __klap_place *__klap_here);
//	__device__ int graph::degree(int i) {...}   };
//	                                            __device__ int graph::degree(int i) {...}
//	                                            __device__ int graph::graph_degree_agg(int i, ...) {...}
//
// The class declares a copy behind the member itself, with the words of that declaration, so that the copy has
// its access, and static and default arguments stay with the class. The analysis knows where that is. The class is of the text then: its header
// goes into it.

// member returns a member function whose symbol is that of f, or nil.
func (e *emitter) member(f *syntax.FuncDecl) *hir.Func {
	k := slices.IndexFunc(e.u.CXX.HIR.Funcs, func(h *hir.Func) bool { return h.Symbol == f.Name.Name })
	if k < 0 || e.u.CXX.HIR.Funcs[k].Of == nil {
		return nil
	}
	return e.u.CXX.HIR.Funcs[k]
}

// declarationOf returns the declaration in its class of a member that is defined elsewhere by def; nil for other functions.
func (e *emitter) declarationOf(f *syntax.FuncDecl, def *definition) *definition {
	if def == nil || def.class != nil {
		return nil
	}
	h := e.member(f)
	if h == nil {
		return nil
	}
	at := h.Pos()
	if e.macros[at.Offset] != 0 {
		e.expandAt(at.Offset)
		return nil
	}
	for _, d := range e.defs {
		if d.class != nil && at.File == e.t.file && d.decl.Name.Pos().Offset == at.Offset {
			return d
		}
	}
	return nil
}

// declarationsOf returns the declarations that change with a function that has more parameters now: that in its class, or those without
// a body. Templates have none: an instance specialises another template.
func (e *emitter) declarationsOf(f *syntax.FuncDecl, def *definition) []*definition {
	if m := e.declarationOf(f, def); m != nil {
		return []*definition{m}
	}
	if def == nil || def.template || def.class != nil || e.member(f) != nil {
		return nil
	}
	return e.prototypes(def)
}

// declaredAt returns where what the parameters of a function name must be declared that is changed or is a copy, beside the function: in front
// of its declarations, and of the class that declares a member.
func (e *emitter) declaredAt(f *syntax.FuncDecl) []int32 {
	old := e.before[f.Name.Name]
	if old == nil {
		old = e.originOf(f.Name.Name)
		if m := e.declarationOf(old, e.definitionOf(old)); m != nil {
			return []int32{m.top}
		}
		return nil
	}
	if !grows(old, f) {
		return nil
	}
	var out []int32
	for _, d := range e.declarationsOf(old, e.definitionOf(old)) {
		out = append(out, d.top)
	}
	return out
}

// grows reports whether f has more parameters than a function had.
func grows(old, f *syntax.FuncDecl) bool {
	n := len(old.Params)
	if n == 1 && old.Params[0].Name == nil {
		n = 0 // perhaps void
	}
	return len(f.Params) > n && !(len(f.Params) == 1 && f.Params[0].Name == nil)
}

// typesOfParams returns the names of types that the parameters of a function have.
func typesOfParams(f *syntax.FuncDecl) tree.Names {
	uses := tree.Names{}
	for _, p := range f.Params {
		for n := range syntax.Preorder(p) {
			if t, ok := n.(*syntax.TagType); ok && t.Tag != nil {
				uses[t.Tag.Name] = true
			}
		}
	}
	return uses
}

// declareMember declares the copy of a member in the member's class.
func (e *emitter) declareMember(it *item) {
	old := e.originOf(it.name)
	m := e.declarationOf(old, it.of)
	if m == nil {
		return
	}
	end := e.t.token(m.decl.End().Offset)
	if end > 0 && e.t.toks[end-1].Text() == ";" {
		end--
	}
	if e.t.toks[end].Text() != ";" || slices.ContainsFunc(e.defs, func(d *definition) bool { return d != m && d.from == m.from }) {
		e.fail(old, "%s is declared together with others", e.names.name(old.Name.Name))
		return
	}
	k := e.t.token(m.decl.Name.End().Offset) - 1
	list := append(e.params(old, it.fn, m), change{e.t.toks[k].From(), e.t.toks[k].To(), e.names.part(it.name), nil})
	indentation := e.t.indentation(m.from)
	text := outdented(strings.TrimRight(e.splice(m.from, e.t.toks[end].From(), list), " \t\n"), indentation)
	at := e.t.toks[end].To()
	e.edits = append(e.edits, change{at, at, fmt.Sprintf("\n%s%s;", indentation, indented(text, indentation)), nil})
}
