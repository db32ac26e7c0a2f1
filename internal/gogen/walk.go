package gogen

import "irgl/syntax"

// contains reports whether ok holds for n or something below it.
func contains(n syntax.Node, ok func(syntax.Node) bool) bool {
	for c := range syntax.Preorder(n) {
		if ok(c) {
			return true
		}
	}
	return false
}
