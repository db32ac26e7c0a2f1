package ssagen

import (
	"cmp"
	"slices"

	"irgl/internal/check"
	"irgl/internal/ssa"
)

// sortCases orders cases by value.
func sortCases(cases []switchCase, unsigned bool) {
	slices.SortStableFunc(cases, func(a, b switchCase) int {
		if unsigned {
			return cmp.Compare(uint64(a.value), uint64(b.value))
		}
		return cmp.Compare(a.value, b.value)
	})
}

// maxChain is the number of cases that are compared sequentially; more are
// split by binary search, so that the longest path is logarithmic in their
// number.
const maxChain = 3

// search emits the search among sorted cases and ends the current block.
func (g *fb) search(x *ssa.Value, ctx *switchCtx, cases []switchCase) {
	if len(cases) > maxChain {
		mid := len(cases) / 2
		op := ssa.OpSLt
		if check.IsUnsigned(ctx.typ) {
			op = ssa.OpULt
		}
		low, high := g.newBlock(), g.newBlock()
		g.branch(g.emit(op, ssa.I1, x, g.intConst(x.Type, cases[mid].value)), low, high)
		g.setBlock(low)
		g.search(x, ctx, cases[:mid])
		g.setBlock(high)
		g.search(x, ctx, cases[mid:])
		return
	}
	for _, c := range cases {
		next := g.newBlock()
		g.branch(g.emit(ssa.OpEq, ssa.I1, x, g.intConst(x.Type, c.value)), c.target, next)
		g.setBlock(next)
	}
	g.jump(ctx.fallback)
}
