package paper

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"irgl/internal/compile"
	"irgl/internal/plot"
	"irgl/internal/table"
)

// A Table is a table of the paper, or the data of one of its figures.
type Table struct {
	Name  string // "figure1", also of the files
	Title string
	table.Table
	Notes []string    // below it
	Chart *plot.Chart // nil when there is nothing to draw
}

// Tables returns the tables of the measurements, in the paper's order, without
// empty ones.
func (rep *Report) Tables() []*Table {
	if rep.Switches != nil {
		return []*Table{rep.given(), rep.problems()}
	}
	all := []*Table{rep.figure1(), rep.table1(), rep.table1DP(), rep.table2(), rep.table4(), rep.figure7(), rep.figure8(), rep.figure9()}
	if len(rep.defaults) > 0 { // otherwise there is nothing to compare the best with
		all = slices.Concat([]*Table{rep.problems(), rep.gaps(), rep.answers()}, all)
	} else {
		all = slices.DeleteFunc(all, func(t *Table) bool { return t.Name == "figure7" })
	}
	return slices.DeleteFunc(all, func(t *Table) bool { return len(t.Rows) == 0 })
}

// given has the requested choices.
func (rep *Report) given() *Table {
	t := &Table{Name: "switches", Title: "Given switches"}
	t.Columns = slices.Concat([]string{"program", "input", "switches", rep.Metric, "speedup against the first", "launches", "rounds"}, prefixed("small:", counted))
	t.Chart = &plot.Chart{Title: "speedup against the first choice", Unit: "speedup", Base: 1}
	for _, text := range rep.Switches {
		t.Chart.Series = append(t.Chart.Series, text.OrNone())
	}
	rep.pairs(func(p, in string) {
		g := plot.Group{Name: p + " " + in}
		for _, text := range rep.Switches {
			c := rep.cell(p, in, text)
			v := speedup(rep.cell(p, in, rep.Switches[0]), c)
			g.Values = append(g.Values, v)
			if c != nil {
				row := []string{p, in, text.OrNone(), rep.number(c), table.Ratio(v), number(c.Launches), number(c.Rounds)}
				t.Rows = append(t.Rows, slices.Concat(row, counts(c)))
			}
		}
		t.Chart.Groups = append(t.Chart.Groups, g)
	})
	return t
}

// cell returns a cell, or nil.
func (rep *Report) cell(program, input string, switches compile.Switches) *Cell {
	c := rep.byKey[key{program, input, switches}]
	if c == nil || c.Failed != "" || c.Value <= 0 {
		return nil
	}
	return c
}

// pairs calls use for all programs but Listing 5 on all inputs.
func (rep *Report) pairs(use func(program, input string)) {
	for _, p := range rep.sorted() {
		for _, in := range rep.Inputs {
			if p != listing5Name {
				use(p, in)
			}
		}
	}
}

// number prints a cell's value.
func (rep *Report) number(c *Cell) string {
	switch {
	case c == nil:
		return ""
	case rep.Metric == "ms":
		return table.Number(c.Value, 3)
	}
	return table.Number(c.Value, 0)
}

// number prints a count, "" for 0: it was not counted.
func number(n int64) string {
	if n == 0 {
		return ""
	}
	return strconv.FormatInt(n, 10)
}

// speedup returns the speedup of b over a; NaN if one is missing.
func speedup(a, b *Cell) float64 {
	if a == nil || b == nil {
		return math.NaN()
	}
	return a.Value / b.Value
}

// counted are the columns of the emulator's counters.
var counted = []string{"launches", "rounds", "barriers", "atomics", "shared atomics", "transactions"}

// counts formats the emulator's counters of a cell.
func counts(c *Cell) []string {
	if c == nil || c.Twin == nil {
		return make([]string, len(counted))
	}
	t := c.Twin
	out := []string{strconv.FormatInt(c.TwinLaunches, 10), strconv.FormatInt(c.TwinRounds, 10)}
	for _, n := range []uint64{t.Barriers, t.AtomicsGlobal, t.AtomicsShared, t.Transactions} {
		out = append(out, strconv.FormatUint(n, 10))
	}
	return out
}

// prefixed returns names with a prefix.
func prefixed(word string, names []string) []string {
	var out []string
	for _, n := range names {
		out = append(out, word+" "+n)
	}
	return out
}

