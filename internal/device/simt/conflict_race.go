//go:build race

package simt

// conflictsRace says that the race detector is on: groups of blocks that conflict are data races of the emulator's own
// goroutines, by design (parallel.go), so one worker executes a launch unless more are asked for.
const conflictsRace = true
