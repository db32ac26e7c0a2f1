package tree

import (
	"fmt"

	"irgl/internal/source"
	"irgl/syntax"
)

// What is the same for every program but for names and types is written as text and
// parsed. The text is part of the compiler: an error in it is a panic.

// prefix declares the types that templates may name.
const prefix = "typedef int irgl_index;\n"

// Template parses statements of the CUDA dialect. A statement irgl_hole(k); in the
// text becomes the statements of holes[k]. The nodes have no position: they say
// nothing about where the printed program has blank lines.
func Template(text string, holes ...[]syntax.Stmt) []syntax.Stmt {
	decls := parse("irgl-schedule.cu", prefix+"void irgl_template(void) {\n"+text+"}\n")
	body := decls[1].(*syntax.FuncDecl).Body
	syntax.Inspect(body, func(n syntax.Node) bool {
		unplace(n)
		return true
	})
	Rewriter{Stmt: func(s syntax.Stmt) []syntax.Stmt {
		if c := CallOf(s, "irgl_hole"); c != nil {
			k := -1
			fmt.Sscan(syntax.String(c.Args[0]), &k)
			return holes[k]
		}
		return []syntax.Stmt{s}
	}}.Rewrite(body)
	return body.Stmts
}

// Declarations parses declarations of the CUDA dialect.
func Declarations(text string) []syntax.Decl { return parse(GeneratedName, prefix+text)[1:] }

// GeneratedName is the name of the file that their places are in.
const GeneratedName = "irgl-runtime.cu"

func parse(name, text string) []syntax.Decl {
	var diags source.List
	f := syntax.Parse(source.NewFile(name, []byte(text)), syntax.CUDA, &diags)
	if err := diags.Err(); err != nil {
		panic(fmt.Sprintf("tree: a template does not parse: %v\n%s", err, text))
	}
	return f.Decls
}

// unplace takes away a node's position.
func unplace(n syntax.Node) {
	if n, ok := n.(interface{ SetSpan(syntax.Span) }); ok {
		n.SetSpan(syntax.Span{})
	}
}
