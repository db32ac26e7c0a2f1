package hosteval

import (
	"maps"
	"sync"
)

// A function is one of the machine. It returns an integer extended by its sign, an address, or the
// bits of a double.
type function func(m *machine, c *call) uint64

// functions returns the machine's functions by name.
var functions = sync.OnceValue(func() map[string]function {
	all := map[string]function{}
	for _, group := range []map[string]function{memoryFunctions(), stringFunctions(), numberFunctions(), fileFunctions(), processFunctions(), cudaFunctions(), deviceFunctions(), cudaStreamFunctions()} {
		maps.Copy(all, group)
	}
	return all
})

// isMachines reports whether the machine has a function.
func isMachines(name string) bool { return functions()[name] != nil }
