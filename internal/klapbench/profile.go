package klapbench

import (
	"slices"
	"strconv"

	"irgl/internal/klap/suite"
	"irgl/internal/plot"
	"irgl/internal/table"
)

// Figures 9 and 11 of the paper: where the time goes, and how full the device is; and what nvcc makes of the same texts.

// partNames are the parts of Figure 9, in the order in which they are switched off; the last one is what remains.
var partNames = []string{"children", "finding the parent", "launches", "aggregation", "parents"}

// partTimes returns the milliseconds of each part: what switching it off saves.
func partTimes(c *Cell) []float64 {
	var out []float64
	for i := range partNames {
		v := c.probe(i)
		if i < len(partNames)-1 {
			v -= c.probe(i + 1)
		}
		out = append(out, v)
	}
	return out
}

// parts is Figure 9: the longest launch of the host, by parts.
func (rep *Report) parts() *Table {
	t := &Table{Name: "figure9parts", Title: "Figure 9: time by parts switched off, in percent of the plain form's longest launch by the host"}
	t.Columns = append([]string{"benchmark", "choice", "launch by the host", "time, ms", "of plain"}, partNames...)
	t.Chart = &plot.Chart{Title: t.Title, Unit: "percent", Series: partNames}
	for _, s := range rep.sets(stageBreakdown) {
		plain := rep.find(stageBreakdown, s, rep.baseline(s).probed(probeParts))
		for _, c := range rep.of(stageBreakdown, s) {
			if !c.ok() {
				continue
			}
			row := []string{rowName(s), c.Choice.probed("").String(), strconv.Itoa(c.turn.Round), table.Number(c.probe(0), 4), table.Ratio(c.probe(0) / plain.probe(0))}
			g := plot.Group{Name: rowName(s) + " " + c.Choice.probed("").String()}
			for _, v := range partTimes(c) {
				v *= 100 / plain.probe(0)
				g.Values = append(g.Values, v)
				row = append(row, table.Number(v, 1))
			}
			t.Add(row...)
			t.Chart.Groups = append(t.Chart.Groups, g)
		}
	}
	t.Notes = []string{"Parts are switched off one after the other, from the left; what the last one leaves is parents'. A part that hides behind another one takes no time, and noise may make it negative.",
		"The plain form of a kernel that launches itself (qt) has its children's time in launches."}
	return t
}

// publishedOccupancy is what the paper has of occupancy.
const publishedOccupancy = "KLAP, occupancy over plain (Kepler, 2016), geometric mean of bfs, gc, mstf, mstv and sp: warp 2.81, block 3.24, grid 3.51."

// occupancy is Figure 11(a), and what the paper's text has of aggregation.
func (rep *Report) occupancy(kind suite.Kind) *Table {
	t := &Table{Name: "occupancy", Title: "Occupancy of aggregated programs, in percent"}
	if kind == suite.Promotion {
		t.Name, t.Title = "figure11occupancy", "Figure 11(a): occupancy of promoted programs, in percent"
	}
	columns := rep.profileColumns(kind)
	t.Columns, t.Chart = []string{"benchmark"}, &plot.Chart{Title: t.Title, Unit: "percent"}
	for _, c := range columns {
		t.Columns = append(t.Columns, c.name)
		t.Chart.Series = append(t.Chart.Series, c.name)
	}
	over := make([][]float64, len(columns))
	for _, s := range rep.setsOf(stageOccupancy, kind) {
		row, g := []string{s.String()}, plot.Group{Name: rowName(s)}
		plain := rep.find(stageOccupancy, s, rep.baseline(s).probed(probeOccupancy)).probe(0)
		for i, c := range columns {
			v := rep.find(stageOccupancy, s, c.choice(s).probed(probeOccupancy)).probe(0)
			over[i] = append(over[i], v/plain)
			g.Values = append(g.Values, v)
			row = append(row, table.Number(v, 2))
		}
		t.Add(row...)
		t.Chart.Groups = append(t.Chart.Groups, g)
	}
	if len(t.Rows) == 0 {
		return t
	}
	row := []string{"over plain, geometric mean"}
	for _, list := range over {
		row = append(row, meanOf(list))
	}
	t.Add(row...)
	t.Notes = []string{"The time of all warps in kernels, over the time of the run and the warps that the device can hold. Each warp reads the device's clock and adds once."}
	if kind == suite.Aggregation {
		t.Notes = append(t.Notes, publishedOccupancy)
	}
	return t
}

// profileColumns returns the columns of a table that has all programs of a kind.
func (rep *Report) profileColumns(kind suite.Kind) []column {
	columns := []column{{name: "plain", choice: rep.baseline}, {name: "without launches", choice: withoutLaunches}}
	list := granularities
	if kind == suite.Promotion {
		list = promotions
	}
	for _, flags := range list {
		name := promotionName(flags)
		if kind == suite.Aggregation {
			name, flags = flags, "--granularity="+flags
		}
		columns = append(columns, column{name: name, choice: rep.always(flags)})
	}
	return append(columns, column{name: "default", choice: func(s set) Choice { return rep.fallback(suite.Find(s.Benchmark)) }})
}

// setsOf returns the data sets of a stage whose benchmarks are of a kind.
func (rep *Report) setsOf(stage string, kind suite.Kind) []set {
	return slices.DeleteFunc(rep.sets(stage), func(s set) bool { return suite.Find(s.Benchmark).Kind != kind })
}

// compilers has what nvcc makes of the transformed texts.
func (rep *Report) compilers(kind suite.Kind) *Table {
	t := &Table{Name: "nvcc", Title: "Aggregation through nvcc, times as fast as plain by our compiler"}
	if kind == suite.Promotion {
		t.Name, t.Title = "nvccpromotion", "Promotion through nvcc, times as fast as plain by our compiler"
	}
	var columns []column
	for _, c := range rep.profileColumns(kind) {
		columns = append(columns, column{name: c.name, choice: func(s set) Choice {
			by := c.choice(s)
			by.Compiler = "nvcc"
			return by
		}})
	}
	columns = append(columns, column{name: "best", best: func(c Choice) bool { return c.Compiler == "nvcc" && isTransforming(c.Flags) }})
	rep.ratios(t, StageNVCC, rep.setsOf(StageNVCC, kind), rep.baseline, columns)
	return t
}
