package bundled

import (
	"irgl/internal/gogen"
	"irgl/internal/run"
)

// Lookup returns the engine for the bundled program called name, if its text is
// the one that the engine was generated from.
func Lookup(name string, text []byte) (run.Engine, bool) {
	hash := gogen.Hash(text)
	for _, p := range programs {
		if p.Name == name && p.Source == hash {
			return gogen.Engine(p), true
		}
	}
	return nil, false
}
