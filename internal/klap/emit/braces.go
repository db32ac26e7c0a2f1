package emit

import (
	"regexp"
	"strings"
	"sync"

	"irgl/internal/cpp"
	"irgl/internal/cxx/hir"
	"irgl/syntax"
)

// Braced constructions.
//
//	child<<<dim3{n, 2}, 32>>>(p);    dim3 __klap_grid = dim3{n, 2};
//
// The place of the object is that of the braces. In front of them is a type, which is part of its text, or a variable, which
// is not.

// constructed returns where the construction begins whose braces an expression begins with; from itself for other
// expressions.
func (e *emitter) constructed(from int32) int32 {
	t := e.t
	k := t.token(from)
	if k == 0 || k >= len(t.toks) || t.toks[k].From() != from || t.toks[k].Word != cpp.LBrace {
		return from
	}
	first := t.typeBefore(k)
	if first == k || e.variables()[t.toks[k-1].From()] {
		return from
	}
	return t.toks[first].From()
}

// typeBefore returns the first token of the name of a type that ends in front of token k, which is k if there is none.
func (t *text) typeBefore(k int) int {
	first := k
	for first > 0 {
		at := first - 1
		for depth := 0; at > 0; at-- {
			switch t.toks[at].Word {
			case cpp.Greater:
				depth++
			case cpp.GreaterGreater:
				depth += 2
			case cpp.Less:
				depth--
				continue
			}
			if depth == 0 {
				break
			}
		}
		if !typeWord(&t.toks[at]) {
			return first
		}
		if first = at; first == 0 || t.toks[first-1].Word != cpp.ColonColon {
			return first
		}
		first--
	}
	return first
}

// typeWord reports whether a token may be the name of a type.
func typeWord(k *cpp.Token) bool {
	switch k.Text() {
	case "bool", "char", "short", "int", "long", "unsigned", "signed", "float", "double", "auto":
		return true
	}
	return k.Kind == cpp.Ident
}

// withoutTemporaries leaves out of a function the variables that the lowered program has for objects of expressions, of which the text
// has the expressions.
func withoutTemporaries(text string) string {
	if !strings.Contains(text, "irgl_t") {
		return text
	}
	count := map[string]int{}
	for _, w := range tokensOf(text) {
		count[w]++
	}
	return temporary().ReplaceAllStringFunc(text, func(line string) string {
		if count[temporary().FindStringSubmatch(line)[1]] == 1 {
			return ""
		}
		return line
	})
}

// temporary matches the declaration of such a variable.
var temporary = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)^[ \t]*(?:[A-Za-z_][\w:<>, ]*[ *])(irgl_t\d+);\n`)
})

// maybeUsed marks the variables of a form of a kernel that have the places of its parameters, if the text does not use them.
func (d *editor) maybeUsed(text string, old *syntax.FuncDecl) string {
	count := map[string]int{}
	for _, w := range tokensOf(text) {
		count[w]++
	}
	for _, p := range old.Params {
		if p.Name == nil {
			continue
		}
		name := p.Name.Name
		if to, ok := d.locals[name]; ok {
			name = to
		}
		if count[name] == 1 {
			line := regexp.MustCompile(`(?m)^(\t+)(\w[^\n;=]*\b` + regexp.QuoteMeta(name) + `\b[^\n;=]*(?: = \*?__klap_[^;\n]*)?;)$`)
			text = line.ReplaceAllString(text, "${1}"+maybeUnused+"${2}")
		}
	}
	return text
}

// variables returns the places of the names of all variables.
func (e *emitter) variables() map[int32]bool {
	if e.vars != nil {
		return e.vars
	}
	e.vars = map[int32]bool{}
	for _, h := range e.u.CXX.HIR.Funcs {
		if h.Body == nil {
			continue
		}
		hir.Walk(h.Body, func(n any) {
			s, ok := n.(*hir.VarStmt)
			if !ok {
				return
			}
			for _, v := range s.Vars {
				if v.Pos().File == e.t.file {
					e.vars[v.Pos().Offset] = true
				}
			}
		})
	}
	return e.vars
}