// figure1 compares the utilisation of the device with loops on the host and
// outlined loops.
func (rep *Report) figure1() *Table {
	t := &Table{Name: "figure1", Title: "Figure 1: share of the time in which the device is busy", Table: *table.New("program", "input", "host loop, %", "outlined, %")}
	t.Chart = &plot.Chart{Title: "share of the time in which the device is busy", Unit: "%", Series: []string{"host loop", "outlined"}}
	if rep.Metric == "cost" {
		t.Title, t.Chart.Title = "Figure 1: share of the cost that is not for launches", "share of the cost that is not for launches"
	}
	rep.pairs(func(p, in string) {
		host, outlined := rep.cell(p, in, loops()[0]), rep.cell(p, in, loops()[1])
		if host == nil || outlined == nil || host.Busy == 0 || outlined.Busy == 0 {
			return
		}
		t.Rows = append(t.Rows, []string{p, in, table.Ratio(100 * host.Busy), table.Ratio(100 * outlined.Busy)})
		t.Chart.Groups = append(t.Chart.Groups, plot.Group{Name: p + " " + in, Values: []float64{100 * host.Busy, 100 * outlined.Busy}})
	})
	return t
}

// table1 compares the loop on the host with the outlined one.
func (rep *Report) table1() *Table {
	unit := rep.Metric
	t := &Table{Name: "table1", Title: "Table 1: iteration outlining"}
	t.Columns = slices.Concat(
		[]string{"program", "input", "rounds", "launches", "host loop, " + unit, "a round", "launches, outlined", "outlined, " + unit, "speedup"}, prefixed("host:", counted), prefixed("outlined:", counted))
	t.Chart = &plot.Chart{Title: "speedup by iteration outlining", Unit: "host loop / outlined", Base: 1, Series: []string{"outlined"}}
	rep.pairs(func(p, in string) {
		host, outlined := rep.cell(p, in, loops()[0]), rep.cell(p, in, loops()[1])
		if host == nil || outlined == nil {
			return
		}
		round := ""
		if host.Rounds > 0 {
			round = rep.number(&Cell{Value: host.Value / float64(host.Rounds)})
		}
		v := speedup(host, outlined)
		row := []string{p, in, number(host.Rounds), number(host.Launches), rep.number(host), round, number(outlined.Launches), rep.number(outlined), table.Ratio(v)}
		t.Rows = append(t.Rows, slices.Concat(row, counts(host), counts(outlined)))
		t.Chart.Groups = append(t.Chart.Groups, plot.Group{Name: p + " " + in, Values: []float64{v}})
	})
	return t
}

// table1DP has the rows "with DP" of Table 1: the loop on the device, by launches in device code.
func (rep *Report) table1DP() *Table {
	unit := rep.Metric
	t := &Table{Name: "table1dp", Title: "Table 1: with dynamic parallelism"}
	t.Columns = slices.Concat([]string{"program", "input", "launches, with DP", "with DP, " + unit, "speedup", "outlined over with DP"}, prefixed("with DP:", counted))
	t.Chart = &plot.Chart{Title: "speedup by dynamic parallelism", Unit: "host loop / with DP", Base: 1, Series: []string{"with DP"}}
	rep.pairs(func(p, in string) {
		host, outlined, dp := rep.cell(p, in, loops()[0]), rep.cell(p, in, loops()[1]), rep.cell(p, in, launching())
		if host == nil || outlined == nil || dp == nil {
			return
		}
		v := speedup(host, dp)
		row := []string{p, in, number(dp.Launches), rep.number(dp), table.Ratio(v), table.Ratio(speedup(dp, outlined))}
		t.Rows = append(t.Rows, slices.Concat(row, counts(dp)))
		t.Chart.Groups = append(t.Chart.Groups, plot.Group{Name: p + " " + in, Values: []float64{v}})
	})
	return t
}

