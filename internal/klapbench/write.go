package klapbench

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"irgl/internal/device"
	"irgl/internal/klap/suite"
	"irgl/internal/measured"
	"irgl/internal/serve"
	"irgl/internal/table"
)

// WriteMarkdown writes all tables, what failed and what was left out, and the targets.
func (rep *Report) WriteMarkdown(w io.Writer) error {
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "Device: %s. ", rep.About)
	if rep.Metric == metricTime {
		fmt.Fprintf(b, "Times in ms between events around the kernels, medians of %d processes by turns, each the median of %d\nruns. The plain form of each benchmark is the fastest of those below.\n", rep.Repeat, inner)
	} else {
		b.WriteString("Nothing is timed: warp instructions that the emulator executes.\n")
	}
	var errs []error
	for _, t := range rep.Tables() {
		fmt.Fprintf(b, "\n### %s\n\n", t.Title)
		errs = append(errs, t.Dense().WriteMarkdown(b))
		if len(t.Notes) > 0 {
			fmt.Fprintf(b, "\n%s\n", strings.Join(t.Notes, "\n"))
		}
	}
	var plains, failed, said, targets []string
	for _, c := range rep.Cells {
		where := fmt.Sprintf("- %s: %s, %s: ", c.Stage, c.set, c.Choice)
		switch {
		case c.Failed != "":
			failed = append(failed, where+c.Failed)
		case c.Said != "":
			said = append(said, where+c.Said)
		}
		if c.Stage == stagePlain && c.ok() && c.Choice.isPlain() {
			plains = append(plains, fmt.Sprintf("- %s, %s: %s", c.set, c.Choice, rep.number(c.Value())))
		}
	}
	for _, t := range rep.Targets() {
		targets = append(targets, "- "+t.String())
	}
	for _, section := range []struct {
		title string
		lines []string
	}{{"Plain forms, " + rep.Metric, plains}, {"Failed", failed}, {"Said by programs", said}, {"Left out", itemised(rep.Left)}, {"Targets", targets}} {
		if len(section.lines) > 0 {
			fmt.Fprintf(b, "\n### %s\n\n%s\n", section.title, strings.Join(section.lines, "\n"))
		}
	}
	return errors.Join(append(errs, b.Flush())...)
}

func itemised(lines []string) []string {
	var out []string
	for _, text := range lines {
		out = append(out, "- "+text)
	}
	return out
}

// Form is the form of the block that [Report.Block] returns.
const Form = "klap"

// counters are the columns of what the emulator has counted.
var counters = []string{"counted launches", "instructions", "sectors", "atomics", "kernels"}

// Block returns the measurements as they are kept in a file.
func (rep *Report) Block() *measured.Block {
	b := &measured.Block{Table: *table.New(append([]string{"stage", "benchmark", "size", "input", "compiler", "form", "stream", "flags", "pending", "values", "launches", "said", "failed", "probe", "probed", "round"}, counters...)...)}
	b.Add("page", "KLAP's figures")
	b.Add("title", "Launches in device code")
	b.AddOrigin(rep.Origin.Command, rep.About, rep.Origin.Host, rep.Origin.Tree)
	b.Add("form", Form)
	b.Add("about", rep.About)
	b.Add("metric", rep.Metric)
	b.Add("repeat", strconv.Itoa(rep.Repeat))
	b.Add("default-aggregation", rep.Default[suite.Aggregation])
	b.Add("default-promotion", rep.Default[suite.Promotion])
	for _, text := range rep.Left {
		b.Add("left", text)
	}
	row := func(c *Cell, values string, counts *serve.Counted) {
		cells := []string{c.Stage, c.Benchmark, c.Size, c.Input, c.Choice.Compiler, c.Choice.Form, c.Choice.Stream, c.Choice.Flags, integer(int64(c.Choice.Pending)),
			values, integer(c.Launches), c.Said, c.Failed, c.Choice.Probe, probedText(c.Probed), integer(int64(c.turn.Round))}
		if counts != nil {
			for _, n := range []uint64{counts.Launches, counts.Instructions, counts.Transactions, counts.AtomicsGlobal} {
				cells = append(cells, strconv.FormatUint(n, 10))
			}
			var kernels []string
			for _, name := range slices.Sorted(maps.Keys(counts.Kernels)) {
				kernels = append(kernels, fmt.Sprintf("%s:%d", name, counts.Kernels[name].Instructions))
			}
			cells = append(cells, strings.Join(kernels, " "))
		}
		b.Table.Add(cells...)
	}
	for _, c := range rep.Cells {
		var values []string
		for _, v := range c.Values {
			values = append(values, strconv.FormatFloat(v, 'g', -1, 64))
		}
		o := rep.counted(c.Stage, c.set, c.Choice)
		if o == nil {
			o = new(outcome)
		}
		row(c, strings.Join(values, " "), o.Counts)
	}
	return b
}

