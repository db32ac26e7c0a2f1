// Package plot draws bar charts as SVG: what the measurements of packages bench,
// tune and paper share.
//
// It takes a [Chart], with groups of bars above names, and writes a document that
// needs nothing else to be shown:
//
//	c := plot.Chart{Title: "speedup", Unit: "times", Base: 1, Series: []string{"cc", "np"}}
//	c.Groups = append(c.Groups, plot.Group{Name: "bfs", Values: []float64{1.2, 4.1}})
//	err := c.Write(w)
//
// Bars begin at the base and go up or down from there; a value that is not a number
// is no bar. It has no axes with logarithms, no lines and no colours to choose:
// whoever wants another picture takes the CSV beside it.
package plot
