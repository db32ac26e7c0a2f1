package host

import (
	"fmt"

	"irgl/internal/abi"
	"irgl/internal/device"
	"irgl/syntax"
)

// indexFault is the error of an index that an array does not have.
func indexFault(i, count int64) *faultError {
	return &faultError{CodeIndex, fmt.Sprintf("index %d is out of range: the array has %d elements, 0 to %d", i, count, count-1)}
}

// elementFault is the error of an access by host code to value number at of an array
// on the device, which has count of them.
func (e *Engine) elementFault(array device.Ptr, at, count int64) *faultError {
	domain, found := e.domainOf(array)
	if !found {
		return indexFault(at, count)
	}
	whole, one, n := "graph", "node", int64(0)
	switch domain {
	case syntax.NodeDomain:
		n = e.nodes
	case syntax.EdgeDomain:
		one, n = "edge", e.edges
	case syntax.PointDomain:
		whole, one, n = "mesh", "point", count
	default:
		whole, one, n = "mesh", "element", count
	}
	if per := count / max(1, n); per > 1 { // values of a property that is an array
		if at < 0 {
			at -= per - 1
		}
		at /= per
	}
	switch {
	case whole == "mesh":
		return &faultError{CodeElement, fmt.Sprintf("the mesh has no %s %d: it has room for %d", one, at, n)}
	case n == 0:
		return &faultError{CodeElement, fmt.Sprintf("the graph has no %s %d: it has no %ss", one, at, one)}
	}
	return &faultError{CodeElement, fmt.Sprintf("the graph has no %s %d: its %ss are 0 to %d", one, at, one, n-1)}
}

// domainOf returns what an array on the device has one value of, if it is one of the
// graph or of the mesh.
func (e *Engine) domainOf(array device.Ptr) (domain syntax.Domain, found bool) {
	for _, p := range e.source.Props {
		name := p.Object.Name
		if e.fields[name] == array || e.mesh.fields[name] == array {
			return p.Of, true
		}
	}
	for _, prefix := range []string{"", abi.InPrefix} {
		switch array {
		case e.fixed[prefix+abi.Row]:
			return syntax.NodeDomain, true
		case e.fixed[prefix+abi.Dst], e.fixed[prefix+abi.Weight], e.fixed[prefix+abi.Src]:
			return syntax.EdgeDomain, true
		}
	}
	return 0, false
}
