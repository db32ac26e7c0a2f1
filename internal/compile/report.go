package compile

import (
	"fmt"
	"io"
	"strings"
	"time"

	throughput "irgl/internal/opt"
	"irgl/internal/pass"
	"irgl/internal/ptx"
	"irgl/internal/ssa"
	"irgl/syntax"
)

// writeTimes writes how long each stage took and, under the scalar passes,
// each of them, as a table in milliseconds and parts of the whole.
func (u *Unit) writeTimes(w io.Writer) error {
	var total time.Duration
	for _, s := range u.Times {
		total += s.Time
	}
	var b strings.Builder
	row := func(indent, name string, t time.Duration) {
		fmt.Fprintf(&b, "%10.3f %5.1f %%  %s%s\n", float64(t.Microseconds())/1000, 100*t.Seconds()/max(total.Seconds(), 1e-9), indent, name)
	}
	fmt.Fprintf(&b, "%10s %7s  %s\n", "ms", "", "stage")
	for _, s := range u.Times {
		row("", s.Stage, s.Time)
		if s.Stage != "opt" || u.Report == nil {
			continue
		}
		for _, step := range u.Report.Steps {
			row("  ", step.Pass, step.Time)
		}
	}
	row("", "total", total)
	_, err := io.WriteString(w, b.String())
	return err
}

// writeStats writes the passes' counters, and for each function how many
// operations it had before and after them and, if there is PTX, how many
// instructions it became.
func (u *Unit) writeStats(w io.Writer, before map[string]int) error {
	var b strings.Builder
	if u.Dialect == syntax.IrGL && u.done["lower"] {
		for _, line := range throughput.Parts(u.Info, u.Options.Lower) {
			fmt.Fprintf(&b, "%8s %s\n", "", line)
		}
	}
	for _, r := range []*pass.Report{u.TreeReport, u.Report} {
		if r == nil {
			continue
		}
		for _, c := range r.Stats.All() {
			if c.N != 0 {
				fmt.Fprintf(&b, "%8d %s: %s\n", c.N, c.Pass, c.Name)
			}
		}
	}
	if u.Report != nil {
		fmt.Fprintf(&b, "%8d opt: steps, for --opt-bisect-limit\n", u.Report.Units)
	}
	if u.SSA != nil {
		instructions := map[string]int{}
		if u.PTX != nil {
			for _, d := range u.PTX.Decls {
				if f, ok := d.(*ptx.Func); ok && !f.Proto {
					instructions[f.Name] = countInstructions(f.Body)
				}
			}
		}
		for name, n := range operations(u.SSA) {
			fmt.Fprintf(&b, "%8d @%s: operations, %d before the passes", n, name, before[name])
			if u.PTX != nil {
				fmt.Fprintf(&b, ", %d instructions of PTX", instructions[name])
			}
			b.WriteByte('\n')
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// operations yields the functions of m that have a body, in order, with the
// number of their values and branches.
func operations(m *ssa.Module) func(yield func(string, int) bool) {
	return func(yield func(string, int) bool) {
		for _, f := range m.Funcs {
			n := 0
			for _, b := range f.Blocks {
				n += len(b.Values)
				if b.Kind == ssa.BlockIf {
					n++
				}
			}
			if len(f.Blocks) > 0 && !yield(f.Name, n) {
				return
			}
		}
	}
}

func countInstructions(body []ptx.Stmt) int {
	n := 0
	for _, s := range body {
		switch s := s.(type) {
		case *ptx.Inst:
			n++
		case *ptx.Scope:
			n += countInstructions(s.Body)
		}
	}
	return n
}
