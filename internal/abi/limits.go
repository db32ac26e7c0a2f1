package abi

import "strconv"

// Defaults of what options leave open.
const (
	BlockThreads = 256  // threads of a block
	GridLoop     = 4096 // size from which on inner loops are distributed over the grid
)

// Capacities of fixed size.
const (
	// QueueRoom is how many items the queue of a block in shared memory holds.
	QueueRoom = 2048

	// Mirrors is how many arrays of the device the host mirrors at once, and
	// MirrorAfter how many accesses to single elements come before an array is
	// mirrored.
	Mirrors     = 64
	MirrorAfter = 16

	// Reductions is how many values of reductions take turns in a control kernel.
	Reductions = 3
)

// Limits are capacities that a compilation can choose. A field that is 0 has its
// default.
type Limits struct {
	HubLists int // ranges that wait for the end of a kernel; 0 for 4096
	HubTiles int // tiles that these ranges are cut into; 0 for 32768
}

// WithDefaults returns the limits with their defaults filled in.
func (l Limits) WithDefaults() Limits {
	if l.HubLists == 0 {
		l.HubLists = 4096
	}
	if l.HubTiles == 0 {
		l.HubTiles = 32768
	}
	return l
}

// Macros returns the macros of the device library's sources, by name.
func (l Limits) Macros() map[string]string {
	l = l.WithDefaults()
	out := map[string]string{}
	for name, value := range map[string]int{
		"IRGL_HUB_LISTS": l.HubLists, "IRGL_HUB_TILES": l.HubTiles,
		"IRGL_MIRRORS": Mirrors, "IRGL_MIRROR_AFTER": MirrorAfter,
		"IRGL_REDUCTIONS": Reductions,
	} {
		out[name] = strconv.Itoa(value)
	}
	return out
}
