package irgltest

import (
	"fmt"
	"strings"
)

// A value is an expression with its type.
type value struct {
	text string
	t    *ctype
}

// A scope is what statements and expressions at one place may use.
type scope struct {
	g      *generator
	vars   []value // may be assigned
	leaves []value // may be read
	own    []value // places in memory that this iteration alone uses
	calls  []*function
	device bool
	host   bool
	loops  int            // how much deeper loops may nest
	hooks  []func(*scope) // other statements possible here
}

// inner returns a scope whose declarations do not leave it.
func (s *scope) inner() *scope {
	c := *s
	c.vars, c.leaves, c.own, c.hooks = clip(s.vars), clip(s.leaves), clip(s.own), clip(s.hooks)
	return &c
}

func clip[T any](l []T) []T { return l[:len(l):len(l)] }

// expr returns the text of a random expression.
func (s *scope) expr(depth int) string { return s.value(depth).text }

// to returns an expression of exactly type t.
func (s *scope) to(depth int, t *ctype) string {
	v := s.value(depth)
	if v.t == t {
		return v.text
	}
	return fmt.Sprintf("(%s)(%s)", t.name, v.text)
}

// integer returns an expression of integer type.
func (s *scope) integer(depth int) value {
	v := s.value(depth)
	if v.t.float {
		t := pick(s.g, []*ctype{tInt, tUInt, tLong})
		return value{fmt.Sprintf("(%s)(%s)", t.name, v.text), t}
	}
	return v
}

func (s *scope) leaf() value {
	g := s.g
	n := len(s.vars) + len(s.leaves) + len(s.own)
	if k := g.IntN(n + 2 + n/3); k < n {
		switch {
		case k < len(s.vars):
			return s.vars[k]
		case k < len(s.vars)+len(s.leaves):
			return s.leaves[k-len(s.vars)]
		}
		return s.own[k-len(s.vars)-len(s.leaves)]
	}
	if len(g.consts) > 0 && g.chance(30) {
		if c := pick(g, g.consts); c != "fixed" || s.device != s.host {
			return value{c, tInt}
		}
	}
	t := pick(g, allTypes)
	return value{literal(g.Rand, t), t}
}

// value returns a random expression of at most the given depth.
func (s *scope) value(depth int) value {
	g := s.g
	if depth <= 0 || g.chance(15) {
		return s.leaf()
	}
	switch k := g.IntN(20); {
	case k < 7:
		a, b := s.value(depth-1), s.value(depth-1)
		op := pick(g, []string{"+", "-", "*", "+", "-", "*", "/"})
		return value{fmt.Sprintf("(%s %s %s)", a.text, op, b.text), common(a.t, b.t)}
	case k < 9:
		a, b := s.integer(depth-1), s.integer(depth-1)
		op := pick(g, []string{"%", "&", "|", "^"})
		return value{fmt.Sprintf("(%s %s %s)", a.text, op, b.text), common(a.t, b.t)}
	case k == 9:
		a := s.integer(depth - 1)
		count := fmt.Sprint(g.IntN(70))
		if g.chance(60) {
			count = fmt.Sprintf("(%s & %d)", s.integer(depth-2).text, pick(g, []int{7, 31, 63}))
		}
		return value{fmt.Sprintf("(%s %s %s)", a.text, pick(g, []string{"<<", ">>"}), count), promoted(a.t)}
	case k < 12:
		op := pick(g, []string{"<", ">", "<=", ">=", "==", "!="})
		return value{fmt.Sprintf("(%s %s %s)", s.expr(depth-1), op, s.expr(depth-1)), tInt}
	case k == 12:
		return value{fmt.Sprintf("(%s %s %s)", s.expr(depth-1), pick(g, []string{"&&", "||"}), s.expr(depth-1)), tInt}
	case k == 13:
		a := s.integer(depth - 1)
		if g.chance(30) {
			return value{fmt.Sprintf("(!%s)", paren(a.text)), tInt}
		}
		return value{fmt.Sprintf("(%s%s)", pick(g, []string{"~", "-"}), paren(a.text)), promoted(a.t)}
	case k < 16:
		t := pick(g, allTypes)
		return value{fmt.Sprintf("(%s)%s", t.name, paren(s.expr(depth-1))), t}
	case k == 16:
		a, b := s.value(depth-1), s.value(depth-1)
		return value{fmt.Sprintf("(%s ? %s : %s)", s.expr(depth-1), a.text, b.text), common(a.t, b.t)}
	case k == 17:
		return s.builtin(depth)
	}
	return s.call(depth)
}

