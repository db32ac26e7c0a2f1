package tune

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"

	"irgl/internal/plot"
	"irgl/internal/programs"
	"irgl/internal/table"
)

// Entry returns the entry of a tuning file for a search.
func (r *Report) Entry(hash, compiler string) Entry {
	return Entry{
		Program: r.Program, ProgramHash: hash, Device: r.Device, Compiler: compiler, Graph: r.Graph,
		Switches: r.Best.Switches.String(), Metric: r.Metric, Time: r.Best.Value, Default: r.Default.Value, Plain: r.Plain.Value, Repeats: r.Best.Runs,
	}
}

// Reports are the results of several searches.
type Reports []*Report

// WriteMarkdown writes a table of the results, and one of the gain of each
// switch.
func (list Reports) WriteMarkdown(w io.Writer) error {
	b := bufio.NewWriter(w)
	found := table.New("program", "graph", "best switches", "best", "default", "plain", "gain on default", "gain on plain", "candidates")
	for _, r := range list {
		found.Add(r.Program, r.Graph.Name, r.Best.Switches.OrNone(), r.value(r.Best), r.value(r.Default), r.value(r.Plain),
			times(r.Default.Value, r.Best.Value), times(r.Plain.Value, r.Best.Value), strconv.Itoa(len(r.Trials)))
	}
	err := found.WriteMarkdown(b)
	for _, r := range list {
		if r.Stopped != "" {
			fmt.Fprintf(b, "\n%s on %s: %s ended the search.\n", r.Program, r.Graph.Name, r.Stopped)
		}
		if r.Unverified {
			fmt.Fprintf(b, "\n%s on %s: the answers were not verified when it ended.\n", r.Program, r.Graph.Name)
		}
	}
	if won := list.winners(); len(won.Rows) > 0 {
		fmt.Fprint(b, "\nThe fastest program of each problem:\n\n")
		err = errors.Join(err, won.WriteMarkdown(b))
	}
	fmt.Fprint(b, "\nThe gain of each switch: the best measurement with it against the best without it.\n\n")
	gains := table.New("program", "graph", "switch", "gain", "with", "best with it", "without", "best without it")
	for _, r := range list {
		for _, g := range r.Gains {
			gains.Add(r.Program, r.Graph.Name, g.Switch, times(g.Without.Value, g.With.Value),
				r.value(g.With), g.With.Switches.String(), r.value(g.Without), g.Without.Switches.OrNone())
		}
	}
	err = errors.Join(err, gains.WriteMarkdown(b))
	heading := "\nCandidates that failed:\n\n"
	for _, r := range list {
		for _, t := range r.Trials {
			if t.Failed != "" {
				fmt.Fprintf(b, "%s- %s on %s, %s: %s\n", heading, r.Program, r.Graph.Name, t.Switches.OrNone(), t.Failed)
				heading = ""
			}
		}
	}
	return errors.Join(err, b.Flush())
}

// winners lists the fastest program of each family on each graph, where several
// were tuned.
func (list Reports) winners() *table.Table {
	type key struct{ problem, graph string }
	best, count := map[key]*Report{}, map[key]int{}
	var order []key
	for _, r := range list {
		k := key{programs.Problem(r.Program), r.Graph.Name}
		if k.problem == "" {
			continue
		}
		if count[k]++; best[k] == nil {
			order = append(order, k)
		}
		if best[k] == nil || r.Best.Value < best[k].Best.Value {
			best[k] = r
		}
	}
	t := table.New("problem", "graph", "program", "switches", "best", "of programs")
	for _, k := range order {
		if r := best[k]; count[k] > 1 {
			t.Add(k.problem, k.graph, r.Program, r.Best.Switches.OrNone(), r.value(r.Best), strconv.Itoa(count[k]))
		}
	}
	return t
}

// value prints a trial's value with its unit.
func (r *Report) value(t Trial) string {
	switch {
	case t.Failed != "":
		return "failed"
	case r.Metric == "ms":
		return strconv.FormatFloat(t.Value, 'f', 3, 64) + " ms"
	}
	return strconv.FormatFloat(t.Value, 'f', 0, 64)
}

// times prints the ratio of a to b.
func times(a, b float64) string {
	if a <= 0 || b <= 0 {
		return ""
	}
	return strconv.FormatFloat(a/b, 'f', 2, 64) + "x"
}

// WriteCSV writes a line per candidate.
func (list Reports) WriteCSV(w io.Writer) error {
	all := table.New("program", "graph", "device", "switches", "stage", "metric", "value", "runs", "failed")
	for _, r := range list {
		for _, t := range r.Trials {
			all.Add(r.Program, r.Graph.Name, r.Device, t.Switches.String(), t.Stage, r.Metric, strconv.FormatFloat(t.Value, 'g', -1, 64), strconv.Itoa(t.Runs), t.Failed)
		}
	}
	return all.WriteCSV(w)
}

// WriteSVG draws the gain of each switch, a group of bars per search (IrGL
// paper, Figure 8, switch by switch).
func (list Reports) WriteSVG(w io.Writer) error {
	c := plot.Chart{Title: "best without a switch / best with it (higher is better)", Unit: "gain", Base: 1}
	at := map[string]int{}
	for _, r := range list {
		for _, g := range r.Gains {
			if _, ok := at[g.Switch]; !ok {
				at[g.Switch] = len(c.Series)
				c.Series = append(c.Series, g.Switch)
			}
		}
	}
	for _, r := range list {
		g := plot.Group{Name: r.Program + " " + r.Graph.Name, Values: make([]float64, len(c.Series))}
		for i := range g.Values {
			g.Values[i] = math.NaN()
		}
		for _, gain := range r.Gains {
			g.Values[at[gain.Switch]] = gain.Gain
		}
		c.Groups = append(c.Groups, g)
	}
	return c.Write(w)
}
