package headers

import (
	"strings"

	"irgl/internal/cpp"
)

// libraryNames are the headers that the host's library includes from others, and what programs
// use of them without an #include of their own.
var libraryNames = []struct{ header, names string }{
	{"limits", "numeric_limits"},
	{"type_traits", "is_same is_same_v is_integral is_integral_v is_floating_point is_floating_point_v is_arithmetic is_arithmetic_v " +
		"is_signed is_signed_v is_unsigned is_unsigned_v is_pointer is_pointer_v is_const is_enum is_base_of is_convertible is_trivially_copyable " +
		"aligned_storage aligned_storage_t enable_if enable_if_t conditional conditional_t integral_constant true_type false_type common_type common_type_t decay decay_t " +
		"remove_reference remove_reference_t remove_cv remove_cv_t remove_const remove_const_t remove_pointer remove_pointer_t " +
		"make_unsigned make_unsigned_t make_signed make_signed_t underlying_type underlying_type_t is_void is_void_v"},
	{"utility", "swap move forward exchange pair make_pair declval integer_sequence make_integer_sequence index_sequence make_index_sequence"},
	{"cstdint", "int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t intptr_t uintptr_t"},
	{"algorithm", "min max clamp"},
	{"tuple", "tuple make_tuple tie tuple_size tuple_element"},
	{"iterator", "begin end cbegin cend size data distance advance next prev iterator_traits"},
	{"functional", "plus minus multiplies divides less greater less_equal greater_equal equal_to not_equal_to logical_and logical_or"},
	{"array", "array"},
}

// Transitive returns the headers, as <name>, of what a file uses of namespace std in front of an
// #include that declares it: the host's headers have it by way of others, which are not read for device code.
func Transitive(pre *cpp.Result) []string {
	if !pre.HasName("std") {
		return nil
	}
	using, first := false, map[string]int{} // the first token that names it
	tokens := pre.Tokens
	note := func(i int) {
		if name := tokens[i].Text(); first[name] == 0 {
			first[name] = i
		}
	}
	for i := range tokens {
		if tokens[i].Text() != "std" || i == 0 || i+2 >= len(tokens) {
			continue
		}
		switch {
		case tokens[i+1].Word == cpp.ColonColon:
			note(i + 2)
		case tokens[i-1].Text() == "namespace" && tokens[i+1].Word == cpp.Semi:
			using = true
		}
	}
	if using {
		for i := range tokens {
			if tokens[i].IsName() {
				note(i)
			}
		}
	}
	if len(first) == 0 {
		return nil
	}
	var out []string
	for _, l := range libraryNames {
		for name := range strings.FieldsSeq(l.names) {
			if at := first[name]; at > 0 && !includes(pre, l.header, at) {
				out = append(out, "<"+l.header+">")
				break
			}
		}
	}
	return out
}

// includes reports whether a text includes a header in <> in front of a token.
func includes(pre *cpp.Result, name string, at int) bool {
	for i := range pre.Includes {
		if inc := &pre.Includes[i]; inc.Name == name && inc.Found != cpp.HostOnly && inc.At <= at {
			return true
		}
	}
	return false
}
