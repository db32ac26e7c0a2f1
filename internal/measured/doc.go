// Package measured keeps measurements in files, and writes them as Markdown pages: the
// files and pages under docs/measurements, and what irgl bench writes with --out.
//
// A file is a sequence of blocks, separated by empty lines. A block is a head of comments
// and rows of CSV:
//
//	# page: The CPU
//	# title: Breadth-first search beside C
//	# command: benchmarks/bfs/run.sh
//	# machine: two cores of an AMD EPYC
//	# tree: 2026-11-22
//	# pivot: code ms
//	# ratio: irgl / C
//	graph,threads,code,ms
//	rmat:20:8,1,irgl,55.1
//	rmat:20:8,1,C,52.3
//
// A line of the head is a key and a value; a value goes on in the next line after two or
// more spaces. Command, machine and tree (the date of the sources) say where rows come from;
// [Markdown] refuses a block without them. A note is a paragraph of the page. The page is
// named by the first block.
//
// Rows are shown as they are; with the key pivot, as a matrix whose columns are the values of
// the named column and whose cells are those of the columns named after it; ratio adds
// the quotient of two columns. A block with the key form is shown by the package that has
// written it (bench, paper), which computes its tables from the rows.
//
// A cell that is empty is unknown. Printing what was parsed gives the same bytes.
package measured