// table2 has the speedup of each set of schedulers against serial inner loops, with
// loops outlined.
func (rep *Report) table2() *Table {
	t := &Table{Name: "table2", Title: "Table 2: speedup by schedulers of inner loops, against serial ones", Table: *table.New("program", "input")}
	t.Chart = &plot.Chart{Title: t.Title, Unit: "speedup", Base: 1}
	for _, policy := range schedulers[1:] {
		t.Columns = append(t.Columns, strings.ReplaceAll(policy, ",", "+"))
		t.Chart.Series = append(t.Chart.Series, policy)
	}
	t.Columns = append(t.Columns, "best")
	rep.pairs(func(p, in string) {
		serial := rep.cell(p, in, schedulerSwitches(""))
		row, values := []string{p, in}, []float64(nil)
		best, most := "serial", 1.0
		for _, policy := range schedulers[1:] {
			v := speedup(serial, rep.cell(p, in, schedulerSwitches(policy)))
			row, values = append(row, table.Ratio(v)), append(values, v)
			if v > most {
				best, most = strings.ReplaceAll(policy, ",", "+"), v
			}
		}
		if math.IsNaN(table.Geomean(values)) {
			return
		}
		t.Rows = append(t.Rows, append(row, best))
		t.Chart.Groups = append(t.Chart.Groups, plot.Group{Name: p + " " + in, Values: values})
	})
	return t
}

// table4 has the traversal of Listing 5.
func (rep *Report) table4() *Table {
	t := &Table{Name: "table4", Title: "Table 4: the graph traversal of Listing 5"}
	t.Columns = slices.Concat([]string{"input", "switches", rep.Metric, "speedup"}, counted)
	t.Chart = &plot.Chart{Title: "Listing 5: speedup against no switches", Unit: "speedup", Base: 1}
	for _, s := range traversals()[1:] {
		t.Chart.Series = append(t.Chart.Series, s.String())
	}
	for _, in := range rep.Inputs {
		plain := rep.cell(listing5Name, in, compile.Switches{})
		g := plot.Group{Name: in}
		for i, switches := range traversals() {
			c := rep.cell(listing5Name, in, switches)
			v := speedup(plain, c)
			if i > 0 {
				g.Values = append(g.Values, v)
			}
			if c != nil {
				t.Rows = append(t.Rows, slices.Concat([]string{in, switches.OrNone(), rep.number(c), table.Ratio(v)}, counts(c)))
			}
		}
		if plain != nil {
			t.Chart.Groups = append(t.Chart.Groups, g)
		}
	}
	return t
}

// figure7 has all programs on all inputs: without switches, with the default ones,
// and tuned.
func (rep *Report) figure7() *Table {
	t := &Table{Name: "figure7", Title: "Figure 7: all programs on all inputs"}
	t.Columns = slices.Concat(
		[]string{"program", "input", "plain, " + rep.Metric, "default", "tuned", "default / plain", "tuned / plain", "tuned / default", "default switches", "tuned switches"}, prefixed("default:", counted))
	t.Chart = &plot.Chart{Title: "speedup against no switches", Unit: "speedup", Base: 1, Series: []string{"default", "tuned"}}
	var normals, bests, between []float64
	rep.pairs(func(p, in string) {
		id := key{program: p, input: in}
		plain, normal := rep.cell(p, in, compile.Switches{}), rep.cell(p, in, rep.defaults[id])
		var best *Cell
		tuned, ok := rep.tuned[id]
		if ok {
			best = rep.cell(p, in, tuned)
		}
		if plain == nil && normal == nil && best == nil {
			return
		}
		a, b, c := speedup(plain, normal), speedup(plain, best), speedup(normal, best)
		normals, bests, between = append(normals, a), append(bests, b), append(between, c)
		row := []string{p, in, rep.number(plain), rep.number(normal), rep.number(best), table.Ratio(a), table.Ratio(b), table.Ratio(c), rep.defaults[id].OrNone(), ""}
		if ok {
			row[9] = tuned.OrNone()
		}
		t.Rows = append(t.Rows, append(row, counts(normal)...))
		t.Chart.Groups = append(t.Chart.Groups, plot.Group{Name: p + " " + in, Values: []float64{a, b}})
	})
	if len(t.Rows) > 0 {
		mean := []string{"geometric mean", "", "", "", "", table.Ratio(table.Geomean(normals)), table.Ratio(table.Geomean(bests)), table.Ratio(table.Geomean(between)), "", ""}
		t.Rows = append(t.Rows, append(mean, make([]string, len(counted))...))
	}
	return t
}

