package dynpar

import (
	"slices"

	"irgl/internal/check"
	"irgl/syntax"
)

// reaching returns the kernels that may come to one of the functions that launch: by calls,
// and, if the address of a function that comes to one is taken, by any call through a pointer.
func reaching(info *check.Info, launching []*check.FuncInfo) map[string]bool {
	callers := map[*check.FuncInfo][]*check.FuncInfo{}
	for _, f := range info.Funcs {
		for _, g := range f.Calls {
			callers[g] = append(callers[g], f)
		}
	}
	reached := map[*check.FuncInfo]bool{}
	reach := func(work []*check.FuncInfo) {
		for len(work) > 0 {
			f := work[len(work)-1]
			work = work[:len(work)-1]
			if !reached[f] {
				reached[f] = true
				work = append(work, callers[f]...)
			}
		}
	}
	reach(slices.Clone(launching))
	if pointed(info, reached) {
		reach(indirect(info))
	}
	out := map[string]bool{}
	for _, f := range info.Funcs {
		if f.Decl.Attrs.Has(syntax.Global) && reached[f] {
			out[f.Object.Name] = true
		}
	}
	return out
}

// indirect returns the functions that call through pointers.
func indirect(info *check.Info) []*check.FuncInfo {
	var out []*check.FuncInfo
	for _, f := range info.Funcs {
		for n := range syntax.Preorder(f.Decl) {
			c, ok := n.(*syntax.CallExpr)
			if !ok {
				continue
			}
			id, ok := syntax.Unparen(c.Fun).(*syntax.Ident)
			if o := info.Uses[id]; !ok || o != nil && o.Kind != check.FuncObj && o.Kind != check.BuiltinObj {
				out = append(out, f)
				break
			}
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
