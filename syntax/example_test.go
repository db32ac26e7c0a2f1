package syntax_test

import (
	"fmt"
	"os"

	"irgl/internal/source"
	"irgl/syntax"
)

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