// figure8 has the slowdown when one of the optimisations is off, and the speedup
// of all together.
func (rep *Report) figure8() *Table {
	t := &Table{Name: "figure8", Title: "Figure 8: all optimisations against none, and against all but one", Table: *table.New("program", "input", "none, "+rep.Metric, "all", "all / none")}
	t.Chart = &plot.Chart{Title: "speedup by all optimisations: against none, and against all but one", Unit: "speedup", Base: 1, Series: []string{"against none"}}
	all := 1<<len(optimisations) - 1
	for _, o := range optimisations {
		t.Columns = append(t.Columns, "against all but "+o.name)
		t.Chart.Series = append(t.Chart.Series, "against all but "+o.name)
	}
	t.Columns = append(t.Columns, prefixed("all:", counted)...)
	means := make([][]float64, 1+len(optimisations))
	full, _ := combination(all)
	rep.pairs(func(p, in string) {
		c, none := rep.cell(p, in, full), rep.cell(p, in, compile.Switches{})
		if c == nil || none == nil {
			return
		}
		values := []float64{speedup(none, c)}
		for i := range optimisations {
			less, _ := combination(all &^ (1 << i))
			values = append(values, speedup(rep.cell(p, in, less), c))
		}
		row := []string{p, in, rep.number(none), rep.number(c)}
		for i, v := range values {
			row, means[i] = append(row, table.Ratio(v)), append(means[i], v)
		}
		t.Rows = append(t.Rows, append(row, counts(c)...))
		t.Chart.Groups = append(t.Chart.Groups, plot.Group{Name: p + " " + in, Values: values})
	})
	if len(t.Rows) > 0 {
		row := []string{"geometric mean", "", "", ""}
		for _, m := range means {
			row = append(row, table.Ratio(table.Geomean(m)))
		}
		t.Rows = append(t.Rows, append(row, make([]string, len(counted))...))
	}
	return t
}

// figure9 has the speedup of every combination of optimisations.
func (rep *Report) figure9() *Table {
	t := &Table{Name: "figure9", Title: "Figure 9: speedup by every combination of optimisations, against none", Table: *table.New("program", "input")}
	t.Chart = &plot.Chart{Title: t.Title, Unit: "speedup", Base: 1}
	sets := 1 << len(optimisations)
	for set := 1; set < sets; set++ {
		_, name := combination(set)
		t.Columns, t.Chart.Series = append(t.Columns, name), append(t.Chart.Series, name)
	}
	t.Columns = append(t.Columns, "best")
	means := make([][]float64, sets)
	// Of the rows with all combinations: the speedups of each, and the best of the row.
	whole, bests := make([][]float64, sets), []float64(nil)
	rep.pairs(func(p, in string) {
		none := rep.cell(p, in, compile.Switches{})
		row, values := []string{p, in}, []float64(nil)
		best, most := "none", 1.0
		for set := 1; set < sets; set++ {
			switches, name := combination(set)
			v := speedup(none, rep.cell(p, in, switches))
			row, values, means[set] = append(row, table.Ratio(v)), append(values, v), append(means[set], v)
			if v > most {
				best, most = name, v
			}
		}
		if math.IsNaN(table.Geomean(values)) {
			return
		}
		t.Rows = append(t.Rows, append(row, best))
		t.Chart.Groups = append(t.Chart.Groups, plot.Group{Name: p + " " + in, Values: values})
		if !slices.ContainsFunc(values, math.IsNaN) {
			bests = append(bests, most)
			for i, v := range values {
				whole[i+1] = append(whole[i+1], v)
			}
		}
	})
	if len(t.Rows) > 0 {
		// The best static choice is the one with the highest mean.
		row, best, most := []string{"geometric mean", ""}, "none", 1.0
		for set := 1; set < sets; set++ {
			v := table.Geomean(means[set])
			if _, name := combination(set); v > most {
				best, most = name, v
			}
			row = append(row, table.Ratio(v))
		}
		t.Rows = append(t.Rows, append(row, best))
	}
	if len(bests) > 0 {
		name, most := "none", 1.0
		for set := 1; set < sets; set++ {
			if v := table.Geomean(whole[set]); v > most {
				_, name = combination(set)
				most = v
			}
		}
		each := table.Geomean(bests)
		t.Notes = []string{fmt.Sprintf("Of the %d rows with all combinations, the best static choice is %s, %s times as fast as none; the best of each row is %s times as fast, which is %s times the static choice.",
			len(bests), name, table.Ratio(most), table.Ratio(each), table.Ratio(each/most))}
	}
	return t
}
