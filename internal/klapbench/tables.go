package klapbench

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"irgl/internal/klap/suite"
	"irgl/internal/plot"
	"irgl/internal/table"
)

// A Table is a figure of the paper, or a table of our own.
type Table struct {
	Name  string // "figure8", also of the files
	Title string
	table.Table
	Notes []string
	Chart *plot.Chart // nil when there is nothing to draw
}

// What the papers have measured: geometric means on Kepler (KLAP, section IV), and on Volta (Olabi et al., CGO 2022).
var published = map[string]string{"--granularity=warp": "3.98", "--granularity=block": "4.94", "--granularity=grid": "6.58"}

const (
	publishedPromotion = "KLAP, aggregate:128,overlap on large sets over plain on small ones (Kepler, 2016): 30.44."
	publishedSince     = "Olabi et al. (2022), thresholding, coarsening and aggregation together: 43.0 over plain, 8.7 over the form without launches, 3.6 over aggregation alone."
	otherHardware      = "The papers' figures are of other programs' code and of another decade's hardware."
)

// Tables returns the tables that are not empty.
func (rep *Report) Tables() []*Table {
	all := []*Table{rep.aggregation(false), rep.aggregation(true)}
	for _, size := range []suite.Size{suite.Large, suite.Medium, suite.Small, suite.Test} {
		all = append(all, rep.promotion(size))
	}
	all = append(all, rep.sweep(), rep.best(), rep.parts(), rep.breakdowns(), rep.occupancy(suite.Aggregation), rep.occupancy(suite.Promotion), rep.compilers(suite.Aggregation), rep.compilers(suite.Promotion), rep.launchCounts(), rep.instructions(), rep.costs())
	return slices.DeleteFunc(all, func(t *Table) bool { return len(t.Rows) == 0 })
}

