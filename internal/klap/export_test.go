package klap

import "strings"

// SetEntries has the table of grids have so many entries, in front of those for grids that find theirs taken, until the
// function that it returns is called.
func SetEntries(n int) func() {
	old := entries
	entries = n
	return func() { entries = old }
}

// PlantPromote puts text in place of a part of promote.cu, until the function that it returns is called; nil if
// there is no such part.
func PlantPromote(part, text string) func() {
	old := promoteLibrary
	if promoteLibrary = strings.Replace(old, part, text, 1); promoteLibrary == old {
		return nil
	}
	return func() { promoteLibrary = old }
}
