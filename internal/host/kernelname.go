package host

import (
	"cmp"
	"strings"

	"irgl/internal/abi"
	"irgl/internal/device"
	"irgl/internal/lower"
	"irgl/internal/source"
	"irgl/syntax"
)

// kernelNames returns by what names reports of a device call the kernels of the lowered
// program: those of the program's kernels, and the loop of a Host function where it
// runs on the device. A control kernel executes several kernels; the position of what it
// did says which.
func (e *Engine) kernelNames() func(kernel string, at device.Position) string {
	file := e.source.File.Name
	var kernels []*syntax.FuncDecl
	names := map[string]string{}
	for _, f := range e.source.Funcs {
		if f.Decl.Kind == syntax.KernelFunc {
			kernels = append(kernels, f.Decl)
			names[lower.GlobalName(f.Decl.Name.Name)] = f.Decl.Name.Name
		}
	}
	loops := map[string]string{}
	for _, f := range e.lowered.Funcs {
		if name := f.Decl.Name.Name; strings.HasPrefix(name, abi.ControlPrefix) {
			loops[name] = e.regionName(f.Decl.Pos())
		}
	}
	return func(kernel string, at device.Position) string {
		own := ""
		if at.File == file {
			for _, d := range kernels {
				if comparePlaces(d.Pos(), at) <= 0 && comparePlaces(d.End(), at) > 0 {
					own = d.Name.Name
				}
			}
		}
		switch loop := loops[kernel]; {
		case loop == "":
			return cmp.Or(own, names[kernel], kernel)
		case own == "":
			return "of " + loop
		default:
			return own + " in " + loop
		}
	}
}

// comparePlaces compares positions in one file.
func comparePlaces(p source.Pos, at device.Position) int {
	return cmp.Or(cmp.Compare(p.Line(), at.Line), cmp.Compare(p.Column(), at.Column))
}

// regionName names what of the Host functions became a control kernel.
func (e *Engine) regionName(pos source.Pos) string {
	for _, f := range e.source.Funcs {
		if f.Decl.Pos() == pos {
			return "Host function " + f.Decl.Name.Name
		}
	}
	return "the loop at " + pos.String()
}
