package graph

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
)

// looksLikeMETIS tells METIS from an edge list, both of which may start with
// two numbers; off is the first line with content. It is METIS when the first
// number counts the lines that follow, and either a line does not have the two
// or three numbers of an edge, or there are as many numbers as the header
// says. (An edge list of k+1 lines of which the first is "k k" is mistaken by
// this rule; say WithFormat for such a one.)
//
// The whole text is looked at, but nearly always an edge list has more lines
// than its first number, and then the walk ends early.
//
// What is not METIS though its first line could be a header leaves the reason in
// in.notMETIS.
func (in *input) looksLikeMETIS(ctx context.Context, off int) (bool, error) {
	b := in.data
	line := lineAt(b, off)
	head := splitFields(line)
	if len(head) < 2 || len(head) > 4 || bytes.IndexByte(line, ',') >= 0 {
		return false, nil
	}
	var header [2]uint64
	for i := range header {
		v, j := uintAt(head[i], 0)
		// No list of a file is that long; smaller counts cannot overflow.
		if j != len(head[i]) || v > uint64(len(b)) {
			return false, nil
		}
		header[i] = v
	}
	skip, weighted, reason := metisFlags(head)
	if reason != "" {
		if in.namedMETIS() {
			in.notMETIS = "as METIS, its first line has " + reason
		}
		return false, nil
	}
	numbers := 2*header[1] + header[0]*uint64(skip)
	if weighted {
		numbers += 2 * header[1]
	}

	bounds := in.chunks(nextLine(b, off))
	shapes := make([]lineShape, len(bounds)-1)
	var seen atomic.Uint64
	err := parallelTasks(ctx, len(shapes), func(_, i int) error {
		shapes[i] = shapeOf(b[bounds[i]:bounds[i+1]])
		if seen.Add(shapes[i].full) > header[0] {
			return errTooManyLines
		}
		return nil
	})
	if err != nil {
		if errors.Is(err, errTooManyLines) {
			in.notMETIS = fmt.Sprintf("as METIS, it would have a line for each of %d nodes behind the first, and it has more", header[0])
			err = nil
		}
		return false, err
	}
	var all lineShape
	for _, s := range shapes {
		all.add(s)
	}
	lines := all.full + all.inside
	switch {
	case lines > header[0] || lines+all.after < header[0]:
		in.notMETIS = fmt.Sprintf("as METIS, it would have a line for each of %d nodes behind the first, and it has %d", header[0], lines)
	case !all.ragged && all.inside == 0 && all.numbers != numbers:
		in.notMETIS = fmt.Sprintf("as METIS, it would have %d numbers behind the first line, and it has %d", numbers, all.numbers)
	default:
		return true, nil
	}
	return false, nil
}

// asMETIS returns why the input was not taken for METIS, in parentheses, where its first
// line could be a header or its name says that it is METIS; "" elsewhere.
func (in *input) asMETIS() string {
	switch {
	case in.notMETIS != "":
		return " (" + in.notMETIS + ")"
	case in.forced == "" && in.namedMETIS():
		return " (its first line is not that of a METIS file)"
	}
	return ""
}

// namedMETIS reports whether the name of the input ends as those of METIS files do.
func (in *input) namedMETIS() bool {
	name := strings.TrimSuffix(strings.TrimSuffix(strings.ToLower(in.name), ".gz"), ".zst")
	return strings.HasSuffix(name, ".graph") || strings.HasSuffix(name, ".metis")
}

// errTooManyLines ends the walk of looksLikeMETIS.
var errTooManyLines = errors.New("more lines than the header says")

// A lineShape describes lines of text, comments left out.
type lineShape struct {
	full          uint64 // lines that are not empty
	inside, after uint64 // empty lines before and after the last full one
	numbers       uint64 // words
	ragged        bool   // a full line does not have two or three words
}

// add appends the description of the lines that follow.
func (s *lineShape) add(t lineShape) {
	if t.full > 0 {
		s.inside += s.after + t.inside
		s.after = t.after
	} else {
		s.after += t.after
	}
	s.full += t.full
	s.numbers += t.numbers
	s.ragged = s.ragged || t.ragged
}

// shapeOf describes the lines of b.
func shapeOf(b []byte) lineShape {
	var s lineShape
	for i := 0; i < len(b); i++ {
		if b[i] == '%' {
			i = nextLine(b, i) - 1
			continue
		}
		words, blank := uint64(0), true
		for ; i < len(b) && b[i] != '\n'; i++ {
			c := isBlank(b[i])
			if blank && !c {
				words++
			}
			blank = c
		}
		if words == 0 {
			s.after++
			continue
		}
		s.full++
		s.inside, s.after = s.inside+s.after, 0
		s.numbers += words
		s.ragged = s.ragged || words < 2 || words > 3
	}
	return s
}
