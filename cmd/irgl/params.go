package main

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"irgl/internal/engine"
)

// programArg returns the first argument that is no flag and no flag's value.
func programArg(flags *pflag.FlagSet, args []string) string {
	for i := 0; i < len(args); i++ {
		a := args[i]
		switch {
		case a == "--" && i+1 < len(args):
			return args[i+1]
		case a == "-" || !strings.HasPrefix(a, "-"):
			return a
		}
		name, _, hasValue := strings.Cut(strings.TrimLeft(a, "-"), "=")
		known := flags.Lookup(name)
		switch {
		case hasValue, known != nil && known.NoOptDefVal != "":
		case known == nil && (i+1 == len(args) || strings.HasPrefix(args[i+1], "-")):
		default:
			i++ // its value, also of a flag that only the program has
		}
	}
	return ""
}

// A paramFlag is the value of a flag that stands for a parameter.
type paramFlag struct {
	param engine.Param
	of    []string // the programs that have it
	value any      // nil until it is set
}

func (v *paramFlag) String() string {
	if v == nil || v.value == nil {
		return ""
	}
	return fmt.Sprint(v.value)
}

func (v *paramFlag) Type() string { return v.param.Type }

func (v *paramFlag) Set(text string) error {
	var err error
	switch t := v.param.Type; {
	case t == "node":
		var n uint64
		n, err = strconv.ParseUint(text, 10, 64)
		v.value = n
	case t == "bool":
		v.value, err = strconv.ParseBool(text)
	case t == "float", t == "double":
		var x float64
		if x, err = strconv.ParseFloat(text, 64); x != x {
			return errors.New("it is not a number")
		}
		v.value = x
	case strings.HasPrefix(t, "unsigned"):
		v.value, err = strconv.ParseUint(text, 0, 64)
	default:
		v.value, err = strconv.ParseInt(text, 0, 64)
	}
	if err != nil {
		return fmt.Errorf("it is of type %s", v.param.Type)
	}
	return nil
}

// flagArg returns the last value of a flag among args, as far as it can be told before
// they are parsed.
func flagArg(args []string, name string) string {
	value := ""
	for i, a := range args {
		if text, ok := strings.CutPrefix(a, "--"+name+"="); ok {
			value = text
		} else if a == "--"+name && i+1 < len(args) {
			value = args[i+1]
		}
	}
	return value
}

// A chosen is what the first argument of irgl run names: a program, or a problem that
// several programs solve.
type chosen struct {
	problem string            // "" when it is one program
	solvers []*engine.Program // one, or those of the problem, the plain one first
}

// choose returns what the argument names, with the program that --program says.
func choose(cmd *cobra.Command, name, program string) (c chosen, err error) {
	var names []string
	if name != "-" && !isFile(name) {
		names = engine.Solvers(name)
	}
	switch {
	case program == "":
	case names == nil:
		return c, usagef(cmd, "--program %s: %s is not a problem (there are %s)", program, name, strings.Join(engine.Problems(), ", "))
	case !slices.Contains(names, program):
		return c, usagef(cmd, "--program %s: the programs for %s are %s", program, name, strings.Join(names, ", "))
	default:
		names = []string{program}
	}
	if len(names) < 2 {
		if names != nil {
			name = names[0]
		}
		p, err := loadProgram(cmd, name)
		return chosen{solvers: []*engine.Program{p}}, err
	}
	c.problem = name
	for _, name := range names {
		p, err := engine.Bundled(name)
		if err != nil {
			return c, err
		}
		c.solvers = append(c.solvers, p)
	}
	return c, nil
}

// doc returns what is known of the program, or of those that solve the problem.
func (c *chosen) doc() string {
	if c.problem == "" {
		return c.solvers[0].Doc()
	}
	var b strings.Builder
	fmt.Fprintf(&b, "The problem %s is solved by these programs, of which the one that suits the graph runs:\n\n", c.problem)
	for _, p := range c.solvers {
		b.WriteString(programLine(p))
	}
	return b.String()
}

// programLine returns the line of a list of programs.
func programLine(p *engine.Program) string {
	first, _, _ := strings.Cut(p.Doc(), ". ")
	return fmt.Sprintf("  %-10s %s.\n", p.Name(), strings.TrimSuffix(first, "."))
}

// addParams adds a flag for each parameter of the programs. --source stands for the
// first node.
func (c *chosen) addParams(flags *pflag.FlagSet) ([]*paramFlag, error) {
	var out []*paramFlag
	var source *paramFlag
	for _, p := range c.solvers {
		for _, param := range p.Params() {
			if i := slices.IndexFunc(out, func(v *paramFlag) bool { return v.param.Name == param.Name }); i >= 0 {
				out[i].of = append(out[i].of, p.Name())
				continue
			}
			v := &paramFlag{param: param, of: []string{p.Name()}}
			if flags.Lookup(param.Name) != nil {
				return nil, fmt.Errorf("the parameter %s of %s has the name of a flag of irgl run: rename it", param.Name, p.Name())
			}
			out = append(out, v)
			f := flags.VarPF(v, param.Name, "", "")
			if param.Type == "bool" {
				f.NoOptDefVal = "true"
			}
			if param.Type == "node" && source == nil {
				source = v
			}
		}
	}
	for _, v := range out {
		flags.Lookup(v.param.Name).Usage = v.usage(len(c.solvers))
	}
	if source != nil && flags.Lookup("source") == nil {
		flags.VarPF(source, "source", "", "the same as --"+source.param.Name)
	}
	return out, nil
}

// allows returns an error if none of the programs that have a parameter can take its
// value.
func (c *chosen) allows(v *paramFlag) error {
	var refused error
	for _, p := range c.solvers {
		if !slices.Contains(v.of, p.Name()) {
			continue
		}
		err := p.Allows(v.param.Name, v.value)
		if err == nil {
			return nil
		}
		refused = cmp.Or(refused, err)
	}
	return refused
}

// usage says whose parameter it is, and its default.
func (v *paramFlag) usage(programs int) string {
	text := "parameter of " + strings.Join(v.of, ", ")
	if len(v.of) == programs && programs > 1 {
		text = "parameter of all these programs"
	}
	if v.param.Default != "" {
		return text + " (default " + v.param.Default + ")"
	}
	return text + ", required"
}
