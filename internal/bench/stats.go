package bench

import (
	"math"
	"slices"
	"strings"

	"irgl/internal/pass"
	"irgl/internal/table"
)

// median returns the median of a list, 0 if it is empty.
func median(list []float64) float64 { return orZero(table.Median(list)) }

// geomean returns the geometric mean of positive numbers, 0 if there are none.
func geomean(list []float64) float64 { return orZero(table.Geomean(list)) }

// orZero replaces NaN by 0.
func orZero(v float64) float64 {
	if math.IsNaN(v) {
		return 0
	}
	return v
}

// instructions counts the instructions of a PTX text: lines that end in a
// semicolon and are not directives.
func instructions(text string) int {
	n := 0
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if strings.HasSuffix(line, ";") && !strings.HasPrefix(line, ".") && !strings.HasPrefix(line, "//") {
			n++
		}
	}
	return n
}

// Left reports that the benchmark is one of a folder that the compiler refuses, or that
// cannot be run without arguments of its own: no failure of the measurement.
func (r *Result) Left() bool {
	return strings.HasPrefix(r.Failed, refused) || strings.HasPrefix(r.Failed, leftOut)
}

// Ratio returns the measure of our PTX over nvcc's; ok is false if one is
// missing.
func (r *Result) Ratio() (float64, bool) {
	if r.Failed != "" || r.NVCCFailed != "" || r.NVCC.Value <= 0 || r.Ours.Value <= 0 {
		return 0, false
	}
	return r.Ours.Value / r.NVCC.Value, true
}

// Suites returns the names of the suites in order.
func (rep *Report) Suites() []string {
	var names []string
	for i := range rep.Results {
		names = append(names, rep.Results[i].Suite)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Ratio returns the geometric mean of the ratios of a suite, "" for all, and
// their number.
func (rep *Report) Ratio(suite string) (float64, int) {
	var list []float64
	for i := range rep.Results {
		r := &rep.Results[i]
		if v, ok := r.Ratio(); ok && (suite == "" || suite == r.Suite) {
			list = append(list, v)
		}
	}
	return geomean(list), len(list)
}

// A UsageSummary compares the registers and code of the benchmarks for which
// both compilers' are known.
type UsageSummary struct {
	N                  int
	Registers, Code    float64 // geometric means of ours over nvcc's
	Fewer, Equal, More int     // benchmarks by registers
	Spills, Stack      [2]int  // sums, ours and nvcc's
}

// Usage returns the summary.
func (rep *Report) Usage() UsageSummary {
	var s UsageSummary
	var registers, code []float64
	for i := range rep.Results {
		u, v := rep.Results[i].OursUse, rep.Results[i].NVCCUse
		if !u.Known || !v.Known {
			continue
		}
		s.N++
		registers = append(registers, float64(u.Registers)/float64(max(1, v.Registers)))
		if u.Code > 0 && v.Code > 0 {
			code = append(code, float64(u.Code)/float64(v.Code))
		}
		switch {
		case u.Registers < v.Registers:
			s.Fewer++
		case u.Registers > v.Registers:
			s.More++
		default:
			s.Equal++
		}
		for k, use := range []Usage{u, v} {
			s.Spills[k] += use.Spills
			s.Stack[k] += use.Stack
		}
	}
	s.Registers, s.Code = geomean(registers), geomean(code)
	return s
}

// tolerance is the change, in percent, within which a kernel counts as
// unchanged (NVIDIA, section 4.2: "within a tolerance range of +/- 3%").
const tolerance = 3.0

// A PassRow is the effect of one pass, as in NVIDIA's Table 1: the improvement
// by the pass when all others are on.
type PassRow struct {
	Pass                          string
	Kernels                       int // measured with and without the pass
	Improved, Unchanged, Slowed   int // by more than 3 %
	Min, Max                      float64
	Changed                       int // kernels whose PTX differs without it
	Actions                       int // the sum of the pass's counters
	MinKernel, MaxKernel, Counted string
	Failed                        []string // benchmarks that fail without it
}

// PassTable returns a row for each pass measured.
func (rep *Report) PassTable() []PassRow {
	var rows []PassRow
	for p, name := range rep.Passes {
		row := PassRow{Pass: name}
		most := 0
		for i := range rep.Results {
			r := &rep.Results[i]
			if n := actions(r.Counts, name); n > 0 {
				row.Actions += n
				if n > most {
					most, row.Counted = n, r.Name
				}
			}
			if r.Failed != "" || p >= len(r.Off) {
				continue
			}
			row.add(r, r.Off[p])
		}
		rows = append(rows, row)
	}
	return rows
}

func (row *PassRow) add(r *Result, v Variant) {
	if !v.Same {
		row.Changed++
	}
	if v.Failed != "" {
		row.Failed = append(row.Failed, r.Name)
		return
	}
	gain := (v.Value/r.Ours.Value - 1) * 100
	switch {
	case gain > tolerance:
		row.Improved++
	case gain < -tolerance:
		row.Slowed++
	default:
		row.Unchanged++
	}
	if row.Kernels == 0 || gain < row.Min {
		row.Min, row.MinKernel = gain, r.Name
	}
	if row.Kernels == 0 || gain > row.Max {
		row.Max, row.MaxKernel = gain, r.Name
	}
	row.Kernels++
}

// actions sums the counters of a pass.
func actions(counts []pass.Count, name string) int {
	n := 0
	for _, c := range counts {
		if c.Pass == name {
			n += c.N
		}
	}
	return n
}

// A Step is one step of the cumulative figure (gpucc, Figure 10): the
// geometric mean speedups of all passes up to one over none.
type Step struct {
	Pass   string // "none" for the first
	Suites []float64
	All    float64
}

// Cumulative returns the steps, with the suites in the order of
// [Report.Suites]. Benchmarks that fail at one step are excluded from all.
func (rep *Report) Cumulative() []Step {
	if len(rep.Passes) == 0 {
		return nil
	}
	suites := rep.Suites()
	var steps []Step
	for i, name := range append([]string{"none"}, rep.Passes...) {
		step := Step{Pass: name}
		var all []float64
		for _, suite := range suites {
			var list []float64
			for k := range rep.Results {
				if r := &rep.Results[k]; r.Suite == suite && r.steady() {
					list = append(list, r.Steps[0].Value/r.Steps[i].Value)
				}
			}
			step.Suites = append(step.Suites, geomean(list))
			all = append(all, list...)
		}
		step.All = geomean(all)
		steps = append(steps, step)
	}
	return steps
}

// steady reports whether the benchmark was measured at every step.
func (r *Result) steady() bool {
	if r.Failed != "" || len(r.Steps) == 0 {
		return false
	}
	for _, v := range r.Steps {
		if v.Failed != "" || v.Value <= 0 {
			return false
		}
	}
	return true
}
