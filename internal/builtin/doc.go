// Package builtin is the table of what the two languages have without a
// declaration: functions, variables, constants and types. Each fact about a
// builtin is in its row, and in no other place:
//
//	group{Row: Row{Rule: MathCall, Engines: everywhere, Inexact: true}, names: "sin cos", ends: " f", ...}
//
//	sin    f(f), d(d)   host and device   inexact   interp, gogen, host, device
//
// A row has the name, the signatures ([Row.Forms], in the notation of
// [Row.Forms]'s comment), where the language allows the builtin, how its calls
// are checked ([Rule]), what a call does besides computing its result
// ([Effects]), whether host and device compute the same bits ([Row.Inexact]),
// and which engines have it ([Engines]). The table has no code: package check
// makes objects and types of the rows, and each engine has its own meaning of
// each, registered by name. A test of each engine compares its names with the
// rows ([Names]), and check refuses a builtin where the engine that would run it
// has none ([Row.Available]).
//
// The table is static data. The index of its names is made by the first
// [Lookup], and a row is made when its name is looked up: a program uses few
// of the hundreds.
//
// Files: builtin.go has the types and the lookup; c.go the C library and its
// constants and types; math.go functions of numbers; device.go what only device
// code has; runtime.go the CUDA runtime.
package builtin
