package graph

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"
)

// A Format is a file format of graphs.
type Format string

// The formats that are read and written. SNAP is an edge list that starts with
// a comment; its nodes are named by the numbers that appear.
const (
	Galois1      Format = "galois1" // Galois binary CSR, version 1: 32-bit destinations
	Galois2      Format = "galois2" // the same, version 2: 64-bit destinations
	DIMACS       Format = "dimacs"  // 9th DIMACS challenge, shortest paths
	PACE         Format = "pace"    // PACE challenge, treewidth; undirected
	SNAP         Format = "snap"
	EdgeList     Format = "edgelist"
	MatrixMarket Format = "mtx"
	METIS        Format = "metis" // METIS, also used by the 10th DIMACS challenge; undirected
)

// Formats returns all formats, in the order of their documentation.
func Formats() []Format {
	return []Format{Galois1, Galois2, DIMACS, PACE, SNAP, EdgeList, MatrixMarket, METIS}
}

// ParseFormat returns the format called name.
func ParseFormat(name string) (Format, error) {
	var names []string
	for _, f := range Formats() {
		if name == string(f) {
			return f, nil
		}
		names = append(names, string(f))
	}
	return "", fmt.Errorf("unknown graph format %q; known: %s", name, strings.Join(names, ", "))
}

// detect finds the format from the content.
func (in *input) detect() (Format, error) {
	if in.forced != "" {
		return ParseFormat(string(in.forced))
	}
	b := in.data
	if len(b) >= 16 && bytes.IndexByte(b[:8], 0) >= 0 {
		switch version := binary.LittleEndian.Uint64(b); version {
		case 1:
			return Galois1, nil
		case 2:
			return Galois2, nil
		}
	}
	if i := bytes.IndexByte(b[:min(len(b), 512)], 0); i >= 0 {
		return "", in.binaryError(uint64(i), "binary content, but not a Galois graph of version 1 or 2")
	}
	if banner := "%%matrixmarket"; bytes.EqualFold(b[:min(len(b), len(banner))], []byte(banner)) {
		return MatrixMarket, nil
	}
	snap := len(b) > 0 && b[0] == '#'
	off := skipComments(b, 0, "#%")
	line := lineAt(b, off)
	if len(line) >= 2 && (line[0] == 'c' || line[0] == 'p') && isBlank(line[1]) || string(line) == "c" {
		return in.detectProblem(off)
	}
	fields := splitFields(line)
	switch {
	case len(fields) == 0:
		if len(bytes.TrimSpace(b)) == 0 {
			return "", in.textError(0, "the input is empty")
		}
		if snap {
			return SNAP, nil // only comments: a graph without edges
		}
		return EdgeList, nil
	case !isDigit(fields[0][0]) && !isColumnNames(line):
		return "", in.textError(off, "not a known graph format: the first line with content starts with %.20q", line)
	case snap: // METIS marks comments with % only
		return SNAP, nil
	case in.looksLikeMETIS(off):
		return METIS, nil
	}
	return EdgeList, nil
}

// detectProblem tells the formats with a "p" line apart. off is the first line.
func (in *input) detectProblem(off int) (Format, error) {
	off = skipComments(in.data, off, "c")
	fields := splitFields(lineAt(in.data, off))
	if len(fields) < 2 || string(fields[0]) != "p" {
		return "", in.textError(off, `expected a problem line such as "p sp NODES ARCS"`)
	}
	switch string(fields[1]) {
	case "sp":
		return DIMACS, nil
	case "tw":
		return PACE, nil
	case "cnf":
		return "", in.textError(off, "DIMACS cnf is a formula, not a graph")
	}
	return "", in.textError(off, `unknown problem %.20q; known: "p sp" (shortest paths), "p tw" (PACE)`, fields[1])
}

// looksLikeMETIS tells METIS from an edge list, both of which may start with
// two numbers; off is the first line with content. It is METIS when the first
// number counts the lines that follow, and either a line does not have the two
// or three numbers of an edge, or there are as many numbers as the header
// says. (An edge list of k+1 lines of which the first is "k k" is mistaken by
// this rule; say WithFormat for such a one.)
func (in *input) looksLikeMETIS(off int) bool {
	b := in.data
	line := lineAt(b, off)
	head := splitFields(line)
	if len(head) < 2 || len(head) > 4 || bytes.IndexByte(line, ',') >= 0 {
		return false
	}
	var header [2]uint64
	for i := range header {
		v, j := uintAt(head[i], 0)
		if j != len(head[i]) {
			return false
		}
		header[i] = v
	}
	skip, weighted, reason := metisFlags(head)
	if reason != "" {
		return false
	}
	want := 2*header[1] + header[0]*uint64(skip)
	if weighted {
		want += 2 * header[1]
	}
	var lines, tokens, blanks uint64 // blanks: empty lines since the last full one
	ragged := false
	for i := nextLine(b, off); i < len(b); i = nextLine(b, i) {
		if b[i] == '%' {
			continue
		}
		k := countFields(lineAt(b, i))
		if k == 0 {
			blanks++
			continue
		}
		if lines += blanks + 1; lines > header[0] {
			return false
		}
		ragged = ragged || blanks > 0 || k < 2 || k > 3
		blanks = 0
		tokens += k
	}
	return lines <= header[0] && lines+blanks >= header[0] && (ragged || tokens == want)
}

// isColumnNames says whether line is the first line of a CSV file: two or
// three names, with commas between.
func isColumnNames(line []byte) bool {
	names := bytes.Split(line, []byte{','})
	if len(names) < 2 || len(names) > 3 {
		return false
	}
	for _, name := range names {
		name = bytes.Trim(bytes.TrimSpace(name), `"`)
		if len(name) == 0 || !isLetter(name[0]) {
			return false
		}
		for _, c := range name {
			if !isLetter(c) && !isDigit(c) {
				return false
			}
		}
	}
	return true
}
