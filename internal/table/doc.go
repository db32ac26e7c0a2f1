// Package table writes tables, as Markdown for readers and as CSV for programs: what
// the measurements of packages bench, tune and paper share, with the means of numbers
// that stand in them.
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
// A row that is too short ends in empty cells; one that is too long is cut off by no
// one, and shows. In Markdown a bar in a cell is escaped, and a line break is a space.
// [Geomean] and [Median] leave out what is not a number, which [Number] and [Ratio]
// print as nothing.
package table
