package tune

import "irgl/internal/device"

// Costs relative to one warp instruction, rounded to the magnitudes of an H200
// (docs/performance.md): a launch that the host waits for takes about as long as
// 20000 warp instructions, a barrier of a block 40; memory transactions and atomics
// are in between.
const (
	launchCost       = 20000
	barrierCost      = 40
	transactionCost  = 4
	globalAtomicCost = 8
	sharedAtomicCost = 2
)

// Cost returns a weighted sum of what a device counted, for devices without a
// meaningful clock: warp instructions, and the rest by their weights. It is
// deterministic, and not a time.
func Cost(c device.Counters) float64 {
	return float64(c.Instructions) + launchCost*float64(c.Launches) + barrierCost*float64(c.Barriers) +
		transactionCost*float64(c.Transactions) + globalAtomicCost*float64(c.AtomicsGlobal) + sharedAtomicCost*float64(c.AtomicsShared)
}
