package opt

import "irgl/internal/plan"

// The policy serial: the thread whose iteration an inner ForAll is in executes it, if the
// other policies have left it for being short:
//
//	[[np(tb)]] ForAll (e In n.edges) { ... }        [[np(tb 256, serial)]] ForAll (e In n.edges) { ... }
//
// Alone it changes nothing about who executes what, but the block converges at the loop, which
// is what a reservation of room by the block takes (reserve.go). What is legal for it, as
// for all policies, is in nest.go.
//
// It pays where most loops are of a few iterations, which are done before another policy
// has found out who does them. (IrGL paper, Table 5.)

var bySelf = policy(plan.Serially)
