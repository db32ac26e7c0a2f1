package bench

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
)

// WriteMarkdown writes all tables.
func (rep *Report) WriteMarkdown(w io.Writer) error {
	var b strings.Builder
	size := "small"
	if rep.Large {
		size = "large"
	}
	switch {
	case rep.CompileOnly:
		fmt.Fprintf(&b, "Compilers alone, target %s.\n", rep.Target)
	case rep.Metric == "ms":
		fmt.Fprintf(&b, "Device: %s (%s), target %s, %s sizes, median of %d runs by turns, ms.\n", rep.Device.Name, rep.Device.Kind, rep.Target, size, rep.Repeat)
	default:
		fmt.Fprintf(&b, "Device: %s (%s), target %s, %s sizes, instructions of warps.\n", rep.Device.Name, rep.Device.Kind, rep.Target, size)
	}
	if !rep.CompileOnly {
		rep.kernelTable(&b)
	}
	rep.suiteTable(&b)
	rep.usageTable(&b)
	rep.compileTable(&b)
	rep.passTable(&b)
	rep.cumulativeTable(&b)
	_, err := io.WriteString(w, b.String())
	return err
}

// number prints a measure: instructions whole, milliseconds to four digits.
func (rep *Report) number(v float64) string {
	if rep.Metric == "ms" {
		return fmt.Sprintf("%.4f", v)
	}
	return fmt.Sprintf("%.0f", v)
}

func (rep *Report) kernelTable(b *strings.Builder) {
	fmt.Fprintf(b, "\n### Kernels\n\n| kernel | suite | irgl, %s | nvcc, %s | irgl / nvcc |", rep.Metric, rep.Metric)
	counts := rep.Metric != "ms"
	if counts {
		b.WriteString(" sectors | nvcc's sectors |")
	}
	b.WriteString("\n|---|---|---|---|---|")
	if counts {
		b.WriteString("---|---|")
	}
	b.WriteString("\n")
	var notes []string
	for i := range rep.Results {
		r := &rep.Results[i]
		ours, theirs, ratio := rep.number(r.Ours.Value), "", ""
		if r.Failed != "" {
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
			ratio = fmt.Sprintf("%.3f", v)
		}
		fmt.Fprintf(b, "| %s | %s | %s | %s | %s |", r.Name, r.Suite, ours, theirs, ratio)
		if counts {
			fmt.Fprintf(b, " %d | %d |", r.Ours.Transactions, r.NVCC.Transactions)
		}
		b.WriteString("\n")
	}
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
	b.WriteString("\n### Suites\n\n| suite | kernels | irgl / nvcc, geometric mean |\n|---|---|---|\n")
	for _, suite := range rep.Suites() {
		if v, n := rep.Ratio(suite); n > 0 {
			fmt.Fprintf(b, "| %s | %d | %.3f |\n", suite, n, v)
		}
	}
	fmt.Fprintf(b, "| all | %d | %.3f |\n", n, all)
}

