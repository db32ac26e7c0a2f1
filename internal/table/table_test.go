package table

import (
	"bytes"
	"math"
	"testing"
)

// TestWrite checks both forms: rows of any length, and texts that a form has a use for.
func TestWrite(t *testing.T) {
	table := New("a", "b, c")
	table.Add("x|y", "two\nlines")
	table.Add("short")
	table.Add("1", "2", "3")
	var b bytes.Buffer
	if err := table.WriteMarkdown(&b); err != nil {
		t.Fatal(err)
	}
	want := "| a | b, c |\n|---|---|\n| x\\|y | two lines |\n| short |  |\n| 1 | 2 | 3 |\n"
	if b.String() != want {
		t.Errorf("%s\nwant\n%s", b.String(), want)
	}
	b.Reset()
	if err := table.WriteCSV(&b); err != nil {
		t.Fatal(err)
	}
	if want := "a,\"b, c\"\nx|y,\"two\nlines\"\nshort\n1,2,3\n"; b.String() != want {
		t.Errorf("%s\nwant\n%s", b.String(), want)
	}
}

// TestDense drops the columns that no row has a cell in.
func TestDense(t *testing.T) {
	table := New("a", "b", "c", "d")
	table.Add("1", "", "")
	table.Add("2", "", "3")
	var b bytes.Buffer
	if err := table.Dense().WriteMarkdown(&b); err != nil || b.String() != "| a | c |\n|---|---|\n| 1 |  |\n| 2 | 3 |\n" {
		t.Errorf("%v\n%s", err, b.String())
	}
}

// TestMeans checks the means, of which what is no number is no part.
func TestMeans(t *testing.T) {
	none := math.NaN()
	for _, tt := range []struct {
		list        []float64
		median, geo string
	}{
		{nil, "", ""}, {[]float64{none}, "", ""}, {[]float64{2}, "2.00", "2.00"}, {[]float64{8, none, 2}, "5.00", "4.00"}, {[]float64{4, 1, 2}, "2.00", "2.00"},
	} {
		if m, g := Ratio(Median(tt.list)), Ratio(Geomean(tt.list)); m != tt.median || g != tt.geo {
			t.Errorf("%v: median %s, geometric mean %s; want %s, %s", tt.list, m, g, tt.median, tt.geo)
		}
	}
	if got := Number(1.23456, 3); got != "1.235" {
		t.Error(got)
	}
}
