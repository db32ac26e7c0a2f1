package klapbench

import (
	"fmt"
	"math"
	"strings"

	"irgl/internal/klap/suite"
	"irgl/internal/table"
)

// A Target is a figure that is to be reached.
type Target struct {
	Name     string
	Want     string
	Got      string // "" if it was not measured
	Reached  bool
	Measured bool
}

// String returns the line of the report.
func (t Target) String() string {
	verdict := "not measured"
	switch {
	case t.Measured && t.Reached:
		verdict = "pass"
	case t.Measured:
		verdict = "fail"
	}
	text := fmt.Sprintf("%s: %s, wanted %s", verdict, t.Name, t.Want)
	if t.Got != "" {
		text += ": " + t.Got
	}
	return text
}

// Targets returns what is to be reached, and whether it was. Instructions are no times: on the emulator nothing is measured.
func (rep *Report) Targets() []Target {
	list := []Target{
		{Name: "best granularity over plain, where plain takes at least 1 ms", Want: "at least 3"},
		{Name: "best granularity over the form without launches, where plain takes at least 1 ms", Want: "at least 1.0"},
		{Name: "promotion over plain on large sets", Want: "at least 10"},
		{Name: "the default over the best found, on each", Want: "at most 1.2"},
		{Name: "the default over plain, on each", Want: "at most 1.03"},
	}
	if rep.Metric != metricTime {
		return list
	}
	var plain, none, promotion []float64
	for _, s := range rep.sets(stageAggregation) {
		base := rep.value(stageAggregation, s, rep.baseline(s))
		best := rep.fastest(stageAggregation, s, func(c Choice) bool { return isTransformed(c) && isGranularity(c.Flags) })
		if base >= shortTime && s.Input == "" && best != nil {
			plain = append(plain, base/best.Value())
			none = append(none, rep.value(stageAggregation, s, without)/best.Value())
		}
	}
	for _, s := range rep.sets(stagePromotion) {
		if best := rep.fastest(stagePromotion, s, isTransformed); best != nil && s.Size == suite.Large.String() && s.Input == "" {
			promotion = append(promotion, rep.value(stagePromotion, s, rep.baseline(s))/best.Value())
		}
	}
	list[0].mean(plain, 3)
	list[1].mean(none, 1)
	list[2].mean(promotion, 10)
	rep.each(&list[3], 1.2, func(s set) float64 { return rep.bestFound(s) })
	rep.each(&list[4], 1.03, func(s set) float64 { return rep.value(stageOf(s), s, rep.baseline(s)) })
	return list
}

func isGranularity(flags string) bool {
	return strings.HasPrefix(flags, "--granularity=") && !strings.Contains(flags, " ")
}

// mean sets what a geometric mean has reached.
func (t *Target) mean(ratios []float64, least float64) {
	m := table.Geomean(ratios)
	if t.Measured = !math.IsNaN(m); !t.Measured {
		return
	}
	t.Reached = m >= least
	t.Got = fmt.Sprintf("%.2f, geometric mean of %d benchmarks", m, len(ratios))
}

// each sets what the default has reached on the largest data of each benchmark, over a value.
func (rep *Report) each(t *Target, most float64, over func(set) float64) {
	worst, name, n, beyond := 0.0, "", 0, []string(nil)
	for _, s := range rep.allSets() {
		v := rep.value(stageOf(s), s, rep.fallback(suite.Find(s.Benchmark))) / over(s)
		if math.IsNaN(v) || s.Size != suite.Large.String() || s.Input != "" {
			continue
		}
		n++
		if v > worst {
			worst, name = v, s.String()
		}
		if v > most {
			beyond = append(beyond, fmt.Sprintf("%s (%.2f)", s, v))
		}
	}
	if t.Measured = n > 0; !t.Measured {
		return
	}
	t.Reached = worst <= most
	t.Got = fmt.Sprintf("%.2f at worst of %d, %s", worst, n, name)
	if len(beyond) > 1 {
		t.Got += "; beyond it: " + strings.Join(beyond, ", ")
	}
}

// bestFound returns the least value of a transformed program, in ms of the stage that has the default: what the sweep's
// best takes there is its share of plain.
func (rep *Report) bestFound(s set) float64 {
	v := rep.fastest(stageOf(s), s, isTransformed).Value()
	plain := rep.value(stageOf(s), s, rep.baseline(s))
	if base := rep.value(stageBest, s, rep.baseline(s)); !math.IsNaN(base) {
		if again := rep.fastest(stageBest, s, isTransformed).Value() / base * plain; again < v {
			return again
		}
	}
	return v
}
