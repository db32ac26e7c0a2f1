package host

import (
	"cmp"
	"errors"
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

// variableNames returns by what names reports of a device call the shared variables of the
// lowered program: by those that they have in their functions, and the caches of
// iterations by their own.
func (e *Engine) variableNames() func(variable string) string {
	declared := map[string]bool{}
	syntax.Inspect(e.source.File, func(n syntax.Node) bool {
		if d, ok := n.(*syntax.VarDecls); ok && d.Attrs.Has(syntax.Shared) {
			for _, v := range d.Vars {
				declared[v.Name.Name] = true
			}
		}
		return true
	})
	return func(variable string) string {
		_, local, ok := strings.Cut(variable, "$")
		if !ok || declared[local] {
			return cmp.Or(local, variable)
		}
		if cache, ok := lower.CacheName(local); ok && declared[cache] {
			return cache
		}
		return variable
	}
}

// located makes the error of a kernel's fault a diagnostic, where the device knows the
// position in the program: in the words of every device where there are such, with what
// the device knows beyond that in a note.
func (e *Engine) located(err error) error {
	fault, ok := errors.AsType[device.Positioned](err)
	if !ok || fault.Position().File != e.source.File.Name || len(e.source.Funcs) == 0 {
		return err
	}
	pos := e.source.Funcs[0].Decl.Pos().File.At(fault.Position().Line, fault.Position().Column)
	if !pos.IsValid() {
		return err
	}
	end, step := e.nodeAt(pos)
	summary, code := fault.Summary(), CodeKernel
	if step { // what lowering asserts
		summary, code = "the step of a list must be positive", CodeStep
	}
	var diags source.List
	d := diags.Errorf(pos, end, code, "%s", cmp.Or(summary, fault.Detail()))
	if summary != "" {
		d.Notes = []source.Diagnostic{{Severity: source.Note, Message: fault.Detail()}}
	}
	return diags.Err()
}

// nodeAt returns the end of what is accessed or called at a position, if anything is, and
// whether the step of a list is there.
func (e *Engine) nodeAt(pos source.Pos) (end source.Pos, step bool) {
	syntax.Inspect(e.source.File, func(n syntax.Node) bool {
		to := end
		switch n := n.(type) {
		case *syntax.IndexExpr, *syntax.CallExpr:
			to = n.End()
		case *syntax.MemberExpr:
			to = n.X.End() // whose member does not exist
		case *syntax.SliceExpr:
			if n.Step != nil && n.Step.Pos() == pos {
				end, step = n.Step.End(), true
			}
		}
		if n != nil && n.Pos() == pos && (!end.IsValid() || end.Before(to)) {
			end = to
		}
		return true
	})
	return end, step
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
