package difftest

import (
	"fmt"
	"slices"
)

// literals are constants by type, the limits among them.
var literals = map[*ctype][]string{
	tInt: {"0", "1", "2", "3", "5", "7", "8", "31", "100", "255", "256", "-1", "-2", "-7", "1000", "32767", "-32768", "65535",
		"0x7fffffff", "(-2147483647 - 1)", "0x55555555", "'a'"},
	tUInt:   {"0u", "1u", "3u", "32u", "255u", "65536u", "0x80000000u", "4294967295u", "0xdeadbeefu"},
	tLLong:  {"0ll", "1ll", "-1ll", "1ll << 40", "4294967296ll", "-4294967297ll", "9223372036854775807ll", "-9223372036854775807ll - 1"},
	tULLong: {"0ull", "1ull", "0xffffffffull", "18446744073709551615ull", "0x8000000000000000ull", "0x0123456789abcdefull"},
	tFloat:  {"0.0f", "1.0f", "-1.0f", "0.5f", "1.5f", "3.0e38f", "1.0e-40f", "-0.0f", "16777216.0f", "0.1f", "-2.75f", "2147483648.0f"},
	tDouble: {"0.0", "1.0", "-1.0", "0.25", "1.0e300", "4.9e-324", "-0.0", "9007199254740993.0", "0.1", "-1.0e-310", "4294967295.5"},
}

// exp returns a random expression of any type without side effects.
func (g *generator) exp(depth int) *exp {
	if depth <= 0 {
		return g.leaf()
	}
	sub := func() *exp { return g.exp(depth - 1 - g.IntN(2)) }
	switch g.IntN(20) {
	case 0, 1, 2, 3, 4:
		return g.binary(sub(), sub())
	case 5, 6:
		return g.bitwise(sub(), sub())
	case 7:
		return g.shift(sub(), sub())
	case 8:
		return g.divide(sub(), sub())
	case 9, 10:
		return g.compare(sub(), sub())
	case 11:
		return &exp{tInt, g.one("($ && $)", "($ || $)"), []*exp{sub(), sub()}}
	case 12:
		return g.choose(sub(), sub(), sub())
	case 13, 14:
		return g.unary(sub())
	case 15, 16:
		e := cast(g.typ(), sub())
		return &exp{e.t, "($)", []*exp{e}}
	case 17:
		return g.intrinsic(sub(), sub())
	case 18:
		return g.floating(sub(), sub())
	}
	if f := g.callable(true); f != nil {
		return g.call(f, depth-1)
	}
	return g.leaf()
}

// leaf returns a constant, variable or element.
func (g *generator) leaf() *exp {
	switch n := g.IntN(10); {
	case n < 2 || len(g.scalars) == 0:
		t := pick(g, wide)
		return &exp{t, "(" + pick(g, literals[t]) + ")", nil}
	case n < 5 && len(g.arrays) > 0:
		return g.element(pick(g, g.arrays))
	}
	v := pick(g, g.scalars)
	return &exp{v.t, v.text, nil}
}

// element returns an element of a, at a random place.
func (g *generator) element(a array) *exp {
	switch g.IntN(12) {
	case 0, 1:
		return &exp{a.t, "(*(" + a.text + " + ($)))", []*exp{g.index(a.mask)}}
	case 2:
		return &exp{a.t, fmt.Sprintf("(%s + %d)[-(int)($)]", a.text, a.mask), []*exp{g.index(a.mask)}}
	case 3:
		if a.ro {
			break
		}
		return &exp{a.t, fmt.Sprintf("(*(%s *)((unsigned char *)%s + ($) * (int)sizeof(%s)))", a.t.name, a.text, a.t.name), []*exp{g.index(a.mask)}}
	}
	return &exp{a.t, a.text + "[$]", []*exp{g.index(a.mask)}}
}

// index returns an expression between 0 and mask, of any integer type.
func (g *generator) index(mask int) *exp {
	if g.IntN(3) == 0 {
		return &exp{tInt, fmt.Sprint(g.IntN(mask + 1)), nil}
	}
	if g.IntN(8) == 0 && mask >= 3 { // a difference that does not wrap
		return &exp{tInt, fmt.Sprintf("(($ & %d) + %d)", mask>>1, mask>>1), []*exp{cast(g.intType(), g.leaf())}}
	}
	return &exp{tInt, fmt.Sprintf("($ & %d)", mask), []*exp{cast(g.intType(), g.leaf())}}
}

// intExp returns e, or when it is a float an integer made of it.
func (g *generator) intExp(e *exp) *exp {
	if e.t.float {
		return cast(g.intType(), e)
	}
	return e
}

