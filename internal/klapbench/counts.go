package klapbench

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"irgl/internal/klap/suite"
	"irgl/internal/table"
)

// compared are the choices whose launches and instructions are shown for a benchmark, in the stage that has them.
func (rep *Report) compared(s set) (stage string, list []Choice) {
	b := suite.Find(s.Benchmark)
	list = []Choice{rep.baseline(s)}
	if b.Kind == suite.Promotion {
		for _, flags := range promotions {
			list = append(list, transformed(b, flags))
		}
		return stagePromotion, list
	}
	for _, g := range granularities {
		list = append(list, transformed(b, "--granularity="+g))
	}
	return stageAggregation, list
}

// allSets returns the data sets of aggregation and of promotion.
func (rep *Report) allSets() []set {
	return slices.Concat(rep.sets(stageAggregation), rep.sets(stagePromotion))
}

// launchCounts has the launches of programs, before their transformation and after it.
func (rep *Report) launchCounts() *Table {
	t := &Table{Name: "launches", Title: "Launches, of the host and in kernels, counted by the emulator"}
	t.Columns = []string{"benchmark", "choice", "launches", "before / after"}
	for _, s := range rep.allSets() {
		stage, list := rep.compared(s)
		before := math.NaN()
		for i, c := range list {
			o := rep.counted(stage, s, c)
			if o == nil || o.Counts == nil {
				continue
			}
			n := float64(o.Counts.Launches)
			if i == 0 {
				before = n
			}
			t.Add(s.String(), c.String(), strconv.FormatUint(o.Counts.Launches, 10), table.Ratio(before/n))
		}
	}
	return t
}

// instructions is Figure 11(b): warp instructions, in all and a unit of time.
func (rep *Report) instructions() *Table {
	t := &Table{Name: "figure11", Title: "Figure 11: executed warp instructions, counted by the emulator"}
	t.Columns = []string{"benchmark", "choice", "instructions", "of plain", "32-byte sectors", "atomics", "instructions a microsecond"}
	for _, s := range rep.allSets() {
		stage, list := rep.compared(s)
		first := math.NaN()
		for i, c := range append(list, without) {
			o := rep.counted(stage, s, c)
			if o == nil || o.Counts == nil {
				continue
			}
			n := float64(o.Counts.Instructions)
			if i == 0 {
				first = n
			}
			speed := ""
			if rep.Metric == metricTime {
				speed = table.Number(n/rep.value(stage, s, c)/1000, 0)
			}
			t.Add(s.String(), c.String(), strconv.FormatUint(o.Counts.Instructions, 10), table.Ratio(n/first), strconv.FormatUint(o.Counts.Transactions, 10),
				strconv.FormatUint(o.Counts.AtomicsGlobal, 10), speed)
		}
	}
	return t
}

// aggSuffix ends the name of a kernel that does the launches of many threads.
const aggSuffix = "_agg"

// A breakdown is the instructions of a program's kernels: those that kernels launch, and the others.
type breakdown struct{ parents, children float64 }

// breakDown divides the instructions of a program. Children are the kernels of which the aggregated program has an aggregated one.
func breakDown(of, aggregated *outcome) breakdown {
	var b breakdown
	for name, c := range of.Counts.Kernels {
		base := strings.TrimSuffix(name, aggSuffix)
		if _, child := aggregated.Counts.Kernels[base+aggSuffix]; child {
			b.children += float64(c.Instructions)
		} else {
			b.parents += float64(c.Instructions)
		}
	}
	return b
}

// breakdowns is Figure 9 in instructions: what each granularity adds to parents is the logic of aggregation, what it adds to
// children that of finding the parent.
func (rep *Report) breakdowns() *Table {
	t := &Table{Name: "figure9", Title: "Figure 9: instructions by parts, in percent of plain's, and launches by their cost"}
	t.Columns = []string{"benchmark", "choice", "parents", "aggregation", "children", "disaggregation", "launches x cost, ms", "time, ms"}
	for _, s := range rep.sets(stageAggregation) {
		_, list := rep.compared(s)
		first := rep.counted(stageAggregation, s, list[0])
		for _, c := range list[1:] {
			o := rep.counted(stageAggregation, s, c)
			if first == nil || first.Counts == nil || o == nil || o.Counts == nil {
				continue
			}
			plain, own := breakDown(first, o), breakDown(o, o)
			if own.children == 0 || plain.children+plain.parents == 0 {
				continue // nothing was aggregated, or kernels were not kept
			}
			share := func(v float64) string { return table.Number(100*v/(plain.parents+plain.children), 1) }
			cost := table.Number(float64(o.Counts.Launches)*rep.launchCost(c.Stream)/1000, 3)
			time := ""
			if rep.Metric == metricTime {
				time = rep.number(rep.value(stageAggregation, s, c))
			}
			t.Add(s.String(), c.String(), share(plain.parents), share(own.parents-plain.parents), share(plain.children), share(own.children-plain.children), cost, time)
		}
	}
	if len(t.Rows) > 0 {
		t.Notes = []string{"The paper switches parts off and takes times; these are instructions of the kernels that the emulator has run."}
	}
	return t
}

// shortTime is the time of a plain form, in ms, below which its launches are set against what they cost.
const shortTime = 1

// costs has what launches cost, and how much of a short plain form they explain.
func (rep *Report) costs() *Table {
	t := &Table{Name: "cost", Title: "Launches and their measured cost, where plain takes less than 1 ms"}
	t.Columns = []string{"benchmark", "plain, ms", "launches", "cost of a launch, microseconds", "launches x cost, ms", "what remains, ms", "best granularity, ms"}
	for _, s := range rep.allSets() {
		plain := rep.value(stageOf(s), s, rep.baseline(s))
		n, cost := rep.launches(s), rep.launchCost(rep.baseline(s).Stream)
		if rep.Metric != metricTime || !(plain < shortTime) || n == 0 || math.IsNaN(cost) {
			continue
		}
		all := float64(n) * cost / 1000
		best := rep.fastest(stageOf(s), s, isTransformed)
		t.Add(s.String(), rep.number(plain), strconv.FormatInt(n, 10), table.Number(cost, 3), rep.number(all), rep.number(plain-all), rep.number(best.Value()))
	}
	if len(t.Rows) > 0 {
		t.Notes = []string{fmt.Sprintf("A launch side by side with others takes %s microseconds, a tail launch behind another %s.", table.Number(rep.launchCost("forget"), 3), table.Number(rep.launchCost("tail"), 3))}
	}
	return t
}

// stageOf returns the stage that has a benchmark's main choices.
func stageOf(s set) string {
	if suite.Find(s.Benchmark).Kind == suite.Promotion {
		return stagePromotion
	}
	return stageAggregation
}

// launchCost returns the microseconds that a launch takes: side by side, or as a link of a chain of tail launches.
func (rep *Report) launchCost(stream string) float64 {
	if stream != streams[suite.Tail] {
		stream = streams[suite.Forget]
	}
	for _, c := range rep.Cells {
		if c.Stage == stageCost && c.ok() && c.Choice.Stream == stream && c.Launches > 0 {
			return c.Value() * 1000 / float64(c.Launches)
		}
	}
	return math.NaN()
}