// probedText prints what the probes of turns gave: turns are separated by blanks, values by colons.
func probedText(turns [][]float64) string {
	var out []string
	for _, turn := range turns {
		var values []string
		for _, v := range turn {
			values = append(values, strconv.FormatFloat(v, 'g', -1, 64))
		}
		out = append(out, strings.Join(values, ":"))
	}
	return strings.Join(out, " ")
}

// probedOf reads what probedText prints.
func probedOf(text string) ([][]float64, error) {
	var out [][]float64
	for turn := range strings.FieldsSeq(text) {
		var values []float64
		for field := range strings.SplitSeq(turn, ":") {
			v, err := strconv.ParseFloat(field, 64)
			if err != nil {
				return nil, fmt.Errorf("probed: %q is no number", field)
			}
			values = append(values, v)
		}
		out = append(out, values)
	}
	return out, nil
}

// integer prints a number; "" for 0, which is unknown.
func integer(n int64) string {
	if n == 0 {
		return ""
	}
	return strconv.FormatInt(n, 10)
}

// WriteBlock writes the tables of a block.
func WriteBlock(w io.Writer, b *measured.Block) error {
	rep, err := FromBlock(b)
	if err != nil {
		return err
	}
	return rep.WriteMarkdown(w)
}

// FromBlock returns the report of a block.
func FromBlock(b *measured.Block) (*Report, error) {
	rep := newReport(&Options{Default: map[suite.Kind]string{suite.Aggregation: b.Get("default-aggregation"), suite.Promotion: b.Get("default-promotion")}})
	rep.About, rep.Metric, rep.Left = b.Get("about"), b.Get("metric"), b.All("left")
	var err error
	if rep.Repeat, err = strconv.Atoi(b.Get("repeat")); err != nil {
		return nil, fmt.Errorf("repeat: %w", err)
	}
	if rep.Metric != metricTime && rep.Metric != metricInstructions {
		return nil, fmt.Errorf("metric: %q is neither %s nor %s", rep.Metric, metricTime, metricInstructions)
	}
	for i := range b.Table.Rows {
		if err := rep.addRow(b.Row(i)); err != nil {
			return nil, fmt.Errorf("row %d: %w", i+1, err)
		}
	}
	return rep, nil
}

// addRow adds the cell of a row.
func (rep *Report) addRow(r *measured.Row) error {
	s := set{r.Text("benchmark"), r.Text("size"), r.Text("input")}
	if suite.Find(s.Benchmark) == nil && s.Benchmark != costName {
		return fmt.Errorf("there is no benchmark %q", s.Benchmark)
	}
	c := Choice{r.Text("compiler"), r.Text("form"), r.Text("stream"), r.Text("flags"), int(r.Int("pending")), r.Text("probe")}
	cell := rep.cell(r.Text("stage"), s, c)
	if cell.Values != nil || cell.Failed != "" {
		return fmt.Errorf("%s: %s, %s is there twice", cell.Stage, s, c)
	}
	for text := range strings.FieldsSeq(r.Text("values")) {
		v, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return fmt.Errorf("values: %q is no number", text)
		}
		cell.Values = append(cell.Values, v)
	}
	cell.Launches, cell.Said, cell.Failed = r.Int("launches"), r.Text("said"), r.Text("failed")
	var err error
	if cell.Probed, err = probedOf(r.Text("probed")); err != nil {
		return err
	}
	cell.turn.Round = int(r.Int("round"))
	if r.Text("instructions") != "" {
		counted := &serve.Counted{Counters: device.Counters{Launches: uint64(r.Int(counters[0])), Instructions: uint64(r.Int(counters[1])),
			Transactions: uint64(r.Int(counters[2])), AtomicsGlobal: uint64(r.Int(counters[3]))}}
		for text := range strings.FieldsSeq(r.Text(counters[4])) {
			name, number, _ := strings.Cut(text, ":")
			n, err := strconv.ParseUint(number, 10, 64)
			if err != nil {
				return fmt.Errorf("kernels: %q is not NAME:INSTRUCTIONS", text)
			}
			if counted.Kernels == nil {
				counted.Kernels = map[string]device.Counters{}
			}
			counted.Kernels[name] = device.Counters{Instructions: n}
		}
		rep.counts[program{s, c}] = outcome{Counts: counted}
	}
	return r.Err
}
