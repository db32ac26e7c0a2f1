package opt

import (
	"fmt"
	"slices"

	"irgl/internal/analysis"
	"irgl/internal/plan"
	"irgl/syntax"
)

// Gathering of counters: what cooperative conversion (IrGL paper, section 4.2) does for the
// program's own atomics. Those of one address run one after another, about one in a
// nanosecond, however many threads wait. What is added for its effect alone is gathered by
// each thread, and added at the end of the kernel, by the thread or by one lane of the warp or of the block:
//
//	atomicAdd(&lost[to], change);        [[gather(block)]] atomicAdd(&lost[to], change);
//
// A thread executes many iterations, and those of inner ForAlls that others own: it gathers
// all of them in a register. It works for each operation that can be done in any order, and a
// warp or block that has nothing to add leaves the counter alone.
//
// What is legal. Package analysis says which atomics are on counters that all threads share,
// and for which nobody sees that they come late: the kernel does nothing else with the
// counter (analysis.Counter). All threads have to come to the end of the kernel, so that
// warps are whole there; so no thread may leave it before. All counters of a kernel are
// gathered at one level. At block level each takes an element of shared memory a warp.
//
// It pays where many threads add, and costs a register. Floating sums come in another order.

// gatherCounters is the row tally.
func gatherCounters(k *kernel) {
	for _, c := range k.f.Counters() {
		if k.given(owner(c.Node), "gather") || !k.wants("tally", c.Call) {
			continue
		}
		level := k.level
		if level == 0 {
			level = k.at(c.Call).coop()
		}
		if why := k.ungathered(c, level); len(why) > 0 {
			k.missed(c.Call, why)
			continue
		}
		k.gather(c, level)
		k.Applied(c.Call.Pos(), "gathered, once a %s", level)
		k.Count("atomics", 1)
	}
}

// ungathered returns why what is added to a counter cannot be gathered at a level.
func (k *kernel) ungathered(c *analysis.Counter, level plan.Level) []analysis.Reason {
	if why := k.notGathered(c); len(why) > 0 {
		return why
	}
	refuse := func(format string, args ...any) []analysis.Reason {
		return []analysis.Reason{{Pos: c.Call.Pos(), Text: fmt.Sprintf(format, args...)}}
	}
	if k.level != 0 && k.level != level {
		return refuse("other counters of the kernel are gathered by the %s", k.level)
	}
	if level == plan.Block && !k.places[c.Tally()] && k.tallies+tallySize(c) > tallyLimit {
		return refuse("%s", noRoom)
	}
	return nil
}

// notGathered returns why what is added to a counter cannot wait for the end of the
// kernel.
func (k *kernel) notGathered(c *analysis.Counter) []analysis.Reason {
	if len(c.NotGathered) == 0 && k.early {
		return []analysis.Reason{{Pos: c.Call.Pos(), Text: "a thread can leave the kernel early"}}
	}
	return slices.Clip(c.NotGathered)
}

// endsEarly reports whether a thread may leave a kernel before its end.
func endsEarly(body *syntax.Block) bool {
	found := false
	visit := func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.ReturnStmt, *syntax.ReduceStmt:
			found = true
		case *syntax.ForAllStmt:
			if !n.Serial { // a reduction in it ends the iteration
				syntax.Inspect(n.Body, func(n syntax.Node) bool {
					if _, ok := n.(*syntax.ReturnStmt); ok {
						found = true
					}
					return true
				})
				return false
			}
		}
		return true
	}
	syntax.Inspect(body, visit)
	return found
}
