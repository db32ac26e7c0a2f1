//go:build !race

package simt

const conflictsRace = false
