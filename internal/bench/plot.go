package bench

import (
	"fmt"
	"html"
	"io"
	"math"
	"slices"
	"strings"
)

// A chart is a bar chart: groups of bars side by side, each group with a name
// below it.
type chart struct {
	title  string
	unit   string // of the vertical axis
	base   float64
	series []string // the bars of a group; one may be named ""
	groups []group
	marks  []float64 // horizontal lines
}

type group struct {
	name   string
	values []float64 // NaN for no bar
}

// palette has colours that also differ in brightness.
var palette = []string{"#1b4f8a", "#e08214", "#5aae61", "#8073ac", "#b2182b", "#35978f", "#bf812d", "#4d4d4d", "#92c5de", "#f4a582"}

// colour returns the attributes of the k-th bar's filling: the second time round
// the colours are pale.
func colour(k int) string {
	attr := `fill="` + palette[k%len(palette)] + `"`
	if k/len(palette)%2 == 1 {
		attr += ` fill-opacity="0.45"`
	}
	return attr
}

// Dimensions of a chart, in pixels.
const (
	chartHeight  = 300
	chartTop     = 40
	chartLeft    = 60
	chartBottom  = 120
	chartKeyStep = 18
)

// write writes the chart as an SVG document.
func (c *chart) write(w io.Writer) error {
	bar := 14.0
	if len(c.series) > 2 {
		bar = 6
	}
	step := bar*float64(max(1, len(c.series))) + 8
	width := chartLeft + step*float64(len(c.groups)) + 20
	low, high := c.limits()
	y := func(v float64) float64 { return chartTop + chartHeight*(high-v)/(high-low) }
	key := 0
	if len(c.series) > 1 {
		key = chartKeyStep * len(c.series)
	}
	width = max(width, 360)
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%.0f" height="%d" font-family="sans-serif" font-size="11">`+"\n", width, chartTop+chartHeight+chartBottom+key)
	fmt.Fprintf(&b, `<rect width="100%%" height="100%%" fill="white"/>`+"\n")
	fmt.Fprintf(&b, `<text x="%d" y="20" font-size="14">%s</text>`+"\n", chartLeft, html.EscapeString(c.title))
	for _, v := range ticks(low, high) {
		fmt.Fprintf(&b, `<path d="M%d %.1fH%.1f" stroke="#ddd"/><text x="%d" y="%.1f" text-anchor="end">%.4g</text>`+"\n", chartLeft, y(v), width-10, chartLeft-6, y(v)+4, v)
	}
	fmt.Fprintf(&b, `<text transform="translate(14 %d) rotate(-90)" text-anchor="middle">%s</text>`+"\n", chartTop+chartHeight/2, html.EscapeString(c.unit))
	for i, g := range c.groups {
		left := chartLeft + 4 + step*float64(i)
		for k, v := range g.values {
			if math.IsNaN(v) {
				continue
			}
			top, bottom := y(max(v, c.base)), y(min(v, c.base))
			fmt.Fprintf(&b, `<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" %s><title>%s %s: %.4g</title></rect>`+"\n",
				left+bar*float64(k), top, bar-1, max(bottom-top, 0.5), colour(k), html.EscapeString(g.name), html.EscapeString(c.series[k]), v)
		}
		middle := left + bar*float64(len(c.series))/2
		fmt.Fprintf(&b, `<text transform="translate(%.1f %d) rotate(-60)" text-anchor="end">%s</text>`+"\n", middle+4, chartTop+chartHeight+14, html.EscapeString(g.name))
	}
	for _, v := range append([]float64{c.base}, c.marks...) {
		fmt.Fprintf(&b, `<path d="M%d %.1fH%.1f" stroke="black" stroke-dasharray="%s"/>`+"\n", chartLeft, y(v), width-10, map[bool]string{true: "none", false: "5 4"}[v == c.base])
	}
	if key > 0 {
		for k, name := range c.series {
			top := chartTop + chartHeight + chartBottom + chartKeyStep*k - 8
			fmt.Fprintf(&b, `<rect x="%d" y="%d" width="12" height="12" %s/><text x="%d" y="%d">%s</text>`+"\n", chartLeft, top, colour(k), chartLeft+18, top+10, html.EscapeString(name))
		}
	}
	b.WriteString("</svg>\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// limits returns the range of the vertical axis: all values, the base and the
// marks.
func (c *chart) limits() (low, high float64) {
	all := append([]float64{c.base}, c.marks...)
	for _, g := range c.groups {
		for _, v := range g.values {
			if !math.IsNaN(v) && !math.IsInf(v, 0) {
				all = append(all, v)
			}
		}
	}
	low, high = slices.Min(all), slices.Max(all)
	if high-low < 1e-9 {
		return low - 0.5, high + 0.5
	}
	return low - 0.02*(high-low), high + 0.05*(high-low)
}

// ticks returns about six round numbers in a range.
func ticks(low, high float64) []float64 {
	step := math.Pow(10, math.Floor(math.Log10((high-low)/5)))
	for _, m := range []float64{1, 2, 5, 10} {
		if (high-low)/(step*m) <= 7 {
			step *= m
			break
		}
	}
	var list []float64
	for v := math.Ceil(low/step) * step; v <= high+step*1e-9; v += step {
		if math.Abs(v) < step*1e-9 {
			v = 0
		}
		list = append(list, v)
	}
	return list
}

// WriteRatioSVG draws the ratio of each benchmark, with the geometric mean as
// a dashed line (gpucc, Figure 9, turned upside down: lower is better).
func (rep *Report) WriteRatioSVG(w io.Writer) error {
	c := chart{title: "irgl / nvcc, " + rep.Metric + " (lower is better)", unit: "ratio", base: 1, series: []string{""}}
	if mean, n := rep.Ratio(""); n > 0 {
		c.marks = []float64{mean}
	}
	for i := range rep.Results {
		if v, ok := rep.Results[i].Ratio(); ok {
			c.groups = append(c.groups, group{rep.Results[i].Name, []float64{v}})
		}
	}
	return c.write(w)
}

// WritePassesSVG draws how many kernels each pass improves and slows (NVIDIA,
// Table 1).
func (rep *Report) WritePassesSVG(w io.Writer) error {
	c := chart{title: "kernels that change by more than 3 % when a pass is off", unit: "kernels", series: []string{"slower without the pass", "faster without the pass"}}
	for _, r := range rep.PassTable() {
		c.groups = append(c.groups, group{r.Pass, []float64{float64(r.Improved), -float64(r.Slowed)}})
	}
	return c.write(w)
}

// WriteCumulativeSVG draws the speedups as passes are switched on one after
// the other (gpucc, Figure 10): a group for each step, a bar for each suite.
func (rep *Report) WriteCumulativeSVG(w io.Writer) error {
	c := chart{title: "speedup against no pass, " + rep.Metric + ", geometric means", unit: "speedup", base: 1, series: append(rep.Suites(), "all")}
	for _, s := range rep.Cumulative() {
		g := group{name: s.Pass}
		for _, v := range append(slices.Clone(s.Suites), s.All) {
			if v == 0 { // no benchmark of the suite was measured
				v = math.NaN()
			}
			g.values = append(g.values, v)
		}
		c.groups = append(c.groups, g)
	}
	return c.write(w)
}
