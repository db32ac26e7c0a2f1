package compile

import "irgl/internal/lower"

// Switches are throughput switches as a value: what the tuner, the benchmarks and the
// engine hand to each other. Two are equal, as keys too, if they choose the same; the
// zero Switches choose nothing. Text is for the command line, files and tables.
type Switches struct {
	text string // canonical, and readable by lower.ParseOptions
}

// ParseSwitches reads a text such as "outline=auto batch=4 np=wp,fg", in any order.
func ParseSwitches(text string) (Switches, error) {
	o, err := lower.ParseOptions(text)
	if err != nil {
		return Switches{}, err
	}
	return SwitchesOf(o), nil
}

// MustSwitches is [ParseSwitches] of a text in the program, which can be read.
func MustSwitches(text string) Switches {
	s, err := ParseSwitches(text)
	if err != nil {
		panic(err)
	}
	return s
}

// SwitchesOf returns the switches among options: all but the width of offsets, which
// follows from the graph.
func SwitchesOf(o lower.Options) Switches { return Switches{o.String()} }

// Options returns the switches as options of lowering.
func (s Switches) Options() lower.Options {
	o, err := lower.ParseOptions(s.text)
	if err != nil {
		panic(err) // no other text gets here
	}
	return o
}

// String returns the text that [ParseSwitches] reads; "" for no switches.
func (s Switches) String() string { return s.text }

// OrNone returns the text for people: "none" for no switches.
func (s Switches) OrNone() string {
	if s.text == "" {
		return "none"
	}
	return s.text
}

// MarshalText writes the text, for JSON.
func (s Switches) MarshalText() ([]byte, error) { return []byte(s.text), nil }

// UnmarshalText reads what MarshalText writes.
func (s *Switches) UnmarshalText(text []byte) (err error) {
	*s, err = ParseSwitches(string(text))
	return err
}
