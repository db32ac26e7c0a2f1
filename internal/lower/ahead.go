package lower

import (
	"fmt"

	"irgl/internal/abi"
	"irgl/internal/check"
	"irgl/syntax"
)

// The first item ahead. Behind the barrier of a round, a thread of a control kernel
// waits for the count of the list, finds that there is an item for it, and waits
// for that: two latencies, of which the second need not wait for the first. With
// [Options.Ahead] each thread loads the item of its own number together with the
// count, whether there is one or not:
//
//	irgl_call_BFS(..., int *irgl_ahead, ...)       ... irgl_body_BFS(..., *irgl_ahead);
//	                                               irgl_grid_barrier();
//	                                               *irgl_ahead = irgl_first(irgl_wl->out);
//	                                               irgl_pipe_turn(irgl_wl);
//	n = WL.pop(i);                                 int n = irgl_pop_ahead(in, i, irgl_ahead);
//
// where irgl_pop_ahead loads only what has another number. What is loaded in vain
// is never used. Legal because nobody writes to a list that is popped, so that the
// item has its value from the barrier on; lists have a value in each place that may
// be loaded like that, which the control kernel sees to at its start. What a run
// retries is another matter: where that is nothing, the next kernel may push to the
// same list before all have looked. There the item is loaded when the count is known.
//
// It applies to pops in the outermost ForAll of kernels that control kernels call,
// by its variable; not where iterations are dealt out in another order (Deal, or
// ForAlls whose iterations wait for each other). It pays where rounds are short; it
// costs a register or four and, for threads without an item, a load that nobody
// waits for. (Beyond the IrGL paper.)

// aheadType returns the type of an item as lists have it.
func (l *lowerer) aheadType(s syntax.Span) syntax.TypeExpr {
	if l.bounded {
		return structType(s, "irgl_item")
	}
	return basic(s, "int")
}

// aheadFunc returns the form of a function for the items that lists have.
func (l *lowerer) aheadFunc(name string) string {
	if l.bounded {
		return name + "_node"
	}
	return name
}

// aheadParam returns the parameter with the thread's first item.
func (l *lowerer) aheadParam(s syntax.Span) *syntax.Param {
	return &syntax.Param{Span: s, Type: l.aheadType(s), Name: ident(s, abi.AheadVar)}
}

// beginAhead returns what stands at the top of a control kernel: places without an
// item get a value before any thread pushes to them.
func (l *lowerer) beginAhead(s syntax.Span) []syntax.Stmt {
	if !l.ahead {
		return nil
	}
	pipe := l.context()
	text := fmt.Sprintf("%[1]s(%[2]s.in, %[2]s.size);\n%[1]s(%[2]s.out, 0);\n", l.aheadFunc("irgl_first_clear"), pipe)
	if l.retries {
		text += fmt.Sprintf("%s(%s.retry, 0);\n", l.aheadFunc("irgl_first_clear"), pipe)
	}
	out := append(l.template(text), gridBarrier(s))
	return append(out, variable(s, l.aheadType(s), abi.AheadVar, call(s, l.aheadFunc("irgl_first"), member(ident(s, pipe), "in"))))
}

// loadAhead returns the statement by which a function that calls a kernel loads the
// first item of a list of the pipe, as text.
func (l *lowerer) loadAhead(list string) string {
	if !l.ahead {
		return ""
	}
	return fmt.Sprintf("*%s = %s(irgl_wl->%s);\n", abi.AheadVar, l.aheadFunc("irgl_first"), list)
}

// popsAhead reports whether a pop finds the item of the thread's number first.
func (l *lowerer) popsAhead(x *syntax.CallExpr) bool {
	id, ok := syntax.Unparen(x.Args[0]).(*syntax.Ident)
	if !ok || !l.early || l.info.Uses[id] == nil {
		return false
	}
	s, ok := l.info.Uses[id].Decl.(*syntax.ForAllStmt)
	if !ok || s.Serial || l.info.Types[s.Iter] != check.Worklist || l.info.Groups[s] {
		return false
	}
	return l.tp == nil || !l.tp.uniform[s] || !l.o.Deal || l.tp.partial
}
