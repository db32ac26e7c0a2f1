package bench

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"irgl/internal/journal"
	"irgl/internal/measured"
	"irgl/internal/pass"
)

// The forms of the blocks that [Report.Blocks] returns.
const (
	FormKernels = "kernels" // a row for each benchmark
	FormPasses  = "passes"  // a row for each benchmark and pass
)

// Blocks returns the measurements of a report as they are kept in a file: the kernels, and
// the passes if they were studied.
func (rep *Report) Blocks(o journal.Origin) []*measured.Block {
	kernels := &measured.Block{Table: *rep.kernelRows()}
	kernels.Add("page", "The scalar compiler")
	kernels.Add("title", "Kernels")
	kernels.AddOrigin(o.Command, rep.Device.Name, o.Host, o.Tree)
	kernels.Add("form", FormKernels)
	if rep.CompileOnly {
		kernels.Add("runs", "none")
	} else if rep.Metric == MetricStatic {
		kernels.Add("runs", "1")
	} else {
		kernels.Add("device", rep.Device.Kind+" "+rep.Device.Name)
		kernels.Add("size", sizes[rep.Large])
		kernels.Add("runs", strconv.Itoa(rep.Repeat))
	}
	kernels.Add("target", rep.Target)
	kernels.Add("metric", rep.Metric)
	if rep.Compile().N > 0 {
		kernels.Add("compilations", strconv.Itoa(rep.CompileRepeat))
	}
	if rep.Start.Wall > 0 {
		kernels.Add("start", decimal(milliseconds(rep.Start.Wall))+" "+decimal(milliseconds(rep.Start.CPU)))
	}
	blocks := []*measured.Block{kernels}
	if len(rep.Passes) > 0 {
		passes := &measured.Block{Table: *rep.passRows()}
		passes.Add("title", "Passes")
		passes.AddOrigin(o.Command, rep.Device.Name, o.Host, o.Tree)
		passes.Add("form", FormPasses)
		passes.Add("metric", rep.Metric)
		blocks = append(blocks, passes)
	}
	return blocks
}

// WriteKernelsBlock writes the tables of a block of kernels.
func WriteKernelsBlock(w io.Writer, b *measured.Block) error {
	rep := &Report{Target: b.Get("target"), Metric: b.Get("metric"), Large: b.Get("size") == sizes[true], CompileOnly: b.Get("runs") == "none"}
	rep.Device.Kind, rep.Device.Name, _ = strings.Cut(b.Get("device"), " ")
	var err error
	if !rep.CompileOnly {
		if rep.Repeat, err = strconv.Atoi(b.Get("runs")); err != nil {
			return fmt.Errorf("runs: %w", err)
		}
	}
	if text := b.Get("compilations"); text != "" {
		if rep.CompileRepeat, err = strconv.Atoi(text); err != nil {
			return fmt.Errorf("compilations: %w", err)
		}
	}
	if text := b.Get("start"); text != "" {
		var wall, cpu float64
		if _, err := fmt.Sscan(text, &wall, &cpu); err != nil {
			return fmt.Errorf("start: %w", err)
		}
		rep.Start = Cost{duration(wall), duration(cpu)}
	}
	for i := range b.Table.Rows {
		r := b.Row(i)
		x := Result{Name: r.Text("kernel"), Suite: r.Text("suite"), Failed: r.Text("failed"), NVCCFailed: r.Text("nvcc_failed")}
		x.Ours = Measure{Value: r.Float("irgl"), Transactions: uint64(r.Int("sectors"))}
		x.NVCC = Measure{Value: r.Float("nvcc"), Transactions: uint64(r.Int("nvcc_sectors"))}
		x.OursUse, x.NVCCUse = usageOf(r, ""), usageOf(r, "nvcc_")
		x.Instructions = [2]int{int(r.Int("ptx")), int(r.Int("nvcc_ptx"))}
		x.OursCost = Cost{duration(r.Float("compile_ms")), duration(r.Float("compile_cpu_ms"))}
		x.NVCCCost = Cost{duration(r.Float("nvcc_compile_ms")), duration(r.Float("nvcc_compile_cpu_ms"))}
		x.InProcess = duration(r.Float("in_process_ms"))
		if r.Err != nil {
			return fmt.Errorf("row %d: %w", i+1, r.Err)
		}
		rep.Results = append(rep.Results, x)
	}
	var out strings.Builder
	rep.writeKernels(&out)
	_, err = io.WriteString(w, out.String())
	return err
}

// usageOf reads the columns of a compiler.
func usageOf(r *measured.Row, prefix string) Usage {
	return Usage{Known: r.Text(prefix+"registers") != "", Registers: int(r.Int(prefix + "registers")), Spills: int(r.Int(prefix + "spills")),
		Stack: int(r.Int(prefix + "stack")), Shared: int(r.Int(prefix + "shared")), Code: int(r.Int(prefix + "code"))}
}

// duration is the reverse of [milliseconds].
func duration(ms float64) time.Duration { return time.Duration(ms * float64(time.Millisecond)) }

// WritePassesBlock writes the tables of a block of passes.
func WritePassesBlock(w io.Writer, b *measured.Block) error {
	rep := &Report{Metric: b.Get("metric")}
	for i := range b.Table.Rows {
		r := b.Row(i)
		name := r.Text("kernel")
		if n := len(rep.Results); n == 0 || rep.Results[n-1].Name != name {
			rep.Results = append(rep.Results, Result{Name: name, Suite: r.Text("suite"), Failed: r.Text("failed"), Ours: Measure{Value: r.Float("all")},
				Steps: []Variant{{Measure: Measure{Value: r.Float("none")}}}})
		}
		if p := r.Text("pass"); !slices.Contains(rep.Passes, p) {
			rep.Passes = append(rep.Passes, p)
		}
		x := &rep.Results[len(rep.Results)-1]
		x.Off = append(x.Off, Variant{Measure: Measure{Value: r.Float("without")}, Same: r.Bool("same_ptx"), Failed: r.Text("failed_without")})
		x.Steps = append(x.Steps, Variant{Measure: Measure{Value: r.Float("up_to")}, Failed: r.Text("failed_up_to")})
		x.Counts = append(x.Counts, pass.Count{Pass: r.Text("pass"), N: int(r.Int("actions"))})
		if r.Err != nil {
			return fmt.Errorf("row %d: %w", i+1, r.Err)
		}
	}
	for i := range rep.Results {
		if x := &rep.Results[i]; len(x.Off) != len(rep.Passes) {
			return fmt.Errorf("%s has %d passes of %d", x.Name, len(x.Off), len(rep.Passes))
		}
	}
	var out strings.Builder
	rep.writePasses(&out)
	_, err := io.WriteString(w, out.String())
	return err
}
