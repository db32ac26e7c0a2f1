package engine

import (
	"bufio"
	"fmt"
	"io"
	"strconv"

	"irgl/internal/run"
)

// KernelStats is what a run recorded of all launches of one kernel.
type KernelStats = run.KernelStats

// collect returns what the engine is to record.
func (o *Options) collect() run.Collect {
	switch {
	case o.Trace:
		return run.CollectEvents
	case o.Stats:
		return run.CollectKernels
	}
	return run.CollectNothing
}

// A statsColumn is a column of the table of kernels.
type statsColumn struct {
	title string
	value func(k KernelStats) string
}

// WriteStats writes [Result.Kernels] as a table with one kernel a line and their
// sum at its end: milliseconds, the share of those of all kernels, launches,
// items popped from the worklist, items pushed to it, and items retried; on
// devices that count, what they counted. What is not known is a dash.
func (r *Result) WriteStats(w io.Writer) error {
	rows := append([]KernelStats(nil), r.Kernels...)
	sum := totalStats(rows)
	rows = append(rows, sum)
	items := func(of func(k KernelStats) int64) func(KernelStats) string {
		return func(k KernelStats) string {
			if k.Outlined {
				return "-"
			}
			return strconv.FormatInt(of(k), 10)
		}
	}
	columns := []statsColumn{
		{"kernel", func(k KernelStats) string { return k.Name }},
		{"ms", func(k KernelStats) string { return strconv.FormatFloat(k.Time, 'f', 3, 64) }},
		{"%", func(k KernelStats) string {
			if sum.Time == 0 {
				return "0.0"
			}
			return strconv.FormatFloat(100*k.Time/sum.Time, 'f', 1, 64)
		}},
		{"launches", func(k KernelStats) string { return strconv.FormatInt(k.Launches, 10) }},
		{"items", items(func(k KernelStats) int64 { return k.Items })},
		{"pushes", items(func(k KernelStats) int64 { return k.Pushes })},
	}
	if sum.Retries > 0 {
		columns = append(columns, statsColumn{"retries", items(func(k KernelStats) int64 { return k.Retries })})
	}
	if sum.Counters != nil {
		counted := func(of func(c run.Counters) uint64) func(KernelStats) string {
			return func(k KernelStats) string {
				if k.Counters == nil {
					return "-"
				}
				return strconv.FormatUint(of(*k.Counters), 10)
			}
		}
		columns = append(columns,
			statsColumn{"atomics", counted(func(c run.Counters) uint64 { return c.AtomicsGlobal })},
			statsColumn{"shared atomics", counted(func(c run.Counters) uint64 { return c.AtomicsShared })},
			statsColumn{"barriers", counted(func(c run.Counters) uint64 { return c.Barriers })},
			statsColumn{"transactions", counted(func(c run.Counters) uint64 { return c.Transactions })})
	}
	return writeTable(w, columns, rows)
}

// totalStats returns the sum of rows.
func totalStats(rows []KernelStats) KernelStats {
	sum := KernelStats{Name: "total"}
	for _, k := range rows {
		sum.Launches += k.Launches
		sum.Time += k.Time
		sum.Items += k.Items
		sum.Pushes += k.Pushes
		sum.Retries += k.Retries
		if c := k.Counters; c != nil {
			if sum.Counters == nil {
				sum.Counters = &run.Counters{}
			}
			sum.Counters.AtomicsGlobal += c.AtomicsGlobal
			sum.Counters.AtomicsShared += c.AtomicsShared
			sum.Counters.Barriers += c.Barriers
			sum.Counters.Transactions += c.Transactions
			sum.Counters.Instructions += c.Instructions
		}
	}
	return sum
}

// writeTable writes rows below their titles, the first column to the left and the
// others to the right.
func writeTable(w io.Writer, columns []statsColumn, rows []KernelStats) error {
	b := bufio.NewWriter(w)
	lines := make([][]string, 1+len(rows))
	widths := make([]int, len(columns))
	for i, c := range columns {
		lines[0] = append(lines[0], c.title)
		for j, k := range rows {
			lines[1+j] = append(lines[1+j], c.value(k))
		}
		for _, line := range lines {
			widths[i] = max(widths[i], len(line[i]))
		}
	}
	for _, line := range lines {
		fmt.Fprintf(b, "%-*s", widths[0], line[0])
		for i, cell := range line[1:] {
			fmt.Fprintf(b, "  %*s", widths[1+i], cell)
		}
		b.WriteByte('\n')
	}
	return b.Flush()
}

// WriteTrace writes when what ran, as [Options].Trace recorded it, in the trace
// event format of Chrome: a file for chrome://tracing or ui.perfetto.dev. Kernels
// are on one track, copies and the work of host functions on another; rounds and
// the size of the worklist are counters.
func (r *Result) WriteTrace(w io.Writer) error {
	return r.raw.WriteTrace(w, r.Program+" on "+r.Device)
}
