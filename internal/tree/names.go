package tree

import "irgl/syntax"

// Names are the identifiers that a piece of text uses, for [Names.Fresh].
type Names map[string]bool

// NamesIn returns all identifiers in some nodes, whatever they name.
func NamesIn(nodes ...syntax.Node) Names {
	names := Names{}
	for _, n := range nodes {
		syntax.Inspect(n, func(n syntax.Node) bool {
			switch n := n.(type) {
			case *syntax.Ident:
				names[n.Name] = true
			case *syntax.NamedType:
				names[n.Name] = true
			}
			return true
		})
	}
	return names
}

// Fresh returns a name that is not used, like want, and uses it.
func (n Names) Fresh(want string) string {
	for n[want] {
		want += "_"
	}
	n[want] = true
	return want
}

// Free gives names back that [Names.Fresh] returned, at the end of their scope.
func (n Names) Free(names ...string) {
	for _, name := range names {
		delete(n, name)
	}
}

// Mentions reports whether n names name.
func Mentions(n syntax.Node, name string) bool {
	found := false
	syntax.Inspect(n, func(n syntax.Node) bool {
		id, ok := n.(*syntax.Ident)
		found = found || ok && id.Name == name
		return !found
	})
	return found
}

// Calls returns the calls of the function called name in n, in the order of the
// text.
func Calls(n syntax.Node, name string) []*syntax.CallExpr {
	var out []*syntax.CallExpr
	syntax.Inspect(n, func(n syntax.Node) bool {
		if c := CallOf(n, name); c != nil {
			out = append(out, c)
		}
		return true
	})
	return out
}

// CallOf returns n as a call of the function called name, or nil.
func CallOf(n syntax.Node, name string) *syntax.CallExpr {
	if s, ok := n.(*syntax.ExprStmt); ok {
		n = s.X
	}
	c, ok := n.(*syntax.CallExpr)
	if !ok {
		return nil
	}
	if id, ok := syntax.Unparen(c.Fun).(*syntax.Ident); !ok || id.Name != name {
		return nil
	}
	return c
}

// Callee returns the name of the function that a call names, or "".
func Callee(c *syntax.CallExpr) string {
	if id, ok := syntax.Unparen(c.Fun).(*syntax.Ident); ok {
		return id.Name
	}
	return ""
}
