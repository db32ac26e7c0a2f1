package findings

import (
	"fmt"
	"io"
	"strings"
)

// writeText writes a line for each finding, the other places that it is about behind it, and the closing line.
func writeText(w io.Writer, r *Run) error {
	var b strings.Builder
	for i := range r.Findings {
		b.WriteString(text(&r.Findings[i]))
	}
	b.WriteString(r.Closing() + "\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// Text returns the finding as text reports have it, in lines.
func (f *Finding) Text() string { return text(f) }

// writeStack writes what the message does not say of a site: the allocation or call, and what has called it.
func writeStack(b *strings.Builder, s *Site, first bool) {
	if (s.Role == roleAllocated || s.Role == roleLaunched) && !first {
		fmt.Fprintf(b, "  %s %s", s.What, s.Role)
		if p := s.Position(); p.File != "" {
			fmt.Fprintf(b, " at %s", p)
		}
		b.WriteString("\n")
	}
	if p := s.Position(); s.Role == roleCall && p.File != "" {
		fmt.Fprintf(b, "    at %s\n", p)
	}
	if len(s.Stack) > 1 && !first && s.Role == roleOther {
		fmt.Fprintf(b, "  %s\n", s.What)
	}
	for _, f := range s.Stack[min(1, len(s.Stack)):] {
		fmt.Fprintf(b, "    called from %s", f.Function)
		if f.Position.File != "" {
			fmt.Fprintf(b, " at %s", f.Position)
		}
		b.WriteString("\n")
	}
}

// Closing returns a line that says what was emulated, what was checked, and what was not.
func (r *Run) Closing() string {
	var launches uint64
	for _, k := range r.Kernels {
		launches += k.Launches
	}
	out := fmt.Sprintf("emulated: %s in %s on %s; found: %s", plural(len(r.Kernels), "kernel"), plural(int(launches), "launch"), plural(max(1, r.Devices), "device"), plural(len(r.Findings), "fault"))
	if r.Multiprocessors > 0 {
		out += fmt.Sprintf("; schedule: %s, seed %d", plural(r.Multiprocessors, "multiprocessor"), r.Seed)
	}
	out += "; checked: " + strings.Join(r.checks(), ", ")
	if no := r.unchecked(); len(no) > 0 {
		out += "; not checked: " + strings.Join(no, ", ")
	}
	out += "; not emulated: " + strings.Join(approximations, ", ")
	if !r.Complete {
		out += "; the program ended by a signal, or before the end of its runtime: what was queued then was not executed"
	}
	return out
}

// checks returns what was looked for.
func (r *Run) checks() []string {
	list := []string{"bounds", "alignment", "barriers", "masks", "deadlocks"}
	if r.Checked {
		list = append(list, "races", "uninitialised reads")
	}
	if r.Leaks {
		list = append(list, "leaks")
	}
	return list
}

// unchecked returns what was not looked for.
func (r *Run) unchecked() []string {
	var list []string
	if !r.Checked {
		list = append(list, "races", "uninitialised reads")
	}
	if !r.Leaks {
		list = append(list, "leaks")
	}
	return list
}

// approximations are what the emulator does otherwise than a GPU.
var approximations = []string{
	"time (clocks and events count warp instructions)",
	"caches and the hardware's schedule (one order of the warps, chosen by the seed)",
	"the last units of approximate functions (they are computed in full precision), and how a texture unit rounds coordinates and weights",
}

func plural(n int, what string) string {
	switch {
	case n == 1:
		return "1 " + what
	case strings.HasSuffix(what, "ch"):
		return fmt.Sprintf("%d %ses", n, what)
	}
	return fmt.Sprintf("%d %ss", n, what)
}
