package klapbench

import (
	"fmt"
	"slices"
	"strings"

	"irgl/internal/klap/suite"
)

// The stages, of which StageNVCC needs a compiler. Those of the largest data come first, and of these the figures of the paper.
const (
	stagePlain       = "plain"       // which of the plain forms is the fastest: a turn each
	stageAggregation = "aggregation" // Figure 8
	stagePromotion   = "promotion"   // Figure 10
	stageSweep       = "sweep"       // thresholds and coarsening with each granularity: a turn each
	stageBest        = "best"        // the best of the sweep, again
	stageCost        = "cost"        // of a launch
	stageBreakdown   = "breakdown"   // Figure 9
	stageOccupancy   = "occupancy"   // Figure 11(a)
	StageNVCC        = "nvcc"        // all transformed texts by nvcc
)

// Stages are the names of the stages that [Options].Stages may have; that of the plain forms belongs to all.
func Stages() []string {
	return []string{stageAggregation, stagePromotion, stageSweep, stageBest, stageCost, stageBreakdown, stageOccupancy, StageNVCC}
}

// A set is one benchmark with one data set.
type set struct {
	Benchmark string `json:"benchmark"`
	Size      string `json:"size"`
	Input     string `json:"input,omitempty"` // the name of the file; "" for generated data
}

func (s set) String() string {
	if s.Input != "" {
		return s.Benchmark + ", " + s.Input
	}
	return s.Benchmark + ", " + s.Size
}

// A group is programs that run by turns.
type group struct {
	stage string
	set
	turns   int
	choices func(rep *Report) []Choice
}

// granularities are those of Figure 8, and one between.
var granularities = []string{"warp", "block", "multiblock:8", "grid"}

// wholeBlocks is the flag of aggregation that is not flattened.
const wholeBlocks = " --flatten=off"

// promotions are the forms of Figure 10.
var promotions = []string{"--promote", "--promote=overlap", "--promote=aggregate:2", "--promote=aggregate:128", "--promote=aggregate:2,overlap", "--promote=aggregate:128,overlap"}

// waiting is the driver's own number of launches that may wait.
const waiting = 2048

// plan returns all groups in their order.
func (o *Options) plan() []group {
	var out []group
	add := func(stage string, turns int, s set, choices func(*Report) []Choice) {
		out = append(out, group{stage, s, turns, choices})
	}
	main := func(b *suite.Benchmark, s set) {
		add(stagePlain, 1, s, func(*Report) []Choice { return o.plains(b) })
		if b.Kind == suite.Promotion {
			add(stagePromotion, o.Repeat, s, func(rep *Report) []Choice { return o.promoted(rep, b, s) })
		} else {
			add(stageAggregation, o.Repeat, s, func(rep *Report) []Choice { return o.aggregated(rep, b, s) })
		}
	}
	var aggregation, promotion []*suite.Benchmark
	for _, b := range o.Benchmarks {
		if b.Kind == suite.Promotion {
			promotion = append(promotion, b)
		} else {
			aggregation = append(aggregation, b)
		}
	}
	for _, b := range aggregation {
		main(b, o.set(b, o.largest()))
	}
	for _, b := range promotion {
		main(b, o.set(b, o.largest()))
	}
	if o.Device != "simt" {
		add(stageCost, o.Repeat, set{Benchmark: costName, Size: suite.Large.String()}, func(*Report) []Choice { return costs })
	}
	for _, b := range aggregation {
		s := o.set(b, o.largest())
		add(stageSweep, 1, s, func(rep *Report) []Choice { return o.sweep(rep, b, s) })
	}
	for _, b := range aggregation {
		s := o.set(b, o.largest())
		add(stageBest, o.Repeat, s, func(rep *Report) []Choice { return o.finalists(rep, b, s) })
	}
	for _, size := range o.sizes()[1:] {
		for _, b := range promotion {
			main(b, o.set(b, size))
		}
	}
	for _, b := range o.Benchmarks {
		if path := o.Inputs[b.Name]; path != "" {
			main(b, set{Benchmark: b.Name, Size: suite.Large.String(), Input: base(path)})
		}
	}
	o.profiles(aggregation, promotion, add)
	return slices.DeleteFunc(out, func(g group) bool { return !o.wants(g) })
}

