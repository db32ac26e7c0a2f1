package mesh

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"strconv"
)

// SVGOptions say what a picture looks like.
type SVGOptions struct {
	Width int     // of the picture, in pixels; 0 means 800
	Bound float64 // the angle, in degrees, below which a triangle is red; 0 means 30
	Plain bool    // triangles all white
}

// svgClass is the width, in degrees, of a class of triangles with one colour.
const svgClass = 5

// WriteSVG draws m: each triangle coloured by its smallest angle, red below
// the bound (the smaller the darker) and from white to green above it,
// segments as thicker lines, and a scale of colours at the bottom. The picture
// has about 30 bytes for each triangle.
func WriteSVG(w io.Writer, m *Mesh, opts SVGOptions) error {
	if err := m.Validate(); err != nil {
		return err
	}
	if opts.Width <= 0 {
		opts.Width = 800
	}
	if opts.Bound <= 0 {
		opts.Bound = 30
	}
	d := newDrawing(m, opts, bufio.NewWriterSize(w, 1<<16))
	d.header()
	d.triangles()
	d.segments()
	if !opts.Plain {
		d.scaleOfColours()
	}
	d.w.WriteString("</svg>\n")
	return d.w.Flush()
}

// A drawing is a picture being made.
type drawing struct {
	m             *Mesh
	w             *bufio.Writer
	opts          SVGOptions
	x0, y1, scale float64 // the upper left corner, and pixels for one unit
	shrink        float64 // what coordinates are multiplied with first: below 1 if differences would overflow
	width, height float64
	buf           []byte
}

const (
	svgMargin = 10
	svgLegend = 30
)

func newDrawing(m *Mesh, opts SVGOptions, w *bufio.Writer) *drawing {
	d := &drawing{m: m, w: w, opts: opts, width: float64(opts.Width), height: 2 * svgMargin, shrink: 1}
	if len(m.X) > 0 {
		var x1, y0 float64
		d.x0, x1, y0, d.y1 = m.bounds()
		size := max(x1-d.x0, (d.y1-y0)/4) // at most four times as high as wide
		if !finite(size) || !finite(d.y1-y0) {
			d.shrink = 0x1p-3
			size = max(x1/8-d.x0/8, (d.y1/8-y0/8)/4)
		}
		if d.scale = (d.width - 2*svgMargin) / size; !finite(d.scale) {
			d.scale = 0 // no extent, or one that cannot be magnified so much
		}
		d.height += (d.y1*d.shrink - y0*d.shrink) * d.scale
	}
	if !opts.Plain {
		d.height += svgLegend
	}
	return d
}

func (d *drawing) header() {
	fmt.Fprintf(d.w, `<svg xmlns="http://www.w3.org/2000/svg" width="%.0f" height="%.0f" viewBox="0 0 %.0f %.0f">`+"\n",
		d.width, math.Ceil(d.height), d.width, math.Ceil(d.height))
	fmt.Fprintf(d.w, "<title>%d nodes, %d triangles, %d segments</title>\n", len(d.m.X), len(d.m.Triangles), len(d.m.Segments))
	d.w.WriteString("<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n")
}

// point appends a path command that goes to node v.
func (d *drawing) point(command byte, v int32) {
	d.buf = append(d.buf, command)
	d.buf = strconv.AppendFloat(d.buf, svgMargin+float64((float64(d.m.X[v]*d.shrink)-float64(d.x0*d.shrink))*d.scale), 'f', 2, 64)
	d.buf = append(d.buf, ' ')
	d.buf = strconv.AppendFloat(d.buf, svgMargin+float64((float64(d.y1*d.shrink)-float64(d.m.Y[v]*d.shrink))*d.scale), 'f', 2, 64)
}

// flush writes the path so far.
func (d *drawing) flush() {
	d.w.Write(d.buf)
	d.buf = d.buf[:0]
}

// triangles draws one path for each class of triangles.
func (d *drawing) triangles() {
	m := d.m
	var classes [60/svgClass + 1][]int32
	for t := range m.Triangles {
		k := 0
		if !d.opts.Plain {
			k = int(m.MinAngle(t) / svgClass)
		}
		classes[k] = append(classes[k], int32(t))
	}
	line := min(0.5, 20/math.Sqrt(float64(len(m.Triangles)+1)))
	for k, class := range classes {
		if len(class) == 0 {
			continue
		}
		fill := "white"
		if !d.opts.Plain {
			fill = d.colour((float64(k) + 0.5) * svgClass)
		}
		fmt.Fprintf(d.w, `<path fill="%s" stroke="#444" stroke-width="%.3f" stroke-linejoin="round" d="`, fill, line)
		for _, t := range class {
			v := m.Triangles[t]
			d.point('M', v[0])
			d.point('L', v[1])
			d.point('L', v[2])
			d.buf = append(d.buf, 'Z')
			d.flush()
		}
		d.w.WriteString("\"/>\n")
	}
}

// segments draws the segments as one path.
func (d *drawing) segments() {
	if len(d.m.Segments) == 0 {
		return
	}
	d.w.WriteString(`<path fill="none" stroke="#003" stroke-width="1.5" stroke-linecap="round" d="`)
	for _, s := range d.m.Segments {
		d.point('M', s[0])
		d.point('L', s[1])
		d.flush()
	}
	d.w.WriteString("\"/>\n")
}

// scaleOfColours draws what each colour means.
func (d *drawing) scaleOfColours() {
	const side = 14
	top := d.height - svgLegend + 4
	for k := range 60 / svgClass {
		fmt.Fprintf(d.w, `<rect x="%d" y="%.1f" width="%d" height="8" fill="%s"/>`+"\n", svgMargin+k*side, top, side, d.colour((float64(k)+0.5)*svgClass))
	}
	for a := 0; a <= 60; a += 15 {
		fmt.Fprintf(d.w, `<text x="%d" y="%.1f" font-size="10" font-family="sans-serif">%d°</text>`+"\n", svgMargin+a*side/svgClass, top+19, a)
	}
}

// colour returns the colour of triangles with a smallest angle of a degrees.
func (d *drawing) colour(a float64) string {
	mix := func(from, to [3]float64, f float64) string {
		var c [3]int
		for i := range c {
			c[i] = int(math.Round(from[i] + (to[i]-from[i])*f))
		}
		return fmt.Sprintf("#%02x%02x%02x", c[0], c[1], c[2])
	}
	if a < d.opts.Bound {
		return mix([3]float64{150, 0, 20}, [3]float64{255, 190, 150}, a/d.opts.Bound)
	}
	return mix([3]float64{240, 250, 240}, [3]float64{40, 140, 70}, min(1, (a-d.opts.Bound)/max(60-d.opts.Bound, 1)))
}
