package gogen

import (
	"fmt"
	"slices"
	"strings"

	"irgl/internal/check"
	"irgl/syntax"
)

// Go ends the process when a stack outgrows its limit of 1 GB. A recursive function
// therefore has one more parameter, the number of calls of recursive functions that
// have not returned, which each such call checks against a limit.

// stackBudget is the memory that the frames of recursive calls may take, by a
// generous estimate of their size.
const stackBudget = 128 << 20

// depthLimit returns how many calls of recursive functions may be active at once.
func (g *generator) depthLimit() int {
	largest := int64(256)
	for _, f := range g.info.Funcs {
		if f.Recursive {
			largest = max(largest, g.frameSize(f))
		}
	}
	return int(stackBudget / largest)
}

// frameSize estimates the size of a function's frame: its variables, and a few
// words for each operation.
func (g *generator) frameSize(f *check.FuncInfo) int64 {
	size := int64(256)
	for n := range syntax.Preorder(f.Decl) {
		size += 16
		if d, ok := n.(*syntax.VarDecl); ok && g.info.Defs[d.Name] != nil {
			size += g.info.Defs[d.Name].Type.Size()
		}
	}
	return size
}

// depthParam returns the parameter list of a function with that of its depth.
func depthParam(f *check.FuncInfo, list string) string {
	if !f.Recursive {
		return list
	}
	return strings.TrimSuffix("depth int, "+list, ", ")
}

// withDepth returns the arguments of a call of o with that of its depth.
func (f *fn) withDepth(e syntax.Expr, o *check.Object, args []string) []string {
	switch {
	case !o.Func.Recursive:
		return args
	case !f.recursive:
		return slices.Insert(args, 0, "0")
	}
	return slices.Insert(args, 0, fmt.Sprintf("rt.Deeper(depth, %d, %d)", f.depthLimit(), f.at(e)))
}
