package plot

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"math"
	"strings"
	"testing"
)

// TestChart checks that a chart is an XML document with a bar for each number,
// whose texts are escaped, and nothing for what is no number.
func TestChart(t *testing.T) {
	c := Chart{Title: "a < b & c", Unit: "times", Base: 1, Series: []string{"x", "y"}, Marks: []float64{2}}
	c.Groups = []Group{{"one", []float64{0.5, math.NaN()}}, {"<two>", []float64{3, 1.5}}}
	var b bytes.Buffer
	if err := c.Write(&b); err != nil {
		t.Fatal(err)
	}
	d := xml.NewDecoder(bytes.NewReader(b.Bytes()))
	bars := 0
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("%v in\n%s", err, b.String())
		}
		if e, ok := token.(xml.StartElement); ok && e.Name.Local == "title" {
			bars++
		}
	}
	if bars != 3 || strings.Contains(b.String(), "NaN") {
		t.Errorf("%d bars in\n%s", bars, b.String())
	}
	for _, empty := range []Chart{{}, {Series: []string{"x"}, Groups: []Group{{"none", []float64{math.NaN()}}}}} {
		b.Reset()
		if err := empty.Write(&b); err != nil || strings.Contains(b.String(), "NaN") {
			t.Errorf("%v\n%s", err, b.String())
		}
	}
}
