package klap

import (
	"regexp"
	"slices"
	"sync"

	"irgl/internal/check"
	"irgl/syntax"
)

// maxAlign is the alignment of lists in the pool.
const maxAlign = 16

// Registers of asm that an aggregated kernel has other values in.
var (
	coordinates = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`%(n?ctaid|n?tid|gridid|nwarpid|warpid|n?cluster\w*|is_explicit_cluster|dynamic_smem_size|total_smem_size)\b`)
	})
	exits = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\b(exit|ret)\b`) })
)

// legal gives the launches that must stay their reasons, by what the functions have in them.
func (p *Program) legal(list []*site) {
	called := p.calledOtherwise()
	why := map[*check.FuncInfo]string{}
	for _, s := range list {
		if s.child == nil || s.child.Decl.Body == nil {
			s.reason = reasonOutside
			continue
		}
		if p.promoted[s.child.Object.Name] {
			s.reason = reasonPromoted
			continue
		}
		if _, known := why[s.child]; !known {
			why[s.child] = p.refuseChild(s.child)
		}
		switch {
		case why[s.child] != "":
			s.reason = why[s.child]
		case !isKernel(s.fn) && (called[s.fn] || s.fn.Host):
			s.reason = reasonPointer
		}
	}
	for _, k := range p.kernels(list) {
		if reason := p.refuseParent(k.fn); reason != "" {
			for _, s := range k.all {
				if s.reason == "" {
					s.reason = reason
				}
			}
		}
	}
}

// refuseParent returns why not all threads of a kernel come to an end of it where they can meet; "" if they do.
func (p *Program) refuseParent(k *check.FuncInfo) string {
	for _, f := range reachable(k) {
		if p.hasAsm(f, exits()) {
			return reasonExit
		}
	}
	if p.leaves(k) { // threads that return wait at the end, and those at the barrier for them
		return reasonReturns
	}
	return ""
}

// refuseChild returns why a kernel has no aggregated form; "" if it has.
func (p *Program) refuseChild(k *check.FuncInfo) string {
	if len(k.Decl.Cluster) > 0 {
		return "the kernel has clusters"
	}
	for i, t := range k.Type.Params {
		if t.Align() > maxAlign {
			return "parameter " + k.Params[i].Name + " of the kernel has an alignment of more than 16 bytes"
		}
	}
	if reason := p.named(k); reason != "" {
		return reason
	}
	for _, f := range reachable(k) {
		switch {
		case p.indirect(f):
			return "the kernel calls a function through a pointer, which may read the built-in variables"
		case p.hasAsm(f, coordinates()):
			return "the kernel reads its place in the grid by asm"
		case p.foreign(f):
			return "the kernel calls a function of another file, which may read its place in the grid"
		}
	}
	return ""
}

// foreign reports whether a function calls one whose body is in another file.
func (p *Program) foreign(f *check.FuncInfo) bool {
	for n := range syntax.Preorder(f.Decl) {
		if id, ok := n.(*syntax.Ident); ok {
			if o := p.info.Uses[id]; o != nil && isForeign(o) {
				return true
			}
		}
	}
	return false
}

func (p *Program) hasAsm(f *check.FuncInfo, what *regexp.Regexp) bool {
	for n := range syntax.Preorder(f.Decl) {
		if a, ok := n.(*syntax.AsmStmt); ok && what.MatchString(a.Template) {
			return true
		}
	}
	return false
}

// indirect reports whether a function calls through pointers.
func (p *Program) indirect(f *check.FuncInfo) bool {
	for n := range syntax.Preorder(f.Decl) {
		c, ok := n.(*syntax.CallExpr)
		if !ok {
			continue
		}
		id, ok := syntax.Unparen(c.Fun).(*syntax.Ident)
		if o := p.info.Uses[id]; !ok || o != nil && o.Kind != check.FuncObj && o.Kind != check.BuiltinObj && o.Kind != check.TypeObj {
			return true
		}
	}
	return false
}

// calledOtherwise returns the functions whose address is taken.
func (p *Program) calledOtherwise() map[*check.FuncInfo]bool {
	direct := map[*syntax.Ident]bool{}
	out := map[*check.FuncInfo]bool{}
	for n := range syntax.Preorder(p.info.File) {
		switch n := n.(type) {
		case *syntax.CallExpr:
			if id, ok := syntax.Unparen(n.Fun).(*syntax.Ident); ok {
				direct[id] = true
			}
		case *syntax.LaunchExpr:
			if id, ok := syntax.Unparen(n.Fun).(*syntax.Ident); ok {
				direct[id] = true
			}
		case *syntax.Ident:
			if o := p.info.Uses[n]; o != nil && o.Kind == check.FuncObj && o.Func != nil && !direct[n] {
				out[o.Func] = true
			}
		}
	}
	return out
}

// builtin returns the name of one of CUDA's built-in variables that x names; "" for anything else.
func (p *Program) builtin(id *syntax.Ident) string {
	if o := p.info.Uses[id]; o != nil && o.Kind == check.BuiltinObj {
		switch o.Name {
		case "threadIdx", "blockIdx", "blockDim", "gridDim":
			return o.Name
		}
	}
	return ""
}

// positioned returns the functions that read CUDA's built-in variables, directly or by functions that
// they call.
func (p *Program) positioned() map[*check.FuncInfo]bool {
	return p.reading("threadIdx", "blockIdx", "blockDim", "gridDim")
}

// reading returns the functions that read some of the built-in variables, directly or by functions that they call.
func (p *Program) reading(names ...string) map[*check.FuncInfo]bool {
	out := map[*check.FuncInfo]bool{}
	for _, f := range p.info.Funcs {
		for id := range idents(f.Decl) {
			if slices.Contains(names, p.builtin(id)) {
				out[f] = true
				break
			}
		}
	}
	for changed := true; changed; {
		changed = false
		for _, f := range p.info.Funcs {
			for _, g := range f.Calls {
				if out[g] && !out[f] {
					out[f], changed = true, true
				}
			}
		}
	}
	return out
}

// assigned returns the variables of a function that are assigned to or whose address is taken.
func (p *Program) assigned(f *check.FuncInfo) map[*check.Object]bool {
	out := map[*check.Object]bool{}
	for n := range syntax.Preorder(f.Decl) {
		p.noteAssigned(n, out)
	}
	return out
}

// noteAssigned adds the variables that a node, without those below it, assigns to or takes the address of.
func (p *Program) noteAssigned(n syntax.Node, out map[*check.Object]bool) {
	note := func(x syntax.Expr) {
		for {
			switch y := x.(type) {
			case *syntax.ParenExpr:
				x = y.X
			case *syntax.IndexExpr:
				if _, array := p.info.Types[y.X].(*check.Array); !array {
					return // what a pointer points to
				}
				x = y.X
			case *syntax.MemberExpr:
				if y.Arrow {
					return
				}
				x = y.X
			case *syntax.Ident:
				out[p.info.Uses[y]] = true
				return
			default:
				return
			}
		}
	}
	switch n := n.(type) {
	case *syntax.AssignExpr:
		note(n.L)
	case *syntax.PostfixExpr:
		note(n.X)
	case *syntax.UnaryExpr:
		if n.Op == "&" || n.Op == "++" || n.Op == "--" {
			note(n.X)
		}
	case *syntax.AsmStmt:
		for id := range idents(n) {
			note(id)
		}
	}
}

// carrying returns the functions with aggregated launches that may happen more than once, and those that call them.
func (p *Program) carrying(list []*site) map[*check.FuncInfo]bool {
	out := map[*check.FuncInfo]bool{}
	for _, s := range list {
		if s.reason == "" && s.chained {
			out[s.fn] = true
		}
	}
	for changed := true; changed; {
		changed = false
		for _, f := range p.info.Funcs {
			for _, g := range f.Calls {
				if out[g] && !out[f] {
					out[f], changed = true, true
				}
			}
		}
	}
	return out
}

// asks reports whether device code asks for errors of launches.
func (p *Program) asks() bool {
	for _, f := range p.info.Funcs {
		for _, g := range f.Calls {
			switch g.Object.Name {
			case "cudaGetLastError", "_Z16cudaGetLastErrorv", "cudaPeekAtLastError", "_Z21cudaPeekAtLastErrorv", "irgl_launch_error":
				if onDevice(f) {
					return true
				}
			}
		}
	}
	return false
}
