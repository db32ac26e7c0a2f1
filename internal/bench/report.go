package bench

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"irgl/internal/table"
)

// WriteMarkdown writes all tables.
func (rep *Report) WriteMarkdown(w io.Writer) error {
	var b strings.Builder
	rep.writeKernels(&b)
	rep.writePasses(&b)
	_, err := io.WriteString(w, b.String())
	return err
}

// writeKernels writes the tables of kernels.
func (rep *Report) writeKernels(b *strings.Builder) {
	size := sizes[rep.Large]
	switch {
	case rep.CompileOnly:
		fmt.Fprintf(b, "Compilers alone, target %s.\n", rep.Target)
	case rep.Metric == MetricStatic:
		fmt.Fprintf(b, "Nothing was run: instructions of the PTX text, target %s.\n", rep.Target)
	case rep.Metric == "ms":
		fmt.Fprintf(b, "Device: %s (%s), target %s, %s sizes, median of %d runs in turns, ms.\n", rep.Device.Name, rep.Device.Kind, rep.Target, size, rep.Repeat)
	default:
		fmt.Fprintf(b, "Device: %s (%s), target %s, %s sizes, warp instructions.\n", rep.Device.Name, rep.Device.Kind, rep.Target, size)
	}
	rep.folderLine(b)
	if !rep.CompileOnly {
		rep.kernelTable(b)
	}
	rep.suiteTable(b)
	rep.usageTable(b)
	rep.compileTable(b)
}

// writePasses writes the tables of passes.
func (rep *Report) writePasses(b *strings.Builder) {
	rep.passTable(b)
	rep.cumulativeTable(b)
}

// sizes names the sizes of inputs, small and large.
var sizes = map[bool]string{false: "small", true: "large"}

// number formats a measure: instructions as integers, milliseconds with four digits.
func (rep *Report) number(v float64) string {
	if rep.Metric == "ms" {
		return fmt.Sprintf("%.4f", v)
	}
	return fmt.Sprintf("%.0f", v)
}

// counted counts kernels in words.
func counted(n int) string {
	if n == 1 {
		return "1 kernel"
	}
	return fmt.Sprintf("%d kernels", n)
}

// folderLine says how many kernels of a folder were measured, if some were not.
func (rep *Report) folderLine(b *strings.Builder) {
	var out, no int
	for i := range rep.Results {
		switch r := &rep.Results[i]; {
		case strings.HasPrefix(r.Failed, refused):
			no++
		case r.Left():
			out++
		}
	}
	if out+no > 0 {
		fmt.Fprintf(b, "\n%s: %d measured, %d left out, %d refused.\n", counted(len(rep.Results)), len(rep.Results)-out-no, out, no)
	}
}

func (rep *Report) kernelTable(b *strings.Builder) {
	b.WriteString("\n### Kernels\n\n")
	t := table.New("kernel", "suite", "irgl, "+rep.Metric, "nvcc, "+rep.Metric, "irgl / nvcc")
	counts := rep.Metric == "instructions"
	if counts {
		t.Columns = append(t.Columns, "sectors", "nvcc's sectors")
	}
	var notes []string
	for i := range rep.Results {
		r := &rep.Results[i]
		ours, theirs, ratio := rep.number(r.Ours.Value), "", ""
		switch {
		case strings.HasPrefix(r.Failed, refused):
			ours = "refused"
			notes = append(notes, r.Name+": "+r.Failed)
		case r.Left():
			ours = "left out"
			notes = append(notes, r.Name+": "+r.Failed)
		case r.Failed != "":
			ours = "failed"
			notes = append(notes, r.Name+": "+r.Failed)
		}
		if r.NVCC.Value > 0 {
			theirs = rep.number(r.NVCC.Value)
		}
		if r.NVCCFailed != "" {
			theirs = "failed"
			notes = append(notes, r.Name+", nvcc: "+r.NVCCFailed)
		}
		if v, ok := r.Ratio(); ok {
			ratio = table.Number(v, 3)
		}
		row := []string{r.Name, r.Suite, ours, theirs, ratio}
		if counts {
			row = append(row, sectors(r.Ours), sectors(r.NVCC))
		}
		t.Add(row...)
	}
	_ = t.WriteMarkdown(b) // to memory
	for _, note := range notes {
		fmt.Fprintf(b, "\n- %s", strings.ReplaceAll(strings.TrimSpace(note), "\n", "\n  "))
	}
	if len(notes) > 0 {
		b.WriteString("\n")
	}
}

