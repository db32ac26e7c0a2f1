package dynpar

import (
	"irgl/internal/check"
	"irgl/syntax"
)

// reaching returns the kernels that may come to one of the functions that launch: by calls,
// or, if the address of a function that comes to one is taken, all of them.
func reaching(info *check.Info, launching []*check.FuncInfo) map[string]bool {
	callers := map[*check.FuncInfo][]*check.FuncInfo{}
	for _, f := range info.Funcs {
		for _, g := range f.Calls {
			callers[g] = append(callers[g], f)
		}
	}
	reached := map[*check.FuncInfo]bool{}
	for work := launching; len(work) > 0; {
		f := work[len(work)-1]
		work = work[:len(work)-1]
		if !reached[f] {
			reached[f] = true
			work = append(work, callers[f]...)
		}
	}
	out := map[string]bool{}
	all := pointed(info, reached)
	for _, f := range info.Funcs {
		if f.Decl.Attrs.Has(syntax.Global) && (all || reached[f]) {
			out[f.Object.Name] = true
		}
	}
	return out
}

// pointed reports whether the address of one of the functions is taken: its name is used
// other than to call or launch it.
func pointed(info *check.Info, functions map[*check.FuncInfo]bool) bool {
	called := map[*syntax.Ident]bool{}
	found := false
	syntax.Inspect(info.File, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CallExpr:
			if id, ok := syntax.Unparen(n.Fun).(*syntax.Ident); ok {
				called[id] = true
			}
		case *syntax.LaunchExpr:
			if id, ok := syntax.Unparen(n.Fun).(*syntax.Ident); ok {
				called[id] = true
			}
		case *syntax.Ident:
			if o := info.Uses[n]; o != nil && !called[n] && o.Kind == check.FuncObj && functions[o.Func] {
				found = true
			}
		}
		return !found
	})
	return found
}