// number prints a value of the metric.
func (rep *Report) number(v float64) string {
	switch {
	case math.IsNaN(v):
		return ""
	case rep.Metric == metricInstructions:
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	return strconv.FormatFloat(v, 'g', 3, 64)
}

// A column is a choice in a table of ratios.
type column struct {
	name   string
	choice func(s set) Choice
	best   func(Choice) bool // the fastest of these, in place of a choice; nil for none
}

// ratios fills a table with what a base takes, over what each column takes, for each set of a stage.
func (rep *Report) ratios(t *Table, stage string, sets []set, base func(set) Choice, columns []column) {
	t.Columns = []string{"benchmark", "plain, " + rep.Metric, "without launches, " + rep.Metric}
	t.Chart = &plot.Chart{Title: t.Title, Unit: "times as fast", Base: 1}
	for _, c := range columns {
		t.Columns = append(t.Columns, c.name)
		t.Chart.Series = append(t.Chart.Series, c.name)
	}
	all := make([][]float64, len(columns))
	for _, s := range sets {
		row := []string{rowName(s), rep.number(rep.value(stage, s, rep.baseline(s))), rep.number(rep.value(stage, s, without))}
		g := plot.Group{Name: rowName(s)}
		for i, c := range columns {
			var cell *Cell
			if c.best != nil {
				cell = rep.fastest(stage, s, c.best)
			} else {
				cell = rep.find(stage, s, c.choice(s))
			}
			v := rep.value(stage, s, base(s)) / cell.Value()
			all[i] = append(all[i], v)
			g.Values = append(g.Values, v)
			row = append(row, ratioOrFailure(v, cell))
		}
		t.Add(row...)
		t.Chart.Groups = append(t.Chart.Groups, g)
	}
	if len(sets) == 0 {
		return
	}
	row := []string{"geometric mean", "", ""}
	for _, list := range all {
		row = append(row, meanOf(list))
	}
	t.Add(row...)
}

// meanOf prints the geometric mean of ratios, and of how many of them it is where some are missing.
func meanOf(ratios []float64) string {
	n := 0
	for _, v := range ratios {
		n += btoi(!math.IsNaN(v))
	}
	text := table.Ratio(table.Geomean(ratios))
	if n > 0 && n < len(ratios) {
		text += fmt.Sprintf(" (%d)", n)
	}
	return text
}

// rowName is a data set's name where a table is of one size.
func rowName(s set) string {
	if s.Input != "" {
		return s.String()
	}
	return s.Benchmark
}

func ratioOrFailure(v float64, c *Cell) string {
	if c != nil && c.Failed != "" {
		return "failed"
	}
	return table.Ratio(v)
}

// always returns the choice for all sets.
func (rep *Report) always(flags string) func(set) Choice {
	return func(s set) Choice { return transformed(suite.Find(s.Benchmark), flags) }
}

func withoutLaunches(set) Choice { return without }

// ends returns the columns that all tables of ratios have behind those of their own.
func (rep *Report) ends() []column {
	list := []column{
		{name: "default", choice: func(s set) Choice { return rep.fallback(suite.Find(s.Benchmark)) }},
		{name: "best", best: isTransformed},
	}
	if slices.ContainsFunc(rep.Cells, func(c *Cell) bool { return c.Choice.Compiler == "nvcc" }) {
		list = append(list, column{name: "plain, nvcc", choice: func(s set) Choice {
			c := rep.baseline(s)
			c.Compiler = "nvcc"
			return c
		}}, column{name: "without, nvcc", choice: func(set) Choice { return Choice{Compiler: "nvcc", Form: formNone} }})
	}
	return list
}

// aggregation is Figure 8: speedups over the plain form, or over that without launches.
func (rep *Report) aggregation(over bool) *Table {
	t := &Table{Name: "figure8", Title: "Figure 8: aggregation, times as fast as plain"}
	base := rep.baseline
	if over {
		t.Name, t.Title, base = "figure8none", "Aggregation, times as fast as without launches", withoutLaunches
	}
	columns := []column{{name: "plain", choice: rep.baseline}}
	if !over {
		columns = []column{{name: "without launches", choice: withoutLaunches}}
	}
	for _, g := range granularities {
		columns = append(columns, column{name: g, choice: rep.always("--granularity=" + g)})
	}
	rep.ratios(t, stageAggregation, rep.sets(stageAggregation), base, append(columns, rep.ends()...))
	if len(t.Rows) > 0 && !over {
		row := []string{"KLAP, geometric mean (2016)", "", "", ""}
		for _, g := range granularities {
			row = append(row, published["--granularity="+g])
		}
		t.Add(row...)
		t.Notes = []string{publishedSince, otherHardware}
	}
	return t
}

// promotion is Figure 10, of data of one size.
func (rep *Report) promotion(size suite.Size) *Table {
	t := &Table{Name: "figure10" + size.String(), Title: "Figure 10: promotion, " + size.String() + " sets, times as fast as plain"}
	columns := []column{{name: "without launches", choice: withoutLaunches}}
	for _, flags := range promotions {
		columns = append(columns, column{name: promotionName(flags), choice: rep.always(flags)})
	}
	sets := slices.DeleteFunc(rep.sets(stagePromotion), func(s set) bool { return s.Size != size.String() })
	rep.ratios(t, stagePromotion, sets, rep.baseline, append(columns, rep.ends()...))
	t.Notes = []string{publishedPromotion, otherHardware}
	return t
}

// promotionName returns the name that the paper has for a form of promotion.
func promotionName(flags string) string {
	return map[string]string{"--promote": "P", "--promote=overlap": "PO", "--promote=aggregate:2": "PA-2", "--promote=aggregate:128": "PA",
		"--promote=aggregate:2,overlap": "PAO-2", "--promote=aggregate:128,overlap": "PAO"}[flags]
}

// sweep has each choice of the sweep with its speedups over plain.
func (rep *Report) sweep() *Table {
	t := &Table{Name: "sweep", Title: "Thresholds and coarsening, times as fast as plain, one run each"}
	sets := rep.sets(stageSweep)
	t.Columns = []string{"choice", "geometric mean"}
	var list []Choice
	for _, s := range sets {
		t.Columns = append(t.Columns, s.Benchmark)
		for _, c := range rep.of(stageSweep, s) {
			if !c.Choice.isPlain() {
				list = append(list, c.Choice)
			}
		}
	}
	for _, c := range distinct(list) {
		mean := meanOf(rep.sweepRatios(c))
		row := []string{c.String(), mean}
		for _, s := range sets {
			cell := rep.find(stageSweep, s, c)
			row = append(row, ratioOrFailure(rep.value(stageSweep, s, rep.baseline(s))/cell.Value(), cell))
		}
		t.Add(row...)
	}
	if c, ok := rep.fixed(); ok {
		t.Notes = []string{fmt.Sprintf("The best fixed choice is %s.", c)}
	}
	return t
}

// best has the best choice that was found for each benchmark, beside the best fixed one and the default.
func (rep *Report) best() *Table {
	t := &Table{Name: "best", Title: "The best found, the best fixed choice and the default"}
	t.Columns = []string{"benchmark", "plain, " + rep.Metric, "without launches, " + rep.Metric, "best, " + rep.Metric, "best", "fixed, " + rep.Metric, "default, " + rep.Metric, "plain / best", "without / best", "default / best"}
	fixed, _ := rep.fixed()
	var over [3][]float64
	for _, s := range rep.sets(stageBest) {
		b := rep.fastest(stageBest, s, isTransformed)
		if b == nil {
			continue
		}
		values := []float64{rep.value(stageBest, s, rep.baseline(s)), rep.value(stageBest, s, without), rep.value(stageBest, s, rep.fallback(suite.Find(s.Benchmark)))}
		row := []string{rowName(s), rep.number(values[0]), rep.number(values[1]), rep.number(b.Value()), b.Choice.String(), rep.number(rep.value(stageBest, s, fixed)), rep.number(values[2])}
		for i, v := range values {
			over[i] = append(over[i], v/b.Value())
			row = append(row, table.Ratio(v/b.Value()))
		}
		t.Add(row...)
	}
	if len(t.Rows) > 0 {
		t.Add("geometric mean", "", "", "", "", "", "", table.Ratio(table.Geomean(over[0])), table.Ratio(table.Geomean(over[1])), table.Ratio(table.Geomean(over[2])))
		t.Add("Olabi et al. (2022)", "", "", "", "", "", "", "43.0", "8.7")
		t.Notes = []string{otherHardware}
	}
	return t
}
