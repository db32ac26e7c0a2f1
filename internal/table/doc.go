// Package table writes tables, as Markdown for readers and as CSV for programs: what
// packages bench, tune and paper print their measurements with, and means of numbers.
//
// It takes rows of texts under columns:
//
//	t := table.New("program", "ms")
//	t.Add("bfs", "1.25")
//	err := t.WriteMarkdown(os.Stdout)
//
// and gives
//
//	| program | ms |
//	|---|---|
//	| bfs | 1.25 |
//
// A row that is too short gets empty cells; one that is too long is not cut. In
// Markdown a bar in a cell is escaped, and a line break is a space.
// [Geomean] and [Median] ignore NaN, which [Number] and [Ratio] print as an empty
// cell.
package table
