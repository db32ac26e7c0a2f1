package mesh

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"io"
	"math"
	"strings"
	"testing"
)

// pictured parses a picture and returns the colours that its paths are filled
// with, and how many triangles they draw.
func pictured(t *testing.T, m *Mesh, opts SVGOptions) (fills []string, triangles int) {
	t.Helper()
	var b bytes.Buffer
	if err := WriteSVG(&b, m, opts); err != nil {
		t.Fatal(err)
	}
	text := b.String()
	if strings.Contains(text, "NaN") || strings.Contains(text, "Inf") {
		t.Errorf("coordinates that are no numbers:\n%.1000s", text)
	}
	d := xml.NewDecoder(&b)
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return fills, triangles
		}
		if err != nil {
			t.Fatalf("%v\n%.1000s", err, text)
		}
		e, ok := token.(xml.StartElement)
		if !ok || e.Name.Local != "path" {
			continue
		}
		for _, a := range e.Attr {
			switch {
			case a.Name.Local == "fill" && a.Value != "none":
				fills = append(fills, a.Value)
			case a.Name.Local == "d":
				triangles += strings.Count(a.Value, "Z")
			}
		}
	}
}

func TestWriteSVG(t *testing.T) {
	m, err := Generate(context.Background(), 300, 1)
	if err != nil {
		t.Fatal(err)
	}
	fills, triangles := pictured(t, m, SVGOptions{})
	if triangles != len(m.Triangles) || len(fills) < 8 {
		t.Errorf("%d triangles, want %d; colours %v", triangles, len(m.Triangles), fills)
	}
	if fills, _ := pictured(t, m, SVGOptions{Plain: true}); len(fills) != 1 || fills[0] != "white" {
		t.Errorf("plain: colours %v", fills)
	}
	bad := &Mesh{X: []float64{0, 9, 9}, Y: []float64{0, 0, 1}, Triangles: [][3]int32{{0, 1, 2}}}
	red, _ := pictured(t, bad, SVGOptions{})
	green, _ := pictured(t, bad, SVGOptions{Bound: 5})
	if red[0] == green[0] {
		t.Errorf("an angle of 6 degrees has colour %s, whether the bound is 30 or 5", red[0])
	}
}

// Sizes that overflow, meshes without extent and empty ones give a picture.
func TestWriteSVGOfOddMeshes(t *testing.T) {
	big := math.MaxFloat64
	for _, m := range []*Mesh{
		{},
		{X: []float64{1}, Y: []float64{1}},
		{X: []float64{0, 0, 0}, Y: []float64{0, 1, 2}, Triangles: [][3]int32{{0, 1, 2}}},
		{X: []float64{-big, big, 0}, Y: []float64{-big, -big, big}, Triangles: [][3]int32{{0, 1, 2}}},
		{X: []float64{0, big / 2, 0}, Y: []float64{0, 0, big}, Triangles: [][3]int32{{0, 1, 2}}},
		{X: []float64{0, 5e-324, 0}, Y: []float64{0, 0, 5e-324}, Triangles: [][3]int32{{0, 1, 2}}, Segments: [][2]int32{{0, 1}}},
	} {
		pictured(t, m, SVGOptions{})
	}
	if err := WriteSVG(io.Discard, &Mesh{X: []float64{math.NaN()}, Y: []float64{0}}, SVGOptions{}); err == nil {
		t.Error("a node that is nowhere was drawn")
	}
}