// binary returns a sum, difference or product.
func (g *generator) binary(a, b *exp) *exp {
	op := g.one("+", "-", "*")
	c := common(a.t, b.t)
	small := a.t.size < 4 && b.t.size < 4 && (op != "*" || a.t != tU16 || b.t != tU16)
	if c.float || !c.signed || small {
		return &exp{c, "($ " + op + " $)", []*exp{a, b}}
	}
	if g.IntN(3) == 0 { // of operands that are too small to overflow
		mask := g.one("255", "4095", "16383")
		return &exp{c, "(($ & " + mask + ") " + op + " ($ & " + mask + "))", []*exp{a, b}}
	}
	u := c.unsignedOf()
	return &exp{c, "((" + c.name + ")($ " + op + " $))", []*exp{cast(u, a), cast(u, b)}}
}

func (g *generator) bitwise(a, b *exp) *exp {
	a, b = g.intExp(a), g.intExp(b)
	return &exp{common(a.t, b.t), "($ " + g.one("&", "|", "^") + " $)", []*exp{a, b}}
}

func (g *generator) shift(a, b *exp) *exp {
	a, b = g.intExp(a), g.intExp(b)
	p := promote(a.t)
	count := fmt.Sprintf("($ & %d)", 8*p.size-1)
	if g.IntN(2) == 0 {
		b, count = &exp{tInt, fmt.Sprint(g.IntN(8 * p.size)), nil}, "$"
	}
	if g.IntN(2) == 0 {
		return &exp{p, "($ >> " + count + ")", []*exp{a, b}}
	}
	return &exp{p, "((" + p.name + ")($ << " + count + "))", []*exp{cast(p.unsignedOf(), a), b}}
}

func (g *generator) divide(a, b *exp) *exp {
	c := common(a.t, b.t)
	if c.float {
		return &exp{c, "($ / $)", []*exp{a, b}}
	}
	op := g.one("/", "%")
	switch {
	case g.IntN(3) == 0:
		k := &exp{tInt, "(" + g.one("2", "3", "5", "7", "8", "10", "16", "-3", "-4", "1000", "65537", "0x7fffffff") + ")", nil}
		return &exp{common(a.t, tInt), "($ " + op + " " + k.text + ")", []*exp{a}}
	case !c.signed:
		return &exp{c, "($ " + op + " ($ | 1))", []*exp{a, b}}
	case g.IntN(4) == 0:
		return &exp{tInt, "divs($, $)", []*exp{cast(tInt, a), cast(tInt, b)}}
	case g.IntN(4) == 0:
		return &exp{tLLong, "mods($, $)", []*exp{cast(tLLong, a), cast(tLLong, b)}}
	}
	return &exp{c, "($ " + op + " (($ & 127) + 1))", []*exp{a, b}}
}

func (g *generator) compare(a, b *exp) *exp {
	return &exp{tInt, "($ " + g.one("<", "<=", ">", ">=", "==", "!=") + " $)", []*exp{a, b}}
}

func (g *generator) choose(c, a, b *exp) *exp {
	return &exp{common(a.t, b.t), "($ ? $ : $)", []*exp{c, a, b}}
}

func (g *generator) unary(e *exp) *exp {
	p := promote(e.t)
	switch g.IntN(4) {
	case 0:
		return &exp{tInt, "(!$)", []*exp{e}}
	case 1:
		if e.t.isInt() {
			return &exp{p, "(~$)", []*exp{e}}
		}
	case 2:
		return &exp{p, "(+$)", []*exp{e}}
	}
	if p.float || !p.signed || e.t.size < 4 {
		return &exp{p, "(-$)", []*exp{e}}
	}
	return &exp{p, "((" + p.name + ")(0u - $))", []*exp{cast(p.unsignedOf(), e)}}
}

// A signature is that of a builtin, spelt as it is called.
type signature struct {
	text   string
	result *ctype
	params []*ctype
}

var intrinsics = []signature{
	{"__popc($)", tInt, []*ctype{tUInt}}, {"__popcll($)", tInt, []*ctype{tULLong}},
	{"__clz($)", tInt, []*ctype{tInt}}, {"__clzll($)", tInt, []*ctype{tLLong}},
	{"__ffs($)", tInt, []*ctype{tInt}}, {"__ffsll($)", tInt, []*ctype{tLLong}},
	{"__brev($)", tUInt, []*ctype{tUInt}}, {"__brevll($)", tULLong, []*ctype{tULLong}},
	{"__mulhi($, $)", tInt, []*ctype{tInt, tInt}}, {"__umulhi($, $)", tUInt, []*ctype{tUInt, tUInt}},
	{"__mul64hi($, $)", tLLong, []*ctype{tLLong, tLLong}}, {"__umul64hi($, $)", tULLong, []*ctype{tULLong, tULLong}},
	{"min($, $)", tInt, []*ctype{tInt, tInt}}, {"max($, $)", tInt, []*ctype{tInt, tInt}},
	{"min($, $)", tUInt, []*ctype{tUInt, tUInt}}, {"max($, $)", tUInt, []*ctype{tUInt, tUInt}},
	{"min($, $)", tLLong, []*ctype{tLLong, tLLong}}, {"max($, $)", tULLong, []*ctype{tULLong, tULLong}},
	{"abs($ >> 1)", tInt, []*ctype{tInt}}, {"llabs($ >> 1)", tLLong, []*ctype{tLLong}},
	{"cf($)", tUInt, []*ctype{tFloat}}, {"cd($)", tULLong, []*ctype{tDouble}},
}

