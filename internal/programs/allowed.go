package programs

import (
	"fmt"
	"math"
)

// A bound is the range of values that a parameter may have. The ends belong to it
// unless they are open; an infinite value never does.
type bound struct {
	low, high         float64
	lowOpen, highOpen bool
}

// fromZero is the range of what is a size or a number of things.
var fromZero = bound{low: 0, high: math.Inf(1)}

// The ranges of parameters outside of which a program does not do what its name says:
// rounds that never end, ranks that grow without limit, angles that no triangulation has.
var (
	iterated = map[string]bound{"damping": {high: 1}, "tolerance": fromZero, "max_rounds": fromZero}
	residual = map[string]bound{"damping": {high: 1, highOpen: true}, "tolerance": {high: math.Inf(1), lowOpen: true}}
	bands    = map[string]bound{"delta": fromZero}
	adaptive = map[string]bound{"delta": fromZero, "busy": fromZero}
	angles   = map[string]bound{"angle": {high: 60, highOpen: true}}
)

func (b bound) holds(v float64) bool {
	above := v > b.low || v == b.low && !b.lowOpen
	below := v < b.high || v == b.high && !b.highOpen
	return above && below && !math.IsInf(v, 0)
}

func (b bound) String() string {
	low, high := fmt.Sprintf("at least %v", b.low), fmt.Sprintf("at most %v", b.high)
	if b.lowOpen {
		low = fmt.Sprintf("greater than %v", b.low)
	}
	switch {
	case math.IsInf(b.high, 1):
		high = "finite"
	case b.highOpen:
		high = fmt.Sprintf("less than %v", b.high)
	}
	return low + " and " + high
}

// Allowed says which values a parameter of a bundled program may have beyond its type, ""
// where all are allowed.
func Allowed(program, param string) string {
	if b, ok := of(program).allowed[param]; ok {
		return b.String()
	}
	return ""
}

// CheckArgument returns an error that says which values are allowed if a parameter of a
// bundled program cannot have the value v.
func CheckArgument(program, param string, v float64) error {
	if b, ok := of(program).allowed[param]; ok && !b.holds(v) {
		return fmt.Errorf("it must be %v", b)
	}
	return nil
}
