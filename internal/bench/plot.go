package bench

import (
	"io"
	"math"
	"slices"

	"irgl/internal/plot"
)

// WriteRatioSVG draws the ratio of each benchmark, with the geometric mean as
// a dashed line (gpucc, Figure 9, inverted: lower is better).
func (rep *Report) WriteRatioSVG(w io.Writer) error {
	c := plot.Chart{Title: "irgl / nvcc, " + rep.Metric + " (lower is better)", Unit: "ratio", Base: 1, Series: []string{""}}
	if mean, n := rep.Ratio(""); n > 0 {
		c.Marks = []float64{mean}
	}
	for i := range rep.Results {
		if v, ok := rep.Results[i].Ratio(); ok {
			c.Groups = append(c.Groups, plot.Group{Name: rep.Results[i].Name, Values: []float64{v}})
		}
	}
	return c.Write(w)
}

// WritePassesSVG draws how many kernels each pass speeds up and slows down
// (NVIDIA, Table 1).
func (rep *Report) WritePassesSVG(w io.Writer) error {
	c := plot.Chart{Title: "kernels that change by more than 3 % when a pass is off", Unit: "kernels", Series: []string{"slower without the pass", "faster without the pass"}}
	for _, r := range rep.PassTable() {
		c.Groups = append(c.Groups, plot.Group{Name: r.Pass, Values: []float64{float64(r.Improved), -float64(r.Slowed)}})
	}
	return c.Write(w)
}

// WriteCumulativeSVG draws the speedups as passes are enabled one after the
// other (gpucc, Figure 10): a group for each step, a bar for each suite.
func (rep *Report) WriteCumulativeSVG(w io.Writer) error {
	c := plot.Chart{Title: "speedup against no pass, " + rep.Metric + ", geometric means", Unit: "speedup", Base: 1, Series: append(rep.Suites(), "all")}
	for _, s := range rep.Cumulative() {
		g := plot.Group{Name: s.Pass}
		for _, v := range append(slices.Clone(s.Suites), s.All) {
			if v == 0 { // no benchmark of the suite was measured
				v = math.NaN()
			}
			g.Values = append(g.Values, v)
		}
		c.Groups = append(c.Groups, g)
	}
	return c.Write(w)
}
