package asdl

import (
	"sort"
	"strconv"
)

// originOf returns, for the JSON of a front end, a function from the offset of a
// text to the line of the front end's program that it was made from: that of the
// innermost node with the field _line. It returns nil if the Module has no _source.
func originOf(root *value) func(offset int) string {
	src := root.get("_source")
	if src == nil || src.kind != text || src.str == "" {
		return nil
	}
	return func(offset int) string {
		found := ""
		for v := root; v != nil; v = v.child(int32(offset)) {
			line := v.get("_line")
			if line == nil || line.kind != number {
				continue
			}
			if n, err := strconv.Atoi(line.num); err != nil || n < 1 {
				continue
			}
			name := src.str
			if f := v.get("_file"); f != nil && f.kind == text {
				name = f.str
			}
			found = name + ":" + line.num
		}
		return found
	}
}

// child returns the element or the member of v that has the byte at an offset, or nil.
func (v *value) child(offset int32) *value {
	at := func(n int, elem func(i int) *value) *value {
		i := sort.Search(n, func(i int) bool { return elem(i).to > offset })
		if i == n || offset < elem(i).from {
			return nil
		}
		return elem(i)
	}
	if v.kind == list {
		return at(len(v.list), func(i int) *value { return v.list[i] })
	}
	return at(len(v.fields), func(i int) *value { return v.fields[i].val })
}
