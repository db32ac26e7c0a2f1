package measured

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"irgl/internal/table"
)

// A Field is a line of a block's head.
type Field struct{ Key, Value string }

// A Block is a table of measurements, and where they come from.
type Block struct {
	Fields []Field
	Table  table.Table
}

// Get returns the first value of a key, or "".
func (b *Block) Get(key string) string {
	for _, f := range b.Fields {
		if f.Key == key {
			return f.Value
		}
	}
	return ""
}

// All returns the values of a key.
func (b *Block) All(key string) []string {
	var out []string
	for _, f := range b.Fields {
		if f.Key == key {
			out = append(out, f.Value)
		}
	}
	return out
}

// Add adds a line to the head; a value is one line.
func (b *Block) Add(key, value string) {
	b.Fields = append(b.Fields, Field{key, strings.Join(strings.Fields(value), " ")})
}

// AddOrigin adds the command, the machine of a device on a host, and the date of the
// sources; what is "" is unknown.
func (b *Block) AddOrigin(command, device, host, tree string) {
	b.Add("command", orUnknown(command))
	b.Add("machine", orUnknown(strings.Trim(device+"; "+host, "; ")))
	b.Add("tree", orUnknown(tree))
}

func orUnknown(text string) string {
	if text == "" {
		return "unknown"
	}
	return text
}

// Column returns the index of a column; ok says that there is one.
func (b *Block) Column(name string) (i int, ok bool) {
	i = slices.Index(b.Table.Columns, name)
	return i, i >= 0
}

// A Row gives the cells of a row by the names of their columns. The first cell that is
// not what was asked for sets Err.
type Row struct {
	b     *Block
	cells []string
	Err   error
}

// Row returns the i-th row.
func (b *Block) Row(i int) *Row { return &Row{b: b, cells: b.Table.Rows[i]} }

// Text returns a cell; "" without such a column.
func (r *Row) Text(column string) string {
	if i, ok := r.b.Column(column); ok && i < len(r.cells) {
		return r.cells[i]
	}
	return ""
}

// Float returns a cell as a number, and 0 for an unknown one.
func (r *Row) Float(column string) float64 {
	text := r.Text(column)
	if text == "" {
		return 0
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil && r.Err == nil {
		r.Err = fmt.Errorf("column %s: %q is no number", column, text)
	}
	return v
}

// Int returns a cell as an integer, and 0 for an unknown one.
func (r *Row) Int(column string) int64 {
	text := r.Text(column)
	if text == "" {
		return 0
	}
	v, err := strconv.ParseInt(text, 10, 64)
	if err != nil && r.Err == nil {
		r.Err = fmt.Errorf("column %s: %q is no integer", column, text)
	}
	return v
}

// Bool returns a cell as a truth value, and false for an unknown one.
func (r *Row) Bool(column string) bool {
	text := r.Text(column)
	if text != "" && text != "true" && text != "false" && r.Err == nil {
		r.Err = fmt.Errorf("column %s: %q is neither true nor false", column, text)
	}
	return text == "true"
}

// Parse reads the blocks of a file.
func Parse(text []byte) ([]*Block, error) {
	var blocks []*Block
	var rows []string
	var numbers []int // of the lines of rows
	first, inHead := 0, false
	finish := func() error {
		if len(blocks) == 0 {
			return nil
		}
		b := blocks[len(blocks)-1]
		if len(rows) == 0 {
			return fmt.Errorf("line %d: the head is not followed by rows", first)
		}
		r := csv.NewReader(strings.NewReader(strings.Join(rows, "\n")))
		all, err := r.ReadAll()
		if wrong, ok := errors.AsType[*csv.ParseError](err); ok {
			return fmt.Errorf("line %d: %w", numbers[min(wrong.Line, len(numbers))-1], wrong.Err)
		} else if err != nil {
			return fmt.Errorf("line %d: %w", first, err)
		}
		b.Table.Columns, b.Table.Rows = all[0], all[1:]
		rows, numbers = nil, nil
		return nil
	}
	for number, line := range strings.Split(string(text), "\n") {
		number++
		line = strings.TrimRight(line, "\r")
		head, isHead := strings.CutPrefix(line, "#")
		switch {
		case line == "":
			inHead = false
		case isHead:
			if !inHead {
				if err := finish(); err != nil {
					return nil, err
				}
				blocks, inHead = append(blocks, new(Block)), true
			}
			b := blocks[len(blocks)-1]
			if more, ok := strings.CutPrefix(head, "  "); ok && len(b.Fields) > 0 {
				f := &b.Fields[len(b.Fields)-1]
				f.Value = strings.TrimSpace(f.Value + " " + strings.TrimSpace(more))
			} else if key, value, ok := strings.Cut(strings.TrimSpace(head)+" ", ": "); ok && key != "" && !strings.ContainsAny(key, " \t") {
				b.Fields = append(b.Fields, Field{key, strings.TrimSpace(value)})
			} else {
				return nil, fmt.Errorf("line %d: a line of a head is # KEY: VALUE", number)
			}
			first = number
		case len(blocks) == 0:
			return nil, fmt.Errorf("line %d: rows without a head: the first line is # KEY: VALUE", number)
		default:
			if inHead || len(rows) == 0 {
				first, inHead = number, false
			}
			rows, numbers = append(rows, line), append(numbers, number)
		}
	}
	if err := finish(); err != nil {
		return nil, err
	}
	if len(blocks) == 0 {
		return nil, errors.New("there are no measurements in it")
	}
	return blocks, nil
}

// width is the length of the lines of a head and of a note, where words allow.
const width = 110

// wrap returns a text as lines; the first begins with first, the others with next.
func wrap(first, next, text string) string {
	var b strings.Builder
	line, words := first, 0
	for word := range strings.FieldsSeq(text) {
		if words > 0 && len(line)+len(word) > width {
			b.WriteString(strings.TrimRight(line, " ") + "\n")
			line, words = next, 0
		}
		line += word + " "
		words++
	}
	b.WriteString(strings.TrimRight(line, " ") + "\n")
	return b.String()
}

// Write writes blocks as a file.
func Write(w io.Writer, blocks []*Block) error {
	var out bytes.Buffer
	for i, b := range blocks {
		if i > 0 {
			out.WriteByte('\n')
		}
		for _, f := range b.Fields {
			out.WriteString(wrap("# "+f.Key+": ", "#   ", f.Value))
		}
		for _, row := range slices.Concat([][]string{b.Table.Columns}, b.Table.Rows) {
			writeRow(&out, row, len(b.Table.Columns))
		}
	}
	_, err := w.Write(out.Bytes())
	return err
}

// writeRow writes n cells of a row, each in one line, so that the line is neither empty
// nor that of a head.
func writeRow(out *bytes.Buffer, row []string, n int) {
	cells := make([]string, n)
	for i := range min(n, len(row)) {
		cells[i] = strings.Join(strings.Fields(row[i]), " ")
	}
	var line bytes.Buffer
	c := csv.NewWriter(&line)
	_ = c.Write(cells) // to memory
	c.Flush()
	text := line.String()
	switch {
	case text == "\n": // one cell, unknown
		text = "\"\"\n"
	case strings.HasPrefix(text, "#"):
		end := strings.IndexAny(text, ",\n")
		text = `"` + text[:end] + `"` + text[end:]
	}
	out.WriteString(text)
}
