package paper

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"irgl/internal/compile"
	"irgl/internal/engine"
	"irgl/internal/measured"
	"irgl/internal/table"
)

// WriteMarkdown writes all tables.
func (rep *Report) WriteMarkdown(w io.Writer) error {
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "Device: %s (%s). ", rep.About, rep.Device)
	if rep.Metric == "ms" {
		fmt.Fprintf(b, "Times in ms by the device's clock, medians of %d runs, whole programs; the graph and the\nworklists' memory are on the device before. Launches, rounds, barriers, atomics and transactions\nin columns with no unit are those of a small graph of the same kind, on the emulator.\n", rep.Repeats)
	} else {
		b.WriteString("Nothing is timed: cost is a weighted sum of the emulator's counters.\n")
	}
	var errs []error
	for _, t := range rep.Tables() {
		fmt.Fprintf(b, "\n### %s\n\n", t.Title)
		errs = append(errs, t.Dense().WriteMarkdown(b))
		if len(t.Notes) > 0 {
			fmt.Fprintf(b, "\n%s\n", strings.Join(t.Notes, "\n"))
		}
	}
	var failed []string
	for _, c := range rep.Cells {
		if c.Failed != "" {
			failed = append(failed, fmt.Sprintf("- %s on %s, %s: %s", c.Program, c.Input, c.Switches.OrNone(), c.Failed))
		}
	}
	errs = append(errs, list(b, "Failed", failed), list(b, "Left out", itemised(rep.Left)), list(b, "Notes", itemised(rep.Notes)))
	return errors.Join(append(errs, b.Flush())...)
}

func itemised(lines []string) []string {
	var out []string
	for _, text := range lines {
		out = append(out, "- "+text)
	}
	return out
}

// list writes lines under a title, if there are any.
func list(w io.Writer, title string, lines []string) error {
	if len(lines) == 0 {
		return nil
	}
	_, err := fmt.Fprintf(w, "\n### %s\n\n%s\n", title, strings.Join(lines, "\n"))
	return err
}

// Failures returns how many cells have no value because they failed.
func (rep *Report) Failures() int {
	n := 0
	for _, c := range rep.Cells {
		if c.Failed != "" {
			n++
		}
	}
	return n
}

// Form is the form of the block that [Report.Block] returns.
const Form = "cells"

// Block returns the measurements of a report as they are kept in a file: a row for each
// cell, and what else [FromBlock] needs for the same tables.
func (rep *Report) Block() *measured.Block {
	b := &measured.Block{Table: *table.New(append([]string{"program", "input", "switches", "choice", "value", "runs", "launches", "rounds", "busy", "verified", "failed"}, prefixed("twin", counted)...)...)}
	b.Add("page", "The IrGL paper's tables and figures")
	b.Add("title", "Measurements")
	b.AddOrigin(rep.Origin.Command, rep.About, rep.Origin.Host, rep.Origin.Tree)
	b.Add("form", Form)
	b.Add("device", rep.Device)
	b.Add("about", rep.About)
	b.Add("metric", rep.Metric)
	b.Add("repeats", strconv.Itoa(rep.Repeats))
	for _, s := range rep.Switches {
		b.Add("switches", s.OrNone())
	}
	for _, text := range rep.Left {
		b.Add("left", text)
	}
	for _, text := range rep.Notes {
		b.Add("remark", text)
	}
	float := func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
	for _, c := range rep.Cells {
		row := []string{c.Program, c.Input, c.Switches.String(), rep.choiceOf(c), float(c.Value), strconv.Itoa(c.Runs), strconv.FormatInt(c.Launches, 10), strconv.FormatInt(c.Rounds, 10), float(c.Busy), strconv.FormatBool(c.Verified), c.Failed}
		b.Table.Add(append(row, counts(c)...)...)
	}
	return b
}

// choiceOf says whether a cell is the default or the tuned choice of its program.
func (rep *Report) choiceOf(c *Cell) string {
	id := key{program: c.Program, input: c.Input}
	var words []string
	if s, ok := rep.defaults[id]; ok && s == c.Switches {
		words = append(words, "default")
	}
	if s, ok := rep.tuned[id]; ok && s == c.Switches {
		words = append(words, "tuned")
	}
	return strings.Join(words, " ")
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
	rep := newReport(&Options{Device: b.Get("device")})
	rep.About, rep.Metric, rep.Left, rep.Notes = b.Get("about"), b.Get("metric"), b.All("left"), b.All("remark")
	var err error
	if rep.Repeats, err = strconv.Atoi(b.Get("repeats")); err != nil {
		return nil, fmt.Errorf("repeats: %w", err)
	}
	if rep.Metric != "ms" && rep.Metric != "cost" {
		return nil, fmt.Errorf("metric: %q is neither ms nor cost", rep.Metric)
	}
	for _, text := range b.All("switches") {
		s, err := parseSwitches(text)
		if err != nil {
			return nil, err
		}
		rep.Switches = append(rep.Switches, s)
	}
	for i := range b.Table.Rows {
		if err := rep.addRow(b.Row(i)); err != nil {
			return nil, fmt.Errorf("row %d: %w", i+1, err)
		}
	}
	return rep, nil
}

// parseSwitches reads what [compile.Switches.OrNone] has written.
func parseSwitches(text string) (compile.Switches, error) {
	if text == (compile.Switches{}).OrNone() {
		text = ""
	}
	return compile.ParseSwitches(text)
}

// addRow adds the cell of a row.
func (rep *Report) addRow(r *measured.Row) error {
	s, err := parseSwitches(r.Text("switches"))
	if err != nil {
		return err
	}
	c := &Cell{Program: r.Text("program"), Input: r.Text("input"), Switches: s, Failed: r.Text("failed"), Value: r.Float("value"), Runs: int(r.Int("runs")),
		Launches: r.Int("launches"), Rounds: r.Int("rounds"), Busy: r.Float("busy"), Verified: r.Bool("verified")}
	if rep.byKey[c.key()] != nil {
		return fmt.Errorf("%s on %s with %s is there twice", c.Program, c.Input, s.OrNone())
	}
	if r.Text("twin launches") != "" {
		c.TwinLaunches, c.TwinRounds = r.Int("twin launches"), r.Int("twin rounds")
		c.Twin = &engine.Counters{Barriers: uint64(r.Int("twin barriers")), AtomicsGlobal: uint64(r.Int("twin atomics")), AtomicsShared: uint64(r.Int("twin shared atomics")), Transactions: uint64(r.Int("twin transactions"))}
	}
	rep.add(c)
	for word := range strings.FieldsSeq(r.Text("choice")) {
		id := key{program: c.Program, input: c.Input}
		switch word {
		case "default":
			rep.defaults[id] = s
		case "tuned":
			rep.tuned[id] = s
		default:
			return fmt.Errorf("choice: %q is neither default nor tuned", word)
		}
	}
	return r.Err
}
