package graph

import (
	"bytes"
	"context"
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
func (in *input) detect(ctx context.Context) (Format, error) {
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
	}
	metis, err := in.looksLikeMETIS(ctx, off)
	if err != nil {
		return "", err
	}
	if metis {
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
