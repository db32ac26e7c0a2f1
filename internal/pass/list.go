package pass

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// A Pass is one row of a [List] of passes over a T.
type Pass[T any] struct {
	Name   string // unique in its list: lower-case letters, digits, dashes
	Doc    string // one sentence: what it does
	Source string // the paper and section it comes from; may be empty
	// Repeats names an earlier row of which this is a further run. Its
	// switch and its counters are shared; its own name switches it alone.
	Repeats string
	Fn      func(T, *Run) error
	// PerUnit says that Fn calls [Run.Unit] for each part it works on. A pass
	// without it is one unit as a whole.
	PerUnit  bool
	Off      bool // it runs only when switched on
	Required bool // it cannot be switched off, and no limit skips it
}

// base is the name that p's switch and counters go by.
func (p *Pass[T]) base() string {
	if p.Repeats != "" {
		return p.Repeats
	}
	return p.Name
}

// An Order says that the row Before must precede the row After, and why.
type Order struct {
	Before, After, Reason string
}

// A List is a checked list of passes. It is immutable, so runs may share it.
type List[T any] struct {
	passes []Pass[T]
	orders []Order
}

// NewList returns the list of passes in the order given. It refuses rows
// without name, doc or function, repeated names, repeats of what is not there,
// orders without a reason or about unknown rows, and rows against an order.
// All faults are reported, one a line.
func NewList[T any](passes []Pass[T], orders []Order) (*List[T], error) {
	var errs []error
	fault := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	index := make(map[string]int, len(passes))
	for i := range passes {
		p := &passes[i]
		if !validName(p.Name) {
			fault("pass %d: %q is not a name", i, p.Name)
		}
		if _, ok := index[p.Name]; ok {
			fault("pass %s: there are two", p.Name)
		}
		if p.Doc == "" || p.Fn == nil {
			fault("pass %s: no doc or no function", p.Name)
		}
		if p.Required && p.Off {
			fault("pass %s: it is required and off", p.Name)
		}
		if p.Repeats != "" {
			if first, ok := index[p.Repeats]; !ok || passes[first].Repeats != "" {
				fault("pass %s: it repeats %s, which is no first run before it", p.Name, p.Repeats)
			}
		}
		index[p.Name] = i
	}
	for _, o := range orders {
		before, ok1 := index[o.Before]
		after, ok2 := index[o.After]
		switch {
		case !ok1 || !ok2:
			fault("order of %s and %s: there is no such pass", o.Before, o.After)
		case o.Reason == "":
			fault("order of %s and %s: no reason is given", o.Before, o.After)
		case before >= after:
			fault("%s must run before %s: %s", o.Before, o.After, o.Reason)
		}
	}
	if len(errs) > 0 {
		return nil, fmt.Errorf("pass list: %w", errors.Join(errs...))
	}
	return &List[T]{slices.Clone(passes), slices.Clone(orders)}, nil
}

// MustList is NewList for lists that are constant; it panics on a fault, which
// the first test of the package that holds the list then finds.
func MustList[T any](passes []Pass[T], orders []Order) *List[T] {
	l, err := NewList(passes, orders)
	if err != nil {
		panic(err)
	}
	return l
}

func validName(s string) bool {
	return s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789-") == ""
}

// Passes returns a copy of the rows.
func (l *List[T]) Passes() []Pass[T] { return slices.Clone(l.passes) }

// Names returns the names of the rows, in order.
func (l *List[T]) Names() []string {
	names := make([]string, len(l.passes))
	for i := range l.passes {
		names[i] = l.passes[i].Name
	}
	return names
}

// CheckSwitches returns an error if switches name a row that there is not, or switch a
// required one off.
func (l *List[T]) CheckSwitches(switches map[string]bool) error {
	_, err := l.enabled(switches)
	return err
}

// enabled returns which rows run under the switches. A row's own switch goes
// before that of the row it repeats.
func (l *List[T]) enabled(switches map[string]bool) ([]bool, error) {
	names := make([]string, 0, len(switches))
	for name := range switches {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		if err := l.known(name); err != nil {
			return nil, err
		}
	}
	on := make([]bool, len(l.passes))
	for i := range l.passes {
		p := &l.passes[i]
		on[i] = !p.Off
		for _, name := range []string{p.base(), p.Name} {
			if value, ok := switches[name]; ok {
				on[i] = value
			}
		}
		if p.Required && !on[i] {
			return nil, fmt.Errorf("pass %s is required and cannot be switched off", p.Name)
		}
	}
	return on, nil
}

func (l *List[T]) known(name string) error {
	names := l.Names()
	if !slices.Contains(names, name) {
		return fmt.Errorf("there is no pass %q; the passes are %s", name, strings.Join(names, ", "))
	}
	return nil
}
