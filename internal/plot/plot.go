package plot

import (
	"fmt"
	"html"
	"io"
	"math"
	"slices"
	"strings"
)

// A Chart is a bar chart: groups of bars side by side, each group with a name
// below it.
type Chart struct {
	Title  string
	Unit   string   // of the vertical axis
	Base   float64  // where the bars begin
	Series []string // the bars of a group; one may be named ""
	Groups []Group
	Marks  []float64 // horizontal lines
}

// A Group is bars side by side.
type Group struct {
	Name   string
	Values []float64 // one for each of the series; NaN for no bar
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

// Write writes the chart as an SVG document. The same chart gives the same bytes.
func (c *Chart) Write(w io.Writer) error {
	bar := 14.0
	if len(c.Series) > 2 {
		bar = 6
	}
	step := bar*float64(max(1, len(c.Series))) + 8
	width := chartLeft + step*float64(len(c.Groups)) + 20
	low, high := c.limits()
	y := func(v float64) float64 { return chartTop + chartHeight*(high-v)/(high-low) }
	key := 0
	if len(c.Series) > 1 {
		key = chartKeyStep * len(c.Series)
	}
	width = max(width, 360)
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%.0f" height="%d" font-family="sans-serif" font-size="11">`+"\n", width, chartTop+chartHeight+chartBottom+key)
	fmt.Fprintf(&b, `<rect width="100%%" height="100%%" fill="white"/>`+"\n")
	fmt.Fprintf(&b, `<text x="%d" y="20" font-size="14">%s</text>`+"\n", chartLeft, html.EscapeString(c.Title))
	for _, v := range ticks(low, high) {
		fmt.Fprintf(&b, `<path d="M%d %.1fH%.1f" stroke="#ddd"/><text x="%d" y="%.1f" text-anchor="end">%.4g</text>`+"\n", chartLeft, y(v), width-10, chartLeft-6, y(v)+4, v)
	}
	fmt.Fprintf(&b, `<text transform="translate(14 %d) rotate(-90)" text-anchor="middle">%s</text>`+"\n", chartTop+chartHeight/2, html.EscapeString(c.Unit))
	for i, g := range c.Groups {
		left := chartLeft + 4 + step*float64(i)
		for k, v := range g.Values {
			if math.IsNaN(v) {
				continue
			}
			top, bottom := y(max(v, c.Base)), y(min(v, c.Base))
			fmt.Fprintf(&b, `<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" %s><title>%s %s: %.4g</title></rect>`+"\n",
				left+bar*float64(k), top, bar-1, max(bottom-top, 0.5), colour(k), html.EscapeString(g.Name), html.EscapeString(c.Series[k]), v)
		}
		middle := left + bar*float64(len(c.Series))/2
		fmt.Fprintf(&b, `<text transform="translate(%.1f %d) rotate(-60)" text-anchor="end">%s</text>`+"\n", middle+4, chartTop+chartHeight+14, html.EscapeString(g.Name))
	}
	for _, v := range append([]float64{c.Base}, c.Marks...) {
		fmt.Fprintf(&b, `<path d="M%d %.1fH%.1f" stroke="black" stroke-dasharray="%s"/>`+"\n", chartLeft, y(v), width-10, map[bool]string{true: "none", false: "5 4"}[v == c.Base])
	}
	if key > 0 {
		for k, name := range c.Series {
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
func (c *Chart) limits() (low, high float64) {
	all := append([]float64{c.Base}, c.Marks...)
	for _, g := range c.Groups {
		for _, v := range g.Values {
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
