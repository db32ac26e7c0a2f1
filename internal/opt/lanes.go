package opt

import "irgl/internal/plan"

// Sharing of a counter's atomic by lanes: what cooperative conversion (IrGL paper, section
// 4.2) does for the program's own atomics whose results are used, and for sums that cannot
// wait until the end of the kernel, as it looks at the counter. The lanes of a warp that
// come to the atomic together add once, and each gets a place of its own:
//
//	int at = atomicAdd(&waiting, 1);        [[lanes]] int at = atomicAdd(&waiting, 1);
//
// What is legal. The counter is the same for all lanes, and the operation a sum of
// integers, from which each lane's old value follows by what the lanes before it add
// (analysis.Counter). Which lanes come together is found out at the atomic, by
// __activemask, so that it may be in divergent code. What the row tally gathers is not
// shared.
//
// It pays where many lanes come: atomics of one address run one after another. (The paper
// has this for its worklists alone.)

// shareCounters is the row lanes.
func shareCounters(k *kernel) {
	for _, c := range k.f.Counters() {
		if k.given(owner(c.Node), "lanes") || !k.wants("lanes", c.Call) || k.plan.Shares[c.Call].How == plan.Gather {
			continue
		}
		if len(c.NotShared) > 0 {
			k.missed(c.Call, c.NotShared)
			continue
		}
		k.plan.Shares[c.Call] = plan.Share{How: plan.Lanes, Level: plan.Warp}
		k.Applied(c.Call.Pos(), "one atomic for the lanes that come together")
		k.Count("atomics", 1)
	}
}
