package tune

import "irgl/internal/device"

// What things cost beside an instruction of a warp. They are round numbers of the
// right size for an H200 (docs/performance.md): a launch that the host waits for
// takes about as long as 20000 instructions of a warp, a barrier of a block 40, and
// what moves through memory or is an atomic there some.
const (
	launchCost       = 20000
	barrierCost      = 40
	transactionCost  = 4
	globalAtomicCost = 8
	sharedAtomicCost = 2
)

// Cost returns what a device counted as one number, for devices that have no clock
// worth reading: instructions of warps, and the rest by their weights. It is the
// same each time, and no time.
func Cost(c device.Counters) float64 {
	return float64(c.Instructions) + launchCost*float64(c.Launches) + barrierCost*float64(c.Barriers) +
		transactionCost*float64(c.Transactions) + globalAtomicCost*float64(c.AtomicsGlobal) + sharedAtomicCost*float64(c.AtomicsShared)
}
