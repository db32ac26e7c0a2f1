package paper

import (
	"bufio"
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// WriteMarkdown writes all tables.
func (rep *Report) WriteMarkdown(w io.Writer) error {
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "Device: %s (%s). ", rep.About, rep.Device)
	if rep.Metric == "ms" {
		fmt.Fprintf(b, "Times in ms by the device's clock, medians of %d runs, whole programs; the graph and the\nworklists' memory are on the device before. Launches, rounds, barriers, atomics and transactions\nin columns with no unit are those of a small graph of the same kind, on the emulator.\n", rep.Repeats)
	} else {
		b.WriteString("Nothing is timed here: cost is made of what the emulator counts.\n")
	}
	for _, t := range rep.Tables() {
		fmt.Fprintf(b, "\n### %s\n\n| %s |\n|%s\n", t.Title, strings.Join(t.Columns, " | "), strings.Repeat("---|", len(t.Columns)))
		for _, row := range t.Rows {
			fmt.Fprintf(b, "| %s |\n", strings.Join(row, " | "))
		}
	}
	var failed []string
	for _, c := range rep.Cells {
		if c.Failed != "" {
			failed = append(failed, fmt.Sprintf("- %s on %s, %s: %s", c.Program, c.Input, orNone(c.Switches), c.Failed))
		}
	}
	list(b, "Failed", failed)
	var left []string
	for _, text := range rep.Left {
		left = append(left, "- "+text)
	}
	list(b, "Left out", left)
	return b.Flush()
}

func list(b *bufio.Writer, title string, lines []string) {
	if len(lines) > 0 {
		fmt.Fprintf(b, "\n### %s\n\n%s\n", title, strings.Join(lines, "\n"))
	}
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

// WriteCSV writes a table.
func (t *Table) WriteCSV(w io.Writer) error {
	c := csv.NewWriter(w)
	if err := c.Write(t.Columns); err != nil {
		return err
	}
	return c.WriteAll(t.Rows)
}

// WriteCSV writes a line for each cell, with all that is known of it.
func (rep *Report) WriteCSV(w io.Writer) error {
	t := Table{Columns: append([]string{"program", "input", "switches", "metric", "value", "runs", "launches", "rounds", "busy", "failed"}, prefixed("twin", counted)...)}
	float := func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
	for _, c := range rep.Cells {
		row := []string{c.Program, c.Input, c.Switches, rep.Metric, float(c.Value), strconv.Itoa(c.Runs), strconv.FormatInt(c.Launches, 10), strconv.FormatInt(c.Rounds, 10), float(c.Busy), c.Failed}
		t.Rows = append(t.Rows, append(row, counts(c)...))
	}
	return t.WriteCSV(w)
}
