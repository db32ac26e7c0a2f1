package compile

import (
	"irgl/internal/cxx/hir"
	"irgl/internal/dynpar"
)

// relocatable reports whether the unit's device code is linked with that of others.
func (u *Unit) relocatable() bool { return u.isCXX() && u.Options.CXX.Relocatable }

// kept returns the functions that stay for other units; nil for code that is not relocatable.
func (u *Unit) kept() map[string]bool {
	if !u.relocatable() {
		return nil
	}
	keep := map[string]bool{}
	for s := range u.CXX.Symbols {
		keep[s.Name] = s.Keep
	}
	return keep
}

// linkage returns the linkage of the symbols of relocatable code, as PTX has it; nil for other
// code. Symbols that are not in it are local.
func (u *Unit) linkage() map[string]string {
	if !u.relocatable() {
		return nil
	}
	list := map[string]string{}
	for s := range u.CXX.Symbols {
		switch {
		case s.Extern:
			list[s.Name] = "extern"
		case s.Linkage == hir.Weak:
			list[s.Name] = "weak"
		default:
			list[s.Name] = "visible"
		}
	}
	if u.Dynpar != nil { // the runtime sets it
		list[dynpar.Queue] = "visible"
	}
	return list
}
