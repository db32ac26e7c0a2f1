package graph

import (
	"bytes"
	"fmt"
)

// An edge list names the ends of edges, and so says nothing of isolated nodes. The
// comments before its first edge can:
//
//	# Nodes: 16 Edges: 30      as in SNAP's files
//	# First node: 1            ours, where the nodes do not start at 0
//
// If fewer numbers appear than there are nodes, and all are in the range that the
// comments give, the nodes are that range. SNAP's own files leave numbers out on
// purpose and count those that appear, so that they promise nothing more.

// A promise is what the comments say; nodes is 0 when they say nothing.
type promise struct {
	nodes, first uint64
	placed       bool // first is given
}

// promisedNodes reads the comments at the beginning.
func (in *input) promisedNodes() (p promise, err error) {
	for off := 0; off < len(in.data); off = nextLine(in.data, off) {
		line := lineAt(in.data, off)
		if len(line) == 0 {
			continue
		}
		if line[0] != '#' {
			return p, nil
		}
		fields := splitFields(bytes.TrimLeft(line, "#"))
		number := func(i int) (uint64, bool) {
			if i >= len(fields) {
				return 0, false
			}
			v, j := uintAt(fields[i], 0)
			return v, j == len(fields[i])
		}
		is := func(i int, word string) bool { return i < len(fields) && bytes.EqualFold(fields[i], []byte(word)) }
		switch {
		case is(0, "Nodes:"):
			n, ok := number(1)
			if !ok {
				in.note("the comment %q has no number of nodes that can be read, and says nothing", line[:min(len(line), 80)])
			}
			if ok && p.nodes == 0 {
				if err := in.checkNodes(n, off); err != nil {
					return p, err
				}
				p.nodes = n
			}
		case is(0, "First") && is(1, "node:"):
			if n, ok := number(2); ok && n < 1<<62 {
				p.first, p.placed = n, true
			}
		}
	}
	return p, nil
}

// holds returns the first of the promised nodes if they are more than the count
// numbers that appear, from least to largest, and all of these are among them.
func (p promise) holds(count, least, largest uint64) (first uint64, ok bool) {
	if p.nodes <= count {
		return 0, false
	}
	first = p.first
	if !p.placed && largest == p.nodes && least > 0 {
		first = 1
	}
	return first, least >= first && largest-first < p.nodes
}

// noteNames says what of the numbers up to the largest a user may take for nodes.
func (in *input) noteNames(p promise, count, least, largest uint64) {
	switch {
	case p.nodes > count:
		in.note("a comment promises %d nodes; edges name %d, and these go from %d to %d, so that the numbers of the others are not known: they are left out", p.nodes, count, least, largest)
	case p.nodes > 0 && p.nodes < count:
		in.note("a comment promises %d nodes; edges name %d, and all of these are nodes", p.nodes, count)
	case p.nodes == count || largest < count || largest-least+1 == count:
	default:
		in.note("nodes: %d; numbers from %d to %d that no edge has, and so name no node: %d (a first line \"# Nodes: %d\" makes nodes of all from 0 on)",
			count, least, largest, largest-least+1-count, largest+1)
	}
}

// note adds to what is known about the input.
func (in *input) note(format string, args ...any) {
	in.info.Notes = append(in.info.Notes, fmt.Sprintf(format, args...))
}
