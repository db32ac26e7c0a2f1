package check

import (
	"math"
	"sync"
)

// This file has what programs on weighted graphs declare lengths of paths with.
// The type dist_t is int where every path's length fits in one, and long where it
// does not; DIST_MAX, its largest value, is no path's length. Whoever runs a program
// knows which after it has seen the weights, and checks the program with
// [Options].Wide accordingly (run.WideDistances).

// Names of the type of distances and of its largest value.
const (
	distName = "dist_t"
	distMax  = "DIST_MAX"
)

// distances holds the two objects for each width.
var distances = sync.OnceValue(func() map[bool]map[string]*Object {
	return map[bool]map[string]*Object{false: distancesOf(Int, math.MaxInt32), true: distancesOf(Long, math.MaxInt64)}
})

func distancesOf(t Basic, largest int64) map[string]*Object {
	return map[string]*Object{
		distName: {Kind: TypeObj, Name: distName, Type: t, Global: true},
		distMax:  {Kind: BuiltinObj, Name: distMax, Type: t, Const: intConst(largest, t), Global: true, ReadOnly: true},
	}
}

// distance returns the object that name stands for in the words of distances, or
// nil, and notes that the program has distances.
func (c *checker) distance(name string) *Object {
	if !c.irgl || name != distName && name != distMax {
		return nil
	}
	c.info.Distances = true
	return distances()[c.o.Wide][name]
}

// IsDistance reports whether a type's name is that of distances, whose lowered form
// is the type that it stands for.
func IsDistance(name string) bool { return name == distName }
