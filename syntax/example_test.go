package syntax_test

import (
	"errors"
	"fmt"
	"os"

	"irgl/internal/source"
	"irgl/syntax"
)

// ParseFile reads a program; Walk visits its tree, and an error says where it is wrong.
func ExampleParseFile() {
	file, err := syntax.ParseFile("k.irgl", []byte("Kernel K(graph) {\n\tForAll (n In graph.nodes) { n.x = 1; }\n}\n"))
	if err != nil {
		fmt.Println(err)
		return
	}
	syntax.Inspect(file, func(n syntax.Node) bool {
		if loop, ok := n.(*syntax.ForAllStmt); ok {
			fmt.Println("a loop at line", loop.Pos().Line(), "over", syntax.String(loop.Iter))
		}
		return true
	})
	_, err = syntax.ParseFile("wrong.cu", []byte("int a = 1 +;\n"))
	var wrong *syntax.Error
	if errors.As(err, &wrong) {
		d := wrong.Diagnostics[0]
		fmt.Println(d.File, d.Line, d.Column, d.Code, d.Message)
	}
	// Output:
	// a loop at line 2 over graph.nodes
	// wrong.cu 1 12 S0007 expected an expression, found `;`
}

// Print gives a program's canonical form, comments included.
func ExamplePrint() {
	text := `Kernel K(graph,int x){ ForAll(n In graph.nodes){n.level=x*2 // twice
	}}`
	var diags source.List
	file := syntax.Parse(source.NewFile("k.irgl", []byte(text)), syntax.IrGL, &diags)
	if err := diags.Err(); err != nil {
		fmt.Println(err)
		return
	}
	if err := syntax.Print(os.Stdout, file); err != nil {
		fmt.Println(err)
	}
	// Output:
	// Kernel K(graph, int x) {
	// 	ForAll (n In graph.nodes) {
	// 		n.level = x * 2; // twice
	// 	}
	// }
}

// Parse reports several errors, each with its place and a code.
func ExampleParse() {
	text := "int a = 1 +;\nclass B {};\nint c;\n"
	var diags source.List
	syntax.Parse(source.NewFile("a.cu", []byte(text)), syntax.CUDA, &diags)
	diags.Render(os.Stdout)
	// Output:
	// a.cu:1:12: error: expected an expression, found `;` [S0007]
	//     1 | int a = 1 +;
	//       |            ^
	// a.cu:2:1: error: `class` is C++; this compiler takes C99 with CUDA's qualifiers [S0011]
	//     2 | class B {};
	//       | ^~~~~
	//   hint: write struct, and functions
}

// Preorder visits every node of a tree.
func ExamplePreorder() {
	var diags source.List
	file := syntax.Parse(source.NewFile("a.cu", []byte("int f(int a) { return a + g(a); }")), syntax.CUDA, &diags)
	for n := range syntax.Preorder(file) {
		if call, ok := n.(*syntax.CallExpr); ok {
			fmt.Println(syntax.String(call))
		}
	}
	// Output: g(a)
}
