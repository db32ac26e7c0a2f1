package mesh

import (
	"bytes"
	"context"
	"fmt"
	"strconv"
)

// A scanner cuts text into lines and lines into fields. The first thing that
// goes wrong is kept in err, and ends the scanning: loops ask for err once in
// a while, not after every number.
type scanner struct {
	ctx    context.Context
	file   string
	data   []byte
	pos    int
	line   int      // of fields, from 1
	fields [][]byte // of the present line
	extra  int      // lines of a .gr3 file with numbers that are not kept
	err    error
}

// errorf keeps the first error, at the present line.
func (s *scanner) errorf(format string, args ...any) {
	if s.err == nil {
		s.err = &ReadError{s.file, s.line, fmt.Sprintf(format, args...)}
	}
}

// rawLine returns the next line, without its end, and false at the end of the
// file.
func (s *scanner) rawLine() ([]byte, bool) {
	if s.err != nil || s.pos == len(s.data) {
		return nil, false
	}
	if s.line++; s.line&0x3fff == 0 && s.ctx.Err() != nil {
		s.err = s.ctx.Err()
		return nil, false
	}
	line := s.data[s.pos:]
	if i := bytes.IndexByte(line, '\n'); i >= 0 {
		line = line[:i]
		s.pos++
	}
	s.pos += len(line)
	return line, true
}

// next splits the next line that has anything before a comment mark. It
// returns false at the end of the file.
func (s *scanner) next(marks string) bool {
	s.fields = s.fields[:0]
	for len(s.fields) == 0 {
		line, ok := s.rawLine()
		if !ok {
			return false
		}
		for i := 0; i < len(line); {
			c := line[i]
			if c == ' ' || c == '\t' || c == '\r' || c == ',' {
				i++
				continue
			}
			if bytes.IndexByte([]byte(marks), c) >= 0 {
				break
			}
			j := i + 1
			for j < len(line) && line[j] != ' ' && line[j] != '\t' && line[j] != '\r' && line[j] != ',' {
				j++
			}
			s.fields = append(s.fields, line[i:j])
			i = j
		}
	}
	return true
}

// need is next for a line that must be there and have at least k fields.
func (s *scanner) need(marks string, k int, what string) bool {
	if !s.next(marks) {
		s.line++
		s.errorf("the file ends where %s should be", what)
		return false
	}
	if len(s.fields) < k {
		s.errorf("%s needs %d numbers or more, here they are %d", what, k, len(s.fields))
		return false
	}
	return true
}

// integer reads field i, a number from low to high.
func (s *scanner) integer(i int, low, high int, what string) int {
	f := s.fields[i]
	v, err := 0, error(nil)
	if len(f) <= 9 { // the usual case, in a third of the time
		for _, c := range f {
			if c-'0' > 9 {
				v = -1
				break
			}
			v = v*10 + int(c-'0')
		}
	} else {
		v = -1
	}
	if v < 0 {
		if v, err = strconv.Atoi(string(f)); err != nil {
			s.errorf("%s: %q is not a whole number in range", what, clip(f))
			return low
		}
	}
	if low == high && v != low {
		s.errorf("%s: %d where %d should be", what, v, low)
		return low
	}
	if v < low || v > high {
		s.errorf("%s: %d is not from %d to %d", what, v, low, high)
		return low
	}
	return v
}

// float reads field i, a finite number.
func (s *scanner) float(i int, what string) float64 {
	v, err := strconv.ParseFloat(string(s.fields[i]), 64)
	if err != nil || !finite(v) {
		s.errorf("%s: %q is not a finite number", what, clip(s.fields[i]))
		return 0
	}
	return v
}

// count reads field i, the number of things to come, each of which takes at
// least size bytes of the file. So memory is taken only for what can be there.
func (s *scanner) count(i, size, limit int, what string) int {
	n := s.integer(i, 0, limit, "number of "+what)
	if s.err == nil && n > (len(s.data)-s.pos)/size+1 {
		s.errorf("%d %s are promised, but only %d bytes follow", n, what, len(s.data)-s.pos)
	}
	if s.err != nil {
		return 0
	}
	return n
}

// clip shortens a field for a message.
func clip(f []byte) []byte { return f[:min(len(f), 40)] }
