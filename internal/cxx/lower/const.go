package lower

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"irgl/internal/cxx/hir"
	"irgl/internal/cxx/types"
	"irgl/internal/tree"
	"irgl/syntax"
)

// constant returns a scalar constant of type t.
func (l *lowerer) constant(sp syntax.Span, c *hir.Const, t types.Type) syntax.Expr {
	t = t.Underlying().Unqualified()
	switch {
	case t.IsFloat():
		return floating(sp, c.Float, t.Kind)
	case t.IsPointer() || t.IsRef() || t.Is(types.Nullptr):
		return l.pointer(sp, c, t)
	case isMethod(t):
		return &syntax.CompoundLit{Span: sp, Type: l.methodType(sp), Init: l.methodConst(sp, c, t)}
	case t.Is(types.MemberPointer):
		if c.Member == nil {
			return tree.Number(sp, nullMember)
		}
		off, _ := types.BaseOffset(t.Of.Class, c.Member.Class)
		return tree.Number(sp, off+c.Member.Offset)
	case t.Size() > 8:
		l.errorf(spanNode{sp}, codeType, "the type '%s' is not supported in device code", t)
	}
	return integer(sp, c.Int, t.Kind)
}

// integer returns an integer literal of a type.
func integer(sp syntax.Span, v uint64, k types.Kind) syntax.Expr {
	suffix := ""
	switch k {
	case types.Bool:
		if v != 0 {
			return tree.Ident(sp, "true")
		}
		return tree.Ident(sp, "false")
	case types.UInt, types.Char32:
		suffix = "u"
		v = uint64(uint32(v))
	case types.ULong:
		suffix = "ul"
	case types.ULongLong:
		suffix = "ull"
	case types.Long:
		suffix = "l"
	case types.LongLong:
		suffix = "ll"
	case types.Int, types.WChar:
	default: // the narrow types have no literals
		x := tree.Number(sp, int64(v))
		return &syntax.CastExpr{Span: sp, Type: tree.Basic(sp, basicNames[k]), X: x}
	}
	if strings.HasPrefix(suffix, "u") {
		return &syntax.BasicLit{Span: sp, Kind: syntax.IntLit, Text: strconv.FormatUint(v, 10) + suffix}
	}
	n := int64(v)
	lit := func(u uint64) syntax.Expr {
		return &syntax.BasicLit{Span: sp, Kind: syntax.IntLit, Text: strconv.FormatUint(u, 10) + suffix}
	}
	switch {
	case n == math.MinInt64 || suffix == "" && n == math.MinInt32:
		// The literal without the sign has a wider type.
		return tree.Paren(tree.Binary(&syntax.UnaryExpr{Span: sp, Op: "-", X: lit(uint64(-(n + 1)))}, "-", lit(1)))
	case n < 0:
		return tree.Paren(&syntax.UnaryExpr{Span: sp, Op: "-", X: lit(uint64(-n))})
	}
	return lit(v)
}

// floating returns a literal of float or double.
func floating(sp syntax.Span, v float64, k types.Kind) syntax.Expr {
	bits, suffix := 64, ""
	if k == types.Float {
		bits, suffix = 32, "f"
	}
	var x syntax.Expr
	switch {
	case math.IsNaN(v):
		x = tree.Ident(sp, "NAN")
	case math.IsInf(v, 0):
		x = tree.Ident(sp, "INFINITY")
	default:
		text := strconv.FormatFloat(math.Abs(v), 'g', -1, bits)
		if !strings.ContainsAny(text, ".e") {
			text += ".0"
		}
		x = &syntax.BasicLit{Span: sp, Kind: syntax.FloatLit, Text: text + suffix}
	}
	if _, named := x.(*syntax.Ident); named && k != types.Float {
		x = tree.Cast(sp, tree.Basic(sp, "double"), x)
	}
	if math.Signbit(v) && !math.IsNaN(v) {
		x = tree.Paren(&syntax.UnaryExpr{Span: sp, Op: "-", X: x})
	}
	return x
}

// pointer returns a constant pointer: null, or the address of a variable, function or string.
func (l *lowerer) pointer(sp syntax.Span, c *hir.Const, t types.Type) syntax.Expr {
	to := l.typ(sp, t)
	var x syntax.Expr
	switch b := c.Base.(type) {
	case *hir.Var:
		if n := l.global(b); b.Type.IsArray() {
			x = tree.Ident(sp, n)
		} else {
			x = tree.Addr(tree.Ident(sp, n))
		}
	case *hir.Func:
		l.uses(b)
		return tree.Ident(sp, b.Symbol)
	default:
		if c.String == nil {
			return &syntax.CastExpr{Span: sp, Type: to, X: tree.Number(sp, int64(c.Int))}
		}
		x = &syntax.BasicLit{Span: sp, Kind: syntax.StringLit, Text: quote(c.String)}
		if t.IsPointer() && t.Elem.Size() > 1 {
			x = tree.Ident(sp, l.wideString(sp, c.String, t.Elem.Unqualified()))
		}
	}
	if c.Offset != 0 {
		x = tree.Binary(l.chars(sp, x), "+", tree.Number(sp, c.Offset))
	}
	if v, ok := c.Base.(*hir.Var); ok && c.Offset == 0 && t.IsPointer() && v.Type.Unqualified() == t.Elem.Unqualified() {
		return x
	}
	return &syntax.CastExpr{Span: sp, Type: to, X: x}
}