// wants reports whether a group is of the stages that were asked for.
func (o *Options) wants(g group) bool {
	if len(o.Stages) == 0 || slices.Contains(o.Stages, g.stage) {
		return true
	}
	// All but the cost of launches compare with a plain form.
	return g.stage == stagePlain && slices.ContainsFunc(o.Stages, func(s string) bool {
		switch s {
		case stageCost:
			return false
		case stageOccupancy, StageNVCC: // of both kinds, and of one set each
			return g.Input == "" && g.Size == o.profiled(s, suite.Find(g.Benchmark)).String()
		}
		promotes := suite.Find(g.Benchmark).Kind == suite.Promotion
		return promotes == (s == stagePromotion)
	})
}

// profiles adds the stages of Figures 9 and 11, and nvcc's.
func (o *Options) profiles(aggregation, promotion []*suite.Benchmark, add func(string, int, set, func(*Report) []Choice)) {
	for _, b := range aggregation {
		s := o.set(b, o.largest())
		add(stageBreakdown, o.Repeat, s, func(rep *Report) []Choice { return o.parts(rep, b, s) })
	}
	for _, b := range slices.Concat(aggregation, promotion) {
		s := o.set(b, o.profiled(stageOccupancy, b))
		add(stageOccupancy, o.Repeat, s, func(rep *Report) []Choice { return o.resident(rep, b, s) })
	}
	for _, b := range slices.Concat(aggregation, promotion) {
		if s := o.set(b, o.profiled(StageNVCC, b)); o.NVCC != "" {
			add(StageNVCC, o.Repeat, s, func(rep *Report) []Choice { return o.compiled(rep, b, s) })
		}
	}
}

// profiled returns the size of a benchmark's data in the stages of both kinds of benchmarks: occupancy is that of the paper's
// medium sets, where each is of promotion.
func (o *Options) profiled(stage string, b *suite.Benchmark) suite.Size {
	if sizes := o.sizes(); stage == stageOccupancy && b.Kind == suite.Promotion && len(sizes) > 1 {
		return sizes[1]
	}
	return o.largest()
}

// parts returns the choices of Figure 9.
func (o *Options) parts(rep *Report, b *suite.Benchmark, s set) []Choice {
	list := []Choice{rep.baseline(s).probed(probeParts)}
	for _, g := range granularities {
		list = append(list, transformed(b, "--granularity="+g).probed(probeParts))
	}
	list = append(list, transformed(b, "--granularity=grid"+wholeBlocks).probed(probeParts))
	return distinct(list)
}

// resident returns the choices of Figure 11(a).
func (o *Options) resident(rep *Report, b *suite.Benchmark, s set) []Choice {
	list := append([]Choice{rep.baseline(s), without, rep.fallback(b)}, variants(b)...)
	for i, c := range list {
		list[i] = c.probed(probeOccupancy)
	}
	return distinct(list)
}

// compiled returns the choices of the comparison of compilers: what nvcc makes of each text.
func (o *Options) compiled(rep *Report, b *suite.Benchmark, s set) []Choice {
	list := append([]Choice{rep.baseline(s), without, rep.fallback(b)}, variants(b)...)
	for i, c := range list {
		if c.Compiler != "" {
			list[i].Compiler = "nvcc"
		}
	}
	return distinct(append([]Choice{rep.baseline(s)}, list...))
}

// variants returns the transformed programs of a figure.
func variants(b *suite.Benchmark) []Choice {
	var list []Choice
	if b.Kind == suite.Promotion {
		for _, flags := range promotions {
			list = append(list, transformed(b, flags))
		}
		return list
	}
	for _, g := range granularities {
		list = append(list, transformed(b, "--granularity="+g))
	}
	return list
}

// sizes returns the sizes of promotion's data, the largest first.
func (o *Options) sizes() []suite.Size {
	switch {
	case o.Size != nil:
		return []suite.Size{*o.Size}
	case o.Device == "simt":
		return []suite.Size{suite.Test}
	}
	return []suite.Size{suite.Large, suite.Medium, suite.Small}
}

