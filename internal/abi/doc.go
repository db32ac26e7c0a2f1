// Package abi is the interface between the lowered program, the device library,
// the host engine and the facade: the names, capacities and defaults that two of
// them must agree on. Each is written here once.
//
// Go code uses the constants. The device library's sources (devlib/*.cu) use
// macros of the same values, which package devlib expands before it parses them:
//
//	struct irgl_hubs {
//	  int lists[4];
//	  irgl_index first[IRGL_HUB_TILES];    // Limits.HubTiles
//	  ...
//
// So the emitted .cu text has the numbers and
// stays self-contained. [Limits] holds the capacities that may differ between two
// compilations; the zero Limits are the defaults.
//
// The package refuses nothing and imports nothing: it is the first package of the
// house that knows about the runtime.
package abi