// static returns the initial value of a variable of the file.
func (l *lowerer) static(n node, c *hir.Const, t types.Type) syntax.Expr {
	sp := at(n)
	switch {
	case t.IsArray():
		if c.String != nil && c.Base == nil {
			return &syntax.BasicLit{Span: sp, Kind: syntax.StringLit, Text: quote(c.String)}
		}
		list := &syntax.InitList{Span: sp}
		for _, x := range c.Elems {
			list.Elems = append(list.Elems, &syntax.InitElem{Span: sp, Value: l.staticPart(n, x, t.Elem)})
		}
		if len(list.Elems) == 0 {
			return zeroList(sp)
		}
		return list
	case t.IsClass():
		return l.staticClass(n, c, t.Class)
	}
	if isMethod(t) {
		l.methodType(sp)
		return l.methodConst(sp, c, t)
	}
	return l.constant(sp, c, t)
}

func (l *lowerer) staticPart(n node, c *hir.Const, t types.Type) syntax.Expr {
	if c == nil {
		return l.zeroValue(at(n), t)
	}
	return l.static(n, c, t)
}

// staticClass returns the initial value of an object of class type, by its members' names.
func (l *lowerer) staticClass(n node, c *hir.Const, of *types.Class) syntax.Expr {
	sp := at(n)
	r := l.class(of)
	list := &syntax.InitList{Span: sp}
	add := func(name string, x syntax.Expr) {
		list.Elems = append(list.Elems, &syntax.InitElem{Span: sp, Field: tree.Ident(sp, name), Value: x})
	}
	for i, b := range c.Bases {
		if b == nil || of.Bases[i].Class.Empty {
			continue
		}
		if r.bases[i] == "" {
			l.errorf(n, codePacked, "an initial value of '%s' is not supported in device code: its base shares its padding", of)
			continue
		}
		add(r.bases[i], l.staticClass(n, b, of.Bases[i].Class))
	}
	bits := map[string]uint64{}
	var order []string
	for i, f := range of.Fields {
		if i >= len(c.Fields) || c.Fields[i] == nil || f.IsShared() {
			continue
		}
		m := r.fields[i]
		switch {
		case m.bits:
			v := c.Fields[i].Int & (1<<valueBits(f) - 1)
			set := func(name string, x uint64) {
				if _, ok := bits[name]; !ok {
					order = append(order, name)
				}
				bits[name] |= x
			}
			if m.parts == nil {
				set(m.name, v<<m.shift)
			}
			for _, p := range m.parts {
				n := firstBit(f) - 8*p.offset
				set(p.name, v<<max(n, 0)>>max(-n, 0)&(1<<(8*p.size)-1))
			}
		case m.bytes && data(c.Fields[i], f.Type) != nil:
			part := &syntax.InitList{Span: sp}
			for _, x := range data(c.Fields[i], f.Type) {
				part.Elems = append(part.Elems, &syntax.InitElem{Span: sp, Value: tree.Number(sp, int64(int8(x)))})
			}
			add(m.name, part)
		case m.name == "" || m.bytes:
			l.errorf(n, codePacked, "an initial value of '%s' is not supported in device code: its members are packed", of)
		default:
			add(m.name, l.staticPart(n, c.Fields[i], f.Type))
		}
	}
	for _, name := range order {
		add(name, integer(sp, bits[name], types.ULong))
	}
	if len(list.Elems) == 0 {
		return zeroList(sp)
	}
	return list
}

// zeroScalar returns the zero of a scalar type.
func (l *lowerer) zeroScalar(sp syntax.Span, t types.Type) syntax.Expr {
	switch {
	case t.IsPointer() || t.IsRef() || t.Is(types.Nullptr):
		return &syntax.CastExpr{Span: sp, Type: l.typ(sp, t.Unqualified()), X: tree.Number(sp, 0)}
	case isMethod(t):
		return l.method(sp, nil, 0)
	case t.Is(types.MemberPointer):
		return tree.Number(sp, nullMember)
	case t.IsVoid():
		return tree.Number(sp, 0)
	}
	return l.constant(sp, &hir.Const{}, t)
}

// quote returns a string literal of bytes that end in a zero.
func quote(bytes []byte) string {
	if n := len(bytes); n > 0 && bytes[n-1] == 0 {
		bytes = bytes[:n-1]
	}
	var b strings.Builder
	b.WriteByte('"')
	for _, c := range bytes {
		switch {
		case c == '"' || c == '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		case c == '\n':
			b.WriteString(`\n`)
		case c == '\t':
			b.WriteString(`\t`)
		case c == '?':
			b.WriteString(`\?`)
		case c < ' ' || c >= 0x7f:
			fmt.Fprintf(&b, `\%03o`, c)
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}
