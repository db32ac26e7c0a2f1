package hosteval

import (
	"encoding/binary"
	"os"
	"strings"
)

// An optionState is where getopt is: the letter in an argument, and the arguments that are no options,
// which it moves behind those that are, as the GNU library does.
type optionState struct {
	letter      int
	first, last int64 // of the arguments that are no options and have been passed
}

// nextOption is __irgl_next_option(argc, argv, options, &optind): it sets optind to the next
// option and returns 0, or sets it to the first argument that is no option and returns -1.
func nextOption(m *machine, c *call) uint64 {
	argc := int64(int32(c.Args[0]))
	word := c.Bytes(c.Args[3], 4, true)
	if word == nil || argc < 1 {
		return minus
	}
	o, index := &m.options, int64(int32(binary.LittleEndian.Uint32(word)))
	letters, ok := text(c, c.Args[2])
	args, ok2 := pointers(c, c.Args[1], int(argc))
	if !ok || !ok2 {
		return minus
	}
	if index < 1 { // begin again
		index, *o = 1, optionState{}
	}
	if o.letter > 0 {
		return 0
	}
	is := func(i int64) bool {
		s, ok := text(c, args[i])
		return ok && len(s) > 1 && s[0] == '-'
	}
	pass := func() { // moves what has been passed behind the options in front of index
		if o.first != o.last && o.last != index {
			args = moved(args, o.first, o.last, index)
			o.first += index - o.last
		} else if o.first == o.last {
			o.first = index
		}
		o.last = index
	}
	o.first, o.last = min(o.first, index), min(o.last, index)
	pass()
	if _, posix := os.LookupEnv("POSIXLY_CORRECT"); !posix && !strings.HasPrefix(letters, "+") {
		for index < argc && !is(index) {
			index++
		}
		o.last = index
	}
	end := index >= argc || !is(index)
	if !end {
		if s, _ := text(c, args[index]); s == "--" {
			index++
			pass()
			o.last, index, end = argc, argc, true
		}
	}
	if end && o.first != o.last {
		index = o.first
	}
	if c.Stopped() {
		return minus
	}
	if b := c.Bytes(c.Args[1], uint64(8*argc), true); b != nil {
		for i, a := range args {
			binary.LittleEndian.PutUint64(b[8*i:], a)
		}
	}
	put32(c, c.Args[3], uint32(index))
	if end {
		return minus
	}
	return 0
}

// moved returns a list with from[first:last] behind from[last:end].
func moved(from []uint64, first, last, end int64) []uint64 {
	out := append([]uint64{}, from[:first]...)
	out = append(out, from[last:end]...)
	out = append(out, from[first:last]...)
	return append(out, from[end:]...)
}

// getopt is __irgl_getopt(argc, argv, options, &optarg, &optind, &optopt): the option at
// optind, or the next letter in it.
func getopt(m *machine, c *call) uint64 {
	argc, argv := int64(int32(c.Args[0])), c.Args[1]
	options, ok := text(c, c.Args[2])
	word := c.Bytes(c.Args[4], 4, false)
	if !ok || word == nil {
		return minus
	}
	index := int64(int32(le64(append(word[:4:4], 0, 0, 0, 0))))
	argument := func(i int64) (string, uint64, bool) {
		b := c.Bytes(argv+uint64(8*i), 8, false)
		if b == nil {
			return "", 0, false
		}
		s, ok := text(c, le64(b))
		return s, le64(b), ok
	}
	s, at, ok := argument(index)
	if !ok || len(s) < 2 {
		return minus
	}
	if m.options.letter == 0 || m.options.letter >= len(s) {
		m.options.letter = 1
	}
	letter := s[m.options.letter]
	m.options.letter++
	i := strings.IndexByte(options, letter)
	takes := i >= 0 && i+1 < len(options) && options[i+1] == ':'
	value := uint64(0)
	switch {
	case takes && m.options.letter < len(s):
		value, m.options.letter = at+uint64(m.options.letter), len(s)
	case takes && index+1 < argc:
		index++
		_, value, _ = argument(index)
	}
	put64(c, c.Args[3], value)
	if takes || m.options.letter >= len(s) {
		index++
		m.options.letter = 0
	}
	put32(c, c.Args[4], uint32(index))
	if i < 0 || letter == ':' || takes && value == 0 {
		put32(c, c.Args[5], uint32(letter))
		what := "invalid option"
		if takes {
			what = "option requires an argument"
		}
		m.errorf("%s: %s -- '%c'\n", m.run.Args[0], what, letter)
		return '?'
	}
	return uint64(letter)
}
