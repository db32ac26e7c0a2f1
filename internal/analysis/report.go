package analysis

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"irgl/internal/check"
	"irgl/syntax"
)

// A Report is one analysis of a function of a program's tree as text.
type Report struct {
	Name, Doc string
	// Host and Kernel say for which functions it is made; device functions are
	// treated like kernels.
	Host, Kernel bool
	print        func(f *Func) string
}

// Reports returns the analyses that can be printed.
func Reports() []Report {
	return []Report{
		{"cfg", "the control-flow graph of the function's tree", true, true, (*Func).Print},
		{"dependence", "the control-dependence graph; uniform branches are marked (u)", false, true, func(f *Func) string {
			return f.PrintDeps(f.Uniform())
		}},
		{"focal", "focal points (*) and uniform branches (u), with what all threads have met at each node", false, true, func(f *Func) string {
			return f.FocalPoints(f.Uniform()).Print()
		}},
		{"outlining", "the tree of Pipe and Iterate, and which of its nodes can move to the device", true, false, func(f *Func) string {
			return f.Outline().Print()
		}},
		{"sites", "pushes, retries and reductions, and the levels at which they can be combined", false, true, func(f *Func) string {
			return lines(f.Sites())
		}},
		{"counters", "atomics on globals, and whether threads can add to them together", false, true, func(f *Func) string {
			return lines(f.Counters())
		}},
		{"nests", "inner ForAlls, and what their schedulers need", false, true, func(f *Func) string { return lines(f.Nests()) }},
		{"batches", "loops over edges, and the loads that can be issued for several iterations", false, true, func(f *Func) string {
			return lines(f.Batches())
		}},
	}
}

func lines[T fmt.Stringer](list []T) string {
	var s strings.Builder
	for _, x := range list {
		text := x.String()
		s.WriteString(text)
		if !strings.HasSuffix(text, "\n") {
			s.WriteByte('\n')
		}
	}
	return s.String()
}

// WriteReports writes the named reports of the kernels, device functions and Host
// functions of a program, which must have been checked without errors.
func WriteReports(w io.Writer, info *check.Info, names []string) error {
	var s strings.Builder
	for _, fn := range info.Funcs {
		if fn.Decl.Body == nil {
			continue
		}
		host := fn.Decl.Kind == syntax.HostFunc
		word := "Device"
		switch fn.Decl.Kind {
		case syntax.HostFunc:
			word = "Host"
		case syntax.KernelFunc:
			word = "Kernel"
		}
		f := New(info, fn)
		title := fmt.Sprintf("%s %s\n", word, fn.Object.Name)
		if fn.Decl.Kind == syntax.KernelFunc {
			title = fmt.Sprintf("%s %s: threads %s\n", word, fn.Object.Name, SizesOf(fn))
		}
		for _, r := range Reports() {
			if !slices.Contains(names, r.Name) || host && !r.Host || !host && !r.Kernel {
				continue
			}
			if text := r.print(f); text != "" {
				s.WriteString(title + "  " + r.Name + "\n" + indent(text, 4))
				title = ""
			}
		}
	}
	_, err := io.WriteString(w, s.String())
	return err
}