func (rep *Report) usageTable(b *strings.Builder) {
	known := false
	for i := range rep.Results {
		known = known || rep.Results[i].OursUse.Known
	}
	if !known {
		return
	}
	b.WriteString("\n### Registers\n\nRegisters and bytes of spills of a thread, static shared bytes of a block: the most over a benchmark's kernels;\ninstructions of the machine code, and in the PTX text.\n\n")
	b.WriteString("| kernel | registers | nvcc | spills | nvcc | stack | nvcc | shared | nvcc | code | nvcc | PTX | nvcc |\n|---|---|---|---|---|---|---|---|---|---|---|---|---|\n")
	for i := range rep.Results {
		r := &rep.Results[i]
		if r.Failed != "" {
			continue
		}
		u, v := r.OursUse, r.NVCCUse
		if !u.Known {
			continue
		}
		b.WriteString("| " + r.Name)
		for _, pair := range [][2]int{{u.Registers, v.Registers}, {u.Spills, v.Spills}, {u.Stack, v.Stack}, {u.Shared, v.Shared}, {u.Code, v.Code}, r.Instructions} {
			fmt.Fprintf(b, " | %d | ", pair[0])
			if v.Known {
				fmt.Fprint(b, pair[1])
			}
		}
		b.WriteString(" |\n")
	}
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
	b.WriteString("| pass | kernels | improved (%) | unchanged (%) | slowed (%) | minimum, % | maximum, % | PTX changed | actions | most in |\n|---|---|---|---|---|---|---|---|---|---|\n")
	for _, r := range rows {
		share := func(n int) string { return fmt.Sprintf("%d (%.2f)", n, 100*float64(n)/float64(max(1, r.Kernels))) }
		fmt.Fprintf(b, "| %s | %d | %s | %s | %s | %.2f %s | %.2f %s | %d | %d | %s |\n", r.Pass, r.Kernels, share(r.Improved), share(r.Unchanged),
			share(r.Slowed), r.Min, r.MinKernel, r.Max, r.MaxKernel, r.Changed, r.Actions, r.Counted)
	}
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
	fmt.Fprintf(b, "\n### Passes, switched on one after the other\n\nSpeedup against no pass, geometric means.\n\n| passes up to | %s | all |\n|---|%s---|\n",
		strings.Join(suites, " | "), strings.Repeat("---|", len(suites)))
	for _, s := range steps {
		fmt.Fprintf(b, "| %s |", s.Pass)
		for _, v := range s.Suites {
			fmt.Fprintf(b, " %.3f |", v)
		}
		fmt.Fprintf(b, " %.3f |\n", s.All)
	}
}

// WriteKernelsCSV writes a line for each benchmark.
func (rep *Report) WriteKernelsCSV(w io.Writer) error {
	c := csv.NewWriter(w)
	c.Write([]string{"kernel", "suite", "metric", "irgl", "nvcc", "ratio", "sectors", "nvcc_sectors", "registers", "nvcc_registers",
		"spills", "nvcc_spills", "stack", "nvcc_stack", "code", "nvcc_code", "ptx", "nvcc_ptx", "compile_ms", "nvcc_compile_ms", "compile_cpu_ms", "nvcc_compile_cpu_ms",
		"in_process_ms", "failed", "nvcc_failed"})
	for i := range rep.Results {
		r := &rep.Results[i]
		ratio, _ := r.Ratio()
		row := []string{r.Name, r.Suite, rep.Metric, decimal(r.Ours.Value), decimal(r.NVCC.Value), decimal(ratio),
			strconv.FormatUint(r.Ours.Transactions, 10), strconv.FormatUint(r.NVCC.Transactions, 10)}
		u, v := r.OursUse, r.NVCCUse
		for _, n := range []int{u.Registers, v.Registers, u.Spills, v.Spills, u.Stack, v.Stack, u.Code, v.Code, r.Instructions[0], r.Instructions[1]} {
			row = append(row, strconv.Itoa(n))
		}
		for _, d := range []time.Duration{r.OursCost.Wall, r.NVCCCost.Wall, r.OursCost.CPU, r.NVCCCost.CPU, r.InProcess} {
			row = append(row, decimal(milliseconds(d)))
		}
		c.Write(append(row, r.Failed, r.NVCCFailed))
	}
	c.Flush()
	return c.Error()
}

// WritePassesCSV writes a line for each benchmark and pass: the measure
// without the pass, and the measure with the passes up to it.
func (rep *Report) WritePassesCSV(w io.Writer) error {
	c := csv.NewWriter(w)
	c.Write([]string{"kernel", "suite", "pass", "metric", "all", "without", "same_ptx", "none", "up_to", "actions", "failed"})
	for i := range rep.Results {
		r := &rep.Results[i]
		for p, name := range rep.Passes {
			if p >= len(r.Off) {
				break
			}
			c.Write([]string{r.Name, r.Suite, name, rep.Metric, decimal(r.Ours.Value), decimal(r.Off[p].Value), strconv.FormatBool(r.Off[p].Same),
				decimal(r.Steps[0].Value), decimal(r.Steps[p+1].Value), strconv.Itoa(actions(r.Counts, name)), r.Off[p].Failed + r.Steps[p+1].Failed})
		}
	}
	c.Flush()
	return c.Error()
}

func decimal(v float64) string { return strconv.FormatFloat(v, 'g', 7, 64) }
