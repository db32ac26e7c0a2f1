package findings

import (
	"cmp"
	"slices"

	"irgl/internal/device"
)

// A Run is what is reported of a run of a program.
type Run struct {
	About
	// Complete is false if the program ended without the end of its runtime: by a signal, _exit or quick_exit.
	Complete bool
	Kernels  []Kernel // that were launched, by their names
	Findings []Finding
}

// About is what is known of a run before it begins.
type About struct {
	Program         string // the name of the program
	Version         string // of irgl
	Devices         int
	Multiprocessors int
	Seed            uint64
	Checked         bool // races and uninitialised reads were looked for
	Leaks           bool // and memory that is not freed
}

// A Kernel is one that was launched.
type Kernel struct {
	Name         string `json:"name"` // as C++ has it
	Launches     uint64 `json:"launches"`
	Instructions uint64 `json:"warpInstructions"`
}

// A Finding is a fault that was found in a run.
type Finding struct {
	Rule    string // its name, of a [Rule]
	Message string // one line, with threads and places
	Kernel  string // "" for host code
	Memory  string // the variable or allocation; may be empty
	Element string // what of it; may be empty
	Count   int    // how often, as far as it was counted
	Device  int
	Sites   []Site // the place that the finding is about, then others

	size    int64  // of a leak
	address uint64 // of the report of an access to memory that the device does not have
}

// A Site is a place that has to do with a finding.
type Site struct {
	Role   string // "access", "other access", ...
	What   string // "thread 3 of block 0 writes"
	Kernel string
	Stack  []device.Frame // the place first, then what has called it; positions may be unknown
	Line   int            // of the PTX, 0 where there is none
}

// Position returns the place in the source, the innermost that is known.
func (s *Site) Position() device.Position {
	for _, f := range s.Stack {
		if f.Position.File != "" {
			return f.Position
		}
	}
	return device.Position{}
}

// At returns the place in the source that the finding is about, the zero Position where it is not known.
func (f *Finding) At() device.Position {
	for i := range f.Sites {
		if p := f.Sites[i].Position(); p.File != "" {
			return p
		}
	}
	return device.Position{}
}

// The roles of sites.
const (
	roleAccess       = "access"
	roleOther        = "other access"
	roleBarrier      = "barrier"
	roleOtherBarrier = "other barrier"
	roleLaunched     = "launched" // as package simt has it
	roleAllocated    = "allocated"
	roleCall         = "call"
)

// OfReport returns the finding that a device has reported.
func OfReport(r device.Report, number int) Finding {
	f := Finding{Rule: cmp.Or(r.Rule, r.Kind, KernelFault), Message: r.String(), Kernel: r.Kernel, Memory: r.Buffer, Element: r.Place, Count: r.Count, Device: number, address: r.Address}
	if _, known := RuleOf(f.Rule); !known {
		f.Rule = KernelFault
	}
	for i, s := range r.Sites {
		f.Sites = append(f.Sites, siteOf(s, cmp.Or(s.Role, roleOf(f.Rule, i))))
	}
	return f
}

// roleOf returns the role of a report's site.
func roleOf(rule string, i int) string {
	switch {
	case rule == device.DivergentBarrier && i == 0:
		return roleBarrier
	case rule == device.DivergentBarrier:
		return roleOtherBarrier
	case i == 0:
		return roleAccess
	}
	return roleOther
}

func siteOf(s device.Site, role string) Site {
	return Site{Role: role, What: s.What, Kernel: s.Kernel, Stack: append([]device.Frame{s.At}, s.Calls...), Line: s.Line}
}

// Frames returns the stack of one known position, or none.
func Frames(at device.Position) []device.Frame {
	if at.File == "" {
		return nil
	}
	return []device.Frame{{Position: at}}
}

// same reports whether two findings are one: found by the device, and returned as an error, too.
func (f *Finding) same(o *Finding) bool {
	return f.Rule == o.Rule && f.Message == o.Message && f.Device == o.Device
}

// sortKernels orders kernels by their names, those of one name as one.
func sortKernels(list []Kernel) []Kernel {
	slices.SortFunc(list, func(a, b Kernel) int { return cmp.Compare(a.Name, b.Name) })
	var out []Kernel
	for _, k := range list {
		if n := len(out); n > 0 && out[n-1].Name == k.Name {
			out[n-1].Launches += k.Launches
			out[n-1].Instructions += k.Instructions
			continue
		}
		out = append(out, k)
	}
	return out
}
