package cxxtest

import (
	"fmt"
	"slices"

	"irgl/internal/compile"
)

// A Finding is a function that we refuse, or that gives another answer than g++'s code.
type Finding struct {
	Func   *Func
	Reason string
}

// Check compares functions on the emulator, under each of the options, with g++'s answers.
func Check(funcs []*Func, want [][]int64, options []compile.Options) []Finding {
	var list []Finding
	funcs, want = slices.Clone(funcs), slices.Clone(want)
	for _, o := range options {
		got, refusal := Device(funcs, o)
		for refusal != nil {
			if refusal.Index < 0 {
				return append(list, alone(funcs, want, o, refusal)...)
			}
			i := refusal.Index
			list = append(list, Finding{funcs[i], refusal.Text})
			funcs, want = slices.Delete(funcs, i, i+1), slices.Delete(want, i, i+1)
			got, refusal = Device(funcs, o)
		}
		for i := len(funcs) - 1; i >= 0; i-- {
			if !slices.Equal(got[i], want[i]) {
				list = append(list, Finding{funcs[i], fmt.Sprintf("we give %d, g++ %d", got[i], want[i])})
				funcs, want = slices.Delete(funcs, i, i+1), slices.Delete(want, i, i+1)
			}
		}
	}
	return list
}

// alone checks each function of a program that is refused without a place.
func alone(funcs []*Func, want [][]int64, o compile.Options, all *Refusal) []Finding {
	var list []Finding
	for i, f := range funcs {
		got, refusal := Device([]*Func{f}, o)
		switch {
		case refusal != nil:
			list = append(list, Finding{f, refusal.Text})
		case !slices.Equal(got[0], want[i]):
			list = append(list, Finding{f, fmt.Sprintf("we give %d, g++ %d", got[0], want[i])})
		}
	}
	if list == nil && len(funcs) > 0 {
		list = append(list, Finding{funcs[0], "only all functions together: " + all.Text})
	}
	return list
}

// Reduce returns the finding with fewer features, if it stays one without the others.
func Reduce(gxx string, f Finding, options []compile.Options) Finding {
	for i := 0; i < len(f.Func.Pieces); {
		less := *f.Func
		less.Pieces = slices.Delete(slices.Clone(less.Pieces), i, i+1)
		one := []*Func{&less}
		if want, err := Host(gxx, one); err == nil {
			if found := Check(one, want, options); len(found) > 0 {
				f = found[0]
				continue
			}
		}
		i++
	}
	return f
}
