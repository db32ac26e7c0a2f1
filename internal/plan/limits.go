package plan

import (
	"fmt"
	"math"
	"slices"
)

// The limits of what can be decided, for attributes and command-line switches alike.
const (
	// MaxBatch is the largest batch: what waits to be pushed is a bit each.
	MaxBatch = 32
	// MaxThreads is the largest block, WarpThreads the smallest.
	MaxThreads  = 1024
	WarpThreads = 32
	// MaxWarps is how many warps the largest block has: what a block gathers for a counter
	// is an element each.
	MaxWarps = MaxThreads / WarpThreads
	// MaxBlocks is how many blocks a multiprocessor holds at most.
	MaxBlocks = 32
	// MaxSize is the largest number of an attribute: the numbers of iterations and of
	// the items of a list have 32 bits.
	MaxSize = math.MaxInt32
	// MaxBackoff leaves a thousandth of the items of a list.
	MaxBackoff = 1024
	// ClusterBlocks is how many blocks a cluster has unless a switch says so: the most
	// that every device with clusters has.
	ClusterBlocks = 8
)

// CheckBatch returns an error if so many iterations cannot be begun at once.
func CheckBatch(n int) error {
	if n < 1 || n > MaxBatch {
		return fmt.Errorf("1 to %d iterations can be begun at once", MaxBatch)
	}
	return nil
}

// CheckBackoff returns an error if n cannot be how many items that conflict there are for one
// that is tried, or how many a thread tries.
func CheckBackoff(n int) error {
	if n < 1 || n > MaxBackoff {
		return fmt.Errorf("a backoff is by 1 to %d", MaxBackoff)
	}
	return nil
}

// CheckThreads returns an error if a block cannot have n threads.
func CheckThreads(n int) error {
	if n < WarpThreads || n > MaxThreads || n%WarpThreads != 0 {
		return fmt.Errorf("a block has %d to %d threads, a multiple of %[1]d", WarpThreads, MaxThreads)
	}
	return nil
}

// CheckBlocks returns an error if a multiprocessor cannot hold n blocks.
func CheckBlocks(n int) error {
	if n < 1 || n > MaxBlocks {
		return fmt.Errorf("a multiprocessor holds 1 to %d blocks", MaxBlocks)
	}
	return nil
}

// CheckCluster returns an error if a cluster cannot have n blocks.
func CheckCluster(n int) error {
	if !slices.Contains([]int{2, 4, ClusterBlocks, 16}, n) {
		return fmt.Errorf("a cluster has 2, 4, %d or, on some devices, 16 blocks", ClusterBlocks)
	}
	return nil
}

// CheckItems returns an error if n cannot be the length of a list up to which a block or a
// cluster executes the rounds.
func CheckItems(n int) error {
	if n < 1 || n > MaxSize {
		return fmt.Errorf("the length of a list is from 1 to %d", MaxSize)
	}
	return nil
}

// CheckSize returns an error if n cannot be the size from which a policy takes a loop.
func CheckSize(n int) error {
	if n < 1 || n > MaxSize {
		return fmt.Errorf("the size of a policy is from 1 to %d", MaxSize)
	}
	return nil
}
