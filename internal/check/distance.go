package check

import (
	"sync"

	"irgl/internal/builtin"
)

// This file has what programs on weighted graphs declare lengths of paths with.
// The type dist_t is int where every path's length fits in one, and long where it
// does not; DIST_MAX, its largest value, is not a path's length. Package engine
// chooses between them by the weights (run.WideDistances), and checks the program
// with [Options].Wide accordingly.

// Names of the type of distances and of its largest value.
const (
	distName = "dist_t"
	distMax  = "DIST_MAX"
)

// distances holds the objects of the two names when they are wide.
var distances = sync.OnceValue(wideDistances)

// wideDistances returns the objects of programs whose distances are wide.
func wideDistances() map[string]*Object {
	all := map[string]*Object{}
	for _, name := range []string{distName, distMax} {
		row := *builtin.Lookup(name)
		row.Of, row.Value = row.WideOf, row.WideValue
		all[name] = newBuiltin(&row).obj
	}
	return all
}

// distance returns the object that name stands for in the words of distances, or
// nil, and notes that the program has distances.
func (c *checker) distance(name string) *Object {
	if !c.irgl || name != distName && name != distMax {
		return nil
	}
	c.info.Distances = true
	if c.o.Wide {
		return distances()[name]
	}
	return LookupBuiltin(name).obj
}

// IsDistance reports whether a type's name is that of distances, whose lowered form
// is the type that it stands for.
func IsDistance(name string) bool { return name == distName }
