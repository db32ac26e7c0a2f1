package table

import (
	"encoding/csv"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
)

// A Table is rows of cells under columns.
type Table struct {
	Columns []string
	Rows    [][]string
}

// New returns a table without rows.
func New(columns ...string) *Table { return &Table{Columns: columns} }

// Add adds a row.
func (t *Table) Add(cells ...string) { t.Rows = append(t.Rows, cells) }

// escape makes a text one cell of a Markdown table.
var escape = strings.NewReplacer("|", `\|`, "\n", " ")

// WriteMarkdown writes the table as Markdown has them.
func (t *Table) WriteMarkdown(w io.Writer) error {
	var b strings.Builder
	write := func(cells []string) {
		b.WriteString("|")
		for i := range max(len(cells), len(t.Columns)) {
			text := ""
			if i < len(cells) {
				text = cells[i]
			}
			b.WriteString(" " + escape.Replace(text) + " |")
		}
		b.WriteString("\n")
	}
	write(t.Columns)
	b.WriteString("|" + strings.Repeat("---|", len(t.Columns)) + "\n")
	for _, row := range t.Rows {
		write(row)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// Dense returns the table without the columns that are empty in all rows.
func (t *Table) Dense() *Table {
	var keep []int
	for i := range t.Columns {
		if slices.ContainsFunc(t.Rows, func(row []string) bool { return i < len(row) && row[i] != "" }) {
			keep = append(keep, i)
		}
	}
	out := new(Table)
	for _, i := range keep {
		out.Columns = append(out.Columns, t.Columns[i])
	}
	for _, row := range t.Rows {
		var cells []string
		for _, i := range keep {
			if i < len(row) {
				cells = append(cells, row[i])
			}
		}
		out.Rows = append(out.Rows, cells)
	}
	return out
}

// WriteCSV writes a line of columns and a line for each row.
func (t *Table) WriteCSV(w io.Writer) error {
	c := csv.NewWriter(w)
	if err := c.Write(t.Columns); err != nil {
		return err
	}
	return c.WriteAll(t.Rows)
}

// Number prints a number with so many digits after the point; "" for NaN.
func Number(v float64, digits int) string {
	if math.IsNaN(v) {
		return ""
	}
	return strconv.FormatFloat(v, 'f', digits, 64)
}

// Ratio is Number with two digits.
func Ratio(v float64) string { return Number(v, 2) }

// Median returns the median of the numbers in a list, the mean of the middle two of an
// even count, NaN of none. The list stays as it is.
func Median(list []float64) float64 {
	s := slices.DeleteFunc(slices.Clone(list), math.IsNaN)
	slices.Sort(s)
	n := len(s)
	if n == 0 {
		return math.NaN()
	}
	return (s[(n-1)/2] + s[n/2]) / 2
}

// Geomean returns the geometric mean of the numbers in a list, which are positive, NaN
// of none.
func Geomean(list []float64) float64 {
	sum, n := 0.0, 0
	for _, v := range list {
		if !math.IsNaN(v) {
			sum += math.Log(v)
			n++
		}
	}
	if n == 0 {
		return math.NaN()
	}
	return math.Exp(sum / float64(n))
}
