package analysis

import (
	"slices"

	"irgl/internal/check"
	"irgl/syntax"
)

// A Program is what is known of a program as a whole, each fact found once: on which
// side its functions and variables are, and the outline trees of its Host functions.
type Program struct {
	Info *check.Info

	// OnDevice are the globals in device memory: those that kernels use, and those
	// that C text outside of functions does, which kernels may call.
	OnDevice map[*check.Object]bool
	// TextReads and TextWrites are what that C text reads and writes.
	TextReads, TextWrites map[*check.Object]bool
	// FromHost are the functions that the entry calls, directly or not, and the
	// entry; FromKernels are those that kernels call.
	FromHost, FromKernels map[*check.FuncInfo]bool
	// UsesGraph are the plain functions that read the graph, themselves or through
	// a function that they call.
	UsesGraph map[*check.FuncInfo]bool

	funcs map[*check.FuncInfo]*Func
	trees []*Outline
}

// NewProgram returns what is known of a program that was checked without errors.
func NewProgram(info *check.Info) *Program {
	p := &Program{
		Info: info, OnDevice: map[*check.Object]bool{}, TextReads: map[*check.Object]bool{}, TextWrites: map[*check.Object]bool{},
		FromHost: map[*check.FuncInfo]bool{}, FromKernels: map[*check.FuncInfo]bool{}, UsesGraph: map[*check.FuncInfo]bool{},
		funcs: map[*check.FuncInfo]*Func{},
	}
	for _, f := range info.Funcs {
		if f.Decl.Kind == syntax.KernelFunc {
			reach(f, p.FromKernels)
			for _, o := range slices.Concat(f.Reads, f.Writes) {
				p.OnDevice[o] = true
			}
		}
	}
	p.outsideText()
	if info.Entry != nil {
		p.FromHost[info.Entry] = true
		reach(info.Entry, p.FromHost)
	}
	for changed := true; changed; {
		changed = false
		for _, f := range info.Funcs {
			if f.Decl.Kind == syntax.PlainFunc && !p.UsesGraph[f] && p.usesGraph(f) {
				p.UsesGraph[f], changed = true, true
			}
		}
	}
	return p
}

// Func returns the analysis of a function with a body, made when it is first asked
// for.
func (p *Program) Func(fn *check.FuncInfo) *Func {
	f := p.funcs[fn]
	if f == nil {
		f = New(p.Info, fn)
		p.funcs[fn] = f
	}
	return f
}

// Outlines returns the outline trees of the Host functions, in the order of the text.
// Their nodes are numbered in that order ([Outline.ID]).
func (p *Program) Outlines() []*Outline {
	if p.trees == nil {
		p.trees = []*Outline{}
		id := 0
		var number func(o *Outline)
		number = func(o *Outline) {
			o.ID = id
			id++
			for _, c := range o.Children {
				number(c)
			}
		}
		for _, f := range p.Info.Funcs {
			if f.Decl.Kind == syntax.HostFunc && f.Decl.Body != nil {
				root := p.Func(f).Outline()
				number(root)
				p.trees = append(p.trees, root)
			}
		}
	}
	return p.trees
}

// reach adds the functions that f calls, directly or not, to set.
func reach(f *check.FuncInfo, set map[*check.FuncInfo]bool) {
	for _, c := range f.Calls {
		if !set[c] {
			set[c] = true
			reach(c, set)
		}
	}
}

// Reach adds f and the functions that it calls, directly or not, to set.
func Reach(f *check.FuncInfo, set map[*check.FuncInfo]bool) {
	set[f] = true
	reach(f, set)
}

// outsideText finds what C text outside of functions uses.
func (p *Program) outsideText() {
	for _, d := range p.Info.File.Decls {
		b, ok := d.(*syntax.CBlock)
		if !ok {
			continue
		}
		for _, x := range []struct {
			names []*syntax.Ident
			set   map[*check.Object]bool
		}{{b.Reads, p.TextReads}, {b.Writes, p.TextWrites}} {
			for _, id := range x.names {
				if o := p.Info.Uses[id]; o != nil {
					x.set[o], p.OnDevice[o] = true, true
				}
			}
		}
	}
}

// usesGraph reports whether a plain function reads the graph, itself or through a
// function it calls that is known to.
func (p *Program) usesGraph(f *check.FuncInfo) bool {
	for _, c := range f.Calls {
		if p.UsesGraph[c] {
			return true
		}
	}
	found := false
	syntax.Inspect(f.Decl, func(n syntax.Node) bool {
		if n, ok := n.(*syntax.MemberExpr); ok {
			switch p.Info.Types[n.X] {
			case check.Node, check.Edge, check.InEdge, check.Point, check.Element, check.GraphType, check.MeshType:
				found = found || n.Name.Name != "id"
			}
		}
		return !found
	})
	return found
}

// OuterForAlls returns the ForAlls of a kernel's body that are in no other.
func OuterForAlls(body *syntax.Block) []*syntax.ForAllStmt {
	var out []*syntax.ForAllStmt
	syntax.Inspect(body, func(n syntax.Node) bool {
		if s, ok := n.(*syntax.ForAllStmt); ok && !s.Serial {
			out = append(out, s)
			return false
		}
		return true
	})
	return out
}

// IsHandle reports whether t is the type of something that has properties.
func IsHandle(t check.Type) bool {
	switch t {
	case check.Node, check.Edge, check.Point, check.Element:
		return true
	}
	return false
}
