package bundled

import (
	"irgl/internal/gogen"
	"irgl/internal/run"
	"irgl/internal/source"
)

// Lookup returns the engine for the bundled program called name, with distances
// of 64 bits if wide, if its text is the one that the engine was generated from.
func Lookup(name string, text []byte, wide bool) (run.Engine, bool) {
	hash := gogen.Hash(text)
	for _, p := range programs {
		if p.Name == name && p.Source == hash && p.Wide == wide {
			return gogen.Engine(p, source.NewFile(name+".irgl", text)), true
		}
	}
	return nil, false
}
