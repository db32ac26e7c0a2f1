// Package plot draws bar charts as SVG: packages bench, tune and paper plot their
// measurements with it.
//
// It takes a [Chart], with groups of bars above names, and writes a document that
// needs nothing else to be shown:
//
//	c := plot.Chart{Title: "speedup", Unit: "times", Base: 1, Series: []string{"cc", "np"}}
//	c.Groups = append(c.Groups, plot.Group{Name: "bfs", Values: []float64{1.2, 4.1}})
//	err := c.Write(w)
//
// Bars begin at the base and go up or down from there; NaN has no bar. There are
// no logarithmic axes, lines or colours to choose: other charts can be drawn from the
// CSV that is written beside each.
package plot
