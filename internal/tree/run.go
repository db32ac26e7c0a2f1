package tree

import (
	"fmt"
	"io"

	"irgl/internal/check"
	"irgl/internal/pass"
	"irgl/internal/source"
	"irgl/syntax"
)

// Options steers a run of passes over a tree.
type Options struct {
	Switch     map[string]bool   // passes to switch on or off, by name
	Remark     func(pass.Remark) // called with what passes say about places in the program
	Verify     bool              // check the program before the first pass and after every one
	PrintAfter []string          // names of passes, or "all"
	Out        io.Writer         // where PrintAfter prints
}

// A Program is what passes over trees work on: a file and whatever they know of it.
type Program interface {
	// File returns the program as it is.
	File() *syntax.File
	// Whole returns the program with the declarations that it needs from
	// elsewhere, for the checker.
	Whole() (*syntax.File, error)
}

// Run runs the passes of a list over p in place.
func Run[P Program](list *pass.List[P], p P, o Options) (*pass.Report, error) {
	po := pass.Options[P]{
		Switch: o.Switch, Remark: o.Remark, PrintAfter: o.PrintAfter, Out: o.Out, Comment: "//",
		Print: func(w io.Writer, p P) error { return syntax.Print(w, p.File()) },
	}
	if o.Verify {
		po.Verify = func(p P) error {
			f, err := p.Whole()
			if err != nil {
				return err
			}
			return Verify(f)
		}
	}
	return list.Run(p, po)
}

// Verify reports what is wrong with a program between two passes: a node that has
// two places in the tree, so that a change of the one would be one of the other, or
// what the checker finds.
func Verify(f *syntax.File) error {
	if n := Shared(f); n != nil {
		return fmt.Errorf("%T %s has two places in the tree", n, syntax.String(n))
	}
	var diags source.List
	check.Check(f, &diags)
	return diags.Err()
}

// Shared returns a node that has two places in a tree, or nil. Types may have: the
// declarators of int a, b; share theirs.
func Shared(n syntax.Node) syntax.Node {
	seen := map[syntax.Node]bool{}
	var twice syntax.Node
	syntax.Inspect(n, func(n syntax.Node) bool {
		if _, typ := n.(syntax.TypeExpr); typ || n == nil || twice != nil {
			return false
		}
		if seen[n] {
			twice = n
		}
		seen[n] = true
		return true
	})
	return twice
}
