package klapbench

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"irgl/internal/journal"
	"irgl/internal/klap/suite"
	"irgl/internal/table"
)

// A Cell is a program in a group.
type Cell struct {
	Stage string
	set
	Choice   Choice
	Values   []float64   // of its turns, in the metric
	Probed   [][]float64 // of its turns; none without a probe
	Launches int64       // that the program prints; 0 if it does not know
	Said     string      // on standard error
	Failed   string
	turn     outcome // the last one
}

// add adds a turn.
func (c *Cell) add(o outcome) {
	c.turn = o
	c.Said = cmp.Or(c.Said, o.Said)
	if c.Failed = o.Failed; c.Failed != "" {
		c.Values, c.Probed = nil, nil
		return
	}
	c.Values = append(c.Values, o.Value)
	if c.Choice.Probe != "" {
		c.Probed = append(c.Probed, o.Probed)
	}
	c.Launches = max(c.Launches, o.Launches)
}

// ok reports whether the cell has a value.
func (c *Cell) ok() bool { return c != nil && c.Failed == "" && len(c.Values) > 0 }

// Value returns the median of the turns, NaN for none.
func (c *Cell) Value() float64 {
	if !c.ok() {
		return math.NaN()
	}
	return table.Median(c.Values)
}

// probe returns the median over the turns of value i of the probe, NaN for none.
func (c *Cell) probe(i int) float64 {
	if !c.ok() {
		return math.NaN()
	}
	var list []float64
	for _, turn := range c.Probed {
		if i < len(turn) {
			list = append(list, turn[i])
		}
	}
	if list == nil {
		return math.NaN()
	}
	return table.Median(list)
}

// A program is a choice on data.
type program struct {
	set
	choice Choice
}

type cellKey struct {
	stage string
	program
}

// A Report is the result of [Run].
type Report struct {
	About   string // the device
	Metric  string // metricTime or metricInstructions
	Repeat  int
	Origin  journal.Origin
	Default map[suite.Kind]string
	Cells   []*Cell
	Left    []string // what was not measured

	byKey  map[cellKey]*Cell
	counts map[program]outcome // by the emulator
}

func newReport(o *Options) *Report {
	rep := &Report{Metric: metricTime, Repeat: o.Repeat, Origin: o.Origin, Default: o.Default, byKey: map[cellKey]*Cell{}, counts: map[program]outcome{}}
	if o.Device == "simt" {
		rep.Metric = metricInstructions
	}
	return rep
}

// cell returns the cell of a choice, and makes it if there is none.
func (rep *Report) cell(stage string, s set, c Choice) *Cell {
	k := cellKey{stage, program{s, c}}
	if rep.byKey[k] == nil {
		rep.byKey[k] = &Cell{Stage: stage, set: s, Choice: c}
		rep.Cells = append(rep.Cells, rep.byKey[k])
	}
	return rep.byKey[k]
}

// find returns the cell of a choice, or nil.
func (rep *Report) find(stage string, s set, c Choice) *Cell {
	return rep.byKey[cellKey{stage, program{s, c}}]
}

// value returns the value of a choice in a stage; NaN for none.
func (rep *Report) value(stage string, s set, c Choice) float64 {
	return rep.find(stage, s, c).Value()
}

// of returns the cells of a group.
func (rep *Report) of(stage string, s set) []*Cell {
	var out []*Cell
	for _, c := range rep.Cells {
		if c.Stage == stage && c.set == s {
			out = append(out, c)
		}
	}
	return out
}

// sets returns the data sets of a stage, in the order of the suite.
func (rep *Report) sets(stage string) []set {
	var out []set
	for _, c := range rep.Cells {
		if c.Stage == stage && !slices.Contains(out, c.set) {
			out = append(out, c.set)
		}
	}
	return out
}

// baseline returns the fastest of the plain forms; the zero Choice if there is none.
func (rep *Report) baseline(s set) Choice {
	var best *Cell
	for _, c := range rep.of(stagePlain, s) {
		if c.ok() && c.Choice.isPlain() && (best == nil || c.Value() < best.Value()) {
			best = c
		}
	}
	if best == nil {
		return Choice{}
	}
	return best.Choice
}

// fallback returns the default: what is chosen without measuring.
func (rep *Report) fallback(b *suite.Benchmark) Choice {
	return transformed(b, rep.Default[b.Kind])
}

// fixed returns the choice of the sweep with the greatest geometric mean of speedups over all of its
// benchmarks; a choice that fails on one of them is none.
func (rep *Report) fixed() (Choice, bool) {
	var list []Choice
	for _, c := range rep.Cells {
		if c.Stage == stageSweep && c.Choice.Flags != "" && !c.Choice.isPlain() {
			list = append(list, c.Choice)
		}
	}
	best, most := Choice{}, 0.0
	for _, c := range distinct(list) {
		ratios := rep.sweepRatios(c)
		if mean := table.Geomean(ratios); !slices.ContainsFunc(ratios, math.IsNaN) && mean > most {
			best, most = c, mean
		}
	}
	return best, most > 0
}

// sweepRatios returns a choice's speedups over plain in the sweep, NaN where it has no value.
func (rep *Report) sweepRatios(c Choice) []float64 {
	var ratios []float64
	for _, s := range rep.sets(stageSweep) {
		ratios = append(ratios, rep.value(stageSweep, s, rep.baseline(s))/rep.value(stageSweep, s, c))
	}
	return ratios
}

// fastest returns the fastest cell of a group that a condition holds for, or nil.
func (rep *Report) fastest(stage string, s set, is func(Choice) bool) *Cell {
	var best *Cell
	for _, c := range rep.of(stage, s) {
		if c.ok() && is(c.Choice) && (best == nil || c.Value() < best.Value()) {
			best = c
		}
	}
	return best
}

// isTransformed reports whether our compiler has transformed the launches.
func isTransformed(c Choice) bool {
	return c.Compiler == "irgl" && c.Form == formPlain && !c.isPlain()
}

// launches returns the launches of a program before its transformation; 0 if nobody knows them.
func (rep *Report) launches(s set) int64 {
	for _, c := range rep.of(stagePlain, s) {
		if c.ok() && c.Choice.Form == formCounted {
			return c.Launches
		}
	}
	return 0
}

// counted returns what the emulator has counted of a program, nil for nothing.
func (rep *Report) counted(stage string, s set, c Choice) *outcome {
	if o, ok := rep.counts[program{s, c}]; ok {
		return &o
	}
	if cell := rep.find(stage, s, c); cell.ok() && cell.turn.Counts != nil {
		return &cell.turn
	}
	return nil
}

// Failures returns how many programs failed that should not: a plain form may need more waiting launches
// or levels of launches than there are, and promotion that launches each child has the levels of plain.
func (rep *Report) Failures() int {
	n := 0
	for _, c := range rep.Cells {
		levels := strings.Contains(c.Choice.Flags, "--promote") && !strings.Contains(c.Choice.Flags, "aggregate")
		if c.Failed != "" && c.Stage != stagePlain && !levels {
			n++
		}
	}
	return n
}

// compare orders numbers, NaN behind all others.
func compare(a, b float64) int {
	if math.IsNaN(a) || math.IsNaN(b) {
		return cmp.Compare(btoi(math.IsNaN(a)), btoi(math.IsNaN(b)))
	}
	return cmp.Compare(a, b)
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}
