package paper

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"irgl/internal/programs"
	"irgl/internal/table"
)

// problemOrder is the order of the rows of the table of problems; others follow.
var problemOrder = []string{"bfs", "sssp", "cc", "pr", "tri", "mis", "mst", "dmr"}

// byRound holds the problems whose programs need different numbers of iterations
// for answers of sufficient quality: they are compared by the time of one full
// iteration.
var byRound = map[string]bool{"pr": true}

// problems has, for each problem and input, the fastest program with its fastest
// switches, of those measured, and the default: the first program of the family
// with its switches without tuning.
func (rep *Report) problems() *Table {
	t := &Table{Name: "problems", Title: "Best of each problem: of all its programs and switches that were measured (pr: a round)",
		Table: *table.New("problem", "input", "best, "+rep.Metric, "program", "switches", "rounds", "launches", "untuned default", "its program", "its switches", "default / best", "verified")}
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
		mean[0], mean[len(mean)-2] = "geometric mean", table.Ratio(table.Geomean(gaps))
		t.Rows = append(t.Rows, mean)
	}
	return t
}

// problem returns a row of the table, nil for none, and the ratio of the
// default's time to the best.
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
	row := []string{problem, in, rep.number(best), best.Program, best.Switches.OrNone(), number(best.Rounds), number(best.Launches)}
	var normal *Cell
	first, text := "", ""
	for _, first = range family { // restricted to the programs of the report
		if switches, ok := rep.defaults[key{program: first, input: in}]; ok {
			if normal = scaled(rep.cell(first, in, switches)); normal != nil {
				text = switches.OrNone()
			}
			break
		}
	}
	gap := speedup(normal, best)
	return append(row, rep.number(normal), first, text, table.Ratio(gap), map[bool]string{true: "yes", false: "not yet"}[best.Verified]), gap
}

// A gap is the ratio of a program's time with its default switches to the best
// measured.
type gap struct {
	normal, best *Cell
	times        float64
}

// wantedGap is the target of the defaults for the geometric mean of gaps.
const wantedGap = 1.15

// worstGaps is the number of the largest gaps listed.
const worstGaps = 3

// gaps has, for each input and in total, the geometric mean over programs of the
// ratio of the untuned default's time to the best of the same program.
func (rep *Report) gaps() *Table {
	t := &Table{Name: "gaps", Title: "Untuned default against the best of the same program", Table: *table.New("input", "programs", "default / best", "worst", "its default", "its best")}
	var all []gap
	add := func(name string, list []gap) {
		if len(list) == 0 {
			return
		}
		var times []float64
		for _, g := range list {
			times = append(times, g.times)
		}
		slices.SortStableFunc(list, func(a, b gap) int { return cmp.Compare(b.times, a.times) })
		w := list[0]
		t.Add(name, strconv.Itoa(len(list)), table.Ratio(table.Geomean(times)), fmt.Sprintf("%s %s", w.normal.Program, table.Ratio(w.times)), w.normal.Switches.OrNone(), w.best.Switches.OrNone())
	}
	for _, in := range rep.Inputs {
		var list []gap
		for _, p := range rep.sorted() {
			if g, ok := rep.gap(p, in); ok {
				list = append(list, g)
			}
		}
		all = append(all, list...)
		add(in, list)
	}
	add("all", all)
	for _, g := range all[:min(worstGaps, len(all))] {
		if g.times > 1 {
			t.Notes = append(t.Notes, fmt.Sprintf("- %s on %s takes %s times as long with the default, `%s` (%s), as with `%s` (%s)", g.normal.Program, g.normal.Input, table.Ratio(g.times),
				g.normal.Switches.OrNone(), rep.number(g.normal), g.best.Switches.OrNone(), rep.number(g.best)))
		}
	}
	if len(all) > 0 {
		t.Notes = append(t.Notes, fmt.Sprintf("- The target is a mean of %s over all.", table.Ratio(wantedGap)))
	}
	return t
}

// gap returns the gap of a program on an input; ok says that choices besides the
// default were measured, or that a search has found none better.
func (rep *Report) gap(program, in string) (g gap, ok bool) {
	switches, known := rep.defaults[key{program: program, input: in}]
	if g.normal = rep.cell(program, in, switches); !known || g.normal == nil {
		return g, false
	}
	g.best = g.normal
	_, ok = rep.tuned[key{program: program, input: in}]
	for _, c := range rep.Cells {
		if c.Program == program && c.Input == in && c != g.normal && rep.cell(program, in, c.Switches) == c {
			ok = true
			if c.Value < g.best.Value {
				g.best = c
			}
		}
	}
	g.times = g.normal.Value / g.best.Value
	return g, ok
}

// fastestCells is the number of the fastest cells per program and input in the table
// of answers.
const fastestCells = 10

// answers has, for each program and input, the number of measured choices and the
// state of verification of their answers.
func (rep *Report) answers() *Table {
	t := &Table{Name: "answers", Title: "Answers", Table: *table.New("program", "input", "choices", "verified", "not verified", "failed", fmt.Sprintf("the default and the %d fastest are verified", fastestCells))}
	all := [4]int{}
	rep.pairs(func(p, in string) {
		var list []*Cell
		n := [4]int{}
		for _, c := range rep.Cells {
			if c.Program != p || c.Input != in {
				continue
			}
			n[0]++
			switch {
			case c.Failed != "":
				n[3]++
			case c.Verified:
				n[1]++
				list = append(list, c)
			default:
				n[2]++
				list = append(list, c)
			}
		}
		if n[0] == 0 {
			return
		}
		slices.SortStableFunc(list, func(a, b *Cell) int { return cmp.Compare(a.Value, b.Value) })
		list = append(list[:min(fastestCells, len(list))], rep.byKey[key{p, in, rep.defaults[key{program: p, input: in}]}])
		verdict := "yes"
		for _, c := range list {
			if c == nil || !c.Verified {
				verdict = "no"
			}
		}
		if verdict == "yes" && len(list) <= fastestCells {
			verdict = fmt.Sprintf("of %d", n[0])
		}
		row := []string{p, in}
		for i := range n {
			all[i] += n[i]
			row = append(row, strconv.Itoa(n[i]))
		}
		t.Add(append(row, verdict)...)
	})
	if len(t.Rows) > 0 {
		t.Add("all", "", strconv.Itoa(all[0]), strconv.Itoa(all[1]), strconv.Itoa(all[2]), strconv.Itoa(all[3]), "")
	}
	return t
}
