package lower

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"irgl/syntax"
)

// Switches can be limited to a part of the program: the value is the part, a colon, and
// the value of the switch in that part. A switch has one value for the whole program and
// one for each part; in a text they follow each other, and ";" separates them in a value:
//
//	np=wp np=K2:wp,fg np=K3.2:tb        np=wp;K2:wp,fg;K3.2:tb

// A Part is a part of a program: a kernel, or an inner loop of a kernel with what is in it.
type Part struct {
	Kernel string
	Loop   int // its number, counted from 1 as --explain does; 0: the whole kernel
}

// String returns the part as texts have it: K2, or K3.2.
func (p Part) String() string {
	if p.Loop == 0 {
		return p.Kernel
	}
	return p.Kernel + "." + strconv.Itoa(p.Loop)
}

// A PartSwitch is the value of a switch in a part of the program.
type PartSwitch struct {
	Part
	Name, Value string // the value is canonical
}

// String returns the switch as [ParseOptions] reads it.
func (p PartSwitch) String() string { return p.Name + "=" + p.Part.String() + ":" + p.Value }

// An Extent says to which parts of a program a switch can be limited.
type Extent uint8

// The extents. The switches of outlined loops, of the items of worklists, of locks and of
// the size of blocks concern several kernels at once.
const (
	OfProgram Extent = iota // to none
	OfKernels               // to kernels
	OfLoops                 // to kernels and their inner loops
)

// Extent returns to which parts of a program the switch can be limited.
func (s Switch) Extent() Extent {
	switch s.Name {
	case "batch", "eager", "coop", "np", "np-gr", "np-tb", "np-wp", "np-fg":
		return OfLoops
	case "deal", "backoff", "backoff-tail", "ldg":
		return OfKernels
	}
	return OfProgram
}

// setPart sets a switch for a part.
func (o *Options) setPart(s *Switch, part, value string) error {
	p, err := parsePart(part)
	switch {
	case err != nil:
		return err
	case s.Extent() == OfProgram:
		return fmt.Errorf("it is for the whole program, and cannot be limited to %s", p)
	case s.Extent() == OfKernels && p.Loop > 0:
		return fmt.Errorf("it is for whole kernels, and cannot be limited to a loop: write %s:%s", p.Kernel, value)
	}
	var alone Options
	if err := s.set(&alone, value); err != nil {
		return err
	}
	o.ClearPart(s.Name, p)
	o.Parts = append(o.Parts, PartSwitch{p, s.Name, s.get(&alone)})
	slices.SortFunc(o.Parts, PartSwitch.compare)
	return nil
}

// ClearPart has a switch for a part take its value from what is around the part.
func (o *Options) ClearPart(name string, p Part) {
	o.Parts = slices.DeleteFunc(slices.Clone(o.Parts), func(x PartSwitch) bool { return x.Name == name && x.Part == p })
}

// parsePart reads a kernel's name, with a dot and the number of a loop or without.
func parsePart(text string) (Part, error) {
	name, number, loop := strings.Cut(text, ".")
	p := Part{Kernel: name}
	if !syntax.IsName(name) {
		return p, fmt.Errorf("%q is no name of a kernel", name)
	}
	if !loop {
		return p, nil
	}
	n, err := strconv.Atoi(number)
	if err != nil || n < 1 || strconv.Itoa(n) != number {
		return p, fmt.Errorf("%q is no number of a loop: they are counted from 1", number)
	}
	p.Loop = n
	return p, nil
}

// compare orders switches as [Switches] does, those of one by kernel and loop.
func (x PartSwitch) compare(y PartSwitch) int {
	of := func(name string) int {
		return slices.IndexFunc(switches, func(s Switch) bool { return s.Name == name })
	}
	return cmp.Or(cmp.Compare(of(x.Name), of(y.Name)), cmp.Compare(x.Kernel, y.Kernel), cmp.Compare(x.Loop, y.Loop))
}

// WithoutParts returns the options without what parts have for a switch.
func (o Options) WithoutParts(name string) Options {
	o.Parts = slices.DeleteFunc(slices.Clone(o.Parts), func(x PartSwitch) bool { return x.Name == name })
	return o
}

// Whole returns the options without the switches of parts.
func (o Options) Whole() Options {
	o.Parts = nil
	return o
}
