package gogen

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"sync"

	"irgl/internal/check"
	"irgl/internal/run"
	"irgl/syntax"
)

// kinds gives the Go type and rt's kind of each scalar type.
var kinds = sync.OnceValue(func() map[check.Basic]struct{ goType, kind string } {
	return map[check.Basic]struct{ goType, kind string }{
		check.Bool: {"uint8", "Uint8"}, check.Char: {"int8", "Int8"}, check.SChar: {"int8", "Int8"}, check.UChar: {"uint8", "Uint8"},
		check.Short: {"int16", "Int16"}, check.UShort: {"uint16", "Uint16"}, check.Int: {"int32", "Int32"}, check.UInt: {"uint32", "Uint32"},
		check.Long: {"int64", "Int64"}, check.ULong: {"uint64", "Uint64"}, check.LongLong: {"int64", "Int64"}, check.ULongLong: {"uint64", "Uint64"},
		check.Float: {"float32", "Float32"}, check.Double: {"float64", "Float64"}, check.Node: {"int32", "Int32"}, check.Edge: {"int64", "Int64"},
		check.Point: {"int32", "Int32"}, check.Element: {"int32", "Int32"},
	}
})

// goType returns the Go type for values of t. node is where to complain.
func (g *generator) goType(t check.Type, node syntax.Node) string {
	switch t := t.(type) {
	case check.Basic:
		if k, ok := kinds()[t]; ok {
			return k.goType
		}
		switch t {
		case check.Nodes, check.Edges, check.AllEdges, check.InEdges, check.Ints, check.Points, check.Elements:
			return "rt.Range"
		case check.InEdge:
			return "int64"
		}
	case *check.Pointer:
		if _, ok := t.Elem.(*check.Func); ok {
			g.errorf(node, codeFuncPointer, "generated Go has no pointers to functions")
		}
		return "unsafe.Pointer"
	case *check.Array:
		return fmt.Sprintf("[%d]%s", t.Len, g.goType(t.Elem, node))
	case *check.Struct:
		return g.structType(t, node)
	}
	g.errorf(node, codeUnknown, "generated Go has no values of type %s", t)
	return "int32"
}

// kindOf returns the name of rt's kind of t.
func kindOf(t check.Type) string {
	b, _ := t.(check.Basic)
	return "rt." + kinds()[b].kind
}

// structType returns the name of the Go struct for s, declaring it first when
// it is new. Padding makes the layouts equal, as casts may rely on it.
func (g *generator) structType(s *check.Struct, node syntax.Node) string {
	if name, ok := g.structs[s]; ok {
		return name
	}
	name := g.prefix + "Struct" + strconv.Itoa(len(g.structs))
	if s.Tag != "" {
		name = g.prefix + "Struct_" + s.Tag
		if g.structTags[s.Tag]++; g.structTags[s.Tag] > 1 {
			name += strconv.Itoa(g.structTags[s.Tag])
		}
	}
	g.structs[s] = name
	switch {
	case s.Union:
		g.errorf(node, codeUnion, "generated Go has no unions")
		return name
	case !s.Complete:
		// Only pointers to it exist.
		return "struct{}"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "// %s is %s.\ntype %s struct {\n", name, s, name)
	var off int64
	pad := func(to int64) {
		if to > off {
			fmt.Fprintf(&b, "_ [%d]byte\n", to-off)
			off = to
		}
	}
	for _, f := range s.Fields {
		if f.Volatile {
			g.errorf(node, codeVolatile, "generated Go has no volatile members")
		}
		a := f.Type.Align()
		off = (off + a - 1) / a * a
		pad(f.Offset)
		fmt.Fprintf(&b, "%s %s\n", fieldName(f.Name), g.goType(f.Type, node))
		off = f.Offset + f.Type.Size()
	}
	pad(s.Size())
	b.WriteString("}\n")
	g.typeDecls = append(g.typeDecls, b.String())
	return name
}

func fieldName(name string) string { return "f_" + name }

// literal returns constant c of type t as Go writes it: untyped where Go's
// constants can have the value, so that it takes the type of its context.
func (g *generator) literal(c *check.Const, t check.Type) (text string, untyped bool) {
	if !check.IsFloat(t) {
		if _, ok := t.(*check.Pointer); ok {
			return "nil", true
		}
		if check.IsUnsigned(t) {
			return strconv.FormatUint(uint64(c.Int), 10), true
		}
		return strconv.FormatInt(c.Int, 10), true
	}
	f, single := c.Float, t == check.Float
	wrap := func(s string) (string, bool) {
		g.imports["math"] = true
		if single {
			s = "float32(" + s + ")"
		}
		return s, false
	}
	switch {
	case f != f:
		return wrap("math.NaN()")
	case math.IsInf(f, 0):
		sign := 1
		if f < 0 {
			sign = -1
		}
		return wrap(fmt.Sprintf("math.Inf(%d)", sign))
	case f == 0 && math.Signbit(f):
		return wrap("math.Copysign(0, -1)")
	}
	// A float's value is exact in the digits of a double.
	s := strconv.FormatFloat(f, 'g', -1, 64)
	if !strings.ContainsAny(s, ".e") {
		s += ".0"
	}
	return s, true
}

// convertConst converts a constant as C and the target machine do.
func convertConst(c *check.Const, from, to check.Type) *check.Const {
	f, ok1 := from.(check.Basic)
	t, ok2 := to.(check.Basic)
	if !ok1 || !ok2 || kinds()[f].goType == "" || kinds()[t].goType == "" {
		return c
	}
	v := run.Value{Type: f, Int: c.Int, Float: c.Float}.Convert(t)
	return &check.Const{Int: v.Int, Float: v.Float}
}
