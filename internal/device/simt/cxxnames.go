package simt

import (
	"strconv"
	"strings"

	"github.com/ianlancetaylor/demangle"

	"irgl/internal/device"
)

// NameAsCXX has reports call the kernels and variables of a module what they are called in C++:
// race(int*) for _Z4racePi.
func NameAsCXX(m device.Module) {
	if n, ok := m.(device.NamingModule); ok {
		n.NameKernels(func(kernel string, _ device.Position) string { return CXXName(kernel) })
		n.NameVariables(CXXName)
	}
}

// formed are the suffixes of forms of kernels (package klap), and what reports say of them. The blocks of an aggregated kernel
// are those of many launches.
var formed = map[string]string{"_agg": " (aggregated)", "_coarse": " (coarsened)"}

// CXXName returns what a symbol is called in C++, or the symbol if that is not known.
// A shared variable of a function, _Z4racePi$s, is called by its name alone. What a file of linked ones has for itself has the
// file's number behind its name.
func CXXName(symbol string) string {
	if !strings.HasPrefix(symbol, "_Z") {
		return symbol
	}
	if function, local, ok := strings.Cut(symbol, "$"); ok && function != "" {
		if _, err := strconv.ParseUint(local, 16, 64); err == nil && len(local) == 16 {
			return CXXName(function)
		}
		return local
	}
	tree, err := demangle.ToAST(symbol, demangle.NoClones)
	if err != nil {
		for suffix, what := range formed {
			if of, ok := strings.CutSuffix(symbol, suffix); ok && CXXName(of) != of {
				return CXXName(of) + what
			}
		}
		return symbol
	}
	if t, ok := tree.(*demangle.Typed); ok {
		if f, ok := t.Type.(*demangle.FunctionType); ok {
			f.Return = nil // only the names of templates' instances have it
		}
	}
	return demangle.ASTToString(tree)
}
