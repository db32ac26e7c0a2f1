package check

import (
	"strings"

	"irgl/syntax"
)

// format warns about arguments that a constant printf format does not fit, and
// refuses %n, which CUDA's printf does not have; fixed is the index of the format.
func (c *checker) format(e *syntax.CallExpr, fixed int, xs []operand) {
	lit, ok := syntax.Unparen(e.Args[fixed]).(*syntax.BasicLit)
	if !ok || lit.Kind != syntax.StringLit {
		return
	}
	text, err := syntax.ParseString(lit.Text)
	if err != nil {
		return
	}
	if at := strings.IndexByte(text, 0); at >= 0 {
		text = text[:at] // as C reads it
	}
	verbs := formatVerbs(text)
	for _, v := range verbs {
		if v.conv == 'n' {
			c.errorf(lit, codeFormat, "%s is not supported: printf stores nothing", v.text).Hint = "the result of printf is the number of bytes"
			return
		}
	}
	if len(verbs) != len(xs)-fixed-1 {
		c.warnf(e, codeFormat, "the format takes %s, not %d", plural(len(verbs), "value"), len(xs)-fixed-1)
		return
	}
	for i, v := range verbs {
		t := Decay(xs[fixed+1+i].typ)
		if want := v.misfit(t); want != "" {
			c.warnf(e.Args[fixed+1+i], codeFormat, "%s prints %s, not %s", v.text, want, describe(t))
		}
	}
}

// A verb is one conversion of a printf format; verb 0 stands for a * width.
type verb struct {
	text string
	long bool // l, ll or z
	conv byte
}

// misfit says what the verb prints when that is not a t, and otherwise "".
func (v verb) misfit(t Type) string {
	switch {
	case strings.IndexByte("diouxXc*", v.conv) >= 0:
		want, size := "an int", int64(4)
		if v.long {
			want, size = "a long", 8
		}
		if !IsInteger(t) || Promote(t).Size() != size {
			return want
		}
	case strings.IndexByte("fFeEgGaA", v.conv) >= 0:
		if !IsFloat(t) {
			return "a float or double"
		}
	case v.conv == 's':
		if p, ok := t.(*Pointer); !ok || p.Elem.Size() != 1 {
			return "a string"
		}
	case v.conv == 'p':
		if _, ok := t.(*Pointer); !ok {
			return "a pointer"
		}
	default:
		return "nothing that is known"
	}
	return ""
}

// formatVerbs splits a printf format.
func formatVerbs(s string) []verb {
	var out []verb
	for {
		i := strings.IndexByte(s, '%')
		if i < 0 || i+1 == len(s) {
			return out
		}
		s = s[i:]
		if s[1] == '%' {
			s = s[2:]
			continue
		}
		n := 1
		for n < len(s) && strings.IndexByte("-+ #0123456789.*", s[n]) >= 0 {
			if s[n] == '*' {
				out = append(out, verb{"*", false, '*'})
			}
			n++
		}
		long := false
		for n < len(s) && strings.IndexByte("hlzjt", s[n]) >= 0 {
			long = long || s[n] != 'h'
			n++
		}
		if n == len(s) {
			return out
		}
		out = append(out, verb{s[:n+1], long, s[n]})
		s = s[n+1:]
	}
}
