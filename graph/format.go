package graph

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"path/filepath"
	"strings"

	"irgl/internal/infile"
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

// textHead is the size of the beginning that tells binary content from text.
const textHead = 512

// galoisVersion returns the format of a Galois graph that starts with head, ""
// if none does.
func galoisVersion(head []byte) Format {
	if len(head) >= 16 {
		switch binary.LittleEndian.Uint64(head) {
		case 1:
			return Galois1
		case 2:
			return Galois2
		}
	}
	return ""
}

// checkText refuses text with a zero byte. If piece is the beginning, it names
// formats that are not read by their first bytes.
func (in *input) checkText(piece []byte, offset int64) error {
	if offset == 0 {
		if name, advice, ok := infile.Identify(piece); ok {
			if advice != "" {
				advice = ": " + advice
			}
			return in.binaryError(0, "%s, not a graph%s", name, advice)
		}
		if in.looksLikeECL(piece) {
			return in.binaryError(0, "a graph in ECL's binary format (.egr), which is not read: convert it to Galois .gr or to an edge list")
		}
	}
	switch i := bytes.IndexByte(piece, 0); {
	case i < 0:
		return nil
	case offset+int64(i) < textHead:
		return in.binaryError(uint64(offset)+uint64(i), "binary content, but not a Galois graph of version 1 or 2")
	default:
		return in.binaryError(uint64(offset)+uint64(i), "a zero byte in text: the file is damaged, or no text")
	}
}

// looksLikeECL reports whether head starts a graph of the ECL suite: the numbers
// of nodes and arcs, n+1 row offsets that start with 0, destinations and perhaps
// weights, all of 32 bits. The format has no magic number; the size decides where
// it is known, else the name.
func (in *input) looksLikeECL(head []byte) bool {
	if len(head) < 12 {
		return false
	}
	u32 := binary.LittleEndian.Uint32
	n, m, first := int64(int32(u32(head))), int64(int32(u32(head[4:]))), u32(head[8:])
	if n < 0 || m < 0 || first != 0 {
		return false
	}
	if in.packed || in.total < 0 {
		return strings.Contains(filepath.Base(in.name), ".egr")
	}
	return in.total == 4*(3+n+m) || in.total == 4*(3+n+2*m)
}

// detect finds the format from the content.
func (in *input) detect(ctx context.Context) (Format, error) {
	if in.forced != "" {
		return ParseFormat(string(in.forced))
	}
	b := in.data
	if f := galoisVersion(b); f != "" {
		return f, nil
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

// detectProblem distinguishes the formats with a "p" line. off is the first line.
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
