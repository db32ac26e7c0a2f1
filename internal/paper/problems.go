package paper

import (
	"slices"
	"strconv"

	"irgl/internal/programs"
)

// problemOrder is the order of the rows of the table of problems; others follow.
var problemOrder = []string{"bfs", "sssp", "cc", "pr", "tri", "mis", "mst", "dmr"}

// byRound holds the problems whose programs differ in how many rounds they take to
// answers that are all good enough: of them the time of one full round counts.
var byRound = map[string]bool{"pr": true}

// problems has, for each problem and input, the fastest program with its fastest
// switches, of what was measured, and the default: the first program of the family
// with the switches that it gets without tuning.
func (rep *Report) problems() *Table {
	t := &Table{Name: "problems", Title: "Best of each problem: of all its programs and switches that were measured (pr: a round)",
		Columns: []string{"problem", "input", "best, " + rep.Metric, "program", "switches", "rounds", "launches", "untuned default", "its program", "its switches", "default / best"}}
	order := slices.Clone(problemOrder)
	for _, name := range programs.Problems() {
		if !slices.Contains(order, name) {
			order = append(order, name)
		}
	}
	var gaps []float64
	for _, problem := range order {
		for _, in := range rep.Inputs {
			if row, gap := rep.problem(problem, in); row != nil {
				t.Rows, gaps = append(t.Rows, row), append(gaps, gap)
			}
		}
	}
	if len(t.Rows) > 0 {
		mean := make([]string, len(t.Columns))
		mean[0], mean[len(mean)-1] = "geometric mean", ratio(geomean(gaps))
		t.Rows = append(t.Rows, mean)
	}
	return t
}

// problem returns a row of the table, nil for none, and how many times as long as
// the best the default takes.
func (rep *Report) problem(problem, in string) ([]string, float64) {
	family := programs.Family(problem)
	scaled := func(c *Cell) *Cell {
		if c == nil || !byRound[problem] || c.Rounds == 0 {
			return c
		}
		one := *c
		one.Value /= float64(c.Rounds)
		return &one
	}
	var best *Cell
	for _, c := range rep.Cells {
		if c.Input != in || !slices.Contains(family, c.Program) || rep.cell(c.Program, in, c.Switches) != c {
			continue
		}
		if c = scaled(c); best == nil || c.Value < best.Value {
			best = c
		}
	}
	if best == nil {
		return nil, 0
	}
	row := []string{problem, in, rep.number(best), best.Program, orNone(best.Switches), strconv.FormatInt(best.Rounds, 10), strconv.FormatInt(best.Launches, 10)}
	id := key{program: family[0], input: in}
	var normal *Cell
	text := ""
	if switches, ok := rep.defaults[id]; ok {
		if normal = scaled(rep.cell(family[0], in, switches)); normal != nil {
			text = orNone(switches)
		}
	}
	gap := speedup(normal, best)
	return append(row, rep.number(normal), family[0], text, ratio(gap)), gap
}
