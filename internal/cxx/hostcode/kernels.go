package hostcode

import (
	"irgl/internal/cpp"
	"irgl/internal/source"
)

// A Kernel is the definition of a kernel in a source.
type Kernel struct {
	Name     string // without qualifiers
	Line     int
	Template bool // it has parameters that its uses give
}

// Kernels returns the kernels that a source defines, whatever its conditions for the
// preprocessor say: a __global__ function with a body is one.
func Kernels(f *source.File) []Kernel {
	toks, _ := cpp.Scan(f, cpp.CXX)
	r := &rewriter{file: f, toks: withoutDirectives(toks)}
	r.match = cpp.MatchBrackets(r.toks)
	var out []Kernel
	for i := 0; i < len(r.toks); i++ {
		if r.toks[i].Text() != "__global__" {
			continue
		}
		d := r.read(i)
		for d.params >= 0 && r.isSpecifierMacro(&d) {
			d = r.read(r.match[d.params] + 1)
		}
		if d.body < 0 || d.name < 0 {
			continue
		}
		out = append(out, Kernel{r.toks[d.name].Text(), r.toks[d.name].Pos().Line(), r.templateArgs(i) != ""})
		i = d.body
	}
	return out
}

// isSpecifierMacro reports whether what looks like a function's parameters are the
// arguments of a macro, which the preprocessor has not replaced: the declarator follows.
func (r *rewriter) isSpecifierMacro(d *decl) bool {
	next := &r.toks[r.match[d.params]+1]
	return next.Kind == cpp.Ident && !isQualifier(next.Text()) && !takesArgs(next)
}