func (rep *Report) suiteTable(b *strings.Builder) {
	all, n := rep.Ratio("")
	if n == 0 {
		return
	}
	b.WriteString("\n### Suites\n\n")
	t := table.New("suite", "kernels", "irgl / nvcc, geometric mean")
	for _, suite := range rep.Suites() {
		if v, n := rep.Ratio(suite); n > 0 {
			t.Add(suite, strconv.Itoa(n), table.Number(v, 3))
		}
	}
	t.Add("all", strconv.Itoa(n), table.Number(all, 3))
	_ = t.WriteMarkdown(b) // to memory
}

func (rep *Report) usageTable(b *strings.Builder) {
	known := false
	for i := range rep.Results {
		known = known || rep.Results[i].OursUse.Known
	}
	if !known {
		return
	}
	b.WriteString("\n### Registers\n\nRegisters and bytes of spills of a thread, static shared bytes of a block: the maximum over a benchmark's kernels;\ninstructions of the machine code, and in the PTX text.\n\n")
	t := table.New("kernel", "registers", "nvcc", "spills", "nvcc", "stack", "nvcc", "shared", "nvcc", "code", "nvcc", "PTX", "nvcc")
	for i := range rep.Results {
		r := &rep.Results[i]
		u, v := r.OursUse, r.NVCCUse
		if r.Failed != "" && !r.Left() || !u.Known {
			continue
		}
		row := []string{r.Name}
		for _, pair := range [][2]int{{u.Registers, v.Registers}, {u.Spills, v.Spills}, {u.Stack, v.Stack}, {u.Shared, v.Shared}, {u.Code, v.Code}, r.Instructions} {
			theirs := ""
			if v.Known {
				theirs = strconv.Itoa(pair[1])
			}
			row = append(row, strconv.Itoa(pair[0]), theirs)
		}
		t.Add(row...)
	}
	_ = t.WriteMarkdown(b) // to memory
	if s := rep.Usage(); s.N > 0 {
		fmt.Fprintf(b, "\nirgl / nvcc, geometric means of %d: registers %.3f, code %.3f. Fewer registers in %d, equal in %d, more in %d.\nSpilled bytes: %d, nvcc %d; stack: %d, nvcc %d.\n",
			s.N, s.Registers, s.Code, s.Fewer, s.Equal, s.More, s.Spills[0], s.Spills[1], s.Stack[0], s.Stack[1])
	}
}

func (rep *Report) passTable(b *strings.Builder) {
	rows := rep.PassTable()
	if len(rows) == 0 {
		return
	}
	fmt.Fprintf(b, "\n### Passes, disabled one at a time\n\nThe effect of a pass: how many percent more %s a kernel takes without it. Unchanged is within %.0f %%.\n\n", map[bool]string{true: "time", false: "instructions"}[rep.Metric == "ms"], tolerance)
	t := table.New("pass", "kernels", "improved (%)", "unchanged (%)", "slowed (%)", "minimum, %", "maximum, %", "PTX changed", "actions", "most in")
	for _, r := range rows {
		share := func(n int) string { return fmt.Sprintf("%d (%.2f)", n, 100*float64(n)/float64(max(1, r.Kernels))) }
		t.Add(r.Pass, strconv.Itoa(r.Kernels), share(r.Improved), share(r.Unchanged), share(r.Slowed), fmt.Sprintf("%.2f %s", r.Min, r.MinKernel),
			fmt.Sprintf("%.2f %s", r.Max, r.MaxKernel), strconv.Itoa(r.Changed), strconv.Itoa(r.Actions), r.Counted)
	}
	_ = t.WriteMarkdown(b) // to memory
	for _, r := range rows {
		if len(r.Failed) > 0 {
			fmt.Fprintf(b, "\nWithout %s fail: %s.\n", r.Pass, strings.Join(r.Failed, ", "))
		}
	}
}