func paren(s string) string {
	if strings.HasPrefix(s, "(") && !strings.HasPrefix(s, "(-") && balanced(s) {
		return s
	}
	return "(" + s + ")"
}

// balanced reports whether the bracket that begins s ends it.
func balanced(s string) bool {
	depth := 0
	for i, c := range s {
		switch c {
		case '(':
			depth++
		case ')':
			depth--
		}
		if depth == 0 {
			return i == len(s)-1
		}
	}
	return false
}

// builtin returns a call of a builtin whose result is the same everywhere.
func (s *scope) builtin(depth int) value {
	g := s.g
	switch g.IntN(9) {
	case 0, 1:
		a, b := s.integer(depth-1), s.integer(depth-1)
		return value{fmt.Sprintf("%s(%s, %s)", pick(g, []string{"min", "max"}), a.text, b.text), common(a.t, b.t)}
	case 2:
		a := s.to(depth-1, tInt)
		return value{fmt.Sprintf("abs(%s)", a), tInt}
	case 3:
		return value{fmt.Sprintf("%s(%s)", pick(g, []string{"sqrt", "floor", "ceil", "trunc", "round", "rint", "fabs"}), s.to(depth-1, tDouble)), tDouble}
	case 4:
		return value{fmt.Sprintf("%s(%s)", pick(g, []string{"sqrtf", "floorf", "ceilf", "truncf", "roundf", "rintf", "fabsf"}), s.to(depth-1, tFloat)), tFloat}
	case 5:
		if g.chance(50) {
			return value{fmt.Sprintf("fmaf(%s, %s, %s)", s.to(depth-1, tFloat), s.to(depth-1, tFloat), s.to(depth-2, tFloat)), tFloat}
		}
		return value{fmt.Sprintf("fma(%s, %s, %s)", s.to(depth-1, tDouble), s.to(depth-1, tDouble), s.to(depth-2, tDouble)), tDouble}
	case 6:
		f := pick(g, []string{"__popc", "__clz", "__ffs"})
		if g.chance(50) {
			return value{fmt.Sprintf("%sll(%s)", f, s.to(depth-1, tLong)), tInt}
		}
		return value{fmt.Sprintf("%s(%s)", f, s.to(depth-1, tInt)), tInt}
	case 7:
		return value{fmt.Sprintf("%s(%s)", pick(g, []string{"isnan", "isinf"}), s.to(depth-1, pick(g, []*ctype{tFloat, tDouble}))), nil}.bool()
	}
	return value{fmt.Sprintf("labs(%s)", s.to(depth-1, tLong)), tLong}
}

// bool makes a truth value an int, whatever the builtin's result is.
func (v value) bool() value { return value{fmt.Sprintf("(%s != 0)", v.text), tInt} }

// call returns a call of a function that may be called here.
func (s *scope) call(depth int) value {
	g := s.g
	var list []*function
	for _, f := range g.funcs {
		if !f.graph {
			list = append(list, f)
		}
	}
	list = append(list, s.calls...)
	if len(list) == 0 {
		return s.builtin(depth)
	}
	f := pick(g, list)
	var args []string
	if f.graph {
		args = append(args, "n")
	}
	for range f.params {
		args = append(args, s.expr(depth-2))
	}
	return value{fmt.Sprintf("%s(%s)", f.name, strings.Join(args, ", ")), f.result}
}