// largest returns the size of aggregation's data.
func (o *Options) largest() suite.Size { return o.sizes()[0] }

func (o *Options) set(b *suite.Benchmark, size suite.Size) set {
	return set{Benchmark: b.Name, Size: size.String()}
}

// plains returns the plain forms, one of which is the baseline.
func (o *Options) plains(b *suite.Benchmark) []Choice {
	threads := plain(suite.Null)
	threads.Flags = perThread
	few := plain(suite.Forget)
	few.Pending = waiting
	list := []Choice{plain(suite.Forget), few, threads, plain(suite.Private)}
	if b.Kind == suite.Promotion {
		list = []Choice{plain(suite.Null), plain(suite.Forget), plain(suite.Tail)}
	}
	if o.Device != "simt" { // which counts all launches
		list = append(list, counted)
	}
	return list
}

// baselines returns what all other choices are compared with, and the default.
func (o *Options) baselines(rep *Report, b *suite.Benchmark, s set) []Choice {
	list := []Choice{rep.baseline(s), without}
	if o.NVCC != "" {
		for _, c := range slices.Clone(list) {
			c.Compiler = "nvcc"
			list = append(list, c)
		}
	}
	return append(list, rep.fallback(b))
}

// aggregated returns the choices of Figure 8.
func (o *Options) aggregated(rep *Report, b *suite.Benchmark, s set) []Choice {
	list := o.baselines(rep, b, s)
	return distinct(append(list, variants(b)...))
}

// promoted returns the choices of Figure 10.
func (o *Options) promoted(rep *Report, b *suite.Benchmark, s set) []Choice {
	list := o.baselines(rep, b, s)
	return distinct(append(list, variants(b)...))
}

// sweep returns all combinations of granularities, thresholds and coarsening, granularities whose kernels are not flattened, and the grid and the default with
// launches by the host.
func (o *Options) sweep(rep *Report, b *suite.Benchmark, s set) []Choice {
	list := []Choice{rep.baseline(s), without}
	for _, g := range granularities {
		list = append(list, transformed(b, "--granularity="+g+wholeBlocks))
	}
	for _, flags := range []string{"--granularity=grid", DefaultAggregation} {
		list = append(list, transformed(b, flags+" --grid-launch=host"))
	}
	for _, g := range append([]string{""}, granularities...) {
		for _, t := range append([]int{0}, o.Thresholds...) {
			for _, c := range append([]int{0}, o.Coarsens...) {
				var words []string
				if g != "" {
					words = append(words, "--granularity="+g)
				}
				if t > 0 {
					words = append(words, fmt.Sprintf("--threshold=%d", t))
				}
				if c > 0 {
					words = append(words, fmt.Sprintf("--coarsen=%d", c))
				}
				if words != nil {
					list = append(list, transformed(b, strings.Join(words, " ")))
				}
			}
		}
	}
	return distinct(list)
}

// finalists are how many of the sweep are measured again for each benchmark.
const finalists = 3

// finalists returns the fastest of the sweep, and what they are compared with.
func (o *Options) finalists(rep *Report, b *suite.Benchmark, s set) []Choice {
	list := []Choice{rep.baseline(s), without, rep.fallback(b)}
	if fixed, ok := rep.fixed(); ok {
		list = append(list, fixed)
	}
	cells := rep.of(stageSweep, s)
	slices.SortStableFunc(cells, func(a, b *Cell) int { return compare(a.Value(), b.Value()) })
	n := 0
	for _, c := range cells {
		if c.ok() && !c.Choice.isPlain() && c.Choice.Form == formPlain && n < finalists {
			list = append(list, c.Choice)
			n++
		}
	}
	return distinct(list)
}

// distinct returns the choices without repetitions.
func distinct(list []Choice) []Choice {
	var out []Choice
	for _, c := range list {
		if c.Compiler != "" && !slices.Contains(out, c) {
			out = append(out, c)
		}
	}
	return out
}

// The flags that are chosen without measuring.
const (
	DefaultAggregation = "--granularity=auto --threshold=auto --coarsen=auto" // by the cost model
	DefaultPromotion   = "--promote=aggregate:128,overlap"
)
