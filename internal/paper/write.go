package paper

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

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
		errs = append(errs, t.WriteMarkdown(b))
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

// WriteCSV writes a line per cell, with all of its data.
func (rep *Report) WriteCSV(w io.Writer) error {
	t := table.New(append([]string{"program", "input", "switches", "metric", "value", "runs", "launches", "rounds", "busy", "verified", "failed"}, prefixed("twin", counted)...)...)
	float := func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
	for _, c := range rep.Cells {
		row := []string{c.Program, c.Input, c.Switches.String(), rep.Metric, float(c.Value), strconv.Itoa(c.Runs), strconv.FormatInt(c.Launches, 10), strconv.FormatInt(c.Rounds, 10), float(c.Busy), strconv.FormatBool(c.Verified), c.Failed}
		t.Add(append(row, counts(c)...)...)
	}
	return t.WriteCSV(w)
}