func (rep *Report) cumulativeTable(b *strings.Builder) {
	steps := rep.Cumulative()
	if len(steps) == 0 {
		return
	}
	suites := rep.Suites()
	b.WriteString("\n### Passes, switched on one after the other\n\nSpeedup against no pass, geometric means.\n\n")
	t := table.New(slices.Concat([]string{"passes up to"}, suites, []string{"all"})...)
	for _, s := range steps {
		row := []string{s.Pass}
		for _, v := range s.Suites {
			row = append(row, table.Number(v, 3))
		}
		t.Add(append(row, table.Number(s.All, 3))...)
	}
	_ = t.WriteMarkdown(b) // to memory
}

// WriteKernelsCSV writes a line for each benchmark.
func (rep *Report) WriteKernelsCSV(w io.Writer) error { return rep.kernelRows().WriteCSV(w) }

// kernelRows has a row for each benchmark. What was not measured is empty.
func (rep *Report) kernelRows() *table.Table {
	t := table.New("kernel", "suite", "metric", "irgl", "nvcc", "ratio", "sectors", "nvcc_sectors", "registers", "nvcc_registers",
		"spills", "nvcc_spills", "stack", "nvcc_stack", "shared", "nvcc_shared", "code", "nvcc_code", "ptx", "nvcc_ptx", "compile_ms", "nvcc_compile_ms",
		"compile_cpu_ms", "nvcc_compile_cpu_ms", "in_process_ms", "failed", "nvcc_failed")
	for i := range rep.Results {
		r := &rep.Results[i]
		ratio, _ := r.Ratio()
		row := []string{r.Name, r.Suite, rep.Metric, positive(r.Ours.Value), positive(r.NVCC.Value), positive(ratio)}
		for _, m := range []Measure{r.Ours, r.NVCC} {
			text := ""
			if rep.Metric == "instructions" {
				text = sectors(m)
			}
			row = append(row, text)
		}
		u, v := r.OursUse, r.NVCCUse
		for _, pair := range [][2]int{{u.Registers, v.Registers}, {u.Spills, v.Spills}, {u.Stack, v.Stack}, {u.Shared, v.Shared}, {u.Code, v.Code}} {
			row = append(row, known(u, pair[0]), known(v, pair[1]))
		}
		for _, n := range r.Instructions {
			row = append(row, positive(float64(n)))
		}
		for _, d := range []time.Duration{r.OursCost.Wall, r.NVCCCost.Wall, r.OursCost.CPU, r.NVCCCost.CPU, r.InProcess} {
			row = append(row, positive(milliseconds(d)))
		}
		t.Add(append(row, r.Failed, r.NVCCFailed)...)
	}
	return t
}

// sectors prints the sectors of a measure, "" without one.
func sectors(m Measure) string {
	if m.Value <= 0 {
		return ""
	}
	return strconv.FormatUint(m.Transactions, 10)
}

// known prints a number of a usage, "" if the usage is unknown.
func known(u Usage, n int) string {
	if !u.Known {
		return ""
	}
	return strconv.Itoa(n)
}

// positive prints a number, "" for 0: it was not measured.
func positive(v float64) string {
	if v == 0 {
		return ""
	}
	return decimal(v)
}

// passRows has a row for each benchmark and pass: the measure without the pass, and
// the measure with the passes up to it.
func (rep *Report) passRows() *table.Table {
	t := table.New("kernel", "suite", "pass", "metric", "all", "without", "same_ptx", "none", "up_to", "actions", "failed", "failed_without", "failed_up_to")
	for i := range rep.Results {
		r := &rep.Results[i]
		for p, name := range rep.Passes {
			if p >= len(r.Off) {
				break
			}
			t.Add(r.Name, r.Suite, name, rep.Metric, decimal(r.Ours.Value), decimal(r.Off[p].Value), strconv.FormatBool(r.Off[p].Same),
				decimal(r.Steps[0].Value), decimal(r.Steps[p+1].Value), strconv.Itoa(actions(r.Counts, name)), r.Failed, r.Off[p].Failed, r.Steps[p+1].Failed)
		}
	}
	return t
}

func decimal(v float64) string { return strconv.FormatFloat(v, 'g', 7, 64) }
