// Package pass runs ordered lists of passes over any kind of program: trees,
// SSA modules. It knows none of them: a list is generic in what it works on.
//
// A pass is a row of data: its name, what it does, the paper it comes from,
// its function, whether it is on unless asked for. The order of the rows is
// the order of the run. What the order must respect is data too: each [Order]
// names two rows and says why one must precede the other, and [NewList]
// refuses rows that contradict it. A pass that runs twice has two rows, the
// second of which says which one it repeats; a switch on the first governs
// both.
//
//	list, err := pass.NewList([]pass.Pass[*ssa.Module]{
//		{Name: "mem2reg", Doc: "variables become values", Fn: mem2reg, PerUnit: true},
//		{Name: "dce", Doc: "unused values go", Fn: dce, PerUnit: true},
//	}, []pass.Order{
//		{Before: "mem2reg", After: "dce", Reason: "it leaves dead address arithmetic"},
//	})
//	report, err := list.Run(m, pass.Options[*ssa.Module]{
//		Switch: map[string]bool{"dce": false},
//		Verify: ssa.Verify,
//	})
//
// A run can switch passes, verify and print after any of them, stop after so
// many steps (to find by bisection the step that breaks a program), and change
// the program before a pass (tests shuffle what has no order). Passes count
// what they do; the [Report] has the counts and times. All of it is in
// [Options]: the package has no state.
//
// A panic in a pass becomes an error of type [*InternalError] with the names
// of the pass and of the function it was at. The package refuses unknown names
// in options, and switching off what is required.
package pass
