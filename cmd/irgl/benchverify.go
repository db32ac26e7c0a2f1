package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"irgl/internal/engine"
	"irgl/internal/paper"
)

// verifyFlags are the flags of irgl bench verify.
type verifyFlags struct {
	measureFlags
	inputs  inputFlags
	fastest int
	from    []string
	budget  time.Duration
	out     string
}

func benchVerifyCommand() *cobra.Command {
	var f verifyFlags
	cmd := &cobra.Command{
		Use:   "verify [PROGRAM...] --graph FILE | --gen SPEC",
		Short: "Verify the default and the fastest switches of programs on graphs",
		Long: `Run each bundled program, or those that are named, on each graph and mesh with its
default switches and with the fastest in journals of 'irgl tune' and 'irgl bench paper',
and verify every answer. On a graph that was measured these are the fastest there; on
another graph, those of the measured graphs in turns. If fewer were measured, defaults
for other classes of graphs fill the list.

The table says how many choices passed. The exit status is 1 if one failed or was
omitted; the lines below the table say which, and why.`,
		Example: `  irgl bench verify --from paper/journal.jsonl --gen rmat:20:8:wmax=100 --graph road.gr --budget 5m
  irgl bench verify bfs cc --fastest 3 --gen rmat:7:8 --device simt`,
		Args: argRange(0, -1),
	}
	flags := cmd.Flags()
	f.inputs.add(flags)
	f.add(flags)
	flags.IntVar(&f.fastest, "fastest", 10, "choices beside the default, for each program and graph: `N`")
	flags.StringArrayVar(&f.from, "from", nil, "take the fastest from the journal `FILE`; may be given several times")
	flags.DurationVar(&f.budget, "budget", 0, "begin nothing more after this `TIME` (0: no limit)")
	flags.StringVar(&f.out, "out", "", "write the table to `FILE`")
	flags.SortFlags = false
	cmd.RunE = func(cmd *cobra.Command, args []string) error { return f.main(cmd, args) }
	cmd.ValidArgsFunction = completePrograms
	return cmd
}

func (f *verifyFlags) main(cmd *cobra.Command, args []string) (err error) {
	if err := errors.Join(f.check(cmd, "verify"), f.inputs.check(cmd)); err != nil {
		return err
	}
	if f.fastest < 0 || f.budget < 0 {
		return usagef(cmd, "--fastest and --budget are not negative")
	}
	o := paper.CheckOptions{Fastest: f.fastest, Limit: f.limit, Progress: func(text string) { line(cmd, text) }}
	if f.budget > 0 {
		o.Until = time.Now().Add(f.budget)
	}
	if o.Measured, err = paper.Measured(f.from...); err != nil {
		return err
	}
	if len(args) == 0 {
		args = engine.Programs()
	}
	programs, err := bundledPrograms(args)
	if err == nil {
		err = checkSet(cmd, f.inputs.set, programs)
	}
	if err != nil {
		return err
	}
	s, err := f.open()
	if err != nil {
		return err
	}
	defer closeUnlessInterrupted(cmd, s)
	to, lines, err := f.openJournal(s)
	if err != nil {
		return err
	}
	c, err := paper.NewChecker(cmd.Context(), s, o, to, lines)
	if err != nil {
		return err
	}
	err = f.inputs.each(cmd, func(in engine.Input, name string) error {
		var list []*engine.Program
		for _, p := range programs {
			if fitsInput(p, in) {
				list = append(list, p)
			}
		}
		return c.Input(in, name, list, func(p *engine.Program) (engine.Args, error) { return f.inputs.arguments(p, in) })
	})
	endLine(cmd)
	err = errors.Join(interrupted(cmd, err), to.Close())
	if err != nil && !errors.Is(err, errPartial) && !errors.Is(err, errLost) {
		return err
	}
	err = errors.Join(err, writeTo(context.WithoutCancel(cmd.Context()), cmd, f.out, c.WriteMarkdown))
	if failed, left := c.Failures(); failed+left > 0 {
		fmt.Fprintf(cmd.ErrOrStderr(), "irgl: %d choices failed, %d were left out; the table says which\n", failed, left)
		err = errors.Join(err, errReported)
	}
	return err
}

// bundledPrograms returns bundled programs by their names.
func bundledPrograms(names []string) ([]*engine.Program, error) {
	var list []*engine.Program
	for _, name := range names {
		p, err := engine.Bundled(name)
		if err != nil {
			return nil, err
		}
		list = append(list, p)
	}
	return list, nil
}
