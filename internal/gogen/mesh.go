package gogen

import (
	"fmt"
	"slices"

	"irgl/internal/check"
	"irgl/syntax"
)

// grows reports whether the program adds to its mesh.
func (g *generator) grows() bool {
	return slices.ContainsFunc(g.info.Funcs, func(f *check.FuncInfo) bool { return len(f.Adds) > 0 })
}

// adds reports whether the program adds to that domain of its mesh.
func (g *generator) adds(d syntax.Domain) bool {
	return slices.ContainsFunc(g.info.Funcs, func(f *check.FuncInfo) bool { return slices.Contains(f.Adds, d) })
}

// keepsPointers reports whether a pointer to a property could live from one
// invocation to the next, in a global or in host code, so that properties must
// stay where they are.
func (g *generator) keepsPointers() bool {
	for _, o := range g.info.Globals {
		if hasPointer(o.Type) {
			return true
		}
	}
	for _, f := range g.info.Funcs {
		if f.Decl.Kind == syntax.HostFunc && contains(f.Decl, func(n syntax.Node) bool {
			id, ok := n.(*syntax.Ident)
			return ok && g.info.Defs[id] != nil && hasPointer(g.info.Defs[id].Type)
		}) {
			return true
		}
	}
	return false
}

// hasPointer reports whether values of type t have pointers in them.
func hasPointer(t check.Type) bool {
	switch t := t.(type) {
	case *check.Pointer:
		return true
	case *check.Array:
		return hasPointer(t.Elem)
	case *check.Struct:
		return slices.ContainsFunc(t.Fields, func(f check.Field) bool { return hasPointer(f.Type) })
	}
	return false
}

// addMethods prints the methods that add a point and an element. A property
// without an initial value is zero already: nobody has had the number before.
func (g *generator) addMethods() {
	for _, m := range []struct {
		of                   syntax.Domain
		name, params, number string
		set                  []string
	}{
		{syntax.PointDomain, "addPoint", "x, y float64", "NewPoint", []string{
			"*rt.At[float64](s.%s, id) = x", "x",
			"*rt.At[float64](s.%s, id) = y", "y",
		}},
		{syntax.ElementDomain, "addElement", "a, b, c int32", "NewElement", []string{
			"*rt.At[[3]int32](s.%s, id) = [3]int32{a, b, c}", "points",
			"*rt.At[[3]int32](s.%s, id) = [3]int32{-1, -1, -1}", "neighbors",
		}},
	} {
		if !g.adds(m.of) {
			continue
		}
		f := g.newFn(g.info.Entry.Decl)
		f.emit("id := s.r.%s()", m.number)
		for i := 0; i < len(m.set); i += 2 {
			f.emit(m.set[i], g.propFields[g.info.PropOf(m.set[i+1]).Object])
		}
		for _, p := range g.info.Props {
			if p.Of != m.of || p.Decl.Init == nil {
				continue
			}
			if v, zero := f.initial(p, "id"); !zero {
				f.emit("*rt.At[%s](s.%s, id) = %s", g.goType(p.Object.Type, p.Decl), g.propFields[p.Object], v.s)
			}
		}
		f.emit("return id")
		doc := fmt.Sprintf("// %s adds one %s and returns its number.", m.name, map[syntax.Domain]string{syntax.PointDomain: "point", syntax.ElementDomain: "element"}[m.of])
		g.method(f, doc, m.name, m.params, "int32")
	}
}
