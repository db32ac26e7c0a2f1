package devlib

import (
	"embed"
	"regexp"
	"strings"
	"sync"

	"irgl/internal/source"
	"irgl/syntax"
)

// MathPrefix begins the names of the functions of <math.h>: irgl_expf.
const MathPrefix = "irgl_"

//go:embed math/*.cu
var mathFiles embed.FS

// mathOrder lists the library's files so that each uses only those before it.
const mathOrder = "common simd exp_float exp trig_float trig hyperbolic_float hyperbolic error parts_float parts norm bessel_table bessel"

// A mathDecl is one declaration of the mathematical library, not parsed yet:
// most programs need a few of them, and some none.
type mathDecl struct {
	name  string
	text  string // from its first line to its last
	fn    bool   // a function, not a table
	needs []int  // the places of those that it names
}

// mathDecls finds the library's declarations, in order, and their places. It
// relies on the layout of the sources: a declaration begins with "static" at
// the left margin and ends with a brace there.
var mathDecls = sync.OnceValues(func() ([]*mathDecl, map[string]int) {
	var decls []*mathDecl
	index := map[string]int{}
	for file := range strings.FieldsSeq(mathOrder) {
		content, err := mathFiles.ReadFile("math/" + file + ".cu")
		if err != nil {
			continue // the list is right: a test counts the files
		}
		var open *mathDecl
		for line := range strings.Lines(string(content)) {
			if strings.HasPrefix(line, "static ") {
				before := line[:strings.IndexAny(line, "([")]
				open = &mathDecl{name: before[strings.LastIndexAny(before, " *")+1:], fn: line[len(before)] == '('}
				index[open.name] = len(decls)
				decls = append(decls, open)
			}
			if open != nil {
				open.text += line
				if line[0] == '}' {
					open = nil
				}
			}
		}
	}
	name := regexp.MustCompile(`\b` + MathPrefix + `\w+`)
	for i, d := range decls {
		for _, s := range name.FindAllString(d.text, -1) {
			if at, ok := index[s]; ok && at != i {
				d.needs = append(d.needs, at)
			}
		}
	}
	return decls, index
})

// HasMath reports whether the mathematical library has the function name, such
// as irgl_expf.
func HasMath(name string) bool {
	decls, index := mathDecls()
	at, ok := index[name]
	return ok && decls[at].fn
}

// SelectMath returns the declarations of the mathematical library that names
// need, like [Library.Select]. An error means that its sources and the parser
// disagree.
func SelectMath(names ...string) ([]syntax.Decl, error) {
	decls, index := mathDecls()
	wanted := make([]bool, len(decls))
	var want func(i int)
	want = func(i int) {
		if wanted[i] {
			return
		}
		wanted[i] = true
		for _, j := range decls[i].needs {
			want(j)
		}
	}
	for _, name := range names {
		if i, ok := index[name]; ok {
			want(i)
		}
	}
	var text strings.Builder
	for i, d := range decls {
		if wanted[i] {
			text.WriteString(d.text)
		}
	}
	var diags source.List
	f := syntax.Parse(source.NewFile("devlib/math.cu", []byte(text.String())), syntax.CUDA, &diags)
	return f.Decls, diags.Err()
}