var floatings = []signature{
	{"sqrtf($)", tFloat, []*ctype{tFloat}}, {"sqrt($)", tDouble, []*ctype{tDouble}},
	{"fabsf($)", tFloat, []*ctype{tFloat}}, {"fabs($)", tDouble, []*ctype{tDouble}},
	{"floorf($)", tFloat, []*ctype{tFloat}}, {"floor($)", tDouble, []*ctype{tDouble}},
	{"ceilf($)", tFloat, []*ctype{tFloat}}, {"ceil($)", tDouble, []*ctype{tDouble}},
	{"truncf($)", tFloat, []*ctype{tFloat}}, {"trunc($)", tDouble, []*ctype{tDouble}},
	{"rintf($)", tFloat, []*ctype{tFloat}}, {"rint($)", tDouble, []*ctype{tDouble}},
	{"roundf($)", tFloat, []*ctype{tFloat}}, {"round($)", tDouble, []*ctype{tDouble}},
	// The sum hides which of 0 and -0 is less.
	{"(fminf($, $) + 0.0f)", tFloat, []*ctype{tFloat, tFloat}}, {"(fmin($, $) + 0.0)", tDouble, []*ctype{tDouble, tDouble}},
	{"(fmaxf($, $) + 0.0f)", tFloat, []*ctype{tFloat, tFloat}}, {"(fmax($, $) + 0.0)", tDouble, []*ctype{tDouble, tDouble}},
	{"fmaf($, $, 0.5f)", tFloat, []*ctype{tFloat, tFloat}}, {"fma($, $, 1.0e-3)", tDouble, []*ctype{tDouble, tDouble}},
	{"__uint_as_float($)", tFloat, []*ctype{tUInt}}, {"__longlong_as_double($)", tDouble, []*ctype{tLLong}},
}

func (g *generator) intrinsic(a, b *exp) *exp { return g.apply(pick(g, intrinsics), a, b) }

func (g *generator) floating(a, b *exp) *exp { return g.apply(pick(g, floatings), a, b) }

func (g *generator) apply(s signature, args ...*exp) *exp {
	e := &exp{t: s.result, text: s.text}
	for i, t := range s.params {
		e.args = append(e.args, &exp{t, "($)", []*exp{cast(t, args[i])}})
	}
	return e
}

// callable returns a function that may be called here, or nil. Pure ones have
// no pointer parameters, and results that are not structs.
func (g *generator) callable(pure bool) *function {
	if len(g.funcs) == 0 {
		return nil
	}
	f := pick(g, g.funcs)
	if g.mult*f.cost > 400 || pure && f.rs != nil {
		return nil
	}
	for _, p := range f.params {
		if p.ptr && pure {
			return nil
		}
	}
	if !g.canCall(f) {
		return nil
	}
	g.cost += g.mult * f.cost
	return f
}

// canCall reports whether there is something for each pointer parameter of f.
func (g *generator) canCall(f *function) bool {
	for _, p := range f.params {
		if p.ptr && p.s == nil && !g.hasArray(p.t) || p.ptr && p.s != nil && !g.hasStruct(p.s) {
			return false
		}
	}
	return true
}

func (g *generator) hasStruct(s *structType) bool {
	return slices.ContainsFunc(g.structs, func(v structure) bool { return v.s == s })
}

// call returns a call of f.
func (g *generator) call(f *function, depth int) *exp {
	e := &exp{t: f.result, text: f.name + "("}
	for i, p := range f.params {
		if i > 0 {
			e.text += ", "
		}
		e.text += "$"
		switch {
		case p.ptr && p.s != nil:
			v := g.structExp(p.s)
			e.args = append(e.args, &exp{nil, "&" + v.text, nil})
		case p.ptr:
			e.args = append(e.args, g.pointer(p.t, g.arrays))
		case p.s != nil:
			e.args = append(e.args, g.structExp(p.s))
		default:
			e.args = append(e.args, convert(p.t, g.exp(depth)))
		}
	}
	if f.depth {
		e.text += ", $ & 3u"
		e.args = append(e.args, cast(tUInt, g.leaf()))
	}
	e.text += ")"
	return e
}

// structExp returns a struct: a variable when there is one, or one made in
// place from a call.
func (g *generator) structExp(s *structType) *exp {
	var all []string
	for _, v := range g.structs {
		if v.s == s {
			all = append(all, v.text)
		}
	}
	if len(all) == 0 {
		return &exp{nil, "zero_" + s.name[len("struct "):] + "()", nil}
	}
	return &exp{nil, pick(g, all), nil}
}
