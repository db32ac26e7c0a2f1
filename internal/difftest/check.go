package difftest

import (
	"bytes"
	"fmt"
	"os/exec"
	"regexp"
)

// A Finding is a difference between two runs of a program, or a failure of one.
type Finding struct {
	Program *Program
	Variant string // the variant, or "gcc"
	// Kind is what went wrong: "differs", or the beginning of an error's text
	// with numbers and names taken out. A reduced program must keep it.
	Kind   string
	Detail string
	long   bool // the comparison is with a memory that the C compiler made
}

func (f *Finding) Error() string {
	return fmt.Sprintf("seed %d, %s: %s: %s", f.Program.Seed, f.Variant, f.Kind, f.Detail)
}

// A Checker compares the configurations of the compiler.
type Checker struct {
	GCC      string // path of a C compiler; "" does without
	Variants []Variant
	// Others, when it is not negative, is how many variants beyond the first
	// three each program is checked with; see [Some].
	Others int
}

// NewChecker returns a checker of all variants that uses the machine's gcc
// when there is one.
func NewChecker() *Checker {
	gcc, err := exec.LookPath("gcc")
	if err != nil {
		gcc = ""
	}
	return &Checker{GCC: gcc, Variants: Variants(), Others: -1}
}

// Check compares what the variants and the C compiler make of the programs and
// returns the first finding of each program that has one. An error is about
// the C compiler.
func (c *Checker) Check(programs []*Program) ([]*Finding, error) {
	var want [][]byte
	if c.GCC != "" {
		var err error
		if want, err = GCC(c.GCC, programs); err != nil {
			return nil, err
		}
	}
	var found []*Finding
	for i, p := range programs {
		var expected []byte
		if want != nil {
			expected = want[i]
		}
		if f := c.compare(p, expected); f != nil {
			found = append(found, f)
		}
	}
	return found, nil
}

// compare runs the variants; want is the memory to be had, nil when it is the
// first variant's.
func (c *Checker) compare(p *Program, want []byte) *Finding {
	with := "gcc's"
	variants := c.Variants
	if c.Others >= 0 {
		variants = Some(variants, p.Seed, c.Others)
	}
	for _, v := range variants {
		got, err := Run(p, v)
		if err != nil {
			return &Finding{p, v.Name, kindOf(err), err.Error(), with == "gcc's"}
		}
		if want == nil {
			want, with = got, v.Name+"'s"
		}
		if !bytes.Equal(got, want) {
			return &Finding{p, v.Name, "differs", "from " + with + " in " + p.Diff(got, want), with == "gcc's"}
		}
	}
	return nil
}

var particular = regexp.MustCompile(`[0-9a-fx]*[0-9][0-9a-fx]*|[@%"'].*`)

// kindOf returns the beginning of the error's text without what is particular
// to one program.
func kindOf(err error) string {
	text := particular.ReplaceAllString(err.Error(), "#")
	return text[:min(len(text), 60)]
}

// again reports whether the program of q goes wrong as f does. It compares
// with the first variant, or, when that agrees with the finding's, with gcc.
func (c *Checker) again(f *Finding, p *Program) bool {
	for _, v := range c.Variants {
		if v.Name != f.Variant {
			continue
		}
		got, err := Run(p, v)
		if f.Kind != "differs" || err != nil {
			return err != nil && kindOf(err) == f.Kind
		}
		var want []byte
		if first := c.Variants[0]; first.Name != v.Name && !f.long {
			want, err = Run(p, first)
		} else {
			var all [][]byte
			if all, err = GCC(c.GCC, []*Program{p}); err == nil {
				want = all[0]
			}
		}
		return err == nil && !bytes.Equal(got, want)
	}
	return false
}
