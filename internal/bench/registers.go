package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"irgl/internal/compile"
	"irgl/internal/journal"
	"irgl/internal/measured"
	"irgl/internal/ssa/analysis"
	"irgl/internal/table"
)

// extenders are the passes that extend live ranges, and ask the estimate of registers how far.
var extenders = []string{"hoist", "licm", "unroll", "pre"}

// A RegisterRow has the registers of a benchmark, by the compiler's estimate and by ptxas:
// without the passes that extend live ranges, and with them. Of several kernels it is the
// maximum.
type RegisterRow struct {
	Name, Suite    string
	Estimate, Used [2]int
	Spills         [2]int // bytes, by ptxas
	Failed         string
}

// A RegisterReport compares the estimates with ptxas.
type RegisterReport struct {
	Target string
	Rows   []RegisterRow
}

// Registers compiles the benchmarks that the options choose, and compares the estimate of
// registers that passes ask with what ptxas allocates. Nothing runs. When ctx ends, the report
// has the finished benchmarks, and the error is ctx's; it is nil if there are none.
func Registers(ctx context.Context, o Options) (*RegisterReport, error) {
	rep := newReport(&o)
	chosen, err := o.choose(rep)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "irgl-bench-*")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	out := &RegisterReport{Target: rep.Target}
	for i := range rep.Results {
		out.Rows = append(out.Rows, RegisterRow{Name: rep.Results[i].Name, Suite: rep.Results[i].Suite, Failed: rep.Results[i].Failed})
	}
	for i, s := range chosen {
		if o.Progress != nil {
			o.Progress(i, len(chosen), s.Name)
		}
		row := RegisterRow{Name: s.Name, Suite: s.Suite}
		err := row.measure(ctx, &o, dir, s, rep.Target)
		if ctx.Err() != nil {
			if i == 0 {
				return nil, ctx.Err()
			}
			return out, ctx.Err()
		}
		if err != nil {
			row.Failed = firstLine(errors.New(o.reason(err)))
		}
		out.Rows = append(out.Rows, row)
	}
	slices.SortStableFunc(out.Rows, func(x, y RegisterRow) int { return strings.Compare(x.Suite, y.Suite) })
	return out, nil
}

func (row *RegisterRow) measure(ctx context.Context, o *Options, dir string, s *Spec, target string) error {
	for k, switches := range []map[string]bool{Without(extenders...), nil} {
		u, err := s.compile(target, switches, false)
		if err != nil {
			return err
		}
		row.Estimate[k] = estimate(u)
		use, err := o.Tools.ptxas(ctx, dir, u.PTXText(), target)
		if err != nil {
			return err
		}
		row.Used[k], row.Spills[k] = use.Registers, use.Spills
	}
	return nil
}

// estimate returns the largest estimate of the kernels of a unit.
func estimate(u *compile.Unit) int {
	most := int32(0)
	for _, f := range u.SSA.Funcs {
		if f.Kernel && len(f.Blocks) > 0 {
			dom := analysis.Dominators(f)
			most = max(most, analysis.EstimateRegisters(f, dom, analysis.FindLoops(f, dom)).Total())
		}
	}
	return int(most)
}

// A Fit says how well estimates meet what ptxas allocates.
type Fit struct {
	N           int
	Correlation float64 // Pearson's
	Error       float64 // the mean of the absolute differences, in registers
	Relative    float64 // and of these as shares of what is allocated
}

// Fit returns the fit without (0) or with (1) the passes that extend live ranges.
func (rep *RegisterReport) Fit(k int) Fit {
	var f Fit
	var x, y, xx, yy, xy float64
	for i := range rep.Rows {
		row := &rep.Rows[i]
		if row.Failed != "" || row.Used[k] == 0 {
			continue
		}
		e, u := float64(row.Estimate[k]), float64(row.Used[k])
		f.N++
		x, y, xx, yy, xy = x+e, y+u, xx+e*e, yy+u*u, xy+e*u
		f.Error += math.Abs(e - u)
		f.Relative += math.Abs(e-u) / u
	}
	n := float64(f.N)
	if f.N > 0 {
		f.Error, f.Relative = f.Error/n, f.Relative/n
	}
	if d := (n*xx - x*x) * (n*yy - y*y); d > 0 {
		f.Correlation = (n*xy - x*y) / math.Sqrt(d)
	}
	return f
}

func (f Fit) String() string {
	return fmt.Sprintf("correlation %.2f, mean error %.1f registers (%.0f %%)", f.Correlation, f.Error, 100*f.Relative)
}

// Block returns the report as it is kept in a file.
func (rep *RegisterReport) Block(o journal.Origin) *measured.Block {
	t := table.New("kernel", "suite", "estimate before", "ptxas before", "estimate", "ptxas", "spilled bytes", "failed")
	for i := range rep.Rows {
		row := &rep.Rows[i]
		cells := []string{row.Name, row.Suite, "", "", "", "", "", row.Failed}
		if row.Failed == "" {
			for k, n := range []int{row.Estimate[0], row.Used[0], row.Estimate[1], row.Used[1], row.Spills[1]} {
				cells[2+k] = strconv.Itoa(n)
			}
		}
		t.Add(cells...)
	}
	b := &measured.Block{Table: *t}
	b.Add("page", "Registers")
	b.Add("title", "The estimate of registers and those of ptxas")
	b.AddOrigin(o.Command, "", o.Host, o.Tree)
	b.Add("target", rep.Target)
	b.Add("note", fmt.Sprintf("Registers of a thread, the maximum of a benchmark's kernels: by the estimate that passes ask, and by ptxas for the PTX, %s. Before: without the passes that extend live ranges (%s). %d kernels. Before: %s. With all passes: %s.",
		rep.Target, strings.Join(extenders, ", "), rep.Fit(1).N, rep.Fit(0), rep.Fit(1)))
	return b
}

// WriteMarkdown writes the table and the fit.
func (rep *RegisterReport) WriteMarkdown(w io.Writer) error {
	b := rep.Block(journal.Origin{})
	_, err := fmt.Fprintf(w, "%s\n\n", b.Get("note"))
	return errors.Join(err, b.Table.WriteMarkdown(w))
}

// WriteCSV writes a line for each benchmark.
func (rep *RegisterReport) WriteCSV(w io.Writer) error {
	return rep.Block(journal.Origin{}).Table.WriteCSV(w)
}
