package syntax

import "irgl/internal/cpp"

// An IntValue is the value of an integer literal and what its suffix and base
// say about its type (C99, 6.4.4.1).
type IntValue struct {
	Value    uint64
	Unsigned bool // suffix u
	Long     int  // number of l in the suffix: 0, 1 or 2
	Decimal  bool // base ten: it does not become unsigned by itself
}

// ParseInt returns the value of an integer literal's text.
func ParseInt(text string) (IntValue, error) {
	v, err := cpp.ParseInt(text)
	return IntValue(v), err
}

// ParseFloat returns the value of a floating literal's text, rounded to float
// when single is set by its suffix.
func ParseFloat(text string) (v float64, single bool, err error) { return cpp.ParseFloat(text) }

// ParseChar returns the value of a character constant, as the int that C
// makes of a signed char.
func ParseChar(text string) (int, error) { return cpp.ParseChar(text) }

// ParseString returns the bytes of a string literal, without the final zero.
func ParseString(text string) (string, error) { return cpp.ParseString(text) }

// IsName reports whether text is a name in C. It may be a keyword.
func IsName(text string) bool { return cpp.IsName(text) }
